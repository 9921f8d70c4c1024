//! Declarations of variables and type names.

use engine_abi::Scope;

use super::Parser;
use super::declarator::Layer;
use super::specifiers::Class;
use crate::builtin;
use crate::error::Mistake;
use crate::lex::{Keyword, Mode, Symbol};
use crate::names::{Variable, VariableId};
use crate::tables;
use crate::tag::Tag;
use crate::types::TypeId;

impl Parser<'_, '_> {
    /// A declaration, whose first token was read in the mode between clauses.
    pub(super) fn declaration(&mut self) -> Result<(), Mistake> {
        self.lexer.enter(Mode::Inside);
        if self.is_keyword(Keyword::Inline) {
            return self.inline();
        }
        if self.is_keyword(Keyword::Translator) {
            return self.translator();
        }
        if self.is_keyword(Keyword::Provider) {
            return self.provider();
        }
        if self.is_keyword(Keyword::Import) {
            let message = "import definitions are not supported";
            return Err(self.mistake(Tag::Unknown, message));
        }
        self.declaration_inside()
    }

    /// A declaration, whose first token was read in the mode inside clauses.
    pub(super) fn declaration_inside(&mut self) -> Result<(), Mistake> {
        let specifiers = self.specifiers()?;
        let base = self.specified(&specifiers)?;
        if self.is(Symbol::Semicolon) {
            if specifiers.has_tag && specifiers.class.is_none() {
                self.types.set_own(base);
                return self.end_declaration();
            }
            return Err(self.mistake(Tag::DeclUseless, "useless declaration"));
        }
        loop {
            let declarator = self.declarator();
            let declarator = declarator.map_err(|mistake| match mistake.tag {
                // The first of two names may have been meant as a type, but is none.
                Tag::DeclIdent if !specifiers.is_typed() => self.syntax(),
                _ => mistake,
            })?;
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

    pub(super) fn end_declaration(&mut self) -> Result<(), Mistake> {
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
            Some(Layer::Keys(keys)) => Some(keys.into_iter().map(|it| it.1).collect()),
            other => {
                layers.extend(other);
                None
            }
        };
        let type_ = self.layered(base, layers)?;
        match class {
            Some(Class::Typedef) => self.declare_type(name, type_),
            Some(Class::Foreign) => {
                let message = "specified storage class not appropriate in D";
                Err(self.mistake(Tag::DeclBadclass, message))
            }
            Some(Class::Thread) => self.declare_variable(Scope::Thread, name, type_, keys),
            Some(Class::Clause) => self.declare_variable(Scope::Clause, name, type_, keys),
            Some(Class::Extern) | None => self.declare_variable(Scope::Global, name, type_, keys),
        }
    }

    pub(super) fn check_name(&self, name: &str) -> Result<(), Mistake> {
        if name.contains('`') {
            let message =
                format!("D scoping operator may not be used in a declaration name ({name})");
            return Err(self.mistake(Tag::DeclScope, message));
        }
        Ok(())
    }

    fn declare_type(&mut self, name: &str, type_: TypeId) -> Result<(), Mistake> {
        let variable = self.names.variable(Scope::Global, self.number, name);
        if variable.is_some() || builtin::is_defined(name) {
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
        if scope == Scope::Global && builtin::is_defined(name) {
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
        self.types.find_definition(type_);
        if self.types.is_incomplete(type_) {
            let kind = self.types.name(type_);
            let message = format!("incomplete struct/union/enum {kind}: {name}");
            return Err(self.mistake(Tag::DeclIncomplete, message));
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
}
