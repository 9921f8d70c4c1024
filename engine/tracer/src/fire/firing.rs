//! A firing: what fired, where and when, and what a clause can learn of it.

use core::cell::Cell;
use core::ptr;

use engine_dvm::Builtin;
use engine_isa::body::Leaves;
use engine_isa::{Arch, Fault, Memory, Unreadable, Width};

use crate::fire::live::{Live, Site};
use crate::platform::{Context, Origin, Platform, Task};
use crate::probe::Role;
use crate::probe::names::Span;
use crate::providers::dtrace::Own;
use crate::providers::proc::Proc;
use crate::providers::syscall::index::Syscall;
use crate::registry::Called;
use crate::site::resume::Resume;

/// What has fired, with its arguments. What it is called by, and what they are, is made out only for who
/// asks.
pub enum Fired<'a, A: Arch> {
    /// One of the engine's own probes.
    Own(Own, [u64; 6]),
    /// A timer of that name, on the kernel or on a process.
    Timer(&'a [u8], [u64; 2]),
    /// A system call that is entered, with these registers.
    Syscall(ByNumber<'a, A>, &'a A::Regs),
    /// One that returns that value.
    SyscallReturn(ByNumber<'a, A>, i64),
    /// What a process lives through, with what is told of it.
    Process(Proc, [u64; 4]),
    /// A function that is entered.
    Entry(Place<'a, A>),
    /// A function that is left, and how.
    Return(Place<'a, A>, Leaves),
}

/// A system call.
pub struct ByNumber<'a, A: Arch> {
    /// The table that has the call.
    pub live: &'a Live<A>,
    /// The call.
    pub call: &'a Syscall,
}

impl<'a, A: Arch> ByNumber<'a, A> {
    fn called(&self, role: Role) -> Called<'a> {
        let name = |name: Span| self.live.names().get(name);
        Called::Syscall(self.call.names.map(name), role)
    }
}

/// Where a function is entered or left.
pub struct Place<'a, A: Arch> {
    /// The table that has the function.
    pub live: &'a Live<A>,
    /// The instruction.
    pub site: &'a Site<A>,
    /// The registers there.
    pub regs: &'a A::Regs,
}

impl<'a, A: Arch> Place<'a, A> {
    fn called(&self, role: Role) -> Called<'a> {
        let function = self.live.function(self.site.function);
        let name = |name: Span| self.live.names().get(name);
        let names = function.map(|function| function.names.map(name));
        Called::Function(names.unwrap_or_default(), role)
    }
}

impl<'a, A: Arch> Fired<'a, A> {
    fn called(&self) -> Called<'a> {
        match self {
            Self::Own(own, _) => Called::Own(*own),
            Self::Timer(name, _) => Called::Timer(name),
            Self::Syscall(call, _) => call.called(Role::Entry),
            Self::SyscallReturn(call, _) => call.called(Role::Return),
            Self::Process(probe, _) => Called::Process(*probe),
            Self::Entry(place) => place.called(Role::Entry),
            Self::Return(place, _) => place.called(Role::Return),
        }
    }

    /// The engine's own probe that it is, if it is one.
    pub fn own(&self) -> Option<Own> {
        match self {
            Self::Own(own, _) => Some(*own),
            _ => None,
        }
    }
}

/// A firing.
pub struct Firing<'a, A: Arch, P: Platform<Regs = A::Regs>> {
    /// The kernel.
    pub platform: &'a P,
    /// The CPU.
    pub cpu: usize,
    /// Nanoseconds of the monotonic clock, once somebody has asked for them.
    now: Cell<Option<u64>>,
    /// The probe's ID.
    pub id: u32,
    /// The probe.
    pub fired: &'a Fired<'a, A>,
    /// The thread, once somebody has asked for it.
    task: Cell<Option<Task>>,
    /// Where the session is that has begun last.
    begun: Cell<usize>,
}

impl<'a, A: Arch, P: Platform<Regs = A::Regs>> Firing<'a, A, P> {
    /// A firing here and now.
    #[inline]
    pub fn new(platform: &'a P, id: u32, fired: &'a Fired<'a, A>) -> Self {
        Self {
            platform,
            cpu: platform.cpu(),
            now: Cell::new(None),
            id,
            fired,
            task: Cell::new(None),
            begun: Cell::new(0),
        }
    }

    /// The same moment as a firing of `ERROR`.
    pub fn turned(&self, error: &'a Fired<'a, A>) -> Self {
        Self {
            platform: self.platform,
            cpu: self.cpu,
            now: Cell::new(Some(self.now())),
            id: Own::Error.id(),
            fired: error,
            task: Cell::new(Some(self.task())),
            begun: self.begun.clone(),
        }
    }

    /// Whether the session that is there begins with this firing now. The firing comes to sessions one after
    /// the other.
    pub fn begins<S>(&self, session: &S) -> bool {
        let session = ptr::from_ref(session).addr();
        self.begun.replace(session) != session
    }

    /// Nanoseconds of the monotonic clock, the same throughout the firing. The clock is the kernel's, and what
    /// it calls may be traced: who does not ask spares those traps.
    pub fn now(&self) -> u64 {
        once(&self.now, || self.platform.now())
    }

    /// The thread.
    pub fn task(&self) -> Task {
        once(&self.task, || self.platform.task(self.context()))
    }

    /// What asks for the thread.
    fn context(&self) -> Context {
        match self.fired {
            Fired::Timer(..) => Context::Tick,
            Fired::Entry(place) | Fired::Return(place, _) => match place.site.resume {
                Resume::On => Context::Thread,
                Resume::Emulate(_) | Resume::Slot(_) => Context::Trap,
            },
            Fired::Own(..) | Fired::Process(..) => Context::Thread,
            Fired::Syscall(..) | Fired::SyscallReturn(..) => Context::Thread,
        }
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
            Builtin::Errno => self.errno(),
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
        let after = self.after();
        let (origin, own) = match &after {
            Some(regs) => (Origin::Caller(regs), 0),
            None => self.origin(),
        };
        let count = self.platform.stack(origin, frames);
        frames.get(own..count).unwrap_or_default()
    }

    /// The registers in the code that a function returns to, if that is how its callers are found.
    fn after(&self) -> Option<A::Regs> {
        match self.fired {
            Fired::Return(place, leaves) => match place.site.resume {
                Resume::Emulate(emulation) => {
                    A::after(emulation, *leaves, place.regs, &mut ReadOnly(self.platform))
                }
                Resume::Slot(_) | Resume::On => None,
            },
            _ => None,
        }
    }

    /// Where the stack is looked at from, and how many frames are the function's own.
    fn origin<'o>(&self) -> (Origin<'o, A::Regs>, usize)
    where
        'a: 'o,
    {
        match self.fired {
            Fired::Entry(place) => (Origin::Entry(place.regs), 1),
            Fired::Return(place, ..) => (Origin::Return(place.regs), 1),
            Fired::Syscall(..) | Fired::SyscallReturn(..) => (Origin::Interrupted, 0),
            Fired::Own(..) | Fired::Timer(..) | Fired::Process(..) => (Origin::Interrupted, 0),
        }
    }

    fn argument(&self, number: u64) -> u64 {
        let among = |numbers: &[u64]| {
            let number = usize::try_from(number).ok();
            number.and_then(|number| numbers.get(number)).copied()
        };
        match self.fired {
            Fired::Entry(place) => A::argument(place.regs, A::KERNEL, number, &mut self.loader()),
            // What a tail call will return is not known yet.
            Fired::Return(place, leaves) => match (number, leaves) {
                (0, _) => place.site.offset as u64,
                (1, Leaves::Return) => A::returned(place.regs),
                _ => 0,
            },
            Fired::Syscall(_, regs) => self.platform.syscall_argument(regs, number),
            Fired::SyscallReturn(_, value) if number < 2 => *value as u64,
            Fired::SyscallReturn(..) => 0,
            Fired::Own(_, numbers) => among(numbers).unwrap_or_default(),
            Fired::Timer(_, numbers) => among(numbers).unwrap_or_default(),
            Fired::Process(_, numbers) => among(numbers).unwrap_or_default(),
        }
    }

    fn caller(&self) -> u64 {
        match self.fired {
            Fired::Entry(place) => A::caller(place.regs, A::KERNEL, &mut self.loader()),
            Fired::Return(..) => self.stack(&mut [0; 2]).first().copied().unwrap_or_default(),
            Fired::Own(..) | Fired::Timer(..) | Fired::Process(..) => 0,
            Fired::Syscall(..) | Fired::SyscallReturn(..) => 0,
        }
    }

    /// The error number of a system call that fails.
    fn errno(&self) -> u64 {
        match self.fired {
            Fired::SyscallReturn(_, value) => errno(*value).unwrap_or_default(),
            _ => 0,
        }
    }

    fn loader(&self) -> impl FnMut(u64, &mut [u8]) -> Result<(), Unreadable> {
        |address, bytes| self.platform.load(address, bytes)
    }
}

/// Memory of the kernel, for an instruction that is only to show where it goes.
struct ReadOnly<'a, P>(&'a P);

impl<P: Platform> Memory for ReadOnly<'_, P> {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let mut word = [0; 8];
        let bytes = word.get_mut(..width.bytes() as usize).unwrap_or_default();
        match self.0.load(address, bytes) {
            Ok(()) => Ok(u64::from_le_bytes(word)),
            Err(Unreadable) => Err(Fault { address }),
        }
    }

    fn store(&mut self, address: u64, _: Width, _: u64) -> Result<(), Fault> {
        Err(Fault { address })
    }
}

/// The error number that a system call returns, if it does: a value that Linux keeps for these.
pub fn errno(value: i64) -> Option<u64> {
    const LAST: i64 = 4095;
    (-LAST..0).contains(&value).then(|| value.unsigned_abs())
}

/// What is kept, or what `ask` answers, which is then kept.
fn once<T: Copy>(kept: &Cell<Option<T>>, ask: impl FnOnce() -> T) -> T {
    kept.get().unwrap_or_else(|| {
        let answer = ask();
        kept.set(Some(answer));
        answer
    })
}

/// Copies as much as fits; how much that is.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    to.iter_mut()
        .zip(from)
        .map(|(to, from)| *to = *from)
        .count()
}
