//! AArch64 with programs in AArch32 state beside its own, as a 64-bit kernel has them.
//!
//! Such a program has the mode of its state, and the plans of [`Arm`]. Its registers are where an
//! exception saves them (D1.8.1, DDI 0487M.a): r0 to r14 are the lower halves of x0 to x14, and SPSR is
//! the program status, with the fields that a kernel in AArch32 state would find there.

use core::fmt;
use core::ops::Range;

use super::{A64, Arm64, Processor, Regs};
use crate::arch::{Arch, Load, Planned};
use crate::arm::{self, Arm, Version};
use crate::body::{Exit, Leaves, Text, Unwalked};
use crate::{Control, Exclusive, Fault, Memory, Plan};

/// AArch64 on a processor that signs pointers as `P` does, and 32-bit programs.
#[derive(Clone, Copy, Debug)]
pub struct WithPrograms<P>(Arm64<P>);

/// The instruction sets of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A64: the kernel, and 64-bit programs.
    Long,
    /// A32 or T32: 32-bit programs.
    Compat(arm::Mode),
}

/// What is done in place of a displaced instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emulation {
    /// Of A64.
    Long(super::Emulation),
    /// Of a 32-bit program.
    Compat(arm::Emulation),
}

/// A displaced instruction that has the same effect elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relocation {
    /// Of A64.
    Long(super::Relocation),
    /// Of a 32-bit program.
    Compat(arm::Relocation),
}

/// The contents of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Of A64.
    Long([u8; super::Relocation::SIZE]),
    /// Of a 32-bit program.
    Compat([u8; arm::Relocation::SIZE]),
}

/// `bkpt #0xfb` of A32 and of T32 (F5.1.23). In Thumb state its condition is none, that of its IT block
/// included. Linux uses it for nothing, and debuggers use undefined instructions.
const A32_TRAP: [u8; 4] = 0xe120_0f7b_u32.to_le_bytes();
const T32_TRAP: [u8; 2] = 0xbefb_u16.to_le_bytes();

/// PSTATE.nRW: AArch32 state.
const IS_32_BIT: u64 = 1 << 4;

const fn is_32_bit(regs: &Regs) -> bool {
    regs.pstate & IS_32_BIT != 0
}

/// The registers of a 32-bit program.
fn narrowed(regs: &Regs) -> arm::Regs {
    let mut narrow = arm::Regs {
        r: [0; 16],
        cpsr: regs.pstate as u32,
    };
    let [general @ .., pc] = &mut narrow.r;
    let saved = general.iter_mut().zip(&regs.x);
    saved.for_each(|(to, from)| *to = *from as u32);
    *pc = regs.pc as u32;
    narrow
}

/// Where an exception saves them.
fn widened(narrow: &arm::Regs, regs: &Regs) -> Regs {
    let mut regs = *regs;
    let [general @ .., pc] = &narrow.r;
    let saved = regs.x.iter_mut().zip(general);
    saved.for_each(|(to, from)| *to = u64::from(*from));
    regs.pc = u64::from(*pc);
    regs.pstate = u64::from(narrow.cpsr);
    regs
}

/// Has the registers changed as those of a 32-bit program. Out of line, like all that only such a
/// program needs: it costs the others one comparison.
#[cold]
#[inline(never)]
fn change(regs: &mut Regs, change: impl FnOnce(&mut arm::Regs)) {
    let mut narrow = narrowed(regs);
    change(&mut narrow);
    *regs = widened(&narrow, regs);
}

#[cold]
#[inline(never)]
fn emulate(
    emulation: arm::Emulation,
    regs: &mut Regs,
    memory: &mut impl Memory,
) -> Result<(), Fault> {
    let mut narrow = narrowed(regs);
    emulation.run(Version::V7, &mut narrow, memory)?;
    *regs = widened(&narrow, regs);
    Ok(())
}

#[cold]
#[inline(never)]
fn argument(regs: &Regs, mode: arm::Mode, number: u64, load: &mut Load<'_>) -> u64 {
    Arm::argument(&narrowed(regs), mode, number, load)
}

#[cold]
#[inline(never)]
fn goes(emulation: arm::Emulation, regs: &Regs) -> bool {
    emulation.goes(&narrowed(regs))
}

impl<P: Processor + Default + Send + Sync + 'static> Arch for WithPrograms<P> {
    type Mode = Mode;
    type Set = A64;
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; 4];
    type Slot = Slot;

    const KERNEL: Mode = Mode::Long;
    const TRAP: &'static [u8] = Arm64::<P>::TRAP;

    fn plan(text: &[u8; 4], mode: Mode) -> Planned<Self> {
        match mode {
            Mode::Long => match Arm64::<P>::plan(text, ()) {
                Plan::Emulate(emulation) => Plan::Emulate(Emulation::Long(emulation)),
                Plan::Relocate(relocation) => Plan::Relocate(Relocation::Long(relocation)),
                Plan::Refuse(why) => Plan::Refuse(why),
            },
            Mode::Compat(mode) => match Arm::plan(text, mode) {
                Plan::Emulate(emulation) => Plan::Emulate(Emulation::Compat(emulation)),
                Plan::Relocate(relocation) => Plan::Relocate(Relocation::Compat(relocation)),
                Plan::Refuse(why) => Plan::Refuse(why),
            },
        }
    }

    fn length(plan: &Planned<Self>) -> usize {
        match plan {
            Plan::Emulate(Emulation::Compat(emulation)) => emulation.length(),
            Plan::Relocate(Relocation::Compat(relocation)) => relocation.length(),
            _ => Self::TRAP.len(),
        }
    }

    fn code_at(pointer: usize, is_compat: bool) -> (usize, Mode) {
        match is_compat {
            false => (pointer, Mode::Long),
            true => {
                let (address, mode) = Arm::code_at(pointer, is_compat);
                (address, Mode::Compat(mode))
            }
        }
    }

    fn slot_size(mode: Mode) -> usize {
        match mode {
            Mode::Long => super::Relocation::SIZE,
            Mode::Compat(_) => arm::Relocation::SIZE,
        }
    }

    fn status(mode: Mode) -> u32 {
        match mode {
            Mode::Long => 0,
            Mode::Compat(mode) => Arm::status(mode),
        }
    }

    fn next_mode(text: &[u8; 4], mode: Mode) -> Mode {
        match mode {
            Mode::Long => mode,
            Mode::Compat(mode) => Mode::Compat(Arm::next_mode(text, mode)),
        }
    }

    fn trap(mode: Mode, _: usize) -> &'static [u8] {
        match mode {
            Mode::Long => Self::TRAP,
            Mode::Compat(arm::Mode::A32) => &A32_TRAP,
            Mode::Compat(arm::Mode::T32(_)) => &T32_TRAP,
        }
    }

    fn exclusive(text: &[u8; 4], mode: Mode) -> Option<Exclusive> {
        match mode {
            Mode::Long => Arm64::<P>::exclusive(text, ()),
            Mode::Compat(mode) => Arm::exclusive(text, mode),
        }
    }

    fn is_trap(text: &[u8]) -> bool {
        let mut traps = [Self::TRAP, &A32_TRAP, &T32_TRAP].into_iter();
        traps.any(|trap| text.starts_with(trap))
    }

    fn slot(relocation: Relocation, at: usize, from: usize, next: usize) -> Option<Slot> {
        match relocation {
            Relocation::Long(relocation) => {
                Arm64::<P>::slot(relocation, at, from, next).map(Slot::Long)
            }
            Relocation::Compat(relocation) => {
                let slot = Arm::slot(relocation, at, from, next)?;
                Some(Slot::Compat(with_trap(slot, relocation.length())))
            }
        }
    }

    fn control(text: &[u8; 4], mode: Mode, address: usize) -> Control {
        match mode {
            Mode::Long => Arm64::<P>::control(text, (), address),
            Mode::Compat(mode) => Arm::control(text, mode, address),
        }
    }

    fn is_placeholder(text: &[u8; 4]) -> bool {
        Arm64::<P>::is_placeholder(text)
    }

    fn instructions(
        text: &Text<'_>,
        function: Range<usize>,
        mode: Mode,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Mode, Option<Exit>),
    ) -> Result<(), Unwalked> {
        match mode {
            Mode::Long => {
                Arm64::<P>::instructions(text, function, (), memory, &mut |at, (), exit| {
                    see(at, Mode::Long, exit);
                })
            }
            Mode::Compat(mode) => {
                Arm::instructions(text, function, mode, memory, &mut |at, mode, exit| {
                    see(at, Mode::Compat(mode), exit);
                })
            }
        }
    }

    fn room(bytes: usize, mode: Mode) -> usize {
        match mode {
            Mode::Long => Arm64::<P>::room(bytes, ()),
            Mode::Compat(mode) => Arm::room(bytes, mode),
        }
    }

    fn pc(regs: &Regs) -> usize {
        Arm64::<P>::pc(regs)
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        Arm64::<P>::set_pc(regs, pc);
    }

    fn enter(regs: &mut Regs, slot: usize) {
        match is_32_bit(regs) {
            false => Arm64::<P>::enter(regs, slot),
            true => change(regs, |regs| Arm::enter(regs, slot)),
        }
    }

    fn ends_in_trap(mode: Mode) -> bool {
        matches!(mode, Mode::Compat(mode) if Arm::ends_in_trap(mode))
    }

    fn leave(regs: &mut Regs, mode: Mode, next: usize) {
        match mode {
            Mode::Long => Arm64::<P>::leave(regs, (), next),
            Mode::Compat(mode) => change(regs, |regs| Arm::leave(regs, mode, next)),
        }
    }

    fn argument(regs: &Regs, mode: Mode, number: u64, load: &mut Load<'_>) -> u64 {
        match mode {
            Mode::Long => Arm64::<P>::argument(regs, (), number, load),
            Mode::Compat(mode) => argument(regs, mode, number, load),
        }
    }

    fn caller(regs: &Regs, mode: Mode, load: &mut Load<'_>) -> u64 {
        match mode {
            Mode::Long => Arm64::<P>::caller(regs, (), load),
            Mode::Compat(mode) => Arm::caller(&narrowed(regs), mode, load),
        }
    }

    fn returned(regs: &Regs) -> u64 {
        let value = Arm64::<P>::returned(regs);
        match is_32_bit(regs) {
            false => value,
            true => u64::from(value as u32),
        }
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        match emulation {
            Emulation::Long(emulation) => emulation.goes(regs),
            Emulation::Compat(emulation) => goes(emulation, regs),
        }
    }

    fn after(
        emulation: Emulation,
        leaves: Leaves,
        regs: &Regs,
        memory: &mut impl Memory,
    ) -> Option<Regs> {
        match emulation {
            Emulation::Long(emulation) => Arm64::<P>::after(emulation, leaves, regs, memory),
            Emulation::Compat(emulation) => {
                let after = Arm::after(emulation, leaves, &narrowed(regs), memory)?;
                Some(widened(&after, regs))
            }
        }
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        match emulation {
            Emulation::Long(emulation) => Arm64::<P>::emulate(emulation, regs, memory),
            Emulation::Compat(emulation) => emulate(emulation, regs, memory),
        }
    }
}

/// A slot with this set's breakpoint, if it ends in one, behind a copy of so many bytes.
fn with_trap(mut slot: [u8; arm::Relocation::SIZE], copied: usize) -> [u8; arm::Relocation::SIZE] {
    let behind = slot.get_mut(copied..).unwrap_or_default();
    if behind.starts_with(&arm::t32::TRAP.to_le_bytes())
        && let Some(trap) = behind.first_chunk_mut()
    {
        *trap = T32_TRAP;
    }
    slot
}

impl AsRef<[u8]> for Slot {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Long(slot) => slot,
            Self::Compat(slot) => slot,
        }
    }
}

/// The instruction in the slot.
impl fmt::Display for Relocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long(relocation) => relocation.fmt(out),
            Self::Compat(relocation) => relocation.fmt(out),
        }
    }
}
