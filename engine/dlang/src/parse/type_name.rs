//! Names of types: `unsigned long`, `char *`, `int (*)[3]`.

use super::Parser;
use crate::error::Mistake;
use crate::lex::{Keyword, Symbol, TokenKind};
use crate::tag::Tag;
use crate::types::{
    CHAR, DOUBLE, FLOAT, FUNCTION, INT, LDOUBLE, LONG, LONGLONG, SCHAR, SHORT, TEXT, Type, TypeId,
    UCHAR, UINT, ULONG, ULONGLONG, USHORT, VOID,
};
use engine_abi::Scope;

/// The most bytes of an array.
const ARRAY_MAX: u32 = 1 << 16;

/// A storage class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Typedef,
    Thread,
    Clause,
    /// One that D has not: `static`.
    Foreign,
}

/// What stands before the declared names.
#[derive(Default)]
pub(super) struct Specifiers {
    pub class: Option<Class>,
    name: Option<TypeId>,
    is_short: bool,
    longs: u8,
    is_signed: bool,
    is_unsigned: bool,
    any: bool,
}

/// What a declarator makes of the type before it.
pub(super) enum Layer {
    Pointer,
    Array(u32),
    /// An array without a size.
    Open,
    /// An associative array.
    Keys(Vec<TypeId>),
    Function,
}

/// A declared name, and what is done to the type, first to last.
pub(super) struct Declarator {
    pub name: Option<String>,
    pub layers: Vec<Layer>,
}

impl Parser<'_, '_> {
    /// Whether a type's name is next. A variable's name is none, even where a type has it too.
    pub(super) fn is_type(&self) -> bool {
        match &self.token.kind {
            TokenKind::Keyword(keyword) => keyword.is_type(),
            TokenKind::Word(name) => {
                let variable = self.names.variable(Scope::Global, self.number, name);
                self.types.named(name).is_some() && variable.is_none()
            }
            _ => false,
        }
    }

    /// The type of a cast, or of `sizeof`.
    pub(super) fn type_name(&mut self) -> Result<TypeId, Mistake> {
        let specifiers = self.specifiers()?;
        let base = self.specified(&specifiers)?;
        let declarator = self.declarator()?;
        if declarator.name.is_some() || specifiers.class.is_some() {
            return Err(self.syntax());
        }
        self.layered(base, declarator.layers)
    }

    /// Storage classes, qualifiers and type names, in any order.
    pub(super) fn specifiers(&mut self) -> Result<Specifiers, Mistake> {
        let mut specifiers = Specifiers::default();
        loop {
            match self.token.kind.clone() {
                TokenKind::Keyword(keyword) => {
                    if !self.specifier(&mut specifiers, keyword)? {
                        break;
                    }
                }
                TokenKind::Word(name) if specifiers.name.is_none() => {
                    let Some(type_) = self.types.named(&name) else {
                        break;
                    };
                    self.specify(&mut specifiers, type_)?;
                }
                _ => break,
            }
            specifiers.any = true;
            self.advance()?;
        }
        if specifiers.any {
            Ok(specifiers)
        } else {
            Err(self.syntax())
        }
    }

    /// Whether the reserved word belongs to a type or a class.
    fn specifier(&self, to: &mut Specifiers, keyword: Keyword) -> Result<bool, Mistake> {
        match keyword {
            Keyword::Const | Keyword::Restrict | Keyword::Volatile => {}
            Keyword::Void => self.specify(to, VOID)?,
            Keyword::Char => self.specify(to, CHAR)?,
            Keyword::Int => self.specify(to, INT)?,
            Keyword::Float => self.specify(to, FLOAT)?,
            Keyword::Double => self.specify(to, DOUBLE)?,
            Keyword::String => self.specify(to, TEXT)?,
            Keyword::Short | Keyword::Long | Keyword::Signed | Keyword::Unsigned => {
                self.modify(to, keyword)?;
            }
            Keyword::Struct | Keyword::Union | Keyword::Enum => {
                let word = keyword.word();
                let message = format!("type definition missing: {word} types are not supported");
                return Err(self.mistake(Tag::TypeErr, message));
            }
            Keyword::Typedef => self.classify(to, Class::Typedef)?,
            Keyword::Self_ => self.classify(to, Class::Thread)?,
            Keyword::This => self.classify(to, Class::Clause)?,
            Keyword::Auto | Keyword::Extern | Keyword::Register | Keyword::Static => {
                self.classify(to, Class::Foreign)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn classify(&self, to: &mut Specifiers, class: Class) -> Result<(), Mistake> {
        if to.class.replace(class).is_some() {
            let message = "only one storage class allowed in a declaration";
            return Err(self.mistake(Tag::DeclClass, message));
        }
        Ok(())
    }

    fn specify(&self, to: &mut Specifiers, type_: TypeId) -> Result<(), Mistake> {
        if to.name.replace(type_).is_some() {
            return Err(self.mistake(Tag::DeclCombo, "invalid type combination"));
        }
        self.check(to)
    }

    fn modify(&self, to: &mut Specifiers, keyword: Keyword) -> Result<(), Mistake> {
        let (repeated, times) = match keyword {
            Keyword::Short => (std::mem::replace(&mut to.is_short, true), "once"),
            Keyword::Signed => (std::mem::replace(&mut to.is_signed, true), "once"),
            Keyword::Unsigned => (std::mem::replace(&mut to.is_unsigned, true), "once"),
            _ => {
                to.longs = to.longs.saturating_add(1);
                (to.longs > 2, "twice")
            }
        };
        if repeated {
            let word = keyword.word();
            let message =
                format!("the attribute '{word}' may only be used at most {times} in a declaration");
            return Err(self.mistake(Tag::DeclCombo, message));
        }
        self.check(to)
    }

    /// Whether what was read goes together.
    fn check(&self, read: &Specifiers) -> Result<(), Mistake> {
        let Some(name) = read.name else {
            return Ok(());
        };
        let has_sign = read.is_signed || read.is_unsigned;
        let has_length = read.is_short || read.longs > 0;
        let is_number = name == CHAR || name == INT;
        let (tag, why) = if name == CHAR && has_length {
            let why = "short and long may not be used with char type";
            (Tag::DeclCharattr, why)
        } else if name == VOID && (has_length || has_sign) {
            (
                Tag::DeclVoidattr,
                "attributes may not be used with void type",
            )
        } else if !is_number && name != VOID && has_sign {
            let why = "signed and unsigned may only be used with integer type";
            (Tag::DeclSignint, why)
        } else if !is_number && name != FLOAT && name != DOUBLE && read.longs > 0 {
            let why = "long and long long may only be used with integer or floating-point type";
            (Tag::DeclLongint, why)
        } else {
            return Ok(());
        };
        Err(self.mistake(tag, format!("invalid type declaration: {why}")))
    }

    /// The type that the words make together.
    pub(super) fn specified(&self, read: &Specifiers) -> Result<TypeId, Mistake> {
        let signs = read.is_signed && read.is_unsigned;
        let lengths = read.is_short && read.longs > 0;
        if signs || lengths {
            return Err(self.mistake(Tag::DeclCombo, "invalid type combination"));
        }
        Ok(match (read.name, read.is_unsigned) {
            (Some(CHAR), true) => UCHAR,
            (Some(CHAR), false) if read.is_signed => SCHAR,
            (Some(DOUBLE), _) if read.longs == 1 => LDOUBLE,
            (None | Some(INT), is_unsigned) => integer(read.is_short, read.longs, is_unsigned),
            (Some(_), _) if read.is_short || read.longs > 0 => {
                return Err(self.mistake(Tag::DeclCombo, "invalid type combination"));
            }
            (Some(name), _) => name,
        })
    }

    /// `*`, a name or a declarator in parentheses, `[...]` and `(...)`: each may be missing.
    pub(super) fn declarator(&mut self) -> Result<Declarator, Mistake> {
        self.nested(Self::declarator_here)
    }

    fn declarator_here(&mut self) -> Result<Declarator, Mistake> {
        let mut layers = Vec::new();
        while self.accept(Symbol::Mul)? {
            layers.push(Layer::Pointer);
            self.check_depth(self.depth + layers.len() as u32)?;
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
            self.check_depth(self.depth + suffixes.len() as u32)?;
        }
        layers.extend(suffixes.into_iter().rev());
        layers.append(&mut inner.layers);
        Ok(Declarator {
            name: inner.name,
            layers,
        })
    }

    /// A name, a declarator in parentheses, or nothing.
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
            return Ok(Layer::Keys(self.parameters(Symbol::CloseBracket, true)?));
        }
        let size = self.conditional_expression()?;
        self.expect(Symbol::CloseBracket)?;
        self.array_size(&size).map(Layer::Array)
    }

    fn array_size(&self, size: &crate::ast::Node) -> Result<u32, Mistake> {
        match size.kind {
            crate::ast::NodeKind::Constant(constant) if constant.is_positive(self.types) => {
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
        self.parameters(Symbol::Close, false)?;
        Ok(Layer::Function)
    }

    /// The types of parameters, up to `end`, and `end`.
    fn parameters(&mut self, end: Symbol, are_keys: bool) -> Result<Vec<TypeId>, Mistake> {
        let mut types = Vec::new();
        while !self.is(end) {
            if self.accept(Symbol::Ellipsis)? {
                if are_keys {
                    let message = "array prototype may not use a variable-length argument list";
                    return Err(self.mistake(Tag::DeclProtoVarargs, message));
                }
                break;
            }
            types.push(self.parameter(are_keys, types.len() + 1)?);
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.expect(end)?;
        Ok(types)
    }

    fn parameter(&mut self, is_key: bool, position: usize) -> Result<TypeId, Mistake> {
        let specifiers = self.specifiers()?;
        if specifiers.class.is_some() {
            let message = "inappropriate storage class for function or associative array parameter";
            return Err(self.mistake(Tag::DeclParmclass, message));
        }
        let base = self.specified(&specifiers)?;
        let declarator = self.declarator()?;
        let type_ = self.layered(base, declarator.layers)?;
        if is_key && matches!(self.types.kind(type_), Type::Void | Type::Function) {
            let name = declarator.name.as_deref().unwrap_or("(anonymous)");
            let message = format!(
                "array prototype may not use parameter of type {}: {name}, parameter #{position}",
                self.types.name(type_)
            );
            return Err(self.mistake(Tag::DeclProtoType, message));
        }
        Ok(type_)
    }

    /// The type that `layers` make of `base`.
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
        let bytes = self.types.size(type_).checked_mul(count);
        if bytes.is_none_or(|bytes| bytes > ARRAY_MAX) {
            return Err(self.mistake(Tag::DeclArrbig, "array dimension too big"));
        }
        Ok(self.types.number(Type::Array(type_, count)))
    }
}

fn integer(is_short: bool, longs: u8, is_unsigned: bool) -> TypeId {
    match (is_short, longs, is_unsigned) {
        (true, _, false) => SHORT,
        (true, _, true) => USHORT,
        (false, 0, false) => INT,
        (false, 0, true) => UINT,
        (false, 1, false) => LONG,
        (false, 1, true) => ULONG,
        (false, _, false) => LONGLONG,
        (false, _, true) => ULONGLONG,
    }
}
