//! Builds nodes, and folds constants.

use super::Parser;
use crate::ast::{Binary, Node, NodeKind, Unary};
use crate::error::Mistake;
use crate::fold::{self, Constant};
use crate::lex::Integer;
use crate::tag::Tag;
use crate::types::{SIZE, TypeId};

impl Parser<'_, '_> {
    /// A node on the previous token's line, over a tree of depth `below`.
    pub(super) fn node(&self, kind: NodeKind, below: u32) -> Result<Node, Mistake> {
        let depth = below + 1;
        self.check_depth(depth)?;
        let line = self.line;
        Ok(Node { kind, line, depth })
    }

    /// A node without children.
    pub(super) fn leaf(&self, kind: NodeKind) -> Node {
        Node {
            kind,
            line: self.line,
            depth: 1,
        }
    }

    pub(super) fn constant(&self, constant: Constant) -> Node {
        self.leaf(NodeKind::Constant(constant))
    }

    pub(super) fn integer(&self, integer: Integer) -> Result<Node, Mistake> {
        let constant = fold::literal(self.types, integer).ok_or_else(|| {
            let message = format!(
                "integer constant 0x{:x} cannot be represented in any built-in integral type",
                integer.value
            );
            self.mistake(Tag::IntOflow, message)
        })?;
        Ok(self.constant(constant))
    }

    pub(super) fn unary(&self, operator: Unary, operand: Node) -> Result<Node, Mistake> {
        if let NodeKind::Constant(constant) = operand.kind {
            let types = &*self.types;
            let folded = match operator {
                Unary::Plus => Some(constant.converted(types, types.promoted(constant.type_))),
                Unary::Minus => Some(fold::negate(types, constant)),
                Unary::Complement => Some(fold::complement(types, constant)),
                Unary::Not => Some(Constant::int(i32::from(constant.value == 0))),
                _ => None,
            };
            if let Some(folded) = folded {
                return Ok(self.constant(folded));
            }
        }
        if let (Unary::Sizeof, NodeKind::Text(text)) = (operator, &operand.kind) {
            return Ok(self.size(text.len() as u64 + 1));
        }
        let depth = operand.depth;
        self.node(NodeKind::Unary(operator, Box::new(operand)), depth)
    }

    /// `sizeof (type)`
    pub(super) fn size_of(&mut self, type_: TypeId) -> Result<Node, Mistake> {
        self.types.find_definition(type_);
        match self.types.size_without_nul(type_) {
            0 => {
                let message = "cannot apply sizeof to an operand of unknown size";
                Err(self.mistake(Tag::SizeofType, message))
            }
            size => Ok(self.size(size.into())),
        }
    }

    pub(super) fn size(&self, value: u64) -> Node {
        self.constant(Constant { value, type_: SIZE })
    }

    pub(super) fn binary(
        &self,
        operator: Binary,
        left: Node,
        right: Node,
    ) -> Result<Node, Mistake> {
        if let Binary::Calculate(calculated) = operator {
            self.check_divisor(calculated, &right)?;
        }
        if let (NodeKind::Constant(one), NodeKind::Constant(other)) = (&left.kind, &right.kind) {
            let folded = match operator {
                Binary::Calculate(operator) => fold::calculate(self.types, operator, *one, *other),
                Binary::Compare(comparison) => {
                    let holds = fold::compare(self.types, comparison, *one, *other);
                    Some(Constant::int(holds.into()))
                }
                Binary::Logic(logic) => {
                    let holds = logic.of(one.value != 0, other.value != 0);
                    Some(Constant::int(holds.into()))
                }
            };
            if let Some(folded) = folded {
                return Ok(self.constant(folded));
            }
        }
        let depth = left.depth.max(right.depth);
        let kind = NodeKind::Binary(operator, Box::new(left), Box::new(right));
        self.node(kind, depth)
    }

    /// A constant division by zero is an error.
    fn check_divisor(&self, operator: fold::Operator, right: &Node) -> Result<(), Mistake> {
        let is_zero = matches!(right.kind, NodeKind::Constant(Constant { value: 0, .. }));
        if operator.is_division() && is_zero {
            let message = "expression contains division by zero";
            return Err(self.mistake(Tag::DivZero, message));
        }
        Ok(())
    }

    pub(super) fn conditional(
        &self,
        condition: Node,
        one: Node,
        other: Node,
    ) -> Result<Node, Mistake> {
        if let NodeKind::Constant(chosen) = condition.kind
            && let (NodeKind::Constant(left), NodeKind::Constant(right)) = (&one.kind, &other.kind)
        {
            let type_ = self.types.common(left.type_, right.type_);
            let chosen = if chosen.value != 0 { left } else { right };
            return Ok(self.constant(chosen.converted(self.types, type_)));
        }
        let depth = condition.depth.max(one.depth).max(other.depth);
        let kind = NodeKind::Conditional(Box::new([condition, one, other]));
        self.node(kind, depth)
    }

    /// Notes that a name is a variable, whose type is known when its clause is checked.
    pub(super) fn note_assigned(&mut self, place: &Node) {
        if let NodeKind::Name(name) = &place.kind {
            self.names.assigned.insert(name.clone());
        }
    }

    pub(super) fn assign(
        &mut self,
        operator: Option<fold::Operator>,
        place: Node,
        value: Node,
    ) -> Result<Node, Mistake> {
        if let Some(operator) = operator {
            self.check_divisor(operator, &value)?;
        }
        self.note_assigned(&place);
        let depth = place.depth.max(value.depth);
        let kind = NodeKind::Assign(operator, Box::new(place), Box::new(value));
        self.node(kind, depth)
    }

    pub(super) fn cast(&self, type_: TypeId, operand: Node) -> Result<Node, Mistake> {
        if let NodeKind::Constant(constant) = operand.kind
            && self.types.is_integer(type_)
        {
            return Ok(self.constant(constant.cast(self.types, type_)));
        }
        let depth = operand.depth;
        self.node(NodeKind::Cast(type_, Box::new(operand)), depth)
    }
}
