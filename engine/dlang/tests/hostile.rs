//! Hostile texts: whatever they are, they compile to a valid program or are rejected.
//!
//! The compiler verifies its output, so a text that is wrongly accepted fails here, too. Where most
//! would be rejected at the first token, the number of those that are not is counted: those that
//! compile, or have an error other than a syntax error. `PROPTEST_CASES` sets the number of each
//! kind.

use crate::words;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use engine_dlang::{Kind, Settings, Tag, Text, compile};
use engine_testkit::tally::Property;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use words::{DECLARATIONS, OPERANDS, OPERATORS, TYPES, WORDS};

/// How far the compiler gets with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// It has a syntax error.
    Syntax,
    /// It has another error.
    Meaning,
    /// It compiles.
    Program,
}

/// Compiles it in either data model and as either kind of text; returns the best result.
fn offer(source: &str) -> Reach {
    let script = Kind::File {
        name: "hostile.d".into(),
    };
    let mut reach = Reach::Syntax;
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
        reach = reach.max(match compile(&[text], &settings) {
            Ok(_) => Reach::Program,
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains(error.tag.word()));
                assert!(!said.contains("compiler bug"), "{said}");
                match error.tag {
                    Tag::Syntax | Tag::Empty => Reach::Syntax,
                    _ => Reach::Meaning,
                }
            }
        });
    }
    reach
}

/// The texts of the test programs.
static PROGRAMS: LazyLock<Vec<String>> = LazyLock::new(programs);

/// Reads the texts of the test programs.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
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

/// A property of texts, with the percentages that must reach each stage.
fn hold(
    name: &'static str,
    accepted: u32,
    reach: Reach,
    texts: impl Strategy<Value = String>,
) -> Result<(), String> {
    let property = Property {
        file: file!(),
        name,
        accepted,
    };
    property.hold(texts, |source| Ok(offer(&source) >= reach))
}

#[test]
fn any_text() -> Result<(), String> {
    hold("any_text", 0, Reach::Program, any::<String>())
}

#[test]
fn any_words() -> Result<(), String> {
    let texts = vec(select(WORDS), 0..60).prop_map(|words| words.join(" "));
    hold("any_words", 1, Reach::Meaning, texts)
}

#[test]
fn any_words_in_a_clause() -> Result<(), String> {
    let texts = vec(select(WORDS), 0..20);
    let texts = texts.prop_map(|words| format!("BEGIN {{ {} }}", words.join(" ")));
    hold("any_words_in_a_clause", 1, Reach::Meaning, texts)
}

#[test]
fn statements_in_a_clause() -> Result<(), String> {
    let operand = || prop_oneof![8 => select(OPERANDS), 1 => select(WORDS)];
    let pair = (operand(), select(OPERATORS), operand());
    let statement = prop_oneof![
        2 => pair.prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
        1 => operand().prop_map(|operand| format!("trace({operand})")),
        1 => operand().prop_map(|operand| format!("@t[{operand}] = count()")),
    ];
    let texts = vec(statement, 1..4).prop_map(|statements| {
        let declarations = DECLARATIONS.join("\n");
        let statements = statements.join("; ");
        format!("{declarations}\nBEGIN {{ x = 1; p = (int *)arg0; {statements}; }}")
    });
    hold("statements_in_a_clause", 20, Reach::Program, texts)
}

#[test]
fn any_declarator() -> Result<(), String> {
    let texts =
        (select(TYPES), declarator(), any::<bool>()).prop_map(|(base, declarator, is_key)| {
            if is_key {
                format!(
                    "{base} x[{base} {}]; BEGIN {{ }}",
                    declarator.replace('x', "")
                )
            } else {
                format!("{base} {declarator}; BEGIN {{ trace(sizeof (x)); }}")
            }
        });
    hold("any_declarator", 10, Reach::Program, texts)
}

#[test]
fn programs_with_bytes_changed() -> Result<(), String> {
    let changes = vec((any::<Index>(), any::<u8>(), 0..3u8), 1..6);
    let texts = (any::<Index>(), changes).prop_map(|(which, changes)| {
        let mut bytes = which.get(&PROGRAMS).clone().into_bytes();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len().max(1));
            match how {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    hold("programs_with_bytes_changed", 15, Reach::Meaning, texts)
}

#[test]
fn programs_with_words_between() -> Result<(), String> {
    let changes = vec((any::<Index>(), select(WORDS)), 1..4);
    let texts = (any::<Index>(), changes).prop_map(|(which, changes)| {
        let mut source = which.get(&PROGRAMS).clone();
        for (at, word) in changes {
            let mut at = at.index(source.len() + 1);
            while !source.is_char_boundary(at) {
                at -= 1;
            }
            source.insert_str(at, &format!(" {word} "));
        }
        source
    });
    hold("programs_with_words_between", 15, Reach::Meaning, texts)
}

/// A declarator of `x`: functions of arrays of pointers to functions.
fn declarator() -> impl Strategy<Value = String> {
    Just("x".to_owned()).prop_recursive(4, 8, 1, |inner| {
        prop_oneof![
            3 => inner.clone().prop_map(|it| format!("*{it}")),
            2 => inner.clone().prop_map(|it| format!("({it})")),
            3 => inner.clone().prop_map(|it| format!("{it}[3]")),
            1 => inner.clone().prop_map(|it| format!("{it}[int, string]")),
            1 => inner.clone().prop_map(|it| format!("{it}()")),
            1 => inner.prop_map(|it| format!("{it}(int, char *)")),
        ]
    })
}

#[test]
fn expressions_compile() -> Result<(), String> {
    let property = Property {
        file: file!(),
        name: "expressions_compile",
        accepted: 95,
    };
    property.hold(expression(), |expression| {
        // Only a constant division by zero, or a lack of registers, may be rejected.
        let source = format!("BEGIN {{ x = 1; y = 2u; s = \"s\"; trace({expression}); }}");
        let text = Text {
            source,
            kind: Kind::File {
                name: "value.d".into(),
            },
            arguments: Vec::new(),
        };
        match compile(&[text], &Settings::default()) {
            Ok(_) => Ok(true),
            Err(error) => {
                let is_known = [Tag::DivZero, Tag::NoReg].contains(&error.tag);
                prop_assert!(is_known, "{error}");
                Ok(false)
            }
        }
    })
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
    let members: String = (0..20_000).map(|n| format!("char m{n}; ")).collect();
    offer(&format!("struct s {{ {members} }}; BEGIN {{ }}"));
    let long = format!("inline string L = \"{}\";", "l".repeat(200_000));
    for use_ in [
        "x = L;",
        "trace(strjoin(L, L));",
        "printf(L);",
        "@[L] = count();",
    ] {
        offer(&format!("{long} BEGIN {{ {} }}", use_.repeat(2_000)));
    }
    let chain: String = (1..20_000)
        .map(|n| format!("typedef t{} *t{n}; ", n - 1))
        .collect();
    offer(&format!("typedef int t0; {chain} BEGIN {{ }}"));
}
