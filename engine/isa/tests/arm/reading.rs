//! A second reading of the manual: the plan for a word, decoded along the manual's tables rather
//! than the rows.

use engine_isa::Why;

use crate::words::Verdict;

use Verdict::{Emulate, Refuse, Relocate};

const OPEN: Verdict = Verdict::OPEN;
const NONE: Verdict = Verdict::NONE;

/// An instruction and its fields, at their usual positions.
#[derive(Clone, Copy)]
struct Fields {
    word: u32,
    rn: u32,
    rd: u32,
    rs: u32,
    rm: u32,
}

impl Fields {
    fn bits(self, high: u32, low: u32) -> u32 {
        (self.word >> low) & ((2 << (high - low)) - 1)
    }

    fn bit(self, bit: u32) -> bool {
        self.bits(bit, bit) == 1
    }

    fn any_is_pc(self, registers: &[u32]) -> bool {
        registers.contains(&15)
    }
}

/// The verdict on `word`; none for floating point and Advanced SIMD.
pub fn reading(word: u32) -> Option<Verdict> {
    let (rn, rd) = ((word >> 16) & 15, (word >> 12) & 15);
    let (rs, rm) = ((word >> 8) & 15, word & 15);
    let fields = Fields {
        word,
        rn,
        rd,
        rs,
        rm,
    };
    if word >> 28 == 15 {
        return unconditional(fields);
    }
    Some(match fields.bits(27, 25) {
        0b000 => data_processing_and_miscellaneous(fields),
        0b001 => data_processing_immediate(fields),
        0b010 => load_store(fields, false),
        0b011 if fields.bit(4) => media(fields),
        0b011 => load_store(fields, true),
        0b100 => load_store_multiple(fields),
        0b101 => Emulate,
        _ if fields.bits(27, 24) == 15 => Refuse(Why::Trap),
        _ => return coprocessor(fields),
    })
}

fn data_processing_and_miscellaneous(f: Fields) -> Verdict {
    let miscellaneous = f.bits(24, 23) == 0b10 && !f.bit(20);
    match (f.bit(4), f.bit(7)) {
        (_, false) if miscellaneous => self::miscellaneous(f),
        (false, true) if miscellaneous => halfword_multiply(f),
        (false, _) => data_processing(f, true),
        (true, false) => register_shifted(f),
        (true, true) if f.bits(6, 5) != 0 => extra_load_store(f),
        (true, true) if f.bit(24) => synchronization(f),
        (true, true) => multiply(f),
    }
}

/// The operation's index in the list AND, EOR, ... MVN.
fn operation(f: Fields) -> u32 {
    f.bits(24, 21)
}

fn compares(f: Fields) -> bool {
    (8..=11).contains(&operation(f))
}

fn moves(f: Fields) -> bool {
    operation(f) == 13 || operation(f) == 15
}

/// Whether a field that an operation does not use is nonzero.
fn has_spare_bits(f: Fields) -> bool {
    compares(f) && f.rd != 0 || moves(f) && f.rn != 0
}

fn data_processing(f: Fields, register: bool) -> Verdict {
    if has_spare_bits(f) {
        return OPEN;
    }
    if f.rd == 15 && f.bit(20) {
        return Refuse(Why::Spsr);
    }
    let lowers_sp = !register && f.bits(27, 20) == 0b0010_0100 && f.rn == 13 && f.rd == 13;
    let reads_pc = f.rn == 15 || register && f.rm == 15;
    if lowers_sp || reads_pc || f.rd == 15 {
        return Emulate;
    }
    Relocate
}

fn register_shifted(f: Fields) -> Verdict {
    Verdict::open_if(has_spare_bits(f) || f.any_is_pc(&[f.rn, f.rd, f.rs, f.rm]))
}

fn data_processing_immediate(f: Fields) -> Verdict {
    match f.bits(24, 20) {
        0b10000 | 0b10100 => Verdict::open_if(f.rd == 15),
        0b10010 | 0b10110 => status_immediate(f),
        _ => data_processing(f, false),
    }
}

fn status_immediate(f: Fields) -> Verdict {
    let mask = f.rn;
    if f.rd != 15 {
        return OPEN;
    }
    match (f.bit(22), mask) {
        (false, 0) if f.rs != 0 => OPEN,
        (false, 0) if f.bits(7, 0) == 0 => Emulate,
        (false, 0) => Relocate,
        (true, 0) => OPEN,
        (true, _) => Refuse(Why::Spsr),
        (false, _) if mask & 2 != 0 => Refuse(Why::Endian),
        (false, _) => Relocate,
    }
}

fn miscellaneous(f: Fields) -> Verdict {
    let all_ones = f.bits(19, 8) == 0xfff;
    let always = f.word >> 28 == 14;
    match (f.bits(6, 4), f.bits(22, 21)) {
        (0, op) if f.bit(9) => banked(f, op),
        (0, 0b00 | 0b10) => {
            let open = f.rn != 15 || f.bits(11, 0) != 0;
            match (open, f.bit(22)) {
                (true, _) => OPEN,
                (false, true) => Refuse(Why::Spsr),
                (false, false) => Verdict::open_if(f.rd == 15),
            }
        }
        (0, op) => {
            let open = f.rd != 15 || f.rs != 0 || f.rm == 15 || f.rn == 0;
            match (open, op) {
                (true, _) => OPEN,
                (false, 0b11) => Refuse(Why::Spsr),
                (false, _) if f.rn & 2 != 0 => Refuse(Why::Endian),
                (false, _) => Relocate,
            }
        }
        (1, 0b01) if all_ones => Emulate,
        (2, 0b01) if all_ones && f.rm != 15 => Refuse(Why::Implementation),
        (3, 0b01) if all_ones && f.rm != 15 => Emulate,
        (1..=3, 0b01) => OPEN,
        (1, 0b11) => Verdict::open_if(f.rn != 15 || f.rs != 15 || f.any_is_pc(&[f.rd, f.rm])),
        (5, _) => Verdict::open_if(f.rs != 0 || f.any_is_pc(&[f.rn, f.rd, f.rm])),
        (6, 0b11) if f.bits(19, 8) == 0 && f.rm == 14 => Refuse(Why::Spsr),
        (6, 0b11) => OPEN,
        (7, 0b01 | 0b10) if always => Refuse(Why::Trap),
        (7, 0b11) if f.bits(19, 8) == 0 => Refuse(Why::Trap),
        (7, 0b01..) => OPEN,
        _ => NONE,
    }
}

/// The registers that B9.2.3 lists, and which of them a trap overwrites.
fn banked(f: Fields, op: u32) -> Verdict {
    let is_read = op & 1 == 0;
    let core = if is_read { f.rd } else { f.rm };
    let spare = if is_read { f.rm != 0 } else { f.rd != 15 };
    if spare || f.bits(11, 10) != 0 || core == 15 || f.bits(7, 4) != 0 {
        return OPEN;
    }
    let name = f.bits(8, 8) * 16 + f.rn;
    let (spsrs, registers) = (
        [14, 16, 18, 20, 22, 28, 30],
        (0..=6).chain(8..=14).chain(16..=23).chain(28..=31),
    );
    match op >> 1 {
        1 if name == 18 => Refuse(Why::Spsr),
        _ if name == 20 || name == 22 => Refuse(Why::Spsr),
        1 => Verdict::open_if(!spsrs.contains(&name)),
        _ => Verdict::open_if(!registers.into_iter().any(|register| register == name)),
    }
}

fn halfword_multiply(f: Fields) -> Verdict {
    let (rd, ra) = (f.rn, f.rd);
    let pc = f.any_is_pc(&[rd, f.rs, f.rm]);
    let open = match (f.bits(22, 21), f.bit(5)) {
        (0b00, _) | (0b01, false) => ra == 15,
        (0b10, _) => ra == 15 || ra == rd,
        _ => ra != 0,
    };
    Verdict::open_if(pc || open)
}

fn multiply(f: Fields) -> Verdict {
    let (rd, ra) = (f.rn, f.rd);
    let pc = f.any_is_pc(&[rd, ra, f.rs, f.rm]);
    match f.bits(23, 20) {
        0b0101 | 0b0111 => NONE,
        0b0000 | 0b0001 => Verdict::open_if(pc || ra != 0),
        0b0010 | 0b0011 | 0b0110 => Verdict::open_if(pc),
        _ => Verdict::open_if(pc || ra == rd),
    }
}

fn synchronization(f: Fields) -> Verdict {
    match f.bits(23, 20) {
        0b0000 | 0b0100 => {
            let pc = f.any_is_pc(&[f.rn, f.rd, f.rm]);
            Verdict::open_if(pc || f.rs != 0 || f.rn == f.rd || f.rn == f.rm)
        }
        0b0001..=0b0111 => NONE,
        _ if f.rs != 15 || f.bit(20) && f.rm != 15 => OPEN,
        0b1011 if f.rd & 1 == 1 || f.rd == 14 => OPEN,
        _ if f.bit(20) => Verdict::open_if(f.any_is_pc(&[f.rn, f.rd])),
        _ => Refuse(Why::Exclusive),
    }
}

fn extra_load_store(f: Fields) -> Verdict {
    let (before, up_to_register, back) = (f.bit(24), !f.bit(22), f.bit(21));
    let two = !f.bit(20) && f.bit(6);
    let loads_two = two && !f.bit(5);
    let writes_back = !before || back;
    let pair = if two {
        vec![f.rd, f.rd + 1]
    } else {
        vec![f.rd]
    };
    let mut open = pair.contains(&15);
    open |= two && (f.rd % 2 == 1 || !before && back);
    open |= writes_back && (f.rn == 15 || pair.contains(&f.rn));
    open |= up_to_register && (f.rs != 0 || f.rm == 15);
    open |= up_to_register && loads_two && pair.contains(&f.rm);
    if !open && f.rn == 15 {
        return Emulate;
    }
    Verdict::open_if(open)
}

fn load_store(f: Fields, register: bool) -> Verdict {
    let (before, byte, back, load) = (f.bit(24), f.bit(22), f.bit(21), f.bit(20));
    let unprivileged = !before && back;
    let writes_back = !before || back;
    let mut open = register && f.rm == 15;
    open |= writes_back && (f.rn == 15 || f.rn == f.rd);
    open |= f.rd == 15 && (byte || unprivileged && load);
    let pushes = f.bits(27, 20) == 0b0101_0010 && f.rn == 13 && f.bits(11, 0) == 4;
    match (open, load, f.rd) {
        (true, _, _) => OPEN,
        (false, false, 15) => Refuse(Why::Implementation),
        (false, true, 15) => Emulate,
        _ if f.rn == 15 || pushes => Emulate,
        _ => Relocate,
    }
}

fn load_store_multiple(f: Fields) -> Verdict {
    let (user, back, load) = (f.bit(22), f.bit(21), f.bit(20));
    let list = f.bits(15, 0);
    let has = |register: u32| list >> register & 1 == 1;
    if list == 0 || f.rn == 15 {
        return OPEN;
    }
    let lowest = list & ((1 << f.rn) - 1) == 0;
    let pushes = f.bits(24, 20) == 0b10010 && f.rn == 13;
    match (user, load) {
        (true, true) if has(15) => Refuse(Why::Spsr),
        (true, _) if back => OPEN,
        (true, true) => Relocate,
        (false, true) if back && has(f.rn) => OPEN,
        (false, true) if has(15) => Emulate,
        (false, true) => Relocate,
        (false, false) if back && has(f.rn) && !lowest => OPEN,
        (_, false) if has(15) => Refuse(Why::Implementation),
        (false, false) if pushes && !has(13) => Emulate,
        (_, false) => Relocate,
    }
}

fn media(f: Fields) -> Verdict {
    let op = f.bits(24, 20);
    match op {
        0b00000..=0b00111 => parallel(f),
        0b01000..=0b01111 => packing(f),
        0b10000..=0b10111 => signed_multiply(f),
        0b11000 if f.bits(7, 5) == 0 => {
            let (rd, rm, rn) = (f.rn, f.rs, f.rm);
            Verdict::open_if(f.any_is_pc(&[rd, rm, rn]))
        }
        0b11010 | 0b11011 | 0b11110 | 0b11111 if f.bits(6, 5) == 0b10 => {
            let beyond = f.bits(11, 7) + f.bits(20, 16) > 31;
            Verdict::open_if(beyond || f.any_is_pc(&[f.rd, f.rm]))
        }
        0b11100 | 0b11101 if f.bits(6, 5) == 0 => {
            Verdict::open_if(f.bits(20, 16) < f.bits(11, 7) || f.rd == 15)
        }
        _ => NONE,
    }
}

fn parallel(f: Fields) -> Verdict {
    let pc = f.any_is_pc(&[f.rn, f.rd, f.rm]);
    let unallocated = f.bits(21, 20) == 0 || matches!(f.bits(7, 5), 5 | 6);
    match (unallocated, pc) {
        // If both hold, either reason would be right.
        (true, true) => OPEN,
        (true, false) => NONE,
        (false, pc) => Verdict::open_if(pc || f.rs != 15),
    }
}

fn packing(f: Fields) -> Verdict {
    let (n, d, m) = (f.rn == 15, f.rd == 15, f.rm == 15);
    let reverse = Verdict::open_if(d || m || !n || f.rs != 15);
    match (f.bits(22, 20), f.bits(7, 5)) {
        (0b000, op) if op % 2 == 0 => Verdict::open_if(n || d || m),
        (0b000, 5) => Verdict::open_if(n || d || m || f.rs != 15),
        (0b010 | 0b011 | 0b110 | 0b111, op) if op % 2 == 0 => Verdict::open_if(d || m),
        (0b010 | 0b110, 1) => Verdict::open_if(d || m || f.rs != 15),
        (0b001 | 0b101, _) if f.bits(7, 5) == 3 => match d || m {
            true => OPEN,
            false => NONE,
        },
        (_, 3) => Verdict::open_if(d || m || f.bits(9, 8) != 0),
        (0b011 | 0b111, 1 | 5) => reverse,
        _ => NONE,
    }
}

fn signed_multiply(f: Fields) -> Verdict {
    let (rd, ra, rm, rn) = (f.rn, f.rd, f.rs, f.rm);
    let pc = f.any_is_pc(&[rd, rm, rn]);
    match (f.bits(22, 20), f.bits(7, 5)) {
        (0b000, 0..=3) | (0b101, 0..=1) => Verdict::open_if(pc),
        (0b001 | 0b011, 0) => Verdict::open_if(pc || ra != 15),
        (0b100, 0..=3) => Verdict::open_if(pc || ra == 15 || ra == rd),
        (0b101, 6..=7) => Verdict::open_if(pc || ra == 15),
        _ => NONE,
    }
}

fn coprocessor(f: Fields) -> Option<Verdict> {
    let two_registers = f.bits(27, 21) == 0b110_0010;
    let transfer = f.bits(27, 24) == 0b1110 && f.bit(4);
    let load = f.bit(20);
    Some(match (f.rs, f.bits(27, 24)) {
        (10 | 11, _) => return None,
        (0..=7, _) => Refuse(Why::Implementation),
        (15, 14) if transfer => system_register(f, load),
        (14, 14) if transfer => debug_register(f, load),
        (15, _) if two_registers => match (load, f.rd == 15 || f.rn == 15) {
            (_, true) => OPEN,
            (false, _) if f.rm == 2 => Refuse(Why::Mapping),
            (false, _) => Relocate,
            (true, _) => Verdict::open_if(f.rd == f.rn),
        },
        (14, _) if two_registers && load => {
            Verdict::open_if(f.rd == f.rn || f.rd == 15 || f.rn == 15)
        }
        (14, 12 | 13) if f.rd == 5 && !f.bit(22) => debug_transfer(f),
        _ => NONE,
    })
}

fn system_register(f: Fields, load: bool) -> Verdict {
    let (crn, crm, op2) = (f.rn, f.rm, f.bits(7, 5));
    if f.rd == 15 {
        return OPEN;
    }
    if load {
        return match crn {
            5 | 6 => Refuse(Why::Order),
            _ => Relocate,
        };
    }
    match (crn, crm, op2) {
        (1 | 13, 0, 0) | (1, 1, _) | (2, _, _) => Refuse(Why::Mapping),
        (7, 6 | 7, 0 | 2) => Refuse(Why::Mapping),
        (9, 1, _) | (10, 2 | 3, _) => Refuse(Why::Mapping),
        (1, 0, 1) | (15, _, _) => Refuse(Why::Implementation),
        _ => Relocate,
    }
}

/// MRC and MCR of debug registers: only DBGDSCRint may be loaded into the flags.
fn debug_register(f: Fields, load: bool) -> Verdict {
    let is_status = f.bits(23, 16) & 0xef == 0 && f.bits(7, 5) == 0 && f.rm == 1;
    Verdict::open_if(f.rd == 15 && !(load && is_status))
}

/// LDC and STC of the debug data register.
fn debug_transfer(f: Fields) -> Verdict {
    let (before, up, back) = (f.bit(24), f.bit(23), f.bit(21));
    match (before || up || back, f.rn) {
        (false, _) => NONE,
        (true, 15) if back => OPEN,
        (true, 15) => Refuse(Why::Literal),
        (true, _) => Relocate,
    }
}

fn unconditional(f: Fields) -> Option<Verdict> {
    let op = f.bits(27, 20);
    if op >> 7 == 0 {
        return hints(f);
    }
    Some(match (op >> 5, op >> 4) {
        (0b101, _) => Emulate,
        (0b100, _) => exceptions(f),
        (0b110, _) | (0b111, 0b1110) => match f.rs {
            0..=7 => Refuse(Why::Implementation),
            14 | 15 => OPEN,
            _ => NONE,
        },
        _ => NONE,
    })
}

fn exceptions(f: Fields) -> Verdict {
    match (f.bit(22), f.bit(20)) {
        (true, false) if f.rn == 13 && f.bits(15, 5) == 0b000_0010_1000 => Refuse(Why::Spsr),
        (true, false) => OPEN,
        (false, true) if f.rn != 15 && f.bits(15, 0) == 0x0a00 => Refuse(Why::Order),
        (false, true) => OPEN,
        _ => NONE,
    }
}

fn hints(f: Fields) -> Option<Verdict> {
    let op = f.bits(26, 20);
    let is_simd = op >> 5 == 1 || op & 0b111_0001 == 0b100_0000;
    if is_simd {
        return None;
    }
    let register = op >> 5 == 3;
    Some(match op {
        0b001_0000 if !f.bit(16) && !f.bit(5) => change_state(f),
        0b001_0000 if f.bit(16) && f.bits(7, 4) == 0 => Refuse(Why::Endian),
        0b101_0111 => barrier(f),
        _ if register && f.bit(4) => NONE,
        _ if op & 0b100_0011 == 0b100_0011 => OPEN,
        _ if op & 0b101_0111 == 0b100_0001 => Relocate,
        _ if op & 0b100_0011 == 0b100_0001 => preload(f, register),
        _ => NONE,
    })
}

fn change_state(f: Fields) -> Verdict {
    let (imod, mode_too) = (f.bits(19, 18), f.bit(17));
    let (flags, mode) = (f.bits(8, 6), f.bits(4, 0));
    let open = match imod {
        0 => flags != 0 || !mode_too,
        1 => true,
        _ => flags == 0,
    };
    Verdict::open_if(open || mode != 0 && !mode_too || f.bits(15, 9) != 0)
}

fn barrier(f: Fields) -> Verdict {
    let clear = f.bits(7, 4) == 1 && f.rm == 15;
    let known = clear || (4..=6).contains(&f.bits(7, 4));
    Verdict::open_if(!known || f.bits(19, 8) != 0xff0)
}

fn preload(f: Fields, register: bool) -> Verdict {
    let instruction = !f.bit(24);
    let for_write = !instruction && !f.bit(22);
    let open = f.rd != 15 || register && f.rm == 15;
    match (open, f.rn) {
        (true, _) => OPEN,
        (false, 15) if for_write => OPEN,
        (false, 15) if !instruction => Emulate,
        _ => Relocate,
    }
}
