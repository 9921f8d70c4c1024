//! Events of the kernel, as they reach the providers that fire at them.
//!
//! The kernel's tracepoints run in the thread's own context, with no more than preemption off. Of some system calls the
//! engine is told that nobody has enabled; those are looked for and nothing else is done.

use engine_isa::Arch;

use crate::fire::firing::{Fired, Tracepoint};
use crate::platform::{Event, Key, Platform, Rcu};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// This thread has entered a system call. To be called where nothing can put another thread in its place.
    pub fn syscall_entered(&self, abi: u32, number: i64, regs: &A::Regs) {
        let Some(key) = Key::new(abi, number) else {
            return;
        };
        self.live.read(|live| {
            if let Some(live) = live {
                self.fire_syscall(live, key, regs);
                self.fire_exec(live, key, regs);
            }
        });
    }

    /// A system call of this thread's returns that value. To be called likewise.
    pub fn syscall_returned(&self, abi: u32, number: i64, value: i64) {
        let in_flight = self.in_flight.take(self.platform.thread_key());
        let Some(key) = in_flight.or_else(|| Key::new(abi, number)) else {
            return;
        };
        self.live.read(|live| {
            if let Some(live) = live {
                self.fire_syscall_return(live, key, value);
                self.fire_exec_failure(live, key, value);
            }
        });
    }

    /// Neither what a system call returns in a child nor that the child starts will be reported.
    pub fn syscall_lost(&self) {
        self.in_flight.lose();
    }

    /// This has happened to this thread, or by it, with these arguments of the event. To be called where nothing can put
    /// another thread in its place.
    pub fn happened(&self, event: Event, arguments: [u64; 4]) {
        self.live.read(|live| {
            if let Some(live) = live {
                self.fire_process_event(live, event, arguments);
            }
        });
    }

    /// The tracepoint has come that was registered with this number, in any context, with preemption off.
    pub fn tracepoint(&self, number: u32, mut arguments: [u64; 6]) {
        self.live.read(|live| {
            let found =
                live.and_then(|live| Some((live, live.at_tracepoint(number, &mut arguments)?)));
            if let Some((live, (probe, names))) = found {
                let fired = Fired::Tracepoint(Tracepoint { names, arguments });
                self.platform
                    .with_irqs_off(|| self.fire(live, probe, &fired));
            }
        });
    }
}
