//! What was executed between two points.

use std::ops::Range;
use std::str::FromStr;

use rustc_hash::FxHashMap;

use super::symbols::Symbols;
use super::{Stream, Streamed, summary};
use crate::error::Error;
use crate::output::Output;
use crate::path::file::record::{Kind, Map};
use crate::path::replay::{At, Visitor};

/// The arrival of a thread at an address: `0x401000`, `main`, `libc.so.6`malloc` or, of the third one,
/// `malloc#3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    place: Place,
    count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Address(u64),
    /// The first instruction of a function.
    Function(String),
}

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, count) = text.rsplit_once('#').unwrap_or((text, "1"));
        let count = count.parse().ok().filter(|count| *count > 0);
        let count = count.ok_or_else(|| format!("{text}: behind # is a number from 1 on"))?;
        let place = match place.strip_prefix("0x") {
            Some(digits) => Place::Address(
                u64::from_str_radix(digits, 16).map_err(|_| format!("{text}: no address"))?,
            ),
            None if place.is_empty() => return Err(format!("{text}: no address or function")),
            None => Place::Function(place.to_owned()),
        };
        Ok(Self { place, count })
    }
}

/// How far a thread is.
#[derive(Default, Clone, Copy)]
struct Progress {
    /// Arrivals at each point.
    arrivals: [u64; 2],
    is_inside: bool,
    is_over: bool,
}

/// Prints what is executed.
pub struct Steps<'a> {
    points: [Option<Point>; 2],
    symbols: Symbols,
    /// The instructions of each block that are at a point.
    arrivals: FxHashMap<u32, [Vec<u32>; 2]>,
    threads: FxHashMap<u32, Progress>,
    stream: Stream<'a>,
}

impl<'a> Steps<'a> {
    pub fn new(points: [Option<Point>; 2], output: &'a mut Output) -> Self {
        Self {
            points,
            symbols: Symbols::default(),
            arrivals: FxHashMap::default(),
            threads: FxHashMap::default(),
            stream: Stream::new(output),
        }
    }

    /// Which instructions of a block are at the points.
    fn arrivals(&mut self, at: At<'_>, block: u32) -> [Vec<u32>; 2] {
        let (points, symbols) = (&self.points, &self.symbols);
        let find = || {
            points.each_ref().map(|point| {
                let block = at.blocks.get(block);
                let is_there = |index: &u32| {
                    let address = block.address_of(*index);
                    match point.as_ref().map(|point| &point.place) {
                        None => false,
                        Some(Place::Address(wanted)) => *wanted == address,
                        Some(Place::Function(name)) => {
                            let function = symbols.function(address);
                            function.start == address && function.is_called(name)
                        }
                    }
                };
                (0..block.count()).filter(is_there).collect()
            })
        };
        self.arrivals.entry(block).or_insert_with(find).clone()
    }

    fn print(&mut self, at: At<'_>, block: u32, instructions: Range<u32>, depth: u64) {
        if instructions.is_empty() {
            return;
        }
        let (thread, block) = (at.thread, at.blocks.get(block));
        let address = block.address_of(instructions.start);
        let name = self.symbols.function(address).at(address);
        let indent = 2 * depth.min(40) as usize;
        let count = instructions.len();
        self.stream.line(format_args!(
            "{thread:>3} {address:>16x} {count:>4}  {:indent$}{name}",
            ""
        ));
    }
}

impl Visitor for Steps<'_> {
    fn map(&mut self, map: Map) {
        self.symbols.map(map);
    }

    fn executed(&mut self, at: At<'_>, block: u32, instructions: Range<u32>, depth: u64) {
        let mut progress = self.threads.get(&at.thread).copied().unwrap_or(Progress {
            is_inside: self.points[0].is_none(),
            ..Progress::default()
        });
        if progress.is_over {
            return;
        }
        let arrivals = self.arrivals(at, block);
        let wanted = self.points.each_ref();
        let wanted = wanted.map(|point| point.as_ref().map_or(1, |point| point.count));
        let mut from = instructions.start;
        for index in instructions.clone() {
            if progress.is_inside && arrivals[1].contains(&index) {
                progress.arrivals[1] += 1;
                if progress.arrivals[1] == wanted[1] {
                    progress.is_over = true;
                    self.print(at, block, from..index + 1, depth);
                    break;
                }
            }
            if !progress.is_inside && arrivals[0].contains(&index) {
                progress.arrivals[0] += 1;
                if progress.arrivals[0] == wanted[0] {
                    progress.is_inside = true;
                    from = index;
                }
            }
        }
        if progress.is_inside && !progress.is_over {
            self.print(at, block, from..instructions.end, depth);
        }
        self.threads.insert(at.thread, progress);
    }

    fn mark(&mut self, at: At<'_>, _next: u64, mark: &Kind) {
        let progress = self.threads.get(&at.thread);
        let is_inside = progress.map_or(self.points[0].is_none(), |it| it.is_inside && !it.is_over);
        if is_inside && !matches!(mark, Kind::Generation { .. }) {
            let symbols = &self.symbols;
            let text = summary::describe(mark, |at| symbols.function(at).at(at));
            let thread = at.thread;
            self.stream.line(format_args!("{thread:>3} {text:->20}"));
        }
    }
}

impl Streamed for Steps<'_> {
    fn finish(self) -> Result<(), Error> {
        self.stream.finish()
    }
}
