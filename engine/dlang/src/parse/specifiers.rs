//! Declaration specifiers: storage classes and type names (`self unsigned long`).

use engine_abi::Scope;

use super::Parser;
use crate::builtin;
use crate::error::Mistake;
use crate::lex::{Keyword, TokenKind};
use crate::tag::Tag;
use crate::types::{
    CHAR, DOUBLE, FLOAT, INT, LDOUBLE, LONG, LONGLONG, SCHAR, SHORT, TEXT, TypeId, UCHAR, UINT,
    ULONG, ULONGLONG, USHORT, VOID,
};

/// A storage class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Typedef,
    Thread,
    Clause,
    Extern,
    /// One that D does not have: `static`.
    Foreign,
}

/// The specifiers of a declaration.
#[derive(Default)]
pub(super) struct Specifiers {
    pub class: Option<Class>,
    name: Option<TypeId>,
    is_short: bool,
    longs: u8,
    is_signed: bool,
    is_unsigned: bool,
    any: bool,
    /// Whether they declare a tag, so that they need no declarator.
    pub has_tag: bool,
}

impl Specifiers {
    /// Whether they name a type; `int` is meant otherwise.
    pub(super) fn is_typed(&self) -> bool {
        let has_sign = self.is_signed || self.is_unsigned;
        self.name.is_some() || has_sign || self.is_short || self.longs > 0
    }
}

impl Parser<'_, '_> {
    /// Whether a type name is next. A name that is both a variable and a type is a variable.
    pub(super) fn is_type(&mut self) -> bool {
        match self.token.kind.clone() {
            TokenKind::Keyword(keyword) => keyword.is_type(),
            TokenKind::Word(name) => {
                let variable = self.names.variable(Scope::Global, self.number, &name);
                variable.is_none() && (self.types.named(&name).is_some() || self.is_foreign(&name))
            }
            _ => false,
        }
    }

    /// Whether the next token, which is this name, is a type of the kernel. The kernel's types are
    /// looked at only if nothing else has the name, and what follows can follow a type.
    fn is_foreign(&mut self, name: &str) -> bool {
        let is_known = builtin::is_defined(name)
            || self.names.inlines.contains_key(name)
            || self.names.assigned.contains(name);
        let follows = self.lexer.follows(&self.token);
        let may_follow = |byte: u8| b"*)([,>".contains(&byte) || byte.is_ascii_alphabetic();
        let may_be = name.contains('`') || !is_known && follows.is_some_and(may_follow);
        may_be && self.foreign(name).is_some()
    }

    /// Storage classes, qualifiers and type names, in any order.
    pub(super) fn specifiers(&mut self) -> Result<Specifiers, Mistake> {
        let mut specifiers = Specifiers::default();
        loop {
            match self.token.kind.clone() {
                TokenKind::Keyword(
                    keyword @ (Keyword::Struct | Keyword::Union | Keyword::Enum),
                ) => {
                    let type_ = self.tagged(keyword)?;
                    self.specify(&mut specifiers, type_)?;
                    specifiers.any = true;
                    specifiers.has_tag = true;
                    continue;
                }
                TokenKind::Keyword(keyword) => {
                    if !self.specifier(&mut specifiers, keyword)? {
                        break;
                    }
                }
                TokenKind::Word(name) if specifiers.name.is_none() => {
                    let Some(type_) = self.type_of(&specifiers, &name) else {
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

    /// Checks that a name that is next is a type's.
    pub(super) fn check_type_name(&mut self) -> Result<(), Mistake> {
        let TokenKind::Word(name) = self.token.kind.clone() else {
            return Ok(());
        };
        match self.type_of(&Specifiers::default(), &name) {
            Some(_) => Ok(()),
            None => Err(self.mistake(Tag::TypeErr, format!("unknown type {name}"))),
        }
    }

    /// The type with this name. After a word such as `unsigned`, it is not a type of the kernel.
    fn type_of(&mut self, read: &Specifiers, name: &str) -> Option<TypeId> {
        let has_words = read.is_short || read.longs > 0 || read.is_signed || read.is_unsigned;
        let known = self.types.named(name);
        known.or_else(|| match has_words {
            true => None,
            false => self.foreign(name),
        })
    }

    /// The type of the kernel with this name. There is none if a library is to define it first.
    pub(super) fn foreign(&mut self, name: &str) -> Option<TypeId> {
        match self.names.want(name) {
            true => None,
            false => self.types.kernel_typedef(name),
        }
    }

    /// Whether the reserved word is part of a type or a storage class; adds it if so.
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
            Keyword::Typedef => self.classify(to, Class::Typedef)?,
            Keyword::Self_ => self.classify(to, Class::Thread)?,
            Keyword::This => self.classify(to, Class::Clause)?,
            Keyword::Extern => self.classify(to, Class::Extern)?,
            Keyword::Auto | Keyword::Register | Keyword::Static => {
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

    /// Checks that the specifiers can be combined.
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

    /// The type that the specifiers stand for.
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
