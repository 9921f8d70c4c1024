//! Drives Unicorn for x86-64 and 32-bit programs. It does not implement AVX: instructions with a
//! VEX or EVEX run on the host's processor only.

use unicorn_engine::unicorn_const::{Arch, Mode, TlbType};
use unicorn_engine::{RegisterX86, Unicorn, X86CpuModel};

use super::places::{FS_BASE, MXCSR, RFLAGS, RIP, ST0, ZMM, ZMM0};
use super::set::Of;
use crate::machine::{Emulated, SOUND, Uc};
use crate::state::State;

/// Unicorn's numbers of the general registers.
const GENERAL: [RegisterX86; 16] = [
    RegisterX86::RAX,
    RegisterX86::RCX,
    RegisterX86::RDX,
    RegisterX86::RBX,
    RegisterX86::RSP,
    RegisterX86::RBP,
    RegisterX86::RSI,
    RegisterX86::RDI,
    RegisterX86::R8,
    RegisterX86::R9,
    RegisterX86::R10,
    RegisterX86::R11,
    RegisterX86::R12,
    RegisterX86::R13,
    RegisterX86::R14,
    RegisterX86::R15,
];
/// The eight 32-bit registers.
const NARROW: [RegisterX86; 8] = [
    RegisterX86::EAX,
    RegisterX86::ECX,
    RegisterX86::EDX,
    RegisterX86::EBX,
    RegisterX86::ESP,
    RegisterX86::EBP,
    RegisterX86::ESI,
    RegisterX86::EDI,
];
const BASES: [RegisterX86; 2] = [RegisterX86::FS_BASE, RegisterX86::GS_BASE];
const STATUS: [RegisterX86; 4] = [
    RegisterX86::MXCSR,
    RegisterX86::FPCW,
    RegisterX86::FPSW,
    RegisterX86::FPTAG,
];

/// The registers that exist in a mode.
struct Present {
    general: &'static [RegisterX86],
    pc: RegisterX86,
    flags: RegisterX86,
    bases: &'static [RegisterX86],
    vectors: i32,
}

impl<const WIDE: bool> Of<WIDE> {
    const PRESENT: Present = if WIDE {
        Present {
            general: &GENERAL,
            pc: RegisterX86::RIP,
            flags: RegisterX86::RFLAGS,
            bases: &BASES,
            vectors: 16,
        }
    } else {
        Present {
            general: &NARROW,
            pc: RegisterX86::EIP,
            flags: RegisterX86::EFLAGS,
            bases: &[],
            vectors: 8,
        }
    };
}

impl<const WIDE: bool> Emulated for Of<WIDE> {
    /// A pending exception: the next would count as a double fault.
    const REMEMBERS: bool = true;

    fn open(_: &'static str) -> Uc {
        let mode = if WIDE { Mode::MODE_64 } else { Mode::MODE_32 };
        let mut uc = Unicorn::new_with_data(Arch::X86, mode, None).expect(SOUND);
        uc.ctl_set_cpu_model(X86CpuModel::EPYC_ROME as i32)
            .expect(SOUND);
        // As with paging: otherwise an address is truncated to the size of memory.
        uc.ctl_set_tlb_type(TlbType::VIRTUAL).expect(SOUND);
        uc
    }

    fn write(uc: &mut Uc, state: &State, is_wide: bool) {
        let mut put = |register: RegisterX86, value| uc.reg_write(register, value).expect(SOUND);
        for (register, value) in Self::PRESENT.general.iter().zip(&state[0..]) {
            put(*register, *value);
        }
        put(Self::PRESENT.flags, state[RFLAGS]);
        for (register, value) in Self::PRESENT.bases.iter().zip(&state[FS_BASE..]) {
            put(*register, *value);
        }
        if !is_wide {
            return;
        }
        for (register, value) in STATUS.into_iter().zip(&state[MXCSR..]) {
            put(register, *value);
        }
        for (number, halves) in (0..8).zip(state[ST0..].chunks_exact(2)) {
            long(uc, RegisterX86::ST0 as i32 + number, &bytes(halves)[..10]);
        }
        for (number, parts) in (0..Self::PRESENT.vectors).zip(state[ZMM0..].chunks_exact(ZMM)) {
            long(uc, RegisterX86::XMM0 as i32 + number, &bytes(&parts[..2]));
        }
    }

    fn registers(uc: &Uc, state: &mut State, is_wide: bool) {
        let get = |register: RegisterX86| uc.reg_read(register).expect(SOUND);
        for (register, value) in Self::PRESENT.general.iter().zip(&mut state[0..]) {
            *value = get(*register);
        }
        state[RIP] = get(Self::PRESENT.pc);
        state[RFLAGS] = get(Self::PRESENT.flags);
        for (register, value) in Self::PRESENT.bases.iter().zip(&mut state[FS_BASE..]) {
            *value = get(*register);
        }
        if !is_wide {
            return;
        }
        for (register, value) in STATUS.into_iter().zip(&mut state[MXCSR..]) {
            *value = get(register);
        }
        for (number, halves) in (0..8).zip(state[ST0..].chunks_exact_mut(2)) {
            read_long(uc, RegisterX86::ST0 as i32 + number, halves);
        }
        for (number, parts) in (0..Self::PRESENT.vectors).zip(state[ZMM0..].chunks_exact_mut(ZMM)) {
            read_long(uc, RegisterX86::XMM0 as i32 + number, &mut parts[..2]);
        }
    }
}

fn bytes(parts: &[u64]) -> Vec<u8> {
    parts.iter().flat_map(|part| part.to_le_bytes()).collect()
}

fn long(uc: &Uc, register: i32, bytes: &[u8]) {
    uc.reg_write_long(register, bytes).expect(SOUND);
}

fn read_long(uc: &Uc, register: i32, parts: &mut [u64]) {
    let mut bytes = uc.reg_read_long(register).expect(SOUND).into_vec();
    bytes.resize(8 * parts.len(), 0);
    for (part, bytes) in parts.iter_mut().zip(bytes.chunks_exact(8)) {
        *part = bytes
            .iter()
            .rev()
            .fold(0, |part, byte| part << 8 | u64::from(*byte));
    }
}
