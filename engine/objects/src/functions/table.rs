//! The entries of one table of symbols, of any class and byte order.

use object::elf::{Sym32, Sym64, SymbolBind, SymbolSection, SymbolType};
use object::read::ReadRef;
use object::read::elf::Sym;
use object::{Endianness, elf, pod};

use crate::elf::Elf;
use crate::elf::header::{Class, Section};
use crate::error::{Fault, Table};

/// The longest name that a function can have. Compilers write some of several kilobytes.
const LONGEST: usize = 16 << 10;

/// A symbol as its table has it.
pub struct Symbol {
    pub name: u32,
    pub kind: SymbolType,
    pub binding: SymbolBind,
    pub is_hidden: bool,
    pub section: SymbolSection,
    pub value: u64,
    pub size: u64,
}

/// Calls `each` with every symbol of a table, and returns the table's strings; `None` if the file
/// has no such table.
///
/// # Errors
/// A fault that leaves nothing. A table that is only cut is added to `faults`.
pub fn read<'d, R: ReadRef<'d>>(
    elf: &Elf,
    data: R,
    table: Table,
    faults: &mut Vec<Fault>,
    each: impl FnMut(Symbol),
) -> Result<Option<&'d [u8]>, Fault> {
    let kind = match table {
        Table::Dynsym => elf::SHT_DYNSYM,
        Table::Symtab | Table::Debug | Table::Mini => elf::SHT_SYMTAB,
        Table::EhFrame => return Ok(None),
    };
    let Some(section) = elf.sections.iter().find(|section| section.kind == kind) else {
        return Ok(None);
    };
    let mut pass = Pass {
        data,
        table,
        section,
        endian: elf.endian.into(),
        faults,
    };
    let strings = pass.strings(&elf.sections)?;
    match elf.class {
        Class::Elf32 => pass.symbols::<Sym32<Endianness>>(each)?,
        Class::Elf64 => pass.symbols::<Sym64<Endianness>>(each)?,
    }
    Ok(Some(strings))
}

/// The positions of the zeros that end the names in a table's strings. None are beyond 4 GiB.
pub fn ends(strings: &[u8]) -> Vec<u32> {
    let ends = (0..=u32::MAX).zip(strings);
    let ends = ends.filter(|(_, byte)| **byte == 0);
    ends.map(|(at, _)| at).collect()
}

/// The name of a symbol, without its terminating zero; `ends` are the positions of all zeros.
///
/// All symbols of a malformed file can have the same long name. A search for each end along the name
/// would take time in proportion to the square of the file's size, as would any use of such names:
/// hence the limit.
pub fn name<'s>(symbol: &Symbol, strings: &'s [u8], ends: &[u32]) -> Option<&'s [u8]> {
    let end = ends.get(ends.partition_point(|end| *end < symbol.name))?;
    let name = strings.get(symbol.name as usize..*end as usize)?;
    (name.len() <= LONGEST).then_some(name)
}

/// One reading of a table.
struct Pass<'a, R> {
    data: R,
    table: Table,
    section: &'a Section,
    endian: Endianness,
    faults: &'a mut Vec<Fault>,
}

impl<'d, R: ReadRef<'d>> Pass<'_, R> {
    /// The table of names, as much of it as is in the file.
    fn strings(&self, sections: &[Section]) -> Result<&'d [u8], Fault> {
        let index = usize::try_from(self.section.link).unwrap_or(usize::MAX);
        let section = sections
            .get(index)
            .filter(|section| section.kind == elf::SHT_STRTAB);
        let section = section.ok_or(Fault::Strings(self.table))?;
        let size = self.available(section);
        let bytes = self.data.read_bytes_at(section.offset, size);
        bytes.map_err(|()| Fault::Strings(self.table))
    }

    fn symbols<S: Sym<Endian = Endianness>>(
        &mut self,
        mut each: impl FnMut(Symbol),
    ) -> Result<(), Fault> {
        let (table, stated) = (self.table, self.section.entry_size);
        let size = size_of::<S>() as u64;
        if stated != size {
            return Err(Fault::EntrySize {
                table,
                size: stated,
            });
        }
        let all = self.section.size / size;
        let kept = self.available(self.section) / size;
        if kept < all {
            self.faults.push(Fault::Truncated { table, kept, all });
        }
        let bytes = self.data.read_bytes_at(self.section.offset, kept * size);
        let symbols = bytes.and_then(pod::slice_from_all_bytes::<S>);
        let symbols = symbols.map_err(|()| Fault::Truncated {
            table,
            kept: 0,
            all,
        })?;
        symbols
            .iter()
            .for_each(|symbol| each(decode(symbol, self.endian)));
        Ok(())
    }

    /// The number of bytes of a section that are in the file.
    fn available(&self, section: &Section) -> u64 {
        let length = self.data.len().unwrap_or(0);
        section.size.min(length.saturating_sub(section.offset))
    }
}

fn decode<S: Sym<Endian = Endianness>>(symbol: &S, endian: Endianness) -> Symbol {
    let visibility = symbol.st_visibility();
    Symbol {
        name: symbol.st_name(endian),
        kind: symbol.st_type(),
        binding: symbol.st_bind(),
        is_hidden: [elf::STV_HIDDEN, elf::STV_INTERNAL].contains(&visibility),
        section: symbol.st_shndx(endian),
        value: symbol.st_value(endian).into(),
        size: symbol.st_size(endian).into(),
    }
}
