//! Decisions from raw events, which become those of a file.

use engine_abi::path::{ENTER, MAP, TAKEN, TARGET, TEXT};

use super::block::Blocks;
use super::file::record::Run;
use super::walk::Source;

/// Bytes of bits, and values, at which a run is written.
const BITS: usize = 1 << 16;
const VALUES: usize = 1 << 12;

/// The decisions of a thread that have not been written.
#[derive(Debug, Default)]
pub struct Decisions {
    run: Run,
}

impl Decisions {
    /// Whether there are enough for a record.
    pub fn is_full(&self) -> bool {
        self.run.bits.len() >= BITS || self.run.values.len() >= VALUES
    }

    /// What there is, if anything.
    pub fn take(&mut self) -> Option<Run> {
        let run = std::mem::take(&mut self.run);
        (run.count > 0).then_some(run)
    }

    fn bit(&mut self, bit: bool) {
        let run = &mut self.run;
        let shift = run.count % 8;
        if shift == 0 {
            run.bits.push(0);
        }
        if let Some(last) = run.bits.last_mut() {
            *last |= u8::from(bit) << shift;
        }
        run.count += 1;
    }

    fn value(&mut self, predicted: u64, value: u64) {
        self.bit(predicted == value);
        if predicted != value {
            self.run.values.push(value);
        }
    }
}

/// The events of a thread.
pub struct Raw<'a> {
    pub events: &'a [u8],
    /// The offset of the next one.
    pub at: &'a mut usize,
    pub decisions: &'a mut Decisions,
    pub blocks: &'a Blocks,
}

impl Raw<'_> {
    fn tag(&self) -> Option<u8> {
        self.events.get(*self.at).copied()
    }

    fn field<const N: usize>(&self) -> Option<[u8; N]> {
        self.events.get(*self.at + 1..)?.first_chunk().copied()
    }

    fn number(&self) -> Option<u32> {
        self.field().map(u32::from_le_bytes)
    }
}

impl Source for Raw<'_> {
    fn is_ready(&mut self) -> bool {
        let is_there = match self.tag() {
            Some(..=TAKEN) => true,
            Some(TARGET) => self.field::<8>().is_some(),
            Some(ENTER) => {
                let number = self.number();
                number.is_some_and(|number| self.blocks.numbered(number).is_some())
            }
            _ => false,
        };
        is_there && !self.decisions.is_full()
    }

    fn branch(&mut self) -> Option<bool> {
        let tag = self.tag().filter(|tag| *tag <= TAKEN)?;
        *self.at += 1;
        let is_taken = tag == TAKEN;
        self.decisions.bit(is_taken);
        Some(is_taken)
    }

    fn target(&mut self, predicted: u64) -> Option<u64> {
        let _ = self.tag().filter(|tag| *tag == TARGET)?;
        let target = self.field().map(u64::from_le_bytes)?;
        *self.at += 9;
        self.decisions.value(predicted, target);
        Some(target)
    }

    fn enter(&mut self, at: u64, _predicted: u32) -> Option<u32> {
        match self.tag()? {
            ENTER => {
                let number = self.number()?;
                let block = self.blocks.get(self.blocks.numbered(number)?);
                Some(if block.address == at { number } else { 0 })
            }
            TEXT | MAP => None,
            _ => Some(0),
        }
    }

    fn entered(&mut self, predicted: u32, number: u32) {
        if number != 0 {
            *self.at += 5;
        }
        self.decisions.value(predicted.into(), number.into());
    }
}
