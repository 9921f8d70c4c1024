//! `translator` declarations.

use std::rc::Rc;

use super::Parser;
use crate::ast::{Node, Translator};
use crate::check::Checker;
use crate::error::Mistake;
use crate::lex::Symbol;
use crate::tag::Tag;
use crate::types::TypeId;

impl Parser<'_, '_> {
    /// `translator output < input parameter > { member = value; };`
    pub(super) fn translator(&mut self) -> Result<(), Mistake> {
        self.advance()?;
        let output = self.type_name()?;
        if !self.types.is_structure(output) {
            let message = "translator output type must be a struct or union";
            return Err(self.mistake(Tag::XlateSou, message));
        }
        self.expect(Symbol::Less)?;
        let (parameter, input) = self.translated()?;
        self.check_new_translator(output, input)?;
        self.expect(Symbol::OpenBrace)?;
        let mut translator = Translator {
            output,
            input,
            parameter,
            members: Vec::new(),
        };
        while !self.accept(Symbol::CloseBrace)? {
            if let Some(member) = self.translated_member(&translator)? {
                translator.members.push(member);
            }
        }
        self.names.translators.push(Rc::new(translator));
        self.end_declaration()
    }

    /// `input parameter >`
    fn translated(&mut self) -> Result<(Rc<str>, TypeId), Mistake> {
        let specifiers = self.specifiers()?;
        let base = self.specified(&specifiers)?;
        let declarator = self.declarator()?;
        let Some(name) = declarator.name.filter(|_| specifiers.class.is_none()) else {
            return Err(self.syntax());
        };
        let input = self.layered(base, declarator.layers)?;
        self.expect(Symbol::Greater)?;
        Ok((name, input))
    }

    fn check_new_translator(&self, output: TypeId, input: TypeId) -> Result<(), Mistake> {
        let mut known = self.names.translators.iter();
        let is_known = known.any(|it| {
            self.types.is_compatible(it.output, output) && self.types.is_compatible(it.input, input)
        });
        if !is_known {
            return Ok(());
        }
        let message = format!(
            "translator from {} to {} has been previously declared",
            self.types.name(input),
            self.types.name(output)
        );
        Err(self.mistake(Tag::XlateRedecl, message))
    }

    /// `member = value;`, unless the member is left out.
    fn translated_member(
        &mut self,
        translator: &Translator,
    ) -> Result<Option<(Rc<str>, Node)>, Mistake> {
        let name = self.member_name()?;
        self.expect(Symbol::Assign)?;
        let value = self.assignment()?;
        self.expect(Symbol::Semicolon)?;
        let is_there = translator.members.iter().any(|it| it.0 == name);
        if self.names.chooses && is_there {
            return Ok(None);
        }
        let mut checker = Checker::new(self.types, self.names, &self.lexer.lines, self.number);
        match checker.translation_of(translator, &name, &value) {
            Err(mistake) if mistake.tag == Tag::TypeMember && self.names.chooses => {
                return Ok(None);
            }
            other => other?,
        }
        if is_there {
            let message = format!("translator member {name} is defined twice");
            return Err(self.mistake(Tag::XlateMemb, message));
        }
        Ok(Some((name, value)))
    }
}
