//! `.ARM.exidx`: an index of functions, each with its unwinding instructions.
//!
//! An entry is two words: where the function begins, and its instructions, or where they are in
//! `.ARM.extab`. A function extends to the next entry. The instructions describe its body, not its
//! prologue and epilogue.

use engine_abi::FrameRule;
use object::elf;
use object::read::ReadRef;

use super::Found;
use super::ehabi;
use super::rows::{Span, plain};
use crate::elf::Elf;
use crate::elf::header::{Endian, file_offset};
use crate::error::Fault;

/// `PT_ARM_EXIDX`, the segment of the index.
const PT_ARM_EXIDX: elf::ProgramType = elf::ProgramType(0x7000_0001);
/// `EXIDX_CANTUNWIND`: no instructions. Linkers write it for code without any description too.
const CANT_UNWIND: u32 = 1;
/// Set in the first word of instructions that a standard personality routine executes.
const COMPACT: u32 = 1 << 31;
/// The most words of instructions in `.ARM.extab`: their number has a byte.
const MOST_WORDS: usize = 256;

/// Adds what `.ARM.exidx` describes.
pub fn read<'d, R: ReadRef<'d>>(elf: &Elf, data: R, found: &mut Found) {
    let mut segments = elf.segments.iter();
    let index = segments.find(|segment| segment.kind == PT_ARM_EXIDX);
    let Some(index) = index.filter(|_| elf.machine.has_exidx()) else {
        return;
    };
    let Ok(bytes) = data.read_bytes_at(index.offset, index.file_size) else {
        return found.faults.push(Fault::Exidx("outside the file"));
    };
    let words = Words { elf, data };
    let addresses = (index.address..).step_by(8);
    let entries = addresses.zip(bytes.chunks_exact(8));
    let entries: Vec<_> = entries.map(|(at, entry)| words.entry(at, entry)).collect();
    if !entries.is_sorted_by_key(|(start, _)| *start) {
        return found.faults.push(Fault::Exidx("not sorted"));
    }
    let ends = entries.iter().skip(1).map(|(start, _)| Some(*start));
    for ((start, content), next) in entries.iter().zip(ends.chain([None])) {
        let end = next.or_else(|| elf.code.end_at(*start)).unwrap_or(*start);
        let (start, end) = (*start, end);
        if let Content::At(..) | Content::Inline(_) = content {
            let rule = words.rule(*content);
            found.add(&[Span { start, end, rule }]);
        }
    }
}

/// What an entry says of its function.
#[derive(Debug, Clone, Copy)]
enum Content {
    Nothing,
    Inline(u32),
    /// The address of its instructions.
    At(u64),
}

/// Reads words at addresses of a file.
struct Words<'e, R> {
    elf: &'e Elf,
    data: R,
}

impl<'d, R: ReadRef<'d>> Words<'_, R> {
    fn word(&self, bytes: &[u8]) -> Option<u32> {
        let bytes = bytes.first_chunk()?;
        Some(match self.elf.endian {
            Endian::Little => u32::from_le_bytes(*bytes),
            Endian::Big => u32::from_be_bytes(*bytes),
        })
    }

    /// An entry's function and content.
    fn entry(&self, at: u64, bytes: &[u8]) -> (u64, Content) {
        let (first, second) = bytes.split_at_checked(4).unwrap_or_default();
        let function = self.word(first).map_or(0, |word| relative(at, word));
        let content = match self.word(second) {
            None | Some(CANT_UNWIND) => Content::Nothing,
            Some(word) if word & COMPACT != 0 => Content::Inline(word),
            Some(word) => Content::At(relative(at.wrapping_add(4), word)),
        };
        (function & !1, content)
    }

    fn rule(&self, content: Content) -> engine_abi::UnwindRow {
        let instructions = match content {
            Content::Nothing => return plain(FrameRule::None),
            Content::Inline(word) => inline(word).map(|bytes| bytes.to_vec()),
            Content::At(address) => self.instructions_at(address),
        };
        let rule = instructions.and_then(|bytes| ehabi::rule(&bytes));
        rule.unwrap_or(plain(FrameRule::Stop))
    }

    /// The instructions in `.ARM.extab`: for a standard routine, or for one of a language. Those of all
    /// languages have the same form, with which the routines of GCC and of LLVM begin.
    fn instructions_at(&self, address: u64) -> Option<Vec<u8>> {
        let (offset, rest) = file_offset(&self.elf.segments, address)?;
        let size = rest.min(4 * (MOST_WORDS as u64 + 2));
        let size = size.min(self.data.len().ok()?.checked_sub(offset)?);
        let bytes = self.data.read_bytes_at(offset, size).ok()?;
        let mut words = bytes.chunks_exact(4).map_while(|bytes| self.word(bytes));
        let first = words.next()?;
        let (count, first) = match first & COMPACT {
            0 => {
                let first = words.next()?;
                (first >> 24, first.to_be_bytes().get(1..)?.to_vec())
            }
            _ => match first >> 24 & 0x7f {
                0 => (0, inline(first)?.to_vec()),
                1 | 2 => (first >> 16 & 0xff, first.to_be_bytes().get(2..)?.to_vec()),
                _ => return None,
            },
        };
        let rest: Vec<u8> = words
            .take(count as usize)
            .flat_map(u32::to_be_bytes)
            .collect();
        (rest.len() == 4 * count as usize).then(|| [first, rest].concat())
    }
}

/// The three instructions in a word for the first standard routine.
fn inline(word: u32) -> Option<[u8; 3]> {
    let [routine, bytes @ ..] = word.to_be_bytes();
    (routine == 0x80).then_some(bytes)
}

/// A 31-bit offset from its own address.
fn relative(at: u64, word: u32) -> u64 {
    let offset = (word << 1).cast_signed() >> 1;
    at.wrapping_add_signed(offset.into()) & u64::from(u32::MAX)
}
