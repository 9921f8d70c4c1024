//! Code for statements, and what the command does with their records.

use engine_dvm::Op;

use super::Emitter;
use super::registers::Register;
use super::sequence::effect;
use crate::error::Mistake;
use crate::functions::Action;
use crate::program;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind, Statement};
use crate::types::{STACK, USTACK};

impl Emitter<'_> {
    pub(super) fn statement(&mut self, statement: &Statement) -> Result<(), Mistake> {
        let line = statement.line();
        self.code.line = line;
        match statement {
            Statement::Expression(expression) => {
                self.code.begin_action();
                let value = self.value(expression)?;
                self.code.give(value);
            }
            Statement::Aggregate {
                aggregation,
                keys,
                arguments,
                ..
            } => self.aggregate(*aggregation, keys, arguments, line)?,
            Statement::Mention { aggregation, .. } => {
                let name = &self.names.aggregations[*aggregation].name;
                let message = format!("expression has null effect: @{name}");
                return Err(Mistake::new(Tag::AggNull, line, message));
            }
            Statement::Action {
                action, arguments, ..
            } => self.action(*action, arguments, line)?,
        }
        self.sequence.add(effect(statement), line)
    }

    fn action(
        &mut self,
        action: Action,
        arguments: &[Expression],
        line: u32,
    ) -> Result<(), Mistake> {
        let output = match (action, arguments) {
            (Action::Trace, [value, ..]) => {
                self.check_traced(value)?;
                program::Action::Trace(self.record(value)?)
            }
            (Action::Stack, _) => {
                let frames = self.frames(arguments)?;
                program::Action::Stack(self.record_stack(STACK, frames))
            }
            (Action::Ustack, _) => {
                let frames = self.user_frames(arguments)?;
                program::Action::Stack(self.record_stack(USTACK, frames))
            }
            (Action::Uaddr | Action::Usym | Action::Ufunc | Action::Umod, [address, ..]) => {
                program::Action::Trace(self.record_user_address(action, address)?)
            }
            (Action::Printf, [format, values @ ..]) => self.printf(format, values, line)?,
            (Action::Printa, _) => self.printa(arguments, line)?,
            (Action::Exit, [status, ..]) => {
                let field = self.record(status)?;
                self.code.act(Op::Exit, Register::ZERO, 0);
                program::Action::Exit(field)
            }
            (Action::Clear, _) => program::Action::Clear(self.target(action, arguments, line)?.0),
            (Action::Denormalize, _) => {
                program::Action::Denormalize(self.target(action, arguments, line)?.0)
            }
            (Action::Normalize, _) => self.normalize(arguments, line)?,
            (Action::Trunc, _) => self.trunc(arguments, line)?,
            (Action::Speculate, [id, ..]) => return self.speculation(Op::Opens, id),
            (Action::Commit, [id, ..]) => return self.speculation(Op::Commit, id),
            (Action::Discard, [id, ..]) => return self.speculation(Op::Discard, id),
            // The number of arguments has been checked with the call.
            (_, []) => return Ok(()),
        };
        self.outputs.push(output);
        Ok(())
    }

    fn speculation(&mut self, op: Op, id: &Expression) -> Result<(), Mistake> {
        self.code.begin_action();
        let id = self.value(id)?;
        self.code.act(op, id, 0);
        self.code.give(id);
        Ok(())
    }

    fn check_traced(&self, value: &Expression) -> Result<(), Mistake> {
        if matches!(value.kind, ExpressionKind::Aggregation(_)) {
            let message = "trace( ) may not be applied to a dynamic expression";
            return Err(Mistake::new(Tag::TraceDyn, value.line, message));
        }
        if self.types.is_void(value.type_) {
            let message = "trace( ) may not be applied to a void expression";
            return Err(Mistake::new(Tag::TraceVoid, value.line, message));
        }
        Ok(())
    }
}

impl Statement {
    fn line(&self) -> u32 {
        match self {
            Self::Expression(expression) => expression.line,
            Self::Aggregate { line, .. }
            | Self::Mention { line, .. }
            | Self::Action { line, .. } => *line,
        }
    }
}
