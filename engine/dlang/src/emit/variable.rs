//! Code for built-in variables, variables and array elements.

use engine_dvm::{ADDRESSABLE, Builtin, Op, Subroutine, mutant};

use super::Emitter;
use super::code::Label;
use super::registers::Register;
use crate::error::Mistake;
use crate::names::VariableId;
use crate::tables::USER_ADDRESS;
use crate::tag::Tag;
use crate::types::{Type, TypeId};

impl Emitter<'_> {
    pub(super) fn builtin(&mut self, builtin: Builtin, index: u64) -> Result<Register, Mistake> {
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

    /// Reads a variable; an array is represented by its address.
    pub(super) fn variable(&mut self, variable: VariableId) -> Result<Register, Mistake> {
        let known = self.names.variables.get(variable);
        let type_ = known.and_then(|known| known.type_);
        match type_.map(|it| (self.types.kind(it), self.types.size(it))) {
            Some((Type::Array(..) | Type::Structure(_), _)) => {
                self.check_addressable(variable)?;
                self.code.make(Op::Lea, variable as u32)
            }
            Some((Type::Text, size)) => {
                self.code.takes(size);
                self.code.make(Op::Ldv, variable as u32)
            }
            _ => self.code.make(Op::Ldv, variable as u32),
        }
    }

    fn check_addressable(&self, variable: VariableId) -> Result<(), Mistake> {
        if variable < ADDRESSABLE as usize {
            return Ok(());
        }
        let message = format!(
            "an array must be one of the first {ADDRESSABLE} variables; declare it before the others"
        );
        Err(Mistake::new(Tag::Limit, self.code.line, message))
    }

    /// Does `work` if the register is 0.
    fn unless(
        &mut self,
        register: Register,
        work: impl FnOnce(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        if mutant::is_active("unset-is-null") {
            return Ok(());
        }
        let mut set = Label::default();
        self.code.branch(Op::Bnz, register, &mut set)?;
        work(self)?;
        self.code.land(set);
        Ok(())
    }

    /// Puts the address of `size` zero bytes into a register.
    pub(super) fn zeros(&mut self, register: Register, size: u32) -> Result<(), Mistake> {
        self.code.allocates(size);
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
            Some((Type::Array(..) | Type::Structure(_), size)) => {
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
        let keys = match mutant::is_active("first-key-only") {
            true => &keys[..keys.len().min(1)],
            false => keys,
        };
        for (key, type_) in keys.iter().zip(types) {
            self.push_part(*key, type_);
        }
    }

    /// Pushes a component of a key.
    pub(super) fn push_part(&mut self, value: Register, type_: TypeId) {
        match self.types.kind(type_) {
            Type::Text => self.code.act(Op::Pushs, value, 0),
            Type::Array(..) | Type::Structure(_) => {
                self.code.act(Op::Pushb, value, self.types.size(type_));
            }
            Type::UserAddress(_) => self.code.act(Op::Pushb, value, USER_ADDRESS),
            _ => self.code.act(Op::Push, value, 0),
        }
    }
}

/// No operands.
const ZEROS: (Register, Register) = (Register::ZERO, Register::ZERO);
