//! Checks assignments, increments and decrements, and their targets.

use super::{Checker, expression, is_aggregation};
use crate::ast::{Node, NodeKind};
use crate::error::Mistake;
use crate::fold::{Constant, Operator};
use crate::names::VariableId;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{INT64, Type, TypeId};

impl Checker<'_> {
    /// The target of an assignment; may create a variable, which has no type yet.
    fn place(&mut self, node: &Node) -> Result<Expression, Mistake> {
        let line = node.line;
        match &node.kind {
            NodeKind::Name(name) => match self.built_in(name, line)? {
                Some(found) => Ok(found),
                None => {
                    let variable = self.global("scalar", name, line)?;
                    self.variable_place(variable, line)
                }
            },
            NodeKind::Scoped(scope, name) => {
                let variable = self.variable_or_new(*scope, name);
                self.variable_place(variable, line)
            }
            NodeKind::Index(base, keys) => self.index_place(base, keys, line),
            NodeKind::Inline(definition, _) => {
                let message = format!("inline {} cannot be assigned to", definition.name);
                Err(Mistake::new(Tag::OpLval, line, message))
            }
            _ => self.expression(node),
        }
    }

    /// The variable of a place, if its type is not known yet.
    fn untyped(&self, place: &Expression) -> Option<VariableId> {
        let variable = match place.kind {
            ExpressionKind::Variable(variable) | ExpressionKind::Element(variable, _) => variable,
            _ => return None,
        };
        let known = self.names.variables.get(variable)?;
        known.type_.is_none().then_some(variable)
    }

    /// Sets the type of the place's variable.
    fn give_type(&mut self, place: &mut Expression, type_: TypeId) {
        if let Some(variable) = self.untyped(place) {
            self.names.variables[variable].type_ = Some(type_);
            place.type_ = type_;
        }
    }

    /// `place = value`, `place operator= value`
    pub(super) fn assignment(
        &mut self,
        operator: Option<Operator>,
        place: &Node,
        value: &Node,
        line: u32,
    ) -> Result<Expression, Mistake> {
        if let Some(found) = self.aggregated(operator, place, value, line)? {
            return Ok(found);
        }
        let mut place = self.place(place)?;
        if let Some(operator) = operator {
            if let Some(variable) = self.untyped(&place) {
                return Err(self.undefined(variable, line));
            }
            let value = self.expression(value)?;
            return self.updated(operator, place, value, line);
        }
        let value = self.expression(value)?;
        self.give_type(&mut place, value.type_);
        self.check_assignable("=", &place, line)?;
        if !self.accepts(place.type_, &value) {
            return Err(self.incompatible(place.type_, "=", value.type_, line));
        }
        self.check_place("=", &place, line)?;
        let type_ = place.type_;
        let value = self.exactly(value, type_);
        let kind = ExpressionKind::Assign(Box::new(place), Box::new(value));
        Ok(expression(kind, type_, line))
    }

    /// Arrays cannot be assigned to.
    fn check_assignable(&self, word: &str, place: &Expression, line: u32) -> Result<(), Mistake> {
        if !matches!(
            self.types.kind(place.type_),
            Type::Array(..) | Type::Function
        ) {
            return Ok(());
        }
        let name = self.types.name(place.type_);
        let message = format!("operator {word} may not be applied to operand of type \"{name}\"");
        Err(Mistake::new(Tag::OpArrfun, line, message))
    }

    /// Checks that it can be assigned to.
    fn check_place(&self, word: &str, place: &Expression, line: u32) -> Result<(), Mistake> {
        let (tag, message) = match &place.kind {
            ExpressionKind::Variable(_) | ExpressionKind::Element(..) => return Ok(()),
            ExpressionKind::Load(address) if !self.is_copy(address) => return Ok(()),
            ExpressionKind::Subscript(outer, _) | ExpressionKind::Member { base: outer, .. }
                if !self.is_copy(outer) || is_in_element(outer) =>
            {
                return Ok(());
            }
            ExpressionKind::Builtin(..) => {
                let message = format!("operator {word} can only be applied to a writable variable");
                (Tag::OpWrite, message)
            }
            _ => {
                let message = format!("operator {word} requires modifiable lvalue as an operand");
                (Tag::OpLval, message)
            }
        };
        Err(Mistake::new(tag, line, message))
    }

    /// Whether it is the address of a temporary copy: of a string in a variable, built-in or not, or
    /// of what is in an element of an associative array. A write to it would be lost.
    pub(super) fn is_copy(&self, address: &Expression) -> bool {
        let is_address =
            self.types.is_text(address.type_) || self.types.is_aggregate(address.type_);
        match &address.kind {
            ExpressionKind::Variable(_) | ExpressionKind::Builtin(..) => {
                self.types.is_text(address.type_)
            }
            ExpressionKind::Element(..) => is_address,
            ExpressionKind::Load(inner)
            | ExpressionKind::Subscript(inner, _)
            | ExpressionKind::Member { base: inner, .. } => is_address && self.is_copy(inner),
            ExpressionKind::Offset { pointer: inner, .. }
            | ExpressionKind::Convert(inner)
            | ExpressionKind::Narrow(inner)
            | ExpressionKind::Comma(_, inner) => self.is_copy(inner),
            ExpressionKind::Conditional(parts) => {
                let [_, one, other] = &**parts;
                self.is_copy(one) || self.is_copy(other)
            }
            _ => false,
        }
    }

    /// `place operator= value`
    fn updated(
        &mut self,
        operator: Operator,
        place: Expression,
        value: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let word = format!("{}=", operator.word());
        let types = (place.type_, value.type_);
        let is_number = self.types.is_integer(types.0) && self.types.is_integer(types.1);
        if !is_number {
            self.check_moved(operator, &word, &place, &value, line)?;
        }
        self.check_place(&word, &place, line)?;
        let old = expression(ExpressionKind::Old, place.type_, line);
        let new = self.calculated(operator, old, value, line)?;
        Ok(self.update(place, new, false, line))
    }

    /// Checks that the place is a pointer and the value an integer.
    fn check_moved(
        &mut self,
        operator: Operator,
        word: &str,
        place: &Expression,
        value: &Expression,
        line: u32,
    ) -> Result<(), Mistake> {
        if !matches!(operator, Operator::Add | Operator::Sub) {
            return self.need_integers(word, operator, place, value, line);
        }
        let is_sized = self.scale(place.type_).is_some();
        let types = &self.types;
        let is_text = types.is_text(place.type_) || types.is_text(value.type_);
        let moves = types.is_pointer(place.type_) && is_sized;
        if !is_text && !moves {
            let message =
                format!("operator {word} requires left-hand scalar operand of known size");
            return Err(Mistake::new(Tag::OpVfptr, line, message));
        }
        if is_text || !types.is_integer(value.type_) {
            return Err(self.incompatible(place.type_, word, value.type_, line));
        }
        Ok(())
    }

    fn update(&self, place: Expression, new: Expression, gives_old: bool, line: u32) -> Expression {
        let type_ = place.type_;
        let kind = ExpressionKind::Update {
            value: Box::new(self.exactly(new, type_)),
            place: Box::new(place),
            gives_old,
        };
        expression(kind, type_, line)
    }

    /// `++place`, `place++`, `--place`, `place--`
    pub(super) fn step(
        &mut self,
        place: &Node,
        is_prefix: bool,
        is_up: bool,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let word = if is_up { "++" } else { "--" };
        let mut place = self.place(place)?;
        self.give_type(&mut place, INT64);
        if !self.types.is_scalar(place.type_) {
            let message = format!("operator {word} requires operand of scalar type");
            return Err(Mistake::new(Tag::OpScalar, line, message));
        }
        let is_sized = self.types.is_integer(place.type_) || self.scale(place.type_).is_some();
        if !is_sized {
            let message = format!("operator {word} requires an operand of known size");
            return Err(Mistake::new(Tag::OpVfptr, line, message));
        }
        self.check_place(word, &place, line)?;
        let operator = if is_up { Operator::Add } else { Operator::Sub };
        let old = expression(ExpressionKind::Old, place.type_, line);
        let one = self.constant(Constant::int(1), line);
        let new = self.calculated(operator, old, one, line)?;
        Ok(self.update(place, new, !is_prefix, line))
    }

    /// `*operand`
    pub(super) fn dereference(
        &mut self,
        operand: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let Some(to) = self.element(operand.type_) else {
            let message = "cannot dereference non-pointer type";
            return Err(Mistake::new(Tag::DerefNonptr, line, message));
        };
        self.check_target(to, line)?;
        if self.types.is_array(operand.type_) {
            let first = self.constant(Constant::int(0), line);
            let kind = ExpressionKind::Subscript(Box::new(operand), Box::new(first));
            return Ok(expression(kind, to, line));
        }
        Ok(expression(
            ExpressionKind::Load(Box::new(operand)),
            to,
            line,
        ))
    }

    /// Checks that a pointer may be dereferenced.
    pub(super) fn check_target(&mut self, to: TypeId, line: u32) -> Result<(), Mistake> {
        self.types.find_definition(to);
        let (tag, message) = match self.types.kind(to) {
            Type::Void => (Tag::DerefVoid, "cannot dereference pointer to void"),
            Type::Function => (Tag::DerefFunc, "cannot dereference pointer to function"),
            _ if self.types.is_incomplete(to) => {
                let message = "cannot dereference pointer to a type without a definition";
                (Tag::OpIncomplete, message)
            }
            _ => return Ok(()),
        };
        Err(Mistake::new(tag, line, message))
    }

    /// `&operand`
    pub(super) fn address(
        &mut self,
        operand: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let is_aggregate = self.types.is_aggregate(operand.type_);
        let has_none = match &operand.kind {
            ExpressionKind::Variable(_) => !is_aggregate,
            ExpressionKind::Builtin(..) => true,
            _ => is_in_element(&operand),
        };
        if has_none || is_aggregation(&operand) {
            let message = "cannot take address of dynamic variable";
            return Err(Mistake::new(Tag::AddrofVar, line, message));
        }
        let type_ = self.types.pointer_to(operand.type_);
        match operand.kind {
            ExpressionKind::Load(address) => Ok(Expression { type_, ..*address }),
            ExpressionKind::Member { bits: Some(_), .. } => {
                let message = "cannot take address of a bit-field";
                Err(Mistake::new(Tag::AddrofBitfield, line, message))
            }
            ExpressionKind::Subscript(..)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Variable(_) => {
                let kind = ExpressionKind::AddressOf(Box::new(operand));
                Ok(expression(kind, type_, line))
            }
            _ => {
                let message = "unacceptable operand for unary & operator";
                Err(Mistake::new(Tag::AddrofLval, line, message))
            }
        }
    }
}

/// Whether it is an element of an associative array, or a part of one. It has no
/// address: it may be freed at any time.
fn is_in_element(place: &Expression) -> bool {
    let mut place = place;
    while let ExpressionKind::Subscript(base, _) | ExpressionKind::Member { base, .. } = &place.kind
    {
        place = base;
    }
    matches!(place.kind, ExpressionKind::Element(..))
}
