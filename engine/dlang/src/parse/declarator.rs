//! Declarators: how a declared name modifies its type (`*x`, `(*x)[3]`).

use std::rc::Rc;

use super::Parser;
use crate::ast::{Node, NodeKind};
use crate::error::Mistake;
use crate::lex::{Keyword, Symbol, TokenKind};
use crate::tag::Tag;
use crate::types::{FUNCTION, Type, TypeId};

/// The maximum size of an array or a structure in bytes.
pub(super) const ARRAY_MAX: u32 = 1 << 16;

/// A parameter, which may have no name.
pub(super) type Parameter = (Option<Rc<str>>, TypeId);

/// What a list of parameters belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// An associative array, or an inline.
    Keys,
    Function,
    /// A probe of a provider.
    Probe,
}

impl List {
    /// Its prototype's name in messages.
    fn word(self) -> &'static str {
        match self {
            Self::Keys => "array",
            Self::Function => "function",
            Self::Probe => "probe",
        }
    }
}

/// A modifier of the type before it.
pub(super) enum Layer {
    Pointer,
    Array(u32),
    /// An array without a size.
    Open,
    /// The key of an associative array: types, and the names of an inline's parameters.
    Keys(Vec<Parameter>),
    Function,
}

/// A declared name, and the modifiers of its type, in order of application.
pub(super) struct Declarator {
    pub name: Option<Rc<str>>,
    pub layers: Vec<Layer>,
}

impl Parser<'_, '_> {
    /// The type in a cast or in `sizeof`.
    pub(super) fn type_name(&mut self) -> Result<TypeId, Mistake> {
        let specifiers = self.specifiers()?;
        let base = self.specified(&specifiers)?;
        let declarator = self.declarator()?;
        if declarator.name.is_some() || specifiers.class.is_some() {
            return Err(self.syntax());
        }
        self.layered(base, declarator.layers)
    }

    /// `*`, a name or a parenthesized declarator, `[...]` and `(...)`, all optional.
    pub(super) fn declarator(&mut self) -> Result<Declarator, Mistake> {
        self.nested(Self::declarator_here)
    }

    fn declarator_here(&mut self) -> Result<Declarator, Mistake> {
        let mut layers = Vec::new();
        while self.accept(Symbol::Mul)? {
            layers.push(Layer::Pointer);
            while let TokenKind::Keyword(Keyword::Const | Keyword::Restrict | Keyword::Volatile) =
                self.token.kind
            {
                self.advance()?;
            }
        }
        let mut inner = self.declarator_core()?;
        let mut suffixes = Vec::new();
        while let Some(suffix) = self.suffix()? {
            suffixes.push(suffix);
        }
        layers.extend(suffixes.into_iter().rev());
        layers.append(&mut inner.layers);
        Ok(Declarator {
            name: inner.name,
            layers,
        })
    }

    /// A name, a parenthesized declarator, or nothing.
    fn declarator_core(&mut self) -> Result<Declarator, Mistake> {
        let mut core = Declarator {
            name: None,
            layers: Vec::new(),
        };
        if let TokenKind::Word(name) = &self.token.kind {
            core.name = Some(name.clone());
            self.advance()?;
            if matches!(self.token.kind, TokenKind::Word(_)) {
                let message = "old-style declaration or incorrect type specified";
                return Err(self.mistake(Tag::DeclIdent, message));
            }
        } else if self.accept(Symbol::Open)? {
            if self.is(Symbol::Close) || self.is_type() {
                core.layers.push(self.function_suffix()?);
            } else {
                core = self.declarator()?;
                self.expect(Symbol::Close)?;
            }
        }
        Ok(core)
    }

    /// `[...]` or `(...)`
    fn suffix(&mut self) -> Result<Option<Layer>, Mistake> {
        if self.accept(Symbol::OpenBracket)? {
            return self.array_suffix().map(Some);
        }
        if self.accept(Symbol::Open)? {
            return self.function_suffix().map(Some);
        }
        Ok(None)
    }

    fn array_suffix(&mut self) -> Result<Layer, Mistake> {
        if self.accept(Symbol::CloseBracket)? {
            return Ok(Layer::Open);
        }
        if self.is_type() || self.is(Symbol::Ellipsis) || self.is_class() {
            return Ok(Layer::Keys(
                self.parameters(Symbol::CloseBracket, List::Keys)?,
            ));
        }
        let size = self.conditional_expression()?;
        self.expect(Symbol::CloseBracket)?;
        self.array_size(&size).map(Layer::Array)
    }

    fn array_size(&self, size: &Node) -> Result<u32, Mistake> {
        match size.kind {
            NodeKind::Constant(constant) if constant.is_positive(self.types) => {
                u32::try_from(constant.value)
                    .map_err(|_| self.mistake(Tag::DeclArrbig, "array dimension too big"))
            }
            _ => {
                let message = "positive integral constant expression or tuple signature expected \
                               as array declaration subscript";
                Err(self.mistake(Tag::DeclArrsub, message))
            }
        }
    }

    /// Whether a storage class is next.
    fn is_class(&self) -> bool {
        matches!(self.token.kind, TokenKind::Keyword(keyword) if keyword.declares())
    }

    fn function_suffix(&mut self) -> Result<Layer, Mistake> {
        self.parameters(Symbol::Close, List::Function)?;
        Ok(Layer::Function)
    }

    /// The types of parameters, up to and including `end`.
    pub(super) fn parameters(
        &mut self,
        end: Symbol,
        list: List,
    ) -> Result<Vec<Parameter>, Mistake> {
        let mut types = Vec::new();
        while !self.is(end) {
            if self.accept(Symbol::Ellipsis)? {
                if list != List::Function {
                    let word = list.word();
                    let message =
                        format!("{word} prototype may not use a variable-length argument list");
                    return Err(self.mistake(Tag::DeclProtoVarargs, message));
                }
                break;
            }
            types.push(self.parameter(list, types.len() + 1)?);
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        if types.len() > 1 && types.iter().any(|it| self.types.is_void(it.1)) {
            return Err(self.mistake(Tag::DeclProtoVoid, "void must be sole parameter"));
        }
        self.expect(end)?;
        Ok(types)
    }

    fn parameter(&mut self, list: List, position: usize) -> Result<Parameter, Mistake> {
        if list == List::Probe {
            self.check_type_name()?;
        }
        let specifiers = self.specifiers()?;
        if specifiers.class.is_some() {
            let message = "inappropriate storage class for function or associative array parameter";
            return Err(self.mistake(Tag::DeclParmclass, message));
        }
        let base = self.specified(&specifiers)?;
        let declarator = self.declarator()?;
        let type_ = self.layered(base, declarator.layers)?;
        let is_refused = match self.types.kind(type_) {
            Type::Void => list == List::Keys,
            Type::Function => list != List::Function,
            _ => false,
        };
        if is_refused {
            let name = declarator.name.as_deref().unwrap_or("(anonymous)");
            let word = list.word();
            let message = format!(
                "{word} prototype may not use parameter of type {}: {name}, parameter #{position}",
                self.types.name(type_)
            );
            return Err(self.mistake(Tag::DeclProtoType, message));
        }
        if let (true, Some(name)) = (self.types.is_void(type_), &declarator.name) {
            let message = format!("void parameter may not have a name: {name}");
            return Err(self.mistake(Tag::DeclProtoName, message));
        }
        Ok((declarator.name, type_))
    }

    /// Applies `layers` to `base`.
    pub(super) fn layered(&mut self, base: TypeId, layers: Vec<Layer>) -> Result<TypeId, Mistake> {
        layers.into_iter().try_fold(base, |type_, layer| {
            let type_ = self.layer(type_, layer)?;
            self.check_depth(self.types.depth(type_))?;
            Ok(type_)
        })
    }

    fn layer(&mut self, type_: TypeId, layer: Layer) -> Result<TypeId, Mistake> {
        match layer {
            Layer::Pointer => Ok(self.types.pointer_to(type_)),
            Layer::Function => Ok(FUNCTION),
            Layer::Array(count) => self.array_of(type_, count),
            Layer::Open => {
                let message = "array declaration requires array dimension or tuple signature";
                Err(self.mistake(Tag::DeclArrnull, message))
            }
            Layer::Keys(_) => {
                let message = "cannot declare array of associative arrays";
                Err(self.mistake(Tag::DeclDynobj, message))
            }
        }
    }

    fn array_of(&mut self, type_: TypeId, count: u32) -> Result<TypeId, Mistake> {
        if self.types.is_void(type_) {
            return Err(self.mistake(Tag::DeclVoidobj, "cannot declare array of void"));
        }
        self.types.find_definition(type_);
        if self.types.size(type_) == 0 {
            let name = self.types.name(type_);
            let message = format!("cannot declare array of {name}: its elements have no size");
            return Err(self.mistake(Tag::DeclVoidobj, message));
        }
        let bytes = self.types.size(type_).checked_mul(count);
        if bytes.is_none_or(|bytes| bytes > ARRAY_MAX) {
            return Err(self.mistake(Tag::DeclArrbig, "array dimension too big"));
        }
        Ok(self.types.number(Type::Array(type_, count)))
    }
}
