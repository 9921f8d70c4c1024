//! Checks `base.member` and `base->member`.

use engine_dvm::Builtin;

use super::{Checker, expression};
use crate::ast::Node;
use crate::error::Mistake;
use crate::member;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::TypeId;

impl Checker<'_> {
    pub(super) fn member(
        &mut self,
        base: &Node,
        name: &str,
        is_arrow: bool,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let base = self.unbuilt(base)?;
        if let ExpressionKind::Translated(translator, operand) = &base.kind
            && self.types.is_pointer(base.type_) == is_arrow
        {
            return self.translated_member(translator, operand, name, line);
        }
        let base = self.built(base)?;
        let (base, operator) = if is_arrow {
            (self.pointed(base, line)?, "operator ->")
        } else {
            self.check_structure(base.type_, line)?;
            (base, "operator .")
        };
        let found = member::find(self.types, base.type_, name, operator, line)?;
        let kind = ExpressionKind::Member {
            base: Box::new(base),
            offset: found.offset,
            bits: found.bits,
        };
        Ok(expression(kind, found.type_, line))
    }

    /// The structure that a pointer, or the first element of an array, is.
    fn pointed(&mut self, base: Expression, line: u32) -> Result<Expression, Mistake> {
        let Some(to) = self.types.pointee(base.type_) else {
            let why = self.why_untyped(&base);
            let message = format!("operator -> must be applied to a pointer{why}");
            return Err(Mistake::new(Tag::OpPtr, line, message));
        };
        if !self.types.is_structure(to) {
            let message = format!(
                "operator -> cannot be applied to pointer to type \"{}\"; must be applied to a \
                 struct or union pointer",
                self.types.name(to)
            );
            return Err(Mistake::new(Tag::OpSou, line, message));
        }
        // An incomplete structure is an error of the member, which is looked up next.
        self.types.find_definition(to);
        if self.types.is_incomplete(to) {
            let kind = ExpressionKind::Load(Box::new(base));
            return Ok(expression(kind, to, line));
        }
        self.dereference(base, line)
    }

    /// Why an argument has no type.
    fn why_untyped(&mut self, base: &Expression) -> String {
        match base.kind {
            ExpressionKind::Builtin(Builtin::Arg, _) => self.types.why_no_kernel_types(),
            _ => None,
        }
        .map_or(String::new(), |why| format!(": {why}"))
    }

    fn check_structure(&self, type_: TypeId, line: u32) -> Result<(), Mistake> {
        if self.types.is_structure(type_) {
            return Ok(());
        }
        let message = format!(
            "operator . cannot be applied to type \"{}\"; must be applied to a struct or union",
            self.types.name(type_)
        );
        Err(Mistake::new(Tag::OpSou, line, message))
    }
}
