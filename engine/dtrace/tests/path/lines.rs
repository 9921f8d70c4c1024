//! Source lines in reports.

use object::{Object, ObjectSection};

use super::*;

/// A program with debugging information, which has been recorded.
struct Recorded {
    folder: TempDir,
    program: PathBuf,
}

impl Recorded {
    fn new(options: &[&str]) -> Self {
        let folder = folder();
        let program = build(&folder, &source("path/lines.c"), options);
        run_recorded(&folder, &program);
        Self { folder, program }
    }

    fn report(&self, show: &str) -> String {
        report(&self.folder.path().join("path"), &["--show", show])
    }
}

/// How a report begins a line of the program's source.
fn line(number: u32) -> String {
    format!("{}:{number}", source("path/lines.c").display())
}

#[test]
fn reports_show_source_lines() {
    if !is_supported() {
        return;
    }
    for options in [["-g", "-O0"], ["-g", "-gz"]] {
        let recorded = Recorded::new(&options);
        let listing = recorded.report("instructions:twice");
        let wanted = format!("{}  return n + n;\n", line(7));
        let rows: Vec<&str> = listing.lines().collect();
        assert!(rows[0].ends_with("`twice:"), "{listing}");
        assert!(rows[1].trim_start().starts_with(&line(6)), "{listing}");
        assert!(listing.contains(&wanted), "{listing}");
        let functions = recorded.report("functions");
        let wanted = format!(" twice ({})", line(6));
        assert!(
            functions.lines().any(|it| it.ends_with(&wanted)),
            "{functions}"
        );
        let json = recorded.report("json");
        let mut values = json
            .lines()
            .map(|it| serde_json::from_str::<Value>(it).unwrap());
        let twice = values.find(|it| it["function"] == "twice").unwrap();
        assert_eq!(twice["line"], 6, "{twice}");
        assert_eq!(twice["file"], source("path/lines.c").to_str().unwrap());
    }
}

#[test]
fn a_report_needs_no_debugging_information() {
    if !is_supported() {
        return;
    }
    let recorded = Recorded::new(&["-O0"]);
    let before = recorded.report("instructions:twice");
    assert!(
        before.contains(" ret") && !before.contains(".c:"),
        "{before}"
    );
    assert!(!recorded.report("json").contains("\"line\""));
}

/// Sections of the program are overwritten, one after the other: what is reported has no lines, or others.
#[test]
fn damaged_debugging_information_is_no_error() {
    if !is_supported() {
        return;
    }
    let recorded = Recorded::new(&["-g", "-O0"]);
    let whole = fs::read(&recorded.program).unwrap();
    let file = object::File::parse(&*whole).unwrap();
    let sections = file
        .sections()
        .filter(|it| it.name().unwrap().starts_with(".debug_"));
    let mut count = 0;
    for (start, size) in sections.filter_map(|it| it.file_range()) {
        let place = start as usize..(start + size) as usize;
        for damage in [|_: usize| 0xff, |_| 0, |at| (at * 151) as u8] {
            let mut bytes = whole.clone();
            let section = bytes[place.clone()].iter_mut().enumerate();
            section.for_each(|(at, byte)| *byte = damage(at));
            fs::remove_file(&recorded.program).unwrap();
            fs::write(&recorded.program, bytes).unwrap();
            let listing = recorded.report("instructions:twice");
            assert!(listing.contains(" ret"), "{listing}");
        }
        count += 1;
    }
    assert!(count >= 5, "{count} sections");
}
