//! Parses a format.

use super::Wanted;
use super::rows::{ROWS, Row};
use crate::format::{Conversion, Extent, Flags, Specifier};

/// A part of a format.
pub(super) enum Part {
    Text(String),
    Conversion(Wanted),
}

/// The parts of a format.
pub(super) fn parts(text: &str, pointer: u32) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    let mut number = 0;
    while let Some((before, behind)) = rest.split_once('%') {
        plain.push_str(before);
        number += 1;
        let (conversion, row, behind) = match behind.strip_prefix('%') {
            Some(behind) => {
                plain.push('%');
                rest = behind;
                continue;
            }
            None => Reading::new(behind, number, pointer).conversion()?,
        };
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut plain)));
        }
        parts.push(Part::Conversion(Wanted {
            conversion,
            row,
            number,
        }));
        rest = behind;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

/// The state of parsing a conversion.
struct Reading<'t> {
    rest: &'t str,
    number: usize,
    /// The width of `?`.
    address: u32,
    conversion: Conversion,
    name: String,
    has_point: bool,
    has_digits: bool,
}

impl<'t> Reading<'t> {
    fn new(rest: &'t str, number: usize, pointer: u32) -> Self {
        Self {
            rest,
            number,
            address: 2 * pointer,
            conversion: Conversion {
                flags: Flags::default(),
                width: None,
                precision: None,
                specifier: Specifier::Decimal,
            },
            name: String::new(),
            has_point: false,
            has_digits: false,
        }
    }

    /// Parses a conversion. Returns it and the rest of the text.
    fn conversion(mut self) -> Result<(Conversion, &'static Row, &'t str), String> {
        loop {
            let mut signs = self.rest.chars();
            let Some(sign) = signs.next() else {
                return Err(self.wrong("name expected before end of format string"));
            };
            if let '0'..='9' = sign {
                self.digits();
                continue;
            }
            self.rest = signs.as_str();
            if !self.flag(sign)? {
                self.name.push(sign);
                break;
            }
        }
        let Some(row) = ROWS.iter().find(|row| row.0 == self.name) else {
            let why = format!("is undefined: %{}", self.name);
            return Err(self.wrong(&why));
        };
        self.conversion.specifier = row.1;
        Ok((self.conversion, row, self.rest))
    }

    fn wrong(&self, why: &str) -> String {
        format!("format conversion #{} {why}", self.number)
    }

    /// Digits: the flag `0`, a width or a precision.
    fn digits(&mut self) {
        let rest = self
            .rest
            .trim_start_matches(|sign: char| sign.is_ascii_digit());
        let digits = &self.rest[..self.rest.len() - rest.len()];
        if let Some(more) = digits.strip_prefix('0')
            && !self.has_point
            && !self.has_digits
        {
            self.conversion.flags.zero = true;
            self.conversion.flags.left = false;
            self.rest = &self.rest[self.rest.len() - rest.len() - more.len()..];
            return;
        }
        self.has_digits = true;
        self.rest = rest;
        // As in DTrace, 0 means none.
        let number = digits.parse().unwrap_or(u32::MAX).min(i32::MAX as u32);
        let extent = (number > 0).then_some(Extent::Fixed(number));
        if self.has_point {
            self.conversion.precision = extent;
        } else {
            self.conversion.width = extent;
        }
    }

    /// Whether the character is a flag, rather than part of the conversion's name.
    fn flag(&mut self, sign: char) -> Result<bool, String> {
        let flags = &mut self.conversion.flags;
        match sign {
            '#' => flags.alternate = true,
            '+' => flags.plus = true,
            '-' => {
                flags.left = true;
                flags.zero = false;
            }
            '@' => flags.aggregation = true,
            '\'' => flags.group = true,
            ' ' => flags.space = true,
            '?' => self.conversion.width = Some(Extent::Fixed(self.address)),
            '*' => self.star()?,
            '.' => {
                if std::mem::replace(&mut self.has_point, true) {
                    return Err(self.wrong("has more than one '.' specified"));
                }
                self.has_digits = false;
            }
            'h' | 'l' | 'L' | 'w' => {
                if self.name.len() < 6 {
                    self.name.push(sign);
                }
            }
            '$' => return Err(self.wrong("uses unsupported positional format (%n$)")),
            '%' => return Err(self.wrong("cannot be combined with other format flags: %%")),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn star(&mut self) -> Result<(), String> {
        let extent = if self.has_point {
            &mut self.conversion.precision
        } else {
            &mut self.conversion.width
        };
        if extent.replace(Extent::Argument) == Some(Extent::Argument) {
            // DTrace reports this for the width, too.
            return Err(self.wrong("has more than one '*' specified for the output precision"));
        }
        Ok(())
    }
}
