//! The blocks of a program: text that was executed, and where control goes in it.

use std::cell::Cell;

use engine_isa::x86::{LONGEST, control, length};
use engine_isa::{Away, Control};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where control goes at a [`Stop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A conditional branch, to this address if it is taken.
    Branch(u64),
    /// A direct jump.
    Jump(u64),
    /// A direct call.
    Call(u64),
    /// An indirect jump.
    JumpTo,
    /// An indirect call.
    CallTo,
    /// A return.
    Return,
}

/// An instruction after which control may go elsewhere than to the next one.
#[derive(Debug)]
pub struct Stop {
    /// Its index in the block.
    pub index: u32,
    pub kind: Kind,
    /// The address of the next instruction.
    pub behind: u64,
    /// The block at its target.
    link: Cell<Link>,
}

/// A block that was found at an address, valid as long as nothing else is to be found there.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    epoch: u32,
    generation: u32,
    block: u32,
}

/// Text at an address.
#[derive(Debug)]
pub struct Block {
    pub address: u64,
    pub text: Box<[u8]>,
    /// The offset of each instruction.
    pub starts: Box<[u16]>,
    pub stops: Box<[Stop]>,
    /// The block behind it.
    link: Cell<Link>,
}

impl Block {
    fn new(address: u64, text: &[u8]) -> Self {
        let (mut starts, mut stops) = (Vec::new(), Vec::new());
        let mut done = 0;
        while let Some((length, kind)) = instruction(&text[done..], address + done as u64) {
            let behind = address.wrapping_add((done + length) as u64);
            if let Some(kind) = kind {
                stops.push(Stop {
                    index: starts.len() as u32,
                    kind,
                    behind,
                    link: Cell::default(),
                });
            }
            starts.push(done as u16);
            done += length;
        }
        Self {
            address,
            text: text[..done].into(),
            starts: starts.into(),
            stops: stops.into(),
            link: Cell::default(),
        }
    }

    /// The number of its instructions.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The address of an instruction, or the one behind the last.
    pub fn address_of(&self, index: u32) -> u64 {
        let start = self.starts.get(index as usize).copied().map(usize::from);
        let offset = start.unwrap_or(self.text.len());
        self.address.wrapping_add(offset as u64)
    }

    /// The bytes of an instruction.
    pub fn bytes_of(&self, index: u32) -> &[u8] {
        let start = |index: u32| self.starts.get(index as usize).copied().map(usize::from);
        let from = start(index).unwrap_or(self.text.len());
        let end = start(index + 1).unwrap_or(self.text.len());
        &self.text[from..end]
    }

    /// The index of the instruction at an address; that behind the last one for the end.
    pub fn index_of(&self, address: u64) -> Option<u32> {
        let offset = address.wrapping_sub(self.address);
        if offset == self.text.len() as u64 {
            return Some(self.count());
        }
        let offset = u16::try_from(offset).ok()?;
        self.starts
            .binary_search(&offset)
            .ok()
            .map(|index| index as u32)
    }
}

/// The length of the first instruction, and where control goes after it.
fn instruction(text: &[u8], at: u64) -> Option<(usize, Option<Kind>)> {
    const NOP: u8 = 0x90;
    let mut window = [NOP; LONGEST];
    for (to, from) in window.iter_mut().zip(text) {
        *to = *from;
    }
    let length = length(&window).filter(|length| *length <= text.len())?;
    let kind = match control(&window, at) {
        Control {
            away: Some(Away::To(target)),
            next,
        } => Some(if next {
            Kind::Branch(target)
        } else {
            Kind::Jump(target)
        }),
        Control {
            away: Some(Away::Return),
            ..
        } => Some(Kind::Return),
        Control { away: Some(_), .. } => Some(Kind::JumpTo),
        Control { away: None, .. } => call(&text[..length], at.wrapping_add(length as u64)),
    };
    Some((length, kind))
}

/// The call that an instruction is.
fn call(instruction: &[u8], behind: u64) -> Option<Kind> {
    let is_prefix = |byte: &&u8| matches!(**byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3);
    let prefixes = instruction.iter().take_while(is_prefix).count();
    match instruction[prefixes..] {
        [0xe8, a, b, c, d] => {
            let distance = i32::from_le_bytes([a, b, c, d]);
            Some(Kind::Call(behind.wrapping_add_signed(distance.into())))
        }
        [0xff, modrm, ..] if modrm >> 3 & 0b111 == 2 => Some(Kind::CallTo),
        _ => None,
    }
}

/// Whose link is asked for: of a stop, or of what is behind a block.
#[derive(Debug, Clone, Copy)]
pub struct Via {
    pub block: u32,
    /// `None` for what is behind the block.
    pub stop: Option<u32>,
}

/// All blocks. Blocks of the same address and text are one.
#[derive(Debug, Default)]
pub struct Blocks {
    list: Vec<Block>,
    by_address: FxHashMap<u64, Vec<u32>>,
    /// By address and generation.
    places: FxHashMap<(u64, u32), u32>,
    numbers: FxHashMap<u32, u32>,
    /// Addresses whose text can change.
    changing: FxHashSet<u64>,
    /// Incremented whenever another block is to be found at an address.
    epoch: u32,
}

impl Blocks {
    pub fn new() -> Self {
        Self {
            epoch: 1,
            ..Self::default()
        }
    }

    /// A block that is known.
    pub fn get(&self, block: u32) -> &Block {
        &self.list[block as usize]
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.list.len() as u32
    }

    /// The block of this text at this address.
    pub fn same(&self, address: u64, text: &[u8]) -> Option<u32> {
        let all = self.by_address.get(&address)?;
        let mut all = all.iter().copied();
        all.find(|block| *self.get(*block).text == *text)
    }

    /// Whether text at an address would change what walks find there.
    pub fn disturbs(&self, generation: u32, address: u64, text: &[u8]) -> bool {
        let Some(all) = self.by_address.get(&address) else {
            return false;
        };
        match generation {
            0 => !self.changing.contains(&address),
            _ => all.iter().any(|block| *self.get(*block).text != *text),
        }
    }

    /// Adds text; returns its block.
    pub fn insert(&mut self, number: u32, generation: u32, address: u64, text: &[u8]) -> u32 {
        let block = self.same(address, text).unwrap_or_else(|| {
            let block = self.count();
            self.list.push(Block::new(address, text));
            self.by_address.entry(address).or_default().push(block);
            block
        });
        self.insert_again(number, generation, block);
        block
    }

    /// Adds a number for a block that is known.
    pub fn insert_again(&mut self, number: u32, generation: u32, block: u32) {
        let address = self.get(block).address;
        self.numbers.insert(number, block);
        let is_other = match generation {
            0 => self.changing.insert(address),
            _ => {
                let old = self.places.insert((address, generation), block);
                old.is_some_and(|old| old != block)
            }
        };
        self.epoch += u32::from(is_other);
    }

    /// The block of a number.
    pub fn numbered(&self, number: u32) -> Option<u32> {
        self.numbers.get(&number).copied()
    }

    /// The newest block of a generation.
    pub fn newest(&self, address: u64, generation: u32) -> Option<u32> {
        self.places.get(&(address, generation)).copied()
    }

    /// Whether text at an address has to be named.
    pub fn is_changing(&self, address: u64) -> bool {
        self.changing.contains(&address)
    }

    fn link(&self, via: Via) -> &Cell<Link> {
        let block = self.get(via.block);
        match via.stop {
            Some(stop) => &block.stops[stop as usize].link,
            None => &block.link,
        }
    }

    /// The block that a link leads to.
    pub fn linked(&self, via: Via, generation: u32) -> Option<u32> {
        let link = self.link(via).get();
        let is_valid = link.epoch == self.epoch && link.generation == generation;
        is_valid.then_some(link.block)
    }

    /// Links.
    pub fn set_link(&self, via: Via, generation: u32, block: u32) {
        self.link(via).set(Link {
            epoch: self.epoch,
            generation,
            block,
        });
    }
}
