//! `inline` declarations: names for constants and for expressions, with parameters or without.

use std::rc::Rc;

use engine_abi::Scope;

use super::Parser;
use super::declarator::{Declarator, Layer, Parameter};
use crate::ast::{Definition, Node, NodeKind};
use crate::builtin;
use crate::check::Checker;
use crate::error::Mistake;
use crate::functions::Function;
use crate::lex::Symbol;
use crate::names::{Inline, Variable};
use crate::tag::Tag;
use crate::types::TypeId;

impl Parser<'_, '_> {
    /// `inline type name = value;`, `inline type name[parameters] = value;`
    pub(super) fn inline(&mut self) -> Result<(), Mistake> {
        self.advance()?;
        let specifiers = self.specifiers()?;
        if specifiers.class.is_some() {
            let message = "specified storage class not appropriate for inline declaration";
            return Err(self.mistake(Tag::DeclBadclass, message));
        }
        let base = self.specified(&specifiers)?;
        let Declarator { name, mut layers } = self.declarator()?;
        let Some(name) = name else {
            return Err(self.mistake(Tag::DeclUseless, "inline declaration requires a name"));
        };
        self.check_inline_name(&name)?;
        let parameters = match layers.pop() {
            Some(Layer::Keys(keys)) => Some(self.named_parameters(&name, keys)?),
            other => {
                layers.extend(other);
                None
            }
        };
        let type_ = self.layered(base, layers)?;
        self.expect(Symbol::Assign)?;
        let value = self.assignment()?;
        let inline = self.inlined(name.clone(), type_, parameters, value)?;
        self.names.inlines.insert(name, inline);
        self.end_declaration()
    }

    fn check_inline_name(&self, name: &str) -> Result<(), Mistake> {
        self.check_name(name)?;
        let Some(previous) = self.taken_by(name) else {
            return Ok(());
        };
        let message = format!(
            "identifier redefined: {name}\n\t current: inline definition\n\tprevious: {previous}"
        );
        Err(self.mistake(Tag::DeclIdred, message))
    }

    /// What has this name already, in DTrace's words.
    fn taken_by(&self, name: &str) -> Option<String> {
        if self.names.inlines.contains_key(name) {
            return Some("scalar inline definition".to_owned());
        }
        let variable = self.names.variable(Scope::Global, self.number, name);
        let variable = variable.and_then(|number| self.names.variables.get(number));
        let kind = variable
            .map(Variable::kind)
            .or(Function::of(name).map(Function::kind))
            .or(builtin::kind(name))?;
        Some(format!("{kind} "))
    }

    fn named_parameters(
        &self,
        inline: &str,
        keys: Vec<Parameter>,
    ) -> Result<Vec<(Rc<str>, TypeId)>, Mistake> {
        let named = keys
            .into_iter()
            .enumerate()
            .map(|(position, (name, type_))| {
                let name = name.ok_or_else(|| {
                    let number = position + 1;
                    let message = format!("inline {inline} parameter #{number} requires a name");
                    self.mistake(Tag::DeclIdent, message)
                })?;
                Ok((name, type_))
            });
        named.collect()
    }

    fn inlined(
        &mut self,
        name: Rc<str>,
        type_: TypeId,
        parameters: Option<Vec<(Rc<str>, TypeId)>>,
        value: Node,
    ) -> Result<Inline, Mistake> {
        if parameters.is_none() {
            match value.kind {
                NodeKind::Constant(constant) if self.types.is_scalar(type_) => {
                    let constant = constant.cast(self.types, type_);
                    return Ok(Inline::Constant(NodeKind::Constant(constant)));
                }
                NodeKind::Text(text) if self.types.is_text_like(type_) => {
                    return Ok(Inline::Constant(NodeKind::Text(text)));
                }
                _ => {}
            }
        }
        let definition = Definition {
            name,
            type_,
            parameters,
            value,
        };
        Checker::new(self.types, self.names, &self.lexer.lines, self.number)
            .definition(&definition)?;
        Ok(Inline::Expression(Rc::new(definition)))
    }

    /// What a name stands for: a constant, an expression, or itself.
    pub(super) fn named(&mut self, name: Rc<str>) -> Result<Node, Mistake> {
        self.advance()?;
        match self.names.inlines.get(&name) {
            Some(Inline::Constant(constant)) => Ok(self.leaf(constant.clone())),
            Some(Inline::Expression(definition)) => {
                let depth = definition.value.depth;
                self.node(NodeKind::Inline(definition.clone(), None), depth)
            }
            None => Ok(self.leaf(NodeKind::Name(name))),
        }
    }
}
