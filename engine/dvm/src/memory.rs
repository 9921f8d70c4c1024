//! Memory as a run sees it: the program's strings, scratch memory and the heap, which are the
//! machine's own, and kernel and user memory, read through the [`Env`].
//!
//! Scratch memory and the heap are bump allocators, reset for each run. An instruction builds its
//! result in the unused rest of scratch memory and then allocates what it has built; so its operands
//! never overlap its result.

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
    /// Scratch memory: [`Verified::scratch`](crate::Verified::scratch) bytes.
    pub scratch: &'a mut [u8],
    /// Memory for `alloca` and `copyin`: as many bytes as the program's header says.
    pub heap: &'a mut [u8],
    /// What `strtok` keeps for later clauses of a firing: [`Verified::tokens`](crate::Verified::tokens)
    /// bytes. The first is 0 when a firing begins.
    pub tokens: &'a mut [u8],
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

    /// More bytes than there can be, or are at a valid address.
    pub(crate) const fn bad_size(size: u64) -> Self {
        Self {
            fault: Fault::BadSize,
            address: size,
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
    heap: &'a mut [u8],
    heap_given: usize,
    /// The work left to this run, in bytes.
    work: u32,
}

impl<'a> Space<'a> {
    /// All of `scratch` and `heap` is unused.
    pub(crate) fn new(tables: Tables<'a>, scratch: &'a mut [u8], heap: &'a mut [u8]) -> Self {
        Self {
            tables,
            scratch,
            given: 0,
            heap,
            heap_given: 0,
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
            tables: self.tables,
            scratch: self.scratch.get(..self.given).unwrap_or_default(),
            heap: self.heap.get(..self.heap_given).unwrap_or_default(),
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
            tables: self.tables,
            scratch: scratch.get(..self.given).unwrap_or_default(),
            heap: self.heap.get(..self.heap_given).unwrap_or_default(),
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
        Segment::Scratch.address(begin as u32, self.scratch.len())
    }

    /// Allocates `size` bytes of the heap and fills them. Returns their address.
    pub(crate) fn allocate(
        &mut self,
        size: u64,
        fill: impl FnOnce(&mut [u8]) -> Result<(), Trouble>,
    ) -> Result<u64, Trouble> {
        let wanted = usize::try_from(size).unwrap_or(usize::MAX);
        if wanted > self.heap.len() {
            return Err(Trouble::bad_size(size));
        }
        let begin = self.heap_given.wrapping_add(7) & !7;
        self.charge(wanted)?;
        let (given, free) = self
            .heap
            .split_at_mut_checked(begin)
            .ok_or(Fault::NoScratch)?;
        let room = free.get_mut(..wanted).ok_or(Fault::NoScratch)?;
        fill(room)?;
        let gap = given.get_mut(self.heap_given..).unwrap_or_default();
        gap.iter_mut().for_each(|byte| *byte = 0);
        self.heap_given = begin.wrapping_add(wanted);
        Ok(Segment::Heap.address(begin as u32, self.heap.len()))
    }

    /// The `size` bytes at `address` for a store: they must be allocated on the heap.
    pub(crate) fn writable(&mut self, address: u64, size: usize) -> Result<&mut [u8], Trouble> {
        let bytes = self.allocated(address)?.get_mut(..size);
        bytes.ok_or(Trouble::bad(address))
    }

    /// The `size` bytes at `address` for a copy: they must be allocated on the heap. If there are
    /// fewer bytes at that address, the size is wrong.
    pub(crate) fn target(&mut self, address: u64, size: u64) -> Result<&mut [u8], Trouble> {
        let wanted = usize::try_from(size).unwrap_or(usize::MAX);
        let bytes = self.allocated(address)?;
        if bytes.is_empty() && wanted > 0 {
            return Err(Trouble::bad(address));
        }
        bytes.get_mut(..wanted).ok_or(Trouble::bad_size(size))
    }

    /// What is allocated on the heap from `address` on.
    fn allocated(&mut self, address: u64) -> Result<&mut [u8], Trouble> {
        let offset = heap_offset(address)?;
        let given = match mutant::is_active("free-scratch-written") {
            true => self.heap.len(),
            false => self.heap_given,
        };
        let given = self.heap.get_mut(..given).unwrap_or_default();
        given.get_mut(offset..).ok_or(Trouble::bad(address))
    }

    /// Copies `size` bytes from any memory to the heap.
    pub(crate) fn copy<E: Env>(
        &mut self,
        env: &mut E,
        from: u64,
        to: u64,
        size: u64,
    ) -> Result<(), Trouble> {
        let bytes = self.target(to, size)?.len();
        self.charge(bytes)?;
        let place = heap_offset(to)?;
        let (segment, at) = match Location::of(from) {
            Location::Outside => {
                let loaded = env.load(from, self.target(to, size)?);
                return loaded.map_err(|Unreadable| Trouble::bad(from));
            }
            Location::Own(Segment::Heap, at) => {
                readable(self.own().heap, (from, at), bytes)?;
                self.shift(at as usize, place, bytes);
                return Ok(());
            }
            Location::Own(Segment::Strings, at) => (self.tables.strings(), at),
            Location::Own(Segment::Scratch, at) => {
                (self.scratch.get(..self.given).unwrap_or_default(), at)
            }
            Location::Variable(number, at) => {
                check_copied(self.tables, from, (number, at), size)?;
                env.load_part(number, at, self.target(to, size)?);
                return Ok(());
            }
            Location::Nowhere => return Err(Trouble::bad(from)),
        };
        let source = readable(segment, (from, at), bytes)?;
        let target = self.heap.get_mut(place..);
        copy(target.unwrap_or_default(), source);
        Ok(())
    }

    /// Copies within the heap; the ranges may overlap.
    fn shift(&mut self, from: usize, to: usize, size: usize) {
        for done in 0..size {
            let left = size.wrapping_sub(done).wrapping_sub(1);
            let at = if from < to && !mutant::is_active("overlap-forward") {
                left
            } else {
                done
            };
            let byte = self.heap.get(from.wrapping_add(at)).copied();
            let place = self.heap.get_mut(to.wrapping_add(at));
            if let (Some(byte), Some(place)) = (byte, place) {
                *place = byte;
            }
        }
    }

    /// Where unused scratch begins. Every allocation begins at a multiple of 8.
    fn begin(&self) -> usize {
        self.given.wrapping_add(7) & !7
    }
}

/// The readable part of the machine's own memory.
#[derive(Clone, Copy)]
pub(crate) struct Own<'a> {
    tables: Tables<'a>,
    scratch: &'a [u8],
    heap: &'a [u8],
}

impl<'a> Own<'a> {
    /// The memory from `address` on; `None` if it is not the machine's own.
    fn behind(self, address: u64) -> Option<&'a [u8]> {
        let (segment, offset) = match Location::of(address) {
            Location::Own(Segment::Strings, offset) => (self.tables.strings(), offset),
            Location::Own(Segment::Scratch, offset) => (self.scratch, offset),
            Location::Own(Segment::Heap, offset) => (self.heap, offset),
            Location::Nowhere => return Some(&[]),
            Location::Variable(..) | Location::Outside => return None,
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
        if let Location::Variable(number, offset) = Location::of(address) {
            check_part(self.own.tables, address, (number, offset), into.len())?;
            self.env.load_part(number, offset, into);
            return Ok(());
        }
        let Some(bytes) = self.own.behind(address) else {
            let loaded = self.env.load(address, into);
            return loaded.map_err(|Unreadable| Trouble::bad(address));
        };
        copy(into, bytes.get(..into.len()).ok_or(Trouble::bad(address))?);
        Ok(())
    }

    /// Copies the string at `address`, truncated to fit, and adds a NUL. Returns its length.
    pub(crate) fn text(&mut self, address: u64, into: &mut [u8]) -> Result<usize, Trouble> {
        if let Location::Variable(number, offset) = Location::of(address) {
            return self.text_in_variable(address, (number, offset), into);
        }
        match self.own.behind(address) {
            Some(bytes) => own_text(address, bytes, into),
            None => foreign_text(address, into, |address, bytes| {
                self.env.load(address, bytes)
            }),
        }
    }

    fn text_in_variable(
        &mut self,
        address: u64,
        (number, offset): (u32, u32),
        into: &mut [u8],
    ) -> Result<usize, Trouble> {
        let left = left_of(self.own.tables, address, (number, offset))? as usize;
        let most = into.len().saturating_sub(1);
        let bytes = into.get_mut(..most.min(left)).unwrap_or_default();
        self.env.load_part(number, offset, bytes);
        match bytes.iter().position(|byte| *byte == 0) {
            Some(length) => Ok(length),
            None if most <= left => {
                end(into, most);
                Ok(most)
            }
            None => Err(Trouble::bad(address.wrapping_add(left as u64))),
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

/// The offset in the heap of an address there.
fn heap_offset(address: u64) -> Result<usize, Trouble> {
    match Location::of(address) {
        Location::Own(Segment::Heap, offset) => Ok(offset as usize),
        _ => Err(Trouble::bad(address)),
    }
}

/// Checks that a variable has so many bytes at an offset; `address` is where that is.
pub(crate) fn check_part(
    tables: Tables<'_>,
    address: u64,
    place: (u32, u32),
    size: usize,
) -> Result<(), Trouble> {
    let left = left_of(tables, address, place)?;
    let fits = size as u64 <= left.into();
    fits.then_some(()).ok_or(Trouble::bad(address))
}

/// The same for a copy, whose size is wrong if there are fewer bytes.
pub(crate) fn check_copied(
    tables: Tables<'_>,
    address: u64,
    place: (u32, u32),
    size: u64,
) -> Result<(), Trouble> {
    let left = left_of(tables, address, place)?;
    let fits = size <= left.into();
    fits.then_some(()).ok_or(Trouble::bad_size(size))
}

/// The number of bytes from an offset of a variable on, at least 1.
fn left_of(tables: Tables<'_>, address: u64, (number, offset): (u32, u32)) -> Result<u32, Trouble> {
    let size = match mutant::is_active("part-unchecked") {
        true => Some(u32::MAX),
        false => tables.addressable(number),
    };
    let left = size.and_then(|size| size.checked_sub(offset));
    left.filter(|left| *left > 0).ok_or(Trouble::bad(address))
}

/// The `size` bytes at an offset of a segment; `address` is where that is.
fn readable(segment: &[u8], (address, offset): (u64, u32), size: usize) -> Result<&[u8], Trouble> {
    let bytes = segment.get(offset as usize..).unwrap_or_default();
    if bytes.is_empty() && size > 0 {
        return Err(Trouble::bad(address));
    }
    bytes.get(..size).ok_or(Trouble::bad_size(size as u64))
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
