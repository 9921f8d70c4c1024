//! Formats of `printf` and `printa`: parses them into conversions, and checks the arguments.

mod read;
mod rows;

use std::collections::HashMap;
use std::rc::Rc;

use crate::error::Mistake;
use crate::format::{Conversion, Extent, Format, Piece};
use crate::tag::Tag;
use crate::types::{INT64, STACK, Type, TypeId, Types, UINT64, USTACK};
use read::{Part, parts};
use rows::{Row, Wants};

/// What a format is used for.
pub(crate) struct Use<'u> {
    /// `printf` or `printa`.
    pub function: &'static str,
    pub types: &'u Types,
    /// The types of the arguments, or of the components of the aggregation's key.
    pub arguments: &'u [TypeId],
    /// For `printa`: whether the aggregation is a `count`.
    pub aggregation: Option<bool>,
    /// Whether there is a target process.
    pub has_target: bool,
    pub line: u32,
}

/// The formats parsed so far. Several expressions may share one text: it is parsed once and found
/// by its address, and kept alive so that the address stays unique.
#[derive(Default)]
pub(crate) struct Formats(HashMap<*const u8, (Rc<[u8]>, Rc<Known>)>);

/// A parsed format.
struct Known {
    conversions: Vec<Wanted>,
    format: Rc<Format>,
}

/// A conversion, and the argument that it requires.
struct Wanted {
    conversion: Conversion,
    row: &'static Row,
    /// Its ordinal among the conversions, from 1.
    number: usize,
}

impl Formats {
    fn known(&mut self, text: &Rc<[u8]>, pointer: u32) -> Result<Rc<Known>, String> {
        let address = text.as_ptr();
        if let Some((_, known)) = self.0.get(&address) {
            return Ok(known.clone());
        }
        let known = Rc::new(Known::new(text, pointer)?);
        self.0.insert(address, (text.clone(), known.clone()));
        Ok(known)
    }
}

impl Known {
    fn new(text: &[u8], pointer: u32) -> Result<Self, String> {
        let mut conversions = Vec::new();
        let parts = parts(&String::from_utf8_lossy(text), pointer)?;
        let pieces = parts.into_iter().map(|part| match part {
            Part::Text(text) => Piece::Text(text),
            Part::Conversion(wanted) => {
                let conversion = wanted.conversion;
                conversions.push(wanted);
                Piece::Conversion(conversion)
            }
        });
        let format = Rc::new(Format(pieces.collect()));
        Ok(Self {
            conversions,
            format,
        })
    }
}

impl Use<'_> {
    /// The format in `text`.
    pub(crate) fn format(
        &self,
        text: &Rc<[u8]>,
        formats: &mut Formats,
    ) -> Result<Rc<Format>, Mistake> {
        // An empty path restores the output.
        if text.is_empty() && self.function != "freopen" {
            let message = format!("{}( ) format string is empty", self.function);
            return Err(self.mistake(Tag::PrintfFmtEmpty, message));
        }
        let known = formats.known(text, self.types.pointer);
        let known = known.map_err(|message| self.mistake(Tag::Syntax, message))?;
        self.check(&known.conversions)?;
        Ok(known.format.clone())
    }

    fn mistake(&self, tag: Tag, message: String) -> Mistake {
        Mistake::new(tag, self.line, message)
    }

    fn check(&self, conversions: &[Wanted]) -> Result<(), Mistake> {
        let mut taken = 0;
        for wanted in conversions {
            let (conversion, number) = (&wanted.conversion, wanted.number);
            self.check_extents(conversion, wanted.row.0, number, &mut taken)?;
            self.check_value(conversion, wanted.row, number, &mut taken)?;
        }
        if self.aggregation.is_none() && taken < self.arguments.len() {
            let function = self.function;
            let message = format!(
                "{function}( ) prototype mismatch: only {taken} arguments required by this format \
                 string"
            );
            return Err(self.mistake(Tag::PrintfArgExtra, message));
        }
        Ok(())
    }

    /// The arguments for `*`: the width first.
    fn check_extents(
        &self,
        conversion: &Conversion,
        name: &str,
        number: usize,
        taken: &mut usize,
    ) -> Result<(), Mistake> {
        let function = self.function;
        for (extent, sign) in [(conversion.width, "*"), (conversion.precision, ".*")] {
            if extent != Some(Extent::Argument) {
                continue;
            }
            let Some(argument) = self.arguments.get(*taken) else {
                let message = format!(
                    "{function}( ) prototype mismatch: conversion #{number} (%{name}) is missing a \
                     corresponding \"{sign}\" argument"
                );
                return Err(self.mistake(Tag::PrintfDynProto, message));
            };
            if !self.types.is_integer(*argument) {
                let message = format!(
                    "{function}( ) argument #{} is incompatible with conversion #{number} \
                     prototype:\n\tconversion: % {sign} {name}\n\t prototype: int\n\t  argument: {}",
                    *taken + 2,
                    self.types.name(*argument)
                );
                return Err(self.mistake(Tag::PrintfDynType, message));
            }
            *taken += 1;
        }
        Ok(())
    }

    fn check_value(
        &self,
        conversion: &Conversion,
        row: &Row,
        number: usize,
        taken: &mut usize,
    ) -> Result<(), Mistake> {
        let (name, _, wants, prototype) = row;
        let function = self.function;
        let (what, type_) = if conversion.flags.aggregation {
            ("aggregating action".to_owned(), self.aggregated()?)
        } else {
            let Some(argument) = self.arguments.get(*taken) else {
                let message = format!(
                    "{function}( ) prototype mismatch: conversion #{number} (%{name}) is missing a \
                     corresponding value argument"
                );
                return Err(self.mistake(Tag::PrintfArgProto, message));
            };
            *taken += 1;
            (format!("argument #{}", *taken + 1), *argument)
        };
        if self.fits(*wants, type_) {
            return Ok(());
        }
        let message = format!(
            "{function}( ) {what} is incompatible with conversion #{number} prototype:\n\
             \tconversion: %{name}\n\t prototype: {prototype}\n\t  argument: {}",
            self.types.name(type_)
        );
        Err(self.mistake(Tag::PrintfArgType, message))
    }

    /// The type of an aggregation's value.
    fn aggregated(&self) -> Result<TypeId, Mistake> {
        match self.aggregation {
            Some(is_count) => Ok(if is_count { UINT64 } else { INT64 }),
            None => {
                let message = format!(
                    "%@ conversion requires an aggregation and is not for use with {}( )",
                    self.function
                );
                Err(self.mistake(Tag::PrintfAggConv, message))
            }
        }
    }

    fn fits(&self, wants: Wants, type_: TypeId) -> bool {
        let types = self.types;
        let integer = types.integer(type_);
        let is_address = integer.is_some() || types.is_pointer(type_) || types.is_array(type_);
        match wants {
            Wants::Address => is_address || matches!(types.kind(type_), Type::KernelAddress(_)),
            Wants::UserAddress => {
                is_address && self.has_target || matches!(types.kind(type_), Type::UserAddress(_))
            }
            Wants::Character => integer.is_some_and(|it| it.size <= 4),
            Wants::Integer => integer.is_some(),
            Wants::Fraction => types.is_float(type_),
            Wants::Exactly(wanted) => types.base(type_) == wanted,
            Wants::Rank(5) => {
                integer.is_some_and(|it| it.rank == 5)
                    || types.goes_by(type_, "int64_t")
                    || types.goes_by(type_, "uint64_t")
            }
            Wants::Rank(rank) => integer.is_some_and(|it| it.rank == rank),
            Wants::Text => {
                let is_array =
                    matches!(types.kind(type_), Type::Array(of, _) if types.is_character(*of));
                types.is_text(type_) || is_array
            }
            Wants::Time => integer.is_some_and(|it| it.size == 8),
            Wants::Stack => [STACK, USTACK].contains(&types.base(type_)),
        }
    }
}
