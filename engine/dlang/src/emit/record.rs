//! Code for recording, and the layout of records.

use engine_abi::{FieldKind, FieldRow};
use engine_dvm::Op;

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::functions::{Action, Function};
use crate::program::{Field, FieldType};
use crate::tables::{Part, part};
use crate::tree::Expression;
use crate::types::{TEXT, Type, TypeId, Types};

impl Emitter<'_> {
    /// Records an expression's value as an action.
    pub(super) fn record(&mut self, expression: &Expression) -> Result<Field, Mistake> {
        self.code.begin_action();
        let value = self.value(expression)?;
        Ok(self.record_value(value, expression.type_, 0))
    }

    /// Records a stack of this type.
    pub(super) fn record_stack(&mut self, type_: TypeId, frames: u32) -> Field {
        self.code.begin_action();
        self.record_value(Register::ZERO, type_, frames)
    }

    /// Records an address in the process.
    pub(super) fn record_user_address(
        &mut self,
        action: Action,
        address: &Expression,
    ) -> Result<Field, Mistake> {
        self.code.begin_action();
        let value = self.user_address(address)?;
        let type_ = Function::Action(action).signature().result;
        Ok(self.record_value(value, type_, 0))
    }

    /// Records an address of the kernel.
    pub(super) fn record_kernel_address(
        &mut self,
        action: Action,
        address: &Expression,
    ) -> Result<Field, Mistake> {
        self.code.begin_action();
        let value = self.value(address)?;
        let type_ = Function::Action(action).signature().result;
        Ok(self.record_value(value, type_, 0))
    }

    /// Records the string at an address.
    pub(super) fn record_text(&mut self, address: Register) -> Field {
        self.record_value(address, TEXT, 0)
    }

    /// Records this many bytes at an address.
    pub(super) fn record_memory(
        &mut self,
        address: &Expression,
        size: u32,
    ) -> Result<Field, Mistake> {
        self.code.begin_action();
        let address = self.value(address)?;
        let part = Part {
            kind: FieldKind::Bytes,
            size,
        };
        Ok(self.record_part(address, part, FieldType::Bytes))
    }

    /// Records a pointer, and the structure of this type that it points to.
    pub(super) fn record_both(
        &mut self,
        pointer: &Expression,
        to: TypeId,
    ) -> Result<(Field, Field), Mistake> {
        self.code.begin_action();
        let address = self.value(pointer)?;
        let copy = self.code.take()?;
        self.code.push(Op::Mov, copy, (address, Register::ZERO), 0);
        let address = self.record_value(address, pointer.type_, 0);
        let memory = self.record_value(copy, to, 0);
        Ok((address, memory))
    }

    fn record_value(&mut self, value: Register, type_: TypeId, frames: u32) -> Field {
        let part = part(self.types, type_, frames);
        self.record_part(value, part, field_type(self.types, type_))
    }

    fn record_part(&mut self, value: Register, part: Part, kind: FieldType) -> Field {
        let field = self.field(part, kind);
        let row = self.tables.fields.len() + self.fields.len() - 1;
        self.code.act(Op::Rec, value, row as u32);
        self.code.give(value);
        field
    }

    /// Adds a field to the record.
    fn field(&mut self, part: Part, kind: FieldType) -> Field {
        let alignment = match part.kind {
            FieldKind::Scalar => part.size,
            FieldKind::Stack | FieldKind::UserStack => 8,
            FieldKind::Text | FieldKind::Bytes => 1,
        };
        let offset = self.end.next_multiple_of(alignment);
        self.end = offset.saturating_add(part.size).min(u32::MAX / 2);
        self.fields.push(FieldRow {
            offset,
            size: part.size,
            kind: part.kind.code(),
            reserved: [0; 7],
        });
        Field {
            offset,
            size: part.size,
            kind,
        }
    }
}

/// How the command prints a value of this type.
pub(crate) fn field_type(types: &Types, type_: TypeId) -> FieldType {
    match types.kind(type_) {
        Type::Text => FieldType::Text,
        Type::Array(..) | Type::Structure(_) => FieldType::Bytes,
        Type::Stack => FieldType::Stack,
        Type::UserStack => FieldType::UserStack,
        Type::UserAddress(detail) => FieldType::UserAddress(*detail),
        Type::KernelAddress(detail) => FieldType::KernelAddress(*detail),
        _ if types.integer(type_).is_some_and(|it| it.is_signed) => FieldType::Signed,
        _ => FieldType::Unsigned,
    }
}
