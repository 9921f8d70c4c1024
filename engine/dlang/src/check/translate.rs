//! Checks translators and `xlate`.

use std::rc::Rc;

use super::expand::opaque;
use super::{Checker, expression};
use crate::ast::{Node, Translator};
use crate::error::Mistake;
use crate::member;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind, Part};
use crate::types::{Member, TypeId};

impl Checker<'_> {
    /// `xlate <type> (operand)`
    pub(super) fn translation(
        &mut self,
        type_: TypeId,
        operand: &Node,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let operand = self.expression(operand)?;
        let output = match self.types.is_pointer(type_) {
            true => self.types.pointee(type_).unwrap_or(type_),
            false => type_,
        };
        let Some(translator) = self.translator(output, operand.type_) else {
            let message = format!(
                "cannot translate from \"{}\" to \"{}\"",
                self.types.name(operand.type_),
                self.types.name(type_)
            );
            return Err(Mistake::new(Tag::XlateNone, line, message));
        };
        let kind = ExpressionKind::Translated(translator, Box::new(operand));
        Ok(expression(kind, type_, line))
    }

    /// The translator from one type to another.
    pub(super) fn translator(&self, output: TypeId, input: TypeId) -> Option<Rc<Translator>> {
        let mut known = self.names.translators.iter();
        let found = known.find(|it| {
            self.types.is_compatible(it.output, output) && self.types.is_compatible(it.input, input)
        });
        found.cloned()
    }

    /// A member of a translation.
    pub(super) fn translated_member(
        &mut self,
        translator: &Translator,
        operand: &Expression,
        name: &str,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let member = member::find(self.types, translator.output, name, "xlate", line)?;
        let mut members = translator.members.iter();
        let Some((_, value)) = members.find(|it| *it.0 == *name) else {
            let message = format!("translator does not define conversion for member: {name}");
            return Err(Mistake::new(Tag::XlateNoconv, line, message));
        };
        self.member_value(translator, &member, operand.clone(), value, line)
    }

    /// The value of a member as the member's type; characters in an array keep theirs.
    fn member_value(
        &mut self,
        translator: &Translator,
        member: &Member,
        operand: Expression,
        value: &Node,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let bindings = vec![(translator.parameter.clone(), operand)];
        let value = self.bind(bindings, value, line)?;
        let type_ = member.type_;
        if !self.accepts(type_, &value) {
            let message = format!(
                "translator member {} definition uses incompatible types: \"{}\" = \"{}\"",
                member.name.as_deref().unwrap_or_default(),
                self.types.name(type_),
                self.types.name(value.type_)
            );
            return Err(Mistake::new(Tag::XlateIncompat, line, message));
        }
        if self.types.is_array(type_) {
            return Ok(value);
        }
        Ok(self.exactly(value, type_))
    }

    /// Checks a member where it is defined.
    pub(crate) fn translation_of(
        &mut self,
        translator: &Translator,
        name: &str,
        value: &Node,
    ) -> Result<(), Mistake> {
        let line = value.line;
        let Some(member) = self.types.member(translator.output, name) else {
            let message = format!(
                "translator member {name} is not a member of {}",
                self.types.name(translator.output)
            );
            return Err(Mistake::new(Tag::XlateMemb, line, message));
        };
        let operand = opaque(translator.input, line);
        let checked = self.vouched(true, |checker| {
            checker.member_value(translator, &member, operand, value, line)
        });
        self.unless_later(checked)
    }

    /// A structure with every member of a translation; any other expression as it is.
    pub(super) fn built(&mut self, found: Expression) -> Result<Expression, Mistake> {
        let Expression {
            kind: ExpressionKind::Translated(translator, operand),
            type_,
            line,
        } = found
        else {
            return Ok(found);
        };
        let mut parts = Vec::new();
        for (name, _) in &translator.members {
            parts.push(self.part(&translator, &operand, name, line)?);
        }
        Ok(expression(ExpressionKind::Build(parts), type_, line))
    }

    fn part(
        &mut self,
        translator: &Rc<Translator>,
        operand: &Expression,
        name: &str,
        line: u32,
    ) -> Result<Part, Mistake> {
        let member = member::find(self.types, translator.output, name, "xlate", line)?;
        let value = self.translated_member(translator, operand, name, line)?;
        let value = self.built(value)?;
        if self.types.is_array(member.type_) && !self.types.is_compatible(member.type_, value.type_)
        {
            let message = format!(
                "the translation is not copied, since member {name} is an array of another size; \
                 use its members"
            );
            return Err(Mistake::new(Tag::XlateIncompat, line, message));
        }
        Ok(Part {
            offset: member.offset,
            bits: member.bits,
            value,
        })
    }
}
