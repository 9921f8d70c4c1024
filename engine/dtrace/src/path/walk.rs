//! Walks: what a thread executes, from its decisions.
//!
//! A walk goes on only when there is a decision for it, so that a block is looked up when all that comes
//! before it is known: its text, and the generation of the thread.

use std::ops::Range;

use rustc_hash::FxHashMap;
use thiserror::Error;

use super::block::{Blocks, Kind, Stop, Via};
use super::file::record::Kind as Mark;
use super::stack::Stack;

/// The most instructions in a row without a decision.
const STRAIGHT_MAX: u64 = 1 << 20;

/// Where the decisions come from, and what is told where the walk goes.
pub trait Source {
    /// Whether there is another decision.
    fn is_ready(&mut self) -> bool;
    /// Whether a conditional branch is taken. `None` if the next decision is another one.
    fn branch(&mut self) -> Option<bool>;
    /// The target of an indirect branch.
    fn target(&mut self, predicted: u64) -> Option<u64>;
    /// The number of the block that is entered at an address whose text can change; 0: that of the thread's
    /// generation. It stays the next decision until [`Source::entered`].
    fn enter(&mut self, at: u64, predicted: u32) -> Option<u32>;
    /// It was entered.
    fn entered(&mut self, predicted: u32, number: u32);
    /// Instructions of a block were executed, at this depth of the stack.
    fn executed(&mut self, _block: u32, _instructions: Range<u32>, _depth: u64) {}
    /// A conditional branch of a block was executed.
    fn branched(&mut self, _block: u32, _stop: u32, _taken: bool) {}
    /// An indirect branch of a block was executed.
    fn went(&mut self, _block: u32, _stop: u32, _target: u64) {}
}

/// Why a walk does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Halt {
    /// There is no text at an address, or not yet.
    #[error("no text at {0:#x}")]
    NoText(u64),
    /// An instruction at which control is decided does not fit to the next event.
    #[error("the branch at {0:#x} does not fit to the next event")]
    Unfit(u64),
    /// An address is not reached without decisions.
    #[error("{0:#x} is not reached")]
    NotReached(u64),
    /// There is no decision in too many instructions.
    #[error("no decision in {STRAIGHT_MAX} instructions up to {0:#x}")]
    Straight(u64),
}

/// Where a walk is in a block.
#[derive(Debug, Clone, Copy)]
struct Place {
    block: u32,
    /// The first instruction that has not been told.
    from: u32,
    /// The next instruction.
    next: u32,
    /// The next stop.
    stop: u32,
}

/// The walk of a thread.
#[derive(Debug)]
pub struct Walk {
    /// The next instruction's address, where it is in no block.
    at: u64,
    place: Option<Place>,
    /// How it came to `at`.
    via: Option<Via>,
    stack: Stack,
    /// The last target of each indirect branch, by its address.
    targets: FxHashMap<u64, u64>,
    /// The number of the last block at each address whose text can change.
    entered: FxHashMap<u64, u32>,
    generation: u32,
    straight: u64,
}

impl Walk {
    /// A thread begins at an address.
    pub fn new(at: u64) -> Self {
        Self {
            at,
            place: None,
            via: None,
            stack: Stack::default(),
            targets: FxHashMap::default(),
            entered: FxHashMap::default(),
            generation: 1,
            straight: 0,
        }
    }

    /// The address of the next instruction.
    pub fn address(&self, blocks: &Blocks) -> u64 {
        match self.place {
            Some(place) => blocks.get(place.block).address_of(place.next),
            None => self.at,
        }
    }

    /// Walks as long as there are decisions.
    pub fn run(&mut self, blocks: &Blocks, source: &mut impl Source) -> Result<(), Halt> {
        while source.is_ready() {
            let Some(place) = self.place else {
                // Which block it is can be a decision, too.
                self.enter(blocks, source)?;
                continue;
            };
            let stops = &blocks.get(place.block).stops;
            match stops.get(place.stop as usize) {
                Some(stop) => self.pass(blocks, source, place, stop)?,
                None => self.fall(blocks, source, place)?,
            }
        }
        Ok(())
    }

    /// Walks on without decisions until the next instruction is that at an address.
    fn reach(&mut self, blocks: &Blocks, source: &mut impl Source, at: u64) -> Result<(), Halt> {
        while self.address(blocks) != at {
            let mut place = self.enter(blocks, source)?;
            let block = blocks.get(place.block);
            let stop = block.stops.get(place.stop as usize);
            let last = stop.map_or(block.count(), |stop| stop.index);
            let index = block.index_of(at);
            if let Some(index) = index.filter(|index| (place.next..=last).contains(index)) {
                place.next = index;
                self.place = Some(place);
                return Ok(());
            }
            match stop {
                None => self.fall(blocks, source, place)?,
                Some(stop) if matches!(stop.kind, Kind::Jump(_) | Kind::Call(_)) => {
                    self.pass(blocks, source, place, stop)?;
                }
                Some(_) => return Err(Halt::NotReached(at)),
            }
        }
        Ok(())
    }

    /// Executes the instruction that the walk has reached, at which control is not decided.
    fn execute(&mut self, blocks: &Blocks, source: &mut impl Source) -> Result<(), Halt> {
        let mut place = self.enter(blocks, source)?;
        let block = blocks.get(place.block);
        let stop = block.stops.get(place.stop as usize);
        if place.next == block.count() || stop.is_some_and(|stop| stop.index == place.next) {
            return Err(Halt::Unfit(block.address_of(place.next)));
        }
        place.next += 1;
        self.place = Some(place);
        Ok(())
    }

    /// Tells what was executed so far.
    pub fn settle(&mut self, source: &mut impl Source) {
        if let Some(place) = &mut self.place {
            let range = place.from..place.next;
            place.from = place.next;
            if !range.is_empty() {
                source.executed(place.block, range, self.stack.depth());
            }
        }
    }

    /// Something happened to the thread. Returns whether the walk goes on.
    pub fn mark(
        &mut self,
        blocks: &Blocks,
        source: &mut impl Source,
        mark: &Mark,
    ) -> Result<bool, Halt> {
        match *mark {
            Mark::Generation { at, generation } => {
                self.reach(blocks, source, at)?;
                self.settle(source);
                self.go(at, None);
                self.generation = generation;
            }
            Mark::Signal { at, handler, .. } => {
                self.reach(blocks, source, at)?;
                self.signal(source, handler);
            }
            Mark::SignalReturn { at, to } => {
                self.reach(blocks, source, at)?;
                self.execute(blocks, source)?;
                self.signal_return(source, to);
            }
            Mark::Clone { at, .. } | Mark::End { at } => {
                self.reach(blocks, source, at)?;
                self.execute(blocks, source)?;
            }
            Mark::Exec { at } | Mark::Left { at, .. } => self.reach(blocks, source, at)?,
            Mark::Start { .. } | Mark::Lost { .. } => {}
        }
        let ends = matches!(
            mark,
            Mark::End { .. } | Mark::Left { .. } | Mark::Lost { .. }
        );
        if ends {
            self.settle(source);
        }
        Ok(!ends)
    }

    /// A handler is called.
    fn signal(&mut self, source: &mut impl Source, handler: u64) {
        self.settle(source);
        self.stack.signal();
        self.go(handler, None);
    }

    /// A handler has returned.
    fn signal_return(&mut self, source: &mut impl Source, to: u64) {
        self.settle(source);
        self.stack.signal_return();
        self.go(to, None);
    }

    fn go(&mut self, to: u64, via: Option<Via>) {
        self.at = to;
        self.place = None;
        self.via = via;
    }

    /// The place of the walk, in the block at its address if it was in none.
    fn enter(&mut self, blocks: &Blocks, source: &mut impl Source) -> Result<Place, Halt> {
        loop {
            match self.place {
                Some(place) if place.next < blocks.get(place.block).count() => return Ok(place),
                Some(place) => self.fall(blocks, source, place)?,
                None => {
                    let block = self.find(blocks, source)?;
                    if blocks.get(block).count() == 0 {
                        return Err(Halt::NoText(self.at));
                    }
                    self.place = Some(Place {
                        block,
                        from: 0,
                        next: 0,
                        stop: 0,
                    });
                }
            }
        }
    }

    fn find(&mut self, blocks: &Blocks, source: &mut impl Source) -> Result<u32, Halt> {
        if let Some(via) = self.via
            && let Some(block) = blocks.linked(via, self.generation)
        {
            return Ok(block);
        }
        let at = self.at;
        if blocks.is_changing(at) {
            return self.find_named(blocks, source);
        }
        let block = self.find_lasting(blocks).ok_or(Halt::NoText(at))?;
        if let Some(via) = self.via {
            blocks.set_link(via, self.generation, block);
        }
        Ok(block)
    }

    fn find_lasting(&self, blocks: &Blocks) -> Option<u32> {
        blocks.newest(self.at, self.generation)
    }

    fn find_named(&mut self, blocks: &Blocks, source: &mut impl Source) -> Result<u32, Halt> {
        let at = self.at;
        let predicted = self.entered.get(&at).copied().unwrap_or_default();
        let number = source.enter(at, predicted).ok_or(Halt::Unfit(at))?;
        let block = match number {
            0 => self.find_lasting(blocks),
            number => blocks.numbered(number),
        };
        let block = block.filter(|block| blocks.get(*block).address == at);
        let block = block.ok_or(Halt::NoText(at))?;
        source.entered(predicted, number);
        self.entered.insert(at, number);
        self.decided();
        Ok(block)
    }

    fn decided(&mut self) {
        self.straight = 0;
    }

    /// Counts instructions that were executed without a decision.
    fn count(&mut self, instructions: Range<u32>, at: u64) -> Result<(), Halt> {
        self.straight += u64::from(instructions.end.saturating_sub(instructions.start));
        match self.straight {
            ..=STRAIGHT_MAX => Ok(()),
            _ => Err(Halt::Straight(at)),
        }
    }

    /// Goes to what is behind a block.
    fn fall(
        &mut self,
        blocks: &Blocks,
        source: &mut impl Source,
        place: Place,
    ) -> Result<(), Halt> {
        let block = blocks.get(place.block);
        let end = block.address_of(block.count());
        self.count(place.next..block.count(), end)?;
        self.leave(source, place, block.count());
        let via = Via {
            block: place.block,
            stop: None,
        };
        self.go(end, Some(via));
        Ok(())
    }

    /// Tells what was executed of a block.
    fn leave(&mut self, source: &mut impl Source, place: Place, end: u32) {
        if place.from < end {
            source.executed(place.block, place.from..end, self.stack.depth());
        }
    }

    /// Goes on to the next stop, and executes it.
    fn pass(
        &mut self,
        blocks: &Blocks,
        source: &mut impl Source,
        place: Place,
        stop: &Stop,
    ) -> Result<(), Halt> {
        match stop.kind {
            Kind::Branch(target) => self.branch(blocks, source, place, stop, target),
            Kind::Jump(target) | Kind::Call(target) => {
                self.count(place.next..stop.index + 1, target)?;
                self.leave_at(source, place, stop, target);
                Ok(())
            }
            Kind::JumpTo | Kind::CallTo | Kind::Return => self.turn(blocks, source, place, stop),
        }
    }

    fn branch(
        &mut self,
        blocks: &Blocks,
        source: &mut impl Source,
        mut place: Place,
        stop: &Stop,
        target: u64,
    ) -> Result<(), Halt> {
        let unfit = || Halt::Unfit(blocks.get(place.block).address_of(stop.index));
        let is_taken = source.branch().ok_or_else(unfit)?;
        self.decided();
        source.branched(place.block, place.stop, is_taken);
        if is_taken {
            self.leave_at(source, place, stop, target);
            return Ok(());
        }
        place.next = stop.index + 1;
        place.stop += 1;
        self.place = Some(place);
        Ok(())
    }

    /// An indirect branch.
    fn turn(
        &mut self,
        blocks: &Blocks,
        source: &mut impl Source,
        place: Place,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let at = blocks.get(place.block).address_of(stop.index);
        let predicted = match stop.kind {
            Kind::Return => self.stack.top(),
            _ => self.targets.get(&at).copied().unwrap_or_default(),
        };
        let target = source.target(predicted).ok_or(Halt::Unfit(at))?;
        self.decided();
        source.went(place.block, place.stop, target);
        if target != predicted && stop.kind != Kind::Return {
            self.targets.insert(at, target);
        }
        self.leave_at(source, place, stop, target);
        self.via = None;
        Ok(())
    }

    /// Leaves a block at a stop, for an address.
    fn leave_at(&mut self, source: &mut impl Source, place: Place, stop: &Stop, to: u64) {
        self.leave(source, place, stop.index + 1);
        match stop.kind {
            Kind::Call(_) | Kind::CallTo => self.stack.push(stop.behind),
            Kind::Return => self.stack.pop(to),
            Kind::Branch(_) | Kind::Jump(_) | Kind::JumpTo => {}
        }
        let via = Via {
            block: place.block,
            stop: Some(place.stop),
        };
        self.go(to, Some(via));
    }
}
