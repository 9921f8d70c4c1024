//! Limits the stack frames of the engine's functions, as reported by `-Zemit-stack-sizes`.

use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex};

use crate::error::{Error, Result};
use crate::files;

/// Where the compiler reports them: per function its address, then its frame in bytes as ULEB128.
pub const SECTION: &str = ".stack_sizes";

/// The largest frame allowed, in bytes: the kernel's own limit (`CONFIG_FRAME_WARN`).
const fn limit(is_64: bool) -> u64 {
    if is_64 { 2048 } else { 1024 }
}

/// Rejects an object with a frame too large for a kernel stack, which is 8 KiB on 32-bit machines.
pub fn check(object: &Path) -> Result<()> {
    check_data(&files::read(object)?)
}

fn check_data(data: &[u8]) -> Result<()> {
    let (frames, is_64) = frames(data).map_err(|why| Error::Module(why.to_string()))?;
    if frames.is_empty() {
        return Err(Error::Module(format!("the engine has no {SECTION}")));
    }
    let large = frames.iter().filter(|(_, bytes)| *bytes > limit(is_64));
    let large: Vec<_> = large
        .map(|(name, bytes)| format!("  {bytes} {:#}", rustc_demangle::demangle(name)))
        .collect();
    if large.is_empty() {
        return Ok(());
    }
    Err(Error::Module(format!(
        "functions of the engine take more than {} bytes of the kernel's stack each:\n{}\n\
         move large locals into a function that is never inlined, or to the heap",
        limit(is_64),
        large.join("\n")
    )))
}

/// The functions of a relocatable object with their frame sizes, and whether it is 64-bit. Where
/// the addend is implicit (REL), it is in the address field itself.
fn frames(data: &[u8]) -> object::Result<(Vec<(String, u64)>, bool)> {
    let file = object::File::parse(data)?;
    let mut frames = Vec::new();
    for section in file.sections().filter(|it| it.name() == Ok(SECTION)) {
        let sizes = section.data()?;
        for (at, relocation) in section.relocations() {
            let width = if file.is_64() { 8 } else { 4 };
            let field = sizes.get(at as usize..).unwrap_or_default();
            let implicit = match relocation.has_implicit_addend() {
                true => field.get(..4).map_or(0, little_endian),
                false => relocation.addend() as u64,
            };
            let bytes = uleb128(field.get(width..).unwrap_or_default());
            if let RelocationTarget::Symbol(index) = relocation.target() {
                let symbol = file.symbol_by_index(index)?;
                let address = symbol.address().wrapping_add(implicit);
                let name = name_at(&file, symbol.section_index(), address);
                frames.push((name.unwrap_or_default(), bytes));
            }
        }
    }
    Ok((frames, file.is_64()))
}

fn name_at(file: &object::File<'_>, section: Option<SectionIndex>, address: u64) -> Option<String> {
    let mut symbols = file.symbols().filter(|it| it.is_definition());
    let found = symbols.find(|it| it.section_index() == section && it.address() == address)?;
    found.name().ok().map(str::to_owned)
}

fn little_endian(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Decodes a ULEB128 number: seven bits per byte, least significant first, bit 7 set on all but the
/// last.
fn uleb128(bytes: &[u8]) -> u64 {
    let last = bytes.iter().position(|byte| byte & 0x80 == 0);
    let bytes = bytes.get(..=last.unwrap_or_default()).unwrap_or_default();
    let bytes = bytes.iter().rev();
    bytes.fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::write::{Object as Writer, Relocation, Symbol, SymbolSection};
    use object::{
        Architecture, BinaryFormat, Endianness, RelocationEncoding, RelocationFlags,
        RelocationKind, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
    };

    /// An object with one function, whose frame size is `frame`, in ULEB128.
    fn object_with(name: &str, frame: &[u8]) -> Vec<u8> {
        let mut object = Writer::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let text = object.add_section(vec![], b".text".to_vec(), SectionKind::Text);
        let symbol = object.add_symbol(Symbol {
            name: name.into(),
            value: 0,
            size: 4,
            kind: SymbolKind::Text,
            scope: SymbolScope::Compilation,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
        let sizes = object.add_section(vec![], SECTION.into(), SectionKind::Other);
        object.append_section_data(sizes, &[&[0; 8], frame].concat(), 1);
        let flags = RelocationFlags::Generic {
            kind: RelocationKind::Absolute,
            encoding: RelocationEncoding::Generic,
            size: 64,
        };
        let relocation = Relocation {
            offset: 0,
            symbol,
            addend: 0,
            flags,
        };
        object.add_relocation(sizes, relocation).unwrap();
        object.write().unwrap()
    }

    #[test]
    fn a_large_frame_is_refused_with_its_functions_name() {
        assert!(
            check_data(&object_with("small", &[0x80, 0x10])).is_ok(),
            "2048"
        );
        let refused = check_data(&object_with("large", &[0x81, 0x10])).unwrap_err();
        assert!(refused.to_string().contains("2049 large"), "{refused}");
    }

    #[test]
    fn an_object_without_stack_sizes_is_refused() {
        let object = Writer::new(BinaryFormat::Elf, Architecture::Arm, Endianness::Little);
        assert!(check_data(&object.write().unwrap()).is_err());
    }
}
