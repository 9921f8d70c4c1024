//! Fields of records: numbers are LEB128, bytes are behind their number.

use std::ops::Range;

/// Appends a number.
pub fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends a difference: a small one of either sign is short.
pub fn put_difference(bytes: &mut Vec<u8>, value: u64, before: u64) {
    let difference = value.wrapping_sub(before).cast_signed();
    put(bytes, (difference << 1 ^ difference >> 63).cast_unsigned());
}

/// Appends bytes.
pub fn put_bytes(bytes: &mut Vec<u8>, all: &[u8]) {
    put(bytes, all.len() as u64);
    bytes.extend_from_slice(all);
}

/// A field is cut off, or a number too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Reads fields.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    /// Those from an offset on.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The offset of the next one.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn byte(&mut self) -> Result<u8, Malformed> {
        let byte = self.bytes.get(self.at).ok_or(Malformed)?;
        self.at += 1;
        Ok(*byte)
    }

    pub fn number(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(Malformed);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    /// A number with few bits.
    pub fn short(&mut self) -> Result<u32, Malformed> {
        self.number()?.try_into().map_err(|_| Malformed)
    }

    pub fn difference(&mut self, before: u64) -> Result<u64, Malformed> {
        let folded = self.number()?;
        let difference = (folded >> 1).cast_signed() ^ -(folded & 1).cast_signed();
        Ok(before.wrapping_add_signed(difference))
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.number()?;
        let range = self.range(count)?;
        Ok(&self.bytes[range])
    }

    /// Where so many bytes are, which are passed over.
    pub fn range(&mut self, count: u64) -> Result<Range<usize>, Malformed> {
        let count = usize::try_from(count).map_err(|_| Malformed)?;
        let end = self.at.checked_add(count).ok_or(Malformed)?;
        if end > self.bytes.len() {
            return Err(Malformed);
        }
        let from = std::mem::replace(&mut self.at, end);
        Ok(from..end)
    }
}
