//! Objects that processes open while they are traced.
//!
//! A process's dynamic linker calls a function of its own when it has mapped or unmapped objects,
//! for debuggers. The engine holds the thread that does; [`Processes::look`] enables the probes of
//! what is new, and has the thread continue.

use std::io;

use engine_abi::{Description, Opened, PidArm, PidProbes, PidRange};
use engine_objects::{Object, Objects, Role};
use rustix::io::Errno;

use super::sites::Scope;
use super::{
    Named, Processes, Read, cannot, create, create_error, is_object, named, open, pid_of,
    pointer_to, text_of,
};
use crate::engine::Engine;
use crate::error::Error;

/// What dynamic linkers call: glibc's and musl's.
const HOOKS: [&[u8]; 2] = [b"_dl_debug_state", b"dl_debug_state"];

/// A description that may match probes in objects that its process opens later.
#[derive(Debug)]
pub struct Kept {
    pid: u32,
    description: Description,
    clause: u32,
    /// Whether it names an object that has not been there yet.
    is_awaited: bool,
}

impl Processes {
    /// Watches the process of a description that may match probes in objects which can come and go.
    /// To be called before the probes are created: no object takes the place of another from then on
    /// until the consumer traces, unless that takes longer than threads wait.
    pub fn watch(
        &mut self,
        engine: &dyn Engine,
        description: &Description,
        clause: u32,
    ) -> Result<(), Error> {
        self.hold_execs(engine, description, clause);
        let Some(pid) = self.process_of(description) else {
            return Ok(());
        };
        let read = open(&mut self.read, pid)?;
        if read.is_watched.is_some() || !read.may_match(description) {
            return Ok(());
        }
        let watched = read.watch(engine, pid);
        read.is_watched = Some(watched == Ok(true));
        if let Err(why) = watched {
            self.unwatched.insert(pid, why);
        }
        read.objects = Objects::of(&read.process).map_err(cannot(pid))?;
        Ok(())
    }

    /// Keeps a description for objects that its process opens later, if that is watched and if there
    /// can be such objects. Returns whether it names one that is not there, and so may match nothing
    /// yet.
    pub fn keep(&mut self, description: &Description, clause: u32, has_matched: bool) -> bool {
        let Some(pid) = self.process_of(description) else {
            return false;
        };
        let is_kept = |it: &&mut Read| it.is_watched == Some(true) && it.may_match(description);
        let Some(read) = self.read.get_mut(&pid).filter(is_kept) else {
            return false;
        };
        let is_awaited = !has_matched && !read.has_object(description);
        self.kept.push(Kept {
            pid,
            description: *description,
            clause,
            is_awaited,
        });
        is_awaited
    }

    /// Whether the linker of any process is watched.
    pub fn are_watched(&self) -> bool {
        !self.kept.is_empty() || self.everywhere.are_held()
    }

    /// Looks at all processes that are watched.
    pub fn look_at_all(&mut self, engine: &dyn Engine) -> Vec<String> {
        let watched = self
            .read
            .iter()
            .filter(|(_, it)| it.is_watched == Some(true));
        let pids: Vec<u32> = watched.map(|(pid, _)| *pid).collect();
        let look = |pid| {
            self.look(
                engine,
                Opened {
                    pid,
                    ticket: 0,
                    ..Opened::default()
                },
            )
        };
        let mut lines: Vec<String> = pids.into_iter().flat_map(look).collect();
        lines.extend(self.look_for_others(engine));
        lines
    }

    /// Enables the probes of what a process has opened, and answers the thread that waits. Returns
    /// what is to be reported.
    pub fn look(&mut self, engine: &dyn Engine, opened: Opened) -> Vec<String> {
        // They have been reported.
        self.refused.clear();
        self.unwatched.clear();
        self.unplaced.clear();
        self.unread.clear();
        self.unheld = None;
        let changed = match opened.begins {
            0 if self.everywhere.has(opened.pid) => self.remapped(engine, opened.pid),
            0 => self.follow(engine, opened.pid),
            _ => self.begins(engine, opened.pid),
        };
        let mut answer = PidArm {
            opened,
            // What was enabled before an error is armed all the same.
            arm: (*changed.as_ref().unwrap_or(&true)).into(),
            late: 0,
        };
        let answered = match answer.arm | opened.ticket {
            0 => Ok(()),
            _ => engine.pid_arm(&mut answer),
        };
        let failures = [changed.err(), answered.err()].into_iter().flatten();
        let mut lines = reported(failures);
        lines.extend(self.refusals());
        if answer.late != 0 {
            let pid = opened.pid;
            lines.push(match opened.begins {
                0 => format!(
                    "process {pid} went on before the probes of what it has opened were armed"
                ),
                _ => "processes have started before their probes were armed".to_owned(),
            });
        }
        lines
    }

    /// The descriptions whose object has never been there.
    pub fn unmatched(&self) -> Vec<String> {
        let awaited = self.kept.iter().filter(|kept| kept.is_awaited);
        let line = |kept: &Kept| {
            let description = kept.description;
            format!("{description} matched no probes: its process has not opened such an object")
        };
        awaited.map(line).collect()
    }

    /// Follows what a process has mapped and unmapped; returns whether anything is to be armed or
    /// disarmed.
    fn follow(&mut self, engine: &dyn Engine, pid: u32) -> Result<bool, Error> {
        let Some(read) = self.read.get_mut(&pid) else {
            return Ok(false);
        };
        let now = match Objects::of(&read.process) {
            Err(engine_objects::Error::Gone { .. }) => return Ok(false),
            now => now.map_err(cannot(pid))?,
        };
        let before = std::mem::replace(&mut read.objects, now);
        let mut changed = false;
        for closed in before.iter().filter(|it| !has(&read.objects, it)) {
            read.functions.remove(&closed.bias());
            for range in closed.ranges() {
                let (address, size) = (range.start, range.end.saturating_sub(range.start));
                let reserved = 0;
                engine.pid_unmapped(PidRange {
                    address,
                    size,
                    pid,
                    reserved,
                })?;
                changed = true;
            }
        }
        for number in 0..self.kept.len() {
            let kept = &self.kept[number];
            if kept.pid != pid {
                continue;
            }
            let (description, clause) = (kept.description, kept.clause);
            let mut probes = 0;
            for enabled in self.create_new(engine, pid, &description, &before)? {
                probes += engine.enable(&enabled, clause)?;
            }
            self.kept[number].is_awaited &= probes == 0;
            changed |= probes > 0;
        }
        Ok(changed)
    }

    /// Creates the probes of a description in the objects of a process that were not there before.
    fn create_new(
        &mut self,
        engine: &dyn Engine,
        pid: u32,
        description: &Description,
        before: &Objects,
    ) -> Result<Vec<Description>, Error> {
        let Some(read) = self.read.get_mut(&pid) else {
            return Ok(Vec::new());
        };
        if pid_of(description).is_some() {
            let requests = read.requests(pid, description, |object| !has(before, object));
            return create(engine, &mut self.refused, description, requests);
        }
        let new = read.objects.iter().filter(|object| !has(before, object));
        let found = self.files.find(&read.process, new, description);
        self.create_sites(engine, description, found)
    }

    /// The process that a description names, if there is one.
    fn process_of(&self, description: &Description) -> Option<u32> {
        pid_of(description).or_else(|| match Scope::of(description) {
            Scope::One(_) => named(description, self.read.keys().copied()).pop(),
            Scope::None | Scope::All => None,
        })
    }
}

impl Read {
    /// Whether a description may match probes in an object that is opened later: not if it names one
    /// that stays.
    fn may_match(&self, description: &Description) -> bool {
        let module = description.module();
        let is_pattern = module.is_empty() || module.iter().any(|byte| b"*?[\\".contains(byte));
        let mut named = self.objects.iter().filter(|it| is_object(it, module));
        is_pattern || !self.has_object(description) || named.any(|it| it.role() == Role::Library)
    }

    fn has_object(&self, description: &Description) -> bool {
        let module = description.module();
        self.objects.iter().any(|object| is_object(object, module))
    }

    /// Watches the process's dynamic linker, if it has one. The error says why it cannot be watched.
    pub(super) fn watch(&mut self, engine: &dyn Engine, pid: u32) -> Result<bool, String> {
        let Some(mut request) = self.hook(pid) else {
            return Ok(false);
        };
        let watched = engine.pid_watch(&mut request);
        watched.map_err(|why| create_error(why, pid, &request.reason).to_string())?;
        match request.provided {
            0 => Err(text_of(&request.reason)),
            _ => Ok(true),
        }
    }

    /// The request to watch the process's dynamic linker; none if it has none that is known.
    fn hook(&mut self, pid: u32) -> Option<PidProbes> {
        let mut objects = self.objects.iter();
        let linker = objects.find(|object| object.role() == Role::Interpreter)?;
        let roots = self.process.roots();
        let functions = self.functions.entry(linker.bias());
        let functions = functions.or_insert_with(|| Named::of(linker.functions(&roots)));
        let is_hook = |it: &engine_objects::Function<'_>| HOOKS.contains(&it.raw_name());
        let hook = functions.functions.iter().find(is_hook)?;
        let module = linker.base_name();
        let names = Description::new(b"", module.as_bytes(), hook.raw_name(), b"entry");
        let address = pointer_to(&hook, linker);
        Some(PidProbes::new(pid, names.ok()?, address, hook.size))
    }
}

/// Whether an object is among these. One that has been read while it was being mapped is another.
fn has(objects: &Objects, object: &Object) -> bool {
    let is_same = |it: &Object| {
        (it.identity(), it.bias(), it.ranges())
            == (object.identity(), object.bias(), object.ranges())
    };
    objects.iter().any(is_same)
}

/// What is to be reported of failures.
pub(super) fn reported(failures: impl Iterator<Item = Error>) -> Vec<String> {
    let failures = failures.filter(|why| !is_gone(why));
    failures.map(|why| why.to_string()).collect()
}

/// Whether a request failed because its process has ended.
fn is_gone(why: &Error) -> bool {
    let ended = io::Error::from(Errno::SRCH).raw_os_error();
    matches!(why, Error::Request { why, .. } if why.raw_os_error() == ended)
}
