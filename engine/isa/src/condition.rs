//! The condition codes that A32 and A64 share.

use core::fmt;

/// A condition by its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition(u8);

impl Condition {
    /// The condition with this code; only the low four bits count.
    pub(crate) const fn of(code: u32) -> Self {
        Self((code & 0b1111) as u8)
    }

    /// Whether it holds with N, Z, C and V in bits 31 to 28 (A8.3 for A32, C1.2.4 for A64). 1110
    /// always holds, and so does 1111 where that is a condition.
    pub(crate) const fn holds(self, flags: u32) -> bool {
        let n = flags & 1 << 31 != 0;
        let z = flags & 1 << 30 != 0;
        let c = flags & 1 << 29 != 0;
        let v = flags & 1 << 28 != 0;
        let even = match self.0 >> 1 {
            0b000 => z,
            0b001 => c,
            0b010 => n,
            0b011 => v,
            0b100 => c && !z,
            0b101 => n == v,
            0b110 => n == v && !z,
            _ => return true,
        };
        let opposite = self.0 & 1 == 1;
        even != opposite
    }

    /// Its suffix, `al` included.
    pub(crate) const fn name(self) -> &'static str {
        match self.0 {
            0b0000 => "eq",
            0b0001 => "ne",
            0b0010 => "hs",
            0b0011 => "lo",
            0b0100 => "mi",
            0b0101 => "pl",
            0b0110 => "vs",
            0b0111 => "vc",
            0b1000 => "hi",
            0b1001 => "ls",
            0b1010 => "ge",
            0b1011 => "lt",
            0b1100 => "gt",
            0b1101 => "le",
            0b1110 => "al",
            _ => "nv",
        }
    }
}

/// The suffix of an A32 mnemonic: empty for `al`.
impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0b1110 | 0b1111 => Ok(()),
            _ => out.write_str(self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Condition;

    const N: u32 = 1 << 31;
    const Z: u32 = 1 << 30;
    const C: u32 = 1 << 29;
    const V: u32 = 1 << 28;

    #[test]
    fn each_asks_for_its_flags() {
        let table = [
            (0, Z, N | C | V),
            (2, C, N | Z | V),
            (4, N, Z | C | V),
            (6, V, N | Z | C),
            (8, C, Z | C),
            (10, N | V, N),
            (12, N | V, N | V | Z),
        ];
        for (code, holds, fails) in table {
            let (one, other) = (Condition::of(code), Condition::of(code + 1));
            assert!(one.holds(holds) && !one.holds(fails), "{}", one.name());
            assert!(
                !other.holds(holds) && other.holds(fails),
                "{}",
                other.name()
            );
        }
    }

    #[test]
    fn two_always_hold() {
        for flags in [0, N | Z | C | V] {
            assert!(Condition::of(14).holds(flags) && Condition::of(15).holds(flags));
        }
    }
}
