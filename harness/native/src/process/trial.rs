//! A vector and its runs.

use std::marker::PhantomData;

use zerocopy::IntoBytes;

use super::area::{Area, Lacking, SITE};
use super::job::Job;
use super::object::{self, Function};
use super::rows::Fate;
use super::signals::{End, Runner, State};
use crate::Error;
use crate::cases::{STATELESS, exits, filled, fit, starts};
use crate::device::Memory;
use crate::instruction::{Text, Vector};
use crate::places::{Contents, PAGE, Places};
use crate::set::Set;
use crate::tally::Tally;

/// Bytes that are compared at once.
const LINE: usize = 64;

/// A state that the instruction is run on.
struct Start {
    state: State,
    contents: Contents,
}

/// What a run did.
struct Done {
    state: State,
    end: End,
    /// The bytes of the stack, and of the data behind it, that are not what they were.
    changes: Vec<(u16, u8)>,
}

/// A vector that is run.
pub struct Trial<S> {
    set: PhantomData<S>,
    vector: Vector,
    text: Text,
    places: Places,
    starts: Vec<Start>,
    alone: Vec<Done>,
}

impl<S: Set<State = State>> Trial<S> {
    /// With its page; or why it is not run. It is run on so many states; one that an IT block may skip
    /// on half as many that execute it, and as many that do not. For each kind of fault there are a
    /// quarter as many.
    pub fn new(
        vector: Vector,
        area: &Area,
        number: usize,
        Job { seed, states, .. }: &Job,
    ) -> Result<(Self, [u8; PAGE]), &'static str> {
        let places = area.places(number);
        let (text, page) = fit::<S>(&vector, &places)?;
        let seed = vector.seed(*seed);
        let found = |places: &Places, count, is_executed| {
            let is_wanted = |state: &State| S::is_executed(&text, state) == is_executed;
            starts::<S>(&text, &page, places, seed, count, is_wanted)
        };
        let (executed, skipped) = match S::offset(&text) {
            0 => (*states, 0),
            _ => (states / 2, states / 2),
        };
        let mut found_all = found(&places, executed, true);
        if found_all.is_empty() {
            return Err(STATELESS);
        }
        found_all.extend(found(&places, skipped, false));
        for lacking in [Lacking::Protected, Lacking::Absent] {
            found_all.extend(found(&area.lacking(&places, lacking), states / 4, true));
        }
        let start = |(state, contents)| Start { state, contents };
        let trial = Self {
            set: PhantomData,
            text,
            places,
            starts: found_all.into_iter().map(start).collect(),
            alone: Vec::new(),
            vector,
        };
        Ok((trial, page))
    }

    /// The function with this number.
    pub fn function(&self, number: usize) -> Function {
        Function {
            name: object::name(number, self.offset() > 0),
            pointer: object::offset(number) + SITE + S::ENTRY as usize,
            length: self.text.bytes().len(),
        }
    }

    /// The row of its instruction.
    pub fn row(&self) -> usize {
        S::row(&self.text)
    }

    /// Where the instruction is in its function.
    fn offset(&self) -> usize {
        S::offset(&self.text)
    }

    /// The offsets of its probes, each with how often it should fire. One whose instruction is skipped
    /// does if its breakpoint is taken all the same. An undefined instruction, QEMU skips then, as
    /// the architecture allows; but never a BKPT.
    pub fn hits(&self, takes_skipped: bool) -> Vec<(usize, usize)> {
        let all = self.starts.len();
        let taken = match takes_skipped {
            true => all,
            false => self.executed().count(),
        };
        match self.offset() {
            0 => vec![(0, all)],
            offset => vec![(0, all), (offset, taken)],
        }
    }

    /// The runs without probes in which the instruction is executed.
    fn executed(&self) -> impl Iterator<Item = &Done> {
        let runs = self.starts.iter().zip(&self.alone);
        let executed = runs.filter(|(start, _)| S::is_executed(&self.text, &start.state));
        executed.map(|(_, done)| done)
    }

    fn has_faulted(&self, done: &Done) -> bool {
        let instruction = self.places.site + self.offset() as u64;
        done.end.is_fault(&done.state, instruction)
    }

    /// Number of runs without probes that ended by a fault.
    pub fn faults(&self) -> usize {
        self.executed()
            .filter(|done| self.has_faulted(done))
            .count()
    }

    /// What has become of the vector.
    pub fn fate(&self) -> Fate {
        match self.executed().any(|done| !self.has_faulted(done)) {
            true => Fate::Executed,
            false => Fate::Faulted,
        }
    }

    /// Runs it without a probe.
    pub fn run_alone(&mut self, area: &mut Area, runner: &mut Runner) -> Result<(), Error> {
        self.alone = self.run(area, runner)?;
        Ok(())
    }

    /// Runs it with a probe, and compares.
    pub fn run_probed(
        &self,
        area: &mut Area,
        runner: &mut Runner,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let probed = self.run(area, runner)?;
        tally.count(self.vector.plan, probed.len());
        for ((start, alone), probed) in self.starts.iter().zip(&self.alone).zip(&probed) {
            if let Some(difference) = difference::<S>(alone, probed) {
                let state = S::describe(&start.state);
                tally.differ(&self.vector, format!("{difference}, from {state}"));
            }
        }
        Ok(())
    }

    /// What is printed of it before it is run.
    pub fn label(&self) -> String {
        format!("{} {}", self.vector.text, self.vector.disassembly)
    }

    fn run(&self, area: &mut Area, runner: &mut Runner) -> Result<Vec<Done>, Error> {
        let numbers = filled(Contents::Numbers, &self.places);
        let exits = filled(exits::<S>(), &self.places);
        let mut after = Memory::new();
        let mut run = |start: &Start| {
            let before = match start.contents {
                Contents::Numbers => &numbers,
                Contents::Exits(..) => &exits,
            };
            area.fill(before);
            let (state, end) = runner.run(&start.state)?;
            area.read(&mut after);
            let changes = changes(before, &after);
            Ok(Done {
                state,
                end,
                changes,
            })
        };
        self.starts.iter().map(&mut run).collect()
    }
}

/// The bytes of stack and data that have changed.
fn changes(before: &Memory, after: &Memory) -> Vec<(u16, u8)> {
    let [before, after] = [before.as_bytes(), after.as_bytes()];
    let lines = before.chunks(LINE).zip(after.chunks(LINE)).enumerate();
    let changed = lines.filter(|(_, (before, after))| before != after);
    let bytes = changed.flat_map(|(line, (before, after))| {
        let bytes = before.iter().zip(after).enumerate();
        let changed = bytes.filter(|(_, (before, after))| before != after);
        changed.map(move |(at, (_, after))| ((line * LINE + at) as u16, *after))
    });
    bytes.collect()
}

/// The first difference between two runs.
fn difference<S: Set<State = State>>(alone: &Done, probed: &Done) -> Option<String> {
    if alone.end != probed.end {
        return Some(format!("ended by {} or {}", alone.end, probed.end));
    }
    S::difference(&alone.state, &probed.state).or_else(|| {
        let (alone, probed) = (&alone.changes, &probed.changes);
        (alone != probed).then(|| format!("memory has become {alone:x?} or {probed:x?}"))
    })
}
