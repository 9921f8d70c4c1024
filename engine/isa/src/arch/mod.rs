//! The interface between an instruction set with its calling convention and the engine: planning
//! for a displaced instruction, taking the trap, reading arguments and return values.
//!
//! Every implementation compiles on every host. Nothing here knows a kernel or a processor beyond
//! its manual and its procedure call standard. What only the running processor can answer is a type
//! parameter: A64 signs return addresses, so [`Arm64`](crate::arm64::Arm64) takes its
//! [`Processor`](crate::arm64::Processor).
//!
//! An instruction set may have several [modes](Arch::Mode) that decode the same bytes differently.
//! The mode of a piece of text is not in the text, so it is an argument wherever text is decoded.

mod variant;

use core::fmt::Debug;
use core::ops::Range;

use crate::body::{self, Exit, Leaves, Set, Text, Unwalked, Walk};
use crate::{Control, Exclusive, Fault, Memory, Plan};

pub use variant::Variant;

/// Memory at an address that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// Reads memory of the interrupted code: all of the bytes, or none.
pub type Load<'a> = dyn FnMut(u64, &mut [u8]) -> Result<(), Unreadable> + 'a;

/// The plan for an instruction of this set.
pub type Planned<A> = Plan<<A as Arch>::Emulation, <A as Arch>::Relocation>;

/// An instruction set with its calling convention.
pub trait Arch: Sized + Send + Sync + 'static {
    /// The encoding that a piece of text uses.
    type Mode: Copy + Debug + PartialEq + Send + Sync;
    /// The instruction set that walks over kernel functions decode.
    type Set: Set;
    /// The registers that a trap saves, and that a firing reads.
    type Regs: Copy;
    /// What the trap handler does in place of a displaced instruction.
    type Emulation: Copy + Send + Sync;
    /// A displaced instruction that has the same effect when it runs at another address.
    type Relocation: Copy;
    /// Enough bytes for the longest instruction.
    type Text: Copy + Default + PartialEq + AsRef<[u8]> + AsMut<[u8]> + Send + Sync;
    /// The contents of a slot: the copy of a displaced instruction, and the jump back.
    type Slot: AsRef<[u8]>;

    /// The mode of kernel text.
    const KERNEL: Self::Mode;
    /// The breakpoint instruction, which replaces the first bytes of a probed one.
    const TRAP: &'static [u8];

    /// Plans for the first instruction of `text`.
    fn plan(text: &Self::Text, mode: Self::Mode) -> Planned<Self>;

    /// The length in bytes of the instruction that `plan` is for; 0 if it is refused and has none.
    fn length(plan: &Planned<Self>) -> usize;

    /// The address and the mode of the code that a symbol's value or a function pointer names. `is_compat`
    /// tells of a program whose words are shorter than the kernel's.
    fn code_at(pointer: usize, _is_compat: bool) -> (usize, Self::Mode) {
        (pointer, Self::KERNEL)
    }

    /// The bytes of a slot for an instruction of this mode. Modes of one program have the same.
    fn slot_size(_mode: Self::Mode) -> usize {
        size_of::<Self::Slot>()
    }

    /// The bits of the program status in which this mode is executed.
    fn status(_mode: Self::Mode) -> u32 {
        0
    }

    /// The mode of the instruction after the first one of `text`, if control falls through to it.
    fn next_mode(_text: &Self::Text, mode: Self::Mode) -> Self::Mode {
        mode
    }

    /// The breakpoint for an instruction of this mode and length.
    fn trap(_mode: Self::Mode, _length: usize) -> &'static [u8] {
        Self::TRAP
    }

    /// What the first instruction of `text` does to the exclusive monitor, if the set has one.
    fn exclusive(_text: &Self::Text, _mode: Self::Mode) -> Option<Exclusive> {
        None
    }

    /// Whether `text` begins with the breakpoint of some mode.
    fn is_trap(text: &[u8]) -> bool {
        text.starts_with(Self::TRAP)
    }

    /// The contents of a slot at `at` for an instruction displaced from `from` whose successor is
    /// at `next`. `None` if the copy could not reach what it refers to.
    ///
    /// If two slot addresses work, so does every address between them.
    fn slot(
        relocation: Self::Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<Self::Slot>;

    /// Where control goes after the instruction at `address`, the first of `text`.
    fn control(text: &Self::Text, mode: Self::Mode, address: usize) -> Control;

    /// Whether `text` begins with a site that Linux patches later: the no-op or branch of a jump
    /// label, or the call of a static call.
    fn is_placeholder(text: &Self::Text) -> bool;

    /// Whether Linux will patch the first instruction of `text` again, whatever is there by then.
    fn will_be_rewritten(_text: &Self::Text) -> bool {
        false
    }

    /// Whether a compiler emits `text` as the first instruction of a function. Anything else is
    /// data.
    fn begins_function(_text: &Self::Text) -> bool {
        true
    }

    /// Calls `see` with every instruction by which control leaves the function, and its address.
    /// `memory` has as many words as [`Arch::room`] gives for the function's length in bytes.
    ///
    /// # Errors
    /// [`Unwalked`]; nothing is known of the function then.
    #[inline(never)]
    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        let walk = Walk::<Self::Set>::over(text, widened(function), memory)?;
        walk.exits(&mut |address, exit| see(address as usize, exit));
        Ok(())
    }

    /// Calls `see` with the address and the mode of every instruction of the function, in ascending
    /// order, and then of every exit, like [`Arch::exits`]. `mode` is the first one's, `function`
    /// begins at its address, and `memory` has as many words as [`Arch::room`] gives.
    ///
    /// # Errors
    /// [`Unwalked`], as for [`Arch::exits`].
    #[inline(never)]
    fn instructions(
        text: &Text<'_>,
        function: Range<usize>,
        mode: Self::Mode,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Self::Mode, Option<Exit>),
    ) -> Result<(), Unwalked> {
        instructions::<Self::Set>(text, function, memory, &mut |address, exit| {
            see(address, mode, exit);
        })
    }

    /// Calls `see` with the target of each direct call of the function, and of each jump out of it.
    /// The walk does not continue after a call for which `see` returns false.
    ///
    /// # Errors
    /// [`Unwalked`], as for [`Arch::exits`].
    #[inline(never)]
    fn calls(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), Unwalked> {
        body::calls::<Self::Set>(text, widened(function), memory, see)
    }

    /// Whether an instruction of the function branches to `to`. Data in the function may be
    /// mistaken for a branch.
    fn comes_back(text: &Text<'_>, function: Range<usize>, to: usize) -> bool {
        body::comes_back::<Self::Set>(text, widened(function), to as u64)
    }

    /// Words of memory that a walk over a function of this many bytes needs, whose first
    /// instruction is of this mode.
    #[must_use]
    fn room(bytes: usize, _mode: Self::Mode) -> usize {
        body::room::<Self::Set>(bytes as u64)
    }

    /// The address of the breakpoint instruction.
    fn pc(regs: &Self::Regs) -> usize;

    /// Makes the interrupted code resume at `pc`: the probed instruction, or the one after it.
    fn set_pc(regs: &mut Self::Regs, pc: usize);

    /// Makes the interrupted code resume in the slot at this address.
    fn enter(regs: &mut Self::Regs, slot: usize) {
        Self::set_pc(regs, slot);
    }

    /// Whether the slot of an instruction of this mode ends in a breakpoint instead of in a jump
    /// back; then [`Arch::leave`] goes back.
    fn ends_in_trap(_mode: Self::Mode) -> bool {
        false
    }

    /// Makes the interrupted code resume at `next`, from the breakpoint at the end of the slot of an
    /// instruction of this mode.
    fn leave(regs: &mut Self::Regs, _mode: Self::Mode, next: usize) {
        Self::set_pc(regs, next);
    }

    /// Argument `number`, from 0. The registers were saved at the function's entry, before it has
    /// pushed anything. An argument that cannot be read is 0.
    fn argument(regs: &Self::Regs, mode: Self::Mode, number: u64, load: &mut Load<'_>) -> u64;

    /// The return address, with the registers saved at the function's entry.
    fn caller(regs: &Self::Regs, mode: Self::Mode, load: &mut Load<'_>) -> u64;

    /// The return value, with the registers saved at an instruction by which the function leaves.
    fn returned(regs: &Self::Regs) -> u64;

    /// Whether an instruction that can leave the function does so with these registers: a
    /// conditional one may not.
    fn goes(emulation: Self::Emulation, regs: &Self::Regs) -> bool;

    /// The caller's registers after the instruction at which `regs` were saved has left the
    /// function. `None` where the stack is unwound without them.
    fn after(
        _emulation: Self::Emulation,
        _leaves: Leaves,
        _regs: &Self::Regs,
        _memory: &mut impl Memory,
    ) -> Option<Self::Regs> {
        None
    }

    /// Emulates the displaced instruction at the registers' pc, and advances the pc.
    ///
    /// # Errors
    /// [`Fault`] if the instruction would have faulted; the registers are unchanged then.
    fn emulate(
        emulation: Self::Emulation,
        regs: &mut Self::Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault>;
}

/// [`Arch::instructions`] where all have the same mode.
pub(crate) fn instructions<S: Set>(
    text: &Text<'_>,
    function: Range<usize>,
    memory: &mut [u64],
    see: &mut dyn FnMut(usize, Option<Exit>),
) -> Result<(), Unwalked> {
    let walk = Walk::<S>::over(text, widened(function), memory)?;
    for address in walk.instructions() {
        see(address as usize, None);
    }
    walk.exits(&mut |address, exit| see(address as usize, Some(exit)));
    Ok(())
}

pub(crate) fn widened(function: Range<usize>) -> Range<u64> {
    function.start as u64..function.end as u64
}

/// The little-endian word of `N` bytes that is `index` words above `top`; 0 if it cannot be read.
pub(crate) fn stack_word<const N: usize>(top: u64, index: u64, load: &mut Load<'_>) -> u64 {
    let address = top.wrapping_add(index.wrapping_mul(N as u64));
    let mut word = [0; 8];
    let read = word.get_mut(..N).map(|bytes| load(address, bytes));
    match read {
        Some(Ok(())) => u64::from_le_bytes(word),
        _ => 0,
    }
}
