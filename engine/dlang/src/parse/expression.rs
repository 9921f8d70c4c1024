//! Expressions: C's grammar, plus `^^`.

use engine_dvm::mutant;

use super::Parser;
use crate::ast::{Binary, Node, NodeKind, Unary};
use crate::error::Mistake;
use crate::fold::{Comparison, Logic, Operator};
use crate::lex::{Keyword, Symbol, TokenKind};

impl Parser<'_, '_> {
    /// `assignment, ...`
    pub(super) fn expression(&mut self) -> Result<Node, Mistake> {
        let mut node = self.assignment()?;
        while self.accept(Symbol::Comma)? {
            let next = self.assignment()?;
            let depth = node.depth.max(next.depth);
            node = self.node(NodeKind::Comma(Box::new(node), Box::new(next)), depth)?;
        }
        Ok(node)
    }

    pub(super) fn assignment(&mut self) -> Result<Node, Mistake> {
        self.nested(|parser| {
            let left = parser.conditional_expression()?;
            let Some(operator) = parser.assignment_operator() else {
                return Ok(left);
            };
            parser.advance()?;
            let value = parser.assignment()?;
            parser.assign(operator, left, value)
        })
    }

    /// The operator of the assignment here, if it is one.
    fn assignment_operator(&self) -> Option<Option<Operator>> {
        let TokenKind::Symbol(symbol) = self.token.kind else {
            return None;
        };
        Some(match symbol {
            Symbol::Assign => None,
            Symbol::AddEqual => Some(Operator::Add),
            Symbol::SubEqual => Some(Operator::Sub),
            Symbol::MulEqual => Some(Operator::Mul),
            Symbol::DivEqual => Some(Operator::Div),
            Symbol::ModEqual => Some(Operator::Mod),
            Symbol::AndEqual => Some(Operator::And),
            Symbol::OrEqual => Some(Operator::Or),
            Symbol::XorEqual => Some(Operator::Xor),
            Symbol::LeftEqual => Some(Operator::Left),
            Symbol::RightEqual => Some(Operator::Right),
            _ => return None,
        })
    }

    /// The grammar of a constant: anything but an assignment.
    pub(super) fn conditional_expression(&mut self) -> Result<Node, Mistake> {
        let condition = self.binary_expression(0)?;
        if !self.accept(Symbol::Question)? {
            return Ok(condition);
        }
        self.nested(|parser| {
            let one = parser.expression()?;
            parser.expect(Symbol::Colon)?;
            let other = parser.conditional_expression()?;
            parser.conditional(condition, one, other)
        })
    }

    /// Binary operators with at least this precedence.
    fn binary_expression(&mut self, closeness: u8) -> Result<Node, Mistake> {
        let mut left = self.cast_expression()?;
        while let Some((operator, binds)) = self.binary_operator() {
            if binds < closeness {
                break;
            }
            self.advance()?;
            let next = if mutant::is_active("right-first") {
                binds
            } else {
                binds + 1
            };
            let right = self.binary_expression(next)?;
            left = self.binary(operator, left, right)?;
        }
        Ok(left)
    }

    /// The next operator, and its precedence.
    fn binary_operator(&self) -> Option<(Binary, u8)> {
        let TokenKind::Symbol(symbol) = self.token.kind else {
            return None;
        };
        Some(match symbol {
            Symbol::Either => (Binary::Logic(Logic::Or), 0),
            Symbol::OneOf => (Binary::Logic(Logic::Xor), 1),
            Symbol::Both => (Binary::Logic(Logic::And), 2),
            Symbol::Or => (Binary::Calculate(Operator::Or), 3),
            Symbol::Xor => (Binary::Calculate(Operator::Xor), 4),
            Symbol::And if mutant::is_active("and-binds-closer") => {
                (Binary::Calculate(Operator::And), 7)
            }
            Symbol::And => (Binary::Calculate(Operator::And), 5),
            Symbol::Equal => (Binary::Compare(Comparison::Equal), 6),
            Symbol::Unequal => (Binary::Compare(Comparison::Unequal), 6),
            Symbol::Less => (Binary::Compare(Comparison::Less), 7),
            Symbol::AtMost => (Binary::Compare(Comparison::AtMost), 7),
            Symbol::Greater => (Binary::Compare(Comparison::Greater), 7),
            Symbol::AtLeast => (Binary::Compare(Comparison::AtLeast), 7),
            Symbol::Left => (Binary::Calculate(Operator::Left), 8),
            Symbol::Right => (Binary::Calculate(Operator::Right), 8),
            Symbol::Add => (Binary::Calculate(Operator::Add), 9),
            Symbol::Sub => (Binary::Calculate(Operator::Sub), 9),
            Symbol::Mul => (Binary::Calculate(Operator::Mul), 10),
            Symbol::Div => (Binary::Calculate(Operator::Div), 10),
            Symbol::Mod => (Binary::Calculate(Operator::Mod), 10),
            _ => return None,
        })
    }

    fn cast_expression(&mut self) -> Result<Node, Mistake> {
        if !self.is(Symbol::Open) {
            return self.unary_expression();
        }
        self.nested(|parser| {
            parser.advance()?;
            if !parser.is_type() {
                return parser.parenthesised();
            }
            let type_ = parser.type_name()?;
            parser.expect(Symbol::Close)?;
            let operand = parser.cast_expression()?;
            parser.cast(type_, operand)
        })
    }

    /// The rest of a parenthesized expression, and its postfix operators.
    pub(super) fn parenthesised(&mut self) -> Result<Node, Mistake> {
        let inner = self.expression()?;
        self.expect(Symbol::Close)?;
        self.postfix(inner)
    }

    fn unary_expression(&mut self) -> Result<Node, Mistake> {
        self.nested(|parser| match parser.token.kind {
            TokenKind::Symbol(Symbol::Increment) => parser.prefix_step(true),
            TokenKind::Symbol(Symbol::Decrement) => parser.prefix_step(false),
            TokenKind::Keyword(Keyword::Sizeof) => parser.sizeof(),
            TokenKind::Keyword(Keyword::Stringof) => {
                parser.advance()?;
                let operand = parser.unary_expression()?;
                parser.unary(Unary::Stringof, operand)
            }
            TokenKind::Symbol(symbol) => match unary_operator(symbol) {
                Some(operator) => {
                    parser.advance()?;
                    let operand = parser.cast_expression()?;
                    parser.unary(operator, operand)
                }
                None => parser.postfix_expression(),
            },
            _ => parser.postfix_expression(),
        })
    }

    fn prefix_step(&mut self, is_up: bool) -> Result<Node, Mistake> {
        self.advance()?;
        let place = self.unary_expression()?;
        self.note_assigned(&place);
        let depth = place.depth;
        let kind = NodeKind::Step {
            place: Box::new(place),
            is_prefix: true,
            is_up,
        };
        self.node(kind, depth)
    }

    fn sizeof(&mut self) -> Result<Node, Mistake> {
        self.advance()?;
        if !self.accept(Symbol::Open)? {
            let operand = self.unary_expression()?;
            return self.unary(Unary::Sizeof, operand);
        }
        if !self.is_type() {
            let operand = self.parenthesised()?;
            return self.unary(Unary::Sizeof, operand);
        }
        let type_ = self.type_name()?;
        self.expect(Symbol::Close)?;
        self.size_of(type_)
    }
}

fn unary_operator(symbol: Symbol) -> Option<Unary> {
    Some(match symbol {
        Symbol::And => Unary::Address,
        Symbol::Mul => Unary::Dereference,
        Symbol::Add => Unary::Plus,
        Symbol::Sub => Unary::Minus,
        Symbol::Complement => Unary::Complement,
        Symbol::Not => Unary::Not,
        _ => return None,
    })
}
