//! Definitions of structures, unions and enumerations.

use std::rc::Rc;

use engine_abi::Scope;

use super::Parser;
use super::declarator::{ARRAY_MAX, Declarator, Layer};
use crate::ast::NodeKind;
use crate::builtin;
use crate::error::Mistake;
use crate::fold::Constant;
use crate::lex::{Keyword, Symbol, TokenKind};
use crate::names::Inline;
use crate::tag::Tag;
use crate::types::{Builder, Family, INT, Type, TypeId};

impl Parser<'_, '_> {
    /// `struct tag`, `struct tag { members }`, `struct { members }`, and the same for unions and
    /// enumerations.
    pub(super) fn tagged(&mut self, keyword: Keyword) -> Result<TypeId, Mistake> {
        let family = match keyword {
            Keyword::Struct => Family::Struct,
            Keyword::Union => Family::Union,
            _ => Family::Enum,
        };
        self.advance()?;
        let name = self.tag()?;
        if !self.is(Symbol::OpenBrace) {
            let name = name.ok_or_else(|| self.syntax())?;
            return self.known_tag(family, &name);
        }
        let id = self.new_tag(family, name)?;
        self.advance()?;
        match family {
            Family::Enum => self.enumerators(id)?,
            _ => self.nested(|parser| parser.members(family, id))?,
        }
        Ok(id)
    }

    fn tag(&mut self) -> Result<Option<Rc<str>>, Mistake> {
        let TokenKind::Word(name) = &self.token.kind else {
            return Ok(None);
        };
        let name = name.clone();
        self.advance()?;
        Ok(Some(name))
    }

    /// The type with this tag; a structure or a union need not be defined yet.
    fn known_tag(&mut self, family: Family, name: &str) -> Result<TypeId, Mistake> {
        if family != Family::Enum && !name.contains('`') {
            return Ok(self.types.tag(family, name));
        }
        let known = self.types.tagged(family, name);
        known
            .or_else(|| self.types.kernel_tag(family, name))
            .ok_or_else(|| {
                let message = format!("type definition missing: {} {name}", family.word());
                self.mistake(Tag::TypeErr, message)
            })
    }

    /// The type that a definition completes.
    fn new_tag(&mut self, family: Family, name: Option<Rc<str>>) -> Result<TypeId, Mistake> {
        let Some(name) = name else {
            return Ok(self.types.declare_tag(family, None));
        };
        self.check_name(&name)?;
        let Some(id) = self.types.tagged(family, &name) else {
            return Ok(self.types.declare_tag(family, Some(name)));
        };
        if self.types.is_incomplete(id) {
            return Ok(id);
        }
        let message = format!("type redeclared: {}", self.types.name(id));
        Err(self.mistake(Tag::DeclTypered, message))
    }

    /// Members, up to and including the `}`.
    fn members(&mut self, family: Family, id: TypeId) -> Result<(), Mistake> {
        let mut builder = Builder::new(family);
        self.types.begin_members(id);
        while !self.accept(Symbol::CloseBrace)? {
            self.member_declaration(&mut builder)?;
        }
        if builder.is_empty() {
            return Err(self.syntax());
        }
        if !self.types.define_members(id, builder, ARRAY_MAX) {
            let message = format!("{} is too big", self.types.name(id));
            return Err(self.mistake(Tag::DeclArrbig, message));
        }
        Ok(())
    }

    /// `type declarator, declarator : width;`
    fn member_declaration(&mut self, builder: &mut Builder) -> Result<(), Mistake> {
        let specifiers = self.specifiers()?;
        if specifiers.class.is_some() {
            let message = "storage class may not be used in a member declaration";
            return Err(self.mistake(Tag::DeclBadclass, message));
        }
        let base = self.specified(&specifiers)?;
        if self.is(Symbol::Semicolon) {
            self.anonymous(builder, base)?;
        } else {
            loop {
                self.member_declarator(builder, base)?;
                if !self.accept(Symbol::Comma)? {
                    break;
                }
            }
        }
        self.expect(Symbol::Semicolon)
    }

    /// A structure or a union whose members become those of the outer one.
    fn anonymous(&mut self, builder: &mut Builder, type_: TypeId) -> Result<(), Mistake> {
        if !self.types.is_anonymous(type_) {
            let message = format!("member of type {} has no name", self.types.name(type_));
            return Err(self.mistake(Tag::DeclMname, message));
        }
        self.add(builder, None, type_)
    }

    fn member_declarator(&mut self, builder: &mut Builder, base: TypeId) -> Result<(), Mistake> {
        let Declarator { name, layers } = self.declarator()?;
        if let Some(Layer::Keys(_)) = layers.last() {
            let message = "associative array may not be a member";
            return Err(self.mistake(Tag::DeclDynobj, message));
        }
        let type_ = self.layered(base, layers)?;
        if self.accept(Symbol::Colon)? {
            return self.bit_field(builder, name, type_);
        }
        match name {
            None => Err(self.syntax()),
            Some(name) => {
                self.check_name(&name)?;
                self.add(builder, Some(name), type_)
            }
        }
    }

    /// Adds a member that is not a bit-field.
    fn add(
        &mut self,
        builder: &mut Builder,
        name: Option<Rc<str>>,
        type_: TypeId,
    ) -> Result<(), Mistake> {
        let spelt = name.as_deref().unwrap_or_default().to_owned();
        self.types.complete(type_);
        if self.types.size(type_) == 0 {
            let kind = self.types.name(type_);
            let (tag, message) = match self.types.kind(type_) {
                Type::Void => (
                    Tag::DeclVoidobj,
                    format!("cannot have void object: {spelt}"),
                ),
                _ => {
                    let message = format!("incomplete struct/union/enum {kind}: {spelt}");
                    (Tag::DeclIncomplete, message)
                }
            };
            return Err(self.mistake(tag, message));
        }
        match builder.member(self.types, name, type_) {
            true => Ok(()),
            false => Err(self.member_again(&spelt)),
        }
    }

    fn member_again(&self, name: &str) -> Mistake {
        let message = match name {
            "" => "a member of the anonymous member is there already".to_owned(),
            _ => format!("member name redeclared: {name}"),
        };
        self.mistake(Tag::DeclMname, message)
    }

    /// `: width`
    fn bit_field(
        &mut self,
        builder: &mut Builder,
        name: Option<Rc<str>>,
        type_: TypeId,
    ) -> Result<(), Mistake> {
        let spelt = name.as_deref().unwrap_or_default().to_owned();
        let size = self.conditional_expression()?;
        let NodeKind::Constant(width) = size.kind else {
            let message = "positive integral constant expression expected as bit-field size";
            return Err(self.mistake(Tag::DeclBfconst, message));
        };
        if width.signed() < i64::from(name.is_some()) {
            let message = "positive integral constant expression expected as bit-field size";
            return Err(self.mistake(Tag::DeclBfconst, message));
        }
        if !self.types.is_integer(type_) {
            let message = format!("invalid type for bit-field: {spelt}");
            return Err(self.mistake(Tag::DeclBftype, message));
        }
        let most = 8 * self.types.size(type_);
        let width = u32::try_from(width.value).ok().filter(|it| *it <= most);
        let Some(width) = width else {
            let message = format!("bit-field too big for type: {spelt}");
            return Err(self.mistake(Tag::DeclBfsize, message));
        };
        match builder.bits(self.types, name, type_, width) {
            true => Ok(()),
            false => Err(self.member_again(&spelt)),
        }
    }

    /// Enumerators, up to and including the `}`.
    fn enumerators(&mut self, id: TypeId) -> Result<(), Mistake> {
        if let Some(integer) = self.types.integer(INT) {
            self.types.define_enumeration(id, integer);
        }
        let mut next = 0;
        loop {
            let name = self.name()?;
            let value = self.enumerator(&name, next)?;
            let constant = Constant {
                value: i64::from(value).cast_unsigned(),
                type_: id,
            };
            self.types.add_enumerator(id, name.clone(), value.into());
            let inline = Inline::Constant(NodeKind::Constant(constant));
            self.names.inlines.insert(name, inline);
            next = i64::from(value) + 1;
            let is_last = !self.accept(Symbol::Comma)?;
            if is_last || self.is(Symbol::CloseBrace) {
                return self.expect(Symbol::CloseBrace);
            }
        }
    }

    /// The value of an enumerator: the given one, or the next.
    fn enumerator(&mut self, name: &str, next: i64) -> Result<i32, Mistake> {
        self.check_name(name)?;
        let variable = self.names.variable(Scope::Global, self.number, name);
        let is_taken = variable.is_some()
            || builtin::is_defined(name)
            || self.types.named(name).is_some()
            || self.names.inlines.contains_key(name);
        if is_taken {
            let message = format!("identifier redeclared: {name}");
            return Err(self.mistake(Tag::DeclIdred, message));
        }
        let mut value = next;
        if self.accept(Symbol::Assign)? {
            let NodeKind::Constant(given) = self.conditional_expression()?.kind else {
                let message = format!(
                    "enumerator '{name}' must be assigned to an integral constant expression"
                );
                return Err(self.mistake(Tag::DeclEnconst, message));
            };
            value = given.signed();
        }
        i32::try_from(value).map_err(|_| {
            let message = format!("enumerator '{name}' value overflows an int");
            self.mistake(Tag::DeclEnoflow, message)
        })
    }
}
