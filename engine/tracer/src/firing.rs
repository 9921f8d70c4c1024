//! A firing: what fired, where and when, and what a clause can learn of it.

use core::cell::Cell;

use engine_dvm::Builtin;

use crate::isa::Isa;
use crate::live::Function;
use crate::names::Names;
use crate::platform::{Origin, Platform, Task, Unreadable};
use crate::providers::dtrace::Own;
use crate::providers::fbt::{Leaves, Role};
use crate::registry::Called;

/// What has fired. What it is called by is made out only for who asks.
#[derive(Debug, Clone, Copy)]
pub enum Fired<'a> {
    /// One of the engine's own probes.
    Own(Own),
    /// A timer of that name.
    Timer(&'a [u8]),
    /// A function's probe, whose names are among these.
    Function(&'a Function, &'a Names, Role),
}

impl<'a> Fired<'a> {
    fn called(self) -> Called<'a> {
        match self {
            Self::Own(own) => Called::Own(own),
            Self::Timer(name) => Called::Timer(name),
            Self::Function(function, names, role) => {
                Called::Function(function.names.map(|name| names.get(name)), role)
            }
        }
    }
}

/// The arguments of a probe.
#[derive(Debug)]
pub enum Arguments<'a, R> {
    /// Those of a function that is entered with these registers.
    Entry(&'a R),
    /// How far into a function it is left with these registers, and how.
    Return(&'a R, usize, Leaves),
    /// Numbers, and then zeros.
    Numbers([u64; 6]),
}

/// A firing.
pub struct Firing<'a, I: Isa, P: Platform<Regs = I::Regs>> {
    /// The kernel.
    pub platform: &'a P,
    /// The CPU.
    pub cpu: usize,
    /// Nanoseconds of the monotonic clock, once somebody has asked for them.
    pub now: Cell<Option<u64>>,
    /// The probe's ID.
    pub id: u32,
    /// The probe.
    pub fired: Fired<'a>,
    /// Its arguments.
    pub arguments: Arguments<'a, I::Regs>,
    /// The thread, once somebody has asked for it.
    pub task: Cell<Option<Task>>,
}

impl<'a, I: Isa, P: Platform<Regs = I::Regs>> Firing<'a, I, P> {
    /// A firing here and now.
    pub fn new(
        platform: &'a P,
        id: u32,
        fired: Fired<'a>,
        arguments: Arguments<'a, I::Regs>,
    ) -> Self {
        Self {
            platform,
            cpu: platform.cpu(),
            now: Cell::new(None),
            id,
            fired,
            arguments,
            task: Cell::new(None),
        }
    }

    /// The same moment as a firing of one of the engine's own probes.
    pub fn turned(&self, own: Own, arguments: [u64; 6]) -> Self {
        Self {
            platform: self.platform,
            cpu: self.cpu,
            now: Cell::new(Some(self.now())),
            id: own.id(),
            fired: Fired::Own(own),
            arguments: Arguments::Numbers(arguments),
            task: Cell::new(Some(self.task())),
        }
    }

    /// Nanoseconds of the monotonic clock, the same throughout the firing. The clock is the kernel's, and what
    /// it calls may be traced: who does not ask spares those traps.
    pub fn now(&self) -> u64 {
        let now = self.now.get();
        let now = now.unwrap_or_else(|| self.platform.now());
        self.now.set(Some(now));
        now
    }

    /// The thread.
    pub fn task(&self) -> Task {
        let in_tick = matches!(self.fired, Fired::Timer(_));
        let task = self.task.get();
        let task = task.unwrap_or_else(|| self.platform.task(in_tick));
        self.task.set(Some(task));
        task
    }

    /// A built-in variable that is a number, as far as the firing knows it.
    pub fn builtin(&self, builtin: Builtin, index: u64) -> u64 {
        match builtin {
            Builtin::Arg => self.argument(index),
            Builtin::Uregs => self.platform.user_register(index),
            Builtin::Timestamp => self.now(),
            Builtin::Vtimestamp => self.platform.run_time(),
            Builtin::Walltimestamp => self.platform.wall_time(),
            Builtin::Cpu => self.cpu as u64,
            Builtin::Id => self.id.into(),
            Builtin::Pid => self.task().pid.into(),
            Builtin::Tid => self.task().tid.into(),
            Builtin::Ppid => self.task().ppid.into(),
            Builtin::Uid => self.task().uid.into(),
            Builtin::Gid => self.task().gid.into(),
            Builtin::Curthread => self.task().address,
            Builtin::Errno => self.platform.errno().into(),
            Builtin::Caller => self.caller(),
            _ => 0,
        }
    }

    /// Writes a built-in variable that is a string into `text`, cut to fit; how many bytes that were.
    pub fn text(&self, builtin: Builtin, text: &mut [u8]) -> usize {
        let [provider, module, function, name] = self.fired.called().names();
        match builtin {
            Builtin::Probeprov => copy(provider, text),
            Builtin::Probemod => copy(module, text),
            Builtin::Probefunc => copy(function, text),
            Builtin::Probename => copy(name, text),
            Builtin::Execname => {
                let name = self.task().name;
                copy(
                    name.split(|byte| *byte == 0).next().unwrap_or_default(),
                    text,
                )
            }
            _ => 0,
        }
    }

    /// The program counters on the kernel stack, in `frames`: a function's own is not among them, as
    /// its caller is the first.
    pub fn stack<'f>(&self, frames: &'f mut [u64]) -> &'f [u64] {
        let (origin, own) = self.origin();
        let count = self.platform.stack(origin, frames);
        frames.get(own..count).unwrap_or_default()
    }

    /// Where the stack is looked at from, and how many frames are the function's own.
    fn origin(&self) -> (Origin<'a, I::Regs>, usize) {
        match self.arguments {
            Arguments::Entry(regs) => (Origin::Entry(regs), 1),
            Arguments::Return(regs, ..) => (Origin::Return(regs), 1),
            Arguments::Numbers(_) => (Origin::Interrupted, 0),
        }
    }

    fn argument(&self, number: u64) -> u64 {
        match &self.arguments {
            Arguments::Entry(regs) => I::argument(regs, number, &mut self.loader()),
            // What a tail call will return is not known yet.
            Arguments::Return(regs, offset, leaves) => match (number, leaves) {
                (0, _) => *offset as u64,
                (1, Leaves::Return) => I::returned(regs),
                _ => 0,
            },
            Arguments::Numbers(numbers) => {
                let number = usize::try_from(number)
                    .ok()
                    .and_then(|number| numbers.get(number));
                number.copied().unwrap_or_default()
            }
        }
    }

    fn caller(&self) -> u64 {
        match &self.arguments {
            Arguments::Entry(regs) => I::caller(regs, &mut self.loader()),
            Arguments::Return(..) => self.stack(&mut [0; 2]).first().copied().unwrap_or_default(),
            Arguments::Numbers(_) => 0,
        }
    }

    fn loader(&self) -> impl FnMut(u64, &mut [u8]) -> Result<(), Unreadable> {
        |address, bytes| self.platform.load(address, bytes)
    }
}

/// Copies as much as fits; how much that is.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    to.iter_mut()
        .zip(from)
        .map(|(to, from)| *to = *from)
        .count()
}
