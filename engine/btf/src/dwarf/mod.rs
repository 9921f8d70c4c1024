//! DWARF to BTF: for kernels that have no BTF, and for what BTF does not have.
//!
//! A kernel's debug information repeats each type in every unit that includes its header: 4.5
//! million members of 824,000 structs in one of 6.1, of which 6,500 structs are left. This is how
//! they are found, in one pass over the entries, unit by unit:
//!
//! 1. `die.rs` reads a unit's entries, with the few attributes that types need.
//! 2. `unit.rs` and `members.rs` make *nodes* of them, bottom up. `graph.rs` keeps equal nodes
//!    once, so all but the first of 1,700 copies of a struct cost a lookup.
//! 3. `classes.rs` finds what is one type, though written alike in different units it might not be.
//! 4. `emit.rs` numbers what is left, and resolves declarations to the one definition.
//! 5. `variables.rs` adds functions, and all variables of files with their places.
//!
//! Units of other languages than C are skipped. Types that only a function knows are taken, its
//! variables are not.
//!
//! # Addresses
//!
//! BTF has no field for an address, but sections of variables have offsets
//! (`doc/decisions/0024-addresses-in-sections.md`). A section is named for what its offsets count
//! from: `_stext` is the kernel's symbol, which `/proc/kallsyms` lists in every configuration, so a
//! kernel that was moved at boot moves its variables with it; `.data..percpu` is each CPU's area,
//! as in a kernel's own BTF; another name with a dot is a section of a module.
//!
//! A tag `build-id:<hexadecimal>` of the first type says which kernel the file is of.
//!
//! # Judges
//!
//! For Debian's kernels 6.1 (armel, amd64, arm64) all named structs, unions, enumerations and
//! typedefs have the members, offsets and sizes that the kernel's own BTF has, or pahole's where it
//! has none; but arrays of arrays keep their dimensions here, which pahole multiplies. All variables
//! have the addresses of `System.map`. `tests/dwarf/kernel.rs` repeats a part of that for a file that
//! `TRAPLINE_VMLINUX` names.

mod attribute;
mod classes;
mod counts;
mod definitions;
mod die;
mod elf;
mod emit;
mod error;
mod graph;
mod hash;
mod members;
mod strings;
mod unit;
mod variables;

use gimli::constants as dw;

use crate::btf::Btf;
use crate::header::Endian;
use crate::write::Builder;
use attribute::{Dwarf, Reader};
pub use counts::Counts;
use die::Dies;
use elf::Image;
use emit::Emitter;
pub use error::DwarfError;
use graph::Graph;
use strings::Strings;
use unit::{Maker, UnitTypes};

/// Makes BTF of a file's debug information.
///
/// # Errors
/// The file is malformed, or has no debug information.
pub fn convert(file: &[u8]) -> Result<(Vec<u8>, Counts), DwarfError> {
    to_btf(file, None)
}

/// Makes split BTF of what a file's debug information has and `base` has not: all variables of a
/// kernel whose own BTF is `base`, for example.
///
/// # Errors
/// As [`convert`].
pub fn supplement(file: &[u8], base: &Btf<'_>) -> Result<(Vec<u8>, Counts), DwarfError> {
    to_btf(file, Some(base))
}

fn to_btf(file: &[u8], base: Option<&Btf<'_>>) -> Result<(Vec<u8>, Counts), DwarfError> {
    let image = Image::read(file)?;
    let sections = gimli::DwarfSections::load(|id| image.debug(id))?;
    let endian = image.run_time_endian();
    let dwarf = sections.borrow(|bytes| Reader::new(bytes, endian));
    if dwarf.debug_info.units().next().ok().flatten().is_none() {
        return Err(DwarfError::None);
    }
    let mut counts = Counts::default();
    let (mut graph, mut strings) = (Graph::new(), Strings::new());
    let is_big = image.endian() == Endian::Big;
    let units = read_units((&dwarf, is_big), &mut graph, &mut strings, &mut counts)?;
    let mut emitter = Emitter::new(&graph, &units, base, &mut strings);
    emitter.definitions();
    for (number, unit) in units.iter().enumerate() {
        for root in &unit.roots {
            emitter.id(*root, number);
        }
    }
    variables::add(&mut emitter, &units, &image, &mut strings, &mut counts);
    let mut builder = base.map_or_else(|| Builder::new(image.endian()), Builder::split);
    emitter.write(&mut builder, &strings);
    counts.types = builder.next_id().0 - base.map_or(1, |base| base.count());
    Ok((builder.finish()?, counts))
}

fn read_units<'d>(
    (dwarf, is_big): (&Dwarf<'d>, bool),
    graph: &mut Graph,
    strings: &mut Strings<'d>,
    counts: &mut Counts,
) -> Result<Vec<UnitTypes>, DwarfError> {
    let mut dies = Dies::default();
    let mut found = Vec::new();
    let mut headers = dwarf.debug_info.units();
    let mut unit = 0;
    while let Some(header) = headers
        .next()
        .map_err(|why| DwarfError::Dwarf { unit, why })?
    {
        unit = header.debug_info_offset().map_or(0, |offset| offset.0);
        let fault = |why| DwarfError::Dwarf { unit, why };
        let address_size = header.address_size();
        let read = dwarf.unit(header).map_err(fault)?;
        if !is_c(&read).map_err(fault)? {
            counts.skipped += 1;
            continue;
        }
        dies.read(dwarf, &read, strings).map_err(fault)?;
        let maker = Maker::new(&dies, graph, address_size, is_big);
        let made = maker.make();
        found.push(made.map_err(|(entry, what)| DwarfError::Entry { unit, entry, what })?);
    }
    counts.units = found.len();
    Ok(found)
}

/// Whether a unit is in a kind of C, or does not say. An assembler lists functions, too, but knows
/// neither what they take nor what they return.
fn is_c(unit: &gimli::Unit<Reader<'_>>) -> gimli::Result<bool> {
    let mut entries = unit.entries();
    entries.next_entry()?;
    let language = entries
        .current()
        .and_then(|root| root.attr_value(dw::DW_AT_language));
    let Some(gimli::AttributeValue::Language(language)) = language else {
        return Ok(true);
    };
    Ok(matches!(
        language,
        dw::DW_LANG_C | dw::DW_LANG_C89 | dw::DW_LANG_C99 | dw::DW_LANG_C11 | dw::DW_LANG_C17
    ))
}
