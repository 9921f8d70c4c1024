//! The section headers, and the sections that are known by name.

use object::read::ReadRef;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, elf};

use super::header::{DebugLink, Section};
use crate::error::Fault;

/// The sections of a file.
pub struct Sections<'d, E: FileHeader> {
    pub headers: &'d [E::SectionHeader],
    pub all: Vec<Section>,
    pub mini: Option<(u64, u64)>,
    pub eh_frame: Option<Section>,
    pub notes_of_probes: Option<Section>,
    pub base_of_probes: Option<u64>,
    pub debug_link: Option<DebugLink>,
}

/// The most section or program headers. Linked files have less than a hundred of either.
pub const MOST_HEADERS: u32 = 0xffff;
/// The longest `.gnu_debuglink`: a file name, padding and a checksum.
const LONGEST_LINK: u64 = 272;

impl<'d, E: FileHeader<Endian = Endianness>> Sections<'d, E> {
    /// Reads what is there. Without usable headers there are no sections.
    pub fn read<R: ReadRef<'d>>(
        header: &E,
        endian: Endianness,
        data: R,
        faults: &mut Vec<Fault>,
    ) -> Self {
        let headers = match header.shnum(endian, data) {
            Ok(..=MOST_HEADERS) => header.section_headers(endian, data).ok(),
            _ => None,
        };
        let headers = headers.unwrap_or_else(|| {
            faults.push(Fault::SectionHeaders);
            &[]
        });
        let mut found = Self {
            headers,
            all: headers.iter().map(|h| section::<E>(h, endian)).collect(),
            mini: None,
            eh_frame: None,
            notes_of_probes: None,
            base_of_probes: None,
            debug_link: None,
        };
        if headers.is_empty() {
            faults.push(Fault::NoSections);
        } else {
            found.find_named(header, endian, data, faults);
        }
        found
    }

    fn find_named<R: ReadRef<'d>>(
        &mut self,
        header: &E,
        endian: Endianness,
        data: R,
        faults: &mut Vec<Fault>,
    ) {
        let Some(names) = self.section_names(header, endian, data) else {
            return faults.push(Fault::SectionHeaders);
        };
        for (header, section) in self.headers.iter().zip(&self.all) {
            let from = usize::try_from(header.sh_name(endian)).unwrap_or(usize::MAX);
            let name = names.get(from..).unwrap_or_default();
            if name.starts_with(b".gnu_debugdata\0") && section.kind != elf::SHT_NOBITS {
                self.mini = self.mini.or(Some((section.offset, section.size)));
            } else if name.starts_with(b".eh_frame\0") && section.kind != elf::SHT_NOBITS {
                self.eh_frame = self.eh_frame.or(Some(*section));
            } else if name.starts_with(b".note.stapsdt\0") && section.kind == elf::SHT_NOTE {
                self.notes_of_probes = self.notes_of_probes.or(Some(*section));
            } else if name.starts_with(b".stapsdt.base\0") {
                self.base_of_probes = self.base_of_probes.or(Some(section.address));
            } else if name.starts_with(b".gnu_debuglink\0") && section.kind != elf::SHT_NOBITS {
                let link = debug_link(section, endian, data);
                if link.is_none() {
                    faults.push(Fault::DebugLink);
                }
                self.debug_link = self.debug_link.take().or(link);
            }
        }
    }

    /// The contents of the section with the names of sections.
    fn section_names<R: ReadRef<'d>>(
        &self,
        header: &E,
        endian: Endianness,
        data: R,
    ) -> Option<&'d [u8]> {
        let index = header.section_strings_index(endian, data).ok()?;
        let section = self.all.get(index.0)?;
        data.read_bytes_at(section.offset, section.size).ok()
    }
}

fn section<E: FileHeader<Endian = Endianness>>(
    header: &E::SectionHeader,
    endian: Endianness,
) -> Section {
    let flags = header.sh_flags(endian);
    Section {
        kind: header.sh_type(endian),
        is_executable: flags.contains(elf::SHF_ALLOC) && flags.contains(elf::SHF_EXECINSTR),
        address: header.sh_addr(endian).into(),
        offset: header.sh_offset(endian).into(),
        size: header.sh_size(endian).into(),
        entry_size: header.sh_entsize(endian).into(),
        link: header.sh_link(endian),
    }
}

/// A name, zeros up to a multiple of four bytes, and the checksum.
///
/// The name must be a plain one: with a `/` it could name any file of the host.
fn debug_link<'d, R: ReadRef<'d>>(
    section: &Section,
    endian: Endianness,
    data: R,
) -> Option<DebugLink> {
    if section.size > LONGEST_LINK {
        return None;
    }
    let bytes = data.read_bytes_at(section.offset, section.size).ok()?;
    let length = bytes.iter().position(|byte| *byte == 0)?;
    let name = bytes.get(..length)?;
    let at = (length + 1).next_multiple_of(4);
    let crc = bytes.get(at..at + 4)?.try_into().ok()?;
    let is_plain = !name.is_empty() && !name.contains(&b'/') && name != b"." && name != b"..";
    is_plain.then(|| DebugLink {
        name: name.to_vec(),
        crc: match endian {
            Endianness::Little => u32::from_le_bytes(crc),
            Endianness::Big => u32::from_be_bytes(crc),
        },
    })
}
