//! `args[]` of probes that the program declares.

use super::expand::opaque;
use super::{Checker, expression};
use crate::error::Mistake;
use crate::provider::{Declared, passed_as};
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::TypeId;

impl Checker<'_> {
    /// Whether an argument can be made into one of this type: by a translator, or as it is.
    pub(crate) fn translates(&self, input: TypeId, output: TypeId, line: u32) -> bool {
        let input = passed_as(self.types, input);
        let made = self.types.pointee(output).unwrap_or(output);
        self.translator(made, input).is_some() || self.accepts(output, &opaque(input, line))
    }

    /// The argument's value.
    pub(super) fn declared_value(
        &mut self,
        declared: Declared,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let Declared { input, output } = declared;
        let value = self.passed_as(input, line);
        let made = self.types.pointee(output).unwrap_or(output);
        if let Some(translator) = self.translator(made, input.type_) {
            let kind = ExpressionKind::Translated(translator, Box::new(value));
            return Ok(expression(kind, output, line));
        }
        if self.accepts(output, &value) {
            return Ok(self.exactly(value, output));
        }
        let message = format!(
            "an argument of type {} is not made into one of type {}",
            self.types.name(input.type_),
            self.types.name(output)
        );
        Err(Mistake::new(Tag::ArgsXlator, line, message))
    }
}
