//! Code for `printf` and `printa`, and their formats.

use std::rc::Rc;

use engine_abi::AggregateFunction;

use super::Emitter;
use crate::conversion::Use;
use crate::error::Mistake;
use crate::format::Format;
use crate::functions::{Action, Function};
use crate::program::{self, Field};
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::TypeId;

impl Emitter<'_> {
    /// The format and the fields of `printf(format, values)`, or of another action like it.
    pub(super) fn printf(
        &mut self,
        action: Action,
        format: &Expression,
        values: &[Expression],
        line: u32,
    ) -> Result<(Rc<Format>, Vec<Field>), Mistake> {
        let types: Vec<TypeId> = values.iter().map(|value| value.type_).collect();
        let format = self.format(action, format, &types, None, line)?;
        if values.is_empty() {
            self.code.begin_action();
        }
        let fields = values.iter().map(|value| self.record(value));
        let fields = fields.collect::<Result<_, _>>()?;
        Ok((format, fields))
    }

    /// A format, checked against its arguments.
    fn format(
        &mut self,
        action: Action,
        format: &Expression,
        arguments: &[TypeId],
        aggregation: Option<bool>,
        line: u32,
    ) -> Result<Rc<Format>, Mistake> {
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
        format.format(text, &mut self.tables.formats)
    }

    /// `printa([format,] aggregations)`
    pub(super) fn printa(
        &mut self,
        arguments: &[Expression],
        line: u32,
    ) -> Result<program::Action, Mistake> {
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
            aggregations.push(number);
            self.code.begin_action();
        }
        let format = format.map(|format| self.aggregation_format(format, aggregations[0], line));
        Ok(program::Action::Printa(format.transpose()?, aggregations))
    }

    fn aggregation_format(
        &mut self,
        format: &Expression,
        aggregation: usize,
        line: u32,
    ) -> Result<Rc<Format>, Mistake> {
        let function = self.names.aggregations[aggregation].function;
        let is_count = function.is_some_and(|it| it.0 == AggregateFunction::Count);
        let keys = self.key_types(aggregation);
        self.format(Action::Printa, format, &keys, Some(is_count), line)
    }

    /// Aggregations that are printed together must have the same key.
    fn check_same_keys(&self, left: usize, right: usize, line: u32) -> Result<(), Mistake> {
        let (one, other) = (self.key_types(left), self.key_types(right));
        let left = &self.names.aggregations[left].name;
        let right = &self.names.aggregations[right].name;
        if one.len() != other.len() {
            let message = format!(
                "printa( ): @{left} and @{right} do not have matching key signatures: @{left} has \
                 {}, @{right} has {}",
                counted(one.len()),
                counted(other.len())
            );
            return Err(Mistake::new(Tag::PrintaAggkey, line, message));
        }
        for (number, (one, other)) in (1..).zip(one.into_iter().zip(other)) {
            if !self.types.is_same_key(one, other) {
                let message = format!(
                    "printa( ): @{right}[ ] key #{number} is incompatible with @{left}:\n\
                     {left:>9} key #{number}: {}\n{right:>9} key #{number}: {}",
                    self.types.name(one),
                    self.types.name(other)
                );
                return Err(Mistake::new(Tag::PrintaAggproto, line, message));
            }
        }
        Ok(())
    }

    /// The types of the components of an aggregation's key.
    fn key_types(&self, aggregation: usize) -> Vec<TypeId> {
        let keys = &self.names.aggregations[aggregation].keys;
        keys.iter().flatten().map(|key| key.type_).collect()
    }
}

fn counted(keys: usize) -> String {
    let plural = if keys == 1 { "" } else { "s" };
    format!("{keys} key{plural}")
}
