//! Types by their IDs.

use crate::btf::{Btf, Words};
use crate::error::{Error, Result};
use crate::format::{Code, Info, LONGEST_CHAIN, row_of};
use crate::id::TypeId;
use crate::kind::{Int, Kind, Linkage, Type};
use crate::list::{List, Parameter};

impl<'d> Btf<'d> {
    /// A type by its ID.
    ///
    /// # Errors
    /// There is none.
    pub fn get(&self, id: TypeId) -> Result<Type<'_>> {
        if id == TypeId::VOID {
            let (name, kind) = ("", Kind::Void);
            return Ok(Type { id, name, kind });
        }
        let (owner, words) = self.owner(id).ok_or(Error::NoType(id))?;
        let name = owner.string(words.get(0));
        let kind = owner.kind(words);
        Ok(Type { id, name, kind })
    }

    /// The type behind typedefs and qualifiers.
    ///
    /// # Errors
    /// They have no end.
    pub fn resolve(&self, id: TypeId) -> Result<Type<'_>> {
        let mut found = self.get(id)?;
        for _ in 0..LONGEST_CHAIN {
            match found.kind.behind() {
                Some(target) => found = self.get(target)?,
                None => return Ok(found),
            }
        }
        Err(Error::Endless(id))
    }

    fn kind<'b>(&'b self, words: Words<'b>) -> Kind<'b> {
        let info = Info(words.get(1));
        // The check has refused all other kinds.
        let Some(row) = row_of(info.kind()) else {
            return Kind::Void;
        };
        let (size, is_signed) = (words.get(2), info.flag());
        match row.code {
            Code::Struct => Kind::Struct {
                size,
                members: List::new(self, words),
            },
            Code::Union => Kind::Union {
                size,
                members: List::new(self, words),
            },
            Code::Enum => Kind::Enum {
                size,
                is_signed,
                values: List::new(self, words),
            },
            Code::Enum64 => Kind::Enum64 {
                size,
                is_signed,
                values: List::new(self, words),
            },
            Code::Section => Kind::Section {
                size,
                entries: List::new(self, words),
            },
            Code::Prototype => self.prototype(words),
            code => without_list(code, words),
        }
    }

    /// The last parameter of a variadic one has neither name nor type.
    fn prototype<'b>(&'b self, words: Words<'b>) -> Kind<'b> {
        let mut parameters = List::<Parameter<'_>>::new(self, words);
        let mut rest = parameters;
        let is_variadic = rest.next_back().is_some_and(|last| last.is_ellipsis());
        if is_variadic {
            parameters = rest;
        }
        Kind::Prototype {
            returns: TypeId(words.get(2)),
            parameters,
            is_variadic,
        }
    }
}

/// A kind that has a fixed number of words.
fn without_list(code: Code, words: Words<'_>) -> Kind<'static> {
    let (info, size, target) = (Info(words.get(1)), words.get(2), TypeId(words.get(2)));
    match code {
        Code::Int => Kind::Int(int(size, words.get(3))),
        Code::Pointer => Kind::Pointer(target),
        Code::Array => Kind::Array {
            element: TypeId(words.get(3)),
            index: TypeId(words.get(4)),
            count: words.get(5),
        },
        Code::Forward => Kind::Forward {
            is_union: info.flag(),
        },
        Code::Typedef => Kind::Typedef(target),
        Code::Volatile => Kind::Volatile(target),
        Code::Const => Kind::Const(target),
        Code::Restrict => Kind::Restrict(target),
        Code::TypeTag => Kind::TypeTag(target),
        Code::Function => Kind::Function {
            prototype: target,
            linkage: Linkage::of(info.count() as u32),
        },
        Code::Variable => Kind::Variable {
            target,
            linkage: Linkage::of(words.get(3)),
        },
        Code::Float => Kind::Float { size },
        Code::DeclTag => Kind::DeclTag {
            target,
            component: Some(words.get(3)).filter(|number| *number != u32::MAX),
        },
        _ => Kind::Void,
    }
}

fn int(size: u32, word: u32) -> Int {
    let [flags, offset, _, bits] = word.to_be_bytes();
    Int {
        size,
        bits,
        offset,
        is_signed: flags & 1 != 0,
        is_char: flags & 2 != 0,
        is_bool: flags & 4 != 0,
    }
}
