//! Values of expressions: each line of `values/*.txt` is an expression and its value in either data
//! model, or first with 4-byte and then with 8-byte pointers.

mod machine;
#[cfg(trapline_mutants)]
mod mutants;

use std::fs;
use std::path::Path;

use engine_dlang::program::{Action, Field, FieldType};
use engine_dlang::{Kind, Settings, Text, compile};
use libtest_mimic::{Arguments, Failed, Trial};
use machine::Machine;

fn main() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/values");
    let mut trials = Vec::new();
    for file in fs::read_dir(directory).expect("the directory is there") {
        let file = file.expect("it can be read").path();
        let topic = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&file).expect("it can be read");
        for line in text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        {
            let (expression, values) = line.split_once("=>").expect("it has a value");
            let (expression, values) = (expression.trim().to_owned(), values.trim().to_owned());
            trials.push(Trial::test(format!("{topic}: {expression}"), move || {
                check(&expression, &values)
            }));
        }
    }
    #[cfg(trapline_mutants)]
    trials.extend(mutants::trials(&MUTANTS));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Seeded defects, with the effect of each and the expressions that detect it.
#[cfg(trapline_mutants)]
const MUTANTS: [mutants::Row; 12] = [
    (
        "address-signed",
        "an address of 32 bits is sign-extended",
        "pointers:",
    ),
    ("and-binds-closer", "& binds closer than ==", "arithmetic:"),
    ("and-is-or", "&& decides as || does", "logic:"),
    (
        "compared-unsigned",
        "signed numbers are compared as unsigned ones",
        "logic:",
    ),
    (
        "first-key-only",
        "of a key, only the first part is looked up",
        "variables:",
    ),
    (
        "not-narrowed",
        "a result is not cut to its type",
        "arithmetic:",
    ),
    (
        "other-forgotten",
        "of a conditional, only the first value is emitted",
        "arithmetic:",
    ),
    (
        "right-first",
        "operators group from the right",
        "arithmetic:",
    ),
    (
        "shift-signed",
        "an unsigned shift to the right brings the sign",
        "arithmetic:",
    ),
    ("sign-lost", "an int is extended with zeros", "arithmetic:"),
    ("unscaled", "a pointer moves by bytes", "variables:"),
    (
        "unset-is-null",
        "an array in an element that was never set is no array",
        "variables:",
    ),
];

fn check(expression: &str, values: &str) -> Result<(), Failed> {
    let (narrow, wide) = values.split_once(" | ").unwrap_or((values, values));
    for (pointer, expected) in [(4, narrow), (8, wide)] {
        let found = evaluate(expression, pointer);
        if found != expected {
            let bits = 8 * pointer;
            return Err(format!("{bits} bits: {found} instead of {expected}").into());
        }
    }
    Ok(())
}

/// The value of an expression, after declarations that end with `}}` and statements.
fn evaluate(expression: &str, pointer: u32) -> String {
    let (declarations, expression) = expression.split_once("}}").unwrap_or(("", expression));
    let (before, last) = expression.rsplit_once(';').unwrap_or(("", expression));
    let text = Text {
        source: format!("{declarations} tick-1s {{ {before}; trace({last}); }}"),
        kind: Kind::File {
            name: "value".into(),
        },
        arguments: Vec::new(),
    };
    let settings = Settings {
        pointer,
        constants: (0..)
            .zip(["R_PC", "R_SP", "R_FP", "R_RETVAL"])
            .map(|(value, name)| (name.to_owned(), value))
            .collect(),
        ..Settings::default()
    };
    let program = match compile(&[text], &settings) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let mut machine = Machine::default();
    if let Err(failure) = machine.run(&program.block, 0) {
        return format!("fault: {}", failure.fault.sentence());
    }
    match (&program.clauses[0].actions[..], machine.record) {
        ([Action::Trace(field)], Some(record)) => printed(*field, &record),
        other => panic!("one value was traced, not {other:?}"),
    }
}

fn printed(field: Field, record: &[u8]) -> String {
    let bytes = &record[field.offset as usize..][..field.size as usize];
    match field.kind {
        FieldType::Signed => {
            let mut wide = [if bytes[bytes.len() - 1] < 0x80 {
                0
            } else {
                0xff
            }; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            i64::from_le_bytes(wide).to_string()
        }
        FieldType::Unsigned => {
            let mut wide = [0; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            format!("{}u", u64::from_le_bytes(wide))
        }
        FieldType::Text => {
            let end = bytes
                .iter()
                .position(|byte| *byte == 0)
                .unwrap_or(bytes.len());
            format!("{:?}", String::from_utf8_lossy(&bytes[..end]))
        }
        _ => format!("{bytes:?}"),
    }
}
