//! The tracer as C calls it, with the selected mutant.

use core::hint::spin_loop;
use core::ops::Deref;
use core::sync::atomic::{AtomicUsize, Ordering};

use engine_isa::Memory;
use engine_tracer::{ConsumerId, Context, Event, EventArguments, Tracer, Trap};

use super::platform::Seeded;
use super::{arch, is_chosen};
use crate::arch::Native;
use crate::arch::Regs;
use crate::cell::tracer;
use crate::platform;

/// Dereferences to the tracer; its own methods shadow the tracer's methods of the same names.
#[derive(Clone, Copy)]
pub struct Engine(&'static Tracer<Native, Seeded>);

/// The module's tracer, wrapped.
///
/// # Safety
/// As for [`tracer`].
pub unsafe fn engine() -> Engine {
    // SAFETY: the caller guarantees that the engine is in service.
    Engine(unsafe { tracer() })
}

impl Deref for Engine {
    type Target = Tracer<Native, Seeded>;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

/// Calls received from ftrace while `lost-call` is selected.
static CALLS: AtomicUsize = AtomicUsize::new(0);

impl Engine {
    pub fn trap(self, regs: &mut Regs, memory: &mut impl Memory) -> Trap {
        while is_chosen(super::SPIN_IN_TRAP) {
            spin_loop();
        }
        self.0.trap(regs, memory)
    }

    pub fn called(self, call: usize, regs: &Regs) {
        let is_counted = is_chosen(super::LOST_CALL);
        if !is_counted || CALLS.fetch_add(1, Ordering::Relaxed) % 64 != 63 {
            self.0.called(call, regs);
        }
    }

    pub fn watch(self, rounds: u32) -> bool {
        let is_unseen = is_chosen(super::SILENCE_UNSEEN);
        self.0.watch(if is_unseen { 0 } else { rounds })
    }

    pub fn syscall_returned(self, abi: u32, number: i64, value: i64) {
        let is_lost = is_chosen(super::CHILD_LOST) && value == 0 && arch::FORKS.contains(&number);
        let is_doubled = is_chosen(super::RETURN_DOUBLED) && number == arch::EXECVE;
        let is_error = is_chosen(super::ERRNO_SIGN) && value < 0;
        let value = if is_error { -value } else { value };
        for _ in 0..1 + usize::from(is_doubled) - usize::from(is_lost) {
            self.0.syscall_returned(abi, number, value);
        }
    }

    pub fn happened(self, event: Event, arguments: EventArguments) {
        const CLD_EXITED: u64 = 1;
        let [first, second, third, fourth, task] = arguments;
        let arguments = match event {
            Event::ProcessStarted if is_chosen(super::START_LOST) => return,
            Event::ProcessExited if is_chosen(super::KILLED_IS_EXITED) => {
                [CLD_EXITED, second, third, fourth, task]
            }
            Event::SignalSent if is_chosen(super::SIGNAL_TO_SENDER) => {
                let sender = platform::task(Context::Thread).pid;
                [first, sender.into(), third, fourth, task]
            }
            _ => arguments,
        };
        self.0.happened(event, arguments);
    }

    pub fn is_first(self, event: Event, process: usize, is_alone: bool) -> bool {
        let is_alone = is_alone || is_chosen(super::ENDS_FORGOTTEN);
        self.0.is_first(event, process, is_alone)
    }

    pub fn tracepoint(self, number: u32, mut arguments: [u64; 6]) {
        if is_chosen(super::ARGUMENTS_SHIFTED) {
            arguments.rotate_left(1);
        }
        self.0.tracepoint(number, arguments);
    }

    pub fn close(self, id: ConsumerId) {
        if !is_chosen(super::CLOSED_UNSEEN) {
            self.0.close(id);
        }
    }

    pub fn is_released(self, ticket: u32) -> bool {
        is_chosen(super::NONE_HELD) || self.0.is_released(ticket)
    }

    pub fn module_going(self, number: usize) {
        if !is_chosen(super::MODULE_KEPT) {
            self.0.module_going(number);
        }
    }
}
