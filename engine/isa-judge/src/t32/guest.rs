//! Drives Unicorn for T16 and T32: the processor of A32, in Thumb state.

use unicorn_engine::unicorn_const::{Arch, Mode};
use unicorn_engine::{ArmCpuModel, RegisterARM, Unicorn};

use super::set::{CPSR, D0, FPSCR, PC, T32};
use crate::arm::guest::{ALL, FLOATING_POINT_ON, core};
use crate::machine::{Emulated, SOUND, Uc};
use crate::state::State;

impl Emulated for T32 {
    const ENTRY: u64 = 1;
    /// That of the breakpoint which ends a run; an instruction that is undefined is an error of
    /// Unicorn's.
    const UNDEFINED: Option<u32> = Some(7);

    fn open(_: &'static str) -> Uc {
        let mut uc = Unicorn::new_with_data(Arch::ARM, Mode::THUMB, None).expect(SOUND);
        let model = ArmCpuModel::CORTEX_A15;
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
        state[PC] &= !1;
        state[CPSR] = get(RegisterARM::CPSR.into()) & 0xffff_ffff;
        if is_wide {
            for (number, value) in (0..).zip(&mut state[D0..]) {
                *value = get(i32::from(RegisterARM::D0) + number);
            }
            state[FPSCR] = get(RegisterARM::FPSCR.into()) & 0xffff_ffff;
        }
    }
}
