//! What a program has made that is not in its path: processes, and a program that it executed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::file::record::Kind;

/// Counts it.
#[derive(Debug, Default)]
pub struct Unrecorded {
    /// How much more often a process or thread with this ID was made than one began.
    made: FxHashMap<u32, i64>,
    /// Threads that have nothing behind executing a program.
    executing: FxHashSet<u32>,
}

impl Unrecorded {
    /// Something happened to a thread.
    pub fn mark(&mut self, thread: u32, mark: &Kind) {
        self.goes_on(thread);
        match *mark {
            Kind::Clone { child, .. } => *self.made.entry(child).or_default() += 1,
            Kind::Start { id, .. } => *self.made.entry(id).or_default() -= 1,
            Kind::Exec { .. } => drop(self.executing.insert(thread)),
            _ => {}
        }
    }

    /// A thread makes decisions.
    pub fn goes_on(&mut self, thread: u32) {
        self.executing.remove(&thread);
    }

    /// Whether there is nothing of a process or thread that was made.
    pub fn has(&self, child: u32) -> bool {
        self.made.get(&child).is_some_and(|count| *count > 0)
    }

    /// In words, if there is anything.
    pub fn told(&self) -> Vec<String> {
        let processes: i64 = self.made.values().filter(|count| **count > 0).sum();
        let processes = match processes {
            0 => None,
            1 => Some("a process that it made".to_owned()),
            count => Some(format!("{count} processes that it made")),
        };
        let is_executing = !self.executing.is_empty();
        let program = is_executing.then(|| "the program that it executed".to_owned());
        processes.into_iter().chain(program).collect()
    }
}
