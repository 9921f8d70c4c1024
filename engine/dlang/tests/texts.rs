//! Several texts on one command line: one program, in which each has its own clause-local variables
//! and line numbers.

use engine_dlang::program::{Action, Program};
use engine_dlang::{Error, Kind, Settings, Text, compile};

fn compiled(sources: &[&str]) -> Result<Program, Error> {
    let texts = sources.iter().enumerate().map(|(number, source)| Text {
        source: (*source).to_owned(),
        kind: Kind::File {
            name: format!("{number}.d"),
        },
        arguments: vec![format!("{number}.d"), format!("{}", 10 + number)],
    });
    let texts: Vec<_> = texts.collect();
    let settings = Settings {
        unreferenced_arguments: true,
        ..Settings::default()
    };
    compile(&texts, &settings)
}

fn refused(sources: &[&str]) -> String {
    let error = compiled(sources).expect_err("it is no program");
    error.to_string()
}

#[test]
fn clauses_know_their_text() {
    let program = compiled(&["BEGIN { }\nEND { }", "\nERROR { }"]).expect("it is a program");
    let places: Vec<_> = program
        .clauses
        .iter()
        .map(|it| (it.text, it.line))
        .collect();
    assert_eq!(places, [(0, 1), (0, 2), (1, 2)]);
}

#[test]
fn variables_and_aggregations_are_those_of_all_texts() {
    let program = compiled(&[
        "BEGIN { x = \"a\"; self->x = 1; @x = count(); }",
        "END { trace(strlen(x) + self->x); printa(@x); }",
    ]);
    assert_eq!(program.expect("it is a program").aggregations.len(), 1);
    assert_eq!(
        refused(&["BEGIN { x = 1; }", "END\n{ x = \"a\"; }"]),
        "failed to compile script 1.d: line 2: operands have incompatible types: \"int\" = \
         \"string\""
    );
}

#[test]
fn clause_local_variables_are_each_texts_own() {
    assert!(compiled(&["BEGIN { this->x = 1; }", "BEGIN { this->x = \"a\"; }"]).is_ok());
    assert_eq!(
        refused(&["BEGIN { this->x = 1; }", "BEGIN { trace(this->x); }"]),
        "failed to compile script 1.d: line 1: this->x has not yet been declared or assigned"
    );
}

#[test]
fn macro_arguments_are_each_texts_own() {
    assert!(compiled(&["BEGIN { trace($1); }", "BEGIN { trace($1 == 11); }"]).is_ok());
    assert_eq!(
        refused(&["BEGIN { trace($1); }", "BEGIN { trace($2); }"]),
        "failed to compile script 1.d: line 1: macro argument $2 is not defined"
    );
}

#[test]
fn options_are_those_of_all_texts_in_order() {
    let program = compiled(&[
        "#pragma D option strsize=16\nBEGIN { }",
        "#pragma D option strsize=32\nBEGIN { trace(execname); }",
    ]);
    let program = program.expect("it is a program");
    let values = program.options.iter().map(|it| it.value.as_deref());
    assert_eq!(values.collect::<Vec<_>>(), [Some("16"), Some("32")]);
    let Action::Trace(name) = &program.clauses[1].actions[0] else {
        panic!("{:?} traces nothing", program.clauses[1].actions);
    };
    assert_eq!(name.size, 33);
}
