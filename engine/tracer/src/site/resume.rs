//! How interrupted code goes on behind a site.

use engine_isa::{Arch, Memory, Plan};

use super::Site;

/// How the code that a trap interrupted goes on.
#[derive(Debug, Clone, Copy)]
pub enum Resume<E> {
    /// The handler does the displaced instruction itself.
    Emulate(E),
    /// The slot at this address does.
    Slot(usize),
    /// As it is: nothing was displaced.
    On,
}

/// What became of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trap {
    /// The registers are as the displaced instruction would have left them.
    Resumed,
    /// The site was disarmed meanwhile: its own instruction is back, and can be run.
    Retry,
    /// Not a trap of ours.
    Stray,
    /// The displaced instruction could not be carried out.
    Failed,
}

/// What is done when the site is hit, if anything can be: an instruction that is relocated needs a slot.
pub fn of<A: Arch>(site: &Site<A>) -> Option<Resume<A::Emulation>> {
    if site.call.is_some() {
        return Some(Resume::On);
    }
    if site.is_taken {
        return None;
    }
    match A::plan(&site.text, A::KERNEL) {
        Plan::Emulate(emulation) => Some(Resume::Emulate(emulation)),
        Plan::Relocate(_) => site.slot.map(Resume::Slot),
        Plan::Refuse(_) => None,
    }
}

/// Whether an instruction that leaves a function does so now: on a condition it may not.
pub fn leaves_now<A: Arch>(resume: Resume<A::Emulation>, regs: &A::Regs) -> bool {
    match resume {
        Resume::Emulate(emulation) => A::goes(emulation, regs),
        Resume::Slot(_) | Resume::On => true,
    }
}

/// Does the instruction that a trap at `pc` displaced, or has the CPU go on in its slot.
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
        // Nothing traps there.
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
