//! Collects functions from several tables.

use object::elf;
use object::read::ReadRef;

use super::list::Functions;
use super::row::{Binding, Extent, Mode, Row};
use super::table::{self, Symbol};
use super::{extent, xz};
use crate::elf::Elf;
use crate::error::{Fault, Table};
use crate::unwind;

/// Functions while tables are added.
pub struct Collector<'e> {
    /// The object: where its code is.
    elf: &'e Elf,
    functions: Functions,
}

impl<'e> Collector<'e> {
    pub fn new(elf: &'e Elf) -> Self {
        let functions = Functions {
            faults: elf.faults.clone(),
            ..Functions::default()
        };
        Self { elf, functions }
    }

    pub fn is_empty(&self) -> bool {
        self.functions.rows.is_empty()
    }

    pub fn report(&mut self, fault: Fault) {
        self.functions.faults.push(fault);
    }

    /// Adds the functions of a table of `source`, which is the object itself or has its symbols.
    pub fn add<'d, R: ReadRef<'d>>(&mut self, source: &Elf, data: R, table: Table) {
        let mut symbols = Vec::new();
        let keep = |symbol: Symbol| {
            if self.elf.is_function(&symbol) {
                symbols.push(symbol);
            }
        };
        match table::read(source, data, table, &mut self.functions.faults, keep) {
            Ok(Some(strings)) => self.add_symbols(&symbols, strings, table),
            Ok(None) => {}
            Err(fault) => self.report(fault),
        }
    }

    /// Adds the functions of the object's MiniDebugInfo.
    pub fn add_mini<'d, R: ReadRef<'d>>(&mut self, data: R) {
        let Some((offset, size)) = self.elf.mini else {
            return;
        };
        let packed = data.read_bytes_at(offset, size);
        let packed = packed.map_err(|()| Fault::Xz("outside the file".to_owned()));
        let unpacked = packed.and_then(xz::decompress);
        let read = unpacked.and_then(|bytes| {
            let mini = Elf::read(&*bytes).map_err(|fault| Fault::Mini(Box::new(fault)))?;
            self.add(&mini, &*bytes, Table::Mini);
            Ok(())
        });
        if let Err(fault) = read {
            self.report(fault);
        }
    }

    /// Adds the functions that the object's `.eh_frame` describes. Each is named by its address, as
    /// `0x1a40`.
    pub fn add_described<'d, R: ReadRef<'d>>(&mut self, data: R) {
        let (extents, faults) = unwind::functions(self.elf, data);
        self.functions.faults.extend(faults);
        let mut outside = 0;
        for (address, size) in extents {
            if self.elf.code.end_at(address).is_none() {
                outside += 1;
                continue;
            }
            let name = format!("{address:#x}");
            let names = &mut self.functions.names;
            let Ok(start) = u32::try_from(names.len()) else {
                return self.report(Fault::Strings(Table::EhFrame));
            };
            names.extend_from_slice(name.as_bytes());
            self.functions.rows.push(Row {
                address,
                size,
                name: start,
                // Two digits for each byte of the address at most, and a prefix.
                length: name.len() as u32,
                version: 0,
                extent: Extent::Stated,
                binding: Binding::Local,
                mode: Mode::Native,
                is_ifunc: false,
                is_hidden: true,
                table: Table::EhFrame,
            });
        }
        self.report_outside(Table::EhFrame, outside);
    }

    fn add_symbols(&mut self, symbols: &[Symbol], strings: &[u8], table: Table) {
        let known = self.functions.names.len();
        if u32::try_from(known + strings.len()).is_err() {
            return self.report(Fault::Strings(table));
        }
        let ends = table::ends(strings);
        let (mut unnamed, mut outside) = (0, 0);
        for symbol in symbols {
            let Some(name) = table::name(symbol, strings, &ends) else {
                unnamed += 1;
                continue;
            };
            if name.is_empty() || self.elf.machine.is_mapping_symbol(name) {
                continue;
            }
            let row = self.row(symbol, name, known, table);
            match self.elf.code.end_at(row.address) {
                Some(_) => self.functions.rows.push(row),
                None => outside += 1,
            }
        }
        self.functions.names.extend_from_slice(strings);
        if unnamed > 0 {
            self.report(Fault::Names {
                table,
                count: unnamed,
            });
        }
        self.report_outside(table, outside);
    }

    fn report_outside(&mut self, table: Table, count: usize) {
        if count > 0 {
            self.report(Fault::Outside { table, count });
        }
    }

    /// A function of this symbol, with `known` bytes of names before its own table's.
    fn row(&self, symbol: &Symbol, name: &[u8], known: usize, table: Table) -> Row {
        let length = name
            .iter()
            .position(|byte| *byte == b'@')
            .filter(|at| *at > 0);
        let length = length.unwrap_or(name.len());
        let (address, mode) = self.elf.place(symbol);
        // Both lengths are within the string table, the size of which was checked.
        let short = |length: usize| u32::try_from(length).unwrap_or(0);
        Row {
            address,
            size: symbol.size,
            name: symbol.name.saturating_add(short(known)),
            length: short(length),
            version: short(name.len() - length),
            extent: Extent::Stated,
            binding: binding(symbol),
            mode,
            is_ifunc: symbol.kind == elf::STT_GNU_IFUNC,
            is_hidden: symbol.is_hidden,
            table,
        }
    }

    /// Sorts, merges equal entries, and completes the sizes.
    pub fn finish(mut self) -> Functions {
        let Functions { names, rows, .. } = &mut self.functions;
        rows.sort_by(|a, b| {
            let key = |row: &Row| (row.address, row.mode);
            let by_place = key(a).cmp(&key(b));
            let by_name = || a.name_in(names).cmp(b.name_in(names));
            by_place.then_with(by_name).then(a.table.cmp(&b.table))
        });
        rows.dedup_by(|later, kept| {
            let is_same = (later.address, later.mode) == (kept.address, kept.mode)
                && later.name_in(names) == kept.name_in(names);
            if is_same {
                kept.size = kept.size.max(later.size);
            }
            is_same
        });
        rows.shrink_to_fit();
        extent::complete(rows, &self.elf.code);
        self.functions
    }
}

fn binding(symbol: &Symbol) -> Binding {
    match symbol.binding {
        elf::STB_LOCAL => Binding::Local,
        elf::STB_WEAK => Binding::Weak,
        elf::STB_GLOBAL => Binding::Global,
        other => Binding::Other(other.0),
    }
}

impl Elf {
    /// Whether a symbol is a defined function. One of an absolute value does not move with the
    /// object, so it is none of the object's code.
    fn is_function(&self, symbol: &Symbol) -> bool {
        let is_code = symbol.kind == elf::STT_FUNC
            || symbol.kind == elf::STT_GNU_IFUNC
            || self.machine.is_thumb_type(symbol.kind);
        let is_defined = !symbol.section.is_special() || symbol.section == elf::SHN_XINDEX;
        is_code && is_defined
    }

    /// The address of a function, and its instruction set.
    fn place(&self, symbol: &Symbol) -> (u64, Mode) {
        if !self.machine.has_thumb() {
            return (symbol.value, Mode::Native);
        }
        let is_thumb = symbol.value & 1 == 1 || self.machine.is_thumb_type(symbol.kind);
        let mode = if is_thumb { Mode::Thumb } else { Mode::Arm };
        (symbol.value & !1, mode)
    }
}
