//! `doc/d.md` documents everything that a program, or an error message, can name.

use engine_abi::{AggregateFunction, Fault};
use engine_dlang::Tag;
use engine_dvm::{Builtin, Subroutine};

const PAGE: &str = include_str!("../../../doc/d.md");

#[track_caller]
fn all_are_told(names: impl Iterator<Item = &'static str>, told: impl Fn(&str) -> Vec<String>) {
    let untold = names.filter(|name| !told(name).iter().any(|it| PAGE.contains(it)));
    assert_eq!(untold.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn error_tags_are_told() {
    let row = |tag: &str| vec![format!("| `{tag}` | ")];
    all_are_told(Tag::ALL.iter().map(|it| it.word()), row);
}

#[test]
fn faults_are_told() {
    let faults = Fault::ALL.iter().map(|it| it.sentence());
    all_are_told(faults, |sentence| vec![format!(" | {sentence} |\n")]);
}

#[test]
fn built_in_variables_are_told() {
    let builtins = Builtin::ALL.iter().filter(|it| **it != Builtin::Arg);
    let name = |name: &str| vec![format!("`{name}`"), format!("`{name}[N]`")];
    all_are_told(builtins.map(|it| it.word()), name);
}

#[test]
fn functions_are_told() {
    let subroutines = Subroutine::ALL.iter().map(|it| it.word());
    let aggregating = AggregateFunction::ALL.iter().map(|it| it.word());
    let name = |name: &str| vec![format!("`{name}`"), format!("`{name}(")];
    all_are_told(subroutines.chain(aggregating), name);
}
