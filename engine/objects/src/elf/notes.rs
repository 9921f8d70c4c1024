//! The build-id, from the notes of sections or of segments.

use object::read::ReadRef;
use object::read::elf::{FileHeader, NoteIterator, ProgramHeader, SectionHeader};
use object::{Endianness, elf};

use crate::error::Fault;

/// How many tables of notes are searched, and how large one may be. Linkers write one to three of
/// less than a kilobyte; without a limit, headers that all refer to the whole file would cost the
/// square of its size.
const TABLES: usize = 16;
const LARGEST: u64 = 1 << 20;
/// The longest build-id that is taken for one; linkers write 8 to 32 bytes.
const LONGEST_ID: usize = 64;

/// The first build-id in the notes.
pub fn build_id<'d, S, P, R>(
    sections: &'d [S],
    segments: &'d [P],
    endian: Endianness,
    data: R,
    faults: &mut Vec<Fault>,
) -> Option<Vec<u8>>
where
    S: SectionHeader<Endian = Endianness>,
    P: ProgramHeader<Endian = Endianness, Elf = S::Elf>,
    R: ReadRef<'d>,
{
    let is_small = |size: u64| size <= LARGEST;
    let by_section = sections
        .iter()
        .filter(|s| s.sh_type(endian) == elf::SHT_NOTE);
    let by_section = by_section.filter(|s| is_small(s.sh_size(endian).into()));
    let by_section = by_section.map(|section| section.notes(endian, data));
    let by_segment = segments.iter().filter(|s| s.p_type(endian) == elf::PT_NOTE);
    let by_segment = by_segment.filter(|s| is_small(s.p_filesz(endian).into()));
    let by_segment = by_segment.map(|segment| segment.notes(endian, data));
    let mut is_faulty = false;
    let tables = by_section.take(TABLES).chain(by_segment.take(TABLES));
    let found = tables.into_iter().find_map(|notes| match notes {
        Ok(notes) => id_in::<S::Elf>(notes?, endian, &mut is_faulty),
        Err(_) => {
            is_faulty = true;
            None
        }
    });
    if is_faulty {
        faults.push(Fault::Notes);
    }
    found
}

fn id_in<E: FileHeader<Endian = Endianness>>(
    mut notes: NoteIterator<'_, E>,
    endian: Endianness,
    is_faulty: &mut bool,
) -> Option<Vec<u8>> {
    loop {
        match notes.next() {
            Ok(Some(note)) => {
                let is_id = note.n_type(endian) == elf::NT_GNU_BUILD_ID && note.name() == b"GNU";
                if is_id && (1..=LONGEST_ID).contains(&note.desc().len()) {
                    return Some(note.desc().to_vec());
                }
            }
            Ok(None) => return None,
            Err(_) => {
                *is_faulty = true;
                return None;
            }
        }
    }
}
