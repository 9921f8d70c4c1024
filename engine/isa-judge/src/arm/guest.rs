//! Drives Unicorn for A32: the processors, their reset state, and their registers.

use unicorn_engine::unicorn_const::{Arch, Mode};
use unicorn_engine::{ArmCpuModel, RegisterARM, Unicorn};

use super::set::{A32, CPSR, D0, FPSCR, PC};
use crate::machine::{Emulated, SOUND, Uc};
use crate::state::State;

/// FPEXC.EN.
pub const FLOATING_POINT_ON: u64 = 1 << 30;
/// Full access to coprocessors 10 and 11.
pub const ALL: u64 = 0xf << 20;

impl Emulated for A32 {
    fn open(processor: &'static str) -> Uc {
        let mut uc = Unicorn::new_with_data(Arch::ARM, Mode::ARM, None).expect(SOUND);
        let model = match processor {
            "v6" => ArmCpuModel::Model_1176,
            _ => ArmCpuModel::CORTEX_A15,
        };
        uc.ctl_set_cpu_model(model as i32).expect(SOUND);
        uc.reg_write(RegisterARM::C1_C0_2, ALL).expect(SOUND);
        uc
    }

    fn write(uc: &mut Uc, state: &State, is_wide: bool) {
        let mut put = |register: i32, value: u64| uc.reg_write(register, value).expect(SOUND);
        put(RegisterARM::CPSR.into(), state[CPSR]);
        for (number, value) in state[0..PC].iter().enumerate() {
            put(core(number), *value);
        }
        if is_wide {
            // Before each run, as an instruction may have disabled floating point.
            put(RegisterARM::FPEXC.into(), FLOATING_POINT_ON);
            for (number, value) in (0..).zip(&state[D0..]) {
                put(i32::from(RegisterARM::D0) + number, *value);
            }
            put(RegisterARM::FPSCR.into(), state[FPSCR]);
        }
    }

    fn registers(uc: &Uc, state: &mut State, is_wide: bool) {
        let get = |register: i32| uc.reg_read(register).expect(SOUND);
        for number in 0..=PC {
            state[number] = get(core(number)) & 0xffff_ffff;
        }
        state[CPSR] = get(RegisterARM::CPSR.into()) & 0xffff_ffff;
        if is_wide {
            for (number, value) in (0..).zip(&mut state[D0..]) {
                *value = get(i32::from(RegisterARM::D0) + number);
            }
            state[FPSCR] = get(RegisterARM::FPSCR.into()) & 0xffff_ffff;
        }
    }
}

/// Unicorn's number of r0 to r15.
pub fn core(number: usize) -> i32 {
    match number {
        13 => RegisterARM::SP.into(),
        14 => RegisterARM::LR.into(),
        15 => RegisterARM::PC.into(),
        _ => i32::from(RegisterARM::R0) + number as i32,
    }
}
