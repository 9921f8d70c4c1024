//! Drives Unicorn for A64: the processors, their reset state, and their registers.

use std::cell::RefCell;

use engine_isa::arm64::Processor;
use unicorn_engine::unicorn_const::{Arch, Mode, Prot};
use unicorn_engine::{Arm64CpuModel, RegisterARM64, RegisterARM64CP, Unicorn};

use super::places::{A64, FPCR, PC, PSTATE, Q0, SP};
use crate::machine::{Emulated, SOUND, Uc};
use crate::state::State;

impl Emulated for A64 {
    /// The predicates, which can be restored in no other way.
    const REMEMBERS: bool = true;

    const UNDEFINED: Option<u32> = Some(1);

    fn open(processor: &'static str) -> Uc {
        let mut uc = Unicorn::new_with_data(Arch::ARM64, Mode::ARM, None).expect(SOUND);
        let model = match processor {
            "a72" => Arm64CpuModel::A72,
            _ => Arm64CpuModel::MAX,
        };
        uc.ctl_set_cpu_model(model as i32).expect(SOUND);
        set(&mut uc, CPACR, 0b11 << 20 | 0b11 << 16);
        if processor == "max" {
            let secure = get(&mut uc, SCR) | NOT_SECURE | SIGN_BELOW;
            set(&mut uc, SCR, secure);
            let hypervisor = get(&mut uc, HCR) | SIGN_BELOW << 24;
            set(&mut uc, HCR, hypervisor);
            let control = get(&mut uc, SCTLR) | SIGN_WITH_EACH_KEY;
            set(&mut uc, SCTLR, control);
            for (number, half) in (0..10).enumerate() {
                set(&mut uc, key(half), KEY.rotate_left(number as u32 * 7));
            }
            set_predicates(&mut uc);
        }
        uc
    }

    fn write(uc: &mut Uc, state: &State, is_wide: bool) {
        let mut put = |register: i32, value: u64| uc.reg_write(register, value).expect(SOUND);
        put(RegisterARM64::PSTATE.into(), state[PSTATE]);
        for (number, value) in state[0..SP].iter().enumerate() {
            put(general(number), *value);
        }
        put(RegisterARM64::SP.into(), state[SP]);
        if !is_wide {
            return;
        }
        put(RegisterARM64::FPCR.into(), state[FPCR]);
        put(RegisterARM64::FPSR.into(), state[FPCR + 1]);
        for (number, halves) in (0..).zip(state[Q0..].chunks_exact(2)) {
            let value = u128::from(halves[1]) << 64 | u128::from(halves[0]);
            let register = i32::from(RegisterARM64::Q0) + number;
            uc.reg_write_long(register, &value.to_le_bytes())
                .expect(SOUND);
        }
    }

    fn registers(uc: &Uc, state: &mut State, is_wide: bool) {
        let get = |register: i32| uc.reg_read(register).expect(SOUND);
        for number in 0..SP {
            state[number] = get(general(number));
        }
        state[SP] = get(RegisterARM64::SP.into());
        state[PC] = get(RegisterARM64::PC.into());
        state[PSTATE] = get(RegisterARM64::PSTATE.into());
        if !is_wide {
            return;
        }
        state[FPCR] = get(RegisterARM64::FPCR.into());
        state[FPCR + 1] = get(RegisterARM64::FPSR.into());
        for number in 0..32 {
            let register = i32::from(RegisterARM64::D0) + number as i32;
            state[Q0 + 2 * number] = get(register);
            state[Q0 + 2 * number + 1] = high_half(uc, number);
        }
    }
}

/// The upper half of a vector register.
fn high_half(uc: &Uc, number: usize) -> u64 {
    let register = i32::from(RegisterARM64::Q0) + number as i32;
    let bytes = uc.reg_read_long(register).expect(SOUND);
    let half = bytes.last_chunk().copied().expect(SOUND);
    u64::from_le_bytes(half)
}

/// Sets the vector length to 128 bits, and makes every predicate true for other elements.
fn set_predicates(uc: &mut Uc) {
    const FIRST: [u32; 3] = [0x2518_e3e0, 0x2558_e020, 0x2598_e3e0];
    set(uc, ZCR, 0);
    set(uc, CPTR, 1 << 8);
    let set_first_fault = 0x252c_9000;
    let words = (0..16).map(|predicate| FIRST[predicate as usize % 3] | predicate);
    let words: Vec<u8> = std::iter::once(set_first_fault)
        .chain(words)
        .flat_map(u32::to_le_bytes)
        .collect();
    uc.mem_map(AT, 0x1000, Prot::ALL).expect(SOUND);
    uc.mem_write(AT, &words).expect(SOUND);
    uc.emu_start(AT, AT + words.len() as u64, 0, 0)
        .expect(SOUND);
    uc.mem_unmap(AT, 0x1000).expect(SOUND);
}

/// Unicorn's number of x0 to x30.
fn general(number: usize) -> i32 {
    match number {
        29 => RegisterARM64::X29.into(),
        30 => RegisterARM64::X30.into(),
        _ => i32::from(RegisterARM64::X0) + number as i32,
    }
}

/// A system register: CRn, CRm, op1 and op2; op0 is 3.
type System = [u32; 4];

const CPACR: System = [1, 0, 0, 2];
const SCTLR: System = [1, 0, 0, 0];
const ZCR: System = [1, 2, 0, 0];
/// CPTR_EL3.
const CPTR: System = [1, 1, 6, 2];
const SCR: System = [1, 1, 6, 0];
const HCR: System = [1, 1, 4, 0];
/// SCR_EL3.NS and RW.
const NOT_SECURE: u64 = 1 << 10 | 1;
/// API and APK: lower exception levels may use pointer authentication. In HCR_EL2 they are 24 bits
/// higher.
const SIGN_BELOW: u64 = 0b11 << 16;
/// EnIA, EnIB, EnDA and EnDB.
const SIGN_WITH_EACH_KEY: u64 = 1 << 31 | 1 << 30 | 1 << 27 | 1 << 13;
/// The value of the keys.
const KEY: u64 = 0x0123_4567_89ab_cdef;

/// Half of one of the five keys.
const fn key(half: u32) -> System {
    [2, 1 + half / 4, 0, half % 4]
}

fn set(uc: &mut Uc, register: System, val: u64) {
    uc.reg_write_arm64_coproc(&named(register, val))
        .expect(SOUND);
}

fn get(uc: &mut Uc, register: System) -> u64 {
    let mut found = named(register, 0);
    uc.reg_read_arm64_coproc(&mut found).expect(SOUND);
    found.val
}

const fn named([crn, crm, op1, op2]: System, val: u64) -> RegisterARM64CP {
    RegisterARM64CP {
        crn,
        crm,
        op0: 3,
        op1,
        op2,
        val,
    }
}

/// Signs addresses as a processor does, by running `pacia` on it.
pub struct Signing(bool);

impl Signing {
    /// For the processor with this name.
    pub fn of(processor: &'static str) -> Self {
        Self(processor == "max")
    }
}

impl Processor for Signing {
    fn sign(&self, pointer: u64, modifier: u64) -> u64 {
        if self.0 {
            signed(pointer, modifier)
        } else {
            pointer
        }
    }

    fn has_branch_types(&self) -> bool {
        self.0
    }
}

/// `pacia x0, x1`.
const PACIA: u32 = 0xdac1_0020;
/// Its address.
const AT: u64 = 0x1000;

/// Runs it and returns x0.
fn signed(x0: u64, x1: u64) -> u64 {
    thread_local! {
        static SIGNER: RefCell<Uc> = RefCell::new({
            let mut uc = A64::open("max");
            uc.mem_map(AT, 0x1000, Prot::ALL).expect(SOUND);
            uc.mem_write(AT, &PACIA.to_le_bytes()).expect(SOUND);
            uc
        });
    }
    SIGNER.with_borrow_mut(|uc| {
        uc.reg_write(general(0), x0).expect(SOUND);
        uc.reg_write(general(1), x1).expect(SOUND);
        uc.emu_start(AT, AT + 4, 0, 1).expect(SOUND);
        uc.reg_read(general(0)).expect(SOUND)
    })
}
