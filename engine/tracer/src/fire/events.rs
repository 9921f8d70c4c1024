//! Kernel events: system calls, process events and tracepoints, on their way to the providers that
//! fire at them.
//!
//! A system call is reported in its thread's own context, with interrupts enabled. Other events may
//! also come from an interrupt: a signal that a timer sends, a process that is freed after a grace
//! period. A tracepoint may be anywhere. In all of these preemption is disabled, as readers of the
//! live table require. Interrupts are disabled for the firing itself, since it takes the CPU's
//! guard. A report of a system call that no consumer enabled costs one lookup.

use engine_isa::Arch;

use crate::fire::firing::{Fired, Tracepoint};
use crate::platform::{Event, EventArguments, Key, Platform, Rcu};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// This thread has entered a system call. The caller has disabled preemption.
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

    /// A system call of this thread returns `value`. The caller has disabled preemption.
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

    /// A child was created whose return from the system call, and whose start, will not be
    /// reported. Counted as a lost return.
    pub fn syscall_lost(&self) {
        self.in_flight.count_lost();
    }

    /// An event of this thread, or one caused by it or by an interrupt, with the event's arguments.
    /// The caller has disabled preemption.
    pub fn happened(&self, event: Event, arguments: EventArguments) {
        self.live.read(|live| {
            if let Some(live) = live {
                self.fire_process_event(live, event, arguments);
            }
        });
    }

    /// The tracepoint registered with this number was hit, in any context. The caller has disabled
    /// preemption.
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
