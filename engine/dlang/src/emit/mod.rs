//! Code generation: from checked clauses to instructions and record fields.
//!
//! An expression's value is in a register, which the caller releases. A number in a register is
//! extended according to its type, except for an intermediate result, which has 64 bits; an address has 64 bits, whatever the size of a pointer in
//! memory. Everything that a push needs is computed before the first push, since pushes and their
//! consumer must be in one basic block. Statements leave every register free.

mod aggregate;
mod arithmetic;
mod bits;
mod code;
mod condition;
mod output;
mod place;
mod print;
mod quantize;
mod record;
mod registers;
mod sequence;
mod stack;
mod target;
mod value;
mod variable;

use engine_abi::{ClauseRow, FieldRow, Span};
use engine_dvm::{Op, limits};

use crate::Settings;
use crate::error::Mistake;
use crate::names::Names;
use crate::program::Action;
use crate::tables::{Tables, length, smaller};
use crate::tag::Tag;
use crate::tree::{Expression, Statement};
use crate::types::Types;
use code::{Code, Label};
pub(crate) use record::field_type;
use registers::Register;
use sequence::Sequence;

/// The state of emitting one clause.
pub(crate) struct Emitter<'e> {
    pub types: &'e Types,
    pub names: &'e mut Names,
    pub tables: &'e mut Tables,
    settings: &'e Settings,
    code: Code,
    /// The clause's line.
    line: u32,
    /// The fields of its record, and where they end.
    fields: Vec<FieldRow>,
    end: u32,
    /// What the command does with its records.
    outputs: Vec<Action>,
    sequence: Sequence,
    /// Within an update's value: the register with the old value.
    old: Option<Register>,
}

impl<'e> Emitter<'e> {
    /// An emitter for a clause on this line.
    pub(crate) fn new(
        types: &'e Types,
        names: &'e mut Names,
        tables: &'e mut Tables,
        settings: &'e Settings,
        line: u32,
    ) -> Self {
        Self {
            types,
            names,
            tables,
            settings,
            code: Code::new(line),
            line,
            fields: Vec::new(),
            end: 0,
            outputs: Vec::new(),
            sequence: Sequence::default(),
            old: None,
        }
    }

    /// Adds the clause to the tables. Returns what the command does with its records.
    pub(crate) fn clause(
        mut self,
        predicate: Option<&Expression>,
        statements: &[Statement],
    ) -> Result<Vec<Action>, Mistake> {
        let mut end = Label::default();
        if let Some(predicate) = predicate {
            self.code.line = predicate.line;
            self.jump(predicate, false, &mut end)?;
        }
        if opens(statements) {
            self.code.act(Op::Open, Register::ZERO, 0);
        }
        for statement in statements {
            self.statement(statement)?;
        }
        self.code.land(end);
        self.code.act(Op::Ret, Register::ZERO, 0);
        debug_assert!(self.code.is_balanced(), "every register is given back");
        self.finish()
    }

    /// Checks the clause against the machine's limits.
    fn check_room(&self) -> Result<(), Mistake> {
        let largest = self.fields.iter().map(|field| (field.size, field.kind));
        let smaller = smaller(largest.max());
        let heap = self.heap();
        let instructions = length(&self.code.instructions);
        let actions = length(&self.code.actions);
        for (what, needed, most, instead) in [
            ("bytes of record", self.end, limits::RECORD_MAX, smaller),
            (
                "bytes of scratch memory",
                self.code.scratch,
                limits::SCRATCH_MAX,
                "a smaller strsize",
            ),
            (
                "bytes of memory for alloca( )",
                heap,
                limits::SCRATCH_MAX,
                "a smaller scratchsize",
            ),
            (
                "instructions",
                instructions,
                limits::CODE_MAX,
                "several clauses",
            ),
            ("actions", actions, limits::CODE_MAX, "several clauses"),
        ] {
            if needed > most {
                let message = format!(
                    "clause needs {needed} {what}, at most {most} are allowed; use {instead}"
                );
                return Err(Mistake::new(Tag::Limit, self.line, message));
            }
        }
        Ok(())
    }

    /// Bytes of the heap that a run may allocate.
    fn heap(&self) -> u32 {
        let asked = match self.code.asks_for_heap {
            true => self.settings.scratch_size,
            false => 0,
        };
        self.code.heap.saturating_add(asked)
    }

    fn finish(self) -> Result<Vec<Action>, Mistake> {
        self.check_room()?;
        let heap = self.heap();
        let tables = self.tables;
        let record_size = self.end.next_multiple_of(8);
        let first = tables.code.len() as u32;
        tables.scratch = tables.scratch.max(self.code.scratch);
        tables.heap = tables.heap.max(heap);
        tables.clauses.push(ClauseRow {
            code: span(tables.code.len(), self.code.instructions.len()),
            actions: span(tables.actions.len(), self.code.actions.len()),
            fields: span(tables.fields.len(), self.fields.len()),
            record_size,
            reserved: 0,
        });
        let actions = self.code.actions.iter().map(|begin| first + begin);
        tables.actions.extend(actions);
        tables.code.extend(self.code.instructions);
        tables.fields.extend(self.fields);
        Ok(self.outputs)
    }
}

/// Whether a clause's record is opened before its actions: it records something, or has no
/// statements and only reports that it fired.
fn opens(statements: &[Statement]) -> bool {
    let speculates = statements.iter().any(sequence::is_speculation);
    let records = statements.iter().any(sequence::records);
    !speculates && (records || statements.is_empty())
}

fn span(first: usize, count: usize) -> Span {
    Span {
        first: first as u32,
        count: count as u32,
    }
}
