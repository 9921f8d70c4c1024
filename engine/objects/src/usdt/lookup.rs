//! The addresses of the symbols that arguments name.

use std::collections::{HashMap, HashSet};

use object::elf;
use object::read::ReadRef;

use crate::elf::Elf;
use crate::error::Table;
use crate::functions::table::{self, Symbol};
use crate::reason::Unreadable;

/// What the file's tables say of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    At(u64),
    Several,
    ThreadLocal,
}

/// The symbols of a file that were asked for.
pub struct Lookup<'a>(HashMap<&'a str, Found>);

impl<'a> Lookup<'a> {
    /// Looks for names in both tables of a file.
    pub fn read<'d, R: ReadRef<'d>>(elf: &Elf, data: R, names: HashSet<&'a str>) -> Self {
        let mut found = HashMap::new();
        if names.is_empty() {
            return Self(found);
        }
        for table in [Table::Symtab, Table::Dynsym] {
            let mut symbols = Vec::new();
            let keep = |symbol: Symbol| {
                if is_address(&symbol) {
                    symbols.push(symbol);
                }
            };
            // Its faults are those of the file's functions.
            let strings = table::read(elf, data, table, &mut Vec::new(), keep);
            let Ok(Some(strings)) = strings else {
                continue;
            };
            let ends = table::ends(strings);
            for symbol in &symbols {
                let name = table::name(symbol, strings, &ends).map(without_version);
                let name = name.and_then(|name| str::from_utf8(name).ok());
                let Some(name) = name.and_then(|name| names.get(name)) else {
                    continue;
                };
                let one = Found::of(elf, symbol);
                let known = found.entry(*name).or_insert(one);
                if *known != one {
                    *known = Found::Several;
                }
            }
        }
        Self(found)
    }

    /// The address of a symbol.
    pub fn address(&self, name: &str) -> Result<u64, Unreadable> {
        // What follows `@` is the linker's, such as the address of a slot in the GOT.
        if name.contains('@') {
            return Err(Unreadable::Linked(name.to_owned()));
        }
        match self.0.get(name) {
            Some(Found::At(address)) => Ok(*address),
            Some(Found::Several) => Err(Unreadable::Ambiguous(name.to_owned())),
            Some(Found::ThreadLocal) => Err(Unreadable::ThreadLocal),
            None => Err(Unreadable::NoSymbol(name.to_owned())),
        }
    }
}

impl Found {
    fn of(elf: &Elf, symbol: &Symbol) -> Self {
        match symbol.kind {
            elf::STT_TLS => Self::ThreadLocal,
            elf::STT_FUNC if elf.machine.has_thumb() => Self::At(symbol.value & !1),
            _ => Self::At(symbol.value),
        }
    }
}

/// Whether a symbol is defined, and moves with its file.
fn is_address(symbol: &Symbol) -> bool {
    let is_defined = !symbol.section.is_special() || symbol.section == elf::SHN_XINDEX;
    is_defined && symbol.kind != elf::STT_FILE && symbol.kind != elf::STT_SECTION
}

/// A name before the `@` of its version.
fn without_version(name: &[u8]) -> &[u8] {
    let end = name.iter().position(|byte| *byte == b'@');
    name.get(..end.unwrap_or(name.len())).unwrap_or_default()
}
