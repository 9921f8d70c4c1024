//! How often the probes of each function should have fired.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// Counts by function and probe.
#[derive(Debug, Default)]
pub struct Counts(BTreeMap<String, usize>);

impl Counts {
    /// With calls of a function, and with those of them that returned.
    pub fn with(mut self, function: &str, entries: usize, returns: usize) -> Self {
        self.add(function, "entry", entries);
        self.add(function, "return", returns);
        self
    }

    /// With executions of the instruction at an offset.
    pub fn with_offset(mut self, function: &str, offset: usize, count: usize) -> Self {
        self.add(function, &format!("{offset:x}"), count);
        self
    }

    fn add(&mut self, function: &str, probe: &str, count: usize) {
        *self.0.entry(format!("{function} {probe}")).or_default() += count;
    }
}

/// As an aggregation's lines: a probe that never fires has none.
impl Display for Counts {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let mut fired = self.0.iter().filter(|(_, count)| **count > 0);
        fired.try_for_each(|(probe, count)| writeln!(f, "{probe} {count}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_added_up_and_zeros_are_not_shown() {
        let counts = Counts::default().with("g", 3, 0).with("f", 1, 1);
        let counts = counts.with("g", 2, 0).with_offset("f", 0x1a, 4);
        assert_eq!(
            counts.to_string(),
            "f 1a 4\nf entry 1\nf return 1\ng entry 5\n"
        );
    }
}
