//! Statements: what is done, and what the command does with what comes of it.

use engine_abi::AggregateFunction;
use engine_dvm::Op;

use super::Emitter;
use super::registers::Register;
use super::sequence::effect;
use crate::conversion::Use;
use crate::error::Mistake;
use crate::format::Format;
use crate::functions::{Action, Function};
use crate::program;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind, Statement};
use crate::types::TypeId;

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
                program::Action::Stack(self.record_stack(frames))
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
            // The number of arguments was checked with the call.
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

    /// `printf(format, values)`
    fn printf(
        &mut self,
        format: &Expression,
        values: &[Expression],
        line: u32,
    ) -> Result<program::Action, Mistake> {
        let types: Vec<TypeId> = values.iter().map(|value| value.type_).collect();
        let format = self.format(format, &types, None, line)?;
        if values.is_empty() {
            self.code.begin_action();
        }
        let fields = values.iter().map(|value| self.record(value));
        let fields = fields.collect::<Result<_, _>>()?;
        Ok(program::Action::Printf(format, fields))
    }

    /// A format, checked against what it is given.
    fn format(
        &self,
        format: &Expression,
        arguments: &[TypeId],
        aggregation: Option<bool>,
        line: u32,
    ) -> Result<Format, Mistake> {
        let action = match aggregation {
            Some(_) => Action::Printa,
            None => Action::Printf,
        };
        let function = Function::Action(action).name();
        let ExpressionKind::Text(text) = &format.kind else {
            let message = format!(
                "{function}( ) argument #1 is incompatible with prototype:\n\tprototype: string \
                 constant\n\t argument: {}",
                self.types.name(format.type_)
            );
            return Err(Mistake::new(Tag::PrintfArgFmt, line, message));
        };
        let target = self.settings.macros.get("target");
        let format = Use {
            function,
            types: self.types,
            arguments,
            aggregation,
            has_target: target.is_some_and(|pid| *pid != 0),
            line,
        };
        format.format(text)
    }

    /// `printa([format,] aggregations)`
    fn printa(&mut self, arguments: &[Expression], line: u32) -> Result<program::Action, Mistake> {
        let (format, given) = match arguments {
            [format, given @ ..] if matches!(format.kind, ExpressionKind::Text(_)) => {
                (Some(format), given)
            }
            given => (None, given),
        };
        if given.is_empty() {
            let message = format!(
                "printa( ) prototype mismatch: {} args passed, 2 expected",
                arguments.len()
            );
            return Err(Mistake::new(Tag::PrintaProto, line, message));
        }
        let first = arguments.len() - given.len() + 1;
        let mut aggregations = Vec::new();
        for (position, argument) in given.iter().enumerate() {
            let number = self.known(Action::Printa, first + position, argument, line)?;
            if let Some(first) = aggregations.first() {
                self.check_same_keys(*first, number, line)?;
            }
            self.names.aggregations[number].is_printed = true;
            aggregations.push(number);
            self.code.begin_action();
        }
        let format = format.map(|format| self.aggregation_format(format, aggregations[0], line));
        Ok(program::Action::Printa(format.transpose()?, aggregations))
    }

    fn aggregation_format(
        &self,
        format: &Expression,
        aggregation: usize,
        line: u32,
    ) -> Result<Format, Mistake> {
        let known = &self.names.aggregations[aggregation];
        let keys = known.keys.iter().flatten();
        let keys: Vec<TypeId> = keys.map(|key| key.type_).collect();
        let function = known.function.map(|(function, _)| function);
        let is_count = function == Some(AggregateFunction::Count);
        self.format(format, &keys, Some(is_count), line)
    }

    /// Aggregations that are printed together have the same key.
    fn check_same_keys(&self, left: usize, right: usize, line: u32) -> Result<(), Mistake> {
        let (left, right) = (
            &self.names.aggregations[left],
            &self.names.aggregations[right],
        );
        let of = |it: &crate::names::Aggregation| -> Vec<TypeId> {
            it.keys.iter().flatten().map(|key| key.type_).collect()
        };
        let (one, other) = (of(left), of(right));
        let (left, right) = (&left.name, &right.name);
        if one.len() != other.len() {
            let counted = |keys: &[TypeId]| {
                let plural = if keys.len() == 1 { "" } else { "s" };
                format!("{} key{plural}", keys.len())
            };
            let message = format!(
                "printa( ): @{left} and @{right} do not have matching key signatures: @{left} has \
                 {}, @{right} has {}",
                counted(&one),
                counted(&other)
            );
            return Err(Mistake::new(Tag::PrintaAggkey, line, message));
        }
        let differs = |(one, other): (&TypeId, &TypeId)| !self.types.is_same_key(*one, *other);
        let Some(position) = one.iter().zip(&other).position(differs) else {
            return Ok(());
        };
        let number = position + 1;
        let message = format!(
            "printa( ): @{right}[ ] key #{number} is incompatible with @{left}:\n{left:>9} key \
             #{number}: {}\n{right:>9} key #{number}: {}",
            self.types.name(one[position]),
            self.types.name(other[position])
        );
        Err(Mistake::new(Tag::PrintaAggproto, line, message))
    }

    /// `normalize(aggregation, factor)`
    fn normalize(
        &mut self,
        arguments: &[Expression],
        line: u32,
    ) -> Result<program::Action, Mistake> {
        let (aggregation, factor) = self.target(Action::Normalize, arguments, line)?;
        let Some(factor) = factor else {
            return Ok(program::Action::Denormalize(aggregation));
        };
        self.check_scalar(Action::Normalize, Tag::NormalizeScalar, factor, line)?;
        Ok(program::Action::Normalize(
            aggregation,
            self.record(factor)?,
        ))
    }

    /// `trunc(aggregation[, most])`
    fn trunc(&mut self, arguments: &[Expression], line: u32) -> Result<program::Action, Mistake> {
        let (aggregation, most) = self.target(Action::Trunc, arguments, line)?;
        let Some(most) = most else {
            self.code.begin_action();
            return Ok(program::Action::Trunc(aggregation, None));
        };
        self.check_scalar(Action::Trunc, Tag::TruncScalar, most, line)?;
        Ok(program::Action::Trunc(
            aggregation,
            Some(self.record(most)?),
        ))
    }

    fn check_scalar(
        &self,
        action: Action,
        tag: Tag,
        value: &Expression,
        line: u32,
    ) -> Result<(), Mistake> {
        if self.types.is_scalar(value.type_) {
            return Ok(());
        }
        let name = Function::Action(action).name();
        let message = format!("{name}( ) argument #2 must be of scalar type");
        Err(Mistake::new(tag, line, message))
    }

    /// The aggregation that an action is done to, and what else it is given.
    fn target<'a>(
        &mut self,
        action: Action,
        arguments: &'a [Expression],
        line: u32,
    ) -> Result<(usize, Option<&'a Expression>), Mistake> {
        let passed = arguments.len();
        let expected = match action {
            Action::Trunc if passed == 0 => Some("at least 1"),
            Action::Trunc if passed > 2 => Some("no more than 2"),
            Action::Normalize if passed != 2 => Some("2"),
            Action::Clear | Action::Denormalize if passed != 1 => Some("1"),
            _ => None,
        };
        let name = Function::Action(action).name();
        let [target, more @ ..] = arguments else {
            return Err(miscounted(action, name, 0, expected.unwrap_or("1"), line));
        };
        if let Some(expected) = expected {
            return Err(miscounted(action, name, passed, expected, line));
        }
        let number = self.known(action, 1, target, line)?;
        self.code.begin_action();
        Ok((number, more.first()))
    }

    /// The aggregation that an argument is, which must have been given a value.
    fn known(
        &self,
        action: Action,
        position: usize,
        argument: &Expression,
        line: u32,
    ) -> Result<usize, Mistake> {
        let name = Function::Action(action).name();
        let ExpressionKind::Aggregation(number) = argument.kind else {
            let message = format!(
                "{name}( ) argument #{position} is incompatible with prototype:\n\tprototype: \
                 aggregation\n\t argument: {}",
                self.types.name(argument.type_)
            );
            return Err(Mistake::new(tags(action).1, line, message));
        };
        let known = &self.names.aggregations[number];
        if known.function.is_none() {
            let message = format!("undefined aggregation: @{}", known.name);
            return Err(Mistake::new(tags(action).2, line, message));
        }
        Ok(number)
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

/// What is said of a wrong number of arguments, of what is no aggregation, and of one that nothing is
/// given to.
fn tags(action: Action) -> (Tag, Tag, Tag) {
    match action {
        Action::Clear => (Tag::ClearProto, Tag::ClearAggarg, Tag::ClearAggbad),
        Action::Trunc => (Tag::TruncProto, Tag::TruncAggarg, Tag::TruncAggbad),
        Action::Printa => (Tag::PrintaProto, Tag::PrintaAggarg, Tag::PrintaAggbad),
        _ => (
            Tag::NormalizeProto,
            Tag::NormalizeAggarg,
            Tag::NormalizeAggbad,
        ),
    }
}

fn miscounted(action: Action, name: &str, passed: usize, expected: &str, line: u32) -> Mistake {
    let message =
        format!("{name}( ) prototype mismatch: {passed} args passed, {expected} expected");
    Mistake::new(tags(action).0, line, message)
}
