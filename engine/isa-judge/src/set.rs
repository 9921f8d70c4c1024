//! What execution needs to know of an instruction set. The procedure is the same for all: see
//! [`case`](crate::case) and [`execution`](crate::execution).

use std::fmt;

use engine_isa::{Fault, Plan};

use crate::prng::Rng;
use crate::state::{Names, State};
use crate::window::{Data, SLOTS_BYTES, Window};

/// The plan for an instruction of a set.
pub type PlanOf<S> = Plan<<S as Set>::Emulation, <S as Set>::Relocation>;

/// An instruction set.
pub trait Set: Copy + PartialEq + fmt::Debug + 'static {
    /// An instruction: a word, or as many bytes as the longest has.
    type Instruction: Copy + PartialEq + fmt::Debug + Send;
    /// An emulated instruction.
    type Emulation: Copy;
    /// A relocated instruction.
    type Relocation: Copy;

    /// Its name.
    const NAME: &'static str;
    /// The reference processors, by name.
    const PROCESSORS: &'static [&'static str];
    /// Optional processors, which this host may not have.
    const MORE_PROCESSORS: &'static [&'static str] = &[];
    /// Bytes of the page for an instruction and the stop instruction after it.
    const PLACE_BYTES: usize;
    /// Bytes for a slot and the stop instruction after it.
    const SLOT_BYTES: usize;
    /// An instruction that no processor continues after.
    const STOP: &'static [u8];
    /// An instruction that is refused.
    const REFUSED: Self::Instruction;
    /// The number of core registers in a state; those after them are used by some instructions
    /// only.
    const CORE: usize;
    /// Index of the program counter in a state.
    const PC: usize;
    /// Index of the flags in a state.
    const FLAGS: usize;
    /// The flags that may have any value.
    const FREE_FLAGS: u64;
    /// Rows that accept words which no processor implements, each with the reason.
    const NOT_KNOWN: &'static [(&'static str, &'static str)];
    /// The regression cases, as lines.
    const KEPT: &'static str;
    /// The number of instructions on a page.
    const PLACES: usize = {
        let places = crate::window::CODE_BYTES / Self::PLACE_BYTES;
        assert!(places * Self::SLOT_BYTES <= SLOTS_BYTES);
        places
    };

    /// Why no processor implements some instructions that the row with this name accepts, if known.
    fn why_not_known(name: &str) -> Option<&'static str> {
        let entry = Self::NOT_KNOWN.iter().find(|(row, _)| *row == name);
        entry.map(|(_, why)| *why)
    }
    /// Why no instruction of a row is compared, if known.
    fn why_none(name: &str) -> Option<&'static str> {
        Self::why_not_known(name)
    }
    /// The names of the registers.
    fn names() -> Names;
    /// The name of each row of the table.
    fn rows() -> Vec<&'static str>;
    /// The row of an instruction.
    fn row(instruction: Self::Instruction) -> usize;
    /// The plan for an instruction.
    fn plan(instruction: Self::Instruction) -> PlanOf<Self>;
    /// The contents of a slot at `at` for the instruction at `from`; `None` if it is out of reach.
    fn slot(relocation: Self::Relocation, at: u64, from: u64) -> Option<Vec<u8>>;
    /// Emulates the instruction as the trap handler would.
    ///
    /// # Errors
    /// [`Fault`] if the instruction faults.
    fn emulate(
        emulation: Self::Emulation,
        processor: &'static str,
        state: &mut State,
        window: &mut Window,
    ) -> Result<(), Fault>;

    /// Prepares the registers for the slot at this address, beside the program counter.
    fn enter(_: &mut State, _slot: u64) {}
    /// The address in the slot at `slot` at which the copy of an instruction ends, if that is in a
    /// breakpoint.
    fn trapped_at(_: Self::Instruction, _slot: u64) -> Option<u64> {
        None
    }
    /// What the trap handler does at that breakpoint, for the instruction at `from`.
    fn leave(_: Self::Instruction, _: &mut State, _from: u64) {}

    /// What is restored beside the program counter after a fault in a slot.
    fn faulted(_: &mut State, _before: &State) {}

    /// A random instruction.
    fn any(rng: &mut Rng) -> Self::Instruction;
    /// A random instruction of a row; an earlier row may still match it.
    fn drawn(row: usize, rng: &mut Rng) -> Self::Instruction;
    /// Whether an instruction belongs to this row and is accepted.
    fn is_accepted(row: usize, one: Self::Instruction) -> bool {
        Self::row(one) == row && !matches!(Self::plan(one), Plan::Refuse(_))
    }
    /// Whether a row accepts anything, judging by some thousands of samples.
    fn accepts(row: usize) -> bool {
        let mut rng = Rng::with_seed(row as u64);
        (0..4096).any(|_| Self::is_accepted(row, Self::drawn(row, &mut rng)))
    }
    /// The number of this row's instructions in the real text that cases are made from.
    fn in_text(_row: usize) -> u64 {
        0
    }
    /// Random registers that suit the instruction at `pc`.
    fn state(instruction: Self::Instruction, pc: u64, rng: &mut Rng) -> State;
    /// The bytes of an instruction.
    fn bytes(instruction: &Self::Instruction) -> Vec<u8>;
    /// An instruction in hexadecimal.
    fn text(instruction: Self::Instruction) -> String;
    /// Parses hexadecimal digits.
    fn read(text: &str) -> Option<Self::Instruction>;
    /// Simpler instructions of the same row, each simpler in one respect.
    fn simpler(instruction: Self::Instruction) -> Vec<Self::Instruction>;

    /// A new processor.
    fn machine(processor: &'static str) -> Box<dyn Machine>;
    /// Whether an instruction uses registers beyond the first [`Set::CORE`].
    fn is_wide(instruction: Self::Instruction) -> bool;
    /// The maximum number of processor steps of one instruction.
    fn steps(_: Self::Instruction) -> usize {
        1
    }
    /// Why executing it twice does not give the same result, or not at all on this processor, if
    /// so.
    fn not_judged(instruction: Self::Instruction, processor: &'static str) -> Option<&'static str>;
    /// Why it would crash every processor on this state, if so.
    fn not_survived(_: Self::Instruction, _: &State) -> Option<&'static str> {
        None
    }
    /// Whether it may affect later instructions.
    fn changes_system(instruction: Self::Instruction) -> bool;
    /// Why results may differ, or why agreement is meaningless, if so.
    fn excused(done: &Done<'_, Self>, native: &Outcome, ours: &Outcome) -> Option<&'static str>;
    /// The bits of a register to compare after completion.
    fn compared(_: &Done<'_, Self>, _register: usize) -> u64 {
        u64::MAX
    }
    /// The same after a fault.
    fn compared_at_fault(done: &Done<'_, Self>, register: usize) -> u64 {
        Self::compared(done, register)
    }
    /// How many bytes from the fault address on may or may not have been stored.
    fn unsettled_at_fault(_: &Done<'_, Self>) -> u64 {
        0
    }
}

/// An executed instruction.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a, S: Set> {
    /// The instruction.
    pub instruction: S::Instruction,
    /// The state before it.
    pub before: &'a State,
    /// The processor that executed it.
    pub processor: &'static str,
    /// Whether our plan was to emulate it.
    pub emulated: bool,
}

/// How an instruction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It completed.
    Done,
    /// It faulted at this address.
    Fault(u64),
    /// It is undefined on the processor.
    Undefined,
    /// Another exception, with this number.
    Other(i64),
}

/// The result of an instruction.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// The registers.
    pub state: State,
    /// The data.
    pub data: Box<Data>,
}

/// What to execute.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The address.
    pub at: u64,
    /// The place on the page.
    pub place: usize,
    /// Whether to execute the slot rather than the instruction itself.
    pub in_slot: bool,
    /// The maximum number of steps.
    pub steps: usize,
    /// The registers.
    pub state: &'a State,
    /// The data.
    pub data: &'a Data,
    /// Whether it uses registers beyond the first [`Set::CORE`].
    pub is_wide: bool,
}

/// A reference processor, with a window and slots in its memory.
pub trait Machine {
    /// Loads a page of code, and the slots of its places.
    fn load(&mut self, code: &[u8], slots: &[u8]);

    /// Executes an instruction and returns the result.
    fn run(&mut self, run: Run<'_>) -> Outcome;
}
