//! The notes of a file, before their addresses are checked.

use object::elf::FileHeader32;
use object::read::ReadRef;
use object::read::elf::NoteIterator;
use object::{Endianness, elf};

use super::argument::Noted;
use crate::elf::Elf;
use crate::elf::header::Class;
use crate::error::Fault;
use crate::reason::Reason;

const OWNER: &[u8] = b"stapsdt";
const VERSION: elf::NoteType = elf::NoteType(3);
/// The largest section that is read. A Java virtual machine, with the most probes, has 46 KB.
const LARGEST: u64 = 16 << 20;
/// The most notes of one file. That Java virtual machine has 531.
const MOST: usize = 1 << 15;
/// Sections of notes are aligned to this, and so is each part of a note.
const ALIGN: u32 = 4;
const HEADER: u64 = 12;

/// A note, its addresses adjusted.
pub struct Note<'d> {
    /// Its offset in the file.
    pub offset: u64,
    pub address: u64,
    pub semaphore: Option<u64>,
    pub provider: &'d str,
    pub name: &'d str,
    pub arguments: Vec<Noted<'d>>,
}

impl<'d> Note<'d> {
    /// The symbols that its arguments name.
    pub fn symbols(&self) -> impl Iterator<Item = &'d str> {
        self.arguments.iter().filter_map(Noted::symbol)
    }

    pub fn fault(&self, reason: Reason) -> Fault {
        let offset = self.offset;
        Fault::Probe { offset, reason }
    }
}

/// The notes of a file; what is wrong with others is added to `faults`.
pub fn all<'d, R: ReadRef<'d>>(elf: &Elf, data: R, faults: &mut Vec<Fault>) -> Vec<Note<'d>> {
    let Some(section) = elf.notes_of_probes else {
        return Vec::new();
    };
    let bytes = match section.size {
        ..=LARGEST => data.read_bytes_at(section.offset, section.size),
        _ => Err(()),
    };
    let Ok(bytes) = bytes else {
        faults.push(Fault::Notes);
        return Vec::new();
    };
    let endian: Endianness = elf.endian.into();
    let Ok(mut notes) = NoteIterator::<FileHeader32<Endianness>>::new(endian, ALIGN, bytes) else {
        return Vec::new();
    };
    let (mut offset, mut found) = (section.offset, Vec::new());
    loop {
        let note = match notes.next() {
            Ok(None) => return found,
            Ok(Some(note)) => note,
            Err(_) => {
                let reason = Reason::Cut;
                faults.push(Fault::Probe { offset, reason });
                return found;
            }
        };
        if note.name() == OWNER && note.n_type(endian) == VERSION {
            if found.len() == MOST {
                let reason = Reason::Many(MOST);
                faults.push(Fault::Probe { offset, reason });
                return found;
            }
            match read(elf, offset, note.desc()) {
                Ok(note) => found.push(note),
                Err(reason) => faults.push(Fault::Probe { offset, reason }),
            }
        }
        let size = |stated: u32| u64::from(stated).next_multiple_of(ALIGN.into());
        offset = offset
            .saturating_add(HEADER + size(note.n_namesz(endian)) + size(note.n_descsz(endian)));
    }
}

fn read<'d>(elf: &Elf, offset: u64, bytes: &'d [u8]) -> Result<Note<'d>, Reason> {
    let (addresses, strings) = addresses(elf, bytes).ok_or(Reason::Short(bytes.len()))?;
    let [address, base, semaphore] = addresses;
    let moved = match elf.base_of_probes {
        Some(actual) if base != 0 => actual.wrapping_sub(base),
        _ => 0,
    };
    let adjusted = |address: u64| match elf.class {
        Class::Elf32 => address.wrapping_add(moved) & u64::from(u32::MAX),
        Class::Elf64 => address.wrapping_add(moved),
    };
    let (provider, strings) = string(strings, "provider")?;
    let (name, strings) = string(strings, "name")?;
    let (arguments, _) = string(strings, "arguments")?;
    for (text, what) in [(provider, "provider"), (name, "name")] {
        if text.is_empty() {
            return Err(Reason::Empty(what));
        }
        if text.contains(char::is_control) {
            return Err(Reason::Control(what));
        }
    }
    Ok(Note {
        offset,
        address: adjusted(address),
        semaphore: (semaphore != 0).then(|| adjusted(semaphore)),
        provider,
        name,
        arguments: Noted::all(elf, arguments)?,
    })
}

/// Three addresses, and what follows them.
fn addresses<'d>(elf: &Elf, bytes: &'d [u8]) -> Option<([u64; 3], &'d [u8])> {
    let size = match elf.class {
        Class::Elf32 => 4,
        Class::Elf64 => 8,
    };
    let (words, rest) = bytes.split_at_checked(3 * size)?;
    let mut addresses = [0; 3];
    for (address, word) in addresses.iter_mut().zip(words.chunks_exact(size)) {
        *address = match (elf.endian.into(), word) {
            (Endianness::Little, word) => word
                .iter()
                .rfold(0, |all, byte| all << 8 | u64::from(*byte)),
            (Endianness::Big, word) => word.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)),
        };
    }
    Some((addresses, rest))
}

/// The string at the start of some bytes, and what follows it.
fn string<'d>(bytes: &'d [u8], what: &'static str) -> Result<(&'d str, &'d [u8]), Reason> {
    let end = bytes.iter().position(|byte| *byte == 0);
    let end = end.ok_or(Reason::Unterminated(what))?;
    let (text, rest) = bytes.split_at(end);
    let text = str::from_utf8(text).map_err(|_| Reason::Text(what))?;
    Ok((text, rest.get(1..).unwrap_or_default()))
}
