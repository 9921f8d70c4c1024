//! The signal trampoline of arm64, which is the vDSO's. The kernel describes it for no unwinder.

use engine_abi::{FrameRule, UnwindRow};
use object::elf::EM_AARCH64;
use object::read::ReadRef;

use super::Found;
use super::rows::Span;
use crate::elf::Elf;

/// `mov x8, #139` and `svc #0`: the system call rt_sigreturn.
const TRAMPOLINE: [u8; 8] = [0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4];

/// The largest file that is searched, in bytes: no vDSO has more.
const SEARCHED: u64 = 64 << 10;

/// Offsets in what the stack pointer points to in the trampoline, `struct rt_sigframe` of the
/// kernel's `arch/arm64/kernel/signal.c`, in bytes: `uc.uc_mcontext` begins at 304.
const FP: i64 = 304 + 8 + 29 * 8;
const LR: i64 = FP + 8;
const SP: i64 = LR + 8;
const PC: i64 = SP + 8;

/// Adds the trampoline, if the object has one and is no larger than a vDSO.
pub fn read<'d, R: ReadRef<'d>>(elf: &Elf, data: R, found: &mut Found) {
    let size = data.len().unwrap_or(u64::MAX);
    if elf.machine.0 != EM_AARCH64.0 || size > SEARCHED {
        return;
    }
    let bytes = data.read_bytes_at(0, size).unwrap_or_default();
    let mut words = (0..)
        .step_by(4)
        .zip(bytes.windows(TRAMPOLINE.len()).step_by(4));
    if let Some((offset, _)) = words.find(|(_, words)| *words == TRAMPOLINE) {
        found.spans.push(trampoline(offset));
    }
}

/// Its row, at an address that is the offset: a vDSO is linked to 0. The handler's return address
/// is looked up by the byte before it, so the row begins with the instruction before.
fn trampoline(offset: u64) -> Span {
    let units = |bytes| (bytes / UnwindRow::UNIT) as i16;
    Span {
        start: offset.saturating_sub(4),
        end: offset + TRAMPOLINE.len() as u64,
        rule: UnwindRow {
            start: 0,
            rule: FrameRule::Signal.code(),
            extra: ((LR - PC) / UnwindRow::UNIT) as i8,
            cfa: units(SP),
            ra: units(PC),
            fp: units(FP),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_the_trampoline_holds_for_the_handlers_return_address() {
        let Span { start, end, rule } = trampoline(0x7d0);
        assert_eq!((start, end), (0x7cc, 0x7d8));
        let [sp, pc, fp] = [rule.cfa, rule.ra, rule.fp].map(|it| i64::from(it) * UnwindRow::UNIT);
        assert_eq!([fp, sp, pc], [544, 560, 568]);
        assert_eq!(pc + i64::from(rule.extra) * UnwindRow::UNIT, 552);
    }
}
