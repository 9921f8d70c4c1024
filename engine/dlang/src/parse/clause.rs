//! Clauses: descriptions, a predicate, actions.

use super::Parser;
use crate::ast::{Clause, Node};
use crate::error::Mistake;
use crate::lex::{Mode, Symbol, TokenKind};
use crate::tag::Tag;

impl Parser<'_, '_> {
    /// `description, ... [/predicate/] [{ actions }]`
    pub(super) fn clause(&mut self) -> Result<Clause, Mistake> {
        let line = self.token.line;
        let mut descriptions = vec![self.description()?];
        while self.accept(Symbol::Comma)? {
            descriptions.push(self.description()?);
        }
        let predicate = self.predicate()?;
        let statements = if self.is(Symbol::OpenBrace) {
            self.advance_into(Mode::Inside)?;
            self.statements()?
        } else {
            self.no_actions(line, predicate.as_ref())?;
            Vec::new()
        };
        Ok(Clause {
            line,
            descriptions,
            predicate,
            statements,
        })
    }

    fn predicate(&mut self) -> Result<Option<Node>, Mistake> {
        if !self.is(Symbol::Div) {
            return Ok(None);
        }
        self.advance_into(Mode::Predicate)?;
        let predicate = self.expression()?;
        if self.token.kind != TokenKind::EndPredicate {
            return Err(self.syntax());
        }
        self.advance_into(Mode::Outside)?;
        Ok(Some(predicate))
    }

    /// Whether a clause may have no actions.
    fn no_actions(&self, line: u32, predicate: Option<&Node>) -> Result<(), Mistake> {
        if let Some(predicate) = predicate {
            let message = "expected actions { } following probe description and predicate";
            return Err(Mistake::new(Tag::Syntax, predicate.line, message));
        }
        if self.is_file && !self.lexer.flags.plain_specifiers {
            let message = "expected predicate and/or actions following probe description";
            return Err(Mistake::new(Tag::Syntax, line, message));
        }
        Ok(())
    }

    fn statements(&mut self) -> Result<Vec<Node>, Mistake> {
        let mut statements = Vec::new();
        while !self.is(Symbol::CloseBrace) {
            if self.accept(Symbol::Semicolon)? {
                continue;
            }
            statements.push(self.expression()?);
            if !self.is(Symbol::CloseBrace) && !self.is(Symbol::Semicolon) {
                return Err(self.syntax());
            }
        }
        self.advance_into(Mode::Outside)?;
        Ok(statements)
    }
}
