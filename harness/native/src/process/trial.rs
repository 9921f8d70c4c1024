//! A vector and its runs.

use zerocopy::IntoBytes;

use super::arch::Own;
use super::area::{Area, Lacking, SITE};
use super::signals::{End, Runner};
use crate::Error;
use crate::cases::{CASES, STATELESS, filled, fit, starts};
use crate::device::Memory;
use crate::instruction::Text;
use crate::places::{Contents, PAGE, Places};
use crate::set::Set;
use crate::tally::Tally;
use crate::vectors::Vector;

/// Number of states for each kind of fault.
const FAULTS: usize = 2;

/// Bytes that are compared at once.
const LINE: usize = 64;

type State = <Own as Set>::State;

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
pub struct Trial {
    vector: Vector,
    text: Text,
    places: Places,
    starts: Vec<Start>,
    alone: Vec<Done>,
}

impl Trial {
    /// With its page; or why it is not run.
    pub fn new(
        vector: Vector,
        area: &Area,
        number: usize,
        seed: u64,
    ) -> Result<(Self, [u8; PAGE]), &'static str> {
        let places = area.places(number);
        let (text, page) = fit::<Own>(&vector, &places)?;
        let seed = vector.seed(seed);
        let found = |places: &Places, count| starts::<Own>(&text, &page, places, seed, count);
        let mut found_all = found(&places, CASES);
        if found_all.is_empty() {
            return Err(STATELESS);
        }
        for lacking in [Lacking::Protected, Lacking::Absent] {
            found_all.extend(found(&area.lacking(&places, lacking), FAULTS));
        }
        let start = |(state, contents)| Start { state, contents };
        let trial = Self {
            text,
            places,
            starts: found_all.into_iter().map(start).collect(),
            alone: Vec::new(),
            vector,
        };
        Ok((trial, page))
    }

    /// Where its instruction is in the page, and its length.
    pub fn extent(&self) -> (usize, usize) {
        (SITE, self.text.bytes().len())
    }

    /// Number of its runs.
    pub fn cases(&self) -> usize {
        self.starts.len()
    }

    /// Number of those without probes that ended by a fault.
    pub fn faults(&self) -> usize {
        let site = self.places.site;
        let faulted = |done: &&Done| done.end.is_fault(&done.state, site);
        self.alone.iter().filter(faulted).count()
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
            if let Some(difference) = difference(alone, probed) {
                let state = Own::describe(&start.state);
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
        let exits = filled(Contents::Exits(Own::POINTER), &self.places);
        let mut after = Memory::new();
        let mut run = |start: &Start| {
            let before = match start.contents {
                Contents::Numbers => &numbers,
                Contents::Exits(_) => &exits,
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
fn difference(alone: &Done, probed: &Done) -> Option<String> {
    if alone.end != probed.end {
        return Some(format!("ended by {} or {}", alone.end, probed.end));
    }
    Own::difference(&alone.state, &probed.state).or_else(|| {
        let (alone, probed) = (&alone.changes, &probed.changes);
        (alone != probed).then(|| format!("memory has become {alone:x?} or {probed:x?}"))
    })
}
