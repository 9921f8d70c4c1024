//! The lexer.
//!
//! Tokens depend on the context: between clauses nearly everything is a probe description
//! (`fbt::sys_*:entry`); inside of them, tokens are C's. So the parser sets the mode and requests
//! one token at a time. Control lines (`#pragma`) are processed on the way.

mod constant;
mod control;
mod macros;
mod pragma;
mod token;

use std::collections::HashMap;
pub(crate) use token::{Integer, Keyword, Symbol, Token, TokenKind};

use crate::error::Mistake;
use crate::lines::Lines;
use crate::program::{Need, Setting};
use crate::stability::Attributes;
use crate::tag::Tag;
use crate::{Settings, Text};

/// The context of the next token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Between clauses.
    Outside,
    /// In a declaration or in a clause's actions.
    Inside,
    /// In a predicate, which a `/` terminates.
    Predicate,
}

/// Options for the compiler itself, from settings and pragmas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flags {
    pub error_tags: bool,
    pub default_arguments: bool,
    pub unreferenced_arguments: bool,
    pub empty_programs: bool,
    pub plain_specifiers: bool,
}

impl Flags {
    fn of(text: &Text, settings: &Settings) -> Self {
        Self {
            error_tags: settings.error_tags,
            default_arguments: settings.default_arguments,
            unreferenced_arguments: settings.unreferenced_arguments,
            empty_programs: settings.empty_programs || text.is_library(),
            plain_specifiers: settings.plain_specifiers,
        }
    }
}

/// The lexer of one text.
pub(crate) struct Lexer<'a> {
    text: &'a Text,
    settings: &'a Settings,
    number: usize,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    mode: Mode,
    /// The numbers of open `(`, `[` and `{`.
    open: [u32; 3],
    /// Which macro arguments are referenced.
    referenced: Vec<bool>,
    /// The tokens of macro arguments, by number and whether as a string, cached on first use.
    arguments: HashMap<(usize, bool), TokenKind>,
    /// What the lines are called.
    pub(crate) lines: Lines,
    /// Options for the compiler itself.
    pub(crate) flags: Flags,
    /// The options set by `#pragma D option`.
    pub(crate) options: Vec<Setting>,
    /// What the text needs by `#pragma D depends_on`.
    pub(crate) needs: Vec<Need>,
    /// What other pragmas are for.
    pub(crate) entities: Vec<Entity>,
}

/// What a pragma is for, which the program must define.
pub(crate) struct Entity {
    /// The pragma's name.
    pub pragma: &'static str,
    /// The entity's.
    pub name: String,
    /// The part of a provider that is meant, if the entity is one.
    pub part: Option<&'static str>,
    /// What the pragma sets.
    pub attributes: Option<Attributes>,
    pub line: u32,
}

impl<'a> Lexer<'a> {
    /// A lexer for `text`, the one with this number.
    pub(crate) fn new(text: &'a Text, number: usize, settings: &'a Settings) -> Self {
        Self {
            text,
            settings,
            number,
            bytes: text.source.as_bytes(),
            at: 0,
            line: 1,
            mode: Mode::Outside,
            open: [0; 3],
            referenced: vec![false; text.arguments.len()],
            arguments: HashMap::new(),
            lines: Lines::new(text.file()),
            flags: Flags::of(text, settings),
            options: Vec::new(),
            needs: Vec::new(),
            entities: Vec::new(),
        }
    }

    /// Sets the context of the following tokens.
    pub(crate) fn enter(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// Goes back to this byte, on the same line.
    pub(crate) fn go_back(&mut self, at: usize) {
        self.at = at;
    }

    /// The first byte after a token that is not white space.
    pub(crate) fn follows(&self, token: &Token) -> Option<u8> {
        let rest = self.bytes.get(token.span.end..)?;
        rest.iter().find(|it| !it.is_ascii_whitespace()).copied()
    }

    /// The byte that is next.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The current line.
    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    /// The source of a token.
    pub(crate) fn source(&self, token: &Token) -> &'a str {
        self.text.source.get(token.span.clone()).unwrap_or_default()
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Result<Token, Mistake> {
        self.skip()?;
        let begin = self.at;
        let kind = match (self.peek(0), self.mode) {
            (None, _) => TokenKind::End,
            (Some(byte), Mode::Outside) => self.outside(byte)?,
            (Some(byte), _) => self.inside(byte)?,
        };
        Ok(Token {
            kind,
            line: self.line,
            span: begin..self.at,
        })
    }

    /// A token between clauses.
    fn outside(&mut self, byte: u8) -> Result<TokenKind, Mistake> {
        if byte.is_ascii_digit() {
            return self.integer();
        }
        let word = self.take_while(is_description);
        if word.is_empty() {
            return match byte {
                b'/' => {
                    self.at += 1;
                    Ok(TokenKind::Symbol(Symbol::Div))
                }
                b',' | b'{' => self.symbol(byte),
                _ => Err(self.stray(byte)),
            };
        }
        let keyword = Keyword::of(word).filter(|keyword| keyword.declares());
        Ok(keyword.map_or_else(
            || TokenKind::Description(word.to_owned()),
            TokenKind::Keyword,
        ))
    }

    /// A token in a clause or a declaration.
    fn inside(&mut self, byte: u8) -> Result<TokenKind, Mistake> {
        match byte {
            b'0'..=b'9' => self.integer(),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => {
                Err(self.mistake(Tag::Syntax, constant::FRACTION))
            }
            b'"' => self.string(),
            b'\'' => self.character(),
            b'$' => self.macro_reference(),
            b'@' => Ok(self.aggregation()),
            b'/' if self.ends_predicate() => self.end_predicate(),
            _ if is_name_start(byte) => Ok(self.word()),
            _ => self.symbol(byte),
        }
    }

    fn aggregation(&mut self) -> TokenKind {
        self.at += 1;
        let named = self
            .peek(0)
            .is_some_and(|byte| byte != b'`' && is_name_start(byte));
        let name = if named {
            self.take_while(|byte| byte != b'`' && is_name(byte))
        } else {
            ""
        };
        TokenKind::Aggregation(name.to_owned())
    }

    fn word(&mut self) -> TokenKind {
        let word = self.take_while(is_name);
        match Keyword::of(word) {
            // Reserved only in provider definitions; names everywhere else.
            None | Some(Keyword::Counter | Keyword::Probe) => TokenKind::Word(word.into()),
            Some(keyword) => TokenKind::Keyword(keyword),
        }
    }

    /// Whether the `/` here terminates a predicate: then the end of the clause or its actions
    /// follow, or a comment or a control line before them.
    fn ends_predicate(&self) -> bool {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let next = rest.iter().find(|byte| !is_blank(**byte));
        self.mode == Mode::Predicate && matches!(next, None | Some(b';' | b'{' | b'/' | b'#'))
    }

    fn end_predicate(&mut self) -> Result<TokenKind, Mistake> {
        for (open, sign) in self.open.into_iter().zip([")", "]"]) {
            if open > 0 {
                let message = format!("closing {sign} expected in predicate before /");
                return Err(self.mistake(Tag::Syntax, message));
            }
        }
        self.at += 1;
        Ok(TokenKind::EndPredicate)
    }

    fn symbol(&mut self, byte: u8) -> Result<TokenKind, Mistake> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let symbol = Symbol::at(rest).ok_or_else(|| self.stray(byte))?;
        self.at += symbol.word().len();
        match symbol {
            Symbol::Open => self.open[0] += 1,
            Symbol::OpenBracket => self.open[1] += 1,
            Symbol::OpenBrace => self.open[2] += 1,
            Symbol::Close => self.close(0, ")")?,
            Symbol::CloseBracket => self.close(1, "]")?,
            Symbol::CloseBrace => self.close(2, "}")?,
            _ => {}
        }
        Ok(TokenKind::Symbol(symbol))
    }

    fn close(&mut self, which: usize, sign: &str) -> Result<(), Mistake> {
        let message = format!("extra {sign} in input stream");
        let open = self.open[which].checked_sub(1);
        self.open[which] = open.ok_or_else(|| self.mistake(Tag::Syntax, message))?;
        Ok(())
    }

    /// Skips white space, comments and control lines.
    fn skip(&mut self) -> Result<(), Mistake> {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'/' if self.peek(1) == Some(b'*') => self.comment()?,
                b'/' if self.is_line_comment() => self.take_line(),
                b'#' if self.is_line_start() => self.control_line()?,
                b'\\' if self.mode != Mode::Outside && self.peek(1) == Some(b'\n') => self.at += 1,
                _ if is_blank(byte) => self.step(),
                _ => break,
            }
        }
        Ok(())
    }

    /// Whether a `//` here begins a comment. After a predicate the first `/` ends it, and another
    /// comment may follow.
    fn is_line_comment(&self) -> bool {
        let ends_predicate =
            self.mode == Mode::Predicate && matches!(self.peek(2), Some(b'/' | b'*'));
        self.peek(1) == Some(b'/') && !ends_predicate
    }

    fn comment(&mut self) -> Result<(), Mistake> {
        self.at += 2;
        loop {
            match (self.peek(0), self.peek(1)) {
                (None, _) => {
                    let message = "end-of-file encountered before matching */";
                    return Err(self.mistake(Tag::Syntax, message));
                }
                (Some(b'/'), Some(b'*')) => {
                    let message = "/* encountered inside a comment";
                    return Err(self.mistake(Tag::Syntax, message));
                }
                (Some(b'*'), Some(b'/')) => {
                    self.at += 2;
                    return Ok(());
                }
                _ => self.step(),
            }
        }
    }

    /// Whether only white space precedes this on its line.
    fn is_line_start(&self) -> bool {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        let last = before.iter().rev().find(|byte| !is_space(**byte));
        matches!(last, None | Some(b'\n'))
    }

    /// The byte `ahead` of the current one.
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// Advances by one byte.
    fn step(&mut self) {
        if self.peek(0) == Some(b'\n') {
            self.line = self.line.saturating_add(1);
        }
        self.at += 1;
    }

    /// Consumes bytes of a kind, which must be ASCII and not include the newline.
    fn take_while(&mut self, kind: impl Fn(u8) -> bool) -> &'a str {
        let begin = self.at;
        while self.peek(0).is_some_and(&kind) {
            self.at += 1;
        }
        self.text.source.get(begin..self.at).unwrap_or_default()
    }

    fn mistake(&self, tag: Tag, message: impl Into<String>) -> Mistake {
        Mistake::new(tag, self.line, message)
    }

    /// An error about an unexpected character.
    fn stray(&self, byte: u8) -> Mistake {
        let rest = self.text.source.get(self.at..).unwrap_or_default();
        let sign = rest.chars().next().unwrap_or(char::from(byte));
        self.mistake(Tag::Syntax, format!("syntax error near \"{sign}\""))
    }
}

/// White space.
fn is_blank(byte: u8) -> bool {
    byte == b'\n' || is_space(byte)
}

/// White space within a line.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'`')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_digit() || is_name_start(byte)
}

/// The characters of probe descriptions.
fn is_description(byte: u8) -> bool {
    is_name(byte) || b"-+$:.?*\\[]!".contains(&byte)
}
