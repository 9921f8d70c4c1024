//! One instruction on one state: what a processor makes of it, and what our plan for it does.

use engine_isa::arm::{self, Emulation, Regs, Relocation};
use engine_isa::{Fault, Plan};

use super::compare::{self, Done, Outcome};
use super::machine::{self, End, Given, Machine, SLOT_PAGES, WORDS};
use super::state::{CODE_BYTES, DATA_BYTES, PAGE, SLOTS, State, Window};
use super::words;
use crate::chance::Rng;

/// Words side by side on a page of code, with data around them.
pub struct Page {
    /// The words.
    pub words: Vec<u32>,
    /// What the data is made of.
    pub seed: u64,
    plans: Vec<Plan<Emulation, Relocation>>,
    slots: Vec<u8>,
    window: Window,
}

impl Page {
    /// A page full of words by chance.
    pub fn by_chance(rng: &mut Rng) -> Self {
        let words = (0..WORDS).map(|_| words::any(rng)).collect();
        Self::of(words, rng.u64(..))
    }

    /// A page of which only `place` has a word.
    pub fn of_one(word: u32, place: usize, seed: u64) -> Self {
        let mut words = vec![arm::TRAP; WORDS];
        words[place] = word;
        Self::of(words, seed)
    }

    /// A page with one word, which is taken for another when it is planned: for judging the judge.
    pub fn planned_as(word: u32, planned: u32) -> (Self, usize) {
        let place = WORDS / 2;
        let mut words = vec![arm::TRAP; WORDS];
        words[place] = word;
        let mut plans = planned_each(&words);
        plans[place] = arm::plan(planned);
        (Self::with(words, plans, 0), place)
    }

    fn of(words: Vec<u32>, seed: u64) -> Self {
        let plans = planned_each(&words);
        Self::with(words, plans, seed)
    }

    fn with(words: Vec<u32>, plans: Vec<Plan<Emulation, Relocation>>, seed: u64) -> Self {
        let mut data = Box::new([0; DATA_BYTES]);
        Rng::with_seed(seed).fill(&mut data[..]);
        Self {
            slots: machine::slots_of(plans.iter().map(copy_of)),
            window: Window {
                code: machine::page_of(&words),
                data,
            },
            words,
            seed,
            plans,
        }
    }

    /// Puts the page and its slots into the processor's memory.
    pub fn load(&self, machine: &mut Machine) {
        machine.load(&self.window.code, &self.slots);
    }

    /// Whether anything but a refusal is planned for a word, which is what there is to judge.
    pub fn is_accepted(&self, place: usize) -> bool {
        !matches!(self.plans[place], Plan::Refuse(_))
    }

    /// Compares what the loaded processor makes of the word at `place` with what our plan does.
    pub fn judge(&self, machine: &mut Machine, place: usize, state: &State) -> Verdict {
        let word = self.words[place];
        if let Some(why) = not_judged(word) {
            return Verdict::Skipped(why);
        }
        let (end, after) = machine.original(place, self.given(word, state));
        let native = Outcome {
            end,
            state: after,
            data: *machine.data(),
        };
        let ours = match self.plans[place] {
            _ if end == End::Undefined => return Verdict::Undefined,
            Plan::Emulate(emulation) => self.emulated(machine, emulation, state),
            Plan::Relocate(_) => self.relocated(machine, place, state),
            Plan::Refuse(_) => return Verdict::Skipped("it is refused"),
        };
        if let Some(why) = excused(native.end, ours.end) {
            return Verdict::Skipped(why);
        }
        let done = Done {
            word,
            before: state,
            emulated: matches!(self.plans[place], Plan::Emulate(_)),
        };
        compare::difference(done, &native, &ours).map_or(Verdict::Agree, Verdict::Disagree)
    }

    fn given<'a>(&'a self, word: u32, state: &'a State) -> Given<'a> {
        Given {
            state,
            data: &self.window.data,
            float: is_float(word),
        }
    }

    /// What the copy in the slot does. Where it faults is where the original would have.
    fn relocated(&self, machine: &mut Machine, place: usize, state: &State) -> Outcome {
        let given = self.given(self.words[place], state);
        let (end, mut after) = machine.slot(place, given);
        if end != End::Done {
            after.r[15] = state.r[15];
        }
        Outcome {
            end,
            state: after,
            data: *machine.data(),
        }
    }

    fn emulated(&self, machine: &Machine, emulation: Emulation, state: &State) -> Outcome {
        let mut window = self.window.clone();
        let mut regs = Regs {
            r: state.r,
            cpsr: state.cpsr,
        };
        let end = match emulation.run(machine.version(), &mut regs, &mut window) {
            Ok(()) => End::Done,
            Err(Fault { address }) => End::Fault(address),
        };
        let after = State {
            r: regs.r,
            cpsr: regs.cpsr,
            ..*state
        };
        Outcome {
            end,
            state: after,
            data: *window.data,
        }
    }
}

fn planned_each(words: &[u32]) -> Vec<Plan<Emulation, Relocation>> {
    words.iter().map(|&word| arm::plan(word)).collect()
}

fn copy_of(plan: &Plan<Emulation, Relocation>) -> Option<Relocation> {
    match plan {
        Plan::Relocate(relocation) => Some(*relocation),
        _ => None,
    }
}

/// What comparing has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Registers, flags and memory are the same; if both faulted, as far as the architecture says what they
    /// are then.
    Agree,
    /// This processor has no such instruction.
    Undefined,
    /// It is not compared, and why.
    Skipped(&'static str),
    /// What differs.
    Disagree(String),
}

/// Whether an instruction is about the floating-point registers.
pub const fn is_float(word: u32) -> bool {
    let coprocessor = matches!(word >> 25 & 7, 0b110 | 0b111) && word >> 9 & 7 == 0b101;
    let vector = word >> 25 == 0b111_1001 || word >> 24 == 0b1111_0100;
    coprocessor || vector
}

/// What is not the same when it is executed twice, each with the reason.
fn not_judged(word: u32) -> Option<&'static str> {
    const TIMERS: u32 = 14;
    const COUNTERS: u32 = 9;
    let of_system = word >> 28 != 15 && word >> 8 & 15 == 15;
    let reads_one = word >> 24 & 15 == 0b1110 && word >> 20 & 1 == 1 && word >> 4 & 1 == 1;
    let reads_two = word >> 20 & 0xff == 0b1100_0101;
    let number = if reads_two {
        word & 15
    } else {
        word >> 16 & 15
    };
    let counts = of_system && (reads_one || reads_two) && matches!(number, TIMERS | COUNTERS);
    counts.then_some("it reads a counter, which goes on counting")
}

/// Whether an instruction changes a system register, and with it perhaps what others do.
pub const fn changes_system(word: u32) -> bool {
    let of_system = word >> 28 != 15 && matches!(word >> 8 & 15, 14 | 15);
    let writes_one = word >> 24 & 15 == 0b1110 && word >> 20 & 1 == 0 && word >> 4 & 1 == 1;
    let writes_two = word >> 20 & 0xff == 0b1100_0100;
    of_system && (writes_one || writes_two)
}

/// Ends of which no more can be said, or of which it is known why they differ.
fn excused(native: End, ours: End) -> Option<&'static str> {
    match (native, ours) {
        (End::Other(one), End::Other(other)) if one == other => {
            Some("the processor took an exception, in the slot as well")
        }
        (_, End::Fault(address)) if is_slot(address) => {
            Some("it uses what only Unicorn has: the memory with the slots")
        }
        _ => None,
    }
}

const fn is_slot(address: u64) -> bool {
    let (first, bytes) = (SLOTS as u64, SLOT_PAGES * PAGE as u64);
    address >= first && address < first + bytes
}

const _: () = assert!(CODE_BYTES * 2 == DATA_BYTES);
