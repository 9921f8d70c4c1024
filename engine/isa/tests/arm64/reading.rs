//! A second reading of the manual: the plan for a word, decoded along the manual's tables (C4.1)
//! rather than the rows.

use engine_isa::Why;

use crate::words::Verdict;

use Verdict::{Emulate, Refuse, Relocate};

const OPEN: Verdict = Verdict::OPEN;
const NONE: Verdict = Verdict::NONE;

/// An instruction and its fields, at their usual positions.
#[derive(Clone, Copy)]
struct Fields {
    word: u32,
    sf: bool,
    rm: u32,
    rn: u32,
    rd: u32,
}

impl Fields {
    fn bits(self, high: u32, low: u32) -> u32 {
        (self.word >> low) & ((2 << (high - low)) - 1)
    }

    fn bit(self, bit: u32) -> bool {
        self.bits(bit, bit) == 1
    }
}

/// Relocated if allocated.
fn allocated(yes: bool) -> Verdict {
    if yes { Relocate } else { NONE }
}

/// The verdict on `word`; none for floating point, vectors and matrices, except for their loads and
/// stores.
pub fn reading(word: u32) -> Option<Verdict> {
    let f = Fields {
        word,
        sf: word >> 31 == 1,
        rm: word >> 16 & 31,
        rn: word >> 5 & 31,
        rd: word & 31,
    };
    Some(match f.bits(28, 25) {
        0b0000 if f.sf => return None,
        0b0000 | 0b0001 | 0b0011 => NONE,
        0b0010 | 0b0111 | 0b1111 => return None,
        0b1000 | 0b1001 => immediate(f),
        0b1010 | 0b1011 => branch_or_system(f),
        0b0101 | 0b1101 => register(f),
        _ => load_or_store(f),
    })
}

fn immediate(f: Fields) -> Verdict {
    let (opc, n) = (f.bits(30, 29), f.bit(22));
    match f.bits(25, 23) {
        // Pc-relative addresses.
        0b000 | 0b001 => Emulate,
        // From the stack pointer to a register, without flags or an addend.
        0b010 if opc == 0 && f.bits(22, 10) == 0 && f.rn == 31 && f.rd != 31 => Emulate,
        0b010 => Relocate,
        0b011 => allocated(f.sf && !f.bit(29) && !n && f.bits(15, 14) == 0),
        0b100 => allocated((f.sf || !n) && is_bit_mask(n, f.bits(15, 10))),
        0b101 if opc == 0b01 || !f.sf && n => NONE,
        0b101 => Emulate,
        0b110 => {
            let within_word = !f.bit(21) && !f.bit(15);
            allocated(opc != 0b11 && n == f.sf && (f.sf || within_word))
        }
        _ => allocated(opc == 0 && n == f.sf && !f.bit(21) && (f.sf || !f.bit(15))),
    }
}

/// DecodeBitMasks: the element size is the highest bit of N:NOT(imms), and not all of its bits can
/// be set.
fn is_bit_mask(n: bool, imms: u32) -> bool {
    let found = u32::from(n) << 6 | !imms & 0x3f;
    let Some(length) = found.checked_ilog2() else {
        return false;
    };
    let levels = (1 << length) - 1;
    length >= 1 && imms & levels != levels
}

fn branch_or_system(f: Fields) -> Verdict {
    match f.bits(31, 29) {
        0b000 | 0b100 => Emulate,
        0b001 | 0b101 => Emulate,
        // The newer form has bit 4 set.
        0b010 if f.bits(25, 24) == 0 && f.bit(4) => Refuse(Why::Implementation),
        0b010 if f.bits(25, 24) == 0 => Emulate,
        0b110 if f.bits(25, 24) == 0 => exception(f),
        0b110 if f.bits(25, 24) == 1 => system(f),
        0b110 => to_register(f),
        _ => NONE,
    }
}

fn exception(f: Fields) -> Verdict {
    match (f.bits(23, 21), f.bits(4, 2), f.bits(1, 0)) {
        (0b000, 0, 1..=3) => Refuse(Why::Trap),
        (0b011, 0, 0) => Refuse(Why::Exclusive),
        _ => NONE,
    }
}

fn system(f: Fields) -> Verdict {
    let (reads, op0) = (f.bit(21), f.bits(20, 19));
    let (op1, crn, crm, op2) = (f.bits(18, 16), f.bits(15, 12), f.bits(11, 8), f.bits(7, 5));
    match (f.bits(23, 22), op0) {
        (0b00, 0b01) if reads => Relocate,
        (0b00, 0b01) if matches!(crn, 11 | 15) => Refuse(Why::Implementation),
        (0b00, 0b01) if (op1, crn, crm) == (0, 7, 6) && matches!(op2, 2 | 4 | 6) => {
            Refuse(Why::Mapping)
        }
        (0b00, 0b01) => Relocate,
        (0b00, 0b10 | 0b11) => system_register(reads, (op0, op1, crn, crm, op2)),
        (0b00, _) if reads => {
            // Transactional memory.
            let transaction = (op1, crn, op2) == (3, 3, 3) && crm <= 1;
            if transaction {
                Refuse(Why::Exclusive)
            } else {
                NONE
            }
        }
        (0b00, _) if (op1, crn, crm) == (3, 1, 0) && op2 <= 1 => Relocate,
        (0b00, _) if f.rd != 31 => NONE,
        (0b00, _) => match (op1, crn) {
            (3, 2) => hint(crm << 3 | op2),
            (3, 3) => barrier(crm, op2),
            (_, 4) => allocated(is_state(op1, op2, crm)),
            _ => NONE,
        },
        _ => NONE,
    }
}

fn hint(number: u32) -> Verdict {
    match number {
        0 | 25 | 32 | 34 | 36 | 38 => Emulate,
        // PACM, which modifies the next instruction.
        39 => OPEN,
        _ => Relocate,
    }
}

fn barrier(crm: u32, op2: u32) -> Verdict {
    match op2 {
        0b001 => allocated(crm & 0b11 == 0b10),
        0b010 | 0b100 | 0b101 | 0b110 => Relocate,
        0b011 if crm == 0 => Refuse(Why::Exclusive),
        0b111 => Verdict::open_if(crm != 0),
        _ => NONE,
    }
}

/// Whether MSR (immediate) has this PSTATE field, and this immediate.
fn is_state(op1: u32, op2: u32, crm: u32) -> bool {
    match (op1, op2) {
        (0, 0..=2) => crm == 0,
        (0, 3..=5) => true,
        (1, 0) => crm <= 1,
        (3, 3) => crm < 8,
        (3, 1 | 2 | 4 | 6 | 7) => true,
        _ => false,
    }
}

fn system_register(reads: bool, register: (u32, u32, u32, u32, u32)) -> Verdict {
    // The registers of EL1 and their EL2 counterparts differ in op1.
    match (reads, register) {
        (_, (3, 0 | 4, 4, 0, 0 | 1)) => Refuse(Why::Spsr),
        (true, (3, 0 | 4, 5, 1, 0 | 1) | (3, 0 | 4, 5, 2, 0) | (3, 0 | 4, 6, 0, 0)) => {
            Refuse(Why::Order)
        }
        (true, (3, 4, 6, 0, 4)) => Refuse(Why::Order),
        (false, (3, 0 | 4, 1, 0, 0 | 3) | (3, 0 | 4, 2, 0, 0..=3)) => Refuse(Why::Mapping),
        (false, (3, 4, 1, 1, 0) | (3, 4, 2, 1, 0 | 2)) => Refuse(Why::Mapping),
        (false, (3, 0 | 4, 10, 2 | 3, _)) => Refuse(Why::Mapping),
        (false, (3, 0 | 4, 1, 0, 1) | (3, _, 11 | 15, _, _)) => Refuse(Why::Implementation),
        _ => Relocate,
    }
}

fn to_register(f: Fields) -> Verdict {
    let (opc, op3, op4) = (f.bits(24, 21), f.bits(15, 10), f.rd);
    if f.rm != 31 {
        return NONE;
    }
    let returns = f.rn == 31 && op4 == 31;
    match (opc, op3) {
        (0b0000..=0b0010, 0) if op4 == 0 => Emulate,
        (0b0000, 2 | 3) if op4 == 31 => Relocate,
        (0b1000, 2 | 3) => Relocate,
        (0b0001, 2 | 3) if op4 == 31 => Refuse(Why::Keys),
        (0b1001, 2 | 3) => Refuse(Why::Keys),
        (0b0010, 2 | 3) if returns => Relocate,
        (0b0100, 2 | 3) if returns => Refuse(Why::Order),
        (0b0100, 0) if f.rn == 31 && op4 == 0 => Refuse(Why::Order),
        _ => NONE,
    }
}

fn register(f: Fields) -> Verdict {
    match (f.bit(28), f.bits(24, 21)) {
        (false, 0..8) => logical(f),
        (false, op2) if op2 & 1 == 0 => allocated(f.bits(23, 22) != 3 && (f.sf || !f.bit(15))),
        (false, _) => allocated(f.bits(23, 22) == 0 && f.bits(12, 10) <= 4),
        (true, 0) => with_carry(f),
        (true, 2) => allocated(f.bit(29) && !f.bit(10) && !f.bit(4)),
        (true, 4) => allocated(!f.bit(29) && !f.bit(11)),
        (true, 6) if f.bit(30) => one_source(f),
        (true, 6) => two_sources(f),
        (true, 8..) => three_sources(f),
        _ => NONE,
    }
}

fn logical(f: Fields) -> Verdict {
    let moves = f.bits(30, 29) == 0b01 && f.bits(23, 21) == 0 && f.bits(15, 10) == 0 && f.rn == 31;
    match f.sf || !f.bit(15) {
        true if moves => Emulate,
        within => allocated(within),
    }
}

fn with_carry(f: Fields) -> Verdict {
    let (op, s) = (f.bit(30), f.bit(29));
    let rotates = f.sf && !op && s && f.bits(14, 10) == 1 && !f.bit(4);
    let sets =
        !f.sf && !op && s && f.bits(20, 15) == 0 && f.bits(13, 10) == 2 && f.bits(4, 0) == 13;
    allocated(f.bits(15, 10) == 0 || rotates || sets)
}

fn two_sources(f: Fields) -> Verdict {
    let (s, opcode) = (f.bit(29), f.bits(15, 10));
    allocated(match opcode {
        0 => f.sf,
        _ if s => false,
        2 | 3 | 8..=11 => true,
        4 | 5 | 12 => f.sf,
        16..=18 | 20..=22 => !f.sf,
        19 | 23 => f.sf,
        _ => false,
    })
}

fn one_source(f: Fields) -> Verdict {
    let opcode = f.bits(15, 10);
    allocated(
        !f.bit(29)
            && match f.rm {
                0 => opcode != 3 && opcode < 6 || opcode == 3 && f.sf,
                1 if f.sf => opcode < 8 || f.rn == 31 && opcode < 18,
                _ => false,
            },
    )
}

fn three_sources(f: Fields) -> Verdict {
    let (o0, ra) = (f.bit(15), f.bits(14, 10));
    if f.bits(30, 29) != 0 {
        return NONE;
    }
    match f.bits(23, 21) {
        0 => Relocate,
        1 | 5 => allocated(f.sf),
        2 | 6 if f.sf && !o0 => Verdict::open_if(ra != 31),
        _ => NONE,
    }
}

fn load_or_store(f: Fields) -> Verdict {
    let (group, vector, order) = (f.bits(29, 28), f.bit(26), f.bits(24, 23));
    match (group, vector) {
        (0b00, true) if f.sf => NONE,
        (0b00, true) => structures(f),
        (0b00, false) if f.bit(24) => NONE,
        (0b00, false) => exclusive(f),
        (0b01, vector) if !f.bit(24) => literal(f, vector),
        (0b01, vector) => ordered_or_tag(f, vector),
        (0b10, vector) => pair(f, vector, order),
        (_, vector) => one_register(f, vector),
    }
}

fn structures(f: Fields) -> Verdict {
    let (q, post, one) = (f.bit(30), f.bit(23), f.bit(24));
    let (load, size) = (f.bit(22), f.bits(11, 10));
    if !post && f.rm != 0 || !one && f.bit(21) {
        return NONE;
    }
    if !one {
        let interleaves = matches!(f.bits(15, 12), 0b0000 | 0b0100 | 0b1000);
        let alike = matches!(f.bits(15, 12), 0b0010 | 0b0110 | 0b0111 | 0b1010);
        return allocated(alike || interleaves && (q || size != 3));
    }
    allocated(match (f.bits(15, 14), f.bit(12)) {
        (0b00, _) => true,
        (0b01, _) => size & 1 == 0,
        (0b10, s) => size == 0 || size == 1 && !s,
        (_, s) => load && !s,
    })
}

fn exclusive(f: Fields) -> Verdict {
    let (size, load, two) = (f.bits(31, 30), f.bit(22), f.bit(21));
    let (rs, rt, rt2) = (f.rm, f.rd, f.bits(14, 10));
    if f.bit(23) {
        // Compare and swap, or ordered accesses, with two should-be-one fields.
        return if two {
            allocated(rt2 == 31)
        } else {
            Verdict::open_if(rs != 31 || rt2 != 31)
        };
    }
    match (two, load) {
        // Compare and swap of a pair.
        (true, _) if size < 2 => {
            allocated(rt2 == 31 && rs.is_multiple_of(2) && rt.is_multiple_of(2))
        }
        (_, false) => Refuse(Why::Exclusive),
        (true, true) => Verdict::open_if(rs != 31 || rt == rt2),
        (false, true) => Verdict::open_if(rs != 31 || rt2 != 31),
    }
}

fn literal(f: Fields, vector: bool) -> Verdict {
    match (vector, f.bits(31, 30)) {
        (false, _) => Emulate,
        (true, 3) => NONE,
        (true, _) => Refuse(Why::Literal),
    }
}

fn ordered_or_tag(f: Fields, vector: bool) -> Verdict {
    let (size, opc, low) = (f.bits(31, 30), f.bits(23, 22), f.bits(11, 10));
    if size == 0 && !f.bit(21) && low == 0b01 {
        return Refuse(Why::Implementation);
    }
    if vector {
        return NONE;
    }
    if size == 3 && f.bit(21) {
        // `ldg` is the one with an offset.
        let in_bulk = opc != 1 && f.bits(20, 12) == 0;
        return allocated(low != 0 || opc == 1 || in_bulk);
    }
    allocated(!f.bit(21) && low == 0 && has_form(size, opc))
}

/// Whether there is a load or store of this size and kind: stores, loads, and sign-extending loads
/// to 64 and to 32 bits.
fn has_form(size: u32, opc: u32) -> bool {
    match opc {
        0 | 1 => true,
        2 => size < 3,
        _ => size < 2,
    }
}

fn pair(f: Fields, vector: bool, mode: u32) -> Verdict {
    let (opc, load, rt2) = (f.bits(31, 30), f.bit(22), f.bits(14, 10));
    let (no_hint, moves) = (mode != 0, mode & 1 == 1);
    if opc == 3 || !vector && opc == 1 && !no_hint {
        return NONE;
    }
    let twice = load && f.rd == rt2;
    let moved = moves && !vector && f.rn != 31 && (f.rn == f.rd || f.rn == rt2);
    Verdict::open_if(twice || moved)
}

fn one_register(f: Fields, vector: bool) -> Verdict {
    let (size, opc) = (f.bits(31, 30), f.bits(23, 22));
    if vector {
        let quad = opc >= 2 && size == 0;
        return vector_register(f, opc < 2 || quad);
    }
    let prefetch = size == 3 && opc == 2;
    let loads = opc != 0 && has_form(size, opc);
    if f.bit(24) {
        return match loads {
            true => Emulate,
            false => allocated(opc == 0 || prefetch),
        };
    }
    match (f.bit(21), f.bits(11, 10)) {
        (false, 0b00) if loads => Emulate,
        (false, 0b00) => allocated(opc == 0 || prefetch),
        (false, 0b10) => allocated(has_form(size, opc)),
        (false, _) if !has_form(size, opc) => NONE,
        (false, _) => Verdict::open_if(f.rn == f.rd && f.rn != 31),
        (true, 0b10) => allocated(f.bit(14) && (has_form(size, opc) || prefetch)),
        (true, 0b00) => atomic(f, size),
        (true, _) if size != 3 => NONE,
        (true, 0b01) => Relocate,
        (true, _) => Verdict::open_if(f.rn == f.rd && f.rn != 31),
    }
}

fn vector_register(f: Fields, is_allocated: bool) -> Verdict {
    let form = match (f.bit(24), f.bit(21), f.bits(11, 10)) {
        (true, _, _) | (_, false, 0b00 | 0b01 | 0b11) => true,
        (_, true, 0b10) => f.bit(14),
        _ => false,
    };
    allocated(is_allocated && form)
}

fn atomic(f: Fields, size: u32) -> Verdict {
    let (acquire, release) = (f.bit(23), f.bit(22));
    if !f.bit(15) || f.bits(14, 12) == 0 {
        return Relocate;
    }
    let plain = size == 3 && !acquire && !release;
    let eight = f.rd.is_multiple_of(2) && f.rd < 24;
    match f.bits(14, 12) {
        0b100 if acquire && !release => Verdict::open_if(f.rm != 31),
        0b001 | 0b101 => allocated(plain && eight && f.rm == 31),
        0b010 | 0b011 => allocated(plain && eight),
        _ => NONE,
    }
}
