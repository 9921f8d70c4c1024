//! From words to clauses and declarations.
//!
//! A declaration counts from where it stands, for types as well as for variables, so it is carried out
//! here, and constants are calculated here, since arrays' sizes are such. How deep anything is nested is
//! bounded, so that whoever walks the tree needs no bound of their own.

mod build;
mod clause;
mod declaration;
mod declarator;
mod description;
mod expression;
mod primary;
mod specifiers;

use crate::ast::Clause;
use crate::error::Mistake;
use crate::lex::{Keyword, Lexer, Mode, Symbol, Token, TokenKind};
use crate::names::Names;
use crate::tag::Tag;
use crate::types::Types;

/// How deep an expression or a declaration may be nested.
const DEPTH_MAX: u32 = 200;

/// What one text is parsed with.
pub(crate) struct Parser<'a, 'n> {
    pub lexer: Lexer<'a>,
    types: &'n mut Types,
    names: &'n mut Names,
    /// The number of the text.
    number: usize,
    /// Whether the text is a file.
    is_file: bool,
    token: Token,
    /// The line of the word before.
    line: u32,
    depth: u32,
}

impl<'a, 'n> Parser<'a, 'n> {
    /// A parser of this text, the one of this number.
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

    /// The clauses of the text.
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
        if clauses.is_empty() {
            let message = "empty D program translation unit";
            return Err(Mistake::new(Tag::Empty, self.token.line, message));
        }
        Ok(clauses)
    }

    /// How long the type's name is that a declaration begins with, where it looks like a probe
    /// description.
    fn declared_type(&self, text: &str) -> Option<usize> {
        if !self.is_file || text.contains(':') {
            return None;
        }
        let length = text.find('*').filter(|at| *at > 0).unwrap_or(text.len());
        self.types.named(&text[..length]).map(|_| length)
    }

    /// A declaration that begins with the name of a type.
    fn type_first(&mut self, length: usize) -> Result<(), Mistake> {
        self.lexer.go_back(self.token.span.start);
        self.lexer.enter(Mode::Inside);
        self.advance()?;
        debug_assert_eq!(self.token.span.len(), length, "it is a name inside, too");
        self.declaration_inside()
    }

    /// Goes to the next word.
    fn advance(&mut self) -> Result<(), Mistake> {
        let next = self.lexer.next()?;
        self.line = std::mem::replace(&mut self.token, next).line;
        Ok(())
    }

    /// Goes to the next word, which stands there.
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

    /// Passes over `symbol` if it is next.
    fn accept(&mut self, symbol: Symbol) -> Result<bool, Mistake> {
        let found = self.is(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Passes over `symbol`, which must be next.
    fn expect(&mut self, symbol: Symbol) -> Result<(), Mistake> {
        if self.accept(symbol)? {
            Ok(())
        } else {
            Err(self.syntax())
        }
    }

    /// What is said of a word that does not belong there.
    fn syntax(&self) -> Mistake {
        let near = self.lexer.source(&self.token);
        let near = near.split('\n').next().unwrap_or_default();
        let message = match (&self.token.kind, near) {
            (TokenKind::End, _) | (_, "") => "syntax error near end of input".to_owned(),
            _ => format!("syntax error near \"{near}\""),
        };
        Mistake::new(Tag::Syntax, self.token.line, message)
    }

    /// A mistake at the word that is next.
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
            format!("nested more than {DEPTH_MAX} levels deep; use a variable in between");
        Err(self.mistake(Tag::Syntax, message))
    }
}
