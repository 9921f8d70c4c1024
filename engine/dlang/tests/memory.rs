//! The memory of a compilation is linear in its texts: a long string that is used often is stored
//! once.

use std::fs;

use engine_dlang::{Kind, Settings, Text, compile};

/// Size of a long text in bytes.
const LONG: usize = 200_000;

/// The limit on the memory of all the compilations, in bytes.
const ROOM: usize = 64 << 20;

/// This process's peak memory, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("it can be read");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|it| it.trim().strip_suffix(" kB"));
    let kibibytes = kibibytes.and_then(|it| it.parse::<usize>().ok());
    kibibytes.expect("it is a number") << 10
}

/// Compiles a text with one macro argument.
fn compiled(source: String, argument: String) {
    let text = Text {
        source,
        kind: Kind::File {
            name: "long.d".into(),
        },
        arguments: vec!["long.d".into(), argument],
    };
    let settings = Settings {
        unreferenced_arguments: true,
        ..Settings::default()
    };
    compile(&[text], &settings).expect("it is a program");
}

/// Clauses that repeat a statement.
fn clauses(statement: &str, count: usize) -> String {
    let clause = format!("BEGIN {{ {} }}\n", statement.repeat(1000.min(count)));
    clause.repeat(count.div_ceil(1000))
}

#[test]
fn a_long_text_is_there_once() {
    let text = "text ".repeat(LONG / 5);
    let before = peak();
    let inline = format!("inline string LONG = \"{text}\";\n");
    compiled(
        inline.clone() + &clauses("x = LONG;", 20_000),
        String::new(),
    );
    compiled(
        inline.clone() + &clauses("y = strlen(LONG);", 20_000),
        String::new(),
    );
    compiled(inline + &clauses("printf(LONG);", 20_000), String::new());
    compiled(clauses("x = $$1;", 20_000), text.clone());
    compiled(clauses("x = $1;", 20_000), text);
    compiled(clauses("$1 = 1;", 500), "n".repeat(LONG));
    let taken = peak() - before;
    assert!(taken < ROOM, "{taken} bytes");
}
