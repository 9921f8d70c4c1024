//! The differences between kernels that the module's C half knows: each has its probe, its place and its row
//! in the manual.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use harness::tree::{Tree, stem};

const PROBES: &str = "engine/kmod/compat/probes";
const PLACES: &str = "engine/kmod/compat";

/// The names of the files with this extension, without it.
fn names(tree: &Tree, folder: &str, extension: &str) -> BTreeSet<String> {
    let folder = tree.absolute(Path::new(folder));
    let entries = fs::read_dir(&folder).expect("a folder that can be listed");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let wanted = paths.filter(|path| path.extension().is_some_and(|e| e == extension));
    wanted.filter_map(|path| stem(&path)).collect()
}

fn read(tree: &Tree, path: &str) -> String {
    let path = tree.absolute(Path::new(path));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Probe and place of each row.
fn rows(manual: &str) -> BTreeMap<String, String> {
    let head = "| probe | place | since | what differs |\n";
    let (_, table) = manual.split_once(head).expect("the table of differences");
    let lines = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [probe, place, _, _] = cells[..] else {
            panic!("not four cells: {line}");
        };
        let name = |cell: &str| cell.trim_matches('`').to_owned();
        (name(probe), name(place))
    };
    lines.map(row).collect()
}

#[test]
fn each_difference_has_a_probe_a_place_and_a_row() {
    let tree = Tree::own();
    let mut probes = names(&tree, PROBES, "c");
    assert!(
        probes.remove("control"),
        "nothing shows that a probe can compile"
    );
    let rows = rows(&read(&tree, "doc/kernels.md"));
    assert_eq!(rows.keys().cloned().collect::<BTreeSet<_>>(), probes);
    let places: BTreeSet<String> = rows.values().cloned().collect();
    let headers = names(&tree, PLACES, "h");
    let headers: BTreeSet<String> = headers.iter().map(|name| format!("{name}.h")).collect();
    assert_eq!(places, headers);
    for (probe, place) in &rows {
        let header = read(&tree, &format!("{PLACES}/{place}"));
        let macro_name = format!("TL_HAS_{}", probe.to_uppercase());
        assert!(
            header.contains(&macro_name),
            "{place} does not ask for {macro_name}"
        );
    }
}

/// A version says nothing of what a distribution has backported.
#[test]
fn no_file_asks_for_the_kernels_version() {
    let tree = Tree::own();
    let folders = ["engine/kmod", PLACES, PROBES, "engine/kmod/arch"];
    for folder in folders {
        for extension in ["c", "h"] {
            for name in names(&tree, folder, extension) {
                let path = format!("{folder}/{name}.{extension}");
                let text = read(&tree, &path);
                let asks = ["LINUX_VERSION_CODE", "KERNEL_VERSION"];
                let asked = asks.iter().find(|word| text.contains(**word));
                assert_eq!(asked, None, "{path}");
            }
        }
    }
}
