//! The results of all vectors.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::device::{Memory, Run};
use crate::instruction::{Plan, Text, Vector};
use crate::places::Places;
use crate::set::InKernel;

/// Most differences reported in full.
const REPORTED_MAX: usize = 20;

/// Of a guest's neighbours about a third to a half are run: the others are refused by the engine, must
/// not run, or are not implemented by the processor.
const RAN_MIN: usize = 5;

/// Counts and differences.
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
    /// An empty tally of runs with this stack.
    pub fn new(places: &Places) -> Self {
        Self {
            stack: places.stack,
            ..Self::default()
        }
    }

    /// Counts a vector that was not run.
    pub fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    /// Whether there was no difference.
    pub fn is_good(&self) -> bool {
        self.different == 0
    }

    /// Number of vectors that were run, and of all.
    fn counts(&self) -> (usize, usize) {
        let ran = self.emulated + self.relocated;
        (ran, ran + self.skipped.values().sum::<usize>())
    }

    /// Says so, if fewer than one in [`RAN_MIN`] of these random instructions were run: then hardly
    /// anything was compared.
    pub fn too_few(&self) -> Option<String> {
        let (ran, all) = self.counts();
        (ran * RAN_MIN < all).then(|| format!("only {ran} of {all} neighbours were run"))
    }

    /// Compares a vector's native and probed runs; its probe fired `fired` times.
    pub fn compare<S: InKernel>(
        &mut self,
        vector: &Vector,
        text: &Text,
        before: &[Run<S>],
        native: &[Run<S>],
        probed: &[Run<S>],
        fired: usize,
    ) {
        self.count(vector.plan, native.len());
        if fired != native.len() {
            self.differ(vector, format!("fired {fired} times of {}", native.len()));
        }
        for ((before, native), probed) in before.iter().zip(native).zip(probed) {
            if let Some(difference) = self.difference(text, before, native, probed) {
                let state = S::describe(&before.state);
                self.differ(vector, format!("{difference}, from {state}"));
            }
        }
    }

    /// Counts a vector that was run on so many states.
    pub fn count(&mut self, plan: Plan, cases: usize) {
        match plan {
            Plan::Emulate => self.emulated += 1,
            _ => self.relocated += 1,
        }
        self.cases += cases;
    }

    /// Counts a difference.
    pub fn differ(&mut self, vector: &Vector, what: String) {
        self.different += 1;
        if self.differences.len() < REPORTED_MAX {
            let line = format!("{} {}: {what}", vector.text, vector.disassembly);
            self.differences.push(line);
        }
    }

    /// The first difference between the results of one case.
    fn difference<S: InKernel>(
        &self,
        text: &Text,
        before: &Run<S>,
        native: &Run<S>,
        probed: &Run<S>,
    ) -> Option<String> {
        if let Some(how) = S::unexpected_end(&probed.state) {
            return Some(format!("ended by {how}"));
        }
        S::difference(&native.state, &probed.state).or_else(|| {
            let parts = self.seen(text, before, native);
            memory_difference(&native.memory, &probed.memory, &parts)
        })
    }

    /// The parts of the stack that must be equal: everything above the lowest address that an
    /// exception frame before or after the instruction can reach, and what the instruction stores.
    fn seen<S: InKernel>(&self, text: &Text, before: &Run<S>, after: &Run<S>) -> [Range<usize>; 2] {
        let (first, last) = (S::sp(&before.state), S::sp(&after.state));
        let size = after.memory.stack.len();
        let within = |address: u64| (address.wrapping_sub(self.stack) as usize).min(size);
        let kept = within(first.max(last) - S::untouched_below_sp(text, &before.state));
        let stored = S::stored(text, &before.state).filter(|stored| stored.start >= last);
        let stored = stored.map_or(0..0, |stored| within(stored.start)..within(stored.end));
        [kept..size, stored]
    }
}

fn memory_difference(native: &Memory, probed: &Memory, seen: &[Range<usize>]) -> Option<String> {
    let mut parts = seen.iter().cloned().filter_map(|part| {
        let from = part.start;
        byte_difference(
            "stack",
            from,
            native.stack.get(part.clone())?,
            probed.stack.get(part)?,
        )
    });
    byte_difference("data", 0, &native.data, &probed.data).or_else(|| parts.next())
}

fn byte_difference(what: &str, from: usize, native: &[u8], probed: &[u8]) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_neighbours_are_too_few() {
        let tally = |ran, skipped: [usize; 2]| Tally {
            emulated: ran,
            skipped: ["one reason", "another"].into_iter().zip(skipped).collect(),
            ..Tally::default()
        };
        assert_eq!(tally(0, [0, 0]).too_few(), None, "none were asked for");
        assert_eq!(tally(20, [70, 10]).too_few(), None);
        let only = |text: &str| Some(text.to_owned());
        assert_eq!(
            tally(19, [71, 10]).too_few(),
            only("only 19 of 100 neighbours were run")
        );
        assert_eq!(
            tally(0, [1, 0]).too_few(),
            only("only 0 of 1 neighbours were run")
        );
    }
}
