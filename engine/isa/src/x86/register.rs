//! The registers of interrupted code, and the sixteen general registers.

use core::mem::offset_of;

use crate::Width;

/// The registers of interrupted code, laid out like Linux's `struct pt_regs`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the registers'")]
pub struct Regs {
    pub r15: u64,
    pub r14: u64,
    pub r13: u64,
    pub r12: u64,
    pub bp: u64,
    pub bx: u64,
    pub r11: u64,
    pub r10: u64,
    pub r9: u64,
    pub r8: u64,
    pub ax: u64,
    pub cx: u64,
    pub dx: u64,
    pub si: u64,
    pub di: u64,
    /// The system call number, or the error code of the trap.
    pub orig_ax: u64,
    /// The address of the probed instruction.
    pub ip: u64,
    pub cs: u64,
    pub flags: u64,
    pub sp: u64,
    pub ss: u64,
}

const _: () = {
    assert!(size_of::<Regs>() == 168 && align_of::<Regs>() == 8);
    assert!(offset_of!(Regs, r15) == 0 && offset_of!(Regs, bp) == 32);
    assert!(offset_of!(Regs, r8) == 72 && offset_of!(Regs, ax) == 80);
    assert!(offset_of!(Regs, di) == 112 && offset_of!(Regs, orig_ax) == 120);
    assert!(offset_of!(Regs, ip) == 128 && offset_of!(Regs, cs) == 136);
    assert!(offset_of!(Regs, flags) == 144 && offset_of!(Regs, sp) == 152);
    assert!(offset_of!(Regs, ss) == 160);
};

/// Defines everything about the general registers from one list, in the order of their numbers.
macro_rules! general_registers {
    ($($variant:ident $field:ident $eight:literal $four:literal $two:literal $one:literal;)+) => {
        /// A general register.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum General {
            $($variant,)+
        }

        impl General {
            const ALL: [Self; 16] = [$(Self::$variant),+];

            /// The name of its low `width`.
            pub(super) const fn name(self, width: Width) -> &'static str {
                match (self, width) {
                    $((Self::$variant, Width::Eight) => $eight,
                    (Self::$variant, Width::Four) => $four,
                    (Self::$variant, Width::Two) => $two,
                    (Self::$variant, Width::One) => $one,)+
                }
            }
        }

        impl Regs {
            pub(super) const fn general(&self, register: General) -> u64 {
                match register {
                    $(General::$variant => self.$field,)+
                }
            }
        }
    };
}

general_registers! {
    Ax ax "rax" "eax" "ax" "al";
    Cx cx "rcx" "ecx" "cx" "cl";
    Dx dx "rdx" "edx" "dx" "dl";
    Bx bx "rbx" "ebx" "bx" "bl";
    Sp sp "rsp" "esp" "sp" "spl";
    Bp bp "rbp" "ebp" "bp" "bpl";
    Si si "rsi" "esi" "si" "sil";
    Di di "rdi" "edi" "di" "dil";
    R8 r8 "r8" "r8d" "r8w" "r8b";
    R9 r9 "r9" "r9d" "r9w" "r9b";
    R10 r10 "r10" "r10d" "r10w" "r10b";
    R11 r11 "r11" "r11d" "r11w" "r11b";
    R12 r12 "r12" "r12d" "r12w" "r12b";
    R13 r13 "r13" "r13d" "r13w" "r13b";
    R14 r14 "r14" "r14d" "r14w" "r14b";
    R15 r15 "r15" "r15d" "r15w" "r15b";
}

impl General {
    /// The register with this number, 0 to 15.
    pub(super) fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}
