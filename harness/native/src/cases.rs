//! The states that an instruction is run on: by chance, but so that it stays in the memory lent to it and
//! is seen when it leaves.

use engine_isa::Plan as Planned;
use engine_isa::arm::{self, Regs, Version};
use fastrand::Rng;

use crate::device::{DATA, PAGE, Places, Run};
use crate::image::{self, Contents, Image, KEPT, Part};
use crate::safe;
use crate::vectors::{Plan, Vector};

/// How many states there are for each.
const CASES: usize = 8;

/// How many states are tried for them.
const TRIES: usize = 6000;

/// The supervisor's mode, with interrupts off.
const MODE: u32 = 0x93;

/// Where in the stack the stack pointer is, most of the time.
const SP_OFFSET: u32 = 1024;

/// What an instruction is run with.
pub struct Cases {
    /// The page that it is in.
    pub page: [u8; PAGE],
    /// The states.
    pub runs: Vec<Run>,
}

impl Cases {
    /// Those of a vector, or why it is not run.
    pub fn of(vector: &Vector, places: &Places) -> Result<Self, &'static str> {
        if vector.plan == Plan::Refuse {
            return Err("it is refused");
        }
        if let Some(why) = safe::unfit(vector.word) {
            // Where an emulation leaves the stack pointer is known before.
            if vector.plan == Plan::Relocate || why != safe::SETS_SP {
                return Err(why);
            }
        }
        let page = image::page(vector.word, places);
        let mut chance = Rng::with_seed(vector.word.into());
        let states: Vec<_> = (0..TRIES)
            .map(|_| State::by_chance(&mut chance, places))
            .filter(|state| state.keeps_inside(vector.word, &page, places))
            .take(CASES)
            .collect();
        let runs: Vec<_> = states
            .iter()
            .map(|state| state.run(&mut chance, places))
            .collect();
        match runs.is_empty() {
            true => Err("no state was found that keeps it inside"),
            false => Ok(Self { page, runs }),
        }
    }
}

/// Registers, and what memory has.
struct State {
    registers: [u32; 16],
    cpsr: u32,
    contents: Contents,
}

impl State {
    fn by_chance(chance: &mut Rng, places: &Places) -> Self {
        let mut registers = [(); 16].map(|()| value(chance, places));
        registers[13] = places.stack + SP_OFFSET + 8 * chance.u32(..16);
        registers[15] = places.site;
        let (flags, greater) = (chance.u32(..32), chance.u32(..16));
        Self {
            registers,
            cpsr: MODE | flags << 27 | greater << 16,
            contents: match chance.bool() {
                true => Contents::Numbers,
                false => Contents::Exits,
            },
        }
    }

    fn run(&self, chance: &mut Rng, places: &Places) -> Run {
        let mut run = Run::new();
        (run.registers, run.cpsr) = (self.registers, self.cpsr);
        self.contents.fill(&mut run.stack, places);
        self.contents.fill(&mut run.data, places);
        run.fpscr = chance.u32(..16) << 28;
        for double in &mut run.doubles {
            *double = u64::from(number(chance)) << 32 | u64::from(number(chance));
        }
        run
    }

    /// Whether the instruction reaches nothing but what it may, and comes out where it is seen.
    fn keeps_inside(&self, word: u32, page: &[u8; PAGE], places: &Places) -> bool {
        match arm::plan(word) {
            Planned::Emulate(emulation) => {
                let (r, cpsr) = (self.registers, self.cpsr);
                let mut regs = Regs { r, cpsr };
                let mut memory = Image {
                    page,
                    contents: self.contents,
                    places,
                    sp: r[13],
                };
                let done = emulation.run(Version::V6, &mut regs, &mut memory);
                done.is_ok() && comes_out(&regs, places)
            }
            Planned::Relocate(_) => self.reaches_little(word, places),
            Planned::Refuse(_) => false,
        }
    }

    fn reaches_little(&self, word: u32, places: &Places) -> bool {
        if let Some(register) = safe::floating_point_state(word) {
            return self.registers[register] & 0x0fff_ffff == 0;
        }
        let Some(reach) = safe::reach(word, &self.registers, self.cpsr) else {
            return true;
        };
        let lowest = self.registers[13] - KEPT;
        let is_there = match image::part(reach.address.into(), reach.bytes.into(), places) {
            Some(Part::Data(_)) => true,
            Some(Part::Stack(_)) => !reach.is_read || reach.address >= lowest,
            Some(Part::Page(_)) => {
                let sees = image::is_site(reach.address.into(), reach.bytes.into(), places);
                reach.is_read && word & 1 << 20 != 0 && !sees
            }
            None => false,
        };
        is_there && reach.address.is_multiple_of(reach.aligned)
    }
}

/// A number of single precision, two of which are one of double precision: neither very large nor very small.
fn number(chance: &mut Rng) -> u32 {
    let number = chance.f32() * 100.0 + 1.0;
    if chance.bool() { number } else { -number }.to_bits()
}

/// A register's value: one that tells something, or that leads somewhere.
fn value(chance: &mut Rng, places: &Places) -> u32 {
    match chance.u32(..16) {
        0..=5 => places.data + DATA as u32 / 2 + 8 * chance.u32(..64) + chance.u32(..2) * 4,
        6 | 7 => places.page + 4 * chance.u32(..256),
        8 => places.stack + SP_OFFSET + 8 * chance.u32(..32),
        9 | 10 => 4 * chance.u32(..16),
        11 => chance.u32(..40),
        12 => *chance
            .choice(&[0, 1, 0x7fff_ffff, 0x8000_0000, !0, 0xffff, 0x8000])
            .unwrap_or(&0),
        _ => chance.u32(..),
    }
}

fn comes_out(regs: &Regs, places: &Places) -> bool {
    let (sp, pc) = (regs.r[13], regs.r[15]);
    let stack = places.stack + 256..places.stack + places.stack_size - 256;
    let page = places.page..places.page + PAGE as u32;
    stack.contains(&sp) && sp % 4 == 0 && page.contains(&pc) && pc % 4 == 0 && pc != places.site
}
