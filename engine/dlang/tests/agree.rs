//! Constant folding, the machine and D agree: an expression of constants has the same value as that
//! of variables with these values, and both agree with a model of D's integers on the host.

use crate::machine::Machine;
use crate::model::{self, KINDS, Model, Tree};
use engine_dlang::program::{Action, FieldType};
use engine_dlang::{Kind, Settings, Text, compile};
use engine_testkit::tally::Property;
use proptest::prelude::*;
use proptest::sample::select;

/// Constants of each type, including edge values.
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

/// The value that a program traces: whether it is signed, and its bytes. Otherwise the error's tag,
/// or the fault.
fn value(source: String, pointer: u32) -> Result<(bool, Vec<u8>), String> {
    let text = Text {
        source,
        kind: Kind::File {
            name: "value.d".into(),
        },
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
            Ok((field.kind == FieldType::Signed, bytes.to_vec()))
        }
        _ => panic!("one value is traced"),
    }
}

/// Whether a program was not rejected for what its expression does not show: the number of
/// registers it needs, and a constant division by zero.
fn is_told(value: &Result<(bool, Vec<u8>), String>) -> bool {
    !matches!(value, Err(tag) if tag == "D_NOREG" || tag == "D_DIV_ZERO")
}

/// An expression of `{0}`, `{1}` and so on.
fn expression() -> impl Strategy<Value = String> {
    let leaf = (0..CONSTANTS.len()).prop_map(|which| format!("{{{which}}}"));
    leaf.prop_recursive(4, 24, 3, |inner| {
        let unary = select(
            &["-", "~", "!", "+", "(char)", "(unsigned char)", "(short)", "(unsigned)", "(long)", "(unsigned long long)"][..],
        );
        prop_oneof![
            4 => (inner.clone(), select(BINARY), inner.clone()).prop_map(|(l, o, r)| format!("({l} {o} {r})")),
            2 => (unary, inner.clone()).prop_map(|(unary, operand)| format!("{unary} {operand}")),
            1 => (inner.clone(), inner.clone(), inner)
                .prop_map(|(c, one, other)| format!("({c} ? {one} : {other})")),
        ]
    })
}

const BINARY: &[&str] = &[
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&",
    "||", "^^",
];

#[test]
fn constants_and_variables_agree() -> Result<(), String> {
    let property = Property {
        file: file!(),
        name: "constants_and_variables_agree",
        accepted: 90,
    };
    property.hold(expression(), |expression| {
        let mut constants = expression.clone();
        let mut variables = expression;
        let mut assignments = String::new();
        for (number, constant) in CONSTANTS.iter().enumerate() {
            let place = format!("{{{number}}}");
            constants = constants.replace(&place, constant);
            variables = variables.replace(&place, &format!("v{number}"));
            assignments += &format!("v{number} = {constant}; ");
        }
        let mut are_told = true;
        for pointer in [4, 8] {
            let folded = value(format!("BEGIN {{ trace({constants}); }}"), pointer);
            let run = value(
                format!("BEGIN {{ {assignments} trace({variables}); }}"),
                pointer,
            );
            let is_decided = is_told(&folded) && is_told(&run);
            prop_assert!(
                !is_decided || folded == run,
                "{constants}: {folded:?}, {run:?}"
            );
            are_told &= is_decided;
        }
        Ok(are_told)
    })
}

/// Expressions of numbers of every type.
fn tree() -> impl Strategy<Value = Tree> {
    let bits = prop_oneof![
        any::<u64>(),
        select(&[0, 1, 2, 7, 31, 32, 63, 64, 0xff, 1 << 31, 1 << 63][..]),
        Just(u64::MAX),
        (0..64_u32).prop_map(|bit| 1 << bit),
        (0..64_u32).prop_map(|bit| u64::MAX << bit),
    ];
    let leaf = (select(&KINDS[..]), bits, any::<bool>());
    let leaf = leaf.prop_map(|(kind, bits, is_constant)| Tree::Leaf(kind, bits, is_constant));
    leaf.prop_recursive(5, 24, 3, |inner| {
        let unary = (select(&["-", "~", "!", "+"][..]), inner.clone());
        let cast = (select(&KINDS[..]), inner.clone());
        let binary = (select(BINARY), [inner.clone(), inner.clone()]);
        let parts = [inner.clone(), inner.clone(), inner];
        prop_oneof![
            6 => binary.prop_map(|(operator, operands)| Tree::Binary(operator, operands.into())),
            1 => unary.prop_map(|(operator, operand)| Tree::Unary(operator, operand.into())),
            2 => cast.prop_map(|(kind, operand)| Tree::Cast(kind, operand.into())),
            2 => parts.prop_map(|parts| Tree::Conditional(parts.into())),
        ]
    })
}

/// Source text under construction.
#[derive(Default)]
struct Source {
    declarations: String,
    assignments: String,
    variables: usize,
}

impl Source {
    /// Adds a variable with a value.
    fn variable(&mut self, kind: &str, bits: u64) -> String {
        let name = format!("v{}", self.variables);
        self.variables += 1;
        self.declarations += &format!("{kind} {name};\n");
        self.assignments += &format!("{name} = {bits}ull; ");
        name
    }

    fn expression(&mut self, tree: &Tree) -> String {
        match tree {
            Tree::Leaf(kind, bits, true) => format!("(({}){bits}ull)", kind.name),
            Tree::Leaf(kind, bits, false) => self.variable(kind.name, *bits),
            Tree::Cast(kind, operand) => format!("(({}){})", kind.name, self.expression(operand)),
            Tree::Unary(operator, operand) => format!("({operator} {})", self.expression(operand)),
            Tree::Binary(operator, operands) => {
                let [left, right] = operands.each_ref().map(|it| self.expression(it));
                format!("({left} {operator} {right})")
            }
            Tree::Conditional(parts) => {
                let [condition, one, other] = parts.each_ref().map(|it| self.expression(it));
                format!("({condition} ? {one} : {other})")
            }
        }
    }

    fn program(&self, statement: &str) -> String {
        format!(
            "{}BEGIN {{ {} {statement} }}",
            self.declarations, self.assignments
        )
    }
}

/// Whether the result is the model's, unless the program was rejected.
fn is_as_expected(
    source: &str,
    model: Model,
    expected: Option<model::Number>,
) -> Result<bool, TestCaseError> {
    let found = value(source.to_owned(), model.0);
    if !is_told(&found) {
        return Ok(false);
    }
    let expected = expected.map(|number| model.bytes(number));
    let expected = expected.ok_or_else(|| "divide-by-zero".to_owned());
    prop_assert_eq!(found, expected, "{} bytes: {}", model.0, source);
    Ok(true)
}

#[test]
fn expressions_have_the_types_and_values_of_d() -> Result<(), String> {
    let property = Property {
        file: file!(),
        name: "expressions_have_the_types_and_values_of_d",
        accepted: 90,
    };
    property.hold(tree(), |tree| {
        let mut source = Source::default();
        let expression = source.expression(&tree);
        let source = source.program(&format!("trace({expression});"));
        let narrow = is_as_expected(&source, Model(4), Model(4).evaluate(&tree))?;
        let wide = is_as_expected(&source, Model(8), Model(8).evaluate(&tree))?;
        Ok(narrow && wide)
    })
}

#[test]
fn assignments_have_the_types_and_values_of_d() -> Result<(), String> {
    let property = Property {
        file: file!(),
        name: "assignments_have_the_types_and_values_of_d",
        accepted: 90,
    };
    let operator = select(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"][..]);
    let place = (select(&KINDS[..]), any::<u64>());
    property.hold(
        (operator, place, tree()),
        |(operator, (kind, bits), tree)| {
            let mut source = Source::default();
            let expression = source.expression(&tree);
            let place = source.variable(kind.name, bits);
            let source = source.program(&format!(
                "{place} {operator}= {expression}; trace({place});"
            ));
            let mut are_told = true;
            for model in [Model(4), Model(8)] {
                let old = model.number(kind, bits);
                let new = model.evaluate(&tree);
                let new = new.and_then(|value| model.update(operator, old, value));
                are_told &= is_as_expected(&source, model, new)?;
            }
            Ok(are_told)
        },
    )
}
