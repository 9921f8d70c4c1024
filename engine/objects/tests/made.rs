//! ELF files of other machines than the host's, made byte by byte.

use engine_objects::{Class, Endian, Fault, Functions, Mode, Table};
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};

/// A symbol: its name, value, size and kind.
type Row<'n> = (&'n str, u64, u64, SymbolKind);

/// A shared object with 64 bytes of code and these symbols. The writer makes relocatable files, whose
/// sections are all at address 0: with another type in the header, that is a shared object.
pub fn made(architecture: Architecture, endian: Endianness, rows: &[Row<'_>]) -> Vec<u8> {
    let mut file = Object::new(BinaryFormat::Elf, architecture, endian);
    let text = file.section_id(StandardSection::Text);
    file.append_section_data(text, &[0; 64], 4);
    for (name, value, size, kind) in rows {
        file.add_symbol(Symbol {
            name: name.as_bytes().to_vec(),
            value: *value,
            size: *size,
            kind: *kind,
            scope: SymbolScope::Dynamic,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
    }
    let mut bytes = file.write().unwrap();
    let place = if endian == Endianness::Little { 16 } else { 17 };
    bytes[place] = 3;
    bytes
}

/// A word of 8 bytes.
pub fn word(bytes: &[u8], at: usize) -> usize {
    let word = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    usize::try_from(word).unwrap()
}

/// Where the section header of the first `.symtab` is in a 64-bit file of little endian.
pub fn symtab(bytes: &[u8]) -> usize {
    let headers = (word(bytes, 40)..).step_by(64);
    let mut headers = headers.take_while(|at| at + 64 <= bytes.len());
    headers.find(|at| bytes[at + 4] == 2).unwrap()
}

fn functions(bytes: &[u8]) -> Vec<(String, u64, u64, Mode)> {
    let found = Functions::of_bytes(bytes).unwrap().1;
    assert_eq!(found.faults(), []);
    let rows = found.iter();
    rows.map(|f| (f.name().into_owned(), f.address, f.size, f.mode))
        .collect()
}

#[test]
fn thumb_functions_have_their_mode_and_an_even_address() {
    use SymbolKind::{Label, Text};
    let rows = [
        ("$a", 0, 0, Label),
        ("arm", 0, 8, Text),
        ("$t", 8, 0, Label),
        ("$t.1", 9, 0, Text),
        ("thumb", 9, 0, Text),
        ("$d", 16, 0, Text),
        ("late", 0x21, 100, Text),
    ];
    for endian in [Endianness::Little, Endianness::Big] {
        let bytes = made(Architecture::Arm, endian, &rows);
        let expected = [
            ("arm".to_owned(), 0, 8, Mode::Arm),
            ("thumb".to_owned(), 8, 24, Mode::Thumb),
            ("late".to_owned(), 32, 32, Mode::Thumb),
        ];
        assert_eq!(functions(&bytes), expected, "{endian:?}");
    }
}

#[test]
fn both_classes_and_byte_orders() {
    let cases = [
        (Architecture::I386, Endianness::Little, Class::Elf32, "i386"),
        (
            Architecture::PowerPc64,
            Endianness::Big,
            Class::Elf64,
            "ppc64",
        ),
        (
            Architecture::Aarch64,
            Endianness::Little,
            Class::Elf64,
            "aarch64",
        ),
    ];
    for (architecture, endian, class, machine) in cases {
        let bytes = made(architecture, endian, &[("f", 0x21, 3, SymbolKind::Text)]);
        let (elf, _) = Functions::of_bytes(&bytes).unwrap();
        let is_big = elf.endian == Endian::Big;
        assert_eq!(
            (elf.class, elf.machine.to_string().as_str()),
            (class, machine)
        );
        assert_eq!(is_big, endian == Endianness::Big);
        assert_eq!(functions(&bytes), [("f".to_owned(), 0x21, 3, Mode::Native)]);
    }
}

#[test]
fn several_functions_of_one_name_are_told_apart() {
    let rows = [
        ("same", 0, 4, SymbolKind::Text),
        ("same", 8, 4, SymbolKind::Text),
    ];
    let bytes = made(Architecture::X86_64, Endianness::Little, &rows);
    let addresses: Vec<_> = functions(&bytes).into_iter().map(|row| row.1).collect();
    assert_eq!(addresses, [0, 8]);
}

#[test]
fn what_lies_outside_code_is_counted() {
    let rows = [
        ("in", 0, 4, SymbolKind::Text),
        ("out", 64, 4, SymbolKind::Text),
    ];
    let bytes = made(Architecture::X86_64, Endianness::Little, &rows);
    let found = Functions::of_bytes(&bytes).unwrap().1;
    let fault = Fault::Outside {
        table: Table::Symtab,
        count: 1,
    };
    assert_eq!((found.len(), found.faults()), (1, &[fault][..]));
}

#[test]
fn a_cut_file_tells_how_many_symbols_it_has() {
    let rows: Vec<Row<'_>> = (0..8)
        .map(|at| ("f", at * 8, 8, SymbolKind::Text))
        .collect();
    let bytes = made(Architecture::X86_64, Endianness::Little, &rows);
    let header = symtab(&bytes);
    // A section that claims to be larger than the file is cut where the file ends.
    let mut damaged = bytes.clone();
    damaged[header + 32..header + 40].copy_from_slice(&(1_u64 << 60).to_le_bytes());
    let found = Functions::of_bytes(&damaged).unwrap().1;
    let message = found.faults()[0].to_string();
    assert!(message.starts_with(".symtab: truncated: "), "{message}");
    assert_eq!(found.len(), 8);
}

#[test]
fn what_is_no_object_is_refused() {
    let fault = |bytes: &[u8]| Functions::of_bytes(bytes).unwrap_err().to_string();
    assert_eq!(fault(b""), "not an ELF file");
    assert_eq!(fault(b"#!/bin/sh\n"), "not an ELF file");
    assert_eq!(fault(b"\x7fELF\x02\x01\x01"), "malformed ELF header");
    assert_eq!(fault(b"\x7fELF\x09\x01\x01"), "malformed ELF header");
    let mut relocatable = made(Architecture::X86_64, Endianness::Little, &[]);
    relocatable[16] = 1;
    assert_eq!(
        fault(&relocatable),
        "neither a program nor a shared object (e_type 1)"
    );
}
