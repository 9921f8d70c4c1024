//! The instruction sets of ARM, and the registers that they share. The layout of [`State`] is also
//! that of the self-test in `engine/kmod`.

mod a32;
mod safe;
#[allow(dead_code, reason = "only a process on such a machine runs it")]
pub mod t32;

use fastrand::Rng;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

use crate::cases::{number, stack_pointer, value};
use crate::places::Places;

pub use a32::A32;

/// CPSR.T: Thumb instructions follow.
const THUMB: u32 = 1 << 5;

const SP: usize = 13;
const PC: usize = 15;

/// Registers before and after a run.
#[derive(Clone, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct State {
    /// r0 to r15.
    pub registers: [u32; 16],
    /// Flags and mode.
    pub cpsr: u32,
    /// FPSCR.
    pub fpscr: u32,
    /// The instruction that ended the run.
    instruction: u32,
    /// Zero.
    reserved: u32,
    /// d0 to d31; a processor may have the first 16 only.
    pub doubles: [u64; 32],
}

impl State {
    /// At the site, with random registers and flags.
    fn random(prng: &mut Rng, places: &Places) -> Self {
        let mut state = Self::new_zeroed();
        state.registers = [(); 16].map(|()| value(prng, places) as u32);
        state.registers[SP] = stack_pointer(prng, places) as u32;
        state.registers[PC] = places.site as u32;
        let (flags, greater) = (prng.u32(..32), prng.u32(..16));
        state.cpsr = flags << 27 | greater << 16;
        state
    }

    /// Randomizes floating point.
    fn complete(&mut self, prng: &mut Rng) {
        self.fpscr = prng.u32(..16) << 28;
        for double in &mut self.doubles {
            *double = u64::from(number(prng)) << 32 | u64::from(number(prng));
        }
    }

    fn difference(&self, probed: &Self) -> Option<String> {
        let numbered = (0..).zip(self.registers.iter().zip(&probed.registers));
        for (number, (native, probed)) in numbered {
            if native != probed {
                return Some(format!("r{number} is {native:x} or {probed:x}"));
            }
        }
        if (self.cpsr, self.fpscr) != (probed.cpsr, probed.fpscr) {
            return Some(format!(
                "cpsr is {:x} or {:x}, fpscr {:x} or {:x}",
                self.cpsr, probed.cpsr, self.fpscr, probed.fpscr
            ));
        }
        (self.doubles != probed.doubles)
            .then(|| format!("{:x?} or {:x?}", self.doubles, probed.doubles))
    }

    fn describe(&self) -> String {
        format!("{:x?} cpsr {:x}", self.registers, self.cpsr)
    }
}
