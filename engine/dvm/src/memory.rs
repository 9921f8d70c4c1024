//! Memory as a run sees it: the program's strings and scratch memory, which are the machine's own,
//! and kernel and user memory, read through the [`Env`].
//!
//! Scratch memory is a bump allocator, reset for each run. An instruction builds its result in the
//! unused rest of it and then allocates what it has built; so its operands never overlap its
//! result.

use engine_abi::Fault;

use crate::address::{Location, Segment};
use crate::block::Tables;
use crate::env::{Env, Unreadable};
use crate::limits::WORK_MAX;
use crate::mutant;
use crate::op::REGISTERS;

/// The machine's registers.
pub type Registers = [u64; REGISTERS as usize];

/// Memory lent to a run. Its contents do not matter before the run, and are not needed after it.
#[derive(Debug)]
pub struct Memory<'a> {
    /// The registers.
    pub registers: &'a mut Registers,
    /// Scratch memory: [`Verified::scratch`](crate::Verified::scratch) bytes, plus what `alloca`
    /// and `copyin` may use.
    pub scratch: &'a mut [u8],
    /// Space for a key: [`Verified::key_size_max`](crate::Verified::key_size_max) bytes.
    pub key: &'a mut [u8],
}

/// Why an instruction failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) fault: Fault,
    /// The faulting address, or 0.
    pub(crate) address: u64,
}

impl Trouble {
    pub(crate) const fn bad(address: u64) -> Self {
        Self {
            fault: Fault::BadAddress,
            address,
        }
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self { fault, address: 0 }
    }
}

/// The machine's own memory.
pub(crate) struct Space<'a> {
    tables: Tables<'a>,
    scratch: &'a mut [u8],
    given: usize,
    /// The work left to this run, in bytes.
    work: u32,
}

impl<'a> Space<'a> {
    /// All of `scratch` is unused.
    pub(crate) fn new(tables: Tables<'a>, scratch: &'a mut [u8]) -> Self {
        Self {
            tables,
            scratch,
            given: 0,
            work: WORK_MAX,
        }
    }

    /// The program's tables.
    pub(crate) fn tables(&self) -> Tables<'a> {
        self.tables
    }

    /// The readable memory.
    pub(crate) fn own(&self) -> Own<'_> {
        Own {
            strings: self.tables.strings(),
            scratch: self.scratch.get(..self.given).unwrap_or_default(),
        }
    }

    /// Charges this run for work on `bytes`.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Trouble> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.work = self.work.checked_sub(bytes).ok_or(Fault::TooLong)?;
        Ok(())
    }

    /// The readable memory, and `size` bytes of unused scratch.
    pub(crate) fn room(&mut self, size: usize) -> Result<(Own<'_>, &mut [u8]), Trouble> {
        let begin = self.begin();
        let split = self.scratch.split_at_mut_checked(begin);
        let (scratch, free) = split.ok_or(Fault::NoScratch)?;
        let own = Own {
            strings: self.tables.strings(),
            scratch: scratch.get(..self.given).unwrap_or_default(),
        };
        let room = free.get_mut(..size).ok_or(Fault::NoScratch)?;
        let bytes = u32::try_from(size).unwrap_or(u32::MAX);
        self.work = self.work.checked_sub(bytes).ok_or(Fault::TooLong)?;
        Ok((own, room))
    }

    /// Allocates the first bytes of unused scratch, which must exist and have been written: data of
    /// an earlier run must not be visible. Returns their address.
    pub(crate) fn keep(&mut self, size: usize) -> u64 {
        let begin = self.begin();
        let gap = self.scratch.get_mut(self.given..begin);
        gap.unwrap_or_default()
            .iter_mut()
            .for_each(|byte| *byte = 0);
        self.given = begin.wrapping_add(size);
        Segment::Scratch.address(begin as u32)
    }

    /// The `size` bytes at `address` for writing: they must be allocated scratch memory.
    pub(crate) fn writable(&mut self, address: u64, size: usize) -> Result<&mut [u8], Trouble> {
        let Location::Own(Segment::Scratch, offset) = Location::of(address) else {
            return Err(Trouble::bad(address));
        };
        let given = match mutant::is_active("free-scratch-written") {
            true => self.scratch.len(),
            false => self.given,
        };
        let given = self.scratch.get_mut(..given).unwrap_or_default();
        let bytes = given.get_mut(offset as usize..);
        bytes
            .and_then(|bytes| bytes.get_mut(..size))
            .ok_or(Trouble::bad(address))
    }

    /// Copies `size` bytes from any memory to allocated scratch memory.
    pub(crate) fn copy<E: Env>(
        &mut self,
        env: &mut E,
        from: u64,
        to: u64,
        size: u64,
    ) -> Result<(), Trouble> {
        let size = usize::try_from(size).map_err(|_| Trouble::bad(to))?;
        match Location::of(from) {
            Location::Own(Segment::Scratch, from) => self.shift(from, to, size),
            Location::Own(Segment::Strings, offset) => {
                let strings = self.tables.strings();
                let strings = strings.get(offset as usize..).unwrap_or_default();
                let bytes = strings.get(..size).ok_or(Trouble::bad(from))?;
                self.writable(to, size)?;
                self.charge(size)?;
                copy(self.writable(to, size)?, bytes);
                Ok(())
            }
            Location::Nowhere => Err(Trouble::bad(from)),
            Location::Outside => {
                self.writable(to, size)?;
                self.charge(size)?;
                let loaded = env.load(from, self.writable(to, size)?);
                loaded.map_err(|Unreadable| Trouble::bad(from))
            }
        }
    }

    /// Copies within scratch memory; the ranges may overlap.
    fn shift(&mut self, from: u32, to: u64, size: usize) -> Result<(), Trouble> {
        self.writable(Segment::Scratch.address(from), size)?;
        self.writable(to, size)?;
        self.charge(size)?;
        let (from, to) = (from as usize, to as u32 as usize);
        for done in 0..size {
            let left = size.wrapping_sub(done).wrapping_sub(1);
            let at = if from < to && !mutant::is_active("overlap-forward") {
                left
            } else {
                done
            };
            let byte = self.scratch.get(from.wrapping_add(at)).copied();
            let place = self.scratch.get_mut(to.wrapping_add(at));
            if let (Some(byte), Some(place)) = (byte, place) {
                *place = byte;
            }
        }
        Ok(())
    }

    /// Where unused scratch begins. Every allocation begins at a multiple of 8.
    fn begin(&self) -> usize {
        self.given.wrapping_add(7) & !7
    }
}

/// The readable part of the machine's own memory.
#[derive(Clone, Copy)]
pub(crate) struct Own<'a> {
    strings: &'a [u8],
    scratch: &'a [u8],
}

impl<'a> Own<'a> {
    /// The memory from `address` on; `None` if it is not the machine's own.
    fn behind(self, address: u64) -> Option<&'a [u8]> {
        let (segment, offset) = match Location::of(address) {
            Location::Own(Segment::Strings, offset) => (self.strings, offset),
            Location::Own(Segment::Scratch, offset) => (self.scratch, offset),
            Location::Nowhere => return Some(&[]),
            Location::Outside => return None,
        };
        Some(segment.get(offset as usize..).unwrap_or_default())
    }
}

/// Reads any memory.
pub(crate) struct Reader<'a, E> {
    pub(crate) own: Own<'a>,
    pub(crate) env: &'a mut E,
}

impl<E: Env> Reader<'_, E> {
    /// Fills `into` with the bytes at `address`.
    pub(crate) fn bytes(&mut self, address: u64, into: &mut [u8]) -> Result<(), Trouble> {
        let Some(bytes) = self.own.behind(address) else {
            let loaded = self.env.load(address, into);
            return loaded.map_err(|Unreadable| Trouble::bad(address));
        };
        copy(into, bytes.get(..into.len()).ok_or(Trouble::bad(address))?);
        Ok(())
    }

    /// Copies the string at `address`, truncated to fit, and adds a NUL. Returns its length.
    pub(crate) fn text(&mut self, address: u64, into: &mut [u8]) -> Result<usize, Trouble> {
        match self.own.behind(address) {
            Some(bytes) => own_text(address, bytes, into),
            None => foreign_text(address, into, |address, bytes| {
                self.env.load(address, bytes)
            }),
        }
    }

    /// Like [`Reader::text`], and zeroes the rest.
    pub(crate) fn padded_text(&mut self, address: u64, into: &mut [u8]) -> Result<(), Trouble> {
        let length = self.text(address, into)?;
        if !mutant::is_active("text-unpadded") {
            into.iter_mut().skip(length).for_each(|byte| *byte = 0);
        }
        Ok(())
    }
}

fn own_text(address: u64, bytes: &[u8], into: &mut [u8]) -> Result<usize, Trouble> {
    let most = into.len().saturating_sub(1);
    let bytes = bytes.get(..most).unwrap_or(bytes);
    let length = match bytes.iter().position(|byte| *byte == 0) {
        Some(length) => length,
        None if bytes.len() == most => most,
        None => return Err(Trouble::bad(address.wrapping_add(bytes.len() as u64))),
    };
    copy(into, bytes.get(..length).unwrap_or_default());
    end(into, length);
    Ok(length)
}

/// Copies a string through `load`, in pieces that do not cross into a page after the one it ends
/// in.
pub(crate) fn foreign_text(
    address: u64,
    into: &mut [u8],
    mut load: impl FnMut(u64, &mut [u8]) -> Result<(), Unreadable>,
) -> Result<usize, Trouble> {
    const PIECE: usize = 64;
    let most = into.len().saturating_sub(1);
    let mut length = 0;
    while length < most {
        let at = address.wrapping_add(length as u64);
        let to_boundary = PIECE.wrapping_sub(at as usize & (PIECE - 1));
        let size = to_boundary.min(most.wrapping_sub(length));
        let piece = into.get_mut(length..length.wrapping_add(size));
        let piece = piece.unwrap_or_default();
        load(at, piece).map_err(|Unreadable| Trouble::bad(at))?;
        if let Some(more) = piece.iter().position(|byte| *byte == 0) {
            return Ok(length.wrapping_add(more));
        }
        length = length.wrapping_add(size);
    }
    end(into, length);
    Ok(length)
}

/// Terminates a string with a NUL.
pub(crate) fn end(text: &mut [u8], length: usize) {
    if let Some(byte) = text.get_mut(length) {
        *byte = 0;
    }
}

/// Copies as many bytes as both have. Unlike `copy_from_slice`, it does not require equal lengths,
/// and so leaves no panic in the object.
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// Rounds a size up to a multiple of 8.
pub(crate) const fn round_up(size: u32) -> u32 {
    size.wrapping_add(7) & !7
}
