//! Verification of a clause's code in one pass: the form of every instruction, and the state on all
//! paths to it. For unreachable code only the form is checked.

use engine_abi::{FieldKind, Instruction};

use super::pushed::Pushed;
use super::require;
use super::targets::{Open, State, Targets, meet};
use crate::address::ADDRESSABLE;
use crate::clause::{Clause, rows};
use crate::invalid::Why;
use crate::mutant;
use crate::names::{Builtin, Subroutine};
use crate::op::{Immediate, Op, REGISTERS};
use crate::table::Table;

/// Verifies a clause's code. An error is the instruction and the reason.
#[inline(never)]
pub(super) fn verify(clause: Clause<'_>) -> Result<(), (u32, Why)> {
    let mut targets = Targets::none();
    let mut pushed = Pushed::nothing();
    let mut walk = Walk {
        clause,
        targets: &mut targets,
        pushed: &mut pushed,
    };
    let code = clause.code();
    let mut state = Some(State::START);
    for at in 0..clause.row.code.count {
        let instruction = code.get(at).ok_or((at, Why::Span))?;
        let step = walk.step(at, instruction, state);
        state = step.map_err(|why| (at, why))?;
    }
    match state {
        None => Ok(()),
        Some(_) if mutant::is_active("falls-off") => Ok(()),
        Some(_) => Err((clause.row.code.count.saturating_sub(1), Why::FallsOff)),
    }
}

/// The state of the pass.
struct Walk<'a> {
    clause: Clause<'a>,
    targets: &'a mut Targets,
    pushed: &'a mut Pushed,
}

impl Walk<'_> {
    /// Checks an instruction. Returns the state after it, if it can fall through.
    #[inline(never)]
    fn step(
        &mut self,
        at: u32,
        instruction: Instruction,
        state: Option<State>,
    ) -> Result<Option<State>, Why> {
        let op = Op::from_code(instruction.op).ok_or(Why::Op)?;
        registers(op, instruction)?;
        self.immediate(op, instruction, at)?;
        let arrived = self.targets.arrive(at);
        require(arrived.is_none() || self.pushed.is_empty(), Why::Pushed)?;
        let Some(mut state) = meet(state, arrived) else {
            return Ok(None);
        };
        let reads = state.has(instruction.a) && state.has(instruction.b);
        require(reads || mutant::is_active("unset-read"), Why::Unset)?;
        self.tuple(op, instruction)?;
        open(op, &mut state)?;
        state.set(instruction.d);
        self.flow(op, instruction.immediate, state)
    }

    /// Checks that the immediate names what the op needs.
    fn immediate(&self, op: Op, instruction: Instruction, at: u32) -> Result<(), Why> {
        let immediate = instruction.immediate;
        let tables = self.clause.tables;
        let names = match op.shape().immediate {
            Immediate::Unused => return require(immediate == 0, Why::Unused),
            Immediate::Target => {
                let is_ahead = at < immediate || mutant::is_active("branch-back");
                let is_ahead = is_ahead && immediate < self.clause.row.code.count;
                return require(is_ahead, Why::Target);
            }
            Immediate::Number => true,
            Immediate::Text => tables.has_string(immediate),
            Immediate::Variable => tables
                .variable(immediate)
                .is_some_and(|variable| !variable.is_array()),
            Immediate::Bytes => immediate < ADDRESSABLE && tables.addressable(immediate).is_some(),
            Immediate::Array => tables
                .variable(immediate)
                .is_some_and(|variable| variable.is_array()),
            Immediate::Aggregation => immediate < tables.count(Table::Aggregations),
            Immediate::Field => return self.field(instruction),
            Immediate::Builtin => return builtin(instruction),
            Immediate::Subroutine => return self.subroutine(immediate),
        };
        require(names, Why::Immediate)
    }

    /// Unreachable code is checked too: what a program may do shows in its header.
    fn subroutine(&self, number: u32) -> Result<(), Why> {
        let subroutine = Subroutine::from_code(number).ok_or(Why::Immediate)?;
        let is_allowed =
            self.clause.tables.is_destructive() || mutant::is_active("destructive-undeclared");
        require(is_allowed || !subroutine.is_destructive(), Why::Destructive)
    }

    /// The field must be the clause's own; a stack is recorded without a register.
    fn field(&self, instruction: Instruction) -> Result<(), Why> {
        let own = rows(self.clause.row.fields).contains(&instruction.immediate)
            || mutant::is_active("field-of-another");
        let field = self.clause.tables.field(instruction.immediate);
        let field = field.filter(|_| own).ok_or(Why::Immediate)?;
        let has_value = !field.kind.is_stack();
        require(has_value || instruction.a == 0, Why::Unused)
    }

    /// Updates what is pushed.
    fn tuple(&mut self, op: Op, instruction: Instruction) -> Result<(), Why> {
        let tables = self.clause.tables;
        let number = instruction.immediate;
        match op {
            Op::Push => self.pushed.push(FieldKind::Scalar, 8),
            Op::Pushs => {
                let size = tables.header().string_size;
                self.pushed.push(FieldKind::Text, size)
            }
            Op::Pushb => self.pushed.push(FieldKind::Bytes, number),
            Op::Pushk => self.pushed.push(FieldKind::Stack, number.saturating_mul(8)),
            Op::Pushu => {
                let size = number.saturating_add(1).saturating_mul(8);
                self.pushed.push(FieldKind::UserStack, size)
            }
            Op::Call => {
                let subroutine = Subroutine::from_code(number).ok_or(Why::Immediate)?;
                self.pushed.take_arguments(subroutine)
            }
            Op::Lda | Op::Sta => {
                let variable = tables.variable(number).ok_or(Why::Immediate)?;
                self.pushed.take_key(tables.keys(variable.keys))
            }
            Op::Agg => {
                let aggregation = tables.aggregation(number).ok_or(Why::Immediate)?;
                self.pushed.take_key(tables.keys(aggregation.keys))
            }
            Op::Ret | Op::Ba | Op::Bz | Op::Bnz => require(self.pushed.is_empty(), Why::Pushed),
            _ => Ok(()),
        }
    }

    /// Follows the paths out of an instruction.
    fn flow(&mut self, op: Op, target: u32, state: State) -> Result<Option<State>, Why> {
        match op {
            Op::Ret => return Ok(None),
            Op::Ba | Op::Bz | Op::Bnz => self.targets.add(target, state)?,
            _ => {}
        }
        Ok((op != Op::Ba).then_some(state))
    }
}

/// The registers must exist, and those that the op does not use must be 0.
fn registers(op: Op, instruction: Instruction) -> Result<(), Why> {
    let shape = op.shape();
    let fields = [
        (shape.writes_d, instruction.d),
        (shape.reads_a, instruction.a),
        (shape.reads_b, instruction.b),
    ];
    for (is_used, register) in fields {
        require(is_used || register == 0, Why::Unused)?;
        require(register < REGISTERS, Why::Register)?;
    }
    Ok(())
}

/// A built-in variable that takes no index must not be given one.
fn builtin(instruction: Instruction) -> Result<(), Why> {
    let builtin = Builtin::from_code(instruction.immediate).ok_or(Why::Immediate)?;
    require(builtin.is_indexed() || instruction.a == 0, Why::Unused)
}

/// Updates whether a record is open.
fn open(op: Op, state: &mut State) -> Result<(), Why> {
    match op {
        Op::Open | Op::Opens => {
            require(state.open == Open::Never, Why::OpenTwice)?;
            state.open = Open::Always;
            Ok(())
        }
        Op::Commit => require(state.open == Open::Never, Why::CommitOpen),
        Op::Rec if mutant::is_active("open-on-some") => {
            require(state.open != Open::Never, Why::NotOpen)
        }
        Op::Rec => require(state.open == Open::Always, Why::NotOpen),
        _ => Ok(()),
    }
}
