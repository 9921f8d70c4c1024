//! ELF files with unwinding descriptions and nothing else.

/// `e_machine` and `p_type` of what is made here.
pub const ARM: u16 = 40;
pub const X86_64: u16 = 62;
const PT_LOAD: u32 = 1;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const PT_ARM_EXIDX: u32 = 0x7000_0001;

/// Where the contents are, in the file and in memory.
pub const CONTENTS: u64 = 0x100;
/// Size of the index of `.eh_frame`, which precedes it.
pub const INDEX: u64 = 8;

/// A 64-bit file whose `.eh_frame` has these bytes.
pub fn with_eh_frame(frames: &[u8]) -> Vec<u8> {
    // Version 1; the address of `.eh_frame` relative to itself in four bytes; no table.
    let index = [1, 0x1b, 0xff, 0xff, 4, 0, 0, 0];
    let contents = [&index, frames].concat();
    let size = contents.len() as u64;
    let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1];
    file.resize(16, 0);
    file.extend(halves(&[3, X86_64]));
    file.extend(1_u32.to_le_bytes());
    file.extend(longs(&[0, 64, 0]));
    file.extend(0_u32.to_le_bytes());
    file.extend(halves(&[64, 56, 2, 64, 0, 0]));
    for (kind, offset, size) in [
        (PT_LOAD, 0, CONTENTS + size),
        (PT_GNU_EH_FRAME, CONTENTS, INDEX),
    ] {
        file.extend([kind, 5].map(u32::to_le_bytes).concat());
        file.extend(longs(&[offset, offset, offset, size, size, 4]));
    }
    file.resize(usize::try_from(CONTENTS).unwrap(), 0);
    [file, contents].concat()
}

/// A 32-bit ARM file whose `.ARM.exidx` is the first `index` words of these.
pub fn with_exidx(words: &[u32], index: usize, is_big: bool) -> Vec<u8> {
    let word = |word: u32| match is_big {
        true => word.to_be_bytes(),
        false => word.to_le_bytes(),
    };
    let half = |half: u16| match is_big {
        true => half.to_be_bytes(),
        false => half.to_le_bytes(),
    };
    let begin = u32::try_from(CONTENTS).unwrap();
    let sizes = [words.len(), index].map(|count| 4 * u32::try_from(count).unwrap());
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1 + u8::from(is_big), 1];
    file.resize(16, 0);
    file.extend([3, ARM].map(half).concat());
    file.extend([1, 0, 52, 0, 0].map(word).concat());
    file.extend([52, 32, 2, 40, 0, 0].map(half).concat());
    for (kind, offset, size) in [
        (PT_LOAD, 0, begin + sizes[0]),
        (PT_ARM_EXIDX, begin, sizes[1]),
    ] {
        file.extend(
            [kind, offset, offset, offset, size, size, 5, 4]
                .map(word)
                .concat(),
        );
    }
    file.resize(usize::try_from(CONTENTS).unwrap(), 0);
    file.extend(words.iter().flat_map(|number| word(*number)));
    file
}

/// `.eh_frame` with a description of 16 bytes of code at 0x10: the instructions of the common entry,
/// and its own.
pub fn frames(augmentation: &str, common: &[u8], own: &[u8]) -> Vec<u8> {
    // Factors 1 and -8, return address 16; addresses of four bytes.
    let factors = [1, 0x78, 16, 1, 0x03];
    let text = [augmentation.as_bytes(), &[0]].concat();
    let first = entry(0, &[&[1], &text[..], &factors, common].concat());
    let to_first = u32::try_from(first.len()).unwrap() + 4;
    let place = [0x10_u32, 16].map(u32::to_le_bytes).concat();
    let second = entry(to_first, &[&place[..], &[0], own].concat());
    [first, second, vec![0; 4]].concat()
}

fn entry(first: u32, rest: &[u8]) -> Vec<u8> {
    let mut entry = [&first.to_le_bytes(), rest].concat();
    entry.resize(entry.len().next_multiple_of(4), 0);
    let size = u32::try_from(entry.len()).unwrap();
    [&size.to_le_bytes()[..], &entry].concat()
}

fn halves(numbers: &[u16]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn longs(numbers: &[u64]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}
