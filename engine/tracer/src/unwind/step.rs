//! One step: from a frame to its caller.

use engine_abi::{FrameRule, UnwindRow};

use super::{At, Convention, End, Frame, Stack};

/// The caller of a frame.
///
/// # Errors
/// Why it has none, or none that can be found.
pub fn caller<S: Stack>(
    stack: &mut S,
    convention: &Convention,
    frame: &Frame,
) -> Result<Frame, End> {
    let mut step = Step {
        stack,
        convention,
        frame,
    };
    let address = match frame.at {
        At::Entry => return step.entered(),
        At::Instruction => frame.pc,
        At::Call => frame.pc.wrapping_sub(1),
    };
    let row = step.stack.row(address).unwrap_or_default();
    match FrameRule::from_code(row.rule) {
        Some(FrameRule::None) => step.chained(),
        Some(FrameRule::End) => Err(End::Outermost),
        Some(FrameRule::Stop) | None => Err(End::NotExpressible),
        Some(FrameRule::Signal) => step.interrupted(&row),
        Some(rule) => step.described(rule, &row),
    }
}

struct Step<'a, S> {
    stack: &'a mut S,
    convention: &'a Convention,
    frame: &'a Frame,
}

impl<S: Stack> Step<'_, S> {
    /// Nothing has been executed since the call.
    fn entered(&mut self) -> Result<Frame, End> {
        let Frame { sp, fp, lr, .. } = *self.frame;
        if self.convention.call_pushes {
            let ra = self.word(sp)?;
            return self.called(ra, sp.wrapping_add(self.convention.word), fp);
        }
        self.called(lr.ok_or(End::Lost)?, sp, fp)
    }

    /// By a row that gives the CFA.
    fn described(&mut self, rule: FrameRule, row: &UnwindRow) -> Result<Frame, End> {
        let Frame { sp, fp, lr, .. } = *self.frame;
        let base = match rule {
            FrameRule::Fp | FrameRule::AtFp => fp,
            _ => sp,
        };
        let base = offset(base, row.cfa);
        let cfa = match rule {
            FrameRule::AtSp | FrameRule::AtFp => offset(self.word(base)?, row.extra.into()),
            FrameRule::Plt if self.has_pushed(row) => base.wrapping_add(self.convention.word),
            _ => base,
        };
        let ra = match row.ra {
            UnwindRow::KEPT => lr.ok_or(End::Lost)?,
            _ if cfa == sp => return Err(End::NotGrowing),
            ra => self.word(offset(cfa, ra))?,
        };
        let fp = match (row.fp, rule) {
            (UnwindRow::KEPT, _) => fp,
            (at, FrameRule::AtFp) => self.word(offset(fp, at))?,
            (at, _) => self.word(offset(cfa, at))?,
        };
        self.called(ra, cfa, fp)
    }

    /// Whether the code of a linkage table's entry has pushed its number.
    fn has_pushed(&self, row: &UnwindRow) -> bool {
        let at = self.frame.pc as u64 % UnwindRow::PLT_ENTRY;
        at >= u64::from(row.extra.unsigned_abs())
    }

    /// By the frame pointer.
    fn chained(&mut self) -> Result<Frame, End> {
        let Frame { sp, fp, .. } = *self.frame;
        let chain = self.convention.chain.ok_or(End::NoTable)?;
        // A frame pointer that points elsewhere is in use for something else.
        if fp < sp {
            return Err(End::NoTable);
        }
        let ra = self.word(fp.wrapping_add_signed(chain.ra))?;
        let outer = self.word(fp.wrapping_add_signed(chain.fp))?;
        let end = fp.wrapping_add_signed(chain.end);
        if end <= sp {
            return Err(End::NotGrowing);
        }
        self.called(ra, end, outer)
    }

    /// The frame that a signal interrupted.
    fn interrupted(&mut self, row: &UnwindRow) -> Result<Frame, End> {
        let sp = self.frame.sp;
        let stored = offset(sp, row.ra);
        let pc = self.word(stored)?;
        let lr = match row.extra {
            0 => None,
            extra => Some(self.word(offset(stored, extra.into()))?),
        };
        Ok(Frame {
            pc: pc & self.convention.address,
            sp: self.word(offset(sp, row.cfa))?,
            fp: self.word(offset(sp, row.fp))?,
            lr,
            at: At::Instruction,
        })
    }

    /// The frame that a return address belongs to.
    fn called(&self, ra: usize, sp: usize, fp: usize) -> Result<Frame, End> {
        let pc = ra & self.convention.address;
        if sp < self.frame.sp {
            return Err(End::NotGrowing);
        }
        if pc == 0 {
            return Err(End::Outermost);
        }
        Ok(Frame {
            pc,
            sp,
            fp,
            lr: None,
            at: At::Call,
        })
    }

    fn word(&mut self, address: usize) -> Result<usize, End> {
        self.stack.word(address).ok_or(End::Unreadable)
    }
}

/// An address some units from another one. It wraps, as what it is computed from may be anything.
fn offset(address: usize, units: i16) -> usize {
    address.wrapping_add_signed(isize::from(units).wrapping_mul(UnwindRow::UNIT as isize))
}
