//! Types of `args[]`: those of the parameters of what the clause's probes are at.
//!
//! The probes of a clause must agree about an argument's type and place. A probe about which nothing
//! is known has numbers, as `arg0` is one.

use engine_abi::Description;
use engine_dvm::Builtin;

use super::argument::Argument;
use super::{Checker, expression};
use crate::error::Mistake;
use crate::fold::Operator;
use crate::provider::declaration;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{INT64, Parameter, TypeId, UINT64, ULONGLONG};

impl Checker<'_> {
    /// `args[index]`
    pub(super) fn argument(&mut self, index: u64, line: u32) -> Result<Expression, Mistake> {
        self.rely_on_arguments(line)?;
        let number = expression(ExpressionKind::Builtin(Builtin::Arg, index), INT64, line);
        match self.agreed(index, line)? {
            Argument::Typed(parameter) => Ok(self.passed_as(parameter, line)),
            Argument::Declared(known) => self.declared_value(known, line),
            Argument::Process(known) => self.process_value(known, index, line),
            _ => Ok(number),
        }
    }

    /// What the probes of the clause agree on. System calls need not agree: where they differ, and
    /// so where the ABIs differ, it is a number.
    fn agreed(&mut self, index: u64, line: u32) -> Result<Argument, Mistake> {
        if self.descriptions.is_empty() {
            self.is_without_probes = true;
        }
        let mut found: Option<(Argument, Description)> = None;
        for (text, description) in self.descriptions {
            let Some(probes) = self.probes(description) else {
                return Ok(Argument::Untyped);
            };
            for probe in probes {
                let argument = self.argument_of(&probe, index);
                let is_syscall = probe.provider() == b"syscall";
                if !is_syscall {
                    self.check_found(argument, &probe, index, line)?;
                }
                let (known, first) = found.unwrap_or((argument, probe));
                let is_agreed = self.are_equal(known, argument);
                let may_differ = is_syscall && first.provider() == b"syscall";
                if !(is_agreed || may_differ) {
                    return Err(unstable(text, line));
                }
                let agreed = if is_agreed { known } else { Argument::Untyped };
                found = Some((agreed, first));
            }
        }
        let Some((argument, first)) = found else {
            return Ok(Argument::Untyped);
        };
        self.check_found(argument, &first, index, line)?;
        Ok(argument)
    }

    /// The probes of a description, if their arguments may have types. One that is declared may have
    /// probes only later.
    fn probes(&self, description: &Description) -> Option<Vec<Description>> {
        let kernel = self.types.kernel().filter(|_| may_be_typed(description));
        let declared = declaration(&self.names.providers, description);
        match (kernel.map(|it| it.probes(description)), declared) {
            (Some(probes), None) => Some(probes),
            (Some(probes), Some(_)) if !probes.is_empty() => Some(probes),
            (_, Some(_)) => Some(vec![*description]),
            (None, None) => None,
        }
    }

    /// What is known about an argument. A declaration counts for what is not known otherwise.
    fn argument_of(&mut self, probe: &Description, index: u64) -> Argument {
        let known = self.types.argument_of(probe, index);
        if known != Argument::Untyped {
            return known;
        }
        let Some((declared, is_in_process)) = declaration(&self.names.providers, probe) else {
            return known;
        };
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        match declared.argument(index, is_in_process, self.types) {
            Some(argument) => Argument::Declared(argument),
            None if index < declared.count() => Argument::Unreachable,
            None => Argument::OutOfRange,
        }
    }

    fn are_equal(&self, one: Argument, other: Argument) -> bool {
        match (one, other) {
            (Argument::Typed(one), Argument::Typed(other)) => {
                one.word == other.word && self.types.is_compatible(one.type_, other.type_)
            }
            (Argument::Declared(one), Argument::Declared(other)) => {
                one.input.word == other.input.word
                    && self.types.is_compatible(one.input.type_, other.input.type_)
                    && self.types.is_compatible(one.output, other.output)
            }
            (one, other) => one == other,
        }
    }

    fn check_found(
        &self,
        argument: Argument,
        probe: &Description,
        index: u64,
        line: u32,
    ) -> Result<(), Mistake> {
        let (tag, message) = match argument {
            Argument::Untyped
            | Argument::Typed(_)
            | Argument::Declared(_)
            | Argument::Process(_) => return Ok(()),
            Argument::OutOfRange => {
                let message = format!("index {index} is out of range for {probe} args[ ]");
                (Tag::ArgsIdx, message)
            }
            Argument::Unreachable => {
                let message = format!(
                    "args[{index}] of {probe} cannot be read: a structure is passed or returned by \
                     value, or a number in two registers"
                );
                (Tag::ArgsType, message)
            }
        };
        Err(Mistake::new(tag, line, message))
    }

    /// The argument as its type. On a 32-bit kernel a 64-bit number takes two words.
    pub(super) fn passed_as(&mut self, parameter: Parameter, line: u32) -> Expression {
        let word = |number: u64, type_: TypeId| {
            expression(ExpressionKind::Builtin(Builtin::Arg, number), type_, line)
        };
        let low = word(parameter.word, INT64);
        if self.types.size(parameter.type_) <= self.types.pointer {
            return self.cut(low, parameter.type_);
        }
        let low = self.cut(low, crate::types::UINT);
        let low = self.converted(low, ULONGLONG);
        let high = self.converted(word(parameter.word + 1, INT64), ULONGLONG);
        let by = self.constant(crate::fold::Constant::int(32), line);
        let shifted = ExpressionKind::Calculate(Operator::Left, Box::new(high), Box::new(by));
        let shifted = expression(shifted, ULONGLONG, line);
        let whole = ExpressionKind::Calculate(Operator::Or, Box::new(low), Box::new(shifted));
        let whole = expression(whole, UINT64, line);
        self.converted(whole, parameter.type_)
    }

    /// A word as a type: what is above a narrow argument is not part of it.
    fn cut(&self, word: Expression, type_: TypeId) -> Expression {
        let line = word.line;
        let kind = match self.types.is_integer(type_) {
            true => ExpressionKind::Narrow(Box::new(word)),
            false => ExpressionKind::Convert(Box::new(word)),
        };
        expression(kind, type_, line)
    }
}

/// Whether the provider's probes may have typed arguments; others are not looked at.
fn may_be_typed(description: &Description) -> bool {
    !matches!(description.provider(), b"dtrace" | b"profile") && !is_of_process(description)
}

fn is_of_process(description: &Description) -> bool {
    let provider = description.provider();
    provider.starts_with(b"pid") && provider.last().is_some_and(u8::is_ascii_digit)
}

fn unstable(text: &str, line: u32) -> Mistake {
    let message = format!(
        "args[ ] may not be referenced because probe description {text} matches an unstable set of \
         probes"
    );
    Mistake::new(Tag::ArgsMulti, line, message)
}
