//! How each call is made: a row for each, in the words that `words.rs` explains, by subject.

mod files;
mod gone;
mod ipc;
mod memory;
mod paths;
mod processes;
mod scheduling;
mod signals;
mod sockets;
mod system;
mod time;
mod users;
mod waiting;

/// One call.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Arguments to make it with, each list of them behind a semicolon.
    pub lines: &'static str,
    /// What else may be made of them.
    pub scope: Scope,
}

/// What else may be made of a call's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Anything: invalid arguments in place of valid ones, and any by chance.
    All,
    /// Invalid ones, but none by chance, and why.
    NoChance(&'static str),
    /// Nothing, and why.
    Exactly(&'static str),
}

const fn any(name: &'static str, lines: &'static str) -> Row {
    let scope = Scope::All;
    Row { name, lines, scope }
}

const fn calm(name: &'static str, lines: &'static str, why: &'static str) -> Row {
    let scope = Scope::NoChance(why);
    Row { name, lines, scope }
}

const fn only(name: &'static str, lines: &'static str, why: &'static str) -> Row {
    let scope = Scope::Exactly(why);
    Row { name, lines, scope }
}

const SUBJECTS: [&[Row]; 13] = [
    files::ROWS,
    gone::ROWS,
    ipc::ROWS,
    memory::ROWS,
    paths::ROWS,
    processes::ROWS,
    scheduling::ROWS,
    signals::ROWS,
    sockets::ROWS,
    system::ROWS,
    time::ROWS,
    users::ROWS,
    waiting::ROWS,
];

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Row> {
    SUBJECTS.into_iter().flatten()
}

/// The row of this call.
pub fn of(name: &str) -> Option<&'static Row> {
    all().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_call_has_two_rows() {
        let mut seen = HashSet::new();
        let twice = all().filter(|row| !seen.insert(row.name));
        assert_eq!(twice.map(|row| row.name).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn rows_that_are_held_back_say_why() {
        let silent = all().filter(
            |row| matches!(row.scope, Scope::NoChance(why) | Scope::Exactly(why) if why.is_empty()),
        );
        assert_eq!(silent.count(), 0);
    }
}
