//! Permitted differences between capstone and us on x86, each with its reason.

use super::reading::{is_near_branch, length, mnemonic, row};
use super::shape::{Bytes, Shape};

use crate::spelling::{Difference, Reading, Said};

fn is_row<const WIDE: bool>(bytes: &Bytes, starts: &[&str]) -> bool {
    let text = row::<WIDE>(bytes).encoding.text();
    starts.iter().any(|start| text.starts_with(start))
}

/// Whether capstone knows an instruction by one of these names that is undefined to us.
fn only_it_knows(said: &Said, reading: Option<&Reading>, names: &[&str]) -> bool {
    *said == Said::Nothing && reading.is_some_and(|reading| names.contains(&mnemonic(reading)))
}

/// Whether capstone's length equals ours.
fn is_as_long<const WIDE: bool>(bytes: &Bytes, reading: Option<&Reading>) -> bool {
    let length = length::<WIDE>();
    reading.is_some_and(|reading| length(bytes) == Some(reading.length))
}

/// Whether we know it and capstone does not.
fn only_we_know(said: &Said, reading: Option<&Reading>) -> bool {
    *said != Said::Nothing && reading.is_none()
}

/// Whether LOCK may precede it: it is a read-modify-write of memory.
fn may_be_locked(reading: &Reading) -> bool {
    let target = reading.operands.split(',').next().unwrap_or_default();
    target.contains('[') && LOCKABLE.contains(&mnemonic(reading))
}

/// The low half of an address in brackets without base and index.
fn absolute(text: &str) -> Option<u32> {
    let (_, inside) = text.split_once('[')?;
    let inside = inside.strip_suffix(']')?;
    let inside = [
        "riz*2", "riz*4", "riz*8", "riz", "eiz*2", "eiz*4", "eiz*8", "eiz",
    ]
    .iter()
    .find_map(|index| inside.strip_prefix(index))
    .unwrap_or(inside);
    let (is_below, number) = match inside.strip_prefix(" - ") {
        Some(number) => (true, number),
        None => (false, inside.strip_prefix(" + ").unwrap_or(inside)),
    };
    let number = u64::from_str_radix(number.strip_prefix("0x")?, 16).ok()?;
    Some(if is_below {
        number.wrapping_neg()
    } else {
        number
    } as u32)
}

/// The low half of a number, which may have a sign.
fn number(text: &str) -> Option<u32> {
    let (is_below, number) = match text.strip_prefix('-') {
        Some(number) => (true, number),
        None => (false, text),
    };
    let number = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(if is_below {
        number.wrapping_neg()
    } else {
        number
    } as u32)
}

/// The differences in 64-bit mode, or not.
pub struct Differences<const WIDE: bool>;

impl<const WIDE: bool> Differences<WIDE> {
    /// All of them, in the order in which they are tried.
    pub const ALL: &'static [Difference<Bytes>] = &[
        Difference {
            reason: "capstone has a name for what exists in order to trap",
            explains: |_, reading, said| {
                only_it_knows(said, reading, &["int1", "int3", "ud0", "ud1", "ud2"])
            },
        },
        Difference {
            reason: "capstone does not ask whether an instruction may be locked",
            explains: |bytes, reading, said| {
                let locked = Shape::read_in(WIDE, &bytes).prefixes & Shape::LOCK != 0;
                let may_not = reading.is_some_and(|reading| !may_be_locked(reading));
                *said == Said::Nothing && locked && may_not
            },
        },
        Difference {
            reason: "the manual does not say that 82, which is 80 once more, may be locked",
            explains: |bytes, reading, said| {
                let shape = Shape::read_in(WIDE, &bytes);
                let is_again = !WIDE && (shape.map, shape.opcode) == (0, 0x82);
                let locked = shape.prefixes & Shape::LOCK != 0;
                *said == Said::Nothing && reading.is_some() && is_again && locked
            },
        },
        Difference {
            reason: "capstone lets 66, F2 or F3 be there where they make it none",
            explains: |bytes, reading, said| {
                let shape = Shape::read_in(WIDE, &bytes);
                let has_one = shape.prefixes & (Shape::REPEAT | Shape::SIZE) != 0;
                *said == Said::Nothing && reading.is_some() && has_one && shape.map != 0
            },
        },
        Difference {
            reason: "there are no such control, debug and segment registers to be written",
            explains: |bytes, reading, said| {
                let shape = Shape::read_in(WIDE, &bytes);
                let is_move = matches!(
                    (shape.map, shape.opcode),
                    (1, 0x20..=0x23) | (0, 0x8e | 0x8c)
                );
                only_it_knows(said, reading, &["mov"]) && is_move
            },
        },
        Difference {
            reason: "the manual does not have what processors do with these digits",
            explains: |_, reading, said| only_it_knows(said, reading, &UNDOCUMENTED),
        },
        Difference {
            reason: "only processors of one maker have it, or had it",
            explains: |bytes, reading, said| {
                let shape = Shape::read_in(WIDE, &bytes);
                let of_maker =
                    shape.map == 1 && matches!(shape.opcode, 0x0e | 0x0f | 0x37 | 0xa6 | 0xa7);
                *said == Said::Nothing && reading.is_some() && of_maker
            },
        },
        Difference {
            reason: "capstone does not look at every bit of a VEX, EVEX or XOP",
            explains: |bytes, reading, said| {
                *said == Said::Nothing
                    && reading.is_some()
                    && Shape::read_in(WIDE, &bytes).is_vector
            },
        },
        Difference {
            reason: "it is newer than capstone, or capstone asks for registers that there are or need not be",
            explains: |bytes, reading, said| {
                only_we_know(said, reading)
                    && is_row::<WIDE>(&bytes, &["VEX", "EVEX", "XOP"])
                    && (length::<WIDE>())(&bytes)
                        == Shape::read_in(WIDE, &bytes).vector_length(WIDE, &bytes)
            },
        },
        Difference {
            reason: "it is newer than capstone",
            explains: |bytes, reading, said| {
                only_we_know(said, reading) && is_row::<WIDE>(&bytes, NEWER)
            },
        },
        Difference {
            reason: "capstone minds the last digit of a fence, and processors do not",
            explains: |bytes, reading, said| {
                only_we_know(said, reading) && is_row::<WIDE>(&bytes, &["NP 0F AE /5-7 reg"])
            },
        },
        Difference {
            reason: "it is reserved for hints, and does nothing",
            explains: |bytes, reading, said| {
                only_we_know(said, reading) && is_row::<WIDE>(&bytes, &["0F 0D /r", "0F 18-1E /r"])
            },
        },
        Difference {
            reason: "capstone takes a prefix for another instruction that here says nothing",
            explains: |bytes, reading, said| {
                only_we_know(said, reading)
                    && is_row::<WIDE>(&bytes, &["0F BC-BD /r", "F3 90", "o64 63 /r"])
            },
        },
        Difference {
            reason: "of several prefixes capstone takes another for the one that counts, or none",
            explains: |bytes, reading, said| {
                let prefixes = Shape::read_in(WIDE, &bytes).prefixes;
                let several = prefixes & Shape::REPEAT != 0 && prefixes & Shape::SIZE != 0;
                matches!(said, Said::Name(_) | Said::Text(_))
                    && several
                    && (reading.is_none() || is_as_long::<WIDE>(&bytes, reading))
            },
        },
        Difference {
            reason: "capstone has 64 bits for what is there without base and index, or takes it for a distance",
            explains: |bytes, reading, said| match (said, reading) {
                (Said::Text(ours), Some(reading)) if is_as_long::<WIDE>(&bytes, Some(reading)) => {
                    let ours = absolute(ours);
                    ours.is_some() && ours == absolute(&reading.operands)
                }
                _ => false,
            },
        },
        Difference {
            reason: "capstone leaves out the sign of a number that is pushed",
            explains: |bytes, reading, said| {
                let is_push = |reading: &&Reading| mnemonic(reading) == "push";
                let theirs = reading
                    .filter(is_push)
                    .and_then(|reading| number(&reading.operands));
                let ours = match said {
                    Said::Text(text) => text.strip_prefix("push ").and_then(number),
                    _ => None,
                };
                !WIDE && ours.is_some() && ours == theirs && is_as_long::<WIDE>(&bytes, reading)
            },
        },
        Difference {
            reason: "capstone knows hardly an instruction of 32 bits that has F2 or F3, and 67",
            explains: |bytes, reading, said| {
                let prefixes = Shape::read_in(WIDE, &bytes).prefixes;
                let both = prefixes & Shape::REPEAT != 0 && prefixes & Shape::ADDRESS != 0;
                !WIDE && both && only_we_know(said, reading)
            },
        },
        Difference {
            reason: "capstone takes 67 to make the distance of a branch one of 16 bits",
            explains: |bytes, reading, said| {
                let narrow = Shape::read_in(WIDE, &bytes).prefixes & Shape::ADDRESS != 0;
                let target =
                    |text: &str| number(text.rsplit(' ').next()?).map(|target| target as u16);
                let ours = match said {
                    Said::Text(text) => target(text),
                    _ => None,
                };
                let is_branch = |reading: &&Reading| is_near_branch(mnemonic(reading), "");
                let theirs = reading
                    .filter(is_branch)
                    .and_then(|reading| target(&reading.operands));
                let is_same = ours.is_some() && ours == theirs;
                !WIDE && narrow && is_same && is_as_long::<WIDE>(&bytes, reading)
            },
        },
        Difference {
            reason: "capstone takes 67 for 66",
            explains: |bytes, reading, said| {
                let narrow = Shape::read_in(WIDE, &bytes).prefixes & Shape::ADDRESS != 0;
                let pairs = [("clflush,", "clflushopt"), ("clflush,", "clwb")];
                let is_pair = |(ours, theirs): &(&str, &str)| {
                    let is_ours = matches!(said, Said::Name(name) if name.starts_with(ours));
                    is_ours && reading.is_some_and(|reading| mnemonic(reading) == *theirs)
                };
                narrow && pairs.iter().any(is_pair) && is_as_long::<WIDE>(&bytes, reading)
            },
        },
        Difference {
            reason: "capstone does not narrow the count where there is a REX, or takes a REX for more",
            explains: |bytes, reading, said| {
                let is_count = matches!(said, Said::Text(text) if text.starts_with("jecxz"));
                let is_pause = *said == Said::Name("pause".to_owned());
                (is_count || is_pause) && is_as_long::<WIDE>(&bytes, reading)
            },
        },
        Difference {
            reason: "capstone asks for no prefix where there has to be one",
            explains: |_, reading, said| {
                let pairs = [
                    ("mcommit", "monitorx"),
                    ("lfence, mfence, sfence", "tpause"),
                    ("senduipi", "rdrand"),
                    ("seamops, seamcall", "encls"),
                    ("clui, stui, testui", "rdpkru"),
                    ("clui, stui, testui", "wrpkru"),
                ];
                let names = ["movdir64b", "tpause"];
                only_it_knows(said, reading, &names)
                    || pairs.iter().any(|(ours, theirs)| {
                        *said == Said::Name((*ours).to_owned())
                            && reading.is_some_and(|reading| mnemonic(reading) == *theirs)
                    })
            },
        },
        Difference {
            reason: "processors differ in how long a branch with 66 is",
            explains: |bytes, reading, said| {
                let sized = Shape::read_in(WIDE, &bytes).prefixes & Shape::SIZE != 0;
                // And in the width of a transaction's displacement.
                let is_branch = matches!(said, Said::Refused | Said::Text(_));
                let length = length::<WIDE>();
                is_branch
                    && sized
                    && reading.is_some_and(|reading| {
                        let mnemonic = mnemonic(reading);
                        let apart = length(&bytes).map(|ours| ours.abs_diff(reading.length));
                        (is_near_branch(mnemonic, "") || mnemonic == "xbegin")
                            && matches!(apart, None | Some(0 | 2))
                    })
            },
        },
        Difference {
            reason: "capstone says where a transaction goes on when it is given up, and not how far that is",
            explains: |_, reading, said| {
                *said == Said::Name("xbegin".to_owned())
                    && reading.is_some_and(|reading| mnemonic(reading) == "xbegin")
            },
        },
    ];
}

/// Mnemonics that may be locked if the first operand is memory.
const LOCKABLE: [&str; 18] = [
    "adc",
    "add",
    "and",
    "btc",
    "btr",
    "bts",
    "cmpxchg",
    "cmpxchg16b",
    "cmpxchg8b",
    "dec",
    "inc",
    "neg",
    "not",
    "or",
    "sbb",
    "sub",
    "xadd",
    "xor",
];

/// Their undocumented names.
const UNDOCUMENTED: [&str; 12] = [
    "salc",
    "sal",
    "test",
    "fstpnce",
    "ffreep",
    "fstp",
    "fcom",
    "fcomp",
    "fxch",
    "feni8087_nop",
    "fdisi8087_nop",
    "fsetpm",
];

/// Prefixes of the encodings that capstone does not know yet.
const NEWER: &[&str] = &[
    "0F 01",
    "NP 0F 01",
    "66 0F 01",
    "F2 0F 01",
    "F3 0F 01",
    "F2 0F 00 /6",
    "66 0F AE",
    "F2 0F AE",
    "F3 0F AE",
    "F3 0F C7",
    "F2 0F 38",
    "F3 0F 38",
    "F3 0F 3A F0 C0",
    "66 0F 38 F",
    "NP 0F 38 F",
];
