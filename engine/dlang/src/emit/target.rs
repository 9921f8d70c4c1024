//! Code for actions on aggregations: `normalize`, `trunc` and the like.

use super::Emitter;
use crate::error::Mistake;
use crate::functions::{Action, Function};
use crate::program;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};

impl Emitter<'_> {
    /// `normalize(aggregation, factor)`
    pub(super) fn normalize(
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
    pub(super) fn trunc(
        &mut self,
        arguments: &[Expression],
        line: u32,
    ) -> Result<program::Action, Mistake> {
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

    /// The aggregation that an action applies to, and its other arguments.
    pub(super) fn target<'a>(
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

    /// The aggregation that an argument names; it must have been assigned to.
    pub(super) fn known(
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

/// The tags for a wrong number of arguments, for an argument that is not an aggregation, and for an
/// aggregation that is never assigned to.
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
