//! A firing: what fired, where and when, and what a clause can learn of it.

use core::cell::Cell;
use core::ptr;

use engine_dvm::Builtin;
use engine_isa::Arch;

use crate::platform::{Context, Origin, Platform, Task};
use crate::providers::dtrace::Own;
use crate::providers::list::providers;
use crate::providers::{Fires, Provider, among};

macro_rules! fired {
    ($($field:ident $variant:ident $control:ty, $fired:ty;)*) => {
        /// What has fired, of whichever provider. Its names and arguments are found out only when a clause asks.
        #[allow(dead_code, reason = "a provider may fire at tracepoints alone")]
        pub enum Fired<'a, A: Arch> {
            /// A probe of whichever provider has registered for a tracepoint.
            Tracepoint(Tracepoint<'a>),
            $(#[doc = concat!("A probe of `", stringify!($field), "`.")] $variant($fired),)*
        }

        impl<A: Arch> Fired<'_, A> {
            /// The names of provider, module, function and probe.
            fn names(&self) -> [&[u8]; 4] {
                match self {
                    Self::Tracepoint(fired) => fired.names,
                    $(Self::$variant(fired) => {
                        let [module, function, name] = Fires::<A>::names(fired);
                        [<$control as Provider<A>>::NAME, module, function, name]
                    })*
                }
            }

            fn argument<P: Platform<Regs = A::Regs>>(&self, platform: &P, number: u64) -> u64 {
                match self {
                    Self::Tracepoint(fired) => among(&fired.arguments, number),
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
    /// The `dtrace` provider's probe that it is, if it is one.
    pub fn own(&self) -> Option<Own> {
        match self {
            Self::Dtrace(fired) => Some(fired.probe),
            _ => None,
        }
    }
}

/// A tracepoint.
#[derive(Debug)]
pub struct Tracepoint<'a> {
    /// The names of provider, module, function and probe.
    pub names: [&'a [u8]; 4],
    /// Its arguments.
    pub arguments: [u64; 6],
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
        once(&self.task, || self.platform.task(self.fired.context()))
    }

    /// A built-in variable that is a number, as far as the firing knows it.
    pub fn builtin(&self, builtin: Builtin, index: u64) -> u64 {
        match builtin {
            Builtin::Arg => self.fired.argument(self.platform, index),
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
            Builtin::Errno => self.fired.errno(),
            Builtin::Caller => self.caller(),
            _ => 0,
        }
    }

    /// Writes a built-in variable that is a string into `text`, cut to fit; how many bytes that were.
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

    /// The program counters on the kernel stack, in `frames`: a function's own is not among them, as
    /// its caller is the first.
    pub fn stack<'f>(&self, frames: &'f mut [u64]) -> &'f [u64] {
        let after = self.fired.after(self.platform);
        let (origin, own) = match &after {
            Some(regs) => (Origin::Caller(regs), 0),
            None => self.fired.origin(),
        };
        let count = self.platform.stack(origin, frames);
        frames.get(own..count).unwrap_or_default()
    }

    fn caller(&self) -> u64 {
        self.fired.caller(self.platform).unwrap_or_else(|| {
            let frames = &mut [0; 2];
            self.stack(frames).first().copied().unwrap_or_default()
        })
    }
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
