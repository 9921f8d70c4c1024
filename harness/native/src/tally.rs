//! What came of all vectors.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::device::{Memory, Run};
use crate::instruction::{Plan, Text};
use crate::places::Places;
use crate::set::Set;
use crate::vectors::Vector;

/// How many differences are told in full.
const TOLD: usize = 20;

/// What came of them.
#[derive(Default)]
pub struct Tally {
    stack: u64,
    emulated: usize,
    relocated: usize,
    cases: usize,
    different: usize,
    differences: Vec<String>,
    skipped: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// Nothing yet, of runs in these places.
    pub fn new(places: &Places) -> Self {
        Self {
            stack: places.stack,
            ..Self::default()
        }
    }

    /// One was not run.
    pub fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    /// Whether everything was as it should be.
    pub fn is_good(&self) -> bool {
        self.different == 0
    }

    /// One was run by itself and probed, and the probe fired so often.
    pub fn compare<S: Set>(
        &mut self,
        vector: &Vector,
        text: &Text,
        before: &[Run<S>],
        native: &[Run<S>],
        probed: &[Run<S>],
        fired: usize,
    ) {
        match vector.plan {
            Plan::Emulate => self.emulated += 1,
            _ => self.relocated += 1,
        }
        self.cases += native.len();
        if fired != native.len() {
            self.differ(vector, format!("fired {fired} times of {}", native.len()));
        }
        for ((before, native), probed) in before.iter().zip(native).zip(probed) {
            if let Some(difference) = self.difference(text, before, native, probed) {
                let state = S::told(&before.state);
                self.differ(vector, format!("{difference}, from {state}"));
            }
        }
    }

    fn differ(&mut self, vector: &Vector, what: String) {
        self.different += 1;
        if self.differences.len() < TOLD {
            let told = format!("{} {}: {what}", vector.text, vector.called);
            self.differences.push(told);
        }
    }

    /// The first difference between what two runs made of a state.
    fn difference<S: Set>(
        &self,
        text: &Text,
        before: &Run<S>,
        native: &Run<S>,
        probed: &Run<S>,
    ) -> Option<String> {
        if let Some(how) = S::cut_short(&probed.state) {
            return Some(format!("ended by {how}"));
        }
        S::difference(&native.state, &probed.state).or_else(|| {
            let parts = self.seen(text, before, native);
            in_memory(&native.memory, &probed.memory, &parts)
        })
    }

    /// The parts of the stack that both runs must agree on: from as far below the pointer as no trap comes,
    /// the one before the instruction and the one behind it; and what the instruction stores.
    fn seen<S: Set>(&self, text: &Text, before: &Run<S>, after: &Run<S>) -> [Range<usize>; 2] {
        let (first, last) = (S::sp(&before.state), S::sp(&after.state));
        let size = after.memory.stack.len();
        let within = |address: u64| (address.wrapping_sub(self.stack) as usize).min(size);
        let kept = within(first.max(last) - S::kept(text, &before.state));
        let stored = S::stored(text, &before.state).filter(|stored| stored.start >= last);
        let stored = stored.map_or(0..0, |stored| within(stored.start)..within(stored.end));
        [kept..size, stored]
    }
}

fn in_memory(native: &Memory, probed: &Memory, seen: &[Range<usize>]) -> Option<String> {
    let mut parts = seen.iter().cloned().filter_map(|part| {
        let from = part.start;
        told(
            "stack",
            from,
            native.stack.get(part.clone())?,
            probed.stack.get(part)?,
        )
    });
    told("data", 0, &native.data, &probed.data).or_else(|| parts.next())
}

fn told(what: &str, from: usize, native: &[u8], probed: &[u8]) -> Option<String> {
    let mut bytes = native.iter().zip(probed);
    let at = bytes.position(|(one, other)| one != other)?;
    let [native, probed] = [native[at], probed[at]];
    Some(format!(
        "{what} + {:x} is {native:x} or {probed:x}",
        from + at
    ))
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in &self.differences {
            writeln!(f, "{difference}")?;
        }
        for (why, count) in &self.skipped {
            writeln!(f, "not run, {why}: {count}")?;
        }
        writeln!(f, "emulated: {}", self.emulated)?;
        writeln!(f, "relocated: {}", self.relocated)?;
        writeln!(f, "cases: {}", self.cases)?;
        write!(f, "differences: {}", self.different)
    }
}
