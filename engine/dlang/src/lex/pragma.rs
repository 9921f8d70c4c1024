//! `#pragma D attributes` and `binding`. Versions are not tracked, so the latter is only checked.

use super::control::Word;
use super::{Entity, Lexer};
use crate::builtin;
use crate::error::Mistake;
use crate::functions::Function;
use crate::stability::{Attributes, PARTS};
use crate::tag::Tag;

impl Lexer<'_> {
    /// `#pragma D attributes name/data/class entity`, or `... provider name part`
    pub(super) fn attributes(&mut self, rest: &[Word]) -> Result<(), Mistake> {
        let [Word::Plain(attributes), Word::Plain(name), more @ ..] = rest else {
            let message = "malformed #pragma attributes <attributes> <ident>";
            return Err(self.mistake(Tag::PragmaMalform, message));
        };
        let Ok(attributes) = attributes.parse() else {
            let message = "invalid attributes specified by #pragma attributes";
            return Err(self.mistake(Tag::PragmaInval, message));
        };
        match (name.as_str(), more) {
            ("provider", [Word::Plain(provider), Word::Plain(part), ..]) => {
                self.part(provider, part, attributes)
            }
            _ => self.entity("attributes", name, Some(attributes)),
        }
    }

    fn part(&mut self, provider: &str, part: &str, attributes: Attributes) -> Result<(), Mistake> {
        let Some(part) = PARTS.into_iter().find(|it| *it == part) else {
            let message = format!(
                "invalid component \"{part}\" in attribute #pragma for provider {provider}"
            );
            return Err(self.mistake(Tag::PragmaInval, message));
        };
        self.entities.push(Entity {
            pragma: "attributes",
            name: provider.into(),
            part: Some(part),
            attributes: Some(attributes),
            line: self.line,
        });
        Ok(())
    }

    /// `#pragma D binding "version" entity`
    pub(super) fn binding(&mut self, rest: &[Word]) -> Result<(), Mistake> {
        let [Word::Text(version), Word::Plain(name), ..] = rest else {
            let message = "malformed #pragma binding \"version\" <ident>";
            return Err(self.mistake(Tag::PragmaMalform, message));
        };
        if !is_version(version) {
            let message = "invalid version string specified by #pragma binding";
            return Err(self.mistake(Tag::PragmaInval, message));
        }
        self.entity("binding", name, None)
    }

    /// A pragma is for what the program defines, before it or after.
    fn entity(
        &mut self,
        pragma: &'static str,
        name: &str,
        attributes: Option<Attributes>,
    ) -> Result<(), Mistake> {
        let is_given = self.settings.constants.iter().any(|it| it.0 == name);
        if is_given || builtin::of(name).is_some() || Function::of(name).is_some() {
            let message =
                format!("#pragma {pragma} cannot modify entity defined outside program scope");
            return Err(self.mistake(Tag::PragmaScope, message));
        }
        self.entities.push(Entity {
            pragma,
            name: name.into(),
            part: None,
            attributes,
            line: self.line,
        });
        Ok(())
    }
}

/// Whether it is a version: two or three numbers.
fn is_version(text: &str) -> bool {
    let numbers: Vec<Option<u16>> = text.split('.').map(|it| it.parse().ok()).collect();
    matches!(
        numbers[..],
        [Some(_), Some(_)] | [Some(_), Some(_), Some(_)]
    )
}
