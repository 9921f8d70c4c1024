//! What the compiler calculates and what the machine does is the same: an expression of constants, and
//! that of variables that have these values.

mod machine;

use engine_dlang::program::Action;
use engine_dlang::{Kind, Settings, Text, compile};
use machine::Machine;
use proptest::prelude::*;
use proptest::sample::select;

/// Constants, of each type and at the edges.
const CONSTANTS: [&str; 14] = [
    "0",
    "1",
    "7",
    "-1",
    "2147483647",
    "(-2147483647 - 1)",
    "4294967295u",
    "3u",
    "255l",
    "-3ll",
    "9223372036854775807ll",
    "18446744073709551615ull",
    "(char)-128",
    "(unsigned short)65535",
];

/// The value of an expression: its bytes and what they are.
fn value(source: &str, pointer: u32) -> Result<String, String> {
    let text = Text {
        source: source.to_owned(),
        kind: Kind::Specifier,
        arguments: Vec::new(),
    };
    let settings = Settings {
        pointer,
        ..Settings::default()
    };
    let program = compile(&[text], &settings).map_err(|error| error.tag.word().to_owned())?;
    let mut machine = Machine::default();
    let run = machine.run(&program.block, 0);
    run.map_err(|failure| failure.fault.sentence().to_owned())?;
    let record = machine.record.expect("it was opened");
    match program.clauses[0].actions[..] {
        [Action::Trace(field)] => {
            let bytes = &record[field.offset as usize..][..field.size as usize];
            Ok(format!("{:?} {bytes:?}", field.kind))
        }
        _ => panic!("one value is traced"),
    }
}

/// An expression of `{0}`, `{1}` and so on.
fn expression() -> impl Strategy<Value = String> {
    let leaf = (0..CONSTANTS.len()).prop_map(|which| format!("{{{which}}}"));
    leaf.prop_recursive(4, 24, 3, |inner| {
        let binary = select(
            &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "^^"][..],
        );
        let unary = select(
            &["-", "~", "!", "+", "(char)", "(unsigned char)", "(short)", "(unsigned)", "(long)", "(unsigned long long)"][..],
        );
        prop_oneof![
            4 => (inner.clone(), binary, inner.clone()).prop_map(|(l, o, r)| format!("({l} {o} {r})")),
            2 => (unary, inner.clone()).prop_map(|(unary, operand)| format!("{unary} {operand}")),
            1 => (inner.clone(), inner.clone(), inner)
                .prop_map(|(c, one, other)| format!("({c} ? {one} : {other})")),
        ]
    })
}

proptest! {
    #[test]
    fn constants_and_variables_agree(expression in expression()) {
        let mut constants = expression.clone();
        let mut variables = expression;
        let mut assignments = String::new();
        for (number, constant) in CONSTANTS.iter().enumerate() {
            let place = format!("{{{number}}}");
            constants = constants.replace(&place, constant);
            variables = variables.replace(&place, &format!("v{number}"));
            assignments += &format!("v{number} = {constant}; ");
        }
        for pointer in [4, 8] {
            let folded = value(&format!("BEGIN {{ trace({constants}); }}"), pointer);
            let run = value(&format!("BEGIN {{ {assignments} trace({variables}); }}"), pointer);
            match (folded, run) {
                (Err(tag), _) if tag == "D_DIV_ZERO" => {}
                (Ok(_), Err(fault)) if fault == "divide-by-zero" => {
                    prop_assert!(false, "{constants} divides by zero after all");
                }
                (_, Err(tag)) if tag == "D_NOREG" => {}
                (folded, run) => prop_assert_eq!(folded, run, "{}", constants),
            }
        }
    }
}
