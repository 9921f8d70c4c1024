//! A model of D's integers on the host: types and operators of C and the data model, calculated in
//! 64 bits, independent of the compiler.

/// An integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// How it is spelt.
    pub name: &'static str,
    is_signed: bool,
    rank: u8,
}

/// The integer types.
pub const KINDS: [Kind; 10] = [
    kind("char", true, 1),
    kind("unsigned char", false, 1),
    kind("short", true, 2),
    kind("unsigned short", false, 2),
    INT,
    kind("unsigned", false, 3),
    kind("long", true, 4),
    kind("unsigned long", false, 4),
    kind("long long", true, 5),
    kind("unsigned long long", false, 5),
];

const INT: Kind = kind("int", true, 3);

const fn kind(name: &'static str, is_signed: bool, rank: u8) -> Kind {
    Kind {
        name,
        is_signed,
        rank,
    }
}

/// A value of a type. An intermediate result has 64 bits, whatever its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    kind: Kind,
    bits: u64,
}

/// An expression of integers.
#[derive(Debug, Clone)]
pub enum Tree {
    /// A value of this type, by its bits; a constant or a variable.
    Leaf(Kind, u64, bool),
    Cast(Kind, Box<Tree>),
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<[Tree; 2]>),
    Conditional(Box<[Tree; 3]>),
}

/// A data model, by the size of a pointer and of a `long` in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Model(pub u32);

impl Model {
    fn size(self, kind: Kind) -> u32 {
        match kind.rank {
            1 => 1,
            2 => 2,
            3 => 4,
            4 => self.0,
            _ => 8,
        }
    }

    /// A value of a type, by its low bits.
    pub fn number(self, kind: Kind, bits: u64) -> Number {
        let unused = 64 - 8 * self.size(kind);
        let high = bits << unused;
        let bits = if kind.is_signed {
            (high.cast_signed() >> unused).cast_unsigned()
        } else {
            high >> unused
        };
        Number { kind, bits }
    }

    /// C's usual arithmetic conversions.
    fn common(self, one: Kind, other: Kind) -> Kind {
        let promote = |kind: Kind| if kind.rank < 3 { INT } else { kind };
        let (one, other) = (promote(one), promote(other));
        let (low, high) = if one.rank < other.rank {
            (one, other)
        } else {
            (other, one)
        };
        if low.is_signed == high.is_signed || !high.is_signed {
            return match low.rank == high.rank && !low.is_signed {
                true => low,
                false => high,
            };
        }
        // The type of lower rank is unsigned, and that of higher rank may not represent it.
        if self.size(high) > self.size(low) && low.rank != high.rank {
            return high;
        }
        let unsigned = |kind: &Kind| kind.rank == high.rank && !kind.is_signed;
        KINDS.into_iter().find(unsigned).unwrap_or(high)
    }

    /// Its value; `None` for a division by zero.
    pub fn evaluate(self, tree: &Tree) -> Option<Number> {
        Some(match tree {
            Tree::Leaf(kind, bits, _) => self.number(*kind, *bits),
            Tree::Cast(kind, operand) => self.number(*kind, self.evaluate(operand)?.bits),
            Tree::Unary(operator, operand) => self.unary(operator, self.evaluate(operand)?),
            Tree::Binary(operator, operands) => {
                let [left, right] = &**operands;
                let left = self.evaluate(left)?;
                match (*operator, left.bits != 0) {
                    ("&&", false) => truth(false),
                    ("||", true) => truth(true),
                    _ => self.binary(operator, left, self.evaluate(right)?)?,
                }
            }
            Tree::Conditional(parts) => {
                let [condition, one, other] = &**parts;
                let kind = self.common(self.kind(one), self.kind(other));
                let chosen = match self.evaluate(condition)?.bits {
                    0 => other,
                    _ => one,
                };
                let Number { bits, .. } = self.evaluate(chosen)?;
                Number { kind, bits }
            }
        })
    }

    /// The type of an expression, independent of its value.
    fn kind(self, tree: &Tree) -> Kind {
        let promoted = |tree| self.common(self.kind(tree), INT);
        match tree {
            Tree::Leaf(kind, ..) | Tree::Cast(kind, _) => *kind,
            Tree::Unary("!", _) => INT,
            Tree::Unary(_, operand) => promoted(operand),
            Tree::Binary(operator, operands) => {
                let [left, right] = &**operands;
                match *operator {
                    "<<" | ">>" => promoted(left),
                    "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => {
                        self.common(self.kind(left), self.kind(right))
                    }
                    _ => INT,
                }
            }
            Tree::Conditional(parts) => self.common(self.kind(&parts[1]), self.kind(&parts[2])),
        }
    }

    fn unary(self, operator: &str, operand: Number) -> Number {
        let (kind, bits) = (self.common(operand.kind, INT), operand.bits);
        match operator {
            "-" => Number {
                kind,
                bits: bits.wrapping_neg(),
            },
            "~" => Number { kind, bits: !bits },
            "!" => truth(bits == 0),
            _ => Number { kind, bits },
        }
    }

    /// `left operator right`.
    pub fn binary(self, operator: &str, left: Number, right: Number) -> Option<Number> {
        if let "<<" | ">>" = operator {
            return Some(self.shift(operator, left, right));
        }
        let kind = self.common(left.kind, right.kind);
        let (one, other) = (left.bits, right.bits);
        let ordered = |bits: u64| match kind.is_signed {
            true => i128::from(bits.cast_signed()),
            false => bits.into(),
        };
        let (first, second) = (ordered(one), ordered(other));
        let bits = match operator {
            "+" => one.wrapping_add(other),
            "-" => one.wrapping_sub(other),
            "*" => one.wrapping_mul(other),
            "/" => first.checked_div(second)? as u64,
            "%" => first.checked_rem(second)? as u64,
            "&" => one & other,
            "|" => one | other,
            "^" => one ^ other,
            "==" => return Some(truth(one == other)),
            "!=" => return Some(truth(one != other)),
            "<" => return Some(truth(first < second)),
            "<=" => return Some(truth(first <= second)),
            ">" => return Some(truth(first > second)),
            ">=" => return Some(truth(first >= second)),
            "&&" => return Some(truth(one != 0 && other != 0)),
            "||" => return Some(truth(one != 0 || other != 0)),
            _ => return Some(truth((one != 0) != (other != 0))),
        };
        Some(Number { kind, bits })
    }

    /// A shift. C leaves one by the width or more undefined: the machine shifts 64 bits by the low
    /// 6 bits of the right operand.
    fn shift(self, operator: &str, left: Number, right: Number) -> Number {
        let kind = self.common(left.kind, INT);
        let by = right.bits & 63;
        let bits = match operator {
            "<<" => left.bits << by,
            _ if kind.is_signed => (left.bits.cast_signed() >> by).cast_unsigned(),
            _ => left.bits >> by,
        };
        Number { kind, bits }
    }

    /// `place operator= value`: the new value of the place.
    pub fn update(self, operator: &str, place: Number, value: Number) -> Option<Number> {
        let new = self.binary(operator, place, value)?;
        Some(self.number(place.kind, new.bits))
    }

    /// Whether it is signed, and its bytes.
    pub fn bytes(self, number: Number) -> (bool, Vec<u8>) {
        let bytes = number.bits.to_le_bytes();
        let size = self.size(number.kind) as usize;
        (number.kind.is_signed, bytes[..size].to_vec())
    }
}

fn truth(holds: bool) -> Number {
    Number {
        kind: INT,
        bits: holds.into(),
    }
}
