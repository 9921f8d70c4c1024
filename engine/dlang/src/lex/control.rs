//! Control lines: `#pragma D option`, `#line`, `#error`, and those that are ignored.

use super::{Lexer, TokenKind, constant, is_space};
use crate::depends::Dependency;
use crate::error::Mistake;
use crate::program::{Need, Setting};
use crate::tag::Tag;

/// Control lines for C's preprocessor.
const PREPROCESSOR: &[&str] = &[
    "define", "elif", "else", "endif", "if", "ifdef", "ifndef", "include", "undef",
];

/// A word of a control line.
pub(super) enum Word {
    Integer(u64),
    Text(String),
    Plain(String),
}

impl Word {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Plain(text) => Some(text),
            Self::Integer(_) => None,
        }
    }
}

/// How much of a control line has been read: nothing, `#pragma`, or `#pragma D`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    Pragma,
    D,
}

impl Lexer<'_> {
    /// Processes the control line that begins here.
    pub(super) fn control_line(&mut self) -> Result<(), Mistake> {
        self.at += 1;
        if self.peek(0) == Some(b'!') {
            self.take_line();
            return Ok(());
        }
        let mut words = Vec::new();
        loop {
            match self.peek(0) {
                None => {
                    let message = "end-of-file encountered before end of control line";
                    return Err(self.mistake(Tag::Syntax, message));
                }
                Some(b'\n') => break,
                Some(byte) if is_space(byte) => self.at += 1,
                Some(_) => words.push(self.control_word()?),
            }
        }
        self.obey(&words)
    }

    pub(super) fn take_line(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn control_word(&mut self) -> Result<Word, Mistake> {
        if self.peek(0) == Some(b'"') {
            let TokenKind::Text(text) = self.string()? else {
                return Err(self.stray(b'"'));
            };
            return Ok(Word::Text(String::from_utf8_lossy(&text).into_owned()));
        }
        let begin = self.at;
        while self
            .peek(0)
            .is_some_and(|byte| byte != b'"' && byte != b'\n' && !is_space(byte))
        {
            self.at += 1;
        }
        let word = self.text.source.get(begin..self.at).unwrap_or_default();
        let is_number = word.starts_with(|sign: char| sign.is_ascii_digit());
        Ok(match constant::parse(word) {
            Ok(value) if is_number => Word::Integer(value),
            _ => Word::Plain(word.to_owned()),
        })
    }

    fn obey(&mut self, words: &[Word]) -> Result<(), Mistake> {
        let mut prefix = Prefix::None;
        for (position, word) in words.iter().enumerate() {
            let rest = words.get(position + 1..).unwrap_or_default();
            match (word, prefix) {
                (Word::Integer(_), _) => return self.renumber(words.get(position..)),
                (Word::Text(_), _) => {
                    return Err(self.mistake(Tag::PragctlInval, "invalid control directive"));
                }
                (Word::Plain(word), Prefix::None) if word == "pragma" => prefix = Prefix::Pragma,
                (Word::Plain(word), Prefix::Pragma) if word == "D" => prefix = Prefix::D,
                (Word::Plain(word), _) => return self.directive(prefix, word, rest),
            }
        }
        Ok(())
    }

    fn directive(&mut self, prefix: Prefix, word: &str, rest: &[Word]) -> Result<(), Mistake> {
        match (word, prefix) {
            ("error", _) => Err(self.error_line(rest)),
            ("ident", _) => Ok(()),
            ("line", _) => self.renumber(Some(rest)),
            ("option", Prefix::D) => self.option(rest),
            ("attributes", Prefix::D) => self.attributes(rest),
            ("binding", Prefix::D) => self.binding(rest),
            ("depends_on", Prefix::D) => self.depends_on(rest),
            (_, Prefix::None) => {
                let message = format!("invalid control directive: #{word}");
                let is_preprocessors = PREPROCESSOR.contains(&word);
                let hint = if is_preprocessors {
                    ", but -C runs the C preprocessor"
                } else {
                    ""
                };
                Err(self.mistake(Tag::PragctlInval, message + hint))
            }
            // As in C, unknown pragmas are ignored.
            (_, Prefix::Pragma) => Ok(()),
            (_, Prefix::D) => {
                let message = format!("invalid D pragma: {word}");
                Err(self.mistake(Tag::PragmaInval, message))
            }
        }
    }

    fn error_line(&self, rest: &[Word]) -> Mistake {
        let words: Vec<&str> = rest.iter().filter_map(Word::text).collect();
        let message = format!("#error: {} ", words.join(" "));
        self.mistake(Tag::Pragerr, message)
    }

    /// `#line N ["file" [state]]`
    fn renumber(&mut self, words: Option<&[Word]>) -> Result<(), Mistake> {
        let (line, file) = match words.unwrap_or_default() {
            [Word::Integer(line)] => (line, None),
            [Word::Integer(line), Word::Text(file)] => (line, Some(file)),
            [Word::Integer(line), Word::Text(file), Word::Integer(_), ..] => (line, Some(file)),
            _ => {
                let message = "malformed #line <line> [ [\"file\"] state ]";
                return Err(self.mistake(Tag::PragmaMalform, message));
            }
        };
        let line = u32::try_from(*line).unwrap_or(u32::MAX);
        let next = self.line.saturating_add(1);
        self.lines.mark(next, line, file.map(String::as_str));
        Ok(())
    }

    /// `#pragma D depends_on kind name`
    fn depends_on(&mut self, rest: &[Word]) -> Result<(), Mistake> {
        let [Word::Plain(kind), name] = rest else {
            let message = "malformed #pragma D depends_on <type> <name>";
            return Err(self.mistake(Tag::PragmaMalform, message));
        };
        let kind = kind.parse().map_err(|()| {
            let message = format!("invalid dependency type: {kind}");
            self.mistake(Tag::PragmaInval, message)
        })?;
        let place = self.lines.place(self.line);
        self.needs.push(Need {
            dependency: Dependency {
                kind,
                name: name.text().unwrap_or_default().to_owned(),
            },
            text: self.number,
            line: place.line,
            file: place.file,
        });
        Ok(())
    }

    /// `#pragma D option name[=value]`
    fn option(&mut self, rest: &[Word]) -> Result<(), Mistake> {
        let [Word::Plain(option)] = rest else {
            let message = match rest {
                [Word::Plain(_), ..] => "superfluous arguments specified for #pragma option",
                _ => "malformed #pragma option <option>=<val>",
            };
            return Err(self.mistake(Tag::PragmaMalform, message));
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option.as_str(), None),
        };
        match name {
            "argref" => self.flags.unreferenced_arguments = true,
            "defaultargs" => self.flags.default_arguments = true,
            "empty" => self.flags.empty_programs = true,
            "errtags" => self.flags.error_tags = true,
            "pspec" => self.flags.plain_specifiers = true,
            _ => {}
        }
        let place = self.lines.place(self.line);
        self.options.push(Setting {
            name: name.to_owned(),
            value: value.map(str::to_owned),
            text: self.number,
            line: place.line,
            file: place.file,
        });
        Ok(())
    }
}
