//! The tests of x86's plans can see a defect: with each that is seeded, vectors, model or slots
//! differ, and without one none does. Built with `RUSTFLAGS='--cfg trapline_mutants'`; without
//! that there is nothing here.
#![cfg(trapline_mutants)]

use std::fs;
use std::path::Path;

use engine_isa::Plan;
use engine_isa::mutant::{Mutant, choose};
use engine_isa::x86::{self, Emulation, Relocation};

#[path = "x86/model.rs"]
mod model;
#[path = "x86/reading.rs"]
mod reading;

use model::{Model, Ram, laid_out, mask};

/// How many states of the machine each emulated vector is run on.
const STATES: usize = 48;

/// A vector, of 64-bit mode or not.
struct Vector {
    wide: bool,
    text: [u8; x86::LONGEST],
    plan: String,
}

impl Vector {
    fn read(wide: bool, line: &str) -> Option<Self> {
        let mut columns = line.split('|').map(str::trim);
        let pairs = columns.next()?.split(' ');
        let bytes = pairs.map(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes = bytes.collect::<Option<Vec<u8>>>()?;
        let mut text = [0; x86::LONGEST];
        text[..bytes.len()].copy_from_slice(&bytes);
        Some(Self {
            wide,
            text,
            plan: columns.next_back()?.to_owned(),
        })
    }

    fn answer(&self) -> Plan<Emulation, Relocation> {
        if self.wide {
            x86::plan(&self.text)
        } else {
            x86::plan_ia32(&self.text)
        }
    }

    /// The length of what is relocated, as its line says; behind it there may be more.
    fn length(&self) -> usize {
        self.plan.split(' ').count() - 1
    }

    /// Where its displacement from the instruction pointer is, as its line says.
    fn displacement(&self) -> Option<usize> {
        let bytes = self.plan.strip_prefix("relocate ")?;
        bytes.split(' ').position(|byte| byte.starts_with('['))
    }
}

fn vectors() -> Vec<Vector> {
    [(true, "x86"), (false, "ia32")]
        .into_iter()
        .flat_map(|(wide, set)| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
            let files = fs::read_dir(folder.join("vectors").join(set)).unwrap();
            let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
            let vectors = |text: String| {
                let vectors = text.lines().filter_map(|line| Vector::read(wide, line));
                vectors.collect::<Vec<_>>()
            };
            texts.flat_map(vectors).collect::<Vec<_>>()
        })
        .collect()
}

/// Numbers that look like chance, the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Registers, a few of which are small.
    fn registers(&mut self, wide: bool) -> [u64; 17] {
        let width = mask(if wide { 64 } else { 32 });
        [0; 17].map(|_: u64| match self.next() % 8 {
            0 => self.next() % 3,
            _ => self.next() & width,
        })
    }
}

/// Whether an emulated vector ends otherwise than the model does.
fn runs_wrong(vector: &Vector, numbers: &mut Numbers) -> bool {
    let (before, flags) = (numbers.registers(vector.wide), numbers.next() & 0xfff);
    let Plan::Emulate(emulation) = vector.answer() else {
        return true;
    };
    let mut ram = match numbers.next() % 8 {
        0 => Ram::missing(),
        _ => Ram::default(),
    };
    let mut model = Model {
        wide: vector.wide,
        r: before,
        flags,
        ram: ram.clone(),
    };
    let mut regs = laid_out(&before);
    regs.flags = flags;
    let result = emulation.run(&mut regs, &mut ram);
    let expected = model.execute(&vector.text);
    let mut after = laid_out(if expected.is_ok() { &model.r } else { &before });
    after.flags = flags;
    result != expected || regs != after || ram != model.ram
}

/// Whether a relocated vector's slot is not the copy, naming what it named, and the way back; or is
/// there at all, where that is out of reach.
fn is_misplaced(vector: &Vector) -> bool {
    const FROM: u64 = 0x40_1000;
    const NEAR: u64 = 0x60_2000;
    const FAR: u64 = 0x7f00_0000_0000;
    let Plan::Relocate(relocation) = vector.answer() else {
        return true;
    };
    let (length, displacement) = (vector.length(), vector.displacement());
    let Some(slot) = relocation.slot(NEAR, FROM) else {
        return true;
    };
    let four = |bytes: &[u8]| i64::from(i32::from_le_bytes(bytes[..4].try_into().unwrap()));
    let mut copy = vector.text;
    if let Some(place) = displacement {
        let moved = four(&copy[place..]) + FROM as i64 - NEAR as i64;
        copy[place..place + 4].copy_from_slice(&(moved as i32).to_le_bytes());
    }
    let back = four(&slot[length + 1..]) + NEAR as i64 + length as i64 + 5;
    let is_wrong = slot[..length] != copy[..length]
        || slot[length] != 0xe9
        || back != FROM as i64 + length as i64;
    let reaches_all = vector.text[0] == 0x67 || !vector.wide;
    let reaches = displacement.is_none() || reaches_all;
    is_wrong || relocation.slot(FAR, FROM).is_some() != reaches
}

/// How many plans, runs and slots are wrong.
fn wrong(vectors: &[Vector]) -> [usize; 3] {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let saying = |verb| {
        let vectors = vectors.iter();
        vectors.filter(move |vector: &&Vector| vector.plan.starts_with(verb))
    };
    let differs = |vector: &&Vector| vector.answer().to_string() != vector.plan;
    let plans = vectors.iter().filter(differs).count();
    let runs = saying("emulate ").flat_map(|vector| [vector; STATES]);
    let runs = runs
        .filter(|vector| runs_wrong(vector, &mut numbers))
        .count();
    let slots = saying("relocate ").filter(|vector| is_misplaced(vector));
    [plans, runs, slots.count()]
}

/// One test, since the defect is chosen for all.
#[test]
fn each_mutant_is_caught_and_nothing_else_is() {
    let vectors = vectors();
    choose(None);
    assert_eq!(wrong(&vectors), [0; 3]);
    let mut missed = Vec::new();
    for &mutant in Mutant::X86 {
        choose(Some(mutant));
        let wrong = wrong(&vectors);
        let [plans, runs, slots] = wrong;
        println!(
            "{:<20} {plans:>5} plans {runs:>6} runs {slots:>5} slots",
            mutant.name()
        );
        if wrong == [0; 3] {
            missed.push(mutant.name());
        }
    }
    choose(None);
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
