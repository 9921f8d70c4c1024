//! Walks the threads of a file.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::block::Blocks;
use super::file::record::{Begin, Kind, Map, Record, Run};
use super::file::{Error, Reader};
use super::walk::{Source, Walk};

/// A thread, with the blocks that are known.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub blocks: &'a Blocks,
    pub thread: u32,
}

/// Who is told what the threads did.
pub trait Visitor {
    fn begin(&mut self, _begin: Begin) {}
    fn map(&mut self, _map: Map) {}
    /// A run of a thread is read from here on.
    fn run(&mut self, _at: At<'_>, _run: &Run) {}
    /// Instructions of a block were executed, at this depth of the stack.
    fn executed(&mut self, _at: At<'_>, _block: u32, _instructions: Range<u32>, _depth: u64) {}
    /// A conditional branch of a block was executed.
    fn branched(&mut self, _at: At<'_>, _block: u32, _stop: u32, _taken: bool) {}
    /// An indirect branch of a block was executed.
    fn went(&mut self, _at: At<'_>, _block: u32, _stop: u32, _target: u64) {}
    /// Something happened to a thread; the address of its next instruction.
    fn mark(&mut self, _at: At<'_>, _next: u64, _mark: &Kind) {}
}

/// The decisions of a run.
struct Filed<'a, V> {
    run: &'a Run,
    /// The next bit, and the next value.
    bit: u64,
    value: usize,
    at: At<'a>,
    visitor: &'a mut V,
}

impl<V> Filed<'_, V> {
    fn bit(&self) -> Option<bool> {
        let byte = self.run.bits.get((self.bit / 8) as usize)?;
        Some(byte >> (self.bit % 8) & 1 != 0).filter(|_| self.bit < self.run.count)
    }

    /// What the next bit says: what was predicted, or the next value.
    fn peek(&self, predicted: u64) -> Option<u64> {
        match self.bit()? {
            true => Some(predicted),
            false => self.run.values.get(self.value).copied(),
        }
    }

    fn pass(&mut self) {
        self.value += usize::from(self.bit() == Some(false));
        self.bit += 1;
    }
}

impl<V: Visitor> Source for Filed<'_, V> {
    fn is_ready(&mut self) -> bool {
        self.bit < self.run.count
    }

    fn branch(&mut self) -> Option<bool> {
        let taken = self.bit()?;
        self.bit += 1;
        Some(taken)
    }

    fn target(&mut self, predicted: u64) -> Option<u64> {
        let target = self.peek(predicted)?;
        self.pass();
        Some(target)
    }

    fn enter(&mut self, _at: u64, predicted: u32) -> Option<u32> {
        self.peek(predicted.into())?.try_into().ok()
    }

    fn entered(&mut self, _predicted: u32, _number: u32) {
        self.pass();
    }

    fn executed(&mut self, block: u32, instructions: Range<u32>, depth: u64) {
        self.visitor.executed(self.at, block, instructions, depth);
    }

    fn branched(&mut self, block: u32, stop: u32, taken: bool) {
        self.visitor.branched(self.at, block, stop, taken);
    }

    fn went(&mut self, block: u32, stop: u32, target: u64) {
        self.visitor.went(self.at, block, stop, target);
    }
}

/// The threads of a file.
#[derive(Debug)]
pub struct Replay {
    pub blocks: Blocks,
    walks: FxHashMap<u32, Walk>,
}

impl Replay {
    pub fn new() -> Self {
        Self {
            blocks: Blocks::new(),
            walks: FxHashMap::default(),
        }
    }

    /// Walks all threads up to the end of the file, or up to an error in it.
    pub fn read(&mut self, reader: &mut Reader, visitor: &mut impl Visitor) -> Result<(), Error> {
        let done = self.records(reader, visitor);
        let mut threads: Vec<u32> = self.walks.keys().copied().collect();
        threads.sort_unstable();
        for thread in threads {
            self.with(thread, &Run::default(), visitor, |walk, _, filed| {
                walk.settle(filed);
            });
        }
        done
    }

    fn records(&mut self, reader: &mut Reader, visitor: &mut impl Visitor) -> Result<(), Error> {
        while let Some(record) = reader.next()? {
            self.record(record, visitor)
                .map_err(|why| reader.unfit(why))?;
        }
        Ok(())
    }

    fn record(&mut self, record: Record, visitor: &mut impl Visitor) -> Result<(), String> {
        match record {
            Record::Begin(begin) => visitor.begin(begin),
            Record::Map(map) => visitor.map(map),
            Record::Text {
                number,
                generation,
                address,
                text,
            } => {
                self.blocks.insert(number, generation, address, &text);
            }
            Record::Again { block, .. } if block >= self.blocks.count() => {
                return Err(format!("there is no block {block}"));
            }
            Record::Again {
                number,
                generation,
                block,
            } => self.blocks.insert_again(number, generation, block),
            Record::Run(thread, run) => self.run(thread, &run, visitor)?,
            Record::Mark(thread, mark) => self.mark(thread, &mark, visitor)?,
            Record::Finish => {}
        }
        Ok(())
    }

    fn run(&mut self, thread: u32, run: &Run, visitor: &mut impl Visitor) -> Result<(), String> {
        let blocks = &self.blocks;
        visitor.run(At { blocks, thread }, run);
        let done = self.with(thread, run, visitor, |walk, blocks, filed| {
            let done = walk.run(blocks, filed);
            if done.is_err() {
                walk.settle(filed);
            }
            done
        });
        done.ok_or_else(|| no_thread(thread))?
            .map_err(|why| format!("thread {thread}: {why}"))
    }

    fn mark(&mut self, thread: u32, mark: &Kind, visitor: &mut impl Visitor) -> Result<(), String> {
        if let Kind::Start { at, .. } = mark {
            self.walks.insert(thread, Walk::new(*at));
        }
        let done = self.with(thread, &Run::default(), visitor, |walk, blocks, filed| {
            let goes_on = walk.mark(blocks, filed, mark);
            (goes_on, walk.address(blocks))
        });
        let (goes_on, next) = done.ok_or_else(|| no_thread(thread))?;
        let goes_on = goes_on.map_err(|why| format!("thread {thread}: {why}"))?;
        let blocks = &self.blocks;
        visitor.mark(At { blocks, thread }, next, mark);
        if !goes_on {
            self.walks.remove(&thread);
        }
        Ok(())
    }

    /// Does something with a thread's walk.
    fn with<V: Visitor, T>(
        &mut self,
        thread: u32,
        run: &Run,
        visitor: &mut V,
        work: impl FnOnce(&mut Walk, &Blocks, &mut Filed<'_, V>) -> T,
    ) -> Option<T> {
        let blocks = &self.blocks;
        let walk = self.walks.get_mut(&thread)?;
        let at = At { blocks, thread };
        let (bit, value) = (0, 0);
        let mut filed = Filed {
            run,
            bit,
            value,
            at,
            visitor,
        };
        Some(work(walk, blocks, &mut filed))
    }
}

fn no_thread(thread: u32) -> String {
    format!("there is no thread {thread}")
}
