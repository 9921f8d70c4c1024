//! What a file has besides its entries: sections, symbols, addresses.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use gimli::{RunTimeEndian, SectionId};
use object::{
    File, Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationKind, RelocationTarget,
    SectionFlags, SectionIndex, SymbolKind,
};

use crate::dwarf::error::DwarfError;
use crate::header::Endian;
use crate::lookup::PER_CPU;

/// The symbol that a kernel's addresses are relative to.
pub const ORIGIN: &str = "_stext";

/// A section that is loaded.
#[derive(Debug)]
struct Area {
    name: String,
    index: SectionIndex,
    start: u64,
    end: u64,
}

/// A file with debug information.
#[derive(Debug)]
pub struct Image<'d> {
    file: File<'d>,
    areas: Vec<Area>,
    /// The address of [`ORIGIN`], if the file is a kernel.
    origin: Option<u64>,
    /// Names and addresses of functions, sorted.
    functions: Vec<(&'d [u8], Range<u64>)>,
    data: HashMap<&'d [u8], u64>,
    /// All names with all of their addresses, sorted.
    symbols: Vec<(&'d [u8], u64)>,
}

impl<'d> Image<'d> {
    /// Reads the tables of a file.
    pub fn read(bytes: &'d [u8]) -> Result<Self, DwarfError> {
        let file = File::parse(bytes)?;
        let mut image = Self {
            areas: areas(&file),
            origin: None,
            functions: Vec::new(),
            data: HashMap::new(),
            symbols: Vec::new(),
            file,
        };
        image.read_symbols();
        Ok(image)
    }

    /// The byte order.
    pub fn endian(&self) -> Endian {
        if self.file.is_little_endian() {
            Endian::Little
        } else {
            Endian::Big
        }
    }

    /// The byte order, as gimli has it.
    pub fn run_time_endian(&self) -> RunTimeEndian {
        match self.endian() {
            Endian::Little => RunTimeEndian::Little,
            Endian::Big => RunTimeEndian::Big,
        }
    }

    /// The build-id, if there is one.
    pub fn build_id(&self) -> Option<&'d [u8]> {
        self.file.build_id().ok().flatten()
    }

    /// A section of debug information, relocated; empty if there is none.
    pub fn debug(&self, id: SectionId) -> Result<Cow<'d, [u8]>, DwarfError> {
        let Some(section) = self.file.section_by_name(id.name()) else {
            return Ok(Cow::default());
        };
        let is_compressed = section.compressed_file_range()?.format;
        if is_compressed != object::CompressionFormat::None {
            return Err(DwarfError::Compressed(id.name().to_owned()));
        }
        let mut bytes = Cow::Borrowed(section.data()?);
        // A linked file may keep its relocations, but they are done.
        if !self.is_relocatable() {
            return Ok(bytes);
        }
        for (offset, relocation) in section.relocations() {
            if relocation.kind() != RelocationKind::Absolute {
                continue;
            }
            let width = usize::from(relocation.size() / 8);
            let place = usize::try_from(offset).ok();
            let place = place.and_then(|at| at.checked_add(width).map(|end| at..end));
            let target = self.address_of(relocation.target());
            let Some(place) = place.and_then(|place| bytes.to_mut().get_mut(place)) else {
                continue;
            };
            let mut value = target.wrapping_add_signed(relocation.addend());
            if relocation.has_implicit_addend() {
                value = value.wrapping_add(number(place, self.endian()));
            }
            set_number(place, value, self.endian());
        }
        Ok(bytes)
    }

    /// Whether a function with this name has code at an address, by the file's symbols. Copies that a
    /// compiler made of one, with other arguments perhaps, have longer names. The address need not
    /// be the first: room for patching may come before it.
    pub fn has_function(&self, name: &[u8], address: Option<u64>) -> bool {
        let Some(address) = address.filter(|_| !self.functions.is_empty()) else {
            return true;
        };
        let first = self.functions.partition_point(|(other, _)| *other < name);
        let named = self.functions.iter().skip(first);
        let mut named = named.take_while(|(other, _)| *other == name);
        named.any(|(_, range)| range.contains(&address))
    }

    /// Whether there is a symbol with this name.
    pub fn has_symbol(&self, name: &[u8]) -> bool {
        self.data.contains_key(name)
    }

    /// The address of a variable: the stated one if the file has a symbol there, or else that of the
    /// symbol with its name. What the linker discarded has no symbol at its address, and copies that
    /// a hypervisor has of a kernel's variables have other names.
    pub fn address_of_data(&self, name: &[u8], stated: Option<u64>) -> Option<u64> {
        let Some(address) = stated else {
            return self.data.get(name).copied();
        };
        let is_there =
            self.symbols.is_empty() || self.symbols.binary_search(&(name, address)).is_ok();
        is_there.then_some(address)
    }

    /// Where an address is: what it is relative to, and its offset from there.
    pub fn place(&self, address: u64) -> Option<(&str, u32)> {
        let mut areas = self.areas.iter();
        let area = areas.find(|area| (area.start..area.end).contains(&address));
        let (name, start) = match (area, self.origin) {
            (Some(area), Some(_)) if area.name == PER_CPU => (PER_CPU, area.start),
            // A kernel's page tables, and the ends of its sections, are outside of all sections.
            (_, Some(origin)) => (ORIGIN, origin),
            (Some(area), None) => (area.name.as_str(), area.start),
            _ => return None,
        };
        let offset = u32::try_from(address.checked_sub(start)?).ok()?;
        Some((name, offset))
    }

    fn is_relocatable(&self) -> bool {
        self.file.kind() == ObjectKind::Relocatable
    }

    fn read_symbols(&mut self) {
        let is_arm = self.file.architecture() == object::Architecture::Arm;
        let mut origin = None;
        let (mut functions, mut data) = (Vec::new(), HashMap::new());
        let mut symbols = Vec::new();
        for symbol in self.file.symbols() {
            let Ok(name) = symbol.name_bytes() else {
                continue;
            };
            let address = self.address_of_symbol(&symbol);
            if name == ORIGIN.as_bytes() {
                origin = Some(address);
            }
            if symbol.is_undefined() || name.is_empty() {
                continue;
            }
            match symbol.kind() {
                // The lowest bit tells Thumb code.
                SymbolKind::Text => {
                    let start = address & !u64::from(is_arm);
                    let end = start.saturating_add(symbol.size().max(1));
                    functions.push((name, start..end));
                }
                SymbolKind::Section | SymbolKind::File => continue,
                _ => {}
            }
            symbols.push((name, address));
            if symbol.is_global() {
                data.insert(name, address);
            } else {
                data.entry(name).or_insert(address);
            }
        }
        symbols.sort_unstable();
        self.symbols = symbols;
        functions.sort_unstable_by_key(|(name, _)| *name);
        (self.origin, self.functions, self.data) = (origin, functions, data);
    }

    fn address_of(&self, target: RelocationTarget) -> u64 {
        match target {
            RelocationTarget::Symbol(index) => {
                let symbol = self.file.symbol_by_index(index);
                symbol.map_or(0, |symbol| self.address_of_symbol(&symbol))
            }
            RelocationTarget::Section(index) => self.start_of(index),
            _ => 0,
        }
    }

    fn address_of_symbol(&self, symbol: &object::Symbol<'_, '_>) -> u64 {
        if !self.is_relocatable() {
            return symbol.address();
        }
        let start = symbol
            .section_index()
            .map_or(0, |index| self.start_of(index));
        start.wrapping_add(symbol.address())
    }

    fn start_of(&self, index: SectionIndex) -> u64 {
        let mut areas = self.areas.iter();
        let found = areas.find(|area| area.index == index);
        found.map_or(0, |area| area.start)
    }
}

/// The sections that are loaded. Those of a relocatable file get addresses that are their own.
fn areas(file: &File<'_>) -> Vec<Area> {
    let is_relocatable = file.kind() == ObjectKind::Relocatable;
    let mut next = 0x1000_u64;
    let mut areas = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        if !sh_flags.contains(object::elf::SHF_ALLOC)
            || section.address().checked_add(section.size()).is_none()
        {
            continue;
        }
        let start = if is_relocatable {
            next
        } else {
            section.address()
        };
        next = next.saturating_add(section.size()).saturating_add(0x1000) & !0xfff;
        areas.push(Area {
            name: section.name().unwrap_or_default().to_owned(),
            index: section.index(),
            start,
            end: start.saturating_add(section.size()),
        });
    }
    areas
}

fn number(bytes: &[u8], order: Endian) -> u64 {
    let step = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    match order {
        Endian::Little => bytes.iter().rev().fold(0, step),
        Endian::Big => bytes.iter().fold(0, step),
    }
}

fn set_number(bytes: &mut [u8], value: u64, order: Endian) {
    let shifts = (0..).step_by(8);
    let set = |(byte, shift): (&mut u8, u32)| *byte = value.checked_shr(shift).unwrap_or(0) as u8;
    match order {
        Endian::Little => bytes.iter_mut().zip(shifts).for_each(set),
        Endian::Big => bytes.iter_mut().rev().zip(shifts).for_each(set),
    }
}
