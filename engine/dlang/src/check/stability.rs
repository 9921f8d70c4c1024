//! Keeps account of the stability attributes of what a clause uses.

use std::fmt::Display;

use super::Checker;
use crate::error::Mistake;
use crate::stability::{Attributes, DEFAULT, Levels};
use crate::tag::Tag;

impl Checker<'_> {
    /// Counts something that is used. It is an error if that is less stable than the option `amin`
    /// allows.
    pub(super) fn rely_on(
        &mut self,
        attributes: Attributes,
        what: impl Display,
        line: u32,
    ) -> Result<(), Mistake> {
        if self.is_vouched {
            return Ok(());
        }
        self.attributes = self.attributes.least(attributes);
        check(&self.names.levels, attributes, what, line)
    }

    /// Counts a variable.
    pub(super) fn rely_on_variable(
        &mut self,
        kind: &str,
        name: &str,
        line: u32,
    ) -> Result<(), Mistake> {
        let attributes = self.names.levels.named(name).unwrap_or(DEFAULT);
        self.rely_on(attributes, format_args!("{kind} {name}"), line)
    }

    /// Counts `args[]` of the clause's probes.
    pub(super) fn rely_on_arguments(&mut self, line: u32) -> Result<(), Mistake> {
        let levels = &self.names.levels;
        let descriptions = self.descriptions.iter();
        let all = descriptions.map(|(_, description)| levels.of(description).1);
        let attributes = all.fold(DEFAULT, Attributes::least);
        self.rely_on(attributes, "array args[ ]", line)
    }

    /// Does `work`; what it uses does not count if somebody vouches for it.
    pub(super) fn vouched<T>(&mut self, is_vouched: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.is_vouched;
        self.is_vouched |= is_vouched;
        let done = work(self);
        self.is_vouched = outer;
        done
    }
}

/// Refuses what is less stable than the minimum.
pub(crate) fn check(
    levels: &Levels,
    attributes: Attributes,
    what: impl Display,
    line: u32,
) -> Result<(), Mistake> {
    match levels.minimum {
        Some(minimum) if attributes.is_below(minimum) => {
            let message = format!(
                "{what} is {attributes}, less stable than the option amin={minimum} allows"
            );
            Err(Mistake::new(Tag::AttrMin, line, message))
        }
        _ => Ok(()),
    }
}
