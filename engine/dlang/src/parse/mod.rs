//! The parser: from tokens to clauses and declarations.
//!
//! A declaration takes effect where it is, for types as well as for variables, since later tokens
//! are parsed accordingly; so it is evaluated here. Constants are folded here, since they may be
//! array sizes. Nesting is bounded by `DEPTH_MAX`, so later passes may recurse without a check of
//! their own.

mod build;
mod clause;
mod declaration;
mod declarator;
mod description;
mod expression;
mod inline;
mod primary;
mod provider;
mod specifiers;
mod structure;
mod translator;

use crate::ast::{Clause, DEPTH_MAX};
use crate::error::Mistake;
use crate::lex::{Keyword, Lexer, Mode, Symbol, Token, TokenKind};
use crate::names::Names;
use crate::tag::Tag;
use crate::types::Types;

/// The state of parsing one text.
pub(crate) struct Parser<'a, 'n> {
    pub lexer: Lexer<'a>,
    types: &'n mut Types,
    names: &'n mut Names,
    /// The text's number.
    number: usize,
    /// Whether the text is a file.
    is_file: bool,
    token: Token,
    /// The previous token's line.
    line: u32,
    depth: u32,
}

impl<'a, 'n> Parser<'a, 'n> {
    /// A parser of this text, the one with this number.
    pub(crate) fn new(
        lexer: Lexer<'a>,
        number: usize,
        is_file: bool,
        types: &'n mut Types,
        names: &'n mut Names,
    ) -> Self {
        Self {
            lexer,
            types,
            names,
            number,
            is_file,
            token: Token {
                kind: TokenKind::End,
                line: 1,
                span: 0..0,
            },
            line: 1,
            depth: 0,
        }
    }

    /// Parses the text and returns its clauses.
    pub(crate) fn program(&mut self) -> Result<Vec<Clause>, Mistake> {
        self.advance()?;
        let mut clauses = Vec::new();
        loop {
            match &self.token.kind {
                TokenKind::End => break,
                TokenKind::Keyword(_) => self.declaration()?,
                TokenKind::Description(text) => {
                    let text = text.clone();
                    match self.declared_type(&text) {
                        Some(length) => self.type_first(length)?,
                        None => clauses.push(self.clause()?),
                    }
                }
                TokenKind::Integer(_) => clauses.push(self.clause()?),
                _ => return Err(self.syntax()),
            }
        }
        if clauses.is_empty() && !self.lexer.flags.empty_programs {
            let message = "empty D program translation unit";
            return Err(Mistake::new(Tag::Empty, self.token.line, message));
        }
        Ok(clauses)
    }

    /// The length of the type name that a declaration begins with, if the lexer took it for a probe
    /// description.
    fn declared_type(&mut self, text: &str) -> Option<usize> {
        if !self.is_file || text.contains(':') {
            return None;
        }
        let length = text.find('*').filter(|at| *at > 0).unwrap_or(text.len());
        let name = &text[..length];
        let follows = self.lexer.follows(&self.token);
        let may_be_foreign =
            length < text.len() || follows.is_some_and(|it| it == b'*' || it.is_ascii_alphabetic());
        let is_type =
            self.types.named(name).is_some() || may_be_foreign && self.foreign(name).is_some();
        is_type.then_some(length)
    }

    /// A declaration that begins with a type name.
    fn type_first(&mut self, length: usize) -> Result<(), Mistake> {
        self.lexer.go_back(self.token.span.start);
        self.lexer.enter(Mode::Inside);
        self.advance()?;
        debug_assert_eq!(self.token.span.len(), length, "it is a name inside, too");
        self.declaration_inside()
    }

    /// The line and the byte of the source where parsing has stopped.
    pub(crate) fn place(&self) -> (u32, usize) {
        (self.token.line, self.token.span.start)
    }

    /// Advances to the next token.
    fn advance(&mut self) -> Result<(), Mistake> {
        let next = self.lexer.next().inspect_err(|mistake| {
            // The token before it is not to blame.
            let at = self.lexer.at();
            (self.token.line, self.token.span) = (mistake.line, at..at);
        })?;
        self.line = std::mem::replace(&mut self.token, next).line;
        Ok(())
    }

    /// Advances to the next token, in another mode.
    fn advance_into(&mut self, mode: Mode) -> Result<(), Mistake> {
        self.lexer.enter(mode);
        self.advance()
    }

    fn is(&self, symbol: Symbol) -> bool {
        self.token.kind == TokenKind::Symbol(symbol)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.token.kind == TokenKind::Keyword(keyword)
    }

    /// Consumes `symbol` if it is next.
    fn accept(&mut self, symbol: Symbol) -> Result<bool, Mistake> {
        let found = self.is(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes `symbol`, which must be next.
    fn expect(&mut self, symbol: Symbol) -> Result<(), Mistake> {
        if self.accept(symbol)? {
            Ok(())
        } else {
            Err(self.syntax())
        }
    }

    /// The error about an unexpected token.
    fn syntax(&self) -> Mistake {
        let near = self.lexer.source(&self.token);
        let near = near.split('\n').next().unwrap_or_default();
        let message = match (&self.token.kind, near) {
            (TokenKind::End, _) | (_, "") => "syntax error near end of input".to_owned(),
            _ => format!("syntax error near \"{near}\""),
        };
        Mistake::new(Tag::Syntax, self.token.line, message)
    }

    /// An error at the next token.
    fn mistake(&self, tag: Tag, message: impl Into<String>) -> Mistake {
        Mistake::new(tag, self.token.line, message)
    }

    /// Does `work` one level deeper.
    fn nested<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        self.check_depth(self.depth + 1)?;
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    fn check_depth(&self, depth: u32) -> Result<(), Mistake> {
        if depth <= DEPTH_MAX {
            return Ok(());
        }
        let message =
            format!("nested more than {DEPTH_MAX} levels deep; use an intermediate variable");
        Err(self.mistake(Tag::Syntax, message))
    }
}
