//! What of a program is not in its path: processes that it made, a program that it executed, and what threads did
//! that could not be recorded any more.

use rustc_hash::{FxHashMap, FxHashSet};

use super::file::record::Kind;

/// Counts it.
#[derive(Debug, Default)]
pub struct Unrecorded {
    /// How much more often a process or thread with this ID was made than one began.
    made: FxHashMap<u32, i64>,
    /// Threads that have nothing behind executing a program.
    executing: FxHashSet<u32>,
    /// Threads that were recorded in part.
    left: u64,
}

impl Unrecorded {
    /// Something happened to a thread.
    pub fn mark(&mut self, thread: u32, mark: &Kind) {
        self.goes_on(thread);
        match *mark {
            Kind::Clone { child, .. } => *self.made.entry(child).or_default() += 1,
            Kind::Start { id, .. } => *self.made.entry(id).or_default() -= 1,
            Kind::Left { .. } => self.left += 1,
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
        let threads = match self.left {
            0 => None,
            1 => Some("the rest of a thread".to_owned()),
            count => Some(format!("the rest of {count} threads")),
        };
        let is_executing = !self.executing.is_empty();
        let program = is_executing.then(|| "the program that it executed".to_owned());
        let all = processes.into_iter().chain(program);
        all.chain(threads).collect()
    }
}
