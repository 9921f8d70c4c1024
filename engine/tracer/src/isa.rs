//! What the engine needs of an instruction set.

use core::ops::Range;

use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Control, Fault, Memory, Plan};

use crate::platform::Unreadable;
use crate::providers::fbt::{Leaves, Untrappable};

/// Reads memory of the kernel.
pub type Load<'a> = dyn FnMut(u64, &mut [u8]) -> Result<(), Unreadable> + 'a;

/// What an instruction set plans for an instruction.
pub type Planned<I> = Plan<<I as Isa>::Emulation, <I as Isa>::Relocation>;

/// An instruction set.
pub trait Isa: Sized + Send + Sync + 'static {
    /// The registers that a trap saves.
    type Regs;
    /// What the handler will do in place of a displaced instruction.
    type Emulation: Copy + Send + Sync;
    /// A displaced instruction that does the same wherever it stands.
    type Relocation: Copy;

    /// Room for its longest instruction.
    type Text: Copy + Default + PartialEq + AsRef<[u8]> + AsMut<[u8]> + Send + Sync;

    /// The bytes of a slot: a copy of a displaced instruction, and the way back from it.
    type Slot: AsRef<[u8]>;

    /// The trapping instruction, which takes the first bytes of a probed one.
    const TRAP: &'static [u8];

    /// Functions on the way from this trap to its handler, and from there back, that the kernel's
    /// own blacklist does not have: names, as globs, each with a sentence that says why.
    const TOXIC: &'static [(&'static [u8], &'static str)];

    /// What runs on that way and is listed among functions, but is none: thunks and the like.
    const GLUE: &'static [(&'static [u8], &'static str)] = &[];

    /// Paths on which no trap can be taken. They are followed in the text of the running kernel.
    fn untrappable() -> &'static [Untrappable] {
        &[]
    }

    /// Shows the target of each direct call, and of each jump to another function, that control gets to in the function
    /// which has this text. A path ends at a call for which `see` answers false.
    fn calls(
        _text: &Text<'_>,
        _function: Range<usize>,
        _memory: &mut [u64],
        _see: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), Unwalked> {
        Ok(())
    }

    /// Plans for the instruction that `text` begins with.
    fn plan(text: &Self::Text) -> Planned<Self>;

    /// How many bytes the instruction has that `text` begins with, and that `plan` is for.
    fn length(plan: &Planned<Self>) -> usize;

    /// What is written to the slot at address `at` for an instruction displaced from address `from`,
    /// behind which the one at `next` comes; none where the copy would stand too far from what it names.
    ///
    /// Where it is so for two addresses of slots, it is so for all between them.
    fn slot(
        relocation: Self::Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<Self::Slot>;

    /// Whether kernels put the instruction that `text` begins with where they later write another: a
    /// no-op, or a jump.
    fn is_placeholder(text: &Self::Text) -> bool;

    /// Whether the kernel will write the instruction that `text` begins with again, by what it has made of it.
    fn will_be_rewritten(_: &Self::Text) -> bool {
        false
    }

    /// Where control goes behind the instruction that `text` begins with, if that is at `address`.
    fn control(text: &Self::Text, address: usize) -> Control;

    /// Whether a function can begin with `text`: what no compiler makes one begin with is data.
    fn begins_function(text: &Self::Text) -> bool;

    /// Shows every instruction that leaves the function which has this text, and how; with so much
    /// memory as `room` says that so many bytes need.
    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked>;

    /// Whether an instruction of the function that has this text branches to `to`. It may be wrong where there
    /// are data in the function.
    fn comes_back(text: &Text<'_>, function: Range<usize>, to: usize) -> bool;

    /// How many words of memory it takes to find what leaves a function of so many bytes.
    fn room(bytes: usize) -> usize;

    /// Where the trap was taken: the address of the trapping instruction.
    fn pc(regs: &Self::Regs) -> usize;

    /// Makes `pc` the place to go on from.
    fn set_pc(regs: &mut Self::Regs, pc: usize);

    /// Makes the slot at that address the place to go on from.
    fn enter(regs: &mut Self::Regs, slot: usize) {
        Self::set_pc(regs, slot);
    }

    /// The argument of this number, from 0, of a function whose entry the registers were saved at:
    /// before it has pushed anything. What cannot be read is 0.
    fn argument(regs: &Self::Regs, number: u64, load: &mut Load<'_>) -> u64;

    /// Where that function will return to.
    fn caller(regs: &Self::Regs, load: &mut Load<'_>) -> u64;

    /// What a function returns, with the registers at an instruction that leaves it.
    fn returned(regs: &Self::Regs) -> u64;

    /// Whether an instruction that leaves a function does so with these registers, or goes on.
    fn goes(emulation: Self::Emulation, regs: &Self::Regs) -> bool;

    /// The registers in the code that a function returns to, with its own at an instruction that leaves it so.
    /// None where the platform finds the callers from there by itself.
    fn after(_: Self::Emulation, _: Leaves, _: &Self::Regs) -> Option<Self::Regs> {
        None
    }

    /// Does what the displaced instruction would have done at the registers' pc, and moves on
    /// behind it.
    fn emulate(
        emulation: Self::Emulation,
        regs: &mut Self::Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault>;
}
