//! The object whose functions are the vectors: an ELF file, of the class of this program.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::arch::{ELF_FLAGS, MACHINE};
use crate::places::PAGE;

/// Whether addresses have 64 bits.
const IS_64: bool = size_of::<usize>() == 8;

/// Bytes of the headers and of a symbol.
const HEADER: u16 = if IS_64 { 64 } else { 52 };
const SEGMENT: u16 = if IS_64 { 56 } else { 32 };
const SECTION: u16 = if IS_64 { 64 } else { 40 };
const SYMBOL: usize = if IS_64 { 24 } else { 16 };

/// Names of sections, and where each begins.
const NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0";
const TEXT_NAME: u32 = 1;
const SYMBOLS_NAME: u32 = 7;
const STRINGS_NAME: u32 = 15;

/// The numbers of the sections.
const TEXT: u16 = 1;
const STRINGS: u16 = 3;
const SECTIONS: u16 = 4;

/// `SHT_PROGBITS`, `SHT_SYMTAB` and `SHT_STRTAB`.
const PROGRAM: u32 = 1;
const SYMBOLS: u32 = 2;
const TABLE: u32 = 3;
/// `SHF_ALLOC` and `SHF_EXECINSTR`.
const CODE: usize = 2 | 4;

/// A function of the object.
pub struct Function {
    pub name: String,
    /// What its symbol has for its address: an offset from the object's.
    pub pointer: usize,
    /// Its bytes.
    pub length: usize,
}

/// The name of a vector's function. In a block it is not the first instruction.
pub fn name(number: usize, is_in_block: bool) -> String {
    let kind = if is_in_block { "block" } else { "vector" };
    format!("{kind}_{number:04}")
}

/// Where a vector's page is in the file, and from the object's first address. The headers have a page
/// of their own.
pub fn offset(number: usize) -> usize {
    (number + 1) * PAGE
}

/// Writes the file: the vectors' pages, and the function in each.
pub fn write(path: &Path, pages: &[[u8; PAGE]], functions: &[Function]) -> io::Result<()> {
    let (symbols, strings) = tables(functions);
    let end = offset(pages.len());
    let mut file = BufWriter::new(File::create(path)?);
    let mut first = header(end + symbols.len() + strings.len());
    first.segment(end);
    first.bytes.resize(PAGE, 0);
    file.write_all(&first.bytes)?;
    pages.iter().try_for_each(|page| file.write_all(page))?;
    file.write_all(&symbols)?;
    file.write_all(&strings)?;
    file.write_all(&sections(end, symbols.len(), strings.len()))?;
    file.flush()
}

/// The symbols, and their names.
fn tables(functions: &[Function]) -> (Vec<u8>, Vec<u8>) {
    let mut strings = NAMES.to_vec();
    let mut symbols = Fields {
        bytes: vec![0; SYMBOL],
    };
    for function in functions {
        symbols.symbol(strings.len(), function.pointer, function.length);
        strings.extend(function.name.bytes().chain([0]));
    }
    strings.resize(strings.len().next_multiple_of(8), 0);
    (symbols.bytes, strings)
}

fn sections(end: usize, symbols: usize, strings: usize) -> Vec<u8> {
    let mut all = Fields {
        bytes: vec![0; SECTION.into()],
    };
    let text = [CODE, PAGE, PAGE, end - PAGE];
    all.section([TEXT_NAME, PROGRAM], text, [0, 0], 0);
    let link = [STRINGS.into(), 1];
    all.section([SYMBOLS_NAME, SYMBOLS], [0, 0, end, symbols], link, SYMBOL);
    let table = [0, 0, end + symbols, strings];
    all.section([STRINGS_NAME, TABLE], table, [0, 0], 0);
    all.bytes
}

/// The file's header; the sections' are at `sections`.
fn header(sections: usize) -> Fields {
    const SHARED: u16 = 3;
    let class = if IS_64 { 2 } else { 1 };
    let mut fields = Fields {
        bytes: vec![0x7f, b'E', b'L', b'F', class, 1, 1],
    };
    fields.bytes.resize(16, 0);
    fields.halves(&[SHARED, MACHINE]);
    fields.four(1);
    fields.words(&[0, HEADER.into(), sections]);
    fields.four(ELF_FLAGS);
    fields.halves(&[HEADER, SEGMENT, 1, SECTION, SECTIONS, STRINGS]);
    fields
}

/// The fields of a file.
struct Fields {
    bytes: Vec<u8>,
}

impl Fields {
    fn halves(&mut self, values: &[u16]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.bytes.extend(bytes);
    }

    fn four(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// Fields of an address's size.
    fn words(&mut self, values: &[usize]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.bytes.extend(bytes);
    }

    /// The one segment, which is all that is mapped.
    fn segment(&mut self, end: usize) {
        const LOADED: u32 = 1;
        const READ_AND_EXECUTED: u32 = 4 | 1;
        self.four(LOADED);
        if IS_64 {
            self.four(READ_AND_EXECUTED);
        }
        self.words(&[0, 0, 0, end, end]);
        if !IS_64 {
            self.four(READ_AND_EXECUTED);
        }
        self.words(&[PAGE]);
    }

    fn symbol(&mut self, name: usize, address: usize, size: usize) {
        /// Global, and a function.
        const KIND: u8 = 1 << 4 | 2;
        self.four(name as u32);
        if !IS_64 {
            self.words(&[address, size]);
        }
        self.bytes.extend([KIND, 0]);
        self.halves(&[TEXT]);
        if IS_64 {
            self.words(&[address, size]);
        }
    }

    /// Name and kind; flags, address, place and size; link and information; and an entry's size.
    fn section(&mut self, first: [u32; 2], extent: [usize; 4], link: [u32; 2], entry: usize) {
        first.into_iter().for_each(|value| self.four(value));
        self.words(&extent);
        link.into_iter().for_each(|value| self.four(value));
        self.words(&[1, entry]);
    }
}
