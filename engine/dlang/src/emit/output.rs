//! Code for statements, and what the command does with their records.

use std::rc::Rc;

use engine_dvm::{Op, limits};

use super::Emitter;
use super::registers::Register;
use super::sequence::effect;
use crate::error::Mistake;
use crate::functions::{Action, Function};
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
                self.check_traced(Action::Trace, value)?;
                program::Action::Trace(self.record(value)?)
            }
            (Action::Print, [value, ..]) => {
                self.check_traced(Action::Print, value)?;
                self.print(value)?
            }
            (Action::Stack, _) => {
                let frames = self.frames(arguments)?;
                program::Action::Stack(self.record_stack(STACK, frames))
            }
            (Action::Jstack | Action::Ustack, _) => {
                let frames = self.user_frames(action, arguments)?;
                program::Action::Stack(self.record_stack(USTACK, frames))
            }
            (Action::Uaddr | Action::Usym | Action::Ufunc | Action::Umod, [address, ..]) => {
                program::Action::Trace(self.record_user_address(action, address)?)
            }
            (Action::Sym | Action::Func | Action::Mod, [address, ..]) => {
                program::Action::Trace(self.record_kernel_address(action, address)?)
            }
            (Action::Printf, [format, values @ ..]) => {
                let (format, fields) = self.printf(action, format, values, line)?;
                program::Action::Printf(format, fields)
            }
            (Action::System, [command, values @ ..]) => {
                let (command, fields) = self.printf(action, command, values, line)?;
                program::Action::System(command, fields)
            }
            (Action::Freopen, [path, values @ ..]) => self.freopen(path, values, line)?,
            (Action::Ftruncate, _) => {
                self.code.begin_action();
                program::Action::Ftruncate
            }
            (Action::Setopt, [name, value @ ..]) => self.setopt(name, value.first())?,
            (Action::Tracemem, [address, size, more @ ..]) => self.tracemem(address, size, more)?,
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
            _ => return self.destructive(action, arguments),
        };
        self.outputs.push(output);
        Ok(())
    }

    /// An action that the machine performs when the clause runs, and of which nothing is recorded.
    fn destructive(&mut self, action: Action, arguments: &[Expression]) -> Result<(), Mistake> {
        let Some(subroutine) = action.subroutine() else {
            return Ok(());
        };
        self.code.begin_action();
        self.tables.is_destructive = true;
        let result = self.call(subroutine, arguments)?;
        self.code.give(result);
        Ok(())
    }

    /// `freopen(path, values)`
    fn freopen(
        &mut self,
        path: &Expression,
        values: &[Expression],
        line: u32,
    ) -> Result<program::Action, Mistake> {
        if matches!(&path.kind, ExpressionKind::Text(text) if **text == *b".") {
            let message = "freopen( ) argument #1 cannot be \".\"";
            return Err(Mistake::new(Tag::FreopenInvalid, line, message));
        }
        let (path, fields) = self.printf(Action::Freopen, path, values, line)?;
        Ok(program::Action::Freopen(path, fields))
    }

    /// `setopt(name[, value])`
    fn setopt(
        &mut self,
        name: &Expression,
        value: Option<&Expression>,
    ) -> Result<program::Action, Mistake> {
        let mut text = |text: &Expression| {
            self.code.begin_action();
            let value = self.value(text)?;
            Ok(self.record_text(value))
        };
        let name = text(name)?;
        Ok(program::Action::Setopt(name, value.map(text).transpose()?))
    }

    /// `tracemem(address, size[, number])`
    fn tracemem(
        &mut self,
        address: &Expression,
        size: &Expression,
        more: &[Expression],
    ) -> Result<program::Action, Mistake> {
        let type_ = address.type_;
        let is_address = self.types.is_integer(type_)
            || self.types.is_pointer(type_)
            || self.types.is_array(type_);
        if !is_address {
            let message = format!(
                "tracemem( ) argument #1 is incompatible with prototype:\n\tprototype: pointer or \
                 integer\n\t argument: {}",
                self.types.name(type_)
            );
            return Err(Mistake::new(Tag::TracememAddr, address.line, message));
        }
        let constant = size.constant().filter(|it| it.is_positive(self.types));
        let bytes = constant.and_then(|it| u32::try_from(it.value).ok());
        let bytes = bytes.filter(|it| *it <= limits::RECORD_MAX).ok_or_else(|| {
            let message = "tracemem( ) argument #2 must be a non-zero positive integral constant \
                           expression";
            Mistake::new(Tag::TracememSize, size.line, message)
        })?;
        let number = match more {
            [] => None,
            [number] if self.types.is_scalar(number.type_) => Some(number),
            [number] => {
                let message = "tracemem( ) dynamic size (argument #3) must be of scalar type";
                return Err(Mistake::new(Tag::TracememDynsize, number.line, message));
            }
            [number, ..] => {
                let message = "tracemem( ) prototype mismatch: expected at most 3 args";
                return Err(Mistake::new(Tag::TracememArgs, number.line, message));
            }
        };
        let memory = self.record_memory(address, bytes)?;
        let number = number.map(|it| self.record(it)).transpose()?;
        Ok(program::Action::Tracemem(memory, number))
    }

    fn speculation(&mut self, op: Op, id: &Expression) -> Result<(), Mistake> {
        self.code.begin_action();
        let id = self.value(id)?;
        self.code.act(op, id, 0);
        self.code.give(id);
        Ok(())
    }

    /// `print(value)`
    fn print(&mut self, value: &Expression) -> Result<program::Action, Mistake> {
        let pointee = self.types.pointee(value.type_);
        let pointee = pointee.filter(|_| self.types.is_pointer(value.type_));
        match pointee.filter(|to| self.types.is_structure(*to) && self.types.size(*to) > 0) {
            None => {
                let shape = Rc::new(self.types.shape(value.type_));
                Ok(program::Action::Print(shape, self.record(value)?, None))
            }
            Some(to) => {
                let shape = Rc::new(self.types.shape(to));
                let (address, memory) = self.record_both(value, to)?;
                Ok(program::Action::Print(shape, memory, Some(address)))
            }
        }
    }

    fn check_traced(&self, action: Action, value: &Expression) -> Result<(), Mistake> {
        let name = Function::Action(action).name();
        if matches!(value.kind, ExpressionKind::Aggregation(_)) {
            let message = format!("{name}( ) may not be applied to a dynamic expression");
            return Err(Mistake::new(Tag::TraceDyn, value.line, message));
        }
        if self.types.is_void(value.type_) {
            let message = format!("{name}( ) may not be applied to a void expression");
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
