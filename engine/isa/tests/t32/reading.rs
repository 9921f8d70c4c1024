//! A second reading of the manual: the plan for an instruction, decoded along the tables of A6.2 and
//! A6.3 rather than the rows.

use engine_isa::arm;
use engine_isa::{Plan, Why};

use crate::words::Verdict;

use Verdict::{Emulate, Refuse, Relocate};

const OPEN: Verdict = Verdict::OPEN;
const NONE: Verdict = Verdict::NONE;

/// An instruction.
#[derive(Clone, Copy)]
struct Word(u32);

impl Word {
    /// Bits of the first halfword.
    fn one(self, high: u32, low: u32) -> u32 {
        self.bits(high + 16, low + 16)
    }

    /// Bits of the second halfword.
    fn two(self, high: u32, low: u32) -> u32 {
        assert!(high < 16);
        self.bits(high, low)
    }

    fn bits(self, high: u32, low: u32) -> u32 {
        (self.0 >> low) & ((2 << (high - low)) - 1)
    }

    fn n(self) -> u32 {
        self.one(3, 0)
    }

    fn t(self) -> u32 {
        self.two(15, 12)
    }

    fn d(self) -> u32 {
        self.two(11, 8)
    }

    fn m(self) -> u32 {
        self.two(3, 0)
    }
}

/// BadReg: sp or pc.
fn bad(registers: &[u32]) -> bool {
    registers.iter().any(|register| [13, 15].contains(register))
}

fn emulate_unless(open: bool) -> Verdict {
    if open { OPEN } else { Emulate }
}

/// The verdict on `word`, outside of any IT block.
pub fn reading(word: u32) -> Option<Verdict> {
    let w = Word(word);
    Some(match w.one(15, 11) {
        0b11101 => match w.one(10, 9) {
            0b00 if w.one(6, 6) == 0 => several(w),
            0b00 => dual_exclusive_table(w),
            0b01 => shifted_register(w),
            _ => coprocessor(w),
        },
        0b11110 if w.two(15, 15) == 1 => branch_or_control(w),
        0b11110 if w.one(9, 9) == 0 => modified_constant(w),
        0b11110 => plain_constant(w),
        0b11111 => match w.one(10, 4) {
            0b000_0000..=0b001_1111 => single(w),
            0b010_0000..=0b010_1111 => registers(w),
            0b011_0000..=0b011_0111 => multiply(w),
            0b011_1000..=0b011_1111 => long_multiply(w),
            _ => coprocessor(w),
        },
        _ => short(w),
    })
}

/// The verdict on an instruction in an IT block, if `outside` is the one outside of any.
pub fn in_block(word: u32, outside: Verdict, is_last: bool) -> Verdict {
    let w = Word(word);
    if matches!(outside, Refuse(_)) {
        return outside;
    }
    let half = word >> 16;
    let never = match w.one(15, 12) {
        0b0000 => half < 64,
        0b1011 => match w.one(11, 8) {
            1 | 3 | 9 | 11 => true,
            6 => w.one(7, 5) == 0b011,
            15 => w.one(3, 0) != 0,
            _ => false,
        },
        0b1101 => true,
        0b1111 => {
            let is_control = w.one(11, 11) == 0 && w.two(15, 14) == 0b10 && w.two(12, 12) == 0;
            let is_branch = is_control && w.one(9, 7) != 0b111;
            let is_cps = is_control && half == 0xf3af && w.two(10, 8) != 0;
            is_branch || is_cps
        }
        _ => false,
    };
    // What writes the pc: ADD, MOV, BX, BLX, POP, B; LDM, TBB, TBH, LDR; B, BL, BLX.
    let leaves = match w.one(15, 11) {
        0b01000 => match w.one(10, 8) {
            0b100 | 0b110 => w.one(7, 7) == 1 && w.one(2, 0) == 7,
            0b111 => true,
            _ => false,
        },
        0b10111 => w.one(10, 8) == 0b101,
        0b11100 => true,
        0b11101 => match w.one(10, 4) {
            0b000_1101 => w.two(7, 5) == 0,
            op if op >> 5 == 0 && op & 0b101 == 0b001 => w.two(15, 15) == 1,
            _ => false,
        },
        0b11110 => w.two(15, 15) == 1 && (w.two(14, 14) == 1 || w.two(12, 12) == 1),
        0b11111 => matches!(w.one(10, 4), 0b000_0101 | 0b000_1101) && w.t() == 15,
        _ => false,
    };
    if never || leaves && !is_last {
        return OPEN;
    }
    outside
}

fn short(w: Word) -> Verdict {
    match w.one(15, 10) {
        0b000000..=0b010000 | 0b010100..=0b100111 | 0b101010..=0b101011 => Relocate,
        0b010001 => special(w),
        0b010010 | 0b010011 | 0b101000 | 0b101001 => Emulate,
        0b101100..=0b101111 => miscellaneous(w),
        0b110000 | 0b110001 => {
            let (base, list) = (w.one(10, 8), w.one(7, 0));
            let below = list & ((1 << base) - 1);
            Verdict::open_if(list == 0 || list >> base & 1 == 1 && below != 0)
        }
        0b110010 | 0b110011 => Verdict::open_if(w.one(7, 0) == 0),
        0b110100..=0b110111 => match w.one(11, 8) {
            14 => NONE,
            15 => Refuse(Why::Trap),
            _ => Emulate,
        },
        _ => Emulate,
    }
}

fn special(w: Word) -> Verdict {
    let (n, m) = (w.one(7, 7) * 8 + w.one(2, 0), w.one(6, 3));
    match w.one(9, 8) {
        0b00 if n == 15 && m == 15 => OPEN,
        0b01 => Verdict::open_if(n < 8 && m < 8 || n == 15 || m == 15),
        0b00 | 0b10 if n == 15 || m == 15 => Emulate,
        0b00 | 0b10 => Relocate,
        _ => emulate_unless(w.one(2, 0) != 0 || w.one(7, 7) == 1 && m == 15),
    }
}

fn miscellaneous(w: Word) -> Verdict {
    match w.one(11, 8) {
        0 if w.one(7, 7) == 0 => Relocate,
        0 | 1 | 3 | 9 | 11 => Emulate,
        2 => Relocate,
        4 | 5 => emulate_unless(w.one(8, 0) == 0),
        6 => match w.one(7, 5) {
            0b010 if w.one(4, 4) == 1 && w.one(2, 0) == 0 => Refuse(Why::Endian),
            0b010 => OPEN,
            0b011 => Verdict::open_if(w.one(3, 3) == 1 || w.one(2, 0) == 0),
            _ => NONE,
        },
        10 if w.one(7, 6) != 0b10 => Relocate,
        12 => Verdict::open_if(w.one(7, 0) == 0),
        13 => Emulate,
        14 => Refuse(Why::Trap),
        15 => match (w.one(7, 4), w.one(3, 0)) {
            (0, 0) => Emulate,
            (_, 0) => Relocate,
            (15, _) => OPEN,
            (14, mask) => emulate_unless(!mask.is_power_of_two()),
            (_, _) => Emulate,
        },
        _ => NONE,
    }
}

/// A6.3.5.
fn several(w: Word) -> Verdict {
    let (op, back, load, n) = (w.one(8, 7), w.one(5, 5) == 1, w.one(4, 4) == 1, w.n());
    let list = w.two(15, 0);
    let has = |register: u32| list >> register & 1 == 1;
    if op == 0 || op == 3 {
        return match load {
            false if n == 13 && list >> 5 == 0b110_0000_0000 => Refuse(Why::Spsr),
            true if n != 15 && list == 0xc000 => Refuse(Why::Order),
            _ => OPEN,
        };
    }
    let few = list.count_ones() < 2;
    let mut open = n == 15 || few || has(13) || back && has(n);
    open |= if load { has(14) && has(15) } else { has(15) };
    let pushes = op == 2 && back && !load && n == 13;
    if pushes || load && has(15) {
        return emulate_unless(open);
    }
    Verdict::open_if(open)
}

/// A6.3.6.
fn dual_exclusive_table(w: Word) -> Verdict {
    let (op1, op2, n, t, d) = (w.one(8, 7), w.one(5, 4), w.n(), w.t(), w.d());
    match (op1, op2) {
        (0, 0) => Refuse(Why::Exclusive),
        (0, 1) => Verdict::open_if(bad(&[t]) || n == 15 || d != 15),
        (1, 0) => match w.two(7, 4) {
            4 | 5 if d != 15 => OPEN,
            4 | 5 | 7 => Refuse(Why::Exclusive),
            _ => NONE,
        },
        (1, 1) => match w.two(7, 4) {
            0 | 1 => emulate_unless(t != 15 || d != 0 || n == 13 || bad(&[w.m()])),
            4 | 5 => Verdict::open_if(d != 15 || w.m() != 15 || bad(&[t]) || n == 15),
            7 => Verdict::open_if(w.m() != 15 || bad(&[t, d]) || t == d || n == 15),
            _ => NONE,
        },
        _ => {
            let (load, back) = (op2 & 1 == 1, w.one(5, 5) == 1);
            let mut open = bad(&[t, d]) || back && [t, d].contains(&n);
            open |= if load { t == d } else { n == 15 };
            match load && n == 15 {
                true => emulate_unless(open || back),
                false => Verdict::open_if(open),
            }
        }
    }
}

/// What data processing on a constant and on a register has in common: `right` are the registers of
/// the second operand.
fn data_processing(w: Word, right: &[u32]) -> Verdict {
    let (op, flags, n, d) = (w.one(8, 5), w.one(4, 4) == 1, w.n(), w.d());
    let compares = d == 15 && flags;
    let open = match op {
        0 | 4 if compares => bad(&[n]),
        8 | 13 if compares => n == 15,
        8 | 13 if n == 13 => d == 15,
        2 | 3 if n == 15 => bad(&[d]),
        0..=4 | 8 | 10 | 11 | 13 | 14 => bad(&[d, n]),
        _ => return NONE,
    };
    Verdict::open_if(open || bad(right))
}

/// A6.3.11.
fn shifted_register(w: Word) -> Verdict {
    let (op, flags, n, d, m) = (w.one(8, 5), w.one(4, 4) == 1, w.n(), w.d(), w.m());
    let (imm5, kind) = (w.two(14, 12) * 4 + w.two(7, 6), w.two(5, 4));
    if op == 6 {
        return match flags || kind & 1 == 1 {
            true => NONE,
            false => Verdict::open_if(w.two(15, 15) == 1 || bad(&[d, n, m])),
        };
    }
    let verdict = data_processing(w, &[m]);
    if verdict == NONE || w.two(15, 15) == 1 {
        return if verdict == NONE { NONE } else { OPEN };
    }
    let moves = op == 2 && n == 15 && imm5 == 0 && kind == 0;
    if moves && !flags {
        return Verdict::open_if(d == 15 || m == 15 || d == 13 && m == 13);
    }
    let to_sp = [8, 13].contains(&op) && n == 13 && d == 13;
    if to_sp && (kind != 0 || imm5 > 3) {
        return OPEN;
    }
    verdict
}

/// A6.3.1.
fn modified_constant(w: Word) -> Verdict {
    let constant = w.one(10, 10) * 2048 + w.two(14, 12) * 256 + w.two(7, 0);
    let verdict = data_processing(w, &[]);
    let zero = [0x100, 0x200, 0x300].contains(&constant);
    let lowers = w.one(8, 4) == 0b11010 && w.n() == 13 && w.d() == 13;
    match verdict {
        Relocate if zero => OPEN,
        Relocate if lowers => Emulate,
        _ => verdict,
    }
}

/// A6.3.3.
fn plain_constant(w: Word) -> Verdict {
    let (op, n, d) = (w.one(8, 4), w.n(), w.d());
    let lowest = w.two(14, 12) * 4 + w.two(7, 6);
    let spare = w.one(10, 10) == 1 || w.two(5, 5) == 1;
    match op {
        0 | 10 if n == 15 => emulate_unless(bad(&[d])),
        10 if n == 13 && d == 13 => Emulate,
        0 | 10 if n == 13 => Verdict::open_if(d == 15),
        0 | 10 | 4 | 12 => Verdict::open_if(bad(&[d])),
        // The halves' saturation has a number of four bits.
        18 | 26 if lowest == 0 => Verdict::open_if(spare || w.two(4, 4) == 1 || bad(&[d, n])),
        16 | 18 | 24 | 26 => Verdict::open_if(spare || bad(&[d, n])),
        20 | 28 => Verdict::open_if(spare || bad(&[d, n]) || lowest + w.two(4, 0) > 31),
        22 => Verdict::open_if(spare || bad(&[d]) || n == 13 || w.two(4, 0) < lowest),
        _ => NONE,
    }
}

/// A6.3.4.
fn branch_or_control(w: Word) -> Verdict {
    match (w.two(14, 14), w.two(12, 12)) {
        (1, 0) if w.two(0, 0) == 1 => NONE,
        (1, _) | (0, 1) => Emulate,
        _ if w.one(9, 7) != 0b111 => Emulate,
        _ if w.one(10, 10) == 1 => match (w.one(6, 4), w.two(13, 12)) {
            (6, 0) => Refuse(Why::Trap),
            (7, 0) if w.two(11, 0) == 0 => Refuse(Why::Trap),
            (7, 0) => OPEN,
            _ => NONE,
        },
        _ => control(w),
    }
}

fn control(w: Word) -> Verdict {
    let (op, ones, spare) = (w.one(6, 4), w.n() == 15, w.two(13, 13) == 1);
    let banked = w.two(5, 5) == 1;
    match op {
        0 | 1 if banked => banked_register(w, op, w.n(), w.d(), spare || w.two(7, 6) != 0),
        0 | 1 if spare || w.two(7, 0) != 0 => OPEN,
        0 if w.d() & 2 != 0 => Refuse(Why::Endian),
        0 => Verdict::open_if(w.d() == 0 || bad(&[w.n()])),
        1 => Refuse(Why::Spsr),
        2 => hint(w, !ones || spare || w.two(11, 11) == 1),
        3 => {
            let number = w.two(7, 4);
            let others = !ones || spare || w.d() != 15;
            match number {
                0 | 1 if !others && w.m() == 15 => Refuse(Why::Implementation),
                2 => Verdict::open_if(others || w.m() != 15),
                4..=6 => Verdict::open_if(others),
                0 | 1 => OPEN,
                _ => NONE,
            }
        }
        4 if !spare && w.two(11, 0) == 0xf00 => Refuse(Why::Implementation),
        5 if !spare && w.n() == 14 && w.d() == 15 => Refuse(Why::Spsr),
        6 | 7 if banked => banked_register(w, op, w.d(), w.n(), spare || w.two(7, 6) != 0),
        6 | 7 if spare || !ones || w.two(7, 0) != 0 => OPEN,
        6 => Verdict::open_if(bad(&[w.d()])),
        7 => Refuse(Why::Spsr),
        _ => OPEN,
    }
}

fn hint(w: Word, spare: bool) -> Verdict {
    let (imod, mode_too, flags, mode) = (w.two(10, 9), w.two(8, 8) == 1, w.two(7, 5), w.two(4, 0));
    match (imod, mode_too) {
        _ if spare => OPEN,
        (0, false) if w.two(7, 0) == 0 => Emulate,
        (0, false) => Relocate,
        (1, _) => OPEN,
        (0, true) => Verdict::open_if(flags != 0),
        (_, _) => Verdict::open_if(flags == 0 || mode != 0 && !mode_too),
    }
}

/// B9.2.3, and which of them a trap overwrites.
fn banked_register(w: Word, op: u32, core: u32, name: u32, spare: bool) -> Verdict {
    let name = w.two(4, 4) * 16 + name;
    if spare || w.m() != 0 || bad(&[core]) {
        return OPEN;
    }
    match (op & 1, name) {
        (_, 20 | 22) | (1, 18) => Refuse(Why::Spsr),
        (1, 14 | 16 | 28 | 30) => Relocate,
        (0, 0..=6 | 8..=14 | 16..=19 | 21 | 23 | 28..=31) => Relocate,
        _ => OPEN,
    }
}

/// A6.3.7 to A6.3.10; not the structures of Advanced SIMD.
fn single(w: Word) -> Verdict {
    let (sign, size, load) = (w.one(8, 8) == 1, w.one(6, 5), w.one(4, 4) == 1);
    match (load, sign, size) {
        (false, true, _) => extension(w),
        (_, _, 3) | (true, true, 2) => NONE,
        (false, false, _) => store(w, size == 2),
        (true, false, 2) => load_word(w),
        (true, _, _) => load_part(w, sign, size == 1),
    }
}

/// How a load or store says its address.
enum Address {
    Offset,
    Unprivileged,
    WritesBack,
    Register,
}

fn address(w: Word) -> Option<Address> {
    let (before, up, back) = (w.two(10, 10) == 1, w.two(9, 9) == 1, w.two(8, 8) == 1);
    if w.one(7, 7) == 1 {
        return Some(Address::Offset);
    }
    match (w.two(11, 11), before, up, back) {
        (0, ..) => (w.two(10, 6) == 0).then_some(Address::Register),
        (_, true, true, false) => Some(Address::Unprivileged),
        (_, true, false, false) => Some(Address::Offset),
        (_, _, _, true) => Some(Address::WritesBack),
        (_, false, _, false) => None,
    }
}

fn store(w: Word, word: bool) -> Verdict {
    let (n, t) = (w.n(), w.t());
    let Some(address) = address(w).filter(|_| n != 15) else {
        return NONE;
    };
    let open = if word { t == 15 } else { bad(&[t]) };
    match address {
        Address::Offset => Verdict::open_if(open),
        Address::Unprivileged => Verdict::open_if(bad(&[t])),
        Address::Register => Verdict::open_if(open || bad(&[w.m()])),
        Address::WritesBack if word && n == 13 && w.two(11, 0) == 0xd04 => {
            emulate_unless(bad(&[t]))
        }
        Address::WritesBack => Verdict::open_if(open || n == t),
    }
}

fn load_word(w: Word) -> Verdict {
    let (n, t) = (w.n(), w.t());
    if n == 15 {
        return Emulate;
    }
    let open = match address(w) {
        None => return NONE,
        Some(Address::Offset) => false,
        Some(Address::Unprivileged) => return Verdict::open_if(bad(&[t])),
        Some(Address::Register) => bad(&[w.m()]),
        Some(Address::WritesBack) => n == t,
    };
    if t == 15 {
        return emulate_unless(open);
    }
    Verdict::open_if(open)
}

fn load_part(w: Word, sign: bool, half: bool) -> Verdict {
    let (n, t) = (w.n(), w.t());
    if n == 15 {
        return match (t, sign, half) {
            (15, false, true) => OPEN,
            (15, true, _) => Relocate,
            (13, ..) => OPEN,
            _ => Emulate,
        };
    }
    let hints = t == 15;
    match address(w) {
        None => NONE,
        Some(Address::Offset) if hints => Relocate,
        // What is not allocated has no operands that could be wrong.
        Some(Address::Register) if hints => Verdict::open_if(!(sign && half) && bad(&[w.m()])),
        Some(Address::Offset | Address::Unprivileged) => Verdict::open_if(bad(&[t])),
        Some(Address::Register) => Verdict::open_if(bad(&[t, w.m()])),
        Some(Address::WritesBack) => Verdict::open_if(bad(&[t]) || n == t),
    }
}

/// A6.3.12 to A6.3.15.
fn registers(w: Word) -> Verdict {
    let (op1, op2, n, d, m) = (w.one(7, 4), w.two(7, 4), w.n(), w.d(), w.m());
    if w.two(15, 12) != 15 {
        return NONE;
    }
    match (op1, op2) {
        (0..=7, 0) => Verdict::open_if(bad(&[d, n, m])),
        (0..=5, 8..=15) => Verdict::open_if(op2 & 4 != 0 || bad(&[d, m]) || n == 13),
        (8..=10 | 12..=14, 0..=7) if op2 & 3 != 3 => Verdict::open_if(bad(&[d, n, m])),
        (8, 8..=11) | (10, 8) => Verdict::open_if(bad(&[d, n, m])),
        (9, 8..=11) | (11, 8) => Verdict::open_if(bad(&[d, m]) || n != m),
        _ => NONE,
    }
}

/// A6.3.16.
fn multiply(w: Word) -> Verdict {
    let (op1, op2, a) = (w.one(6, 4), w.two(5, 4), w.two(15, 12));
    let sums = match (op1, op2) {
        _ if w.two(7, 6) != 0 => return NONE,
        (0, 0) | (1, _) | (2..=5, 0..=1) | (7, 0) => true,
        (0, 1) | (6, 0..=1) => false,
        _ => return NONE,
    };
    let open = bad(&[w.d(), w.n(), w.m()]) || a == 13 || !sums && a == 15;
    Verdict::open_if(open)
}

/// A6.3.17.
fn long_multiply(w: Word) -> Verdict {
    let (op1, op2, low, high) = (w.one(6, 4), w.two(7, 4), w.two(15, 12), w.d());
    let sources = bad(&[w.n(), w.m()]);
    match (op1, op2) {
        (0 | 2 | 4 | 6, 0) | (4, 8..=13) | (5, 12..=13) | (6, 6) => {
            Verdict::open_if(sources || bad(&[low, high]) || low == high)
        }
        (1 | 3, 15) => Verdict::open_if(sources || bad(&[high]) || low != 15),
        _ => NONE,
    }
}

/// What has the same lower 24 bits in A32, with the condition that always holds: by A32's table,
/// which has its own judges.
fn same_in_arm(word: u32) -> Verdict {
    arm::plan(word).into()
}

/// Structures of Advanced SIMD, which A32 has in another place.
fn extension(w: Word) -> Verdict {
    same_in_arm(0xf400_0000 | w.bits(23, 0))
}

fn coprocessor(w: Word) -> Verdict {
    let (number, always) = (w.two(11, 8), w.one(12, 12) == 0);
    let of_floats = number >> 1 == 5;
    if w.one(9, 8) == 0b11 {
        return same_in_arm(0xf200_0000 | w.one(12, 12) << 24 | w.bits(23, 0));
    }
    if !always {
        return same_in_arm(w.0);
    }
    let one_register = w.one(9, 8) == 0b10 && w.two(4, 4) == 1;
    let two_registers =
        w.one(9, 5) == 0b00010 && (w.two(7, 6) == 0 && w.two(4, 4) == 1 || !of_floats);
    let stack = one_register && w.t() == 13 || two_registers && [w.t(), w.n()].contains(&13);
    if stack && (of_floats || number >= 14) {
        return OPEN;
    }
    // A store cannot count from the pc in Thumb state, nor can several registers be loaded from it.
    let transfers = w.one(9, 9) == 0 && !two_registers;
    match same_in_arm(w.0) {
        Refuse(Why::Literal) if transfers && w.one(4, 4) == 0 => OPEN,
        Refuse(Why::Literal) if of_floats && w.one(8, 8) == 0 => OPEN,
        verdict => verdict,
    }
}

/// A plan's verdict.
pub fn answer(word: u32) -> Verdict {
    let plan: Plan<_, _> = arm::t32::plan(word, arm::Block::NONE);
    plan.into()
}
