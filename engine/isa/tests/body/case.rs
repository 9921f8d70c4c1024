//! Function bodies with the expected result of a walk on each line.

use std::ops::Range;

use engine_isa::body::{Exit, Set, Text, Unwalked, Walk, room};

/// The address of each function.
pub const START: u64 = 0x1000;
/// The address of its part, if it has one.
pub const PART: u64 = 0x4000;
/// Another function.
pub const OTHER: u64 = 0x9000;
/// The address of a return thunk.
pub const THUNK: u64 = 0xa000;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Data or padding: no instruction.
    None,
    /// An instruction that is not an exit.
    Code,
    /// An exit.
    Leaves(Exit),
}

pub const RETURN: Mark = Mark::Leaves(Exit::Return);
pub const TAIL: Mark = Mark::Leaves(Exit::Tail(Some(OTHER)));
pub const TAIL_BY_REGISTER: Mark = Mark::Leaves(Exit::Tail(None));

/// A line's bytes.
pub type Line = (Vec<u8>, Mark);

/// A function.
pub struct Case {
    pub name: &'static str,
    pub body: Vec<Line>,
    pub part: Vec<Line>,
    pub falls_out: bool,
}

/// The result of a walk.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub instructions: Vec<u64>,
    pub exits: Vec<(u64, Exit)>,
    pub falls_out: bool,
}

impl Case {
    pub fn new(name: &'static str, body: Vec<Line>) -> Self {
        Self {
            name,
            body,
            part: Vec::new(),
            falls_out: false,
        }
    }

    pub fn with_part(mut self, part: Vec<Line>) -> Self {
        self.part = part;
        self
    }

    pub fn falling_out(mut self) -> Self {
        self.falls_out = true;
        self
    }

    /// The expected result.
    pub fn expected(&self) -> Found {
        let mut found = Found {
            instructions: Vec::new(),
            exits: Vec::new(),
            falls_out: self.falls_out,
        };
        for (start, lines) in [(START, &self.body), (PART, &self.part)] {
            let mut at = start;
            for (bytes, mark) in lines {
                if *mark != Mark::None {
                    found.instructions.push(at);
                }
                if let Mark::Leaves(exit) = mark {
                    found.exits.push((at, *exit));
                }
                at += bytes.len() as u64;
            }
        }
        found
    }

    pub fn found<S: Set>(&self) -> Result<Found, Unwalked> {
        walk::<S>(&text(&self.body), &text(&self.part), room::<S>)
    }

    /// Whether a walk finds anything else.
    #[allow(dead_code, reason = "asked for where defects are seeded")]
    pub fn is_wrong<S: Set>(&self) -> bool {
        self.found::<S>() != Ok(self.expected())
    }

    #[allow(dead_code, reason = "not asked for where defects are seeded")]
    pub fn check<S: Set>(&self) {
        assert_eq!(self.found::<S>(), Ok(self.expected()), "{}", self.name);
    }
}

fn text(lines: &[Line]) -> Vec<u8> {
    lines.iter().flat_map(|(bytes, _)| bytes.clone()).collect()
}

fn extent(start: u64, text: &[u8]) -> Range<u64> {
    start..start + text.len() as u64
}

/// Walks over a function of which `part` is known, with `memory` words.
pub fn walk<S: Set>(
    body: &[u8],
    part: &[u8],
    room: impl Fn(u64) -> usize,
) -> Result<Found, Unwalked> {
    let load = |at: u64, bytes: &mut [u8]| {
        let stretches = [(START, body), (PART, part)];
        let found = stretches.iter().find_map(|(start, text)| {
            let from = usize::try_from(at.checked_sub(*start)?).ok()?;
            text.get(from..from + bytes.len())
        });
        found.map(|found| bytes.copy_from_slice(found)).is_some()
    };
    let of_part = extent(PART, part);
    let text = Text {
        load: &load,
        part: &|at| of_part.contains(&at).then(|| of_part.clone()),
        returns: &|at| at == THUNK,
        is_open: false,
    };
    let mut memory = vec![u64::MAX; room(body.len() as u64)];
    let walk = Walk::<S>::over(&text, extent(START, body), &mut memory)?;
    let mut exits = Vec::new();
    walk.exits(&mut |at, exit| exits.push((at, exit)));
    Ok(Found {
        instructions: walk.instructions().collect(),
        exits,
        falls_out: walk.falls_out(),
    })
}
