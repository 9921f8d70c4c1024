//! What came of all vectors.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::device::{Places, Run};
use crate::image::KEPT;
use crate::safe;
use crate::vectors::{Plan, Vector};

/// How many differences are told in full.
const TOLD: usize = 20;

/// What came of them.
pub struct Tally {
    stack: u32,
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
            emulated: 0,
            relocated: 0,
            cases: 0,
            different: 0,
            differences: Vec::new(),
            skipped: BTreeMap::new(),
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
    pub fn compare(
        &mut self,
        vector: &Vector,
        before: &[Run],
        native: &[Run],
        probed: &[Run],
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
            if let Some(difference) = difference(vector.word, before, native, probed, self.stack) {
                self.differ(vector, format!("{difference}, from {}", state(before)));
            }
        }
    }

    fn differ(&mut self, vector: &Vector, what: String) {
        self.different += 1;
        if self.differences.len() < TOLD {
            let told = format!("{:08x} {}: {what}", vector.word, vector.text);
            self.differences.push(told);
        }
    }
}

fn state(run: &Run) -> String {
    format!("{:x?} cpsr {:x}", run.registers, run.cpsr)
}

/// The first difference between what two runs made of a state.
fn difference(word: u32, before: &Run, native: &Run, probed: &Run, stack: u32) -> Option<String> {
    if probed.is_undefined() {
        return Some(format!("ended by {:08x}", probed.instruction));
    }
    let numbered = (0..).zip(native.registers.iter().zip(&probed.registers));
    for (number, (native, probed)) in numbered {
        if native != probed {
            return Some(format!("r{number} is {native:x} or {probed:x}"));
        }
    }
    let told = |what: &str, native: &[u8], probed: &[u8]| {
        let at = native
            .iter()
            .zip(probed)
            .position(|(one, other)| one != other)?;
        Some(format!(
            "{what} + {at:x} is {:x} or {:x}",
            native[at], probed[at]
        ))
    };
    if (native.cpsr, native.fpscr) != (probed.cpsr, probed.fpscr) {
        return Some(format!(
            "cpsr is {:x} or {:x}, fpscr {:x} or {:x}",
            native.cpsr, probed.cpsr, native.fpscr, probed.fpscr
        ));
    }
    if native.doubles != probed.doubles {
        return Some(format!("{:x?} or {:x?}", native.doubles, probed.doubles));
    }
    let mut parts = seen(word, before, native, stack)
        .into_iter()
        .filter_map(|part| {
            let native = native.stack.get(part.clone())?;
            told("stack", native, probed.stack.get(part)?)
        });
    told("data", &native.data, &probed.data).or_else(|| parts.next())
}

/// The parts of the stack, which begins there, that both runs must agree on: from as far below the pointer as
/// no trap comes, the one before the instruction and the one behind it; and what the instruction stores. A trap
/// for alignment, which only the instruction by itself can take, begins right at the pointer.
fn seen(word: u32, before: &Run, after: &Run, stack: u32) -> [Range<usize>; 2] {
    let (first, last) = (before.registers[13], after.registers[13]);
    let reach = safe::reach(word, &before.registers, before.cpsr);
    let traps = reach.as_ref().is_some_and(safe::Reach::is_mended);
    let below = if traps { 0 } else { KEPT };
    let kept = first.max(last).wrapping_sub(below).wrapping_sub(stack) as usize;
    let stored = reach.filter(|reach| !reach.is_read && reach.address >= last);
    let stored = stored.map_or(0..0, |reach| {
        let from = reach.address.wrapping_sub(stack) as usize;
        from..from.saturating_add(reach.bytes as usize)
    });
    [kept.min(after.stack.len())..after.stack.len(), stored]
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
