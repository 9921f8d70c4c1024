//! The memory that a run sees, and the same as the engine's emulation sees it.

use engine_isa::{Fault, Memory, Width};

use crate::device::{DATA, LEAVE, PAGE, Places, Run, STACK};

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

/// A run's memory, for the emulation.
pub struct Image<'a> {
    /// The page.
    pub page: &'a [u8; PAGE],
    /// The rest.
    pub run: &'a mut Run,
    /// Where it is.
    pub places: &'a Places,
    /// The stack pointer that the run begins with.
    pub sp: u32,
}

impl Memory for Image<'_> {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let bytes = width.bytes() as usize;
        let lowest = u64::from(self.sp - KEPT);
        let from = match part(address, width.bytes(), self.places) {
            Some(Part::Page(at)) => &self.page[at..at + bytes],
            Some(Part::Stack(at)) if address >= lowest => &self.run.stack[at..at + bytes],
            Some(Part::Data(at)) => &self.run.data[at..at + bytes],
            _ => return Err(Fault { address }),
        };
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(from);
        Ok(u64::from_le_bytes(value))
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        let bytes = width.bytes() as usize;
        let to = match part(address, width.bytes(), self.places) {
            Some(Part::Stack(at)) => &mut self.run.stack[at..at + bytes],
            Some(Part::Data(at)) => &mut self.run.data[at..at + bytes],
            _ => return Err(Fault { address }),
        };
        to.copy_from_slice(&value.to_le_bytes()[..bytes]);
        Ok(())
    }
}
