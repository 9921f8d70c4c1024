//! An ELF file without its symbols: headers, notes, and the dynamic section.
//!
//! [`Elf`] owns its contents. Each header that it keeps is about as large in the file, so the file's
//! size bounds its own.

pub mod code;
mod dynamic;
pub mod header;
pub mod machine;
mod notes;
mod sections;

use object::elf::{FileHeader32, FileHeader64};
use object::read::ReadRef;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};

use crate::error::Fault;
use crate::maps::Mapping;
use code::Code;
use header::{Class, DebugLink, Endian, Kind, Section, Segment};
use machine::Machine;
use sections::{MOST_HEADERS, Sections};

/// The headers of an ELF file.
#[derive(Debug, Clone)]
pub struct Elf {
    /// The size of its addresses.
    pub class: Class,
    /// Its byte order.
    pub endian: Endian,
    /// Its instruction set.
    pub machine: Machine,
    /// Whether its addresses are fixed.
    pub kind: Kind,
    /// Its entry point, 0 if none.
    pub entry: u64,
    /// Its build-id, if it has one.
    pub build_id: Option<Vec<u8>>,
    /// Its `DT_SONAME`, if it has one.
    pub soname: Option<Vec<u8>>,
    /// Its separate debug file, if it names one.
    pub debug_link: Option<DebugLink>,
    /// What is wrong with parts of it.
    pub faults: Vec<Fault>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) sections: Vec<Section>,
    /// `.gnu_debugdata`, its offset and size.
    pub(crate) mini: Option<(u64, u64)>,
    /// `.eh_frame`.
    pub(crate) eh_frame: Option<Section>,
    /// `.note.stapsdt`.
    pub(crate) notes_of_probes: Option<Section>,
    /// The address of `.stapsdt.base`.
    pub(crate) base_of_probes: Option<u64>,
    pub(crate) code: Code,
}

impl Elf {
    /// Reads the headers of a program, a shared object, or a separate debug file of one.
    ///
    /// # Errors
    /// A fault in the ELF header or the program headers. Other faults are in [`Elf::faults`].
    pub fn read<'d, R: ReadRef<'d>>(data: R) -> Result<Self, Fault> {
        let ident = data.read_bytes_at(0, 5).map_err(|()| Fault::NotElf)?;
        match ident {
            [0x7f, b'E', b'L', b'F', 1] => read::<FileHeader32<Endianness>, R>(data),
            [0x7f, b'E', b'L', b'F', 2] => read::<FileHeader64<Endianness>, R>(data),
            [0x7f, b'E', b'L', b'F', _] => Err(Fault::Header),
            _ => Err(Fault::NotElf),
        }
    }

    /// The difference between the addresses of a process and the file's, by one mapping of the file.
    ///
    /// The segment is the one whose part of the file is mapped. Neighbours can share a page of the
    /// file, so one with the mapping's permission to execute is preferred, then the largest part.
    pub(crate) fn bias(&self, mapping: &Mapping) -> Option<u64> {
        let size = mapping.end - mapping.start;
        let held = |segment: &&Segment| overlap(segment, mapping.offset, size);
        let segments = self.loaded().filter(|segment| held(segment) > 0);
        let best = segments.max_by_key(|segment| {
            let is_alike = segment.is_executable == mapping.is_executable;
            (is_alike, held(segment))
        })?;
        let address = best.address.wrapping_sub(best.offset);
        Some(
            mapping
                .start
                .wrapping_sub(address.wrapping_add(mapping.offset)),
        )
    }

    /// Whether the code is in another file: this one has its symbols only.
    pub(crate) fn is_debug_file(&self) -> bool {
        let mut code = self.sections.iter().filter(|section| section.is_executable);
        code.any(|section| section.kind == elf::SHT_NOBITS)
    }

    /// The segments that are mapped into memory.
    pub(crate) fn loaded(&self) -> impl Iterator<Item = &Segment> {
        let segments = self.segments.iter();
        segments.filter(|segment| segment.kind == elf::PT_LOAD)
    }
}

/// The number of bytes of a part of the file that a segment covers.
fn overlap(segment: &Segment, offset: u64, size: u64) -> u64 {
    let end = segment.offset.saturating_add(segment.file_size);
    let end = end.min(offset.saturating_add(size));
    end.saturating_sub(segment.offset.max(offset))
}

fn read<'d, E, R>(data: R) -> Result<Elf, Fault>
where
    E: FileHeader<Endian = Endianness>,
    R: ReadRef<'d>,
{
    let header = E::parse(data).map_err(|_| Fault::Header)?;
    let endian = header.endian().map_err(|_| Fault::Header)?;
    let number = header.phnum(endian, data);
    let headers = match number {
        Ok(..=MOST_HEADERS) => header.program_headers(endian, data),
        _ => return Err(Fault::ProgramHeaders),
    };
    let headers = headers.map_err(|_| Fault::ProgramHeaders)?;
    let mut faults = Vec::new();
    let found = Sections::read(header, endian, data, &mut faults);
    let segments: Vec<_> = headers.iter().map(|h| segment::<E>(h, endian)).collect();
    let mut file = Elf {
        class: Class::of::<E>(),
        endian: endian.into(),
        machine: Machine(header.e_machine(endian).0),
        kind: kind(header.e_type(endian))?,
        entry: header.e_entry(endian).into(),
        build_id: notes::build_id(found.headers, headers, endian, data, &mut faults),
        soname: None,
        debug_link: found.debug_link,
        faults,
        code: Code::of(&found.all, &segments),
        segments,
        sections: found.all,
        mini: found.mini,
        eh_frame: found.eh_frame,
        notes_of_probes: found.notes_of_probes,
        base_of_probes: found.base_of_probes,
    };
    // A separate debug file has the headers of what it leaves out.
    if !file.is_debug_file() {
        match dynamic::soname::<E, R>(&file.segments, endian, data) {
            Ok(soname) => file.soname = soname,
            Err(fault) => file.faults.push(fault),
        }
    }
    Ok(file)
}

fn kind(kind: elf::FileType) -> Result<Kind, Fault> {
    match kind {
        elf::ET_EXEC => Ok(Kind::Fixed),
        elf::ET_DYN => Ok(Kind::Dynamic),
        other => Err(Fault::Kind(other.0)),
    }
}

fn segment<E: FileHeader<Endian = Endianness>>(
    header: &E::ProgramHeader,
    endian: Endianness,
) -> Segment {
    Segment {
        kind: header.p_type(endian),
        is_executable: header.p_flags(endian).contains(elf::PF_X),
        is_writable: header.p_flags(endian).contains(elf::PF_W),
        offset: header.p_offset(endian).into(),
        address: header.p_vaddr(endian).into(),
        file_size: header.p_filesz(endian).into(),
        memory_size: header.p_memsz(endian).into(),
    }
}
