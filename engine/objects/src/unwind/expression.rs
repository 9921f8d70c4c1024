//! One row of call frame information as a rule.
//!
//! The few DWARF expressions that compilers, linkers and assembly code use are recognised by their
//! form: those of procedure linkage tables, of realigned stacks, and of signal trampolines.

use engine_abi::{FrameRule, UnwindRow};
use gimli::{
    CfaRule, EhFrame, EndianSlice, FrameDescriptionEntry, Operation, Register, RegisterRule,
    RunTimeEndian, UnwindExpression, UnwindTableRow,
};

use super::rows::{plain, saved, units};
use crate::elf::machine::DwarfRegisters;

type Reader<'d> = EndianSlice<'d, RunTimeEndian>;

/// The longest expression that is recognised, in operations: that of procedure linkage tables.
const LONGEST: usize = 9;

/// Makes rules of one section's rows.
pub struct Rules<'s, 'd> {
    pub registers: DwarfRegisters,
    pub frames: &'s EhFrame<Reader<'d>>,
}

/// An address in a frame: a register plus an offset, as it is or loaded from there with an addend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Direct(u16, i64),
    Loaded(u16, i64, u64),
    Plt(i64, u64),
}

impl<'d> Rules<'_, 'd> {
    /// The rule of a row.
    pub fn rule(
        &self,
        entry: &FrameDescriptionEntry<Reader<'d>>,
        row: &UnwindTableRow<usize>,
    ) -> UnwindRow {
        let ra = row.register(Register(self.registers.ra));
        if ra == Some(RegisterRule::Undefined) {
            return plain(FrameRule::End);
        }
        let fp = row.register(Register(self.registers.fp));
        let rule = match entry.is_signal_trampoline() {
            true => self.signal(entry, row.cfa(), ra, fp),
            false => self.frame(entry, row.cfa(), ra, fp),
        };
        rule.unwrap_or(plain(FrameRule::Stop))
    }

    fn frame(
        &self,
        entry: &FrameDescriptionEntry<Reader<'d>>,
        cfa: &CfaRule<usize>,
        ra: Option<RegisterRule<usize>>,
        fp: Option<RegisterRule<usize>>,
    ) -> Option<UnwindRow> {
        let base = self.base(entry, cfa)?;
        let fp = match fp {
            // Relative to the frame pointer, as `FrameRule::AtFp` has it.
            Some(RegisterRule::Expression(at)) if base.rule == FrameRule::AtFp.code() => {
                match self.place(entry, at)? {
                    Place::Direct(register, at) if register == self.registers.fp => Some(at),
                    _ => return None,
                }
            }
            Some(RegisterRule::Offset(_)) if base.rule == FrameRule::AtFp.code() => return None,
            rule => offset(rule)?,
        };
        let ra = match (offset(ra)?, self.registers.has_link) {
            // A call has stored it, so it is somewhere in memory.
            (None, false) => return None,
            (at, _) => at,
        };
        Some(UnwindRow {
            ra: saved(ra)?,
            fp: saved(fp)?,
            ..base
        })
    }

    /// How the CFA is computed.
    fn base(
        &self,
        entry: &FrameDescriptionEntry<Reader<'d>>,
        cfa: &CfaRule<usize>,
    ) -> Option<UnwindRow> {
        let place = match cfa {
            CfaRule::RegisterAndOffset { register, offset } => Place::Direct(register.0, *offset),
            CfaRule::Expression(expression) => self.place(entry, *expression)?,
        };
        let is_sp = |register: u16| match register {
            _ if register == self.registers.sp => Some(true),
            _ if register == self.registers.fp => Some(false),
            _ => None,
        };
        let (rule, cfa, extra) = match place {
            Place::Direct(register, at) if is_sp(register)? => (FrameRule::Sp, at, 0),
            Place::Direct(_, at) => (FrameRule::Fp, at, 0),
            Place::Loaded(register, at, more) => {
                let more = units(i64::try_from(more).ok()?)?;
                match is_sp(register)? {
                    true => (FrameRule::AtSp, at, more),
                    false => (FrameRule::AtFp, at, more),
                }
            }
            Place::Plt(at, from) => (FrameRule::Plt, at, i16::try_from(from).ok()?),
        };
        Some(UnwindRow {
            cfa: units(cfa)?,
            extra: extra.try_into().ok()?,
            ..plain(rule)
        })
    }

    /// A signal trampoline whose registers are stored at constant distances from the stack pointer.
    fn signal(
        &self,
        entry: &FrameDescriptionEntry<Reader<'d>>,
        cfa: &CfaRule<usize>,
        ra: Option<RegisterRule<usize>>,
        fp: Option<RegisterRule<usize>>,
    ) -> Option<UnwindRow> {
        let CfaRule::Expression(cfa) = cfa else {
            return None;
        };
        let cfa = match self.place(entry, *cfa)? {
            Place::Loaded(register, at, 0) if register == self.registers.sp => at,
            _ => return None,
        };
        let at = |rule| match rule {
            Some(RegisterRule::Expression(at)) => match self.place(entry, at)? {
                Place::Direct(register, at) if register == self.registers.sp => units(at),
                _ => None,
            },
            _ => None,
        };
        Some(UnwindRow {
            cfa: units(cfa)?,
            ra: at(ra)?,
            fp: at(fp)?,
            ..plain(FrameRule::Signal)
        })
    }

    /// Recognises an expression.
    fn place(
        &self,
        entry: &FrameDescriptionEntry<Reader<'d>>,
        expression: UnwindExpression<usize>,
    ) -> Option<Place> {
        use Operation::{
            And, Deref, Ge, Plus, PlusConstant, RegisterOffset, Shl, UnsignedConstant,
        };
        let expression = expression.get(self.frames).ok()?;
        let mut steps = expression.operations(entry.cie().encoding());
        let mut found = Vec::with_capacity(LONGEST);
        while let Some(step) = steps.next().ok()? {
            if found.len() == LONGEST {
                return None;
            }
            found.push(step);
        }
        let RegisterOffset {
            register, offset, ..
        } = *found.first()?
        else {
            return None;
        };
        match found.get(1..)? {
            [] => Some(Place::Direct(register.0, offset)),
            [Deref { .. }] => Some(Place::Loaded(register.0, offset, 0)),
            [Deref { .. }, PlusConstant { value }] => {
                Some(Place::Loaded(register.0, offset, *value))
            }
            // sp + offset + (pc & 15 >= from) << 3
            [
                RegisterOffset {
                    register: pc,
                    offset: 0,
                    ..
                },
                UnsignedConstant { value: 15 },
                And,
                UnsignedConstant { value: from },
                Ge,
                UnsignedConstant { value: 3 },
                Shl,
                Plus,
            ] if (register.0, pc.0) == (self.registers.sp, self.registers.ra) => {
                Some(Place::Plt(offset, *from))
            }
            _ => None,
        }
    }
}

/// The offset from the CFA where a register was saved, none if it was not.
#[expect(
    clippy::option_option,
    reason = "not expressible, not saved, and saved"
)]
fn offset(rule: Option<RegisterRule<usize>>) -> Option<Option<i64>> {
    match rule {
        None | Some(RegisterRule::Undefined | RegisterRule::SameValue) => Some(None),
        Some(RegisterRule::Offset(offset)) => Some(Some(offset)),
        Some(_) => None,
    }
}
