//! The content of structs, unions and enumerations, and of the types that a compiler has itself.

use gimli::constants as dw;

use crate::dwarf::definitions::code_of;
use crate::dwarf::die::Die;
use crate::dwarf::error::Fault;
use crate::dwarf::graph::{Node, counted};
use crate::dwarf::unit::Maker;
use crate::format::{Code, Info};

impl Maker<'_> {
    /// An integer, or a number with a fraction. As other converters do, characters are integers.
    pub(super) fn base(&mut self, die: &Die) -> Node {
        let size = u32::try_from(die.size).unwrap_or(0);
        let encoding = gimli::DwAte(die.encoding);
        let is_float = matches!(
            encoding,
            dw::DW_ATE_float | dw::DW_ATE_complex_float | dw::DW_ATE_imaginary_float
        );
        if is_float || size > 16 {
            return self
                .graph
                .add(&[die.name, Info::new(Code::Float, 0, false).0, size]);
        }
        let flags: u32 = match encoding {
            dw::DW_ATE_signed | dw::DW_ATE_signed_char => 1,
            dw::DW_ATE_boolean => 4,
            _ => 0,
        };
        let bits = die
            .bits
            .size
            .map_or(u64::from(size) * 8, |bits| bits.min(128)) as u32;
        let info = Info::new(Code::Int, 0, false).0;
        self.graph.add(&[die.name, info, size, flags << 24 | bits])
    }

    /// A struct, a union or an enumeration with its content.
    pub(super) fn definition(&mut self, die: &Die) -> Result<Node, Fault> {
        match code_of(die) {
            Some(Code::Enum) => Ok(self.enumeration(die)),
            Some(code) => self.composite(code, die),
            None => Err((die.offset, "has no members")),
        }
    }

    fn composite(&mut self, code: Code, die: &Die) -> Result<Node, Fault> {
        let dies = self.dies;
        let members = dies.children(die);
        let members = members.filter(|child| child.tag == dw::DW_TAG_member && !child.is_external);
        let has_bits = members.clone().any(|member| member.bits.size.is_some());
        let mut words = vec![die.name, 0, u32::try_from(die.size).unwrap_or(u32::MAX)];
        for member in members {
            let place = place(has_bits, self.bit_offset(member), member.bits.size);
            // What is too far behind for the format is left out.
            if let Some(place) = place {
                words.extend([member.name, self.target(member.target)?, place]);
            }
        }
        let count = counted(&mut words, 3);
        words[1] = Info::new(code, count, has_bits).0;
        Ok(self.graph.add(&words))
    }

    /// The bits before a member.
    fn bit_offset(&self, member: &Die) -> u64 {
        let bits = member.bits;
        if let Some(offset) = bits.from_start {
            return offset;
        }
        let start = member.byte_offset.saturating_mul(8);
        let (Some(top), Some(size)) = (bits.from_top, bits.size) else {
            return start;
        };
        if self.is_big {
            return start.saturating_add(top);
        }
        // The unit that it is stored in is as large as its type, unless it says otherwise.
        let unit = match member.size {
            0 => self.size_at(member.target, 0),
            size => size,
        };
        let before = unit.saturating_mul(8).saturating_add(start);
        before.saturating_sub(top.saturating_add(size))
    }

    fn enumeration(&mut self, die: &Die) -> Node {
        let values = self.dies.children(die);
        let values: Vec<&Die> = values
            .filter(|child| child.tag == dw::DW_TAG_enumerator)
            .collect();
        let is_unsigned = self.is_unsigned(die);
        let is_signed = !is_unsigned && values.iter().any(|value| value.value < 0);
        let fits = |value: i64| {
            i32::try_from(value).is_ok_and(|_| is_signed)
                || u32::try_from(value).is_ok_and(|_| !is_signed)
        };
        let is_wide = !values.iter().all(|value| fits(value.value));
        let mut words = vec![die.name, 0, u32::try_from(die.size).unwrap_or(4)];
        for value in values {
            words.extend([value.name, value.value as u32]);
            if is_wide {
                words.push((value.value >> 32) as u32);
            }
        }
        let code = if is_wide { Code::Enum64 } else { Code::Enum };
        let count = counted(&mut words, if is_wide { 3 } else { 2 });
        words[1] = Info::new(code, count, is_signed).0;
        self.graph.add(&words)
    }

    /// Whether it says, or its type, that no value is negative.
    fn is_unsigned(&self, die: &Die) -> bool {
        let target = self.dies.at(die.target).and_then(|at| self.dies.get(at));
        let encoding = target.map_or(die.encoding, |target| target.encoding);
        matches!(
            gimli::DwAte(encoding),
            dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char | dw::DW_ATE_boolean
        )
    }
}

/// The last word of a member.
fn place(has_bits: bool, offset: u64, size: Option<u64>) -> Option<u32> {
    let offset = u32::try_from(offset).ok()?;
    if !has_bits {
        return Some(offset);
    }
    let size = u8::try_from(size.unwrap_or(0)).ok()?;
    (offset <= 0xff_ffff).then_some(u32::from(size) << 24 | offset)
}
