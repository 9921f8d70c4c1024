//! Code for bit-fields.

use engine_dvm::Op;

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::types::{Bits, TypeId};

impl Emitter<'_> {
    /// The bits of a unit as a number of this type; a unit without bit-fields stays as it is.
    pub(super) fn extracted(
        &mut self,
        unit: Register,
        bits: Option<Bits>,
        type_: TypeId,
    ) -> Result<Register, Mistake> {
        let Some(bits) = bits else {
            return Ok(unit);
        };
        let is_signed = self.types.integer(type_).is_some_and(|it| it.is_signed);
        let above = 64 - bits.first - bits.width;
        let unit = self.shifted(Op::Sll, unit, above)?;
        let op = if is_signed { Op::Sra } else { Op::Srl };
        self.shifted(op, unit, 64 - bits.width)
    }

    /// Stores a number in the bits of the unit at an address.
    pub(super) fn insert(
        &mut self,
        address: Register,
        value: Register,
        bits: Bits,
        type_: TypeId,
    ) -> Result<(), Mistake> {
        let zeros = Register::ZERO;
        let copy = self.code.take()?;
        self.code.push(Op::Mov, copy, (value, zeros), 0);
        let above = self.shifted(Op::Sll, copy, 64 - bits.width)?;
        let inserted = self.shifted(Op::Srl, above, 64 - bits.width - bits.first)?;
        let unit = self.code.take()?;
        self.code.push(Op::Mov, unit, (address, zeros), 0);
        let unit = self.load(unit, type_, self.line)?;
        let mask = self.code.constant(!(ones(bits.width) << bits.first))?;
        let others = self.code.combine(Op::And, unit, mask)?;
        let unit = self.code.combine(Op::Or, others, inserted)?;
        self.store_number(address, unit, type_);
        self.code.give(unit);
        Ok(())
    }

    fn shifted(&mut self, op: Op, value: Register, by: u32) -> Result<Register, Mistake> {
        let by = self.code.constant(by.into())?;
        self.code.combine(op, value, by)
    }
}

/// A number whose `width` lowest bits are set.
fn ones(width: u32) -> u64 {
    u64::MAX.checked_shr(64 - width).unwrap_or(0)
}
