//! Confines a run to the memory lent to it: which words are not run at all, and which memory a word
//! accesses. Decoded here independently of the engine's table, which is under test.

use super::State;

/// Number of the stack pointer, in fields that can name it.
const SP: u32 = 31;

const MACHINE: &str = "it reads or changes system state";
const SCALABLE: &str = "its registers are not among those compared";
const SETS_SP: &str = "it can set the stack pointer to any value";
const SIGNED: &str = "it branches to, or loads from, a signed address";
const TAGS: &str = "it uses memory tags";
const USERS: &str = "it accesses user memory";
const WAITS: &str = "it waits for an event that does not occur";

/// Why a word must not be run, or `None` if it may.
pub fn unfit(word: u32) -> Option<&'static str> {
    match field(word, 25, 4) {
        0b0000..=0b0011 => Some(SCALABLE),
        0b1000 | 0b1001 => immediate(word),
        0b1010 | 0b1011 => control(word),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => memory(word),
        0b0101 | 0b1101 => register(word),
        _ => None,
    }
}

fn field(word: u32, lowest: u32, bits: u32) -> u32 {
    word >> lowest & ((1 << bits) - 1)
}

fn bit(word: u32, number: u32) -> bool {
    field(word, number, 1) == 1
}

/// A field, sign-extended.
fn signed(word: u32, lowest: u32, bits: u32) -> i64 {
    let unused = 32 - bits;
    i64::from((field(word, lowest, bits) << unused) as i32 >> unused)
}

fn destination(word: u32) -> u32 {
    field(word, 0, 5)
}

fn base(word: u32) -> u32 {
    field(word, 5, 5)
}

/// Data processing with an immediate.
fn immediate(word: u32) -> Option<&'static str> {
    let writes_sp = destination(word) == SP;
    match field(word, 23, 3) {
        0b010 if !bit(word, 29) => (writes_sp && !is_little(word)).then_some(SETS_SP),
        0b011 => Some(TAGS),
        0b100 if field(word, 29, 2) != 0b11 => writes_sp.then_some(SETS_SP),
        _ => None,
    }
}

/// Whether it moves the 64-bit stack pointer by at most 256 bytes and keeps it 16-byte aligned.
fn is_little(word: u32) -> bool {
    let amount = field(word, 10, 12);
    let is_whole = bit(word, 31) && !bit(word, 22);
    is_whole && base(word) == SP && amount <= 256 && amount.is_multiple_of(16)
}

/// Branches, exceptions and system instructions.
fn control(word: u32) -> Option<&'static str> {
    if word >> 24 == 0xd4 {
        return Some(MACHINE);
    }
    if word >> 22 == 0b11_0101_0100 {
        return system(word);
    }
    let is_to_register = word >> 25 == 0b110_1011;
    let is_signed = bit(word, 11) || bit(word, 24);
    (is_to_register && is_signed).then_some(SIGNED)
}

fn system(word: u32) -> Option<&'static str> {
    // Hints, of which some wait; barriers; and instructions that only change flags.
    if word >> 12 == 0xd5032 {
        let waits = matches!(field(word, 5, 7), 2..=5);
        return waits.then_some(WAITS);
    }
    if word >> 12 == 0xd5033 {
        return (field(word, 5, 3) == 0).then_some(WAITS);
    }
    if matches!(word, 0xd500_401f | 0xd500_403f | 0xd500_405f) {
        return None;
    }
    let is_move = bit(word, 20);
    let asks = bit(word, 21);
    (!is_move || !is_harmless(field(word, 5, 15), asks)).then_some(MACHINE)
}

/// Whether a system register is NZCV, FPSR (read only) or an identification register.
#[expect(
    clippy::unusual_byte_groupings,
    reason = "the groups are the fields that name it"
)]
fn is_harmless(register: u32, asks: bool) -> bool {
    const NZCV: u32 = 0b1_011_0100_0010_000;
    const FPSR: u32 = 0b1_011_0100_0100_001;
    const IDENTITIES: u32 = 0b1_000_0000;
    match register {
        NZCV => true,
        FPSR => asks,
        _ => asks && register >> 7 == IDENTITIES && register & 0x7f != 0b0000_101,
    }
}

/// Data processing on registers.
fn register(word: u32) -> Option<&'static str> {
    let is_extended = field(word, 24, 5) == 0b01011 && bit(word, 21);
    let tags = field(word, 21, 10) == 0b00_1101_0110 && field(word, 10, 6) & !5 == 0b000_000;
    if is_extended && !bit(word, 29) && destination(word) == SP {
        return Some(SETS_SP);
    }
    (tags && destination(word) == SP).then_some(SETS_SP)
}

/// Loads and stores.
fn memory(word: u32) -> Option<&'static str> {
    let stores_tag = field(word, 22, 10) & !0b0110 == 0b01_1010_0000;
    if word >> 24 == 0xd9 || stores_tag {
        return Some(TAGS);
    }
    match access(word) {
        Access::Other(why) => Some(why),
        Access::At {
            moves: true,
            offset,
            ..
        } if base(word) == SP => {
            let is_little = matches!(offset, Offset::Before(by) | Offset::After(by)
                if by.unsigned_abs() <= 256 && by % 16 == 0);
            (!is_little).then_some(SETS_SP)
        }
        _ => None,
    }
}

/// The offset added to the base register.
#[derive(Clone, Copy)]
enum Offset {
    /// An immediate, added before the access.
    Before(i64),
    /// An immediate or a register, added after the access.
    After(i64),
    /// A register, extended according to `option` and shifted.
    Register {
        number: u32,
        option: u32,
        shift: u32,
    },
}

enum Access {
    /// Through a base register, so that the address is known.
    At {
        offset: Offset,
        bytes: u64,
        aligned: u64,
        is_read: bool,
        moves: bool,
    },
    /// Not run, for this reason.
    Other(&'static str),
}

/// Bytes per register of a load or store with the usual size fields.
fn bytes(word: u32) -> u64 {
    let (size, is_vector) = (field(word, 30, 2), bit(word, 26));
    match is_vector && bit(word, 23) && size == 0 {
        true => 16,
        false => 1 << size,
    }
}

/// The access of a load or store. Sizes and alignments are upper bounds.
fn access(word: u32) -> Access {
    let at = |offset, bytes, aligned, is_read, moves| Access::At {
        offset,
        bytes,
        aligned,
        is_read,
        moves,
    };
    match (field(word, 28, 2), bit(word, 26), field(word, 23, 2)) {
        // Vector structures.
        (0b00, true, _) => at(Offset::After(1), 64, 1, bit(word, 22), bit(word, 23)),
        // Exclusives, acquire and release, compare and swap.
        (0b00, false, _) => at(Offset::Before(0), 16, 16, true, false),
        (0b01, false, 0b10 | 0b11) if bit(word, 21) || field(word, 10, 2) == 1 => {
            Access::Other(USERS)
        }
        (0b01, false, 0b10 | 0b11) => at(
            Offset::Before(signed(word, 12, 9)),
            8,
            8,
            field(word, 22, 2) != 0,
            false,
        ),
        // Literals: never run, since they are emulated or refused.
        (0b01, _, _) => at(Offset::Before(0), 16, 1, true, false),
        (0b10, is_vector, how) => {
            let scale = match is_vector {
                true => 4 << field(word, 30, 2),
                false => 4 << (field(word, 30, 2) >> 1),
            };
            let amount = signed(word, 15, 7) * scale;
            let offset = match how {
                0b01 => Offset::After(amount),
                _ => Offset::Before(amount),
            };
            at(offset, 32, 1, bit(word, 22), matches!(how, 0b01 | 0b11))
        }
        (_, _, 0b10 | 0b11) => {
            let bytes = bytes_scaled(word);
            let amount = field(word, 10, 12) as i64 * bytes as i64;
            at(Offset::Before(amount), bytes, 1, reads(word), false)
        }
        _ => by_nine_bits_or_register(word),
    }
}

/// Bytes of an access with a 12-bit offset, where the size's top bit for vectors is elsewhere.
fn bytes_scaled(word: u32) -> u64 {
    match bit(word, 26) && bit(word, 23) && field(word, 30, 2) == 0 {
        true => 16,
        false => bytes_plain(word),
    }
}

fn bytes_plain(word: u32) -> u64 {
    1 << field(word, 30, 2)
}

fn reads(word: u32) -> bool {
    field(word, 22, 2) != 0
}

fn by_nine_bits_or_register(word: u32) -> Access {
    let at = |offset, bytes, aligned, moves| Access::At {
        offset,
        bytes,
        aligned,
        is_read: reads(word),
        moves,
    };
    let nine = signed(word, 12, 9);
    match (bit(word, 21), field(word, 10, 2)) {
        (false, 0b00) => at(Offset::Before(nine), 16, 1, false),
        (false, 0b01) => at(Offset::After(nine), 16, 1, true),
        (false, 0b10) => Access::Other(USERS),
        (false, _) => at(Offset::Before(nine), 16, 1, true),
        // Atomics. They read even in their store forms.
        (true, 0b00) => Access::At {
            offset: Offset::Before(0),
            bytes: 8,
            aligned: 8,
            is_read: true,
            moves: false,
        },
        (true, 0b10) => {
            let offset = Offset::Register {
                number: field(word, 16, 5),
                option: field(word, 13, 3),
                shift: if bit(word, 12) {
                    bytes(word).trailing_zeros()
                } else {
                    0
                },
            };
            at(offset, 16, 1, false)
        }
        _ => Access::Other(SIGNED),
    }
}

/// A memory access.
pub struct Reach {
    /// Lowest address.
    pub address: u64,
    /// Upper bound of the size in bytes.
    pub bytes: u64,
    /// Required alignment in bytes.
    pub aligned: u64,
    /// Whether it reads.
    pub is_read: bool,
}

/// The access that a word makes with these registers, if any.
pub fn reach(word: u32, state: &State) -> Option<Reach> {
    if !matches!(field(word, 25, 4), 0b0100 | 0b0110 | 0b1100 | 0b1110) {
        return None;
    }
    let Access::At {
        offset,
        bytes,
        aligned,
        is_read,
        ..
    } = access(word)
    else {
        return None;
    };
    let base = state.base(base(word));
    let address = match offset {
        Offset::After(_) => base,
        Offset::Before(by) => base.wrapping_add_signed(by),
        Offset::Register {
            number,
            option,
            shift,
        } => {
            let value = state.register(number);
            let extended = match option {
                0b010 => u64::from(value as u32),
                0b110 => i64::from(value as i32) as u64,
                _ => value,
            };
            base.wrapping_add(extended << shift)
        }
    };
    Some(Reach {
        address,
        bytes,
        aligned,
        is_read,
    })
}

/// Rewrites a word located `ahead` bytes into its page: PC-relative targets are moved into the
/// page, and large immediate offsets from a register are reduced.
pub fn fit(word: u32, ahead: u64) -> u32 {
    let is_far = field(word, 27, 3) == 0b111 && bit(word, 24) && field(word, 10, 12) > 128;
    if is_far {
        return word & !(0xf80 << 10);
    }
    let back = -(ahead as i64) + 512;
    let words = (back >> 2) as u32;
    if word >> 26 & 0x1f == 0b00101 {
        return word & 0xfc00_0000 | words & 0x03ff_ffff;
    }
    let of_nineteen = word & 0xff00_001f | (words & 0x7_ffff) << 5;
    let is_literal = field(word, 27, 3) == 0b011 && field(word, 24, 2) == 0;
    let is_conditional = word >> 25 == 0b010_1010 || field(word, 25, 6) == 0b01_1010;
    match is_literal || is_conditional {
        true => of_nineteen,
        false if field(word, 25, 6) == 0b01_1011 => word & 0xfff8_001f | (words & 0x3fff) << 5,
        false => word,
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromZeros;

    use super::*;

    /// Below the stack pointer memory is clobbered by traps, so reads there must be recognized.
    #[test]
    fn atomics_are_reads() {
        const SWPB: u32 = 0x3822_82ac;
        const LDADD: u32 = 0xb820_03e0;
        for word in [SWPB, LDADD] {
            let reach = reach(word, &State::new_zeroed());
            assert!(reach.is_some_and(|reach| reach.is_read), "{word:08x}");
        }
    }
}
