//! Checks calls against the function's signature.

use super::{Checker, expression};
use crate::ast::Node;
use crate::error::Mistake;
use crate::functions::{Function, Signature};
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{AGGREGATION, TypeId};

impl Checker<'_> {
    /// `function(arguments)`
    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: &[Node],
        line: u32,
    ) -> Result<Expression, Mistake> {
        let arguments = self.expressions(arguments)?;
        let signature = function.signature();
        self.check_count(function.name(), signature, arguments.len(), line)?;
        for (position, argument) in arguments.iter().enumerate() {
            if let Some(Some(to)) = signature.parameters.get(position) {
                self.check_argument((function.name(), "( )"), position, *to, argument, line)?;
            }
        }
        let (kind, type_) = match function {
            Function::Subroutine(subroutine) => {
                let arguments = self.passed(arguments, signature);
                (
                    ExpressionKind::Call(subroutine, arguments),
                    signature.result,
                )
            }
            Function::Aggregate(_) => (ExpressionKind::Action(function, arguments), AGGREGATION),
            Function::Action(_) => {
                let arguments = self.passed(arguments, signature);
                (
                    ExpressionKind::Action(function, arguments),
                    signature.result,
                )
            }
        };
        Ok(expression(kind, type_, line))
    }

    /// Checks several expressions.
    pub(super) fn expressions(&mut self, nodes: &[Node]) -> Result<Vec<Expression>, Mistake> {
        nodes.iter().map(|node| self.expression(node)).collect()
    }

    /// Converts arguments to their parameters: numbers by value, everything else by address.
    fn passed(&self, arguments: Vec<Expression>, signature: Signature) -> Vec<Expression> {
        let arguments = arguments.into_iter().enumerate();
        let passed =
            arguments.map(
                |(position, argument)| match signature.parameters.get(position) {
                    Some(Some(to)) if self.types.is_integer(*to) => self.converted(argument, *to),
                    _ => argument,
                },
            );
        passed.collect()
    }

    fn check_count(
        &self,
        name: &str,
        signature: Signature,
        passed: usize,
        line: u32,
    ) -> Result<(), Mistake> {
        let most = signature.parameters.len();
        if passed >= signature.fewest && (passed <= most || signature.is_open) {
            return Ok(());
        }
        let at_least = if signature.fewest < most {
            "at least "
        } else {
            ""
        };
        let message = format!(
            "{name}( ) prototype mismatch: {} passed, {at_least}{} expected",
            counted(passed),
            signature.fewest
        );
        Err(Mistake::new(Tag::ProtoLen, line, message))
    }

    /// Checks arguments or keys against a signature; `name` is the function or array, with its
    /// brackets.
    pub(super) fn check_arguments(
        &self,
        name: (&str, &str),
        signature: &[TypeId],
        passed: &[Expression],
        line: u32,
    ) -> Result<(), Mistake> {
        if signature.len() != passed.len() {
            let message = format!(
                "{}{} prototype mismatch: {} passed, {} expected",
                name.0,
                name.1,
                counted(passed.len()),
                signature.len()
            );
            return Err(Mistake::new(Tag::ProtoLen, line, message));
        }
        for (position, (to, argument)) in signature.iter().zip(passed).enumerate() {
            self.check_argument(name, position, *to, argument, line)?;
        }
        Ok(())
    }

    fn check_argument(
        &self,
        name: (&str, &str),
        position: usize,
        to: TypeId,
        argument: &Expression,
        line: u32,
    ) -> Result<(), Mistake> {
        if self.accepts(to, argument) {
            return Ok(());
        }
        let message = format!(
            "{}{} argument #{} is incompatible with prototype:\n\tprototype: {}\n\t argument: {}",
            name.0,
            name.1,
            position + 1,
            self.types.name(to),
            self.types.name(argument.type_)
        );
        Err(Mistake::new(Tag::ProtoArg, line, message))
    }
}

fn counted(passed: usize) -> String {
    let plural = if passed == 1 { "" } else { "s" };
    format!("{passed} arg{plural}")
}
