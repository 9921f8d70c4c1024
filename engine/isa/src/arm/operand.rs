//! What the fields of A32 encodings stand for.

use core::fmt;

use super::{PC, SP};

/// A condition field, 0b0000 to 0b1110. (0b1111 marks another set of
/// instructions, which the table sorts out first.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Condition(pub(super) u32);

impl Condition {
    /// Whether the condition holds under the flags in `cpsr` (A8.3).
    pub(super) const fn holds(self, cpsr: u32) -> bool {
        let n = cpsr & 1 << 31 != 0;
        let z = cpsr & 1 << 30 != 0;
        let c = cpsr & 1 << 29 != 0;
        let v = cpsr & 1 << 28 != 0;
        let even = match self.0 >> 1 {
            0b000 => z,
            0b001 => c,
            0b010 => n,
            0b011 => v,
            0b100 => c && !z,
            0b101 => n == v,
            0b110 => n == v && !z,
            _ => true,
        };
        let opposite = self.0 & 1 == 1;
        even != opposite
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.0 {
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
            _ => "",
        })
    }
}

/// A set of registers: bit n is register n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registers(pub(super) u32);

impl Registers {
    /// The set of one register.
    pub(super) const fn only(register: u32) -> Self {
        Self(1_u32.wrapping_shl(register))
    }

    /// How many bytes the set takes in memory.
    pub(super) const fn bytes(self) -> u32 {
        self.0.count_ones().wrapping_mul(4)
    }

    /// The values that the members have in `r`, lowest register first.
    pub(super) fn values(self, r: &[u32; 16]) -> impl Iterator<Item = u32> {
        self.members()
            .zip(r)
            .filter_map(|(member, &value)| member.then_some(value))
    }

    /// For each register from 0 up, whether it is in the set.
    fn members(self) -> impl Iterator<Item = bool> {
        (0..16).map(move |register| self.0.wrapping_shr(register) & 1 == 1)
    }
}

/// `{r4, r5, lr}`.
impl fmt::Display for Registers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "{";
        for (register, member) in self.members().enumerate() {
            if member {
                out.write_str(separator)?;
                write_register(out, register)?;
                separator = ", ";
            }
        }
        out.write_str("}")
    }
}

fn write_register(out: &mut fmt::Formatter<'_>, register: usize) -> fmt::Result {
    match register {
        SP => out.write_str("sp"),
        14 => out.write_str("lr"),
        PC => out.write_str("pc"),
        _ => write!(out, "r{register}"),
    }
}
