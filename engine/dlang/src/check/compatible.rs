//! Type compatibility.

use super::Checker;
use crate::tree::Expression;
use crate::types::{CHAR, Type, TypeId};

/// What determines a value's compatibility.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    pub type_: TypeId,
    /// Whether it is the constant 0, the null pointer.
    pub is_null: bool,
}

impl From<&Expression> for Operand {
    fn from(expression: &Expression) -> Self {
        Self {
            type_: expression.type_,
            is_null: expression.is_null(),
        }
    }
}

impl From<TypeId> for Operand {
    fn from(type_: TypeId) -> Self {
        Self {
            type_,
            is_null: false,
        }
    }
}

/// Whether values of a type are good for nothing but a record or a key.
fn is_unique(kind: &Type) -> bool {
    matches!(
        kind,
        Type::Stack | Type::UserStack | Type::UserAddress(_) | Type::KernelAddress(_)
    )
}

impl Checker<'_> {
    /// Whether `value` may be assigned to `to`.
    pub(super) fn accepts(&self, to: TypeId, value: &Expression) -> bool {
        let types = &self.types;
        let from = value.type_;
        types.is_integer(to) && types.is_integer(from)
            || types.is_text_like(to) && types.is_text_like(from)
            || is_unique(types.kind(to)) && types.kind(to) == types.kind(from)
            || (types.is_float(to) || types.is_structure(to)) && types.base(to) == types.base(from)
            || self.common_pointer(to.into(), value.into()).is_some()
    }

    /// The common pointer type of two operands: the more specific one.
    pub(super) fn common_pointer(&self, left: Operand, right: Operand) -> Option<TypeId> {
        match (self.is_pointer_like(left), self.is_pointer_like(right)) {
            (Some(None), Some(None)) | (None, _) | (_, None) => None,
            (Some(Some(_)), Some(None)) => Some(left.type_),
            (Some(None), Some(Some(_))) => Some(right.type_),
            (Some(Some(one)), Some(Some(other))) => {
                if self.types.is_void(other) {
                    Some(left.type_)
                } else if self.types.is_void(one) || self.types.is_compatible(one, other) {
                    Some(right.type_)
                } else {
                    None
                }
            }
        }
    }

    /// Its pointee, or `None` for the constant 0; nothing at all if it is not a pointer.
    #[expect(clippy::option_option, reason = "0 points, but to nothing")]
    fn is_pointer_like(&self, operand: Operand) -> Option<Option<TypeId>> {
        match self.types.kind(operand.type_) {
            Type::Integer(_) | Type::Enumeration(_) => operand.is_null.then_some(None),
            Type::Text => Some(Some(CHAR)),
            _ => self.types.pointee(operand.type_).map(Some),
        }
    }
}
