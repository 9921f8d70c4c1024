//! `DT_SONAME`, by the dynamic segment, which is there in a file without section headers too.

use object::read::ReadRef;
use object::read::elf::{Dyn, FileHeader};
use object::{Endianness, elf, pod};

use super::header::{Segment, file_offset};
use crate::error::Fault;

/// The longest name of a file.
const LONGEST_NAME: u64 = 256;

/// The name that the file has as a shared object.
pub fn soname<'d, E, R>(
    segments: &[Segment],
    endian: Endianness,
    data: R,
) -> Result<Option<Vec<u8>>, Fault>
where
    E: FileHeader<Endian = Endianness>,
    R: ReadRef<'d>,
{
    let dynamic = segments
        .iter()
        .find(|segment| segment.kind == elf::PT_DYNAMIC);
    let Some(dynamic) = dynamic else {
        return Ok(None);
    };
    let bytes = data.read_bytes_at(dynamic.offset, dynamic.file_size);
    let bytes = bytes.map_err(|()| Fault::Dynamic)?;
    let entries = pod::slice_from_all_bytes::<E::Dyn>(bytes).map_err(|()| Fault::Dynamic)?;
    let value = |tag| {
        let mut used = entries
            .iter()
            .take_while(|entry| entry.tag(endian) != elf::DT_NULL);
        used.find(|entry| entry.tag(endian) == tag)
            .map(|entry| entry.val(endian))
    };
    let (Some(name), Some(strings)) = (value(elf::DT_SONAME), value(elf::DT_STRTAB)) else {
        return Ok(None);
    };
    name_at(segments, strings, name, data)
        .map(Some)
        .ok_or(Fault::Dynamic)
}

fn name_at<'d, R: ReadRef<'d>>(
    segments: &[Segment],
    strings: u64,
    name: u64,
    data: R,
) -> Option<Vec<u8>> {
    let (offset, rest) = file_offset(segments, strings.checked_add(name)?)?;
    let bytes = data.read_bytes_at(offset, rest.min(LONGEST_NAME)).ok()?;
    let length = bytes.iter().position(|byte| *byte == 0)?;
    bytes
        .get(..length)
        .filter(|name| !name.is_empty())
        .map(<[u8]>::to_vec)
}
