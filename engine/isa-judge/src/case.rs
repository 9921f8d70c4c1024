//! One instruction on one state: executed by a processor, and by our plan.

use engine_isa::{Fault, Plan};

use crate::compare;
use crate::prng::{Rng, percent};
use crate::set::{Done, End, Machine, Outcome, PlanOf, Run, Set};
use crate::state::State;
use crate::window::{self, CODE, CODE_BYTES, DATA_BYTES, SLOTS, SLOTS_BYTES, Window};

/// Why a refused instruction is skipped.
const REFUSED: &str = "it is refused";

/// How many instructions of one row are put on a page at once.
const OF_A_ROW: usize = 16;
/// How many candidates are generated for each, since a row may refuse most.
const DRAWS: usize = 64;

/// Makes eight bytes a canonical address: random ones are not, on x86-64, and branches to them
/// fault.
fn make_address(word: &mut [u8]) {
    word[5] &= 0x7f;
    word[6..].fill(0);
}

/// A page of instructions, with data around it.
pub struct Page<S: Set> {
    /// The instructions.
    pub instructions: Vec<S::Instruction>,
    /// The seed of the data.
    pub seed: u64,
    plans: Vec<PlanOf<S>>,
    slots: Vec<u8>,
    window: Window,
}

/// The address of a place on the page.
pub const fn address<S: Set>(place: usize) -> u64 {
    CODE + (place * S::PLACE_BYTES) as u64
}

/// The address of a place's slot.
const fn slot_address<S: Set>(place: usize) -> u64 {
    SLOTS + (place * S::SLOT_BYTES) as u64
}

impl<S: Set> Page<S> {
    /// A page of random instructions, without refused ones: a branch may lead to them, and Unicorn
    /// crashes decoding some invalid words.
    pub fn random(rng: &mut Rng) -> Self {
        let accepted = |one: &S::Instruction| !matches!(S::plan(*one), Plan::Refuse(_));
        let mut any = || Some(S::any(rng)).filter(accepted).unwrap_or(S::REFUSED);
        let instructions = (0..S::PLACES).map(|_| any()).collect();
        Self::of(instructions, rng.u64(..))
    }

    /// A page with a few accepted instructions of one row.
    pub fn of_row(row: usize, rng: &mut Rng) -> Self {
        let mut instructions = vec![S::REFUSED; S::PLACES];
        for instruction in instructions.iter_mut().take(OF_A_ROW) {
            let mut drawn = (0..DRAWS).map(|_| S::drawn(row, rng));
            *instruction = drawn
                .find(|one| S::is_accepted(row, *one))
                .unwrap_or(S::REFUSED);
        }
        Self::of(instructions, rng.u64(..))
    }

    /// A page with one instruction at `place`.
    pub fn of_one(instruction: S::Instruction, place: usize, seed: u64) -> Self {
        let mut instructions = vec![S::REFUSED; S::PLACES];
        instructions[place] = instruction;
        Self::of(instructions, seed)
    }

    /// A page with one instruction, planned as if it were another: for testing these checks.
    pub fn planned_as(instruction: S::Instruction, planned: S::Instruction) -> (Self, usize) {
        let place = S::PLACES / 2;
        let mut instructions = vec![S::REFUSED; S::PLACES];
        instructions[place] = instruction;
        let mut plans = planned_each::<S>(&instructions);
        plans[place] = S::plan(planned);
        (Self::with(instructions, plans, 0), place)
    }

    fn of(instructions: Vec<S::Instruction>, seed: u64) -> Self {
        let plans = planned_each::<S>(&instructions);
        Self::with(instructions, plans, seed)
    }

    fn with(instructions: Vec<S::Instruction>, plans: Vec<PlanOf<S>>, seed: u64) -> Self {
        let mut data = Box::new([0; DATA_BYTES]);
        let mut numbers = Rng::with_seed(seed);
        numbers.fill(&mut data[..]);
        for word in data
            .chunks_exact_mut(8)
            .filter(|_| percent(&mut numbers, 50))
        {
            make_address(word);
        }
        let code = code_of::<S>(&instructions);
        Self {
            slots: slots_of::<S>(&plans),
            window: Window { code, data },
            instructions,
            seed,
            plans,
        }
    }

    /// Loads the page and its slots into a processor's memory.
    pub fn load(&self, machine: &mut dyn Machine) {
        machine.load(&self.window.code[..], &self.slots);
    }

    /// Whether an instruction is emulated or has a slot, and so can be checked.
    pub fn is_accepted(&self, place: usize) -> bool {
        match self.plans[place] {
            Plan::Emulate(_) => true,
            Plan::Relocate(relocation) => slot::<S>(relocation, place).is_some(),
            Plan::Refuse(_) => false,
        }
    }

    /// Compares the processor's result for the instruction at `place` with our plan's.
    pub fn judge(
        &self,
        machine: &mut dyn Machine,
        processor: &'static str,
        place: usize,
        state: &State,
    ) -> Verdict {
        let instruction = self.instructions[place];
        if let Some(why) = self.not_judged(processor, place, state) {
            return Verdict::Skipped(why);
        }
        let native = self.native(machine, place, state);
        let ours = match self.plans[place] {
            _ if native.end == End::Undefined => return Verdict::Undefined,
            Plan::Emulate(emulation) => self.emulated(emulation, processor, state),
            Plan::Relocate(_) => self.relocated(machine, place, state),
            Plan::Refuse(_) => return Verdict::Skipped(REFUSED),
        };
        let done = Done {
            instruction,
            before: state,
            processor,
            emulated: matches!(self.plans[place], Plan::Emulate(_)),
        };
        let excuse = excused(&native, &ours).or_else(|| S::excused(&done, &native, &ours));
        if let Some(why) = excuse {
            return Verdict::Skipped(why);
        }
        compare::difference(&done, &native, &ours).map_or(Verdict::Agree, Verdict::Disagree)
    }

    fn not_judged(
        &self,
        processor: &'static str,
        place: usize,
        state: &State,
    ) -> Option<&'static str> {
        let instruction = self.instructions[place];
        let is_refused = matches!(self.plans[place], Plan::Refuse(_));
        is_refused
            .then_some(REFUSED)
            .or_else(|| S::not_judged(instruction, processor))
            .or_else(|| S::not_survived(instruction, state))
    }

    fn native(&self, machine: &mut dyn Machine, place: usize, state: &State) -> Outcome {
        let instruction = self.instructions[place];
        machine.run(Run {
            at: address::<S>(place),
            place,
            in_slot: false,
            steps: S::steps(instruction),
            state,
            data: &self.window.data,
            is_wide: S::is_wide(instruction),
        })
    }

    /// The result of the copy in the slot. A fault is mapped to the original's address.
    fn relocated(&self, machine: &mut dyn Machine, place: usize, state: &State) -> Outcome {
        let instruction = self.instructions[place];
        let slot = slot_address::<S>(place);
        let end = S::trapped_at(instruction, slot);
        let mut entered = state.clone();
        S::enter(&mut entered, slot);
        let mut outcome = machine.run(Run {
            at: slot,
            place,
            in_slot: end.is_none(),
            steps: S::steps(instruction) + usize::from(end.is_none()),
            state: &entered,
            data: &self.window.data,
            is_wide: S::is_wide(instruction),
        });
        if outcome.end == End::Done && end == Some(outcome.state[S::PC]) {
            S::leave(instruction, &mut outcome.state, address::<S>(place));
        }
        let pc = &mut outcome.state[S::PC];
        if outcome.end != End::Done && *pc == slot {
            *pc = state[S::PC];
            S::faulted(&mut outcome.state, state);
        }
        outcome
    }

    fn emulated(&self, emulation: S::Emulation, processor: &'static str, state: &State) -> Outcome {
        let mut window = self.window.clone();
        let mut after = state.clone();
        let end = match S::emulate(emulation, processor, &mut after, &mut window) {
            Ok(()) => End::Done,
            Err(Fault { address }) => End::Fault(address),
        };
        Outcome {
            end,
            state: after,
            data: window.data,
        }
    }
}

fn planned_each<S: Set>(instructions: &[S::Instruction]) -> Vec<PlanOf<S>> {
    instructions.iter().map(|&one| S::plan(one)).collect()
}

/// The page with each instruction at its place, and stop instructions everywhere else.
fn code_of<S: Set>(instructions: &[S::Instruction]) -> Box<[u8; CODE_BYTES]> {
    let mut page = Box::new([0; CODE_BYTES]);
    fill(&mut page[..], S::STOP);
    let places = page.chunks_exact_mut(S::PLACE_BYTES);
    for (place, instruction) in places.zip(instructions) {
        put::<S>(place, &S::bytes(instruction));
    }
    page
}

/// A slot for each place of the page; stop instructions where nothing is relocated.
fn slots_of<S: Set>(plans: &[PlanOf<S>]) -> Vec<u8> {
    let mut slots = vec![0; SLOTS_BYTES];
    fill(&mut slots, S::STOP);
    let places = slots.chunks_exact_mut(S::SLOT_BYTES);
    for (place, (slot, plan)) in places.zip(plans).enumerate() {
        let Plan::Relocate(relocation) = plan else {
            continue;
        };
        if let Some(code) = self::slot::<S>(*relocation, place) {
            put::<S>(slot, &code);
        }
    }
    slots
}

/// The contents of a place's slot; `None` if it is out of reach of what it refers to.
fn slot<S: Set>(relocation: S::Relocation, place: usize) -> Option<Vec<u8>> {
    S::slot(relocation, slot_address::<S>(place), address::<S>(place))
}

fn fill(memory: &mut [u8], stop: &[u8]) {
    let stops = memory.chunks_exact_mut(stop.len());
    stops.for_each(|place| place.copy_from_slice(stop));
}

/// Puts bytes at the beginning of a place, and stop instructions after them.
fn put<S: Set>(place: &mut [u8], bytes: &[u8]) {
    let (copy, rest) = place.split_at_mut(bytes.len());
    copy.copy_from_slice(bytes);
    fill(rest, S::STOP);
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Registers, flags and memory are the same. If both faulted, as far as the architecture
    /// defines them.
    Agree,
    /// This processor has no such instruction.
    Undefined,
    /// Not compared, with the reason.
    Skipped(&'static str),
    /// What differs.
    Disagree(String),
}

impl Verdict {
    /// The difference, if there is one.
    pub fn disagreement(self) -> Option<String> {
        match self {
            Self::Disagree(what) => Some(what),
            _ => None,
        }
    }
}

/// Outcomes that cannot be compared further.
fn excused(native: &Outcome, ours: &Outcome) -> Option<&'static str> {
    match (native.end, ours.end) {
        (End::Other(one), End::Other(other)) if one == other => {
            Some("the processor took an exception, in the slot as well")
        }
        (_, End::Fault(address)) | (End::Fault(address), _) if window::is_slot(address) => {
            Some("it uses what only the judge has: the memory with the slots")
        }
        _ => None,
    }
}
