//! Verification: every table by itself and against those that it refers to, then every clause with
//! its fields, its actions and its code.
//!
//! One pass over the block suffices. Each clause owns rows after those of the clause before it, so
//! nothing is checked twice; keys may be shared, but a key is short. Needs no memory but the stack.

mod code;
mod pushed;
mod targets;

use engine_abi::{
    AggregationRow, ClauseRow, DESTRUCTIVE, FieldKind, KeyRow, Span, ValueKind, VariableRow,
};

use crate::block::{Row, Tables};
use crate::clause::{Clause, rows};
use crate::invalid::{Invalid, Place, Why};
use crate::limits::{CODE_MAX, KEY_MAX, RECORD_MAX, SCRATCH_MAX, STRING_SIZE};
use crate::memory::round_up;
use crate::mutant;
use crate::names::Subroutine;
use crate::rows::{Aggregation, Field, KeyPart, Variable};
use crate::table::Table;

/// What a run of any clause needs of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Size in bytes of the longest key or argument list.
    pub(crate) key: u32,
    /// Scratch memory in bytes that one instruction may use beyond what it allocates.
    pub(crate) scratch: u32,
}

/// Verifies a program.
#[inline(never)]
pub(crate) fn program(tables: Tables<'_>) -> Result<Needs, Invalid> {
    header(tables).map_err(Why::of_header)?;
    let mut needs = Needs {
        key: u32::from(Subroutine::ARGUMENTS_MAX).wrapping_mul(8),
        scratch: string_room(tables).wrapping_mul(2),
    };
    each(tables, |row| key_part(tables, row))?;
    each(tables, |row| variable(tables, row, &mut needs))?;
    each(tables, |row| aggregation(tables, row, &mut needs))?;
    clauses(tables, &mut needs)?;
    Ok(needs)
}

/// Verifies every row of a table.
fn each<T: Row>(
    tables: Tables<'_>,
    mut verify: impl FnMut(&T) -> Result<(), Why>,
) -> Result<(), Invalid> {
    for number in 0..tables.count(T::TABLE) {
        let row = tables.row(number).ok_or(Why::Span);
        row.and_then(&mut verify)
            .map_err(|why| why.of_row(T::TABLE, number))?;
    }
    Ok(())
}

/// Size of a string in a key or in scratch memory.
fn string_room(tables: Tables<'_>) -> u32 {
    round_up(tables.header().string_size)
}

fn header(tables: Tables<'_>) -> Result<(), Why> {
    let header = tables.header();
    require(STRING_SIZE.contains(&header.string_size), Why::StringSize)?;
    let largest = header.scratch.max(header.heap);
    let is_bounded = largest <= SCRATCH_MAX || mutant::is_active("scratch-unbounded");
    require(is_bounded, Why::Scratch)?;
    let is_known = header.flags & !DESTRUCTIVE == 0 && header.reserved == 0;
    require(is_known, Why::Reserved)?;
    require(
        matches!(tables.strings().last(), None | Some(0)),
        Why::Strings,
    )
}

fn key_part(tables: Tables<'_>, row: &KeyRow) -> Result<(), Why> {
    let part = KeyPart::of(row)?;
    let fits = part.kind != FieldKind::Text || part.size == string_room(tables);
    require(fits, Why::Size)
}

fn variable(tables: Tables<'_>, row: &VariableRow, needs: &mut Needs) -> Result<(), Why> {
    let variable = Variable::of(row)?;
    require(tables.has_string(variable.name), Why::Name)?;
    if variable.kind != ValueKind::Scalar {
        needs.scratch = needs.scratch.max(round_up(variable.size));
    }
    key(tables, variable.keys, needs)
}

fn aggregation(tables: Tables<'_>, row: &AggregationRow, needs: &mut Needs) -> Result<(), Why> {
    let aggregation = Aggregation::of(row)?;
    require(tables.has_string(aggregation.name), Why::Name)?;
    key(tables, aggregation.keys, needs)
}

fn key(tables: Tables<'_>, keys: Span, needs: &mut Needs) -> Result<(), Why> {
    require(tables.has(Table::Keys, keys), Why::Span)?;
    let size = tables.key_size(keys);
    needs.key = needs.key.max(size);
    require(size <= KEY_MAX, Why::Key)
}

/// The first rows not yet owned by a clause.
#[derive(Default)]
struct Free {
    code: u32,
    actions: u32,
    fields: u32,
}

fn clauses(tables: Tables<'_>, needs: &mut Needs) -> Result<(), Invalid> {
    let mut free = Free::default();
    for number in 0..tables.count(Table::Clauses) {
        let at_row = |why: Why| why.of_row(Table::Clauses, number);
        let row: &ClauseRow = tables.row(number).ok_or(at_row(Why::Span))?;
        owned(tables, row, &mut free).map_err(at_row)?;
        fields(tables, row, needs)?;
        actions(tables, row)?;
        code::verify(Clause { tables, row })
            .map_err(|(at, why)| why.at(Place::Instruction { clause: number, at }))?;
    }
    Ok(())
}

/// Checks that the rows of a clause exist, and that no earlier clause owns them.
fn owned(tables: Tables<'_>, row: &ClauseRow, free: &mut Free) -> Result<(), Why> {
    require(row.reserved == 0, Why::Reserved)?;
    let is_sized = row.record_size <= RECORD_MAX && row.record_size.is_multiple_of(8);
    require(is_sized, Why::RecordSize)?;
    let is_short = row.code.count <= CODE_MAX && row.actions.count <= CODE_MAX;
    require(is_short, Why::CodeTooLong)?;
    take(tables, Table::Code, row.code, &mut free.code)?;
    take(tables, Table::Actions, row.actions, &mut free.actions)?;
    take(tables, Table::Fields, row.fields, &mut free.fields)
}

fn take(tables: Tables<'_>, table: Table, span: Span, free: &mut u32) -> Result<(), Why> {
    if span.count == 0 {
        return Ok(());
    }
    require(tables.has(table, span), Why::Span)?;
    require(span.first >= *free, Why::Owned)?;
    *free = rows(span).end;
    Ok(())
}

/// The fields of a clause's record must be in ascending order.
fn fields(tables: Tables<'_>, row: &ClauseRow, needs: &mut Needs) -> Result<(), Invalid> {
    let mut end = 0;
    for number in rows(row.fields) {
        let field = tables.row(number).ok_or(Why::Span).and_then(Field::of);
        field
            .and_then(|field| {
                end = placed(field, end, row.record_size)?;
                if field.kind != FieldKind::Scalar {
                    needs.scratch = needs.scratch.max(round_up(field.size));
                }
                Ok(())
            })
            .map_err(|why| why.of_row(Table::Fields, number))?;
    }
    Ok(())
}

/// The end of a field that must not begin before `free`.
fn placed(field: Field, free: u32, record_size: u32) -> Result<u32, Why> {
    let is_aligned = field.offset & field.alignment().wrapping_sub(1) == 0;
    field
        .offset
        .checked_add(field.size)
        .filter(|end| {
            let is_apart = field.offset >= free || mutant::is_active("fields-overlap");
            is_aligned && is_apart && *end <= record_size
        })
        .ok_or(Why::Offset)
}

/// The actions of a clause must begin in order inside its code; several may begin at the same
/// instruction.
fn actions(tables: Tables<'_>, row: &ClauseRow) -> Result<(), Invalid> {
    let mut earlier = row.code.first;
    for number in rows(row.actions) {
        let begin = tables.row(number).copied().unwrap_or(u32::MAX);
        let is_inside = (earlier..rows(row.code).end).contains(&begin);
        require(is_inside, Why::Action).map_err(|why| why.of_row(Table::Actions, number))?;
        earlier = begin;
    }
    Ok(())
}

/// An error unless `holds`.
fn require(holds: bool, why: Why) -> Result<(), Why> {
    if holds { Ok(()) } else { Err(why) }
}
