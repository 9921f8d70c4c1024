//! The memory of a run: how it is filled, and how an emulation sees it.

use engine_isa::{Fault, Memory, Width};

use crate::instruction::Text;
use crate::places::{DATA, PAGE, Places, STACK};
use crate::set::{Around, Set};

/// Contents of the page: the instruction, and exits everywhere else.
pub fn page<S: Set>(text: &Text, places: &Places) -> [u8; PAGE] {
    let mut page = [0; PAGE];
    for unit in page.chunks_exact_mut(S::LEAVE.len()) {
        unit.copy_from_slice(S::LEAVE);
    }
    S::prepare(text, &mut page, places);
    put(
        &mut page,
        (places.site - places.page) as usize,
        text.bytes(),
    );
    page
}

/// Copies bytes into a page.
pub fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    page[at..at + bytes.len()].copy_from_slice(bytes);
}

/// The area that an access is in, with its offset.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The page, which is read-only.
    Page(usize),
    /// The stack.
    Stack(usize),
    /// The data.
    Data(usize),
}

/// The area that contains all of an access of `bytes` bytes, if any.
pub fn part(address: u64, bytes: u64, places: &Places) -> Option<Part> {
    let within = |from: u64, size: usize| {
        let at = address.checked_sub(from)?;
        (at.checked_add(bytes)? <= size as u64).then_some(at as usize)
    };
    let page = || within(places.page, PAGE).map(Part::Page);
    let stack = || within(places.stack, STACK).map(Part::Stack);
    let data = || within(places.data, DATA).map(Part::Data);
    page().or_else(stack).or_else(data)
}

/// Whether an access overlaps the instruction, whose text differs when it is probed.
pub fn is_site(address: u64, bytes: u64, length: usize, places: &Places) -> bool {
    address < places.site + length as u64 && places.site < address + bytes
}

/// Whether a run with this final state ends at an exit: stack pointer in the stack, with a margin,
/// and PC in the page but not inside the instruction.
pub fn ends_at_exit(sp: u64, pc: u64, length: usize, places: &Places) -> bool {
    let stack = places.stack + 256..places.stack + places.stack_size - 256;
    let page = places.page..places.page + PAGE as u64;
    let itself = places.site..places.site + length as u64;
    stack.contains(&sp) && page.contains(&pc) && !itself.contains(&pc)
}

/// A run's memory for the emulation. Stores are dropped, since no instruction loads what it stored.
pub struct Image<'a> {
    /// The page and the other contents.
    pub around: &'a Around<'a>,
    /// Length of the instruction in bytes.
    pub length: usize,
    /// Lowest stack address that may be read. Below it, exception frames overwrite the stack.
    pub lowest: u64,
}

impl Image<'_> {
    fn byte(&self, part: Part, ahead: usize) -> u8 {
        match part {
            Part::Page(at) => self.around.page[at + ahead],
            Part::Stack(at) | Part::Data(at) => {
                self.around.contents.byte(at + ahead, self.around.places)
            }
        }
    }
}

impl Memory for Image<'_> {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let places = self.around.places;
        let part = part(address, width.bytes(), places).ok_or(Fault { address })?;
        let is_lost = match part {
            Part::Page(_) => is_site(address, width.bytes(), self.length, places),
            Part::Stack(_) => address < self.lowest,
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
        match part(address, width.bytes(), self.around.places) {
            Some(Part::Stack(_) | Part::Data(_)) => Ok(()),
            _ => Err(Fault { address }),
        }
    }
}
