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
            ExpressionKind::Member { bits, .. } => {
                let address = self.address_of(expression)?;
                let unit = self.load(address, type_, expression.line)?;
                self.extracted(unit, *bits, type_)
            }
            ExpressionKind::AddressOf(place) => self.address_of(place),
            ExpressionKind::Convert(operand) => self.convert(operand, type_),
            ExpressionKind::Narrow(operand) => {
                let value = self.value(operand)?;
                self.narrow(value, type_)
            }
            ExpressionKind::Negate(operand) => self.negate(operand),
            ExpressionKind::Complement(operand) => self.complement(operand),
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
            ExpressionKind::Build(parts) => self.build(parts, type_),
            ExpressionKind::Aggregation(_)
            | ExpressionKind::Action(..)
            | ExpressionKind::Translated(..) => Err(no_value(expression)),
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
        let address = self.address(place, false)?;
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
        if let Some(integer) = self.types.integer(type_) {
            return self.code.transform(load(integer), address);
        }
        let op = match (self.types.kind(type_), self.types.size(type_)) {
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

    pub(super) fn call(
        &mut self,
        subroutine: Subroutine,
        arguments: &[Expression],
    ) -> Result<Register, Mistake> {
        match subroutine {
            Subroutine::Alloca => self.check_allocated(subroutine, arguments.first())?,
            Subroutine::Copyin => self.check_allocated(subroutine, arguments.get(1))?,
            _ if makes_text(subroutine) => self.code.takes(self.types.string),
            _ => {}
        }
        let arguments = self.values(arguments)?;
        for argument in &arguments {
            self.code.act(Op::Push, *argument, 0);
        }
        self.give_all(&arguments);
        self.code.make(Op::Call, subroutine.code())
    }

    /// Checks a size that may be constant against the memory for `alloca` and `copyin`.
    fn check_allocated(
        &mut self,
        subroutine: Subroutine,
        size: Option<&Expression>,
    ) -> Result<(), Mistake> {
        self.code.asks_for_heap = true;
        let most = self.settings.scratch_size;
        let Some(size) = size else {
            return Ok(());
        };
        match size.constant() {
            Some(constant) if constant.value > most.into() => {
                let message = format!(
                    "{}( ) size {} is larger than scratch memory: {most} bytes (option scratchsize)",
                    subroutine.word(),
                    constant.signed()
                );
                Err(Mistake::new(Tag::AllocaSize, size.line, message))
            }
            _ => Ok(()),
        }
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
            | Subroutine::Cleanpath
            | Subroutine::Tolower
            | Subroutine::Toupper
            | Subroutine::Json
            | Subroutine::InetNtoa
            | Subroutine::InetNtoa6
            | Subroutine::InetNtop
            | Subroutine::LinkNtop
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
