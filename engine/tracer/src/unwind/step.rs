//! One step: from a frame to its caller.

use engine_abi::{FrameRule, UnwindRow};

use super::{At, End, Frame, Stack, called, chain, words};
use crate::platform::FrameLayout;

/// The caller of a frame.
///
/// # Errors
/// Why it has none, or none that can be found.
pub fn caller<S: Stack>(stack: &mut S, layout: FrameLayout, frame: &Frame) -> Result<Frame, End> {
    let mut step = Step {
        stack,
        layout,
        frame,
    };
    let address = match frame.at {
        At::Bare => return step.bare(),
        At::Instruction => frame.pc,
        At::Call => frame.pc.wrapping_sub(1),
    };
    let row = step.stack.row(address).unwrap_or_default();
    match FrameRule::from_code(row.rule) {
        Some(FrameRule::None) => chain::caller(step.stack, layout, frame),
        Some(FrameRule::End) => Err(End::Outermost),
        Some(FrameRule::Stop) | None => Err(End::NotExpressible),
        Some(FrameRule::Signal) => step.interrupted(&row),
        Some(rule) => step.described(rule, &row),
    }
}

struct Step<'a, S> {
    stack: &'a mut S,
    layout: FrameLayout,
    frame: &'a Frame,
}

impl<S: Stack> Step<'_, S> {
    /// By what the call left.
    fn bare(&mut self) -> Result<Frame, End> {
        let Frame { sp, fp, lr, .. } = *self.frame;
        if self.layout.has_link {
            return self.called(lr.ok_or(End::Lost)?, sp, fp);
        }
        let ra = self.word(sp)?;
        self.called(ra, sp.wrapping_add(self.layout.word.into()), fp)
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
            FrameRule::Plt if self.has_pushed(row) => base.wrapping_add(self.layout.word.into()),
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
        let at = self.frame.pc % UnwindRow::PLT_ENTRY;
        at >= u64::from(row.extra.unsigned_abs())
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
            pc: pc & self.layout.mask,
            sp: self.word(offset(sp, row.cfa))?,
            fp: self.word(offset(sp, row.fp))?,
            lr,
            at: At::Instruction,
        })
    }

    /// The frame that a return address belongs to.
    fn called(&self, ra: u64, sp: u64, fp: u64) -> Result<Frame, End> {
        if sp < self.frame.sp {
            return Err(End::NotGrowing);
        }
        called(self.layout, ra, sp, fp)
    }

    fn word(&mut self, address: u64) -> Result<u64, End> {
        words(self.stack, self.layout, address).map(|[word]| word)
    }
}

/// An address some units from another one. It wraps, as what it is computed from may be anything.
fn offset(address: u64, units: i16) -> u64 {
    address.wrapping_add_signed(i64::from(units).wrapping_mul(UnwindRow::UNIT))
}
