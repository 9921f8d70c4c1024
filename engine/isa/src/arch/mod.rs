//! The seam between an instruction set and what is built on it: how a trap is planned for and taken, and what the
//! calling convention of its functions says.
//!
//! Every implementation compiles on every host. Nothing here knows a kernel or a processor but by its manual and its
//! procedure call standard; what must be asked of the processor itself is a parameter of the type (A64 signs return
//! addresses, so [`Arm64`](crate::arm64::Arm64) takes its [`Processor`](crate::arm64::Processor)).
//!
//! An instruction set may have several [modes](Arch::Mode), which read the same bytes differently. The mode of a
//! piece of text is known to whoever lists it, so it is an argument wherever text is read.

mod variant;

use core::fmt::Debug;
use core::ops::Range;

use crate::body::{self, Exit, Leaves, Set, Text, Unwalked, Walk};
use crate::{Control, Fault, Memory, Plan};

pub use variant::Variant;

/// Memory at an address could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// Reads memory of the code that was interrupted: all bytes, or none.
pub type Load<'a> = dyn FnMut(u64, &mut [u8]) -> Result<(), Unreadable> + 'a;

/// The plan of an instruction of this set.
pub type Planned<A> = Plan<<A as Arch>::Emulation, <A as Arch>::Relocation>;

/// An instruction set with its calling convention.
pub trait Arch: Sized + Send + Sync + 'static {
    /// Which of its encodings a piece of text is in.
    type Mode: Copy + Debug + PartialEq + Send + Sync;
    /// Walks over functions, in [`Self::KERNEL`]'s mode.
    type Set: Set;
    /// The registers that a trap saves.
    type Regs: Copy;
    /// What the trap handler does in place of a displaced instruction.
    type Emulation: Copy + Send + Sync;
    /// A displaced instruction that has the same effect at another address.
    type Relocation: Copy;
    /// Room for the longest instruction.
    type Text: Copy + Default + PartialEq + AsRef<[u8]> + AsMut<[u8]> + Send + Sync;
    /// The bytes of a slot: the copy of a displaced instruction, and the way back.
    type Slot: AsRef<[u8]>;

    /// The mode of the kernel's own text.
    const KERNEL: Self::Mode;
    /// The trapping instruction, which takes the first bytes of a probed one.
    const TRAP: &'static [u8];

    /// Plans for the instruction that `text` begins with.
    fn plan(text: &Self::Text, mode: Self::Mode) -> Planned<Self>;

    /// The length in bytes of the instruction that `plan` is for; 0 where it is refused and has none.
    fn length(plan: &Planned<Self>) -> usize;

    /// What a slot at `at` holds for an instruction displaced from `from`, behind which the next one is at `next`;
    /// none where the copy would be out of reach of what it refers to.
    ///
    /// If it is so for two addresses of slots, it is so for all between them.
    fn slot(
        relocation: Self::Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<Self::Slot>;

    /// Where control goes behind the instruction at `address` that `text` begins with.
    fn control(text: &Self::Text, mode: Self::Mode, address: usize) -> Control;

    /// Whether `text` begins with what Linux puts where it later writes another instruction: the no-op or the branch
    /// of a jump label, the call of a static call.
    fn is_placeholder(text: &Self::Text) -> bool;

    /// Whether Linux will write the instruction at the beginning of `text` again, whatever it finds there by then.
    fn will_be_rewritten(_text: &Self::Text) -> bool {
        false
    }

    /// Whether a compiler lets a function begin with `text`. What does not is data.
    fn begins_function(_text: &Self::Text) -> bool {
        true
    }

    /// Passes every instruction by which control leaves the function to `see`, with its address. `memory` is as
    /// long as [`Arch::room`] says for the function's length in bytes.
    ///
    /// # Errors
    /// [`Unwalked`], and then nothing is known of the function.
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

    /// Passes the target of each direct call of the function, and of each jump out of it, to `see`. A path ends at a
    /// call for which `see` returns false.
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

    /// Whether an instruction of the function branches to `to`. Data in the function may be taken for a branch.
    fn comes_back(text: &Text<'_>, function: Range<usize>, to: usize) -> bool {
        body::comes_back::<Self::Set>(text, widened(function), to as u64)
    }

    /// How many words of memory a walk over a function of so many bytes takes.
    #[must_use]
    fn room(bytes: usize) -> usize {
        body::room::<Self::Set>(bytes as u64)
    }

    /// The address of the trapping instruction.
    fn pc(regs: &Self::Regs) -> usize;

    /// Has the interrupted code resume at the probed instruction of this address, or behind it.
    fn set_pc(regs: &mut Self::Regs, pc: usize);

    /// Has it resume in the slot at this address.
    fn enter(regs: &mut Self::Regs, slot: usize) {
        Self::set_pc(regs, slot);
    }

    /// Argument `number`, from 0, of the function at whose entry the registers were saved, before it has pushed
    /// anything. An argument that cannot be read is 0.
    fn argument(regs: &Self::Regs, mode: Self::Mode, number: u64, load: &mut Load<'_>) -> u64;

    /// The return address of that function.
    fn caller(regs: &Self::Regs, mode: Self::Mode, load: &mut Load<'_>) -> u64;

    /// What a function returns, with the registers at an instruction by which it leaves.
    fn returned(regs: &Self::Regs) -> u64;

    /// Whether an instruction that can leave a function does so with these registers: a conditional one may not.
    fn goes(emulation: Self::Emulation, regs: &Self::Regs) -> bool;

    /// The registers in the caller, once the instruction at which they were saved has left the function. None where
    /// stacks are unwound without them.
    fn after(
        _emulation: Self::Emulation,
        _leaves: Leaves,
        _regs: &Self::Regs,
        _memory: &mut impl Memory,
    ) -> Option<Self::Regs> {
        None
    }

    /// Does the displaced instruction at the registers' pc, and moves the pc on.
    ///
    /// # Errors
    /// [`Fault`] where the instruction would have faulted. The registers are then untouched.
    fn emulate(
        emulation: Self::Emulation,
        regs: &mut Self::Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault>;
}

fn widened(function: Range<usize>) -> Range<u64> {
    function.start as u64..function.end as u64
}

/// The word of `N` bytes, little-endian, that is `index` words above `top`; 0 where it cannot be read.
pub(crate) fn stack_word<const N: usize>(top: u64, index: u64, load: &mut Load<'_>) -> u64 {
    let address = top.wrapping_add(index.wrapping_mul(N as u64));
    let mut word = [0; 8];
    let read = word.get_mut(..N).map(|bytes| load(address, bytes));
    match read {
        Some(Ok(())) => u64::from_le_bytes(word),
        _ => 0,
    }
}
