//! Constants, and constant folding. As in DTrace constants are calculated in 64 bits, whatever their
//! types; only a cast truncates.

use crate::lex::Integer;
use crate::types::{INT, LONG, LONGLONG, TypeId, Types, UINT, ULONG, ULONGLONG};

/// A constant. Its value has 64 bits, and may exceed its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Constant {
    pub value: u64,
    pub type_: TypeId,
}

impl Constant {
    /// A constant of type int.
    pub(crate) fn int(value: i32) -> Self {
        Self {
            value: i64::from(value).cast_unsigned(),
            type_: INT,
        }
    }

    /// As a signed number.
    pub(crate) fn signed(self) -> i64 {
        self.value.cast_signed()
    }

    /// Converts the constant to another numeric or pointer type, as an operand.
    pub(crate) fn converted(self, types: &Types, type_: TypeId) -> Self {
        let value = match (types.integer(type_), types.integer(self.type_)) {
            (Some(to), Some(from)) if to.size >= from.size => self.value,
            (Some(to), _) => to.extend(self.value),
            // A 32-bit address is never sign-extended.
            (None, Some(from)) if types.pointer == 4 && from.size <= 4 => {
                self.value & u64::from(u32::MAX)
            }
            _ => self.value,
        };
        Self { value, type_ }
    }

    /// Converts the constant to a type, and truncates it to what the type represents.
    pub(crate) fn cast(self, types: &Types, type_: TypeId) -> Self {
        let Self { value, .. } = self.converted(types, type_);
        let value = types.integer(type_).map_or(value, |to| to.extend(value));
        Self { value, type_ }
    }

    /// Whether it is greater than 0.
    pub(crate) fn is_positive(self, types: &Types) -> bool {
        let is_signed = types.integer(self.type_).is_some_and(|it| it.is_signed);
        self.value != 0 && (!is_signed || self.signed() > 0)
    }
}

/// A binary arithmetic or bitwise operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
    Left,
    Right,
}

impl Operator {
    /// Its spelling.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Left => "<<",
            Self::Right => ">>",
        }
    }

    /// Whether it is a shift, whose operands have independent types.
    pub(crate) fn is_shift(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }

    pub(crate) fn is_division(self) -> bool {
        matches!(self, Self::Div | Self::Mod)
    }

    /// Whether its result fits the type of operands that fit it.
    pub(crate) fn keeps_within(self) -> bool {
        matches!(
            self,
            Self::And | Self::Or | Self::Xor | Self::Right | Self::Mod
        )
    }
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    /// Its spelling.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// A logical operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
}

impl Logic {
    /// Its spelling.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::And => "&&",
            Self::Or => "||",
            Self::Xor => "^^",
        }
    }

    /// Its result for two truth values.
    pub(crate) fn of(self, left: bool, right: bool) -> bool {
        match self {
            Self::And => left && right,
            Self::Or => left || right,
            Self::Xor => left != right,
        }
    }
}

/// The type of an integer literal: the first in C's list that can represent it.
pub(crate) fn literal(types: &Types, integer: Integer) -> Option<Constant> {
    let list = [INT, UINT, LONG, ULONG, LONGLONG, ULONGLONG];
    let first = usize::from(integer.is_unsigned) + 2 * usize::from(integer.longs);
    let step = if integer.is_decimal || integer.is_unsigned {
        2
    } else {
        1
    };
    let fits = |type_: &&TypeId| {
        types.integer(**type_).is_some_and(|kind| {
            let bits = 8 * kind.size - u32::from(kind.is_signed);
            bits == 64 || integer.value >> bits == 0
        })
    };
    let type_ = *list.iter().skip(first).step_by(step).find(fits)?;
    let constant = Constant {
        value: integer.value,
        type_,
    };
    Some(if integer.is_negative {
        negate(types, constant)
    } else {
        constant
    })
}

/// `-constant`
pub(crate) fn negate(types: &Types, constant: Constant) -> Constant {
    let promoted = constant.converted(types, types.promoted(constant.type_));
    Constant {
        value: promoted.value.wrapping_neg(),
        ..promoted
    }
}

/// `~constant`
pub(crate) fn complement(types: &Types, constant: Constant) -> Constant {
    let promoted = constant.converted(types, types.promoted(constant.type_));
    Constant {
        value: !promoted.value,
        ..promoted
    }
}

/// `left operator right`; `None` for a division by zero.
pub(crate) fn calculate(
    types: &Types,
    operator: Operator,
    left: Constant,
    right: Constant,
) -> Option<Constant> {
    let type_ = if operator.is_shift() {
        types.promoted(left.type_)
    } else {
        types.common(left.type_, right.type_)
    };
    let is_signed = types.integer(type_).is_some_and(|it| it.is_signed);
    let left = left.converted(types, type_).value;
    let right = if operator.is_shift() {
        right.value
    } else {
        right.converted(types, type_).value
    };
    let value = apply(operator, is_signed, left, right)?;
    Some(Constant { value, type_ })
}

fn apply(operator: Operator, is_signed: bool, left: u64, right: u64) -> Option<u64> {
    let (signed_left, signed_right) = (left.cast_signed(), right.cast_signed());
    let shift = (right & 63) as u32;
    Some(match operator {
        Operator::Add => left.wrapping_add(right),
        Operator::Sub => left.wrapping_sub(right),
        Operator::Mul => left.wrapping_mul(right),
        Operator::And => left & right,
        Operator::Or => left | right,
        Operator::Xor => left ^ right,
        Operator::Left => left << shift,
        Operator::Right if is_signed => (signed_left >> shift).cast_unsigned(),
        Operator::Right => left >> shift,
        _ if right == 0 => return None,
        Operator::Div if is_signed => signed_left.wrapping_div(signed_right).cast_unsigned(),
        Operator::Div => left / right,
        Operator::Mod if is_signed => signed_left.wrapping_rem(signed_right).cast_unsigned(),
        Operator::Mod => left % right,
    })
}

/// Whether `left comparison right`.
pub(crate) fn compare(
    types: &Types,
    comparison: Comparison,
    left: Constant,
    right: Constant,
) -> bool {
    let type_ = types.common(left.type_, right.type_);
    let is_signed = types.integer(type_).is_some_and(|it| it.is_signed);
    let left = left.converted(types, type_);
    let right = right.converted(types, type_);
    let order = if is_signed {
        left.signed().cmp(&right.signed())
    } else {
        left.value.cmp(&right.value)
    };
    match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::Unequal => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::AtMost => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::AtLeast => order.is_ge(),
    }
}
