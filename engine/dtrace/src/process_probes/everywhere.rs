//! Processes that begin while probes of any process are traced, by executing a program or as children of
//! those with probes: the engine holds each before it runs, and again when its dynamic linker has mapped or
//! unmapped objects.
//!
//! Of such a process only the places of its objects are kept, since there can be many, and an object
//! keeps its file open.

use std::collections::{BTreeMap, BTreeSet};

use engine_abi::{Description, PidArm, PidRange};
use engine_objects::{CodeRange, Device, Object};

use super::later::reported;
use super::sites::{Scope, exists, is_excluded, processes};
use super::{Processes, Read};
use crate::engine::Engine;
use crate::error::Error;

/// The descriptions that may match in any process, and the processes that have begun since.
#[derive(Debug, Default)]
pub struct Everywhere {
    kept: Vec<(Description, u32)>,
    seen: BTreeMap<u32, Vec<Seen>>,
    /// The processes that were there before.
    before: BTreeSet<u32>,
    /// Whether the engine was asked to hold processes.
    is_asked: bool,
    /// Whether it does.
    are_held: bool,
}

/// An object of a process, by which it is known again.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    identity: (Device, u64),
    bias: u64,
    ranges: Vec<CodeRange>,
}

impl Seen {
    fn of(object: &Object) -> Self {
        Self {
            identity: object.identity(),
            bias: object.bias(),
            ranges: object.ranges().to_vec(),
        }
    }
}

impl Everywhere {
    /// Whether processes are held that begin.
    pub fn are_held(&self) -> bool {
        self.are_held
    }

    /// Whether a process has begun since, and is looked at by its objects' places alone.
    pub fn has(&self, pid: u32) -> bool {
        self.seen.contains_key(&pid)
    }
}

impl Processes {
    /// Has processes held that begin from now on, if a description may match in any process. To
    /// be called before the processes that there are are looked at.
    pub(super) fn hold_execs(
        &mut self,
        engine: &dyn Engine,
        description: &Description,
        clause: u32,
    ) {
        if Scope::of(description) != Scope::All || !engine.traces_processes() {
            return;
        }
        let everywhere = &mut self.everywhere;
        everywhere.kept.push((*description, clause));
        if !std::mem::replace(&mut everywhere.is_asked, true) {
            let held = match engine.absence() {
                Some(absence) => Err(absence.to_string()),
                None => engine.pid_execs().map_err(|why| why.to_string()),
            };
            everywhere.are_held = held.is_ok();
            self.unheld = held.err();
            everywhere.before = processes().collect();
        }
    }

    /// Looks at processes that have begun since the others were looked at, and were not held: they have been
    /// forked before the probes of their parents were armed. Returns what is to be reported.
    pub(super) fn look_for_others(&mut self, engine: &dyn Engine) -> Vec<String> {
        // Those of the second round were forked by those of the first.
        const ROUNDS: usize = 2;
        let mut lines = Vec::new();
        let rounds = if self.everywhere.are_held { ROUNDS } else { 0 };
        for _ in 0..rounds {
            let before = &mut self.everywhere.before;
            let new: Vec<u32> = processes().filter(|pid| before.insert(*pid)).collect();
            if new.is_empty() {
                break;
            }
            let traced = new.into_iter().filter(|pid| engine.may_trace(*pid));
            let begun: Vec<_> = traced.map(|pid| self.begins(engine, pid)).collect();
            let mut armed = PidArm {
                arm: 1,
                ..PidArm::default()
            };
            let is_any = begun.iter().any(|it| *it.as_ref().unwrap_or(&true));
            let armed = if is_any {
                engine.pid_arm(&mut armed)
            } else {
                Ok(())
            };
            let failures = begun.into_iter().filter_map(Result::err);
            lines.extend(reported(failures.chain(armed.err())));
        }
        lines
    }

    /// A process begins: enables the probes in it, and watches its dynamic linker. Returns whether anything is
    /// to be armed.
    pub(super) fn begins(&mut self, engine: &dyn Engine, pid: u32) -> Result<bool, Error> {
        // What is known of it is of the program before.
        self.read.remove(&pid);
        self.everywhere.seen.remove(&pid);
        self.forget_ended();
        let Ok(mut read) = Read::of(pid) else {
            return Ok(false);
        };
        let is_watched = match read.watch(engine, pid) {
            Ok(is_watched) => is_watched,
            Err(why) => {
                // It may have been killed.
                if exists(pid) {
                    self.unwatched.insert(pid, why);
                }
                false
            }
        };
        if is_watched {
            self.everywhere.seen.insert(pid, Vec::new());
        }
        self.enable_new(engine, pid, &read)
    }

    /// A process that has begun since has mapped or unmapped objects.
    pub(super) fn remapped(&mut self, engine: &dyn Engine, pid: u32) -> Result<bool, Error> {
        let Ok(read) = Read::of(pid) else {
            return Ok(false);
        };
        let now: Vec<Seen> = read.objects.iter().map(Seen::of).collect();
        let before = self.everywhere.seen.get_mut(&pid);
        let before = before.map(std::mem::take).unwrap_or_default();
        let (kept, closed): (Vec<_>, Vec<_>) = before.into_iter().partition(|it| now.contains(it));
        let mut changed = false;
        for range in closed.iter().flat_map(|it| &it.ranges) {
            let size = range.end.saturating_sub(range.start);
            engine.pid_unmapped(PidRange {
                address: range.start,
                size,
                pid,
                reserved: 0,
            })?;
            changed = true;
        }
        self.everywhere.seen.insert(pid, kept);
        Ok(self.enable_new(engine, pid, &read)? || changed)
    }

    /// Enables the probes in the objects of a process that have not been seen.
    fn enable_new(&mut self, engine: &dyn Engine, pid: u32, read: &Read) -> Result<bool, Error> {
        let seen = self
            .everywhere
            .seen
            .get(&pid)
            .map_or(&[][..], Vec::as_slice);
        let is_new = |object: &&Object| !seen.contains(&Seen::of(object));
        let new: Vec<&Object> = read.objects.iter().filter(is_new).collect();
        let mut changed = false;
        for (description, clause) in self.everywhere.kept.clone() {
            let objects = new.iter().copied();
            let enabled = match self.sites_among(engine, &read.process, objects, &description) {
                Err(why) if is_excluded(&why) => continue,
                Err(why) => {
                    self.unplaced.insert(pid, why.to_string());
                    continue;
                }
                Ok(created) => created,
            };
            for enabled in enabled {
                changed |= engine.enable(&enabled, clause)? > 0;
            }
        }
        if let Some(seen) = self.everywhere.seen.get_mut(&pid) {
            seen.extend(new.into_iter().map(Seen::of));
        }
        Ok(changed)
    }

    /// Forgets processes that have ended, once there are many.
    fn forget_ended(&mut self) {
        const MANY: usize = 1024;
        let seen = &mut self.everywhere.seen;
        if seen.len() >= MANY {
            seen.retain(|pid, _| exists(*pid));
        }
    }
}
