//! Declarations: variables, type names and inline constants.

use engine_abi::Scope;

use super::Parser;
use super::declarator::Layer;
use super::specifiers::Class;
use crate::ast::{Node, NodeKind};
use crate::builtin;
use crate::error::Mistake;
use crate::functions::Function;
use crate::lex::{Keyword, Mode, Symbol};
use crate::names::{Variable, VariableId};
use crate::tables;
use crate::tag::Tag;
use crate::types::{Type, TypeId};

impl Parser<'_, '_> {
    /// A declaration, whose first token was read in the mode between clauses.
    pub(super) fn declaration(&mut self) -> Result<(), Mistake> {
        self.lexer.enter(Mode::Inside);
        if self.is_keyword(Keyword::Inline) {
            return self.inline();
        }
        for keyword in [Keyword::Provider, Keyword::Translator, Keyword::Import] {
            if self.is_keyword(keyword) {
                let message = format!("{} definitions are not supported", keyword.word());
                return Err(self.mistake(Tag::Unknown, message));
            }
        }
        self.declaration_inside()
    }

    /// A declaration, whose first token was read in the mode inside clauses.
    pub(super) fn declaration_inside(&mut self) -> Result<(), Mistake> {
        let specifiers = self.specifiers()?;
        let base = self.specified(&specifiers)?;
        if self.is(Symbol::Semicolon) {
            return Err(self.mistake(Tag::DeclUseless, "useless declaration"));
        }
        loop {
            let declarator = self.declarator()?;
            let Some(name) = declarator.name else {
                return Err(self.syntax());
            };
            self.declare(specifiers.class, base, &name, declarator.layers)?;
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.end_declaration()
    }

    fn end_declaration(&mut self) -> Result<(), Mistake> {
        if !self.is(Symbol::Semicolon) {
            return Err(self.syntax());
        }
        self.advance_into(Mode::Outside)
    }

    fn declare(
        &mut self,
        class: Option<Class>,
        base: TypeId,
        name: &str,
        mut layers: Vec<Layer>,
    ) -> Result<(), Mistake> {
        self.check_name(name)?;
        if let Some(Layer::Open) = layers.last() {
            let message =
                format!("array declaration requires array dimension or tuple signature: {name}");
            return Err(self.mistake(Tag::DeclArrnull, message));
        }
        let keys = match layers.pop() {
            Some(Layer::Keys(keys)) => Some(keys),
            other => {
                layers.extend(other);
                None
            }
        };
        let type_ = self.layered(base, layers)?;
        match class {
            Some(Class::Typedef) => self.declare_type(name, type_),
            Some(Class::Foreign) => Err(self.bad_class()),
            _ if *self.types.kind(type_) == Type::Function => Err(self.bad_class()),
            Some(Class::Thread) => self.declare_variable(Scope::Thread, name, type_, keys),
            Some(Class::Clause) => self.declare_variable(Scope::Clause, name, type_, keys),
            None => self.declare_variable(Scope::Global, name, type_, keys),
        }
    }

    fn bad_class(&self) -> Mistake {
        let message = "specified storage class not appropriate in D";
        self.mistake(Tag::DeclBadclass, message)
    }

    fn check_name(&self, name: &str) -> Result<(), Mistake> {
        if name.contains('`') {
            let message =
                format!("D scoping operator may not be used in a declaration name ({name})");
            return Err(self.mistake(Tag::DeclScope, message));
        }
        Ok(())
    }

    fn declare_type(&mut self, name: &str, type_: TypeId) -> Result<(), Mistake> {
        let variable = self.names.variable(Scope::Global, self.number, name);
        if variable.is_some() || is_builtin(name) {
            let message = format!("global variable identifier redeclared: {name}");
            return Err(self.mistake(Tag::DeclIdred, message));
        }
        if self.types.named(name).is_some() {
            let message = format!("typedef redeclared: {name}");
            return Err(self.mistake(Tag::DeclIdred, message));
        }
        self.types.define(name, type_);
        Ok(())
    }

    fn declare_variable(
        &mut self,
        scope: Scope,
        name: &str,
        type_: TypeId,
        keys: Option<Vec<TypeId>>,
    ) -> Result<(), Mistake> {
        if scope == Scope::Global && is_builtin(name) {
            let message = format!("built-in identifier redeclared: {name}");
            return Err(self.mistake(Tag::DeclIdred, message));
        }
        if self.types.named(name).is_some() {
            let message = format!("typedef identifier redeclared: {name}");
            return Err(self.mistake(Tag::DeclIdred, message));
        }
        if scope == Scope::Clause && keys.is_some() {
            let message =
                format!("associative arrays may not be declared as local variables: {name}");
            return Err(self.mistake(Tag::DeclLocassc, message));
        }
        tables::check_key(self.types, keys.iter().flatten().copied(), self.line)?;
        let variable = Variable {
            name: name.to_owned(),
            scope,
            type_: Some(type_),
            keys,
        };
        if let Some(previous) = self.names.variable(scope, self.number, name) {
            return self.redeclare(previous, &variable);
        }
        if self.types.is_void(type_) {
            let message = format!("cannot have void object: {name}");
            return Err(self.mistake(Tag::DeclVoidobj, message));
        }
        self.names.declare(self.number, variable);
        Ok(())
    }

    /// A variable may be redeclared with the same type.
    fn redeclare(&self, previous: VariableId, current: &Variable) -> Result<(), Mistake> {
        let Some(previous) = self.names.variables.get(previous) else {
            return Ok(());
        };
        let same =
            previous.keys.is_some() == current.keys.is_some() && previous.type_ == current.type_;
        let (what, now, before) = if !same {
            ("", self.described(current), self.described(previous))
        } else if previous.keys != current.keys {
            (" key", self.key_of(current), self.key_of(previous))
        } else {
            return Ok(());
        };
        let message = format!(
            "identifier redeclared: {}\n\t current:{what} {now}\n\tprevious:{what} {before}",
            current.name
        );
        Err(self.mistake(Tag::DeclIdred, message))
    }

    fn described(&self, variable: &Variable) -> String {
        let type_ = variable.type_.map(|it| self.types.name(it));
        format!("{} {}", variable.kind(), type_.unwrap_or_default())
    }

    fn key_of(&self, variable: &Variable) -> String {
        let keys = variable.keys.iter().flatten();
        let names: Vec<String> = keys.map(|key| self.types.name(*key)).collect();
        format!("[{}]", names.join(", "))
    }

    /// `inline type name = constant;`
    fn inline(&mut self) -> Result<(), Mistake> {
        self.advance()?;
        let specifiers = self.specifiers()?;
        if specifiers.class.is_some() {
            let message = "specified storage class not appropriate for inline declaration";
            return Err(self.mistake(Tag::DeclBadclass, message));
        }
        let base = self.specified(&specifiers)?;
        let declarator = self.declarator()?;
        let Some(name) = declarator.name else {
            return Err(self.mistake(Tag::DeclUseless, "inline declaration requires a name"));
        };
        self.check_name(&name)?;
        let type_ = self.layered(base, declarator.layers)?;
        let is_taken = self
            .names
            .variable(Scope::Global, self.number, &name)
            .is_some();
        if is_taken || is_builtin(&name) || self.names.inlines.contains_key(&name) {
            let message = format!("identifier redefined: {name}");
            return Err(self.mistake(Tag::DeclIdred, message));
        }
        self.expect(Symbol::Assign)?;
        let value = self.assignment()?;
        let value = self.inlined(&name, type_, value)?;
        self.names.inlines.insert(name, value);
        self.end_declaration()
    }

    /// The constant of an inline.
    fn inlined(&self, name: &str, type_: TypeId, value: Node) -> Result<NodeKind, Mistake> {
        match value.kind {
            NodeKind::Constant(constant) if self.types.is_scalar(type_) => {
                Ok(NodeKind::Constant(constant.converted(self.types, type_)))
            }
            NodeKind::Text(text) if self.types.is_text_like(type_) => Ok(NodeKind::Text(text)),
            NodeKind::Constant(_) | NodeKind::Text(_) => {
                let message = format!("inline {name} definition uses incompatible types");
                Err(self.mistake(Tag::OpIncompat, message))
            }
            _ => {
                let message =
                    format!("inline {name} is not a constant: only constants are supported");
                Err(self.mistake(Tag::Unknown, message))
            }
        }
    }
}

/// Whether the name is a built-in one.
fn is_builtin(name: &str) -> bool {
    builtin::of(name).is_some() || Function::of(name).is_some()
}
