//! Code for values: evaluates an expression into a register.

use std::rc::Rc;

use engine_dvm::{Op, Subroutine};

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::names::VariableId;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{Integer, Type, TypeId};

impl Emitter<'_> {
    /// Evaluates an expression. The caller releases the register.
    pub(super) fn value(&mut self, expression: &Expression) -> Result<Register, Mistake> {
        let type_ = expression.type_;
        match &expression.kind {
            ExpressionKind::Constant(value) => self.code.constant(*value),
            ExpressionKind::Text(text) => self.text(text),
            ExpressionKind::Builtin(builtin, index) => self.builtin(*builtin, *index),
            ExpressionKind::Variable(variable) => self.variable(*variable),
            ExpressionKind::Element(variable, keys) => self.element_of(*variable, keys),
            ExpressionKind::Load(address) => {
                let address = self.value(address)?;
                self.load(address, type_, expression.line)
            }
            ExpressionKind::Subscript(..) => {
                let address = self.address_of(expression)?;
                self.load(address, type_, expression.line)
            }
            ExpressionKind::AddressOf(place) => self.address_of(place),
            ExpressionKind::Convert(operand) => self.convert(operand, type_),
            ExpressionKind::Negate(operand) => self.negate(operand, type_),
            ExpressionKind::Complement(operand) => self.complement(operand, type_),
            ExpressionKind::Calculate(operator, left, right) => {
                self.calculate(*operator, left, right, type_)
            }
            ExpressionKind::Offset {
                pointer,
                index,
                scale,
                is_back,
            } => self.offset(pointer, index, *scale, *is_back),
            ExpressionKind::Distance(left, right, scale) => {
                self.distance(left, right, *scale, type_)
            }
            ExpressionKind::Not(_)
            | ExpressionKind::Compare(..)
            | ExpressionKind::CompareText(..)
            | ExpressionKind::Logic(..) => self.truth(expression),
            ExpressionKind::Conditional(parts) => self.conditional(parts),
            ExpressionKind::Assign(place, value) => self.assign(place, value),
            ExpressionKind::Update {
                place,
                value,
                gives_old,
            } => self.update(place, value, *gives_old),
            ExpressionKind::Old => self.old_value(),
            ExpressionKind::Call(subroutine, arguments) => self.call(*subroutine, arguments),
            ExpressionKind::Comma(left, right) => self.comma(left, right),
            ExpressionKind::Aggregation(_) | ExpressionKind::Action(..) => {
                Err(no_value(expression))
            }
        }
    }

    fn text(&mut self, text: &Rc<[u8]>) -> Result<Register, Mistake> {
        let place = self.tables.shared_text(text);
        self.code.make(Op::Sets, place)
    }

    fn element_of(
        &mut self,
        variable: VariableId,
        keys: &[Expression],
    ) -> Result<Register, Mistake> {
        let keys = self.values(keys)?;
        let element = self.element(variable, &keys)?;
        self.give_all(&keys);
        Ok(element)
    }

    fn address_of(&mut self, place: &Expression) -> Result<Register, Mistake> {
        let address = self.address(place)?;
        self.give_root(&address);
        Ok(address.register)
    }

    fn comma(&mut self, left: &Expression, right: &Expression) -> Result<Register, Mistake> {
        let left = self.value(left)?;
        self.code.give(left);
        self.value(right)
    }

    /// Evaluates several expressions.
    pub(super) fn values(&mut self, expressions: &[Expression]) -> Result<Vec<Register>, Mistake> {
        expressions.iter().map(|it| self.value(it)).collect()
    }

    pub(super) fn give_all(&mut self, registers: &[Register]) {
        registers.iter().for_each(|it| self.code.give(*it));
    }

    /// Loads a number from an address; anything else is represented by the address.
    pub(super) fn load(
        &mut self,
        address: Register,
        type_: TypeId,
        line: u32,
    ) -> Result<Register, Mistake> {
        let op = match (self.types.kind(type_), self.types.size(type_)) {
            (Type::Integer(integer), _) => load(*integer),
            (Type::Pointer(_) | Type::Float(..), 4) => Op::Lduw,
            (Type::Pointer(_) | Type::Float(..), 8) => Op::Ldx,
            (Type::Float(..), _) => {
                let message = "values of type long double cannot be read";
                return Err(Mistake::new(Tag::Unknown, line, message));
            }
            _ => return Ok(address),
        };
        self.code.transform(op, address)
    }

    fn call(
        &mut self,
        subroutine: Subroutine,
        arguments: &[Expression],
    ) -> Result<Register, Mistake> {
        let arguments = self.values(arguments)?;
        if makes_text(subroutine) {
            self.code.takes(self.types.string);
        }
        for argument in &arguments {
            self.code.act(Op::Push, *argument, 0);
        }
        self.give_all(&arguments);
        self.code.make(Op::Call, subroutine.code())
    }
}

/// Whether a subroutine allocates a string.
fn makes_text(subroutine: Subroutine) -> bool {
    matches!(
        subroutine,
        Subroutine::Copyinstr
            | Subroutine::Strjoin
            | Subroutine::Substr
            | Subroutine::Strtok
            | Subroutine::Lltostr
            | Subroutine::Basename
            | Subroutine::Dirname
    )
}

fn load(integer: Integer) -> Op {
    match (integer.size, integer.is_signed) {
        (1, true) => Op::Ldsb,
        (1, false) => Op::Ldub,
        (2, true) => Op::Ldsh,
        (2, false) => Op::Lduh,
        (4, true) => Op::Ldsw,
        (4, false) => Op::Lduw,
        _ => Op::Ldx,
    }
}

/// An error about an aggregation or an action where a value is needed.
fn no_value(expression: &Expression) -> Mistake {
    let ExpressionKind::Action(function, _) = &expression.kind else {
        let message = "expression cannot evaluate to result of dynamic type";
        return Mistake::new(Tag::CgDyn, expression.line, message);
    };
    let message = format!(
        "{} {}( ) may not be called from a D expression (D program context required)",
        function.kind(),
        function.name()
    );
    Mistake::new(Tag::CgExpr, expression.line, message)
}
