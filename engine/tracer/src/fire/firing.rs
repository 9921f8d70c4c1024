//! A firing: the probe, the CPU and the time, and the built-in variables that a clause can read.

use core::cell::Cell;
use core::ptr;

use engine_dvm::Builtin;
use engine_isa::Arch;

use crate::fire::user_stack::UserStack;
use crate::platform::{Context, Origin, Platform, Task, UserOrigin};
use crate::providers::dtrace::DtraceProbe;
use crate::providers::list::providers;
use crate::providers::{Fires, Provider, argument_at};
use crate::unwind::At;
use crate::unwind::tables::Tables;

macro_rules! fired {
    ($($field:ident $variant:ident $control:ty, $fired:ty;)*) => {
        /// The probe that fired. Names and arguments are looked up only when a clause reads them.
        #[allow(dead_code, reason = "a provider may fire at tracepoints alone")]
        pub enum Fired<'a, A: Arch> {
            /// A probe of any provider, at a tracepoint that the provider registered for.
            Tracepoint(Tracepoint<'a>),
            $(#[doc = concat!("A probe of `", stringify!($field), "`.")] $variant($fired),)*
        }

        impl<A: Arch> Fired<'_, A> {
            /// Provider, module, function and probe name.
            fn names(&self) -> [&[u8]; 4] {
                match self {
                    Self::Tracepoint(fired) => fired.names,
                    $(Self::$variant(fired) => {
                        let [module, function, name] = Fires::<A>::names(fired);
                        let provider = Fires::<A>::provider(fired);
                        let provider = provider.unwrap_or(<$control as Provider<A>>::NAME);
                        [provider, module, function, name]
                    })*
                }
            }

            fn argument<P: Platform<Regs = A::Regs>>(&self, platform: &P, number: u64) -> u64 {
                match self {
                    Self::Tracepoint(fired) => argument_at(&fired.arguments, number),
                    $(Self::$variant(fired) => Fires::<A>::argument(fired, platform, number),)*
                }
            }

            fn caller<P: Platform<Regs = A::Regs>>(&self, platform: &P) -> Option<u64> {
                match self {
                    Self::Tracepoint(_) => Some(0),
                    $(Self::$variant(fired) => Fires::<A>::caller(fired, platform),)*
                }
            }

            fn errno(&self) -> u64 {
                match self {
                    Self::Tracepoint(_) => 0,
                    $(Self::$variant(fired) => Fires::<A>::errno(fired),)*
                }
            }

            fn context(&self) -> Context {
                match self {
                    Self::Tracepoint(_) => Context::Thread,
                    $(Self::$variant(fired) => Fires::<A>::context(fired),)*
                }
            }

            fn origin(&self) -> (Origin<'_, A::Regs>, usize) {
                match self {
                    Self::Tracepoint(_) => (Origin::Interrupted, 0),
                    $(Self::$variant(fired) => Fires::<A>::origin(fired),)*
                }
            }

            fn user_origin<P: Platform<Regs = A::Regs>>(
                &self,
                platform: &P,
            ) -> UserOrigin<'_, A::Regs> {
                match self {
                    Self::Tracepoint(_) => UserOrigin::Saved,
                    $(Self::$variant(fired) => Fires::<A>::user_origin(fired, platform),)*
                }
            }

            fn after<P: Platform<Regs = A::Regs>>(&self, platform: &P) -> Option<A::Regs> {
                match self {
                    Self::Tracepoint(_) => None,
                    $(Self::$variant(fired) => Fires::<A>::after(fired, platform),)*
                }
            }
        }
    };
}
providers!(fired);

impl<A: Arch> Fired<'_, A> {
    /// The `dtrace` provider's probe, if it is one of them.
    pub fn dtrace_probe(&self) -> Option<DtraceProbe> {
        match self {
            Self::Dtrace(fired) => Some(fired.probe),
            _ => None,
        }
    }
}

/// A probe at a tracepoint.
#[derive(Debug)]
pub struct Tracepoint<'a> {
    /// Provider, module, function and probe name.
    pub names: [&'a [u8]; 4],
    /// The probe's arguments.
    pub arguments: [u64; 6],
}

/// One firing of a probe, on this CPU with interrupts disabled.
pub struct Firing<'a, A: Arch, P: Platform<Regs = A::Regs>> {
    /// The kernel.
    pub platform: &'a P,
    /// The CPU it runs on.
    pub cpu: usize,
    /// The monotonic clock in nanoseconds, cached at its first use.
    now: Cell<Option<u64>>,
    /// The probe's ID.
    pub id: u32,
    /// The probe that fired.
    pub fired: &'a Fired<'a, A>,
    /// How often it was hit: more than once only for clauses that [are tallies](engine_dvm::Clause::is_tally).
    pub times: u64,
    /// The thread, cached at its first use.
    task: Cell<Option<Task>>,
    /// Address of the session that this firing was last passed to.
    last_session: Cell<usize>,
}

impl<'a, A: Arch, P: Platform<Regs = A::Regs>> Firing<'a, A, P> {
    /// Starts a firing on this CPU.
    #[inline]
    pub fn new(platform: &'a P, id: u32, fired: &'a Fired<'a, A>) -> Self {
        Self {
            platform,
            cpu: platform.cpu(),
            now: Cell::new(None),
            id,
            fired,
            times: 1,
            task: Cell::new(None),
            last_session: Cell::new(0),
        }
    }

    /// A firing of `ERROR` at the same time and in the same thread.
    pub fn raise(&self, error: &'a Fired<'a, A>) -> Self {
        Self {
            platform: self.platform,
            cpu: self.cpu,
            now: Cell::new(Some(self.now())),
            id: DtraceProbe::Error.id(),
            fired: error,
            times: 1,
            task: Cell::new(Some(self.task())),
            last_session: self.last_session.clone(),
        }
    }

    /// Whether this firing reaches `session` for the first time. Remembering the last one is
    /// enough, as a firing passes through one session after another.
    pub fn begins<S>(&self, session: &S) -> bool {
        let session = ptr::from_ref(session).addr();
        self.last_session.replace(session) != session
    }

    /// The monotonic clock in nanoseconds, the same throughout the firing. The kernel's clock
    /// functions may themselves be probed, so a clause that does not read the time should not take
    /// those traps.
    pub fn now(&self) -> u64 {
        cached(&self.now, || self.platform.now())
    }

    /// The current thread, read once per firing.
    pub fn task(&self) -> Task {
        cached(&self.task, || self.platform.task(self.fired.context()))
    }

    /// The clock is read again when the time is next needed.
    pub fn forget_time(&self) {
        self.now.set(None);
    }

    /// A numeric built-in variable; 0 if the firing does not have it.
    pub fn builtin(&self, builtin: Builtin, index: u64) -> u64 {
        match builtin {
            Builtin::Arg => self.fired.argument(self.platform, index),
            Builtin::Uregs => self.platform.user_register(index),
            Builtin::Timestamp => self.now(),
            Builtin::Vtimestamp => self.platform.run_time(),
            Builtin::Walltimestamp => self.platform.wall_time(),
            Builtin::Cpu => self.cpu as u64,
            Builtin::Cpuoffset => self.platform.cpu_offset().cast_unsigned(),
            Builtin::Id => self.id.into(),
            Builtin::Pid => self.task().pid.into(),
            Builtin::Tid => self.task().tid.into(),
            Builtin::Ppid => self.task().ppid.into(),
            Builtin::Uid => self.task().uid.into(),
            Builtin::Gid => self.task().gid.into(),
            Builtin::Curthread => self.task().address,
            Builtin::Errno => self.fired.errno(),
            Builtin::Caller => self.caller(),
            _ => 0,
        }
    }

    /// Copies a string built-in variable to `text`, truncated to fit; returns its length there.
    pub fn text(&self, builtin: Builtin, text: &mut [u8]) -> usize {
        let [provider, module, function, name] = self.fired.names();
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

    /// Walks the kernel stack into `frames`. The probed function's own frames are skipped, so the
    /// first is its caller.
    pub fn stack<'f>(&self, frames: &'f mut [u64]) -> &'f [u64] {
        let after = self.fired.after(self.platform);
        let (origin, own) = match &after {
            Some(regs) => (Origin::Caller(regs), 0),
            None => self.fired.origin(),
        };
        let count = self.platform.stack(origin, frames);
        frames.get(own..count).unwrap_or_default()
    }

    /// A walk over the user stack, by these tables where they have a row; none for a thread without
    /// user mode.
    pub fn user_stack(&self, tables: &'a Tables) -> Option<UserStack<'a, P>> {
        let platform = self.platform;
        let (frame, at) = match self.fired.user_origin(platform) {
            UserOrigin::Saved => (platform.user_frame(&platform.user_regs()?), At::Instruction),
            UserOrigin::Body(regs) => (platform.user_frame(regs), At::Instruction),
            UserOrigin::Bare(regs) => (platform.user_frame(regs), At::Bare),
            UserOrigin::Leaving(pc, caller) => {
                let caller = platform.user_frame(&caller);
                return Some(UserStack::leaving(platform, tables, pc as u64, &caller));
            }
        };
        Some(UserStack::new(platform, tables, &frame, at))
    }

    fn caller(&self) -> u64 {
        self.fired.caller(self.platform).unwrap_or_else(|| {
            let frames = &mut [0; 2];
            self.stack(frames).first().copied().unwrap_or_default()
        })
    }
}

/// Returns the cached value, or computes and caches it.
fn cached<T: Copy>(cell: &Cell<Option<T>>, read: impl FnOnce() -> T) -> T {
    cell.get().unwrap_or_else(|| {
        let value = read();
        cell.set(Some(value));
        value
    })
}

/// Copies as much as fits; returns the number of bytes.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    to.iter_mut()
        .zip(from)
        .map(|(to, from)| *to = *from)
        .count()
}
