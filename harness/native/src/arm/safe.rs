//! Confines a run to the memory lent to it: which words are not run at all, and which memory a word
//! accesses. Decoded here independently of the engine's table, which is under test.

/// Number of the stack pointer.
const SP: u32 = 13;

const MACHINE: &str = "it changes system state";
const COPROCESSOR: &str = "it accesses a coprocessor";
const WAITS: &str = "it waits for an interrupt, with interrupts disabled";
const USERS: &str = "it accesses user memory";
/// Reason for words that write the stack pointer.
pub const SETS_SP: &str = "it can set the stack pointer to any value";
const TO_THUMB: &str = "it switches to Thumb, where no return path is set up";

/// Why a word must not be run, or `None` if it may.
pub fn unfit(word: u32) -> Option<&'static str> {
    if word >> 28 == 0xf {
        return unconditional(word);
    }
    match word >> 25 & 7 {
        0b000 | 0b001 => register(word),
        0b010 | 0b011 if is_media(word) => media(word),
        0b010 | 0b011 => single(word),
        0b100 => multiple(word),
        0b110 | 0b111 => coprocessor(word),
        _ => None,
    }
}

fn unconditional(word: u32) -> Option<&'static str> {
    match word >> 24 & 0xf {
        0b0001 => Some(MACHINE),
        0b1000 | 0b1001 => Some(MACHINE),
        0b1010 | 0b1011 => Some(TO_THUMB),
        0b1100..=0b1111 => Some(COPROCESSOR),
        _ => None,
    }
}

fn field(word: u32, lowest: u32) -> u32 {
    word >> lowest & 0xf
}

fn bit(word: u32, number: u32) -> bool {
    word >> number & 1 == 1
}

/// Media instructions share encoding space with loads and stores.
fn is_media(word: u32) -> bool {
    bit(word, 25) && bit(word, 4)
}

/// Data processing, and the instructions encoded among it.
fn register(word: u32) -> Option<&'static str> {
    if !bit(word, 25) && bit(word, 7) && bit(word, 4) {
        return extra(word);
    }
    let is_compare_place = word >> 23 & 3 == 0b10;
    match is_compare_place && !bit(word, 20) {
        true => miscellaneous(word),
        false if is_compare_place => None,
        false => lowers_sp_a_little(word),
    }
}

fn lowers_sp_a_little(word: u32) -> Option<&'static str> {
    let is_sum = matches!(word >> 21 & 0xf, 0b0010 | 0b0100) && bit(word, 25);
    let amount = (word & 0xff).rotate_right(2 * field(word, 8));
    let is_little = is_sum && field(word, 16) == SP && amount <= 256 && amount.is_multiple_of(8);
    (field(word, 12) == SP && !is_little).then_some(SETS_SP)
}

/// Encodings of comparisons that would not set the flags.
fn miscellaneous(word: u32) -> Option<&'static str> {
    if bit(word, 25) {
        return match (bit(word, 21), field(word, 16)) {
            // MOVW and MOVT.
            (false, _) => (field(word, 12) == SP).then_some(SETS_SP),
            (true, 0) if !bit(word, 22) => matches!(word & 0xff, 2 | 3).then_some(WAITS),
            (true, mask) => (bit(word, 22) || mask & 3 != 0).then_some(MACHINE),
        };
    }
    match (word >> 4 & 0xf, word >> 21 & 3) {
        (0, 0b01 | 0b11) => (bit(word, 22) || field(word, 16) & 3 != 0).then_some(MACHINE),
        (0, _) => (field(word, 12) == SP).then_some(SETS_SP),
        (1 | 3, 0b01) => None,
        (1 | 5, _) => (field(word, 12) == SP).then_some(SETS_SP),
        (2, 0b01) => Some(MACHINE),
        (8 | 10 | 12 | 14, _) => {
            let written = [field(word, 12), field(word, 16)];
            written.contains(&SP).then_some(SETS_SP)
        }
        _ => None,
    }
}

/// Whether it is LDREXD or STREXD.
fn is_exclusive_pair(word: u32) -> bool {
    word >> 21 & 0x7f == 0b000_1101
}

/// Multiplications, swaps, exclusives, and halfword, byte and doubleword accesses.
fn extra(word: u32) -> Option<&'static str> {
    let (first, second) = (field(word, 16), field(word, 12));
    if word >> 5 & 3 == 0 {
        let written = match bit(word, 24) {
            true if is_exclusive_pair(word) => [second, second + 1],
            true => [second; 2],
            false => [first, second],
        };
        return written.contains(&SP).then_some(SETS_SP);
    }
    if !bit(word, 24) && bit(word, 21) {
        return Some(USERS);
    }
    let loads_two = !bit(word, 20) && word >> 5 & 3 == 0b10;
    let loads = bit(word, 20) || loads_two;
    let loads_sp = loads && (second == SP || loads_two && second + 1 == SP);
    let amount = field(word, 8) << 4 | field(word, 0);
    let moves = moves_sp(word, bit(word, 22).then_some(amount));
    (loads_sp || moves).then_some(SETS_SP)
}

fn single(word: u32) -> Option<&'static str> {
    if !bit(word, 24) && bit(word, 21) {
        return Some(USERS);
    }
    let loads_sp = bit(word, 20) && field(word, 12) == SP;
    let moves = moves_sp(word, (!bit(word, 25)).then_some(word & 0xfff));
    (loads_sp || moves).then_some(SETS_SP)
}

/// Whether writeback moves the stack pointer by a register, or by more than 256 bytes.
fn moves_sp(word: u32, amount: Option<u32>) -> bool {
    let writes_back = !bit(word, 24) || bit(word, 21);
    let is_little = amount.is_some_and(|amount| amount <= 256 && amount.is_multiple_of(4));
    writes_back && field(word, 16) == SP && !is_little
}

fn multiple(word: u32) -> Option<&'static str> {
    if bit(word, 22) {
        return Some(USERS);
    }
    let loads_sp = bit(word, 20) && bit(word, SP);
    loads_sp.then_some(SETS_SP)
}

fn media(word: u32) -> Option<&'static str> {
    let multiplies = word >> 23 & 3 == 0b10 || word >> 20 & 0x1f == 0b11000;
    let first = multiplies && field(word, 16) == SP;
    (first || field(word, 12) == SP).then_some(SETS_SP)
}

fn coprocessor(word: u32) -> Option<&'static str> {
    let is_floating_point = matches!(field(word, 8), 10 | 11);
    let is_transfer = word >> 24 & 0xf == 0b1110 && bit(word, 4);
    if word >> 24 & 0xf == 0xf {
        return Some(MACHINE);
    }
    if is_floating_point {
        let is_system = word & 0x0fe0_0f10 == 0x0ee0_0a10;
        let sets_system = is_system && !bit(word, 20) && field(word, 16) != 1;
        let reads = is_transfer && bit(word, 20) && field(word, 12) == SP;
        let reads_two =
            word & 0x0ff0_0000 == 0x0c50_0000 && [field(word, 12), field(word, 16)].contains(&SP);
        return match sets_system {
            true => Some(MACHINE),
            false => (reads || reads_two).then_some(SETS_SP),
        };
    }
    let reads = is_transfer && bit(word, 20) && field(word, 8) == 15;
    // The main ID register and the thread ID registers.
    let is_known = matches!((field(word, 16), field(word, 0)), (0, 0) | (13, 0));
    (!reads || !is_known || field(word, 12) == SP).then_some(COPROCESSOR)
}

/// A memory access.
pub struct Reach {
    /// Lowest address.
    pub address: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// Required alignment in bytes.
    pub aligned: u32,
    /// Whether it reads.
    pub is_read: bool,
}

impl Reach {
    /// Whether the access traps for its alignment, so that the kernel's fixup performs it.
    pub fn is_fixed_up(&self) -> bool {
        self.bytes > 4 && !self.address.is_multiple_of(4)
    }
}

/// The access that a word makes with these registers, if any.
pub fn reach(word: u32, registers: &[u32; 16], cpsr: u32) -> Option<Reach> {
    let base = registers[field(word, 16) as usize];
    if word >> 28 == 0xf {
        return (word >> 24 & 0xf == 0b0100 && !bit(word, 20)).then(|| elements_reach(word, base));
    }
    let one = |offset| Reach {
        address: place(word, base, offset),
        bytes: 4,
        aligned: 1,
        is_read: bit(word, 20),
    };
    match word >> 25 & 7 {
        0b000 if bit(word, 7) && bit(word, 4) => extra_reach(word, registers),
        0b010 => Some(one(word & 0xfff)),
        0b011 if !bit(word, 4) => Some(one(shifted(word, registers, cpsr))),
        0b100 => Some(multiple_reach(word, base)),
        0b110 if word & 0x0fe0_0000 != 0x0c40_0000 => Some(coprocessor_reach(word, base)),
        _ => None,
    }
}

/// The address of an access at this offset from `base`, by the U and P bits.
fn place(word: u32, base: u32, offset: u32) -> u32 {
    match (bit(word, 24), bit(word, 23)) {
        (false, _) => base,
        (true, true) => base.wrapping_add(offset),
        (true, false) => base.wrapping_sub(offset),
    }
}

/// Halfwords, signed bytes and doublewords, and exclusive accesses.
fn extra_reach(word: u32, registers: &[u32; 16]) -> Option<Reach> {
    let base = registers[field(word, 16) as usize];
    let kind = word >> 5 & 3;
    if kind == 0 {
        let bytes = if is_exclusive_pair(word) { 8 } else { 4 };
        return bit(word, 24).then_some(Reach {
            address: base,
            bytes,
            aligned: bytes,
            is_read: true,
        });
    }
    let offset = match bit(word, 22) {
        true => field(word, 8) << 4 | field(word, 0),
        false => registers[field(word, 0) as usize],
    };
    let is_read = bit(word, 20);
    let is_two = !is_read && kind != 1;
    Some(Reach {
        address: place(word, base, offset),
        bytes: if is_two { 8 } else { 2 },
        aligned: if is_two { 8 } else { 1 },
        is_read: is_read || kind == 2,
    })
}

/// A list of registers.
fn multiple_reach(word: u32, base: u32) -> Reach {
    let bytes = 4 * (word & 0xffff).count_ones();
    let lowest = match (bit(word, 24), bit(word, 23)) {
        (false, true) => base,
        (true, true) => base.wrapping_add(4),
        (false, false) => base.wrapping_sub(bytes).wrapping_add(4),
        (true, false) => base.wrapping_sub(bytes),
    };
    Reach {
        address: lowest,
        bytes,
        aligned: 4,
        is_read: bit(word, 20),
    }
}

/// One register of a coprocessor, or a list of them.
fn coprocessor_reach(word: u32, base: u32) -> Reach {
    let amount = 4 * (word & 0xff);
    let (address, bytes) = match bit(word, 24) && !bit(word, 21) {
        true => (place(word, base, amount), 8),
        false if bit(word, 23) => (base, amount),
        false => (base.wrapping_sub(amount), amount),
    };
    Reach {
        address,
        bytes,
        aligned: 4,
        is_read: bit(word, 20),
    }
}

/// A register offset, shifted by a constant.
fn shifted(word: u32, registers: &[u32; 16], cpsr: u32) -> u32 {
    let value = registers[field(word, 0) as usize];
    let amount = word >> 7 & 0x1f;
    match (word >> 5 & 3, amount) {
        (0, _) => value << amount,
        (1, 0) => 0,
        (1, _) => value >> amount,
        (2, 0) => (value as i32 >> 31) as u32,
        (2, _) => (value as i32 >> amount) as u32,
        (_, 0) => value >> 1 | (cpsr >> 29 & 1) << 31,
        (_, _) => value.rotate_right(amount),
    }
}

/// The register that a word writes to FPSCR, if it does.
pub fn floating_point_state(word: u32) -> Option<usize> {
    (word & 0x0fff_0fff == 0x0ee1_0a10).then_some(field(word, 12) as usize)
}

/// Whether it loads or stores elements of vectors, and changes the stack pointer by it.
pub fn moves_sp_by_elements(word: u32) -> bool {
    word >> 24 == 0xf4 && !bit(word, 20) && field(word, 16) == SP && field(word, 0) != 15
}

/// VLD1 to VLD4, and VST1 to VST4. Their alignment is that of the largest that the word can ask for.
fn elements_reach(word: u32, base: u32) -> Reach {
    let count = field(word, 8) % 4 + 1;
    let (bytes, asks) = match (bit(word, 23), field(word, 8) >> 2) {
        (false, _) => (8 * registers_of_elements(word), word & 0x30),
        // One element to all lanes.
        (true, 0b11) => (count << (word >> 6 & 3), word & 0x10),
        (true, size) => (count << size, word & 0xf0),
    };
    Reach {
        address: base,
        bytes,
        aligned: if asks == 0 { 1 } else { 32 },
        is_read: bit(word, 21),
    }
}

/// How many registers a load or store of whole registers transfers.
fn registers_of_elements(word: u32) -> u32 {
    match field(word, 8) {
        0b0111 => 1,
        0b1000..=0b1010 => 2,
        0b0100..=0b0110 => 3,
        _ => 4,
    }
}
