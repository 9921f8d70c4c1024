//! Unwind tables: where each frame's caller is, for every instruction of an object.
//!
//! Compilers describe frames for exceptions: in `.eh_frame`, which is found by the segment of its
//! index, and on 32-bit ARM in `.ARM.exidx`. Both describe more than a tracer needs, and `.eh_frame` is a
//! program to be interpreted. Here it is interpreted once, and becomes rows of a fixed size that a
//! probe can search ([`engine_abi::UnwindRow`]).
//!
//! What no row can express is marked as such, so a stack ends there and is not guessed on.

mod dwarf;
mod ehabi;
mod exidx;
mod expression;
mod rows;
mod vdso;

use engine_abi::{FrameRule, UnwindRow};
use object::read::ReadRef;
use zerocopy::IntoBytes;

use crate::elf::Elf;
use crate::error::Fault;
use rows::Span;

/// The unwind table of an object.
#[derive(Debug, Clone, Default)]
pub struct UnwindTable {
    rows: Vec<UnwindRow>,
    faults: Vec<Fault>,
    coverage: Coverage,
}

/// How much of what compilers described has become rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of functions, or parts of functions, that the object describes.
    pub functions: usize,
    /// Those whose every instruction has a row that leads on.
    pub described: usize,
}

impl UnwindTable {
    /// Makes the table of an ELF file.
    ///
    /// # Errors
    /// A fault that leaves nothing to read. Other faults are in [`UnwindTable::faults`].
    pub fn of_bytes(data: &[u8]) -> Result<(Elf, Self), Fault> {
        let elf = Elf::read(data)?;
        let table = Self::read(&elf, data);
        Ok((elf, table))
    }

    pub(crate) fn read<'d, R: ReadRef<'d>>(elf: &Elf, data: R) -> Self {
        let mut found = Found::default();
        dwarf::read(elf, data, &mut found);
        exidx::read(elf, data, &mut found);
        vdso::read(elf, data, &mut found);
        Self {
            rows: rows::rows(found.spans, &mut found.faults),
            faults: found.faults,
            coverage: found.coverage,
        }
    }

    /// The rows, sorted by address.
    pub fn rows(&self) -> &[UnwindRow] {
        &self.rows
    }

    /// The rows as the kernel takes them.
    pub fn bytes(&self) -> &[u8] {
        self.rows.as_bytes()
    }

    /// What was wrong with parts of the file's descriptions; those parts have no rows.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How much of the file's descriptions is expressed.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}

/// Where the functions are that `.eh_frame` describes: their addresses and sizes.
pub(crate) fn functions<'d, R: ReadRef<'d>>(elf: &Elf, data: R) -> (Vec<(u64, u64)>, Vec<Fault>) {
    let (mut extents, mut faults) = (Vec::new(), Vec::new());
    dwarf::each(elf, data, &mut faults, |entry, _| {
        extents.push((entry.initial_address(), entry.len()));
        Ok(())
    });
    (extents, faults)
}

/// What a reader of descriptions has found so far.
#[derive(Debug, Default)]
struct Found {
    spans: Vec<Span>,
    faults: Vec<Fault>,
    coverage: Coverage,
}

impl Found {
    /// Adds the spans of a function.
    fn add(&mut self, function: &[Span]) {
        let is_stop = |span: &Span| span.rule.rule == FrameRule::Stop.code();
        self.coverage.functions += 1;
        self.coverage.described += usize::from(!function.iter().any(is_stop));
        self.spans.extend_from_slice(function);
    }
}
