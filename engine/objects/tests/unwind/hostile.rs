//! Malformed descriptions: each is a fault or a table that keeps its promises.

use engine_objects::UnwindTable;
use engine_tracer::unwind::Table;
use proptest::collection::vec;
use proptest::prelude::*;

use super::image::{CONTENTS, INDEX, frames, with_eh_frame, with_exidx};
use crate::build::Build;

/// Reads a file, and checks what every table promises.
fn check(file: &[u8]) -> Result<(), TestCaseError> {
    let Ok((_, table)) = UnwindTable::of_bytes(file) else {
        return Ok(());
    };
    let rows = table.rows();
    // An instruction of a byte can begin a row, and each description has an end.
    prop_assert!(rows.len() <= 2 * file.len());
    prop_assert!(rows.is_sorted_by(|a, b| a.start < b.start));
    let found = Table::new(table.bytes());
    for row in rows {
        prop_assert_eq!(found.row(row.start), Some(*row));
    }
    for fault in table.faults() {
        prop_assert!(!fault.to_string().is_empty());
    }
    Ok(())
}

/// A library's `.eh_frame`.
fn real() -> Vec<u8> {
    let build = Build::new();
    let library = std::fs::read(build.library(&[])).unwrap();
    let section = build.tool_output("readelf", &["-SW", "libmade.so.1"]);
    let line = section.lines().find(|line| line.contains(" .eh_frame "));
    let words: Vec<_> = line.unwrap().split_whitespace().collect();
    let at = words.iter().position(|word| *word == "PROGBITS").unwrap();
    let [offset, size] = [2, 3].map(|next| usize::from_str_radix(words[at + next], 16).unwrap());
    library[offset..offset + size].to_vec()
}

proptest! {
    #[test]
    fn any_bytes_as_eh_frame(frames in vec(any::<u8>(), 0..256)) {
        check(&with_eh_frame(&frames))?;
    }

    #[test]
    fn any_instructions_of_a_function(
        common in vec(any::<u8>(), 0..24),
        own in vec(any::<u8>(), 0..99),
        is_signal: bool,
    ) {
        let augmentation = if is_signal { "zRS" } else { "zR" };
        check(&with_eh_frame(&frames(augmentation, &common, &own)))?;
    }

    #[test]
    fn any_words_as_exidx(words in vec(any::<u32>(), 0..64), index in 0_usize..72, is_big: bool) {
        check(&with_exidx(&words, index, is_big))?;
    }

    #[test]
    fn any_instructions_of_arm(words in vec(any::<[u8; 3]>(), 1..32), is_big: bool) {
        let entries = words.iter().zip(0_u32..).flat_map(|(bytes, number)| {
            let begin = u32::try_from(CONTENTS).unwrap();
            let function = (number * 16).wrapping_sub(begin + number * 8) & 0x7fff_ffff;
            [function, u32::from_be_bytes([0x80, bytes[0], bytes[1], bytes[2]])]
        });
        let entries: Vec<_> = entries.collect();
        let file = with_exidx(&entries, entries.len(), is_big);
        check(&file)?;
        let table = UnwindTable::of_bytes(&file).unwrap().1;
        prop_assert_eq!(table.coverage().functions, words.len());
    }
}

#[test]
fn damaged_descriptions_of_a_library() {
    let real = real();
    assert!(real.len() > usize::try_from(INDEX).unwrap());
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        let mut bytes = real.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..bytes.len());
            bytes[at] = random.u8(..);
        }
        check(&with_eh_frame(&bytes)).unwrap();
    }
}

/// Common instructions that each description would execute again.
#[test]
fn a_long_common_entry_is_refused() {
    let table = |length| {
        let common = vec![0x0e; length];
        let file = with_eh_frame(&frames("zR", &common, &[]));
        UnwindTable::of_bytes(&file).unwrap().1
    };
    assert_eq!(table(4000).coverage().functions, 1);
    assert_eq!(table(5000).coverage().functions, 0);
}
