//! A block split into its tables. Only the layout has been checked here: rows are accessed by
//! number, and one that does not exist is `None`.

use engine_abi::{
    AggregationRow, ClauseRow, DESTRUCTIVE, FieldRow, Instruction, KeyRow, MAGIC, PROGRAM_MAX,
    ProgramHeader, Span, VariableRow,
};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::address::Segment;
use crate::invalid::{Invalid, Why};
use crate::table::Table;

/// A row of a table.
pub(crate) trait Row: FromBytes + KnownLayout + Immutable {
    /// The table of these rows.
    const TABLE: Table;
}

macro_rules! rows {
    ($($row:ty: $table:ident,)*) => {
        $(impl Row for $row {
            const TABLE: Table = Table::$table;
        })*
    };
}

rows! {
    ClauseRow: Clauses,
    u32: Actions,
    FieldRow: Fields,
    VariableRow: Variables,
    AggregationRow: Aggregations,
    KeyRow: Keys,
}

/// The layout of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The header that determines it.
    pub(crate) header: ProgramHeader,
    /// The first word of each table.
    starts: [u32; Table::ALL.len()],
}

impl Layout {
    /// Computes the layout of `block`, which its tables must fill exactly.
    pub(crate) fn of(block: &[u64]) -> Result<Self, Invalid> {
        let bytes = block.as_bytes();
        if bytes.len() > PROGRAM_MAX as usize {
            return Err(Why::TooLong.of_header());
        }
        let Ok((header, _)) = ProgramHeader::read_from_prefix(bytes) else {
            return Err(Why::TooShort.of_header());
        };
        if header.magic != MAGIC {
            return Err(Why::Magic.of_header());
        }
        let mut starts = [0; Table::ALL.len()];
        let mut word = (size_of::<ProgramHeader>() / 8) as u64;
        for (start, table) in starts.iter_mut().zip(Table::ALL) {
            // A start that is truncated here does not pass the length check below.
            *start = word as u32;
            let bytes = u64::from(table.count(&header)).wrapping_mul(table.row_size() as u64);
            word = word.wrapping_add(bytes.div_ceil(8));
        }
        if word != block.len() as u64 {
            return Err(Why::Length.of_header());
        }
        Ok(Self { header, starts })
    }

    fn start(&self, table: Table) -> usize {
        self.starts.get(table as usize).copied().unwrap_or(0) as usize
    }
}

/// The tables of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tables<'a> {
    block: &'a [u64],
    layout: &'a Layout,
}

impl<'a> Tables<'a> {
    /// The tables of `block`, whose layout this must be.
    pub(crate) fn new(block: &'a [u64], layout: &'a Layout) -> Self {
        Self { block, layout }
    }

    /// The header.
    pub(crate) fn header(self) -> &'a ProgramHeader {
        &self.layout.header
    }

    /// Whether the program may change the system.
    pub(crate) fn is_destructive(self) -> bool {
        self.header().flags & DESTRUCTIVE != 0
    }

    /// The number of rows of a table.
    pub(crate) fn count(self, table: Table) -> u32 {
        table.count(self.header())
    }

    /// A row of a table.
    pub(crate) fn row<T: Row>(self, index: u32) -> Option<&'a T> {
        if index >= self.count(T::TABLE) {
            return None;
        }
        let table = self.block.get(self.layout.start(T::TABLE)..)?.as_bytes();
        let row = table.get((index as usize).wrapping_mul(size_of::<T>())..)?;
        T::ref_from_prefix(row).ok().map(|(row, _)| row)
    }

    /// The instructions of a span. Each is one word, so that a fetch is a single load.
    pub(crate) fn code(self, span: Span) -> Code<'a> {
        let first = self
            .layout
            .start(Table::Code)
            .wrapping_add(span.first as usize);
        let words = self.block.get(first..).unwrap_or_default();
        Code(words.get(..span.count as usize).unwrap_or_default())
    }

    /// The strings, each with its NUL.
    pub(crate) fn strings(self) -> &'a [u8] {
        let bytes = self.block.get(self.layout.start(Table::Strings)..);
        bytes
            .and_then(|words| words.as_bytes().get(..self.header().strings as usize))
            .unwrap_or_default()
    }

    /// The address of a string, by its offset.
    pub(crate) fn string_address(self, offset: u32) -> u64 {
        Segment::Strings.address(offset, self.header().strings as usize)
    }

    /// The string at an offset, without its NUL.
    pub(crate) fn string(self, offset: u32) -> Option<&'a [u8]> {
        let rest = self.strings().get(offset as usize..)?;
        rest.split(|byte| *byte == 0)
            .next()
            .filter(|_| !rest.is_empty())
    }

    /// Whether a table has these rows.
    pub(crate) fn has(self, table: Table, span: Span) -> bool {
        let end = u64::from(span.first).wrapping_add(u64::from(span.count));
        end <= u64::from(self.count(table))
    }
}

/// A sequence of instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Code<'a>(&'a [u64]);

impl Code<'_> {
    /// The instruction at an index.
    pub(crate) fn get(self, at: u32) -> Option<Instruction> {
        let word = self.0.get(at as usize)?;
        Some(zerocopy::transmute!(*word))
    }
}

// Tables begin at words, and an instruction is one word.
const _: () = {
    assert!(size_of::<ProgramHeader>().is_multiple_of(8));
    assert!(size_of::<Instruction>() == 8);
};
