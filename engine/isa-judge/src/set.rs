//! What the judge that executes has to be told of an instruction set. How it goes about judging is the
//! same for all: see [`case`](crate::case) and [`execution`](crate::execution).

use std::fmt;

use engine_isa::{Fault, Plan};

use crate::chance::Rng;
use crate::state::{Names, State};
use crate::window::{Data, SLOTS_BYTES, Window};

/// What is planned for an instruction of a set.
pub type PlanOf<S> = Plan<<S as Set>::Emulation, <S as Set>::Relocation>;

/// An instruction set.
pub trait Set: Copy + PartialEq + fmt::Debug + 'static {
    /// An instruction: a word, or as many bytes as the longest has.
    type Instruction: Copy + PartialEq + fmt::Debug + Send;
    /// How one is emulated.
    type Emulation: Copy;
    /// How one is relocated.
    type Relocation: Copy;

    /// What it is called.
    const NAME: &'static str;
    /// The processors that are asked, by name.
    const PROCESSORS: &'static [&'static str];
    /// Those that can be asked in addition, of which this host may have none.
    const MORE_PROCESSORS: &'static [&'static str] = &[];
    /// How many bytes of the page an instruction and the stop behind it may take.
    const PLACE_BYTES: usize;
    /// How many bytes a slot and the stop behind it may take.
    const SLOT_BYTES: usize;
    /// What no processor goes on after.
    const STOP: &'static [u8];
    /// An instruction that is refused.
    const REFUSED: Self::Instruction;
    /// How many of a state's registers there are before those that only some instructions are about.
    const CORE: usize;
    /// The place of the program counter in a state.
    const PC: usize;
    /// The place of the flags in a state.
    const FLAGS: usize;
    /// The flags that may be anything.
    const FREE_FLAGS: u64;
    /// Rows of which some words are accepted that no processor has, each with the reason.
    const NOT_KNOWN: &'static [(&'static str, &'static str)];
    /// The cases that were kept, as lines.
    const KEPT: &'static str;
    /// How many instructions stand on a page.
    const PLACES: usize = {
        let places = crate::window::CODE_BYTES / Self::PLACE_BYTES;
        assert!(places * Self::SLOT_BYTES <= SLOTS_BYTES);
        places
    };

    /// Why no processor has some instructions that the row of this name accepts, if that is known.
    fn why_not_known(name: &str) -> Option<&'static str> {
        let entry = Self::NOT_KNOWN.iter().find(|(row, _)| *row == name);
        entry.map(|(_, why)| *why)
    }
    /// Why none of a row's instructions is compared, if that is known.
    fn why_none(name: &str) -> Option<&'static str> {
        Self::why_not_known(name)
    }
    /// The names of the registers.
    fn names() -> Names;
    /// The name of each row of the table.
    fn rows() -> Vec<&'static str>;
    /// The row of an instruction.
    fn row(instruction: Self::Instruction) -> usize;
    /// What is planned for it.
    fn plan(instruction: Self::Instruction) -> PlanOf<Self>;
    /// The slot at `at` for the instruction at `from`; none if it cannot be there.
    fn slot(relocation: Self::Relocation, at: u64, from: u64) -> Option<Vec<u8>>;
    /// Does the instruction as the trap handler would.
    ///
    /// # Errors
    /// [`Fault`], if it cannot be done.
    fn emulate(
        emulation: Self::Emulation,
        processor: &'static str,
        state: &mut State,
        window: &mut Window,
    ) -> Result<(), Fault>;

    /// An instruction by chance.
    fn any(rng: &mut Rng) -> Self::Instruction;
    /// One of a row by chance, which another row before it may still take.
    fn drawn(row: usize, rng: &mut Rng) -> Self::Instruction;
    /// Whether an instruction is a row's, and accepted.
    fn is_accepted(row: usize, one: Self::Instruction) -> bool {
        Self::row(one) == row && !matches!(Self::plan(one), Plan::Refuse(_))
    }
    /// Whether a row accepts anything, as far as some thousands of its instructions tell.
    fn accepts(row: usize) -> bool {
        let mut rng = Rng::with_seed(row as u64);
        (0..4096).any(|_| Self::is_accepted(row, Self::drawn(row, &mut rng)))
    }
    /// How many instructions of a row there are in the real text that cases are made of, if they are of any.
    fn in_text(_row: usize) -> u64 {
        0
    }
    /// Registers by chance that suit the instruction at the address `pc`.
    fn state(instruction: Self::Instruction, pc: u64, rng: &mut Rng) -> State;
    /// The bytes of an instruction.
    fn bytes(instruction: &Self::Instruction) -> Vec<u8>;
    /// An instruction as digits.
    fn text(instruction: Self::Instruction) -> String;
    /// The instruction that these digits are.
    fn read(text: &str) -> Option<Self::Instruction>;
    /// Instructions of the same row that are simpler than this one, each in one thing.
    fn simpler(instruction: Self::Instruction) -> Vec<Self::Instruction>;

    /// A processor that has executed nothing.
    fn machine(processor: &'static str) -> Box<dyn Machine>;
    /// Whether an instruction is about registers beyond the first [`Set::CORE`].
    fn is_wide(instruction: Self::Instruction) -> bool;
    /// How many instructions it may take a processor to do one.
    fn steps(_: Self::Instruction) -> usize {
        1
    }
    /// Why it is not the same when it is executed twice, or not at all on this processor, if so.
    fn not_judged(instruction: Self::Instruction, processor: &'static str) -> Option<&'static str>;
    /// Why no processor would live through it on this state, if so.
    fn not_survived(_: Self::Instruction, _: &State) -> Option<&'static str> {
        None
    }
    /// Whether it may change what other instructions do after it.
    fn changes_system(instruction: Self::Instruction) -> bool;
    /// Why the two may differ, or why what they are the same in says nothing.
    fn excused(done: &Done<'_, Self>, native: &Outcome, ours: &Outcome) -> Option<&'static str>;
    /// What of a register is compared, after an instruction that was done.
    fn compared(_: &Done<'_, Self>, _register: usize) -> u64 {
        u64::MAX
    }
    /// The same after one that faulted.
    fn compared_at_fault(done: &Done<'_, Self>, register: usize) -> u64 {
        Self::compared(done, register)
    }
    /// How many bytes from the address of the fault on may have been stored or not.
    fn unsettled_at_fault(_: &Done<'_, Self>) -> u64 {
        0
    }
}

/// What was done.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a, S: Set> {
    /// The instruction.
    pub instruction: S::Instruction,
    /// On what.
    pub before: &'a State,
    /// By which processor.
    pub processor: &'static str,
    /// Whether we emulated it.
    pub emulated: bool,
}

/// How an instruction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The processor was about to execute another.
    Done,
    /// A load or store at this address was not possible.
    Fault(u64),
    /// The processor knows no such instruction.
    Undefined,
    /// It did something that is neither: an exception with this number.
    Other(i64),
}

/// What there is after an instruction.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// The registers.
    pub state: State,
    /// The data.
    pub data: Box<Data>,
}

/// What is to be executed.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Where.
    pub at: u64,
    /// Which place of the page it is about.
    pub place: usize,
    /// Whether it is the slot, and not the instruction itself.
    pub in_slot: bool,
    /// How many instructions may be executed.
    pub steps: usize,
    /// On what.
    pub state: &'a State,
    /// And on what data.
    pub data: &'a Data,
    /// Whether it is about registers beyond the first [`Set::CORE`].
    pub is_wide: bool,
}

/// A processor of other making, with a window and slots in its memory.
pub trait Machine {
    /// Takes a page of code, and the slots of its places.
    fn load(&mut self, code: &[u8], slots: &[u8]);

    /// Executes an instruction, and says what became of everything.
    fn run(&mut self, run: Run<'_>) -> Outcome;
}
