//! Checks calls against the function's signature.

use engine_dvm::Subroutine;

use super::{Checker, expression};
use crate::ast::Node;
use crate::error::Mistake;
use crate::functions::{Action, Function, Signature};
use crate::stability::of_function;
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
        let name = function.name();
        let what = format_args!("{} {name}( )", function.kind());
        self.rely_on(of_function(function), what, line)?;
        let signature = function.signature();
        self.check_count(name, signature, arguments.len(), line)?;
        for (position, argument) in arguments.iter().enumerate() {
            if let Some(Some(to)) = signature.parameters.get(position) {
                let place = Place::Argument(function.name(), position + 1);
                self.check_argument(place, *to, argument, line)?;
            }
        }
        let (kind, type_) = match function {
            Function::Subroutine(subroutine) => {
                self.check_target_of(subroutine, &arguments, line)?;
                let arguments = self.passed(arguments, signature);
                (
                    ExpressionKind::Call(subroutine, arguments),
                    signature.result,
                )
            }
            Function::Aggregate(_) => (ExpressionKind::Action(function, arguments), AGGREGATION),
            Function::Action(action) => {
                if action == Action::Print {
                    self.complete_printed(&arguments);
                }
                let arguments = self.passed(arguments, signature);
                (
                    ExpressionKind::Action(function, arguments),
                    signature.result,
                )
            }
        };
        Ok(expression(kind, type_, line))
    }

    /// A copy to a string or an array in a variable would be lost.
    fn check_target_of(
        &self,
        subroutine: Subroutine,
        arguments: &[Expression],
        line: u32,
    ) -> Result<(), Mistake> {
        let position = match subroutine {
            Subroutine::Bcopy => 1,
            Subroutine::Copyinto => 2,
            _ => return Ok(()),
        };
        match arguments.get(position) {
            Some(to) if self.is_copy(to) => {
                let message = format!(
                    "{}( ) argument #{} is incompatible with prototype:\n\tprototype: memory of \
                     alloca( )\n\t argument: {}",
                    subroutine.word(),
                    position + 1,
                    self.types.name(to.type_)
                );
                Err(Mistake::new(Tag::ProtoArg, line, message))
            }
            _ => Ok(()),
        }
    }

    /// Has the types of what is printed at hand: of a pointer, what it points to.
    fn complete_printed(&mut self, arguments: &[Expression]) {
        for argument in arguments {
            let to = self.types.pointee(argument.type_);
            self.types.complete_all(to.unwrap_or(argument.type_));
        }
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
                    Some(Some(to)) if self.types.is_integer(*to) => self.exactly(argument, *to),
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
            counted(passed, "arg"),
            signature.fewest
        );
        Err(Mistake::new(Tag::ProtoLen, line, message))
    }

    /// Checks the key of an array or aggregation of this name against its signature.
    pub(super) fn check_key(
        &self,
        name: &str,
        signature: &[TypeId],
        keys: &[Expression],
        line: u32,
    ) -> Result<(), Mistake> {
        if signature.len() != keys.len() {
            let message = format!(
                "{name}[ ] prototype mismatch: {} passed, {} expected",
                counted(keys.len(), "key"),
                signature.len()
            );
            return Err(Mistake::new(Tag::ProtoLen, line, message));
        }
        for (position, (to, key)) in signature.iter().zip(keys).enumerate() {
            self.check_argument(Place::Key(name, position + 1), *to, key, line)?;
        }
        Ok(())
    }

    fn check_argument(
        &self,
        place: Place<'_>,
        to: TypeId,
        argument: &Expression,
        line: u32,
    ) -> Result<(), Mistake> {
        if self.accepts(to, argument) {
            return Ok(());
        }
        let (place, what) = match place {
            Place::Argument(name, number) => (format!("{name}( ) argument #{number}"), "argument"),
            Place::Key(name, number) => (format!("{name}[ ] key #{number}"), "key"),
        };
        let message = format!(
            "{place} is incompatible with prototype:\n\tprototype: {}\n\t{what:>9}: {}",
            self.types.name(to),
            self.types.name(argument.type_)
        );
        Err(Mistake::new(Tag::ProtoArg, line, message))
    }
}

/// What is compared with a prototype: the name, and the number from 1.
#[derive(Clone, Copy)]
enum Place<'a> {
    Argument(&'a str, usize),
    Key(&'a str, usize),
}

fn counted(passed: usize, what: &str) -> String {
    let plural = if passed == 1 { "" } else { "s" };
    format!("{passed} {what}{plural}")
}
