//! x86 in both modes, with random machine states. The third column of its table is for slots.

use engine_isa::Plan;
use engine_isa::mutant::{Mutant, choose};
use engine_isa::x86::{self, Emulation, Relocation};

use crate::model_of_x86::{Model, Ram, laid_out, mask};
use crate::{Numbers, STATES, documented, vector};

/// A vector, of 64-bit mode or not.
#[derive(Clone)]
struct Vector {
    wide: bool,
    text: [u8; x86::LONGEST],
    plan: String,
}

impl Vector {
    fn new(wide: bool, line: &vector::Vector) -> Self {
        let pairs = line.digits.split(' ');
        let bytes = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap());
        let mut text = [0; x86::LONGEST];
        text.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        let plan = line.plan.clone();
        Self { wide, text, plan }
    }

    fn answer(&self) -> Plan<Emulation, Relocation> {
        if self.wide {
            x86::plan(&self.text)
        } else {
            x86::plan_ia32(&self.text)
        }
    }

    /// The length of a relocated instruction, from its line; more bytes may follow.
    fn length(&self) -> usize {
        self.plan.split(' ').count() - 1
    }

    /// The offset of its ip-relative displacement, from its line.
    fn displacement(&self) -> Option<usize> {
        let bytes = self.plan.strip_prefix("relocate ")?;
        bytes.split(' ').position(|byte| byte.starts_with('['))
    }
}

fn vectors() -> Vec<Vector> {
    let of = |wide: bool, set: &str| {
        let lines = vector::of(set);
        lines
            .iter()
            .map(|line| Vector::new(wide, line))
            .collect::<Vec<_>>()
    };
    [of(true, "x86"), of(false, "ia32")].concat()
}

/// Registers, a few of them small, and half of them canonical addresses.
fn registers(numbers: &mut Numbers, wide: bool) -> [u64; 17] {
    let width = mask(if wide { 64 } else { 32 });
    [0; 17].map(|_: u64| match numbers.next() % 8 {
        0 => u64::from(numbers.next() % 3),
        1..=4 => (numbers.next_two().cast_signed() >> 17).cast_unsigned() & width,
        _ => numbers.next_two() & width,
    })
}

/// Whether an emulated vector ends differently from the model.
fn runs_wrong(vector: &Vector, numbers: &mut Numbers) -> bool {
    let before = registers(numbers, vector.wide);
    let flags = u64::from(numbers.next() & 0xfff);
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

/// Whether a relocated vector's slot is not a copy with the same operand and the jump back; or
/// exists although the operand is out of reach.
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

/// The numbers of wrong plans, runs and slots.
fn wrong(vectors: &[Vector]) -> [usize; 3] {
    let mut numbers = Numbers::new();
    let saying = |verb| {
        let vectors = vectors.iter();
        vectors.filter(move |vector: &&Vector| vector.plan.starts_with(verb))
    };
    let differs = |vector: &&Vector| vector.answer().to_string() != vector.plan;
    let plans = vectors.iter().filter(differs).count();
    let runs = saying("emulate ").flat_map(|vector| [vector; STATES as usize]);
    let runs = runs
        .filter(|vector| runs_wrong(vector, &mut numbers))
        .count();
    let slots = saying("relocate ").filter(|vector| is_misplaced(vector));
    [plans, runs, slots.count()]
}

/// The names of the defects that are not detected as documented.
pub fn missed() -> Vec<&'static str> {
    let vectors = vectors();
    choose(None);
    assert_eq!(wrong(&vectors), [0; 3]);
    let mut missed = Vec::new();
    for &mutant in Mutant::X86 {
        choose(Some(mutant));
        let wrong = wrong(&vectors);
        let [plans, runs, slots] = wrong;
        let name = mutant.name();
        println!("{name:<20} {plans:>6} plans {runs:>6} runs {slots:>5} slots");
        if wrong.map(|count| count > 0) != documented(name) {
            missed.push(name);
        }
    }
    choose(None);
    missed
}
