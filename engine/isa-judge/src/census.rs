//! The census of a kernel's text: how many of its instructions, of its functions' first
//! instructions and of their returns are emulated, relocated and refused, and what kprobes would do
//! about them.

use std::collections::BTreeMap;
use std::fmt;

use crate::counted::{Bounds, Monitor, Set, Verdict};
use crate::image::{Code, Image};

/// One line: the number of instructions, and how many of them are first instructions and returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All instructions.
    pub all: u64,
    /// First instructions of functions that may be probed.
    pub first: u64,
    /// Returns of such functions.
    pub returns: u64,
}

/// The census.
#[derive(Debug, Default)]
pub struct Census {
    /// The whole text.
    pub total: Count,
    /// By our plan.
    pub ours: BTreeMap<String, Count>,
    /// By the verdict of kprobes.
    pub kprobes: BTreeMap<Verdict, Count>,
    /// Accepted instructions in places that cannot be probed, by reason.
    pub places: BTreeMap<&'static str, Count>,
    /// Each refused first instruction: the reason, the bytes and the function.
    pub refused_first: Vec<(String, String, String)>,
}

/// Takes the census of an image.
pub fn count(image: &Image, set: &Set) -> Census {
    let mut census = Census::default();
    for stretch in image.code(set.length) {
        let windows = windows(&stretch, set);
        for ((address, code), in_window) in stretch.iter().zip(windows) {
            census.add(image, set, *address, code, in_window);
        }
    }
    census
}

impl Census {
    fn add(&mut self, image: &Image, set: &Set, address: u64, code: &Code, in_window: bool) {
        let function = image.function(address);
        let begun = function.filter(|(start, _)| image.entry(*start) == Some(address));
        let one = Count {
            all: 1,
            first: begun.is_some().into(),
            returns: (function.is_some() && (set.is_return)(image, address, code)).into(),
        };
        let answer = (set.answer)(code);
        let place = place(image, address, in_window).filter(|_| !is_refusal(&answer));
        if let Some(place) = place {
            self.places.entry(place).or_default().add(one);
        }
        if let (true, Some((_, function))) = (place.is_some() || is_refusal(&answer), begun) {
            let why = place.map_or(answer.clone(), |place| format!("refuse {place}"));
            let digits = digits(code, set);
            self.refused_first
                .push((why, digits, function.name.clone()));
        }
        self.total.add(one);
        self.ours.entry(answer).or_default().add(one);
        let verdict = match image.is_rewritten(address) {
            true => Verdict::Reject,
            false => (set.kprobes)(code),
        };
        self.kprobes.entry(verdict).or_default().add(one);
    }
}

/// Why no probe can be at an address, whatever the instruction, in the tracer's words.
fn place(image: &Image, address: u64, in_window: bool) -> Option<&'static str> {
    let reasons = [
        ("exclusive", in_window),
        ("fixup", image.is_fixed_up(address)),
        ("rewritten", image.is_rewritten(address)),
    ];
    let mut reasons = reasons.into_iter();
    reasons.find_map(|(word, holds)| holds.then_some(word))
}

fn is_refusal(answer: &str) -> bool {
    answer.starts_with("refuse")
}

impl Count {
    fn add(&mut self, other: Self) {
        self.all += other.all;
        self.first += other.first;
        self.returns += other.returns;
    }
}

fn digits(code: &Code, set: &Set) -> String {
    let bytes = &code[..(set.length)(code)];
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// For each instruction of a run, in address order, whether it is in an exclusive sequence: between
/// one that sets the monitor and the next that clears it. One that is never cleared is not a
/// sequence.
fn windows(stretch: &[(u64, Code)], set: &Set) -> Vec<bool> {
    let mut inside = vec![false; stretch.len()];
    let mut opened = None;
    for (place, (_, code)) in stretch.iter().enumerate() {
        match ((set.monitor)(code), opened) {
            (Monitor::Opens, _) => opened = Some(place),
            (Monitor::Closes, Some(from)) => {
                inside[from + 1..place].fill(true);
                opened = None;
            }
            _ => {}
        }
    }
    inside
}

impl fmt::Display for Census {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{:34} {:>9} {:>8} {:>8} {:>8}",
            "", "all", "", "first", "returns"
        )?;
        let mut line = |name: &str, count: &Count| {
            let share = self.percent(*count);
            let Count {
                all,
                first,
                returns,
            } = count;
            writeln!(
                out,
                "{name:34} {all:>9} {share:>7.2}% {first:>8} {returns:>8}"
            )
        };
        line("instructions", &self.total)?;
        for (name, count) in &self.ours {
            line(name, count)?;
        }
        line("refuse, for what they are", &self.refused())?;
        for (reason, count) in &self.places {
            line(&format!("refuse {reason}, by place"), count)?;
        }
        line("refuse, in all", &self.refused_in_all())?;
        for (verdict, count) in &self.kprobes {
            line(&format!("kprobes: {verdict:?}").to_lowercase(), count)?;
        }
        for (answer, digits, function) in &self.refused_first {
            writeln!(out, "first instruction: {answer}: {digits} {function}")?;
        }
        Ok(())
    }
}

impl Census {
    /// Everything refused for the instruction itself.
    pub fn refused(&self) -> Count {
        let refused = self.ours.iter().filter(|(answer, _)| is_refusal(answer));
        let mut sum = Count::default();
        refused.for_each(|(_, count)| sum.add(*count));
        sum
    }

    /// Everything refused, for the instruction or its place.
    pub fn refused_in_all(&self) -> Count {
        let mut sum = self.refused();
        self.places.values().for_each(|count| sum.add(*count));
        sum
    }

    /// A line for each bound that is exceeded.
    pub fn beyond(&self, bounds: Bounds) -> Vec<String> {
        let (own, all) = (self.refused(), self.refused_in_all());
        let told = [
            self.beyond_percent("for what they are", own, bounds.percent),
            self.beyond_percent("in all", all, bounds.percent_in_all),
            beyond("first", all.first, bounds.first),
            beyond("return", all.returns, bounds.returns),
        ];
        told.into_iter().flatten().collect()
    }

    fn beyond_percent(&self, how: &str, count: Count, most: f64) -> Option<String> {
        let share = self.percent(count);
        (share > most).then(|| {
            format!("{share:.2}% of all instructions are refused {how}, and may be {most}%")
        })
    }

    /// The percentage of all instructions.
    fn percent(&self, count: Count) -> f64 {
        100.0 * count.all as f64 / self.total.all.max(1) as f64
    }
}

fn beyond(kind: &str, count: u64, most: u64) -> Option<String> {
    (count > most).then(|| format!("{count} {kind} instructions are refused, and may be {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm;

    #[test]
    fn a_window_is_what_stands_between() {
        let words = [
            0xe190_3f9f_u32,
            0xe283_3001,
            0xe180_2f93,
            0xe283_3001,
            0xe190_3f9f,
            0xe283_3001,
        ];
        let code = |word: u32| {
            let mut code = [0; 15];
            code[..4].copy_from_slice(&word.to_le_bytes());
            code
        };
        let words: Vec<_> = (0..).step_by(4).zip(words.map(code)).collect();
        let inside = windows(&words, &arm::CENSUS);
        assert_eq!(inside, [false, true, false, false, false, false]);
    }

    /// Of 1000 instructions 4 are refused themselves, 2 for an exclusive sequence, and 1 for the
    /// exception table.
    fn census() -> Census {
        let of = |all, first, returns| Count {
            all,
            first,
            returns,
        };
        Census {
            total: of(1000, 100, 100),
            ours: [
                ("relocate".to_owned(), of(996, 98, 100)),
                ("refuse trap".to_owned(), of(4, 2, 0)),
            ]
            .into(),
            places: [("exclusive", of(2, 1, 0)), ("fixup", of(1, 0, 1))].into(),
            ..Census::default()
        }
    }

    #[test]
    fn what_is_refused_is_held_to_each_bound() {
        let bounds = |percent, percent_in_all, first, returns| Bounds {
            percent,
            percent_in_all,
            first,
            returns,
        };
        assert_eq!(census().beyond(bounds(0.4, 0.7, 3, 1)), [""; 0]);
        assert_eq!(
            census().beyond(bounds(0.3, 0.6, 2, 0)),
            [
                "0.40% of all instructions are refused for what they are, and may be 0.3%",
                "0.70% of all instructions are refused in all, and may be 0.6%",
                "3 first instructions are refused, and may be 2",
                "1 return instructions are refused, and may be 0",
            ]
        );
    }
}
