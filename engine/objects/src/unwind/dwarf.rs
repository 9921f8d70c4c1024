//! `.eh_frame`: programs of call frame instructions, interpreted by gimli.

use gimli::{
    BaseAddresses, CieOrFde, EhFrame, EhFrameHdr, EndianSlice, FrameDescriptionEntry, Pointer,
    RunTimeEndian, UnwindContext, UnwindSection,
};
use object::elf;
use object::read::ReadRef;

use super::Found;
use super::expression::Rules;
use super::rows::Span;
use crate::elf::Elf;
use crate::elf::header::{Class, Endian, file_offset};
use crate::error::Fault;

pub type Reader<'d> = EndianSlice<'d, RunTimeEndian>;
pub type Entry<'d> = FrameDescriptionEntry<Reader<'d>>;

/// The longest common information entry, in bytes. Compilers write less than a hundred; each
/// function's description executes the common one first, so a long one would cost the square of its
/// size.
const LONGEST_COMMON: usize = 4096;

/// Adds what `.eh_frame` describes.
pub fn read<'d, R: ReadRef<'d>>(elf: &Elf, data: R, found: &mut Found) {
    let Some(registers) = elf.machine.dwarf_registers() else {
        return;
    };
    let mut context = UnwindContext::new();
    let mut spans = Vec::new();
    let mut faults = Vec::new();
    each(elf, data, &mut faults, |entry, section| {
        let rules = Rules {
            registers,
            frames: &section.frames,
        };
        spans.clear();
        function(&rules, &section.bases, entry, &mut context, &mut spans)?;
        found.add(&spans);
        Ok(())
    });
    found.faults.append(&mut faults);
}

/// Calls `visit` with each function's description. Malformed ones, of which `visit` can be the judge,
/// are counted.
pub fn each<'d, R: ReadRef<'d>>(
    elf: &Elf,
    data: R,
    faults: &mut Vec<Fault>,
    mut visit: impl FnMut(&Entry<'d>, &Section<'d>) -> gimli::Result<()>,
) {
    let section = match section(elf, data) {
        Ok(Some(section)) => section,
        Ok(None) => return,
        Err(fault) => return faults.push(fault),
    };
    let mut entries = section.frames.entries(&section.bases);
    let mut malformed = 0;
    loop {
        let partial = match entries.next() {
            Ok(Some(CieOrFde::Fde(partial))) => partial,
            Ok(Some(CieOrFde::Cie(_))) => continue,
            Ok(None) => break,
            Err(error) => {
                faults.push(fault(error));
                break;
            }
        };
        let entry = partial.parse(EhFrame::cie_from_offset);
        if entry.and_then(|entry| visit(&entry, &section)).is_err() {
            malformed += 1;
        }
    }
    if malformed > 0 {
        faults.push(Fault::Frames(malformed));
    }
}

/// The section, and the addresses that entries are relative to.
pub struct Section<'d> {
    frames: EhFrame<Reader<'d>>,
    bases: BaseAddresses,
}

fn section<'d, R: ReadRef<'d>>(elf: &Elf, data: R) -> Result<Option<Section<'d>>, Fault> {
    let endian = match elf.endian {
        Endian::Little => RunTimeEndian::Little,
        Endian::Big => RunTimeEndian::Big,
    };
    let size = match elf.class {
        Class::Elf32 => 4,
        Class::Elf64 => 8,
    };
    let place = match elf.eh_frame {
        Some(section) => Some((section.address, section.offset, section.size)),
        None => by_index(elf, data, endian, size)?,
    };
    let Some((address, offset, length)) = place else {
        return Ok(None);
    };
    let bytes = data.read_bytes_at(offset, length).map_err(|()| outside())?;
    let mut frames = EhFrame::new(bytes, endian);
    frames.set_address_size(size);
    let bases = BaseAddresses::default().set_eh_frame(address);
    Ok(Some(Section { frames, bases }))
}

/// Its address, offset and greatest size, by the segment of its index. Static programs have none, and
/// stripped ones may have no sections.
fn by_index<'d, R: ReadRef<'d>>(
    elf: &Elf,
    data: R,
    endian: RunTimeEndian,
    size: u8,
) -> Result<Option<(u64, u64, u64)>, Fault> {
    let mut segments = elf.segments.iter();
    let Some(index) = segments.find(|s| s.kind == elf::PT_GNU_EH_FRAME) else {
        return Ok(None);
    };
    let bytes = data.read_bytes_at(index.offset, index.file_size);
    let bytes = bytes.map_err(|()| outside())?;
    let bases = BaseAddresses::default().set_eh_frame_hdr(index.address);
    let header = EhFrameHdr::new(bytes, endian).parse(&bases, size);
    let address = match header.map_err(fault)?.eh_frame_ptr() {
        Pointer::Direct(address) => address,
        Pointer::Indirect(_) => return Err(Fault::EhFrame("an indirect address".to_owned())),
    };
    let (offset, rest) = file_offset(&elf.segments, address).ok_or_else(outside)?;
    Ok(Some((address, offset, rest)))
}

fn outside() -> Fault {
    Fault::EhFrame("outside the file".to_owned())
}

/// The spans of one function.
fn function<'d>(
    rules: &Rules<'_, 'd>,
    bases: &BaseAddresses,
    entry: &Entry<'d>,
    context: &mut UnwindContext<usize>,
    spans: &mut Vec<Span>,
) -> gimli::Result<()> {
    if entry.cie().entry_len() > LONGEST_COMMON {
        return Err(gimli::Error::UnsupportedOffset);
    }
    let mut table = entry.rows(rules.frames, bases, context)?;
    while let Some(row) = table.next_row()? {
        spans.push(Span {
            start: row.start_address(),
            end: row.end_address(),
            rule: rules.rule(entry, row),
        });
    }
    Ok(())
}

fn fault(error: gimli::Error) -> Fault {
    Fault::EhFrame(error.to_string())
}
