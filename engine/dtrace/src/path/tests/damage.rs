//! Files that are cut off or damaged.

use proptest::prelude::*;

use super::kit::{All, Events, file_of, recorder, replay, thread_path};
use super::{JUMP, SYSCALL};
use crate::path::file::record::{Begin, Kind, Map, Record, Run};
use crate::path::file::{Error, MAGIC, Writer};

#[test]
fn a_file_that_is_cut_off() {
    let (memory, mut recorder) = recorder();
    let first = Events::start(0x1000).text(1, 1, 0x1000, JUMP);
    recorder.take(0, first.bytes()).unwrap();
    for _ in 0..5 {
        recorder
            .take(0, Events::default().target(0x1000).bytes())
            .unwrap();
        recorder.flush().unwrap();
    }
    recorder.finish().unwrap();
    let file = memory.0.borrow().clone();
    let mut counts = Vec::new();
    for length in MAGIC.len()..file.len() {
        let all = replay(&file[..length]);
        assert!(all.error.is_none(), "{length}: {:?}", all.error);
        assert!(!all.is_complete);
        counts.push(thread_path(&all, 0).len());
    }
    assert!(counts.is_sorted() && counts.first() == Some(&0) && counts.last() == Some(&5));
    assert!(replay(&file).is_complete);
    for length in 0..MAGIC.len() {
        assert!(matches!(replay(&file[..length]).error, Some(Error::Magic)));
    }
}

#[test]
fn a_file_of_another_version() {
    let mut file = file_of(&[]).0;
    file[7] = 9;
    assert!(matches!(replay(&file).error, Some(Error::Version(9))));
}

/// A small file with all kinds of records.
fn whole() -> (Vec<u8>, All) {
    let map = Map {
        start: 0x1000,
        end: 0x3000,
        offset: 0,
        changes: true,
        name: b"name".to_vec(),
    };
    let events = Events::start(0x1000)
        .generation(0x1000, 3)
        .map(&map)
        .text(1, 3, 0x1000, JUMP)
        .target(0x2000)
        .text(2, 0, 0x2000, &[0x90, 0x74, 0xfd, 0xff, 0xe0])
        .enter(2)
        .taken()
        .enter(2)
        .not_taken()
        .target(0x1000)
        .target(0x3000)
        .text(4, 3, 0x3000, SYSCALL)
        .clone_made(0x3000, 5)
        .signal(11, 0x3002, 0x1000)
        .target(0x3000);
    let (file, recorded) = file_of(&[(0, events.bytes())]);
    assert_eq!(recorded.faults, []);
    let all = replay(&file);
    assert!(all.error.is_none() && all.steps.len() > 5);
    (file, all)
}

#[test]
fn a_byte_that_is_damaged() {
    let (file, whole) = whole();
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut file = file.clone();
            file[at] ^= 1 << bit;
            let all = replay(&file);
            // Some bits have no meaning for deflate.
            let is_same = all.steps == whole.steps && all.marks == whole.marks;
            assert!(all.error.is_some() || !all.is_complete || is_same, "{at}");
        }
    }
}

#[test]
fn lengths_that_are_claimed() {
    for header in [[u32::MAX; 3], [1 << 24, 1 << 24, 0], [0, 0, 0]] {
        let mut file = MAGIC.to_vec();
        header.iter().for_each(|it| file.extend(it.to_le_bytes()));
        let all = replay(&file);
        assert!(!all.is_complete && all.steps.is_empty());
    }
    // Numbers of bits, values and words that are not there.
    for record in [&[5, 0][..], &[1, 0, 0], &[5, 0, 0], &[2, 0, 0, 0, 0]] {
        let mut contents = record.to_vec();
        contents.extend([0xff; 9]);
        contents.push(1);
        assert!(matches!(
            replay(&with_contents(&contents)).error,
            Some(Error::Record(8, 0))
        ));
    }
}

/// A file whose only chunk has these contents.
fn with_contents(contents: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(contents).unwrap();
    let compressed = encoder.finish().unwrap();
    let sum = crc32fast::hash(contents);
    let mut file = MAGIC.to_vec();
    for word in [contents.len() as u32, compressed.len() as u32, sum] {
        file.extend(word.to_le_bytes());
    }
    file.extend(compressed);
    file
}

/// The contents of the only chunk of a file.
fn contents(file: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut contents = Vec::new();
    flate2::read::DeflateDecoder::new(&file[MAGIC.len() + 12..])
        .read_to_end(&mut contents)
        .unwrap();
    contents
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Contents that are damaged, with the right checksum.
    #[test]
    fn records_that_are_damaged(changes in prop::collection::vec((0..400usize, any::<u8>()), 1..8)) {
        let (file, _) = whole();
        let mut contents = contents(&file);
        for (at, value) in changes {
            let at = at % contents.len();
            contents[at] = value;
        }
        replay(&with_contents(&contents));
    }

    #[test]
    fn any_events(events in prop::collection::vec((0..14u8, any::<[u8; 24]>(), 0..25usize), 0..60)) {
        let bytes: Vec<u8> = events
            .iter()
            .flat_map(|(tag, fields, count)| [&[*tag], &fields[..*count]].concat())
            .collect();
        let start = Events::start(0x1000).text(1, 1, 0x1000, JUMP).target(0x1000);
        let (file, _) = file_of(&[(0, start.bytes()), (0, &bytes), (1, &bytes)]);
        let all = replay(&file);
        prop_assert!(all.error.is_none() && all.is_complete, "{:?}", all.error);
    }

    #[test]
    fn records_are_read_as_they_were_written(
        values in prop::collection::vec(any::<u64>(), 0..9),
        bits in prop::collection::vec(any::<u8>(), 0..9),
        word in prop::collection::vec(any::<u8>(), 0..9),
        short in any::<u32>(),
    ) {
        let value = values.first().copied().unwrap_or_default();
        let run = Run { count: 8 * bits.len() as u64, bits, values };
        let begin = Begin { command: vec![word.clone(); 2], time: value, architecture: word.clone() };
        let records = [
            Record::Begin(begin),
            Record::Map(Map { start: value, end: !value, offset: 1, changes: true, name: word.clone() }),
            Record::Text { number: short, generation: 0, address: value, text: word.clone() },
            Record::Again { number: 1, generation: short, block: 2 },
            Record::Run(short, run),
            Record::Mark(short, Kind::Lost { at: value, why: word }),
            Record::Mark(short, Kind::Signal { signal: 255, at: value, handler: 0 }),
            Record::Mark(0, Kind::Left { at: value, why: 3 }),
        ];
        let memory = super::kit::Memory::default();
        let mut writer = Writer::new(memory.clone()).unwrap();
        records.iter().for_each(|record| writer.put(record).unwrap());
        writer.finish().unwrap();
        let file = std::io::Cursor::new(memory.0.borrow().clone());
        let mut reader = crate::path::file::Reader::new(file).unwrap();
        for record in records {
            prop_assert_eq!(reader.next().unwrap(), Some(record));
        }
        prop_assert_eq!(reader.next().unwrap(), None);
    }
}
