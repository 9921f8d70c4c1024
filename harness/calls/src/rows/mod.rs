//! How each call is made: a row per call, grouped by subject, in the language of [`crate::words`].
//!
//! Rows run as root in a sandbox (`cell`) but on the guest's one kernel, so a row must not harm
//! what is global: clocks, modules, swap, other processes, the kernel's log. A row that could
//! restricts its [`Scope`] and says why.

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

/// How to make one call.
#[derive(Debug)]
pub struct Row {
    /// The call's name.
    pub name: &'static str,
    /// Argument lists, separated by semicolons.
    pub lines: &'static str,
    /// Which further lists may be derived from them.
    pub scope: Scope,
}

/// Which argument lists may be derived from a row's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Both invalid and pseudo-random arguments.
    All,
    /// Invalid arguments but no pseudo-random ones, for this reason.
    NoRandom(&'static str),
    /// None, for this reason.
    Exactly(&'static str),
}

const fn any(name: &'static str, lines: &'static str) -> Row {
    let scope = Scope::All;
    Row { name, lines, scope }
}

const fn no_random(name: &'static str, lines: &'static str, why: &'static str) -> Row {
    let scope = Scope::NoRandom(why);
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

/// Every row.
pub fn all() -> impl Iterator<Item = &'static Row> {
    SUBJECTS.into_iter().flatten()
}

/// The row of a call.
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
    fn restricted_rows_give_a_reason() {
        let silent = all().filter(
            |row| matches!(row.scope, Scope::NoRandom(why) | Scope::Exactly(why) if why.is_empty()),
        );
        assert_eq!(silent.count(), 0);
    }
}
