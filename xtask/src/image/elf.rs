//! Reads ELF files: the libraries of a program, the dependencies of a module, symbols and sections.

use object::elf::{DT_NEEDED, FileHeader32, FileHeader64, SHF_ALLOC};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind, Object, ObjectSection, ObjectSymbol};

/// What a program or library asks of the dynamic loader.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Linkage {
    /// Path of the dynamic loader (PT_INTERP).
    pub interpreter: Option<String>,
    /// File names of the libraries (DT_NEEDED).
    pub needed: Vec<String>,
}

/// Reads a program or library. A file that is not ELF, such as a script, has no linkage.
pub fn linkage(data: &[u8]) -> Result<Linkage, object::Error> {
    match FileKind::parse(data) {
        Ok(FileKind::Elf32) => linkage_of::<FileHeader32<Endianness>>(data),
        Ok(FileKind::Elf64) => linkage_of::<FileHeader64<Endianness>>(data),
        _ => Ok(Linkage::default()),
    }
}

fn linkage_of<H: FileHeader<Endian = Endianness>>(data: &[u8]) -> Result<Linkage, object::Error> {
    let header = H::parse(data)?;
    let endian = header.endian()?;
    let mut linkage = Linkage::default();
    for segment in header.program_headers(endian, data)? {
        if let Some(path) = segment.interpreter(endian, data)? {
            linkage.interpreter = Some(text(path));
        }
    }
    let dynamic = header.sections(endian, data)?.dynamic_table(endian, data)?;
    for entry in dynamic.iter().filter(|e| e.tag == DT_NEEDED) {
        linkage.needed.push(text(dynamic.string(entry)?));
    }
    Ok(linkage)
}

/// The fields of a module's `.modinfo`, each as `name=value`.
pub fn modinfo(module: &[u8]) -> Result<Vec<String>, object::Error> {
    let file = object::File::parse(module)?;
    let Some(section) = file.section_by_name(".modinfo") else {
        return Ok(Vec::new());
    };
    let fields = section.data()?.split(|b| *b == 0).map(text);
    Ok(fields.filter(|field| !field.is_empty()).collect())
}

/// The modules that must be loaded before this one.
pub fn module_depends(module: &[u8]) -> Result<Vec<String>, object::Error> {
    let info = modinfo(module)?;
    let depends = info.iter().find_map(|f| f.strip_prefix("depends="));
    let names = depends.unwrap_or_default().split(',').map(str::to_owned);
    Ok(names.filter(|n| !n.is_empty()).collect())
}

/// The names of the symbols that satisfy `wanted`.
pub fn symbols(
    data: &[u8],
    wanted: impl Fn(&object::Symbol<'_, '_>) -> bool,
) -> Result<Vec<String>, object::Error> {
    let file = object::File::parse(data)?;
    let symbols = file.symbols().filter(|s| wanted(s));
    symbols.map(|s| Ok(s.name()?.to_owned())).collect()
}

/// Whether an object has a section of this name.
pub fn has_section(data: &[u8], name: &str) -> Result<bool, object::Error> {
    let file = object::File::parse(data)?;
    Ok(file.section_by_name(name).is_some())
}

/// The number of an object's SHF_ALLOC sections.
pub fn loaded_sections(data: &[u8]) -> Result<usize, object::Error> {
    let file = object::File::parse(data)?;
    let loaded = file.sections().filter(|s| match s.flags() {
        object::SectionFlags::Elf { sh_flags, .. } => sh_flags.0 & SHF_ALLOC.0 != 0,
        _ => false,
    });
    Ok(loaded.count())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::write::{Object as Writer, StandardSection};
    use object::{Architecture, BinaryFormat, SectionKind};

    #[test]
    fn this_very_test_needs_a_loader_and_libc() {
        let data = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let linkage = linkage(&data).unwrap();
        assert!(linkage.interpreter.is_some_and(|i| i.contains("ld-")));
        assert!(
            linkage.needed.iter().any(|n| n.starts_with("libc.so")),
            "{:?}",
            linkage.needed
        );
    }

    #[test]
    fn a_script_needs_nothing() {
        assert_eq!(linkage(b"#!/bin/sh\n").unwrap(), Linkage::default());
    }

    #[test]
    fn a_modules_dependencies_are_read() {
        let mut object = Writer::new(BinaryFormat::Elf, Architecture::Arm, Endianness::Little);
        let section =
            object.add_section(Vec::new(), b".modinfo".to_vec(), SectionKind::ReadOnlyData);
        object.append_section_data(section, b"license=GPL\0depends=mii,usbnet\0name=x\0", 1);
        let _text = object.section_id(StandardSection::Text);
        let depends = module_depends(&object.write().unwrap()).unwrap();
        assert_eq!(depends, ["mii", "usbnet"]);
    }
}
