//! The memory that a run sees, and the same as the engine's emulation sees it.

use engine_isa::{Fault, Memory, Width};

use crate::device::{DATA, LEAVE, PAGE, Places, STACK};

/// How far below the stack pointer nothing is overwritten by a trap.
pub const KEPT: u32 = 64;

/// What words of memory are.
#[derive(Clone, Copy)]
pub enum Contents {
    /// Any.
    Numbers,
    /// Addresses at which a run ends.
    Exits,
}

impl Contents {
    /// The word with this number.
    pub fn word(self, number: usize, places: &Places) -> u32 {
        match self {
            Self::Numbers => (number as u32 + 1).wrapping_mul(0x9e37_79b9),
            Self::Exits => places.page + 4 * (number as u32 % 256),
        }
    }

    /// Fills `bytes`.
    pub fn fill(self, bytes: &mut [u8], places: &Places) {
        for (number, word) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
            *word = self.word(number, places).to_le_bytes();
        }
    }
}

/// The page: the instruction among words that end a run, and maybe the address of one for it to load.
pub fn page(word: u32, places: &Places) -> [u8; PAGE] {
    let mut page = [0; PAGE];
    page.as_chunks_mut().0.fill(LEAVE.to_le_bytes());
    if let Some(literal) = literal_exit(word, places) {
        put(&mut page, literal, places.page);
    }
    put(&mut page, (places.site - places.page) as usize, word);
    page
}

/// Where in the page `ldr pc, [pc, #imm]` loads from, if the instruction is one.
fn literal_exit(word: u32, places: &Places) -> Option<usize> {
    let (up, offset) = (word & 1 << 23 != 0, word & 0xfff);
    let pc = places.site - places.page + 8;
    let at = if up {
        pc + offset
    } else {
        pc.checked_sub(offset)?
    };
    let is_apart = at.abs_diff(pc - 4) >= 8 && at >= 1024 && at % 4 == 0;
    (word & 0x0f7f_f000 == 0x051f_f000 && is_apart && at as usize + 4 <= PAGE)
        .then_some(at as usize)
}

fn put(page: &mut [u8], at: usize, word: u32) {
    page[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// Where an access is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// In the page, which cannot be written.
    Page(usize),
    /// On the stack.
    Stack(usize),
    /// In the data.
    Data(usize),
}

/// Which part so many bytes at `address` are in, if they are in one.
pub fn part(address: u64, bytes: u64, places: &Places) -> Option<Part> {
    let within = |from: u32, size: usize| {
        let at = address.checked_sub(from.into())?;
        (at + bytes <= size as u64).then_some(at as usize)
    };
    let page = || within(places.page, PAGE).map(Part::Page);
    let stack = || within(places.stack, STACK).map(Part::Stack);
    let data = || within(places.data, DATA).map(Part::Data);
    page().or_else(stack).or_else(data)
}

/// Whether an access would see the instruction, or what takes its place when it is probed.
pub fn is_site(address: u64, bytes: u64, places: &Places) -> bool {
    let site = u64::from(places.site);
    address < site + 4 && site < address + bytes
}

/// A run's memory, for the emulation: what is stored there is forgotten, as no instruction loads it again.
pub struct Image<'a> {
    /// The page.
    pub page: &'a [u8; PAGE],
    /// What the rest has.
    pub contents: Contents,
    /// Where it is.
    pub places: &'a Places,
    /// The stack pointer that the run begins with.
    pub sp: u32,
}

impl Image<'_> {
    fn byte(&self, part: Part, ahead: usize) -> u8 {
        match part {
            Part::Page(at) => self.page[at + ahead],
            Part::Stack(at) | Part::Data(at) => {
                let at = at + ahead;
                self.contents.word(at / 4, self.places).to_le_bytes()[at % 4]
            }
        }
    }
}

impl Memory for Image<'_> {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let part = part(address, width.bytes(), self.places).ok_or(Fault { address })?;
        let is_lost = match part {
            Part::Page(_) => is_site(address, width.bytes(), self.places),
            Part::Stack(_) => address < u64::from(self.sp - KEPT),
            Part::Data(_) => false,
        };
        if is_lost {
            return Err(Fault { address });
        }
        let bytes = (0..width.bytes() as usize).rev();
        Ok(bytes.fold(0, |value, ahead| {
            value << 8 | u64::from(self.byte(part, ahead))
        }))
    }

    fn store(&mut self, address: u64, width: Width, _: u64) -> Result<(), Fault> {
        match part(address, width.bytes(), self.places) {
            Some(Part::Stack(_) | Part::Data(_)) => Ok(()),
            _ => Err(Fault { address }),
        }
    }
}
