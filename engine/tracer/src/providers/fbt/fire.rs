//! Traps and ftrace callbacks: firing of the fbt provider.

use core::sync::atomic::Ordering;

use engine_isa::body::Leaves;
use engine_isa::{Arch, Fault, Memory, Unreadable, Width};

use crate::fire::firing::Fired as Any;
use crate::fire::live::Live;
use crate::platform::{Context, Origin, Platform, Rcu};
use crate::providers::Fires;
use crate::site::live::Site;
use crate::site::resume::{Resume, Trap, leaves_now, resume};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Handles a trap: fires the ECBs of its site and executes the displaced instruction. Called
    /// from the trap handler with interrupts disabled; see [`Trap`] for the outcomes.
    pub fn trap(&self, regs: &mut A::Regs, memory: &mut impl Memory) -> Trap {
        let pc = A::pc(regs);
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.fbt.sites.find(pc)?)));
            let Some((live, site)) = found else {
                if self.is_not_ours(pc) {
                    A::set_pc(regs, pc);
                    return Trap::Retry;
                }
                return Trap::Stray;
            };
            self.hit(live, site, regs);
            resume::<A>(site.resume, pc, regs, memory)
        })
    }

    /// ftrace's callback: fires the entry that the call at `call` reports. Called with interrupts
    /// disabled, as in a trap.
    pub fn called(&self, call: usize, regs: &A::Regs) {
        self.live.read(|live| {
            if let Some(live) = live
                && let Some(site) = live.fbt.sites.find(call)
            {
                self.hit(live, site, regs);
            }
        });
    }

    /// Counts a hit and fires the probes at this site.
    fn hit(&self, live: &Live<A>, site: &Site<A>, regs: &A::Regs) {
        site.hits.fetch_add(1, Ordering::Relaxed);
        let [entry, exit] = site.probes;
        let fired = |leaves| {
            Any::Fbt(Fired {
                live,
                site,
                regs,
                leaves,
            })
        };
        let Some(leaves) = site.leaves else {
            return self.fire(live, entry, &fired(None));
        };
        if site.is_entry {
            self.fire(live, entry, &fired(None));
        }
        if leaves_now::<A>(site.resume, regs) {
            self.fire(live, exit, &fired(Some(leaves)));
        }
    }
}

/// A firing of this provider.
pub struct Fired<'a, A: Arch> {
    live: &'a Live<A>,
    site: &'a Site<A>,
    regs: &'a A::Regs,
    /// How the function is left; none at its entry.
    leaves: Option<Leaves>,
}

impl<A: Arch> Fires<A> for Fired<'_, A> {
    fn names(&self) -> [&[u8]; 3] {
        let Live { table, fbt, .. } = self.live;
        let function = fbt.function(self.site.function);
        let names = function.map(|function| function.names.map(|name| table.names().get(name)));
        let [module, function] = names.unwrap_or_default();
        let name: &[u8] = match self.leaves {
            None => b"entry",
            Some(_) => b"return",
        };
        [module, function, name]
    }

    /// The return value at a tail call is not known yet, so it reads as 0.
    fn argument<P: Platform<Regs = A::Regs>>(&self, platform: &P, number: u64) -> u64 {
        match (self.leaves, number) {
            (None, _) => A::argument(self.regs, A::KERNEL, number, &mut loader(platform)),
            (Some(_), 0) => self.site.offset as u64,
            (Some(Leaves::Return), 1) => A::returned(self.regs),
            _ => 0,
        }
    }

    fn caller<P: Platform<Regs = A::Regs>>(&self, platform: &P) -> Option<u64> {
        match self.leaves {
            None => Some(A::caller(self.regs, A::KERNEL, &mut loader(platform))),
            Some(_) => None,
        }
    }

    fn context(&self) -> Context {
        match self.site.resume {
            Resume::On => Context::Thread,
            Resume::Emulate(_) | Resume::Slot(_) => Context::Trap,
        }
    }

    fn origin(&self) -> (Origin<'_, A::Regs>, usize) {
        match self.leaves {
            None => (Origin::Entry(self.regs), 1),
            Some(_) => (Origin::Return(self.regs), 1),
        }
    }

    fn after<P: Platform<Regs = A::Regs>>(&self, platform: &P) -> Option<A::Regs> {
        match (self.leaves, self.site.resume) {
            (Some(leaves), Resume::Emulate(emulation)) => {
                A::after(emulation, leaves, self.regs, &mut ReadOnly(platform))
            }
            _ => None,
        }
    }
}

fn loader<P: Platform>(platform: &P) -> impl FnMut(u64, &mut [u8]) -> Result<(), Unreadable> {
    |address, bytes| platform.load(address, bytes)
}

/// Read-only kernel memory, for emulating an instruction just to find where it leads.
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
