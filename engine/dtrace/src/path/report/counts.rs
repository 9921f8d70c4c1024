//! Counts of instructions and branches.

use std::ops::Range;

use super::packed::Packed;
use super::symbols::{Function, Symbols};
use crate::path::block::{Block, Blocks};
use crate::path::file::record::{Begin, Kind, Map, Run};
use crate::path::replay::{At, Visitor};
use crate::path::unrecorded::Unrecorded;

/// What was counted in a block.
#[derive(Debug, Default)]
struct Tally {
    /// How much more often each instruction was executed than the one before it.
    changes: Vec<i64>,
    /// How often each stop was not taken, and taken.
    stops: Vec<[u64; 2]>,
}

/// What was counted of a path.
#[derive(Default)]
pub struct Counts {
    pub begin: Begin,
    pub symbols: Symbols,
    /// The names of mappings, each once.
    pub objects: Vec<String>,
    pub marks: Vec<(u32, Kind)>,
    pub threads: u64,
    pub unrecorded: Unrecorded,
    /// Instructions; conditional branches not taken and taken; indirect ones.
    pub instructions: u64,
    pub branches: [u64; 2],
    pub indirect: u64,
    /// Targets that were not predicted.
    pub values: u64,
    pub packed: Packed,
    tallies: Vec<Tally>,
}

impl Counts {
    /// How often each instruction of a block was executed.
    pub fn executions(&self, block: u32) -> Vec<u64> {
        let tally = self.tallies.get(block as usize);
        let changes = tally.map_or(&[][..], |tally| &tally.changes);
        let sums = changes.iter().scan(0i64, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        sums.map(i64::unsigned_abs).collect()
    }

    /// How often a stop of a block was not taken, and taken.
    pub fn stop(&self, block: u32, stop: usize) -> [u64; 2] {
        let tally = self.tallies.get(block as usize);
        let stop = tally.and_then(|tally| tally.stops.get(stop));
        stop.copied().unwrap_or_default()
    }

    /// Calls `each` with each instruction that was executed: its block, its index, how often, and its function.
    pub fn each(&self, blocks: &Blocks, mut each: impl FnMut(&Block, u32, u64, &Function)) {
        let mut function: Option<Function> = None;
        for number in 0..blocks.count() {
            let block = blocks.get(number);
            for (index, count) in (0..block.count()).zip(self.executions(number)) {
                let address = block.address_of(index);
                let is_same = function.as_ref().is_some_and(|it| it.contains(address));
                let at = match function.take().filter(|it| is_same && it.name.is_some()) {
                    Some(at) => at,
                    None => self.symbols.function(address),
                };
                if count > 0 {
                    each(block, index, count, &at);
                }
                function = Some(at);
            }
        }
    }

    fn tally(&mut self, at: At<'_>, block: u32) -> &mut Tally {
        let index = block as usize;
        if index >= self.tallies.len() {
            self.tallies.resize_with(index + 1, Tally::default);
        }
        let tally = &mut self.tallies[index];
        if tally.changes.is_empty() {
            let block = at.blocks.get(block);
            tally.changes = vec![0; block.count() as usize + 1];
            tally.stops = vec![[0; 2]; block.stops.len()];
        }
        tally
    }
}

impl Visitor for Counts {
    fn begin(&mut self, begin: Begin) {
        self.begin = begin;
    }

    fn map(&mut self, map: Map) {
        let name = String::from_utf8_lossy(&map.name).into_owned();
        if !name.is_empty() && !self.objects.contains(&name) {
            self.objects.push(name);
        }
        self.symbols.map(map);
    }

    fn run(&mut self, at: At<'_>, run: &Run) {
        self.unrecorded.goes_on(at.thread);
        self.values += run.values.len() as u64;
        self.packed.add(run);
    }

    fn executed(&mut self, at: At<'_>, block: u32, instructions: Range<u32>, _depth: u64) {
        self.instructions += u64::from(instructions.end - instructions.start);
        let changes = &mut self.tally(at, block).changes;
        changes[instructions.start as usize] += 1;
        changes[instructions.end as usize] -= 1;
    }

    fn branched(&mut self, at: At<'_>, block: u32, stop: u32, taken: bool) {
        self.branches[usize::from(taken)] += 1;
        self.tally(at, block).stops[stop as usize][usize::from(taken)] += 1;
    }

    fn went(&mut self, _at: At<'_>, _block: u32, _stop: u32, _target: u64) {
        self.indirect += 1;
    }

    fn mark(&mut self, at: At<'_>, _next: u64, mark: &Kind) {
        self.threads += u64::from(matches!(mark, Kind::Start { .. }));
        self.unrecorded.mark(at.thread, mark);
        if !matches!(mark, Kind::Generation { .. }) {
            self.marks.push((at.thread, mark.clone()));
        }
    }
}
