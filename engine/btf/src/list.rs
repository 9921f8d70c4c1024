//! What types are made of: members, values, parameters, entries of sections.

use std::fmt;
use std::marker::PhantomData;

use crate::btf::{Btf, Words};
use crate::format::{Code, Info, LONGEST_CHAIN, row_of};
use crate::id::TypeId;

/// The elements of a type, read when they are asked for.
pub struct List<'b, T> {
    btf: &'b Btf<'b>,
    words: Words<'b>,
    next: usize,
    end: usize,
    element: PhantomData<T>,
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<'b, T: Element<'b> + fmt::Debug> fmt::Debug for List<'b, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'b, T: Element<'b>> List<'b, T> {
    pub(crate) fn new(btf: &'b Btf<'_>, words: Words<'b>) -> Self {
        Self {
            btf,
            words,
            next: 0,
            end: Info(words.get(1)).count(),
            element: PhantomData,
        }
    }

    /// The element at a number.
    pub fn get(&self, number: usize) -> Option<T> {
        let at = self.next.checked_add(number)?;
        (at < self.end).then(|| T::read(self.btf, self.words, at))
    }
}

impl<'b, T: Element<'b>> Iterator for List<'b, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let found = self.get(0)?;
        self.next += 1;
        Some(found)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = self.end - self.next;
        (length, Some(length))
    }
}

impl<'b, T: Element<'b>> DoubleEndedIterator for List<'b, T> {
    fn next_back(&mut self) -> Option<T> {
        let found = self.get(self.len().checked_sub(1)?)?;
        self.end -= 1;
        Some(found)
    }
}

impl<'b, T: Element<'b>> ExactSizeIterator for List<'b, T> {}

/// What a [`List`] can be of.
pub trait Element<'b>: sealed::Sealed {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "only this crate reads or implements it")]
    fn read(btf: &'b Btf<'b>, words: Words<'b>, number: usize) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Member<'_> {}
    impl Sealed for super::Enumerator<'_> {}
    impl Sealed for super::Parameter<'_> {}
    impl Sealed for super::SectionEntry {}
}

/// A member of a struct or a union.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Member<'b> {
    /// Its name; empty if it is an anonymous struct or union, or padding.
    pub name: &'b str,
    /// Its type.
    pub target: TypeId,
    /// The bits before it. In big-endian BTF they are counted from the most significant one.
    pub bit_offset: u32,
    /// The number of its bits if it is a bit-field, otherwise 0.
    pub bit_size: u8,
}

/// A constant of an enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Enumerator<'b> {
    /// Its name.
    pub name: &'b str,
    /// Its value. Of an unsigned enumeration, the bits of a `u64`.
    pub value: i64,
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parameter<'b> {
    /// Its name, which a prototype need not have.
    pub name: &'b str,
    /// Its type.
    pub target: TypeId,
}

impl Parameter<'_> {
    /// What stands for the `...` of a variadic function.
    pub(crate) fn is_ellipsis(&self) -> bool {
        self.name.is_empty() && self.target == TypeId::VOID
    }
}

/// A variable of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SectionEntry {
    /// The variable.
    pub variable: TypeId,
    /// Its offset.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

#[expect(private_interfaces, reason = "only this crate reads or implements it")]
impl<'b> Element<'b> for Member<'b> {
    fn read(btf: &'b Btf<'b>, words: Words<'b>, number: usize) -> Self {
        let at = 3 + 3 * number;
        let (target, place) = (TypeId(words.get(at + 1)), words.get(at + 2));
        let (bit_offset, bit_size) = if Info(words.get(1)).flag() {
            (place & 0xff_ffff, (place >> 24) as u8)
        } else {
            btf.bits_of_int(target, place)
        };
        Self {
            name: btf.string(words.get(at)),
            target,
            bit_offset,
            bit_size,
        }
    }
}

#[expect(private_interfaces, reason = "only this crate reads or implements it")]
impl<'b> Element<'b> for Enumerator<'b> {
    fn read(btf: &'b Btf<'b>, words: Words<'b>, number: usize) -> Self {
        let info = Info(words.get(1));
        let is_wide = info.kind() == Code::Enum64 as u32;
        let at = 3 + if is_wide { 3 * number } else { 2 * number };
        let low = words.get(at + 1);
        let value = if is_wide {
            (i64::from(words.get(at + 2)) << 32) | i64::from(low)
        } else if info.flag() {
            i64::from(low.cast_signed())
        } else {
            i64::from(low)
        };
        let name = btf.string(words.get(at));
        Self { name, value }
    }
}

#[expect(private_interfaces, reason = "only this crate reads or implements it")]
impl<'b> Element<'b> for Parameter<'b> {
    fn read(btf: &'b Btf<'b>, words: Words<'b>, number: usize) -> Self {
        let at = 3 + 2 * number;
        Self {
            name: btf.string(words.get(at)),
            target: TypeId(words.get(at + 1)),
        }
    }
}

#[expect(private_interfaces, reason = "only this crate reads or implements it")]
impl<'b> Element<'b> for SectionEntry {
    fn read(_: &'b Btf<'b>, words: Words<'b>, number: usize) -> Self {
        let at = 3 + 3 * number;
        Self {
            variable: TypeId(words.get(at)),
            offset: words.get(at + 1),
            size: words.get(at + 2),
        }
    }
}

impl Btf<'_> {
    /// Older BTF has the bits of a bit-field in its type, an integer that is made for it.
    fn bits_of_int(&self, mut id: TypeId, offset: u32) -> (u32, u8) {
        let plain = (offset, 0);
        for _ in 0..LONGEST_CHAIN {
            let Some((_, words)) = self.owner(id) else {
                return plain;
            };
            match row_of(Info(words.get(1)).kind()).map(|row| row.code) {
                Some(code) if code.is_transparent() => id = TypeId(words.get(2)),
                Some(Code::Int) => {
                    let (size, word) = (words.get(2), words.get(3));
                    let (first, bits) = ((word >> 16) & 0xff, word & 0xff);
                    let is_whole = first == 0 && u64::from(bits) == u64::from(size) * 8;
                    return if is_whole {
                        plain
                    } else {
                        (offset.saturating_add(first), bits as u8)
                    };
                }
                _ => return plain,
            }
        }
        plain
    }
}
