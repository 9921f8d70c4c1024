//! The code cache: translations of the program's text, and how they are found.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::path::TEXT_MAX;

use super::emit::Writer;
use super::events;
use super::known::Known;
use super::lock::Lock;
use super::region::{Block, Region};
use super::state::State;
use super::table::Table;
use super::translate::{CODE_MAX, translate};
use crate::sys;

/// The cache of this process.
static CACHE: Lock<Cache> = Lock::new(Cache::new());

/// Translations.
struct Cache {
    regions: Vec<Region>,
    table: Option<Table>,
    known: Known,
    /// The newest blocks of text that changes: the number and the translation, by address.
    changing: BTreeMap<u64, (u32, u64)>,
    /// Incremented whenever text goes away.
    generation: u32,
    /// Of the last block.
    number: u32,
}

/// Where control is to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Translation {
    /// At a translation, until the generation changes.
    Lasting(u64),
    /// At a translation, which may not be that of the text the next time.
    Now(u64),
    /// There is no memory.
    Nowhere,
}

impl Translation {
    /// The address of the translation.
    pub fn address(self) -> Option<u64> {
        match self {
            Self::Lasting(address) | Self::Now(address) => Some(address),
            Self::Nowhere => None,
        }
    }
}

/// What is at an address of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is not in the cache.
    Outside,
    /// The instruction at an address begins here.
    Begins(u64),
    /// The instruction at an address is being executed here.
    Within(u64),
}

/// The translation of what is at an address of the program. The thread's state has the newest table then.
pub fn translation_of(state: &State, pc: u64) -> Translation {
    CACHE.with(|cache| {
        cache.refresh(state, pc);
        cache.translation_of(state, pc)
    })
}

/// Sets a literal of a translation, if the cache has it and it is not of an earlier generation.
pub fn link(literal: u64, to: u64) {
    CACHE.with(|cache| {
        let region = cache.regions.iter().find(|region| region.has(literal));
        region
            .into_iter()
            .for_each(|region| region.link(literal, to));
    });
}

/// What is at an address.
pub fn place(address: u64) -> Place {
    CACHE.with(|cache| cache.place(address))
}

/// Text in a range of addresses may be other text from now on.
pub fn forget(range: &Range<u64>) {
    CACHE.with(|cache| {
        if cache.known.forget(range) {
            cache.age();
        }
    });
}

impl Cache {
    const fn new() -> Self {
        Self {
            regions: Vec::new(),
            table: None,
            known: Known::new(),
            changing: BTreeMap::new(),
            generation: 1,
            number: 0,
        }
    }

    /// Has a thread use the newest table, from its arrival at `pc` on.
    fn refresh(&mut self, state: &State, pc: u64) {
        if self.table.as_ref().is_some_and(|table| !table.has_room()) {
            self.age();
        }
        if self.table.is_none() {
            self.table = Table::map();
        }
        if state.generation.get() != self.generation {
            events::generation(state, pc, self.generation);
        }
        let table = self.table.as_ref();
        state.table.set(table.map_or(0, Table::address));
    }

    /// Begins a new generation. Threads find nothing in the old table, and get the new one.
    fn age(&mut self) {
        if let Some(table) = self.table.take() {
            table.empty();
        }
        self.generation = self.generation.wrapping_add(1);
        self.regions.iter_mut().for_each(Region::age);
    }

    fn translation_of(&mut self, state: &State, pc: u64) -> Translation {
        if let Some(translation) = self.table.as_ref().and_then(|table| table.get(pc)) {
            return Translation::Lasting(translation);
        }
        let code = self.known.find(pc, |code, offset, name| {
            events::map(
                state,
                [code.range.start, code.range.end],
                offset,
                code.changes,
                name,
            );
        });
        let Some(code) = code else {
            // The jump there raises the signal that it raises; the next time there may be code.
            let added = self.add(pc, &[]);
            return added.map_or(Translation::Nowhere, |(_, address)| {
                Translation::Now(address)
            });
        };
        let mut text = [0; TEXT_MAX];
        let text = read(pc, code.range.end, &mut text);
        let changes = code.changes;
        if changes && let Some((number, address)) = self.same(pc, text) {
            events::enter(state, number);
            return Translation::Now(address);
        }
        let Some((length, translation)) = self.add(pc, text) else {
            return Translation::Nowhere;
        };
        let generation = if changes { 0 } else { self.generation };
        let text = text.get(..length).unwrap_or_default();
        events::text(state, self.number, generation, pc, text);
        if changes {
            events::enter(state, self.number);
            self.changing.insert(pc, (self.number, translation));
            return Translation::Now(translation);
        }
        if let Some(table) = &mut self.table {
            table.add(pc, translation);
        }
        Translation::Lasting(translation)
    }

    /// The number and the translation of a block whose text is still there.
    fn same(&self, pc: u64, text: &[u8]) -> Option<(u32, u64)> {
        let (number, translation) = *self.changing.get(&pc)?;
        let region = self.regions.iter().find(|region| region.has(translation))?;
        let (block, _) = region.block_at(translation)?;
        let is_same = text.starts_with(&block.text) && !block.text.is_empty();
        is_same.then_some((number, translation))
    }

    /// Translates; returns how much of the text, and where the translation is.
    fn add(&mut self, pc: u64, text: &[u8]) -> Option<(usize, u64)> {
        if !self.regions.iter().any(|region| region.serves(pc)) {
            self.regions.try_reserve(1).ok()?;
            self.regions.push(Region::map(pc)?);
        }
        let region = self.regions.iter_mut().find(|region| region.serves(pc))?;
        let at = region.next();
        let mut code = Writer::new(at, region.room());
        let done = translate(pc, text, &mut code, |_, _| ()).ok()?;
        let length = code.length();
        let mut kept = Vec::new();
        kept.try_reserve_exact(text.len()).ok()?;
        kept.extend_from_slice(text.get(..done).unwrap_or_default());
        self.number = self.number.wrapping_add(1);
        let block = Block {
            pc,
            code: 0,
            length,
            text: kept,
        };
        region.add(block).map(|translation| (done, translation))
    }

    fn place(&self, address: u64) -> Place {
        let Some(region) = self.regions.iter().find(|region| region.has(address)) else {
            return Place::Outside;
        };
        let Some((block, offset)) = region.block_at(address) else {
            return Place::Outside;
        };
        let mut code = [0; CODE_MAX];
        let mut last = Place::Outside;
        let mut writer = Writer::new(region.address(block), &mut code);
        // It was translated before, and is so again.
        let _ = translate(block.pc, &block.text, &mut writer, |start, pc| {
            if start == offset {
                last = Place::Begins(pc);
            } else if start < offset {
                last = Place::Within(pc);
            }
        });
        last
    }
}

/// As much text as there is.
fn read(pc: u64, end: u64, text: &mut [u8; TEXT_MAX]) -> &[u8] {
    let length = (end.wrapping_sub(pc) as usize).min(TEXT_MAX);
    let text = text.get_mut(..length).unwrap_or_default();
    match sys::load(pc as usize, text) {
        Ok(()) => text,
        Err(_) => &[],
    }
}
