//! Code for recording, and the layout of records.

use engine_abi::{FieldKind, FieldRow};
use engine_dvm::Op;

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::functions::{Action, Function};
use crate::program::{Field, FieldType};
use crate::tables::part;
use crate::tree::Expression;
use crate::types::{Type, TypeId, Types};

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

    fn record_value(&mut self, value: Register, type_: TypeId, frames: u32) -> Field {
        let field = self.field(type_, frames);
        let row = self.tables.fields.len() + self.fields.len() - 1;
        self.code.act(Op::Rec, value, row as u32);
        self.code.give(value);
        field
    }

    /// Adds a field to the record.
    fn field(&mut self, type_: TypeId, frames: u32) -> Field {
        let part = part(self.types, type_, frames);
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
            kind: field_type(self.types, type_),
        }
    }
}

/// How the command prints a value of this type.
pub(crate) fn field_type(types: &Types, type_: TypeId) -> FieldType {
    match types.kind(type_) {
        Type::Text => FieldType::Text,
        Type::Array(..) => FieldType::Bytes,
        Type::Stack => FieldType::Stack,
        Type::UserStack => FieldType::UserStack,
        Type::UserAddress(detail) => FieldType::UserAddress(*detail),
        Type::Integer(integer) if integer.is_signed => FieldType::Signed,
        _ => FieldType::Unsigned,
    }
}
