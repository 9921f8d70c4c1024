//! Functions that can be called, and calls of them.

use super::chance::Chance;
use super::expression::Scope;

/// A function that can be called.
#[derive(Clone)]
pub struct Callee {
    /// Its place among the program's functions.
    pub index: usize,
    /// What it takes.
    pub form: Form,
    /// The instructions of a call, roughly.
    pub cost: u64,
}

/// What a function takes, and how it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A long number and a word.
    Plain,
    /// The same, and calls itself.
    Recursive,
    /// Numbers of all types, more than registers hold; returns a double.
    Many,
    /// Structures by value; returns a large one.
    Structures,
    /// A number of arguments, and those.
    Variadic,
}

/// A call of a function by its name, as a number.
pub fn call_of(scope: &Scope, chance: &mut Chance, callee: &Callee) -> String {
    let name = format!("{}{}", scope.program, callee.index);
    let mut word = || scope.word(chance, 1);
    match callee.form {
        Form::Plain | Form::Recursive => {
            let second = word();
            format!("{name}({}, {second})", scope.long(chance, 1))
        }
        Form::Many => {
            let [a, b, c, d, e] = [word(), word(), word(), word(), word()];
            let (long, double) = (scope.long(chance, 1), scope.double(chance));
            format!(
                "(u64)(i64){name}((u8)({a}), (i16)({b}), f0, {long}, {c}, {double}, (i32)({d}), q1, (u8)w1, d0, {e}, q0)"
            )
        }
        Form::Structures => {
            let [a, b, c] = [word(), word(), word()];
            let small = format!("(struct random_small){{{a}, (u16)({b}), (u8)w0}}");
            let pair = format!("(struct random_pair){{{}, d0}}", scope.long(chance, 1));
            let large = format!("(struct random_large){{{{q0, q1, {c}, 7}}, h0, f0, w1}}");
            format!("{name}({small}, {pair}, {large}).a[{}]", chance.below(4))
        }
        Form::Variadic => {
            let count = chance.from(1, 9);
            let arguments: String = (0..count)
                .map(|at| match at % 3 {
                    0 => format!(", (u64)({})", scope.long(chance, 1)),
                    1 => format!(", (u32)({})", scope.word(chance, 1)),
                    _ => ", d0".to_string(),
                })
                .collect();
            format!("{name}({count}{arguments})")
        }
    }
}

/// A call of a function of the C library for an array of so many elements. Compilers replace some
/// of these calls by instructions.
pub fn copy_of(scope: &Scope, chance: &mut Chance, name: &str, length: u64) -> String {
    let global = format!("{}global", scope.program);
    // The array's elements are at least bytes, the global's long.
    let size = length.min(128);
    let size = match chance.one_in(2) {
        true => size.to_string(),
        false => format!("({}) % {size}", scope.word(chance, 1)),
    };
    match chance.below(5) {
        0 => format!("memcpy({name}, {global}, {size});"),
        1 => format!("memmove((char *){name} + 1, {name}, {length} - 1);"),
        2 => format!("memset({name}, (u8)w0, {size});"),
        3 => format!("w1 += memcmp({name}, {global}, {size}) < 0;"),
        _ => format!("memcpy({global}, {name}, {size});"),
    }
}
