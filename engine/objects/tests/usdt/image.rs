//! Files with notes of probes, of any machine and class, made byte by byte.

use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, Writer};
use object::{Endianness, elf};

/// Where the code is in memory, and its length there and in the file.
pub const CODE: u64 = 0x1_1000;
pub const CODE_SIZE: u64 = 0x40;
/// Where the data is in memory.
pub const DATA: u64 = 0x2_2000;
pub const DATA_SIZE: u64 = 0x20;
/// Where `.stapsdt.base` is.
pub const BASE: u64 = CODE + CODE_SIZE - 1;
/// The place of the code in the file.
pub const CODE_OFFSET: u64 = 0x200;

/// A file to be made.
#[derive(Clone)]
pub struct Image {
    pub machine: elf::Machine,
    pub is_64: bool,
    pub endian: Endianness,
    pub kind: elf::FileType,
    pub code: Vec<u8>,
    pub notes: Vec<u8>,
    /// Names, values and types of symbols.
    pub symbols: Vec<(&'static str, u64, elf::SymbolType)>,
}

impl Image {
    /// A shared object without notes.
    pub fn new(machine: elf::Machine) -> Self {
        Self {
            machine,
            is_64: matches!(machine, elf::EM_X86_64 | elf::EM_AARCH64),
            endian: Endianness::Little,
            kind: elf::ET_DYN,
            code: Vec::new(),
            notes: Vec::new(),
            symbols: Vec::new(),
        }
    }

    /// Adds a note of a probe `p:n`.
    pub fn probe(&mut self, address: u64, semaphore: u64, arguments: &str) {
        let text = format!("p\0n\0{arguments}\0");
        self.note([address, BASE, semaphore], text.as_bytes());
    }

    /// Adds a note.
    pub fn note(&mut self, addresses: [u64; 3], strings: &[u8]) {
        let words = addresses.map(|address| self.word(address)).concat();
        self.raw(b"stapsdt\0", 3, &[&words[..], strings].concat());
    }

    /// Adds a note of any owner and type.
    pub fn raw(&mut self, owner: &[u8], kind: u32, contents: &[u8]) {
        for number in [owner.len() as u32, contents.len() as u32, kind] {
            let bytes = self.four(number);
            self.notes.extend(bytes);
        }
        for part in [owner, contents] {
            self.notes.extend(part);
            self.notes.resize(self.notes.len().next_multiple_of(4), 0);
        }
    }

    pub fn four(&self, number: u32) -> [u8; 4] {
        match self.endian {
            Endianness::Little => number.to_le_bytes(),
            Endianness::Big => number.to_be_bytes(),
        }
    }

    fn word(&self, number: u64) -> Vec<u8> {
        match (self.is_64, self.endian) {
            (false, _) => self.four(number as u32).to_vec(),
            (true, Endianness::Little) => number.to_le_bytes().to_vec(),
            (true, Endianness::Big) => number.to_be_bytes().to_vec(),
        }
    }

    /// The file's bytes.
    pub fn made(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(self.endian, self.is_64, &mut bytes);
        self.write(&mut writer);
        bytes
    }

    fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        let mut code = self.code.clone();
        code.resize(CODE_SIZE as usize, 0);
        writer.reserve_file_header();
        writer.reserve_program_headers(2);
        writer.reserve_until(CODE_OFFSET);
        let code_at = writer.reserve(CODE_SIZE, 1);
        let data_at = writer.reserve(DATA_SIZE, 16);
        let notes_at = writer.reserve(self.notes.len() as u64, 4);
        writer.reserve_null_section_index();
        let names = [&b".text"[..], b".data", b".note.stapsdt", b".stapsdt.base"];
        let names = names.map(|name| writer.add_section_name(name));
        let [text, _, _, _] = names.map(|_| writer.reserve_section_index());
        writer.reserve_symtab_section_index();
        writer.reserve_strtab_section_index();
        writer.reserve_shstrtab_section_index();
        writer.reserve_null_symbol_index();
        let named = self.symbols.iter().map(|(name, _, _)| {
            writer.reserve_symbol_index(Some(text));
            writer.add_string(name.as_bytes())
        });
        let named: Vec<_> = named.collect();
        writer.reserve_symtab();
        writer.reserve_strtab().unwrap();
        writer.reserve_shstrtab().unwrap();
        writer.reserve_section_headers();

        let header = FileHeader {
            os_abi: elf::ELFOSABI_NONE,
            abi_version: 0,
            e_type: self.kind,
            e_machine: self.machine,
            e_entry: 0,
            e_flags: elf::FileFlags(0),
        };
        writer.write_file_header(&header).unwrap();
        writer.write_align_program_headers();
        let segments = [
            (code_at, CODE, CODE_SIZE, elf::PF_R | elf::PF_X),
            (data_at, DATA, DATA_SIZE, elf::PF_R | elf::PF_W),
        ];
        for (offset, address, size, flags) in segments {
            writer.write_program_header(&ProgramHeader {
                p_type: elf::PT_LOAD,
                p_flags: flags,
                p_offset: offset,
                p_vaddr: address,
                p_paddr: address,
                p_filesz: size,
                p_memsz: size,
                p_align: 1,
            });
        }
        writer.pad_until(code_at);
        writer.write(&code);
        writer.pad_until(data_at);
        writer.write(&[0; DATA_SIZE as usize]);
        writer.pad_until(notes_at);
        writer.write(&self.notes);
        writer.write_null_symbol();
        for ((_, value, kind), name) in self.symbols.iter().zip(named) {
            writer.write_symbol(&Sym {
                section: Some(text.0),
                st_name: writer.string_offset(Some(name)),
                st_info: elf::SymbolInfo((elf::STB_GLOBAL.0 << 4) | kind.0),
                st_other: elf::SymbolOther(0),
                st_shndx: elf::SHN_UNDEF,
                st_value: *value,
                st_size: if *kind == elf::STT_FUNC { 8 } else { 0 },
            });
        }
        writer.write_strtab();
        writer.write_shstrtab();
        writer.write_null_section_header();
        let executable = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
        let notes = self.notes.len() as u64;
        let sections = [
            (elf::SHT_PROGBITS, executable, CODE, code_at, CODE_SIZE),
            (
                elf::SHT_PROGBITS,
                elf::SHF_ALLOC | elf::SHF_WRITE,
                DATA,
                data_at,
                DATA_SIZE,
            ),
            (elf::SHT_NOTE, elf::SectionFlags(0), 0, notes_at, notes),
            (
                elf::SHT_PROGBITS,
                elf::SHF_ALLOC,
                BASE,
                code_at + CODE_SIZE - 1,
                1,
            ),
        ];
        for (name, (kind, flags, address, offset, size)) in names.into_iter().zip(sections) {
            writer.write_section_header(&SectionHeader {
                sh_name: writer.section_name_offset(Some(name)),
                sh_type: kind,
                sh_flags: flags,
                sh_addr: address,
                sh_offset: offset,
                sh_size: size,
                sh_link: 0,
                sh_info: 0,
                sh_addralign: 4,
                sh_entsize: 0,
            });
        }
        writer.write_symtab_section_header(1);
        writer.write_strtab_section_header();
        writer.write_shstrtab_section_header();
    }
}
