//! A clause of a program, and the rows that it refers to.

use engine_abi::{ClauseRow, Instruction, Span, ValueKind};

use crate::address;
use crate::aggregate::Aggregate;
use crate::block::{Code, Tables};
use crate::limits::VALUE_MAX;
use crate::names::Builtin;
use crate::op::Op;
use crate::rows::{Aggregation, Field, KeyPart, Variable};
use crate::table::Table;

/// A clause of a verified program.
#[derive(Debug, Clone, Copy)]
pub struct Clause<'a> {
    pub(crate) tables: Tables<'a>,
    pub(crate) row: &'a ClauseRow,
}

/// A clause so simple that the caller can run it without the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brief {
    /// It records that it ran, and nothing else: `{ }`.
    Mark,
    /// It updates this aggregation, which has no key: `@ = count()`.
    Count(u32),
}

impl<'a> Clause<'a> {
    /// Its brief form, if it has one.
    pub fn brief(&self) -> Option<Brief> {
        let mut instructions = self.instructions();
        let first = instructions.next()?;
        let last = instructions.next()?;
        let [op, ended] = [first, last].map(|instruction| Op::from_code(instruction.op));
        match (op?, ended?) {
            (Op::Open, Op::Ret) if self.record_size() == 0 => Some(Brief::Mark),
            (Op::Agg, Op::Ret) => self
                .counts(first.immediate)
                .then_some(Brief::Count(first.immediate)),
            _ => None,
        }
    }

    /// Whether all that it does is to count, under keys that follow from its probe: then to run it a number
    /// of times is to run it once, and to count that number.
    pub fn is_tally(&self) -> bool {
        // Registers that have the address of a string: to push another address may fault.
        let mut texts = 0u16;
        let mut set = |register: u8, is_text: bool| {
            let bit = 1u16.checked_shl(register.into()).unwrap_or_default() & !1;
            texts = if is_text { texts | bit } else { texts & !bit };
            texts
        };
        self.instructions().all(|it| match Op::from_code(it.op) {
            Some(Op::Ldb) => Builtin::from_code(it.immediate).is_some_and(|builtin| {
                set(it.d, builtin.is_text());
                builtin.is_of_probe()
            }),
            Some(Op::Sets) => set(it.d, true) != 0,
            Some(Op::Seti | Op::Seth) => {
                set(it.d, false);
                true
            }
            Some(Op::Pushs) => set(0, false).checked_shr(it.a.into()).unwrap_or_default() & 1 == 1,
            Some(Op::Agg) => self.counts(it.immediate),
            Some(op) => matches!(op, Op::Push | Op::Ret),
            None => false,
        })
    }

    /// Whether it may end tracing.
    pub fn may_exit(&self) -> bool {
        self.instructions().any(|it| it.op == Op::Exit.code())
    }

    /// Whether an aggregation is a `count`, which ignores its values.
    fn counts(&self, aggregation: u32) -> bool {
        let row = self.tables.aggregation(aggregation);
        row.is_some_and(|row| row.aggregate == Aggregate::Count)
    }

    /// Size of its record in bytes without the header, a multiple of 8.
    pub fn record_size(&self) -> u32 {
        self.row.record_size
    }

    /// The fields of its record, in the order of their offsets.
    pub fn fields(&self) -> impl Iterator<Item = Field> + use<'a> {
        let tables = self.tables;
        rows(self.row.fields).filter_map(move |number| tables.field(number))
    }

    /// Its instructions.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction> + use<'a> {
        let code = self.code();
        (0..self.row.code.count).map_while(move |at| code.get(at))
    }

    pub(crate) fn code(&self) -> Code<'a> {
        self.tables.code(self.row.code)
    }

    /// The number of the action that an instruction belongs to, from 1; 0 is the code before them,
    /// the predicate. Actions begin in order, so this is a binary search.
    pub(crate) fn action(&self, at: u32) -> u32 {
        let at = self.row.code.first.wrapping_add(at);
        let (mut begun, mut later) = (0, self.row.actions.count);
        while begun < later {
            let middle = u32::midpoint(begun, later);
            let row = self.row.actions.first.wrapping_add(middle);
            match self.tables.row::<u32>(row) {
                Some(begin) if *begin <= at => begun = middle.wrapping_add(1),
                _ => later = middle,
            }
        }
        begun
    }
}

impl<'a> Tables<'a> {
    /// A field by number.
    pub(crate) fn field(self, number: u32) -> Option<Field> {
        self.row(number).and_then(|row| Field::of(row).ok())
    }

    /// A variable by number.
    pub(crate) fn variable(self, number: u32) -> Option<Variable> {
        self.row(number).and_then(|row| Variable::of(row).ok())
    }

    /// The size of a plain variable that consists of bytes, by number.
    pub(crate) fn addressable(self, number: u32) -> Option<u32> {
        let variable = self.variable(number)?;
        let is_bytes = variable.kind == ValueKind::Bytes && !variable.is_array();
        is_bytes.then_some(variable.size)
    }

    /// The address of such a variable.
    pub(crate) fn variable_address(self, number: u32) -> u64 {
        address::of_variable(number, self.addressable(number).unwrap_or(VALUE_MAX))
    }

    /// An aggregation by number.
    pub(crate) fn aggregation(self, number: u32) -> Option<Aggregation> {
        self.row(number).and_then(|row| Aggregation::of(row).ok())
    }

    /// The components of a key.
    pub(crate) fn keys(self, keys: Span) -> impl Iterator<Item = KeyPart> + use<'a> {
        let part = move |number| self.row(number).and_then(|row| KeyPart::of(row).ok());
        rows(keys).filter_map(part)
    }

    /// Size of a key in bytes.
    pub(crate) fn key_size(self, keys: Span) -> u32 {
        let sizes = self.keys(keys).map(|part| part.size);
        sizes.fold(0, u32::wrapping_add)
    }

    /// Whether the strings have this offset.
    pub(crate) fn has_string(self, offset: u32) -> bool {
        offset < self.count(Table::Strings)
    }
}

/// The row numbers of a span.
pub(crate) fn rows(span: Span) -> core::ops::Range<u32> {
    span.first..span.first.wrapping_add(span.count)
}
