//! Walks over each function of a kernel, and compares the instructions and exits found with what
//! the image's symbols say about code and data.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use engine_isa::body::{Exit, Set, Text, Unwalked, Walk, room};

use crate::counted;
use crate::image::{Function, Image};

/// The result of the walks.
#[derive(Debug, Default)]
pub struct Bodies {
    /// The number of functions.
    pub functions: u64,
    /// The number that may be probed.
    pub probed: u64,
    /// How many of these have no exit.
    pub without_exit: u64,
    /// How many of these fall through their end.
    pub falling_out: u64,
    /// Exits of these, by kind.
    pub exits: BTreeMap<&'static str, u64>,
    /// Instructions found, in all functions.
    pub found: u64,
    /// Instructions according to the symbols that were not found.
    pub not_found: u64,
    /// Errors: the kind, the address and the details.
    pub wrong: Vec<(&'static str, u64, String)>,
    /// The time that the walks took, without the comparison.
    pub time: Duration,
}

/// The result of one walk.
#[derive(Default)]
struct Body {
    instructions: Vec<u64>,
    exits: Vec<(u64, Exit)>,
    falls_out: bool,
}

/// A function, and what its walk uses.
struct Asked<'a> {
    image: &'a Image,
    set: &'a counted::Set,
    function: &'a Function,
    extent: Range<u64>,
}

/// Walks over all functions of an image.
pub fn walk<S: Set>(image: &Image, set: &counted::Set) -> Bodies {
    let mut bodies = Bodies::default();
    let mut memory = Vec::new();
    let whole = |(_, function): &(&u64, &Function)| function.size != 0 && !function.is_part();
    for (&start, function) in image.functions.iter().filter(whole) {
        let asked = Asked {
            image,
            set,
            function,
            extent: start..start + function.size,
        };
        bodies.add::<S>(&asked, &mut memory);
    }
    bodies
}

impl Bodies {
    fn add<S: Set>(&mut self, asked: &Asked<'_>, memory: &mut Vec<u64>) {
        let begun = Instant::now();
        let body = asked.walk::<S>(memory);
        self.time += begun.elapsed();
        self.functions += 1;
        match body {
            Ok(body) => {
                self.count(asked, &body);
                self.compare(asked, &body);
            }
            Err(why) => self.note(reason(why), asked.extent.start, asked),
        }
    }

    /// Whether every instruction was found, and nothing else.
    pub fn are_right(&self) -> bool {
        self.not_found == 0 && self.wrong.is_empty()
    }

    fn note(&mut self, what: &'static str, at: u64, asked: &Asked<'_>) {
        self.wrong.push((what, at, asked.function.name.clone()));
    }

    fn count(&mut self, asked: &Asked<'_>, body: &Body) {
        if asked.image.function(asked.extent.start).is_none() {
            return;
        }
        self.probed += 1;
        self.without_exit += u64::from(body.exits.is_empty());
        self.falling_out += u64::from(body.falls_out);
        for (_, exit) in &body.exits {
            *self.exits.entry(kind(*exit)).or_default() += 1;
        }
    }

    /// Compares a walk with the image.
    fn compare(&mut self, asked: &Asked<'_>, body: &Body) {
        let Asked { image, set, .. } = asked;
        let found: HashSet<u64> = body.instructions.iter().copied().collect();
        self.found += found.len() as u64;
        let is_data = |at: &&u64| !image.is_code(**at) && !(set.is_marked_data)(&image.bytes(**at));
        for &at in body.instructions.iter().filter(is_data) {
            self.note("data taken for an instruction", at, asked);
        }
        for &(at, exit) in &body.exits {
            let returns = (set.is_return)(image, at, &image.bytes(at));
            if !found.contains(&at) || returns != (exit == Exit::Return) {
                self.note("a wrong way out", at, asked);
            }
        }
        let mut expected = HashSet::new();
        for (at, code) in image.instructions(asked.extent.clone(), set.length) {
            expected.insert(at);
            if found.contains(&at) || (set.is_filling)(&code) {
                continue;
            }
            self.not_found += 1;
            if (set.is_return)(image, at, &code) {
                self.note("a return not found", at, asked);
            }
        }
        let is_within = |at: &&u64| asked.extent.contains(*at) && image.is_code(**at);
        let is_elsewhere = |at: &&u64| is_within(at) && !expected.contains(*at);
        for &at in body.instructions.iter().filter(is_elsewhere) {
            self.note("not the beginning of an instruction", at, asked);
        }
    }
}

impl Asked<'_> {
    fn walk<S: Set>(&self, memory: &mut Vec<u64>) -> Result<Body, Unwalked> {
        let text = Text {
            load: &|at, bytes| self.image.load(at, bytes),
            part: &|at| self.image.part_of(self.function, at),
            returns: &|at| self.image.is_return_thunk(at),
            is_open: false,
        };
        let needed = room::<S>(self.extent.end - self.extent.start);
        memory.resize(needed, 0);
        let walk = Walk::<S>::over(&text, self.extent.clone(), memory)?;
        let mut body = Body {
            instructions: walk.instructions().collect(),
            falls_out: walk.falls_out(),
            ..Body::default()
        };
        walk.exits(&mut |at, exit| body.exits.push((at, exit)));
        Ok(body)
    }
}

const fn kind(exit: Exit) -> &'static str {
    match exit {
        Exit::Return => "returns",
        Exit::Tail(Some(_)) => "tail calls",
        Exit::Tail(None) => "tail calls by a register",
    }
}

const fn reason(why: Unwalked) -> &'static str {
    match why {
        Unwalked::Extent => "not walked over, for its extent",
        Unwalked::Unreadable(_) => "not walked over, since it cannot be read",
        Unwalked::Room => "not walked over, for want of room",
        Unwalked::Unsettled => "not walked over, since it does not settle",
    }
}

impl fmt::Display for Bodies {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, count: u64| writeln!(out, "{name:34} {count:>9}");
        line("functions walked over", self.functions)?;
        line("of them probed", self.probed)?;
        line("probed, without a way out", self.without_exit)?;
        line("probed, running out", self.falling_out)?;
        for (kind, count) in &self.exits {
            line(&format!("probed, {kind}"), *count)?;
        }
        line("instructions found", self.found)?;
        line("instructions not found", self.not_found)?;
        for (what, at, function) in &self.wrong {
            writeln!(out, "WRONG: {what}: {at:x} {function}")?;
        }
        writeln!(out, "walked over in {:.2} s", self.time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm;

    /// ldr r0, [pc, #0]; bx lr; a literal that looks like bx lr.
    const WORDS: [u32; 3] = [0xe59f_0000, 0xe12f_ff1e, 0xe12f_ff1e];

    fn bodies(code: u64) -> Bodies {
        let image = Image::of_words(arm::CENSUS.architecture, &WORDS, code);
        walk::<engine_isa::arm::A32>(&image, &arm::CENSUS)
    }

    fn wrong(bodies: &Bodies) -> Vec<(&'static str, u64)> {
        let wrong = bodies.wrong.iter();
        wrong.map(|(what, at, _)| (*what, *at)).collect()
    }

    #[test]
    fn a_walk_is_right_where_the_symbols_say_the_same() {
        let bodies = bodies(2);
        assert!(bodies.are_right(), "{bodies}");
        assert_eq!(bodies.exits, [("returns", 1)].into());
        assert_eq!((bodies.functions, bodies.found), (1, 2));
    }

    #[test]
    fn an_instruction_that_is_missed_is_told() {
        let bodies = bodies(3);
        assert!(!bodies.are_right());
        assert_eq!(wrong(&bodies), [("a return not found", 0x1008)]);
    }

    #[test]
    fn data_that_are_taken_for_instructions_are_told() {
        let bodies = bodies(1);
        let what = "data taken for an instruction";
        assert_eq!(wrong(&bodies), [(what, 0x1004)]);
    }
}
