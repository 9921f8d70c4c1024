//! The seeded defects of the kernel module: what it knows, what the guests list, what scenarios catch and
//! what the manual says of all that are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use harness::guest::image_file;
use harness::run::suite;
use harness::tree::Tree;

/// The files in `engine/kernel/src/arch`, each with its guests.
const ARCHITECTURES: [(&str, &[&str]); 3] = [
    ("arm", &["armv6", "armv7"]),
    ("arm64", &["arm64"]),
    ("x86", &["x86_64"]),
];

/// A row of the manual's table of mutants.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    guests: BTreeSet<String>,
    caught_by: BTreeSet<String>,
}

fn read(tree: &Tree, path: &str) -> String {
    let path = tree.absolute(Path::new(path));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The table that `guests` are named in.
fn rows(manual: &str, guests: &BTreeSet<String>) -> BTreeMap<String, Row> {
    let head = "| mutant | guest | defect | caught by |\n";
    let (_, table) = manual.split_once(head).expect("the table of mutants");
    let lines = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    lines.map(|line| row(line, guests)).collect()
}

fn row(line: &str, all: &BTreeSet<String>) -> (String, Row) {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [name, guests, _, caught_by] = cells[..] else {
        panic!("not four cells: {line}");
    };
    let words = |cell: &str| -> BTreeSet<String> {
        let words = cell.split(", ").map(|word| word.trim_matches('`'));
        words.map(str::to_owned).collect()
    };
    let guests = match guests {
        "all" => all.clone(),
        some => words(some),
    };
    let caught_by = words(caught_by);
    (name.trim_matches('`').to_owned(), Row { guests, caught_by })
}

/// The names in a list of constants, as `source` has it behind `begin`.
fn listed(source: &str, begin: &str, constants: &BTreeMap<String, String>) -> BTreeSet<String> {
    let (_, list) = source.split_once(begin).expect(begin);
    let (_, list) = list.split_once("[\n").expect("a list");
    let (list, _) = list.split_once(']').expect("its end");
    let names = list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names
        .map(|name| {
            constants
                .get(name)
                .unwrap_or_else(|| panic!("no constant {name}"))
                .clone()
        })
        .collect()
}

/// `const NAME: &str = "name";`
fn constants(source: &str) -> impl Iterator<Item = (String, String)> {
    source.lines().filter_map(|line| {
        let (_, constant) = line.split_once("const ")?;
        let (name, value) = constant.split_once(": &str = \"")?;
        let (value, _) = value.split_once('"')?;
        Some((name.to_owned(), value.to_owned()))
    })
}

#[test]
fn guests_list_the_defects_that_their_modules_have() {
    let tree = Tree::own();
    let guests = image_file::guests(&tree).expect("every guest is described");
    let shared = read(&tree, "engine/kernel/src/mutant/mod.rs");
    for (architecture, names) in ARCHITECTURES {
        let own = read(
            &tree,
            &format!("engine/kernel/src/mutant/arch/{architecture}.rs"),
        );
        let known: BTreeMap<_, _> = constants(&shared).chain(constants(&own)).collect();
        let own = listed(&own, "pub const MUTANTS", &known);
        let shared = listed(&shared, "const EVERYWHERE", &known);
        let all: BTreeSet<String> = own.union(&shared).cloned().collect();
        let mut in_one = BTreeSet::new();
        for name in names {
            let target = guests.iter().find(|target| target.guest == *name);
            let in_guest: BTreeSet<String> = target.expect(name).mutants.iter().cloned().collect();
            let unknown: Vec<_> = in_guest.difference(&all).collect();
            assert!(unknown.is_empty(), "{name}'s module has no {unknown:?}");
            in_one.extend(in_guest);
        }
        let lacks: Vec<_> = own.difference(&in_one).collect();
        assert!(lacks.is_empty(), "of {names:?} none lists {lacks:?}");
    }
    let in_some: BTreeSet<_> = guests.iter().flat_map(|target| &target.mutants).collect();
    let known = constants(&shared).collect();
    let shared = listed(&shared, "const EVERYWHERE", &known);
    let untried = shared.iter().filter(|name| !in_some.contains(name));
    assert_eq!(untried.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn the_manual_has_each_defect_its_guests_and_who_catches_it() {
    let tree = Tree::own();
    let guests = image_file::guests(&tree).expect("every guest is described");
    let sources = suite::sources(&tree, &[]).expect("every scenario parses");
    let all = guests.iter().map(|target| target.guest.clone()).collect();
    let mut expected: BTreeMap<String, Row> = BTreeMap::new();
    for target in &guests {
        for name in &target.mutants {
            let row = expected.entry(name.clone()).or_insert_with(|| Row {
                guests: BTreeSet::new(),
                caught_by: BTreeSet::new(),
            });
            row.guests.insert(target.guest.clone());
        }
    }
    for source in &sources {
        for name in source.scenario.mutants.keys() {
            let row = expected.get_mut(name);
            let row = row.unwrap_or_else(|| panic!("{}: no guest has {name}", source.id));
            row.caught_by.insert(source.id.clone());
        }
    }
    let manual = rows(&read(&tree, "doc/testing.md"), &all);
    for (name, row) in &expected {
        assert_eq!(manual.get(name), Some(row), "doc/testing.md: {name}");
    }
    let gone = manual.keys().filter(|name| !expected.contains_key(*name));
    assert_eq!(gone.collect::<Vec<_>>(), Vec::<&String>::new());
}
