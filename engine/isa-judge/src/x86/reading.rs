//! What the disassembler and our row say about the same bytes.

use engine_isa::x86::{self, ROWS, Row};

use super::shape::Bytes;
use crate::spelling::Reading;

pub(super) fn row<const WIDE: bool>(bytes: &Bytes) -> &'static Row {
    let row = if WIDE { x86::row } else { x86::row_ia32 };
    &ROWS[row(bytes)]
}

/// The mnemonic without prefixes.
pub(super) fn mnemonic(reading: &Reading) -> &str {
    reading.mnemonic.rsplit(' ').next().unwrap_or_default()
}

/// Whether a mnemonic is a call, a return or a relative branch.
pub(super) fn is_near_branch(mnemonic: &str, name: &str) -> bool {
    let goes = ["call", "ret", "loop", "loope", "loopne"];
    let is_relative = mnemonic.starts_with('j') && name != "jmp r/m";
    (is_relative || goes.contains(&mnemonic)) && !name.contains("far")
}

/// An instruction's length by our decoder.
pub(super) const fn length<const WIDE: bool>() -> fn(&Bytes) -> Option<usize> {
    if WIDE { x86::length } else { x86::length_ia32 }
}
