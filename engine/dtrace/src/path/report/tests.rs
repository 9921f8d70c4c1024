use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use super::symbols::Symbols;
use super::*;
use crate::path::tests::kit::{Events, file_of};

/// What is written.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The report of a program that calls 0x2000, with a loop there, three times.
fn text_of(what: &Report) -> String {
    let mut events = Events::start(0x1000)
        .text(1, 1, 0x1000, &[0xe8, 0xfb, 0x0f, 0, 0])
        .text(2, 1, 0x2000, &[0x90, 0x74, 0xfd, 0xc3])
        .text(3, 1, 0x1005, &[0xe2, 0xf9, 0x0f, 0x05]);
    for round in 0..3 {
        events = events.taken().not_taken().target(0x1005);
        events.push_decision(round < 2);
    }
    let (file, recorded) = file_of(&[(0, events.end(0x1007).bytes())]);
    assert_eq!(recorded.faults, []);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("path");
    std::fs::write(&path, file).unwrap();
    let written = Written::default();
    let mut output = Output::new("test".into(), Box::new(written.clone()));
    assert_eq!(report(&path, what, &mut output).unwrap(), 0);
    let bytes = written.0.borrow().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_summary() {
    let text = text_of(&Report::Summary);
    for line in [
        "command       prog",
        "threads       1",
        "instructions  22",
        "branches      9 (55.6% taken)",
        "indirect      3 (100.0% predicted)",
        "thread 0      ends at 0x1007",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
}

#[test]
fn branches() {
    let text = text_of(&Report::Branches);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|it| it.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows,
        [
            ["2", "1", "0x1005", "->", "0x1000"],
            ["3", "3", "0x2001", "->", "0x2000"],
        ]
    );
}

#[test]
fn instructions() {
    let text = text_of(&Report::Instructions(None));
    assert!(
        text.contains("             6             2001  je short 0000000000002000h"),
        "{text}"
    );
    assert!(
        text.contains("             3             2003  ret"),
        "{text}"
    );
    assert_eq!(text_of(&Report::Instructions(Some("main".into()))), "");
}

#[test]
fn a_part_of_the_path() {
    let [from, to] = ["0x1005#2", "0x2003"].map(|point| Some(point.parse().unwrap()));
    let text = text_of(&Report::Path { from, to });
    let addresses: Vec<&str> = text
        .lines()
        .filter_map(|it| it.split_whitespace().nth(1))
        .collect();
    assert_eq!(addresses, ["1005", "1000", "2000", "2000"]);
    assert!("#2".parse::<Point>().is_err() && "0x#2".parse::<Point>().is_err());
    assert!("main#0".parse::<Point>().is_err());
}

#[test]
fn objects_of_json() {
    let text = text_of(&Report::Json);
    let mut lines = text
        .lines()
        .map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap());
    assert_eq!(lines.next().unwrap()["command"][0], "prog");
    let instructions = lines.filter_map(|it| it["instructions"].as_u64());
    assert_eq!(instructions.sum::<u64>(), 22);
}

#[test]
fn a_picture() {
    let text = text_of(&Report::Picture);
    assert!(
        text.contains("all: 22 instructions, 0 of its own"),
        "{text}"
    );
    assert!(!text.contains("<script") && text.ends_with("</svg></body></html>\n"));
}

#[test]
fn functions_of_this_program_have_names() {
    let path = std::env::current_exe().unwrap();
    let data = std::fs::read(&path).unwrap();
    let (_, functions) = engine_objects::Functions::of_bytes(&data).unwrap();
    let text = functions.iter().find(|it| it.name() == "main").unwrap();
    // The linker gives text addresses that differ from its offsets by whole pages.
    let mut symbols = Symbols::default();
    let (offset, address) = symbols::tests_segment(&data, text.address);
    symbols.map(crate::path::file::record::Map {
        start: 0x5000_0000,
        end: 0x6000_0000,
        offset,
        changes: false,
        name: path.to_str().unwrap().as_bytes().to_vec(),
    });
    let at = 0x5000_0000 + (text.address - address);
    let function = symbols.function(at + 1);
    assert!(function.is_called("main"), "{function:?}");
    assert!(function.at(at + 1).ends_with("`main+0x1"));
    assert_eq!(function.start, at);
}
