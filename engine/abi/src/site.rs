//! `PID_SITE`: probes whose places a program itself names (USDT).

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::{Description, REASON_LEN};

/// The most arguments of a probe. SystemTap's notes have up to 12.
pub const OPERANDS_MAX: usize = 12;

/// `PID_SITE`: creates a probe of a process at an instruction that its program names, or adds that
/// instruction to the probe of these names and this function. Errors are those of `PID_PROBES`, and
/// `EINVAL` for a provider without a name or named `pid`, or an operand that is not one.
///
/// The probe exists until the process is gone or the last consumer that asked for it is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct PidSite {
    /// In: the probe's names, taken literally. The process ID is added to the provider's, as in
    /// `python3711`.
    pub description: Description,
    /// In: the instruction's address in the process; that of Thumb code is odd.
    pub address: u64,
    /// In: the address of the function that it lies in, or `address` if that is not known.
    pub function: u64,
    /// In: the function's size in bytes; 0 if it is not known.
    pub size: u64,
    /// In: the address of a 16-bit counter, which is 1 higher while the probe is armed; 0 for none. It
    /// has to be even, and in memory that the process may write and does not share.
    pub semaphore: u64,
    /// In: the process ID, in the caller's PID namespace.
    pub pid: u32,
    /// In: the number of arguments, at most [`OPERANDS_MAX`].
    pub count: u32,
    /// In: where each argument is.
    pub operands: [Operand; OPERANDS_MAX],
    /// Out: 1 if the probe exists.
    pub provided: u32,
    /// Out: 1 if it was refused.
    pub refused: u32,
    /// Out: why, or which bound is reached; NUL-terminated.
    pub reason: [u8; REASON_LEN],
}

/// Where a probe's argument is when its instruction is executed.
///
/// Registers, each of them multiplied by its power of 2, and the displacement are added up, modulo
/// the width of a pointer. That is the argument, or the address of it. Of the argument, so many bytes
/// are taken, with their sign.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Operand {
    /// The displacement, or the argument itself if it is a constant.
    pub displacement: i64,
    /// A register, by its index in `uregs[]`; [`NO_REGISTER`] for none.
    pub base: u8,
    /// Another one; [`NO_REGISTER`] for none.
    pub index: u8,
    /// The power of 2 that the second one is multiplied by, at most 32: two registers of 32 bits can
    /// be an argument of 64.
    pub scale: u8,
    /// The number of the argument's lowest bit; not 0 for a register such as `%ah`.
    pub shift: u8,
    /// The argument's size in bytes: 1, 2, 4 or 8.
    pub size: u8,
    /// Of [`IN_MEMORY`], [`IS_SIGNED`], [`INDEX_IS_WORD`] and [`INDEX_IS_SIGNED`].
    pub flags: u8,
    /// Zero.
    pub reserved: u16,
}

/// In [`Operand`]: no register.
pub const NO_REGISTER: u8 = 0xff;

/// In [`Operand::flags`]: the sum is the argument's address.
pub const IN_MEMORY: u8 = 1 << 0;

/// In [`Operand::flags`]: the argument is signed.
pub const IS_SIGNED: u8 = 1 << 1;

/// In [`Operand::flags`]: only the lower 32 bits of the second register count.
pub const INDEX_IS_WORD: u8 = 1 << 2;

/// In [`Operand::flags`], with [`INDEX_IS_WORD`]: these bits are a signed number.
pub const INDEX_IS_SIGNED: u8 = 1 << 3;

const FLAGS: u8 = IN_MEMORY | IS_SIGNED | INDEX_IS_WORD | INDEX_IS_SIGNED;

impl Operand {
    /// A constant.
    pub const fn constant(value: i64) -> Self {
        Self {
            displacement: value,
            base: NO_REGISTER,
            index: NO_REGISTER,
            scale: 0,
            shift: 0,
            size: 8,
            flags: IS_SIGNED,
            reserved: 0,
        }
    }

    /// Whether it has no value that is not defined.
    pub const fn is_valid(&self) -> bool {
        self.scale <= 32
            && self.shift < 64
            && matches!(self.size, 1 | 2 | 4 | 8)
            && self.flags & !FLAGS == 0
            && self.reserved == 0
    }
}

impl PidSite {
    /// A request for a probe without arguments and without a counter, in no known function.
    pub const fn new(pid: u32, description: Description, address: u64) -> Self {
        Self {
            description,
            address,
            function: address,
            size: 0,
            semaphore: 0,
            pid,
            count: 0,
            operands: [Operand::constant(0); OPERANDS_MAX],
            provided: 0,
            refused: 0,
            reason: [0; REASON_LEN],
        }
    }
}

const _: () = {
    assert!(size_of::<Operand>() == 16);
    assert!(size_of::<PidSite>() == 752);
};
