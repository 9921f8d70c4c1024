//! Macro arguments and macro variables (`$`).

use super::{Integer, Lexer, TokenKind, constant, is_name, is_name_start};
use crate::error::Mistake;
use crate::tag::Tag;

impl<'a> Lexer<'a> {
    /// The token that a macro reference stands for: `$1` any token, `$$1` a string.
    pub(super) fn macro_reference(&mut self) -> Result<TokenKind, Mistake> {
        let begin = self.at;
        let is_text = self.peek(1) == Some(b'$');
        self.at += if is_text { 2 } else { 1 };
        match self.peek(0) {
            Some(byte) if byte.is_ascii_digit() => self.argument(begin, is_text),
            Some(byte) if is_name_start(byte) => self.variable(begin, is_text),
            _ => {
                self.at = begin;
                Err(self.stray(b'$'))
            }
        }
    }

    /// `$1`, `$$1`
    fn argument(&mut self, begin: usize, is_text: bool) -> Result<TokenKind, Mistake> {
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        let number = digits.parse().unwrap_or(usize::MAX);
        if let Some(known) = self.arguments.get(&(number, is_text)) {
            return Ok(known.clone());
        }
        let given = self.argument_text(number);
        if given.is_none() && !self.flags.default_arguments {
            let message = format!("macro argument {} is not defined", self.since(begin));
            return Err(self.mistake(Tag::MacroUndef, message));
        }
        let kind = if is_text {
            let text = constant::unescape(given.unwrap_or_default().as_bytes());
            TokenKind::Text(text.into())
        } else {
            self.substitute(begin, given.unwrap_or("0"))?
        };
        self.arguments.insert((number, is_text), kind.clone());
        Ok(kind)
    }

    /// The macro argument with this number; marks it as referenced.
    pub(crate) fn argument_text(&mut self, number: usize) -> Option<&'a str> {
        if let Some(referenced) = self.referenced.get_mut(number) {
            *referenced = true;
        }
        self.text.arguments.get(number).map(String::as_str)
    }

    /// The token in an argument's text: a number, a name, or else a string.
    fn substitute(&self, begin: usize, text: &str) -> Result<TokenKind, Mistake> {
        if is_word(text) {
            return Ok(TokenKind::Word(text.into()));
        }
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        match constant::parse(digits) {
            Ok(value) if digits.starts_with(|sign: char| sign.is_ascii_digit()) => {
                let mut integer = Integer::plain(value);
                integer.is_decimal = !digits.starts_with('0');
                integer.is_negative = text.starts_with('-');
                Ok(TokenKind::Integer(integer))
            }
            Err(constant::Number::TooGreat) => {
                let reference = self.since(begin);
                let message = format!(
                    "macro argument {reference} constant {digits} results in integer overflow"
                );
                Err(self.mistake(Tag::MacroOflow, message))
            }
            _ => {
                let text = constant::unescape(unquoted(text).as_bytes());
                Ok(TokenKind::Text(text.into()))
            }
        }
    }

    /// `$target`, `$$target`
    fn variable(&mut self, begin: usize, is_text: bool) -> Result<TokenKind, Mistake> {
        let name = self.take_while(is_name);
        let Some(value) = self.macro_value(name) else {
            let message = format!("macro variable {} is not defined", self.since(begin));
            return Err(self.mistake(Tag::MacroUndef, message));
        };
        if is_text {
            return Ok(TokenKind::Text(value.to_string().into_bytes().into()));
        }
        let mut integer = Integer::plain(value.unsigned_abs());
        integer.is_negative = value < 0;
        Ok(TokenKind::Integer(integer))
    }

    /// The value of a macro variable.
    pub(crate) fn macro_value(&self, name: &str) -> Option<i64> {
        self.settings.macros.get(name).copied()
    }

    /// The last macro argument and its number, if it is unreferenced.
    pub(crate) fn unreferenced(&self) -> Option<(usize, &str)> {
        let last = self.referenced.len().checked_sub(1)?;
        let given = self.text.arguments.get(last)?;
        (last > 0 && !self.referenced[last]).then_some((last, given))
    }

    /// The source from `begin` to here.
    fn since(&self, begin: usize) -> &str {
        self.text.source.get(begin..self.at).unwrap_or_default()
    }
}

fn is_word(text: &str) -> bool {
    let is_start = |byte: &u8| *byte != b'`' && is_name_start(*byte);
    text.as_bytes().first().is_some_and(is_start)
        && text.bytes().all(|byte| byte != b'`' && is_name(byte))
}

/// `text` without the quotes around it.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inner.unwrap_or(text)
}
