//! Unwind tables: how a frame's caller is found from the address of its code.
//!
//! The command makes a table for each object of a process, from what compilers left there for
//! exceptions. A row is valid from its address up to that of the next row.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::codes;

/// A row of an object's unwind table. Rows are sorted by address, and no two have the same.
///
/// The canonical frame address (CFA) is the caller's stack pointer, as it is after the return.
/// Offsets count units of [`UnwindRow::UNIT`] bytes.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    FromBytes,
    IntoBytes,
    KnownLayout,
    Immutable,
)]
#[repr(C)]
pub struct UnwindRow {
    /// The first address that it is for, in the object: the process's without the object's bias.
    pub start: u32,
    /// The code of a [`FrameRule`].
    pub rule: u8,
    /// By the rule; 0 where it mentions none.
    pub extra: i8,
    /// The offset of the CFA, by the rule.
    pub cfa: i16,
    /// Where the return address was saved, relative to the CFA; or [`UnwindRow::KEPT`].
    pub ra: i16,
    /// Where the caller's frame pointer was saved, relative to the CFA; or [`UnwindRow::KEPT`].
    pub fp: i16,
}

const _: () = assert!(size_of::<UnwindRow>() == 12);

impl UnwindRow {
    /// The unit of its offsets, in bytes.
    pub const UNIT: i64 = 4;
    /// The offset of a register that was not saved: the return address is in the link register, or the
    /// frame pointer is the caller's.
    pub const KEPT: i16 = i16::MIN;
    /// The addresses that an entry of a procedure linkage table has on x86-64, in bytes.
    pub const PLT_ENTRY: u64 = 16;
}

codes! {
    /// How the CFA of a frame is computed.
    FrameRule: u8, text {
        /// The tables do not cover this code. Its frame pointer, if it keeps one, still leads on.
        None = 0 "no table",
        /// The frame is described, but in a way that no row can express.
        Stop = 1 "not expressible",
        /// The code has no caller.
        End = 2 "outermost",
        /// The stack pointer plus `cfa`.
        Sp = 3 "sp",
        /// The frame pointer plus `cfa`.
        Fp = 4 "fp",
        /// What is stored at the stack pointer plus `cfa`, plus `extra`.
        AtSp = 5 "at sp",
        /// What is stored at the frame pointer plus `cfa`, plus `extra`. `fp` is relative to the frame
        /// pointer: the distance to the CFA is not constant.
        AtFp = 6 "at fp",
        /// The stack pointer plus `cfa`, and a word more from byte `extra` of the linkage table's
        /// entry on, where its number has been pushed. Here `extra` counts bytes.
        Plt = 7 "plt",
        /// A signal handler's caller. `cfa`, `ra` and `fp` are relative to the stack pointer, and the
        /// interrupted code's stack pointer, address and frame pointer are stored there. Its link
        /// register is stored `extra` after its address; 0 if it has none.
        Signal = 8 "signal",
    }
}
