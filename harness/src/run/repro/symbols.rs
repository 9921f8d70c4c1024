//! Symbols of a guest for gdb: an ELF file with the kernel's functions and nothing else, and the
//! section addresses of the module. Pure.

use object::elf::{
    ET_EXEC, FileHeader32, FileHeader64, SHF_ALLOC, SHF_EXECINSTR, SHN_UNDEF, SHT_NOBITS,
    STB_GLOBAL, STT_FUNC, STV_DEFAULT, SymbolInfo,
};
use object::read::elf::FileHeader as _;
use object::write::elf::{FileHeader, SectionHeader, SectionIndex, Sym, Writer};
use object::{Endianness, FileKind};

/// A function of the kernel proper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'t> {
    address: u64,
    name: &'t str,
}

/// Functions in kallsyms lines of the form `address type name`, sorted by address. A module's
/// symbols have a fourth field, and are skipped.
pub fn parse(kallsyms: &str) -> Vec<Symbol<'_>> {
    let mut symbols: Vec<_> = kallsyms.lines().filter_map(function).collect();
    symbols.sort_by_key(|symbol| symbol.address);
    symbols
}

fn function(line: &str) -> Option<Symbol<'_>> {
    let mut words = line.split_whitespace();
    let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
    let is_function = matches!(kind, "t" | "T" | "w" | "W") && words.next().is_none();
    let address = u64::from_str_radix(address, 16).ok()?;
    is_function.then_some(Symbol { address, name })
}

/// An ELF file with `symbols`, for the architecture of `module`.
pub fn elf(module: &[u8], symbols: &[Symbol<'_>]) -> Result<Vec<u8>, String> {
    let failed = |error: object::Error| error.to_string();
    let (header, endian, is_64) = match FileKind::parse(module).map_err(failed)? {
        FileKind::Elf32 => {
            let raw = FileHeader32::<Endianness>::parse(module).map_err(failed)?;
            let endian = raw.endian().map_err(failed)?;
            (FileHeader::from_raw(endian, raw), endian, false)
        }
        FileKind::Elf64 => {
            let raw = FileHeader64::<Endianness>::parse(module).map_err(failed)?;
            let endian = raw.endian().map_err(failed)?;
            (FileHeader::from_raw(endian, raw), endian, true)
        }
        other => return Err(format!("a module is ELF, not {other:?}")),
    };
    let header = FileHeader {
        e_type: ET_EXEC,
        ..header
    };
    let mut file = Vec::new();
    let writer = Writer::new(endian, is_64, &mut file);
    write(writer, &header, symbols).map_err(|error| error.to_string())?;
    Ok(file)
}

/// Writes one NOBITS section that spans all symbols: gdb reads the contents from the guest.
fn write<'w>(
    mut writer: Writer<'w>,
    header: &FileHeader,
    symbols: &[Symbol<'w>],
) -> object::write::Result<()> {
    writer.reserve_file_header();
    writer.reserve_null_section_index();
    let text_name = writer.add_section_name(b".text");
    let text = writer.reserve_section_index();
    writer.reserve_symtab_section_index();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();
    writer.reserve_null_symbol_index();
    let names: Vec<_> = symbols
        .iter()
        .map(|symbol| {
            writer.reserve_symbol_index(Some(text));
            writer.add_string(symbol.name.as_bytes())
        })
        .collect();
    writer.reserve_symtab();
    writer.reserve_strtab()?;
    writer.reserve_shstrtab()?;
    writer.reserve_section_headers();

    writer.write_file_header(header)?;
    writer.write_null_symbol();
    for (symbol, name) in symbols.iter().zip(names) {
        let st_name = writer.string_offset(Some(name));
        writer.write_symbol(&entry(symbol, text, st_name));
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    let sh_name = writer.section_name_offset(Some(text_name));
    writer.write_section_header(&spanning(symbols, sh_name));
    writer.write_symtab_section_header(1);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(())
}

/// A symbol's entry in the symbol table.
fn entry(symbol: &Symbol<'_>, section: SectionIndex, st_name: u32) -> Sym {
    Sym {
        section: Some(section.0),
        st_name,
        st_info: SymbolInfo::new(STB_GLOBAL, STT_FUNC),
        st_other: STV_DEFAULT.into(),
        st_shndx: SHN_UNDEF,
        st_value: symbol.address,
        st_size: 0,
    }
}

/// The header of a section from the first symbol to the last.
fn spanning(symbols: &[Symbol<'_>], sh_name: u32) -> SectionHeader {
    let first = symbols.first().map_or(0, |symbol| symbol.address);
    let last = symbols.last().map_or(0, |symbol| symbol.address);
    SectionHeader {
        sh_name,
        sh_type: SHT_NOBITS,
        sh_flags: SHF_ALLOC | SHF_EXECINSTR,
        sh_addr: first,
        sh_offset: 0,
        sh_size: last - first + 4,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 4,
        sh_entsize: 0,
    }
}

/// A section of the loaded module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its address, as sysfs prints it.
    pub address: String,
}

/// Parses lines of the form `name:address`; keeps the sections that gdb can use.
pub fn sections(listing: &str) -> Vec<Section> {
    const KINDS: [&str; 4] = [".text", ".rodata", ".data", ".bss"];
    let section = |line: &str| {
        let (name, address) = line.trim().split_once(':')?;
        let more = |kind: &&str| name.strip_prefix(*kind);
        let is_one = |more: &str| more.is_empty() || more.starts_with('.');
        let is_wanted = KINDS.iter().filter_map(more).any(is_one);
        is_wanted.then(|| Section {
            name: name.to_owned(),
            address: address.to_owned(),
        })
    };
    listing.lines().filter_map(section).collect()
}

#[cfg(test)]
mod tests {
    use object::{Object, ObjectSymbol};

    use super::*;

    const KALLSYMS: &str = "c0110000 T sys_chdir\nc0008000 t stext\nc0900000 D jiffies\n\
                            bf000000 t trapped\t[trapline]\nc0110040 W weak\n";

    #[test]
    fn kernel_functions_are_sorted_by_address() {
        let names: Vec<_> = parse(KALLSYMS).iter().map(|s| s.name).collect();
        assert_eq!(names, ["stext", "sys_chdir", "weak"]);
    }

    #[test]
    fn elf_has_the_modules_architecture_and_the_symbols() {
        let empty = |is_64| {
            let mut file = Vec::new();
            let mut writer = Writer::new(Endianness::Little, is_64, &mut file);
            writer.reserve_file_header();
            let header = FileHeader {
                os_abi: object::elf::ELFOSABI_NONE,
                abi_version: 0,
                e_type: object::elf::ET_REL,
                e_machine: object::elf::EM_RISCV,
                e_entry: 0,
                e_flags: Default::default(),
            };
            writer.write_file_header(&header).expect("written");
            file
        };
        for (is_64, wanted) in [
            (false, object::Architecture::Riscv32),
            (true, object::Architecture::Riscv64),
        ] {
            let file = elf(&empty(is_64), &parse(KALLSYMS)).expect("a file");
            let file = object::File::parse(&*file).expect("ELF");
            assert_eq!(file.architecture(), wanted);
            let found: Vec<_> = file
                .symbols()
                .map(|s| (s.name().expect("a name").to_owned(), s.address()))
                .collect();
            assert_eq!(found[1], ("sys_chdir".to_owned(), 0xc011_0000));
            assert_eq!(found.len(), 3);
        }
        assert!(elf(b"#!/bin/sh", &[]).is_err());
    }

    #[test]
    fn only_text_and_data_sections_are_kept() {
        let listing = ".text:0xbf000000\n.text.trapline_trap:0xbf001000\n.note.Linux:0xbf00f000\n\
                       .bss:0xbf010000\n.textual:0x1\n";
        let names: Vec<_> = sections(listing).into_iter().map(|s| s.name).collect();
        assert_eq!(names, [".text", ".text.trapline_trap", ".bss"]);
    }
}
