//! Values: the code that leaves an expression's in a register.

use engine_abi::Scope;
use engine_dvm::{Builtin, Op, Subroutine};

use super::Emitter;
use super::code::Label;
use super::registers::Register;
use crate::error::Mistake;
use crate::fold::{Comparison, Operator};
use crate::names::VariableId;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{Integer, Type, TypeId};

impl Emitter<'_> {
    /// A register with the expression's value; whoever asks gives it back.
    pub(super) fn value(&mut self, expression: &Expression) -> Result<Register, Mistake> {
        let type_ = expression.type_;
        match &expression.kind {
            ExpressionKind::Constant(value) => self.code.constant(*value),
            ExpressionKind::Text(text) => {
                let place = self.tables.text(text);
                self.code.make(Op::Sets, place)
            }
            ExpressionKind::Builtin(builtin, index) => self.builtin(*builtin, *index),
            ExpressionKind::Variable(variable) => self.variable(*variable),
            ExpressionKind::Element(variable, keys) => {
                let keys = self.values(keys)?;
                let element = self.element(*variable, &keys)?;
                self.give_all(&keys);
                Ok(element)
            }
            ExpressionKind::Load(address) => {
                let address = self.value(address)?;
                self.load(address, type_, expression.line)
            }
            ExpressionKind::Subscript(..) => {
                let address = self.address(expression)?;
                self.give_root(&address);
                self.load(address.register, type_, expression.line)
            }
            ExpressionKind::AddressOf(place) => {
                let address = self.address(place)?;
                self.give_root(&address);
                Ok(address.register)
            }
            ExpressionKind::Convert(operand) => self.convert(operand, type_),
            ExpressionKind::Negate(operand) => {
                let operand = self.value(operand)?;
                let negative = self.code.combine(Op::Sub, Register::ZERO, operand)?;
                self.narrow(negative, type_)
            }
            ExpressionKind::Complement(operand) => {
                let operand = self.value(operand)?;
                let complement = self.code.transform(Op::Not, operand)?;
                self.narrow(complement, type_)
            }
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
            ExpressionKind::Comma(left, right) => {
                let left = self.value(left)?;
                self.code.give(left);
                self.value(right)
            }
            ExpressionKind::Aggregation(_) => {
                let message = "expression cannot evaluate to result of dynamic type";
                Err(Mistake::new(Tag::CgDyn, expression.line, message))
            }
            ExpressionKind::Action(function, _) => {
                let message = format!(
                    "{} {}( ) may not be called from a D expression (D program context required)",
                    function.kind(),
                    function.name()
                );
                Err(Mistake::new(Tag::CgExpr, expression.line, message))
            }
        }
    }

    /// Registers with the values of several expressions.
    pub(super) fn values(&mut self, expressions: &[Expression]) -> Result<Vec<Register>, Mistake> {
        expressions.iter().map(|it| self.value(it)).collect()
    }

    pub(super) fn give_all(&mut self, registers: &[Register]) {
        registers.iter().for_each(|it| self.code.give(*it));
    }

    fn builtin(&mut self, builtin: Builtin, index: u64) -> Result<Register, Mistake> {
        if builtin.is_text() {
            self.code.takes(self.types.string);
        }
        let index = self.code.constant(index)?;
        let value = match index {
            Register::ZERO => self.code.take()?,
            register => register,
        };
        let a = if builtin.is_indexed() {
            index
        } else {
            Register::ZERO
        };
        self.code
            .push(Op::Ldb, value, (a, Register::ZERO), builtin.code());
        Ok(value)
    }

    /// A variable. One that is no scalar and was never set is empty, unless it is the thread's: of
    /// those DTrace says that they are not there.
    pub(super) fn variable(&mut self, variable: VariableId) -> Result<Register, Mistake> {
        let value = self.code.make(Op::Ldv, variable as u32)?;
        let Some(known) = self.names.variables.get(variable) else {
            return Ok(value);
        };
        let (scope, type_) = (known.scope, known.type_);
        match type_.map(|it| (self.types.kind(it).clone(), self.types.size(it))) {
            Some((Type::Text, size)) => {
                self.code.takes(size);
                if scope != Scope::Thread {
                    self.unless(value, |emitter| {
                        let empty = emitter.tables.text(b"");
                        emitter.code.push(Op::Sets, value, ZEROS, empty);
                        Ok(())
                    })?;
                }
            }
            Some((Type::Array(..), size)) => {
                self.code.takes(size);
                self.unless(value, |emitter| emitter.zeros(value, size))?;
            }
            _ => {}
        }
        Ok(value)
    }

    /// Does `work` where the register is 0.
    fn unless(
        &mut self,
        register: Register,
        work: impl FnOnce(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        let mut set = Label::default();
        self.code.branch(Op::Bnz, register, &mut set)?;
        work(self)?;
        self.code.land(set);
        Ok(())
    }

    /// Puts the address of so many zeros into a register.
    fn zeros(&mut self, register: Register, size: u32) -> Result<(), Mistake> {
        self.code.push(Op::Seti, register, ZEROS, size);
        self.code.act(Op::Push, register, 0);
        let alloca = Subroutine::Alloca.code();
        self.code.push(Op::Call, register, ZEROS, alloca);
        Ok(())
    }

    /// An element of an associative array.
    pub(super) fn element(
        &mut self,
        variable: VariableId,
        keys: &[Register],
    ) -> Result<Register, Mistake> {
        let type_ = self.names.variables.get(variable).and_then(|it| it.type_);
        let kind = type_.map(|it| (self.types.kind(it), self.types.size(it)));
        let zeros = match kind {
            Some((Type::Text, size)) => {
                self.code.takes(size);
                None
            }
            Some((Type::Array(..), size)) => {
                self.code.takes(size);
                Some(size)
            }
            _ => None,
        };
        self.push_key(variable, keys);
        let value = self.code.make(Op::Lda, variable as u32)?;
        if let Some(size) = zeros {
            self.unless(value, |emitter| emitter.zeros(value, size))?;
        }
        Ok(value)
    }

    /// Pushes the key of an associative array.
    pub(super) fn push_key(&mut self, variable: VariableId, keys: &[Register]) {
        let known = self.names.variables.get(variable);
        let types = known.and_then(|it| it.keys.clone()).unwrap_or_default();
        for (key, type_) in keys.iter().zip(types) {
            self.push_part(*key, type_);
        }
    }

    /// Pushes a part of a key.
    pub(super) fn push_part(&mut self, value: Register, type_: TypeId) {
        match self.types.kind(type_) {
            Type::Text => self.code.act(Op::Pushs, value, 0),
            Type::Array(..) => self.code.act(Op::Pushb, value, self.types.size(type_)),
            _ => self.code.act(Op::Push, value, 0),
        }
    }

    /// What is at an address: a number, or where that is no number, the address itself.
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
                let message = "numbers of type long double cannot be read";
                return Err(Mistake::new(Tag::Unknown, line, message));
            }
            _ => return Ok(address),
        };
        self.code.transform(op, address)
    }

    /// A value as another type has it.
    fn convert(&mut self, operand: &Expression, to: TypeId) -> Result<Register, Mistake> {
        let value = self.value(operand)?;
        let from = self.types.integer(operand.type_);
        match self.types.kind(to) {
            Type::Void => {
                self.code.give(value);
                Ok(Register::ZERO)
            }
            Type::Integer(to) if from.is_some_and(|from| is_within(from, *to)) => Ok(value),
            Type::Integer(_) => self.narrow(value, to),
            // An address of 32 bits is never sign-extended.
            Type::Pointer(_) | Type::Text
                if self.types.pointer == 4
                    && from.is_some_and(|from| from.is_signed && from.size <= 4) =>
            {
                self.code.transform(Op::Zxtw, value)
            }
            _ => Ok(value),
        }
    }

    /// Cuts a number to its type, and extends it as that is.
    pub(super) fn narrow(&mut self, value: Register, type_: TypeId) -> Result<Register, Mistake> {
        let op = match self.types.integer(type_).map(|it| (it.size, it.is_signed)) {
            Some((1, true)) => Op::Sxtb,
            Some((1, false)) => Op::Zxtb,
            Some((2, true)) => Op::Sxth,
            Some((2, false)) => Op::Zxth,
            Some((4, true)) => Op::Sxtw,
            Some((4, false)) => Op::Zxtw,
            _ => return Ok(value),
        };
        self.code.transform(op, value)
    }

    fn calculate(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
        type_: TypeId,
    ) -> Result<Register, Mistake> {
        let left = self.value(left)?;
        let right = self.value(right)?;
        let is_signed = self.types.integer(type_).is_some_and(|it| it.is_signed);
        let value = self.code.combine(op(operator, is_signed), left, right)?;
        if operator.keeps_within() {
            return Ok(value);
        }
        self.narrow(value, type_)
    }

    /// A pointer that is moved.
    fn offset(
        &mut self,
        pointer: &Expression,
        index: &Expression,
        scale: u32,
        is_back: bool,
    ) -> Result<Register, Mistake> {
        let pointer = self.value(pointer)?;
        let distance = self.scaled(index, scale)?;
        let op = if is_back { Op::Sub } else { Op::Add };
        self.code.combine(op, pointer, distance)
    }

    /// A number of things of this size, in bytes.
    pub(super) fn scaled(&mut self, index: &Expression, scale: u32) -> Result<Register, Mistake> {
        if let Some(constant) = index.constant() {
            return self
                .code
                .constant(constant.value.wrapping_mul(scale.into()));
        }
        let index = self.value(index)?;
        if scale == 1 {
            return Ok(index);
        }
        let scale = self.code.constant(scale.into())?;
        self.code.combine(Op::Mul, index, scale)
    }

    fn distance(
        &mut self,
        left: &Expression,
        right: &Expression,
        scale: u32,
        type_: TypeId,
    ) -> Result<Register, Mistake> {
        let left = self.value(left)?;
        let right = self.value(right)?;
        let bytes = self.code.combine(Op::Sub, left, right)?;
        if scale == 1 {
            return self.narrow(bytes, type_);
        }
        let scale = self.code.constant(scale.into())?;
        let things = self.code.combine(Op::Sdiv, bytes, scale)?;
        self.narrow(things, type_)
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

/// No operands.
const ZEROS: (Register, Register) = (Register::ZERO, Register::ZERO);

/// Whether a subroutine makes a string of its own.
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

/// Whether every number of one type is one of the other, extended the same way.
fn is_within(from: Integer, to: Integer) -> bool {
    to.size == 8
        || from.size < to.size && (to.is_signed || !from.is_signed)
        || from.size == to.size && from.is_signed == to.is_signed
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

fn op(operator: Operator, is_signed: bool) -> Op {
    match (operator, is_signed) {
        (Operator::Add, _) => Op::Add,
        (Operator::Sub, _) => Op::Sub,
        (Operator::Mul, _) => Op::Mul,
        (Operator::Div, true) => Op::Sdiv,
        (Operator::Div, false) => Op::Udiv,
        (Operator::Mod, true) => Op::Srem,
        (Operator::Mod, false) => Op::Urem,
        (Operator::And, _) => Op::And,
        (Operator::Or, _) => Op::Or,
        (Operator::Xor, _) => Op::Xor,
        (Operator::Left, _) => Op::Sll,
        (Operator::Right, true) => Op::Sra,
        (Operator::Right, false) => Op::Srl,
    }
}

/// The op that compares numbers, and whether its operands change places.
pub(super) fn comparison(comparison: Comparison, is_signed: bool) -> (Op, bool) {
    let less = if is_signed { Op::Clt } else { Op::Cltu };
    let at_most = if is_signed { Op::Cle } else { Op::Cleu };
    match comparison {
        Comparison::Equal => (Op::Ceq, false),
        Comparison::Unequal => (Op::Cne, false),
        Comparison::Less => (less, false),
        Comparison::AtMost => (at_most, false),
        Comparison::Greater => (less, true),
        Comparison::AtLeast => (at_most, true),
    }
}
