//! Code for aggregations: keys, values and increments.

use engine_abi::AggregateFunction;
use engine_dvm::Op;

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::functions::{Action, Function};
use crate::tables::check_parts;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::TypeId;

/// A component of a key, evaluated.
enum Part {
    Value(Register, TypeId),
    /// The op that pushes a stack, and the number of its frames.
    Stack(Op, u32),
}

impl Emitter<'_> {
    /// `@name[keys] = function(arguments)`
    pub(super) fn aggregate(
        &mut self,
        aggregation: usize,
        keys: &[Expression],
        arguments: &[Expression],
        line: u32,
    ) -> Result<(), Mistake> {
        let Some(known) = self.names.aggregations.get(aggregation) else {
            return Ok(());
        };
        let function = known.function.map(|(function, _)| function);
        let function = function.unwrap_or(AggregateFunction::Count);
        self.check_value(function, arguments, line)?;
        let increment = self.quantities(aggregation, function, arguments, line)?;
        // As in DTrace, the aggregation is the first action of the statement.
        self.code.begin_action();
        let parts = self.key_parts(aggregation, keys, line)?;
        let increment = match increment {
            Some(increment) => {
                self.code.begin_action();
                self.value(increment)?
            }
            None => Register::ZERO,
        };
        self.code.begin_action();
        let value = match arguments.first() {
            Some(value) => self.value(value)?,
            None => Register::ZERO,
        };
        let increment = self.increment(function, arguments, increment)?;
        self.push_parts(&parts);
        let operands = (value, increment);
        self.code
            .push(Op::Agg, Register::ZERO, operands, aggregation as u32);
        self.code.give(value);
        self.code.give(increment);
        Ok(())
    }

    fn check_value(
        &self,
        function: AggregateFunction,
        arguments: &[Expression],
        line: u32,
    ) -> Result<(), Mistake> {
        match arguments.first() {
            Some(value) if !self.types.is_scalar(value.type_) => {
                let word = function.word();
                let message = format!("{word}( ) argument #1 must be of scalar type");
                Err(Mistake::new(Tag::AggScalar, line, message))
            }
            _ => Ok(()),
        }
    }

    /// The increment of a bucket: 1 by default.
    fn increment(
        &mut self,
        function: AggregateFunction,
        arguments: &[Expression],
        given: Register,
    ) -> Result<Register, Mistake> {
        match super::quantize::increment(function) {
            Some(position) if arguments.len() <= position => self.code.constant(1),
            _ => Ok(given),
        }
    }

    /// Evaluates the components of the key.
    fn key_parts(
        &mut self,
        aggregation: usize,
        keys: &[Expression],
        line: u32,
    ) -> Result<Vec<Part>, Mistake> {
        let known = self.names.aggregations.get(aggregation);
        let signature = known.and_then(|it| it.keys.clone()).unwrap_or_default();
        let mut parts = Vec::new();
        for (position, (key, declared)) in keys.iter().zip(signature).enumerate() {
            self.code.begin_action();
            let part = self.key_part(key, declared.type_)?;
            if let Part::Stack(op, frames) = part {
                let name = if op == Op::Pushu { "ustack" } else { "stack" };
                self.agree(aggregation, position, (name, frames), line)?;
            }
            parts.push(part);
        }
        self.check_key(aggregation, line)?;
        Ok(parts)
    }

    /// Evaluates a component of a key that has this type.
    fn key_part(&mut self, key: &Expression, type_: TypeId) -> Result<Part, Mistake> {
        let ExpressionKind::Action(Function::Action(action), arguments) = &key.kind else {
            return Ok(Part::Value(self.value(key)?, type_));
        };
        match (action, &arguments[..]) {
            (Action::Stack, _) => Ok(Part::Stack(Op::Pushk, self.frames(arguments)?)),
            (Action::Jstack | Action::Ustack, _) => {
                let frames = self.user_frames(*action, arguments)?;
                Ok(Part::Stack(Op::Pushu, frames))
            }
            (Action::Uaddr | Action::Usym | Action::Ufunc | Action::Umod, [address, ..]) => {
                Ok(Part::Value(self.user_address(address)?, type_))
            }
            (Action::Sym | Action::Func | Action::Mod, [address, ..]) => {
                Ok(Part::Value(self.value(address)?, type_))
            }
            _ => Ok(Part::Value(self.value(key)?, type_)),
        }
    }

    /// A stack in a key must have one size.
    fn agree(
        &mut self,
        aggregation: usize,
        position: usize,
        (stack, frames): (&str, u32),
        line: u32,
    ) -> Result<(), Mistake> {
        let Some(known) = self.names.aggregations.get_mut(aggregation) else {
            return Ok(());
        };
        let name = &known.name;
        let key = known.keys.as_mut().and_then(|keys| keys.get_mut(position));
        match key {
            Some(key) if key.frames != 0 && key.frames != frames => {
                let message = format!(
                    "@{name}[ ] key #{} is {stack}({}), not {stack}({frames})",
                    position + 1,
                    key.frames
                );
                Err(Mistake::new(Tag::StackSize, line, message))
            }
            Some(key) => {
                key.frames = frames;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn check_key(&self, aggregation: usize, line: u32) -> Result<(), Mistake> {
        let known = self.names.aggregations.get(aggregation);
        let keys = known.and_then(|it| it.keys.as_deref()).unwrap_or_default();
        check_parts(self.types, keys.iter().copied(), line)
    }

    fn push_parts(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Value(value, type_) => self.push_part(*value, *type_),
                Part::Stack(op, frames) => self.code.act(*op, Register::ZERO, *frames),
            }
        }
        for part in parts {
            if let Part::Value(value, _) = part {
                self.code.give(*value);
            }
        }
    }
}
