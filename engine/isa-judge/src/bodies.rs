//! A walk over each function of a kernel: the instructions that it finds and the ways out, beside what the
//! image's own symbols say of code and data.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use engine_isa::body::{Exit, Set, Text, Walk, room};

use crate::census;
use crate::image::{Function, Image};

/// What the walks have come to.
#[derive(Debug, Default)]
pub struct Bodies {
    /// How many functions there are.
    pub functions: u64,
    /// How many cannot be left.
    pub without_exit: u64,
    /// How many run into what stands behind them.
    pub falling_out: u64,
    /// Ways out by kind.
    pub exits: BTreeMap<&'static str, u64>,
    /// Instructions found.
    pub reached: u64,
    /// Instructions by the symbols that were not found.
    pub unreached: u64,
    /// What must not be: each with its place.
    pub wrong: Vec<(String, u64, String)>,
    /// How long the walks took, without what is compared.
    pub time: Duration,
}

/// Walks over all functions of an image.
pub fn walk<S: Set>(image: &Image, set: &census::Set) -> Bodies {
    let mut bodies = Bodies::default();
    let mut memory = Vec::new();
    for (&start, function) in &image.functions {
        if function.size != 0 && !function.is_part() {
            bodies.add::<S>(image, set, start, function, &mut memory);
        }
    }
    bodies
}

/// One function, walked over.
#[derive(Default)]
struct Body {
    exits: Vec<(u64, Exit)>,
    instructions: Vec<u64>,
    falls_out: bool,
}

impl Bodies {
    fn add<S: Set>(
        &mut self,
        image: &Image,
        set: &census::Set,
        start: u64,
        function: &Function,
        memory: &mut Vec<u64>,
    ) {
        let extent = start..start + function.size;
        let begun = Instant::now();
        let body = body::<S>(image, extent.clone(), function, memory);
        self.time += begun.elapsed();
        self.functions += 1;
        match body {
            Ok(body) => self.compare(image, set, extent, function, &body),
            Err(why) => self.wrong.push((why, start, function.name.clone())),
        }
    }

    fn compare(
        &mut self,
        image: &Image,
        set: &census::Set,
        extent: Range<u64>,
        function: &Function,
        body: &Body,
    ) {
        self.without_exit += u64::from(body.exits.is_empty());
        self.falling_out += u64::from(body.falls_out);
        for (_, exit) in &body.exits {
            *self.exits.entry(kind(*exit)).or_default() += 1;
        }
        let mut wrong = |what: &str, at| {
            let place = (what.to_owned(), at, function.name.clone());
            self.wrong.push(place);
        };
        let found: HashSet<u64> = body.instructions.iter().copied().collect();
        for &at in &body.instructions {
            if !image.is_code(at) {
                wrong("data taken for an instruction", at);
            }
        }
        for (at, exit) in &body.exits {
            if !found.contains(at) {
                wrong("a way out that is no instruction", *at);
            }
            let is_return = (set.is_return)(image, *at, &image.code_at(*at));
            if is_return != (*exit == Exit::Return) {
                wrong("a return or not", *at);
            }
        }
        self.reached += body.instructions.len() as u64;
        for (at, code) in image.instructions(extent, set.length) {
            if found.contains(&at) {
                continue;
            }
            self.unreached += 1;
            if (set.is_return)(image, at, &code) {
                self.wrong
                    .push(("a return not found".to_owned(), at, function.name.clone()));
            }
        }
    }
}

fn kind(exit: Exit) -> &'static str {
    match exit {
        Exit::Return => "return",
        Exit::Tail(Some(_)) => "tail call",
        Exit::Tail(None) => "tail call by a register",
    }
}

fn body<S: Set>(
    image: &Image,
    extent: Range<u64>,
    function: &Function,
    memory: &mut Vec<u64>,
) -> Result<Body, String> {
    let text = Text {
        load: &|at, bytes| image.load(at, bytes),
        part: &|at| image.part_of(function, at),
        returns: &|at| image.is_return_thunk(at),
    };
    let needed = room::<S>(extent.end - extent.start);
    memory.resize(needed.max(memory.len()), 0);
    let memory = memory.get_mut(..needed).unwrap_or_default();
    let walk = Walk::<S>::over(&text, extent, memory).map_err(|why| format!("{why:?}"))?;
    let mut body = Body {
        falls_out: walk.falls_out(),
        ..Body::default()
    };
    walk.exits(&mut |at, exit| body.exits.push((at, exit)));
    body.instructions.extend(walk.instructions());
    Ok(body)
}

impl fmt::Display for Bodies {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, count: u64| writeln!(out, "{name:34} {count:>9}");
        line("functions walked over", self.functions)?;
        line("without a way out", self.without_exit)?;
        line("running into what is behind", self.falling_out)?;
        for (kind, count) in &self.exits {
            line(kind, *count)?;
        }
        line("instructions found", self.reached)?;
        line("not found", self.unreached)?;
        for (what, at, function) in &self.wrong {
            writeln!(out, "{what}: {at:x} {function}")?;
        }
        writeln!(out, "walked in {:.2} s", self.time.as_secs_f64())
    }
}
