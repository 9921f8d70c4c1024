//! Execution of the displaced instruction, after a hit.

use engine_isa::{Arch, Memory, Plan};

use super::Site;

/// How the interrupted code continues after a hit.
#[derive(Debug, Clone, Copy)]
pub enum Resume<E> {
    /// The handler emulates the displaced instruction.
    Emulate(E),
    /// The CPU executes a copy of it in the slot at this address.
    Slot(usize),
    /// Unchanged: an ftrace call displaced nothing.
    On,
}

/// The outcome of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trap {
    /// Handled: the registers say where to continue.
    Resumed,
    /// The site was disarmed while the trap was in flight; its text is back and the pc points to
    /// it.
    Retry,
    /// Not our trap.
    Stray,
    /// The displaced instruction could not be executed.
    Failed,
}

/// Chooses how to continue after a hit; none if the site cannot be armed, as when a relocated
/// instruction has no slot.
pub fn of<A: Arch>(site: &Site<A>) -> Option<Resume<A::Emulation>> {
    if site.call.is_some() {
        return Some(Resume::On);
    }
    if site.owned_by_kprobe {
        return None;
    }
    match A::plan(&site.text, A::KERNEL) {
        Plan::Emulate(emulation) => Some(Resume::Emulate(emulation)),
        Plan::Relocate(_) => site.slot.map(Resume::Slot),
        Plan::Refuse(_) => None,
    }
}

/// Whether an instruction that may leave the function leaves it this time, as a conditional one may
/// not.
pub fn leaves_now<A: Arch>(resume: Resume<A::Emulation>, regs: &A::Regs) -> bool {
    match resume {
        Resume::Emulate(emulation) => A::goes(emulation, regs),
        Resume::Slot(_) | Resume::On => true,
    }
}

/// Emulates the instruction displaced at `pc`, or sends the CPU to its slot. Runs in the trap,
/// without the guard.
pub fn resume<A: Arch>(
    resume: Resume<A::Emulation>,
    pc: usize,
    regs: &mut A::Regs,
    memory: &mut impl Memory,
) -> Trap {
    match resume {
        Resume::Slot(slot) => {
            A::enter(regs, slot);
            Trap::Resumed
        }
        // No trap is placed at such a site.
        Resume::On => Trap::Failed,
        Resume::Emulate(emulation) => {
            A::set_pc(regs, pc);
            match A::emulate(emulation, regs, memory) {
                Ok(()) => Trap::Resumed,
                Err(_) => Trap::Failed,
            }
        }
    }
}
