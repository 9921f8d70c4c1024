//! Texts that nobody would write: whatever they are, they compile to a valid program or are refused.
//!
//! In a build with debug assertions, the compiler verifies what it makes, so a text that is accepted
//! wrongly fails here, too. `PROPTEST_CASES` says how many of each there are.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use engine_dlang::{Kind, Settings, Text, compile};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Compiles it, in either data model and as either kind of text; how often it compiled.
fn offer(source: &str) -> usize {
    let script = Kind::File {
        name: "hostile.d".into(),
    };
    let mut compiled = 0;
    for (kind, pointer) in [(Kind::Specifier, 8), (script, 4)] {
        let text = Text {
            source: source.to_owned(),
            kind,
            arguments: vec!["hostile".into(), "1".into()],
        };
        let settings = Settings {
            pointer,
            error_tags: true,
            unreferenced_arguments: true,
            ..Settings::default()
        };
        match compile(&[text], &settings) {
            Ok(_) => compiled += 1,
            Err(error) => assert!(error.to_string().contains(error.tag.word())),
        }
    }
    compiled
}

/// The words that programs are made of.
const WORDS: &[&str] = &[
    "BEGIN",
    "END",
    "fbt:::entry",
    "{",
    "}",
    "/",
    ";",
    ";",
    ",",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "@",
    "@a",
    "@a[1] = ",
    "= count()",
    "= sum(1)",
    "= quantize(x)",
    "x",
    "y",
    "self->x",
    "this->x",
    "a[1]",
    "x = 1;",
    "s = \"a\";",
    "p = (int *)arg0;",
    "+",
    "-",
    "*",
    "%",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "==",
    "!=",
    "<",
    "<=",
    "&&",
    "||",
    "^^",
    "!",
    "~",
    "?",
    ":",
    "=",
    "+=",
    "-=",
    "<<=",
    "++",
    "--",
    "->",
    ".",
    "...",
    "0",
    "1",
    "0x7fffffff",
    "18446744073709551615u",
    "'a'",
    "\"s\"",
    "int",
    "char",
    "unsigned",
    "long",
    "string",
    "void",
    "self",
    "this",
    "struct",
    "typedef",
    "inline",
    "sizeof",
    "stringof",
    "offsetof",
    "xlate",
    "(int)",
    "(char *)",
    "(string)",
    "trace(",
    "printf(\"%d %s\",",
    "printa(@a);",
    "exit(0);",
    "stack()",
    "strlen(",
    "strjoin(",
    "alloca(8)",
    "copyinstr(arg0)",
    "speculate(1);",
    "commit(1);",
    "clear(@a);",
    "trunc(@a, 1);",
    "pid",
    "execname",
    "args[0]",
    "uregs[1]",
    "NULL",
    "$1",
    "$$1",
    "$pid",
    "#pragma D option strsize=8\n",
    "\n",
    "/* */",
    "`",
    "if",
    "x[",
    "int x;",
    "int a[3];",
    "int b[int, string];",
];

/// The programs beside this.
static PROGRAMS: LazyLock<Vec<String>> = LazyLock::new(programs);

/// The texts of the programs that tests have.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = |path: &Path| fs::read_dir(path).expect("it is a directory");
    let topics = entries(&root).map(|topic| topic.expect("it can be read").path());
    let files = topics.flat_map(|topic| entries(&topic));
    let files = files.map(|file| file.expect("it can be read").path());
    let programs = files.filter(|file| file.extension().is_some_and(|it| it == "d"));
    let mut programs: Vec<_> = programs.collect();
    programs.sort();
    let texts = programs.iter().map(fs::read_to_string);
    texts.map(|text| text.expect("it can be read")).collect()
}

proptest! {
    #[test]
    fn any_text(source in any::<String>()) {
        offer(&source);
    }

    #[test]
    fn any_words(words in vec(select(WORDS), 0..60)) {
        offer(&words.join(" "));
    }

    #[test]
    fn any_words_in_a_clause(words in vec(select(WORDS), 0..20)) {
        offer(&format!("BEGIN {{ {} }}", words.join(" ")));
    }

    #[test]
    fn programs_with_bytes_changed(
        which in any::<Index>(),
        changes in vec((any::<Index>(), any::<u8>(), 0..3u8), 1..6),
    ) {
        let mut bytes = which.get(&PROGRAMS).clone().into_bytes();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len().max(1));
            match how {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        offer(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn programs_with_words_between(
        which in any::<Index>(),
        changes in vec((any::<Index>(), select(WORDS)), 1..4),
    ) {
        let mut source = which.get(&PROGRAMS).clone();
        for (at, word) in changes {
            let mut at = at.index(source.len() + 1);
            while !source.is_char_boundary(at) {
                at -= 1;
            }
            source.insert_str(at, &format!(" {word} "));
        }
        offer(&source);
    }

    #[test]
    fn expressions_compile(expression in expression()) {
        // A division by zero that can be seen, and too few registers, are all that is refused.
        let source = format!("BEGIN {{ x = 1; y = 2u; s = \"s\"; trace({expression}); }}");
        let script = Kind::File { name: "value.d".into() };
        let text = Text { source, kind: script, arguments: Vec::new() };
        if let Err(error) = compile(&[text], &Settings::default()) {
            prop_assert!(["D_DIV_ZERO", "D_NOREG"].contains(&error.tag.word()), "{error}");
        }
    }
}

/// An expression of integers.
fn expression() -> impl Strategy<Value = String> {
    let leaf = select(
        &[
            "0",
            "1",
            "x",
            "y",
            "pid",
            "arg0",
            "'c'",
            "7ull",
            "strlen(s)",
        ][..],
    );
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(6, 64, 3, |inner| {
        let binary = select(
            &[
                "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "<", "&&", "||", "^^",
                ",",
            ][..],
        );
        let cast = select(&["-", "~", "!", "(char)", "(unsigned short)", "(long long)"][..]);
        prop_oneof![
            (inner.clone(), binary, inner.clone()).prop_map(|(l, o, r)| format!("({l} {o} {r})")),
            (cast, inner.clone()).prop_map(|(cast, operand)| format!("{cast} {operand}")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(c, one, other)| format!("({c} ? {one} : {other})")),
            inner.clone().prop_map(|value| format!("(x = {value})")),
            inner.prop_map(|value| format!("(y += {value})")),
        ]
    })
}

#[test]
fn deep_and_long_texts_are_refused_or_compile() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("-", "pid", ""),
        ("!(", "pid", ")"),
        ("(int)", "pid", ""),
        ("pid ? ", "1", " : 2"),
        ("pid ? 1 : ", "2", ""),
        ("pid + ", "1", ""),
        ("pid = ", "1", ""),
        ("strlen(strjoin(", "\"a\"", ", \"b\"))"),
        ("a[", "1", "]"),
        ("*", "arg0", ""),
        ("sizeof ", "pid", ""),
        ("pid, ", "1", ""),
        ("1 + ", "1", ""),
        ("x++ + ", "1", ""),
    ] {
        for count in [1, 10, 100, 1000, 20_000] {
            let expression = format!("{}{middle}{}", open.repeat(count), close.repeat(count));
            offer(&format!("BEGIN {{ x = {expression}; }}"));
        }
    }
    for many in ["int x; ", "BEGIN { } ", "typedef int *t; ", "BEGIN, "] {
        offer(&format!("{} BEGIN {{ }}", many.repeat(20_000)));
    }
    offer(&format!("BEGIN {{ {} }}", "x = pid; ".repeat(20_000)));
    offer(&format!("int {}x; BEGIN {{ }}", "*".repeat(20_000)));
    offer(&format!("int x{}; BEGIN {{ }}", "[1]".repeat(20_000)));
    offer(&format!(
        "int {}x{}; BEGIN {{ }}",
        "(".repeat(20_000),
        ")".repeat(20_000)
    ));
    let chain: String = (1..20_000)
        .map(|n| format!("typedef t{} *t{n}; ", n - 1))
        .collect();
    offer(&format!("typedef int t0; {chain} BEGIN {{ }}"));
}
