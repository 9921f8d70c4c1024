//! Names of kernel addresses by `/proc/kallsyms`; where code ends is known from its markers and,
//! for modules, from `/proc/modules`.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs;
use std::ops::Range;

use engine_dlang::program::Detail;

/// The module name of symbols without one in `/proc/kallsyms`.
const KERNEL: &str = "vmlinux";

/// The kernel's symbols, read when the first address is looked up.
#[derive(Default)]
pub struct Symbols(OnceCell<Table>);

/// The text of `/proc/kallsyms`, and its symbols sorted by address.
struct Table {
    text: String,
    symbols: Vec<Symbol>,
    /// The ranges of the kernel's code: `.text` and `.init.text`.
    kernel: [Range<u64>; 2],
    /// Each module's range.
    modules: HashMap<String, Range<u64>>,
}

#[derive(Clone, Copy)]
struct Symbol {
    address: u64,
    /// Offset of its line in the text.
    line: u32,
    is_local: bool,
}

impl Symbols {
    /// Symbols from texts in the format of `/proc/kallsyms` and `/proc/modules`.
    #[cfg(test)]
    pub fn parse(symbols: &str, modules: &str) -> Self {
        Self(OnceCell::from(Table::new(symbols.to_owned(), modules)))
    }

    /// The name of an address for `sym` or `mod`: `module`symbol`, or `module`.
    pub fn named(&self, address: u64, detail: Detail) -> String {
        let table = self.0.get_or_init(Table::of_this_kernel);
        match (table.find(address), detail) {
            (None, _) => format!("{address:#x}"),
            (Some((module, _, _)), Detail::Object) => module.to_owned(),
            (Some((module, name, _)), Detail::Function) => {
                format!("{module}`{}", readable(name))
            }
            (Some(_), Detail::Offset) => self.name(address),
        }
    }

    /// The first address that has the same name, as far as that is known: those of a function, or of
    /// a module, are one key.
    pub fn first(&self, address: u64, detail: Detail) -> u64 {
        let table = self.0.get_or_init(Table::of_this_kernel);
        let found = table.find(address);
        let first = match detail {
            Detail::Offset => None,
            Detail::Function => found.map(|(_, _, offset)| address.wrapping_sub(offset)),
            Detail::Object => found.and_then(|(module, _, _)| table.first_of(module)),
        };
        first.unwrap_or(address)
    }

    /// `module`symbol+0x1c`, or the address itself if it has no symbol.
    pub fn name(&self, address: u64) -> String {
        let table = self.0.get_or_init(Table::of_this_kernel);
        match table.find(address) {
            Some((module, name, 0)) => format!("{module}`{}", readable(name)),
            Some((module, name, offset)) => format!("{module}`{}+{offset:#x}", readable(name)),
            None => format!("{address:#x}"),
        }
    }
}

/// The name as in the source, where it is mangled: there are modules in Rust.
fn readable(name: &str) -> Cow<'_, str> {
    let demangled = name
        .starts_with('_')
        .then(|| engine_objects::demangled(name));
    demangled.flatten().map_or(name.into(), Cow::Owned)
}

impl Table {
    /// The running kernel's symbols. Without the privilege to read addresses they are all 0, and
    /// nothing has a name.
    fn of_this_kernel() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::new(read("/proc/kallsyms"), &read("/proc/modules"))
    }

    fn new(text: String, modules: &str) -> Self {
        let mut symbols = Vec::new();
        let mut line = 0;
        for row in text.split_inclusive('\n') {
            let start = line;
            line += row.len();
            symbols.extend(symbol(row, start));
        }
        symbols.sort_by_key(|it| (it.address, it.is_local));
        Self {
            kernel: kernel(&text),
            modules: modules.lines().filter_map(module).collect(),
            text,
            symbols,
        }
    }

    /// An address that stands for a module. The kernel has two ranges of code, so it is the first of
    /// them.
    fn first_of(&self, module: &str) -> Option<u64> {
        match module {
            KERNEL => self.kernel.first().map(|range| range.start),
            module => self.modules.get(module).map(|range| range.start),
        }
    }

    /// Module and name of the symbol that contains `address`, and the offset in it. Symbols have no
    /// size, so an address outside of the known code ranges has none.
    fn find(&self, address: u64) -> Option<(&str, &str, u64)> {
        let after = self.symbols.partition_point(|it| it.address <= address);
        let nearest = self.symbols.get(..after)?.last()?.address;
        let first = self.symbols.partition_point(|it| it.address < nearest);
        let line = self.symbols.get(first)?.line as usize;
        let mut words = self.text.get(line..)?.lines().next()?.split_whitespace();
        let kind = words.nth(1)?;
        let name = words.next()?;
        let module = words.next().map(|it| it.trim_matches(['[', ']']));
        let pieces = match module {
            None => &self.kernel[..],
            Some(module) => self
                .modules
                .get(module)
                .map(std::slice::from_ref)
                .unwrap_or_default(),
        };
        let is_code =
            matches!(kind, "t" | "T" | "w" | "W") && pieces.iter().any(|it| it.contains(&address));
        is_code.then_some((module.unwrap_or(KERNEL), name, address - nearest))
    }
}

/// The ranges of the kernel's code, by the marker symbols around them. Without markers, code ends
/// at the last symbol.
fn kernel(text: &str) -> [Range<u64>; 2] {
    let mut marks = ["_stext", "_etext", "_sinittext", "_einittext"].map(|it| (it, 0));
    let mut last = 0;
    for row in text.lines().filter(|it| !it.ends_with(']')) {
        let mut words = row.split(' ');
        let address = words.next().and_then(|it| u64::from_str_radix(it, 16).ok());
        let (Some(address), Some(name)) = (address, words.nth(1)) else {
            continue;
        };
        last = last.max(address);
        if let Some(mark) = marks.iter_mut().find(|it| it.0 == name) {
            mark.1 = address;
        }
    }
    match marks.map(|it| it.1) {
        [_, 0, _, _] => [1..last.saturating_add(1), 0..0],
        [begin, end, init, ended] => [begin..end, init..ended],
    }
}

/// A line of `/proc/modules`: the module and its range.
fn module(row: &str) -> Option<(String, Range<u64>)> {
    let mut words = row.split_whitespace();
    let name = words.next()?.to_owned();
    let size: u64 = words.next()?.parse().ok()?;
    let begin = words.nth(3)?.strip_prefix("0x")?;
    let begin = u64::from_str_radix(begin, 16).ok()?;
    Some((name, begin..begin.saturating_add(size)))
}

/// A line's symbol, unless its address is hidden.
fn symbol(row: &str, start: usize) -> Option<Symbol> {
    let (address, rest) = row.split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    Some(Symbol {
        address: (address != 0).then_some(address)?,
        line: u32::try_from(start).ok()?,
        is_local: rest.starts_with(|it: char| it.is_ascii_lowercase()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "\
ffffffc010081000 t local_name
ffffffc010081000 T global_name
ffffffc010081000 T _stext
ffffffc010081040 T next
ffffffc010081f00 D data
ffffffc010081f80 t after_data
ffffffc010082000 T _etext
ffffffc010090000 T start_kernel
ffffffc010090000 T _sinittext
ffffffc010091000 T _einittext
ffffffc008800000 t snd_open\t[snd]
ffffffc008800f00 d snd_data\t[snd]
ffffffc008802000 t usb_open\t[usb]
0000000000000000 T hidden
";

    const MODULES: &str = "\
usb 8192 0 - Live 0xffffffc008802000 (O)
snd 4096 1 usb, Live 0xffffffc008800000
";

    fn names(symbols: &str, modules: &str, expected: &[(u64, &str)]) {
        let symbols = Symbols::parse(symbols, modules);
        for (address, name) in expected {
            assert_eq!(symbols.name(*address), *name);
        }
    }

    #[test]
    fn an_address_is_named_by_its_symbol() {
        names(
            KERNEL,
            MODULES,
            &[
                (0xffff_ffc0_1008_1000, "vmlinux`global_name"),
                (0xffff_ffc0_1008_103f, "vmlinux`global_name+0x3f"),
                (0xffff_ffc0_1008_1040, "vmlinux`next"),
                (0xffff_ffc0_1008_1f04, "0xffffffc010081f04"),
                (0xffff_ffc0_1009_0010, "vmlinux`start_kernel+0x10"),
                (0xffff_ffc0_0880_001c, "snd`snd_open+0x1c"),
                (0xffff_ffc0_0880_3fff, "usb`usb_open+0x1fff"),
                (0x1000, "0x1000"),
            ],
        );
    }

    #[test]
    fn an_address_after_the_last_code_has_no_name() {
        names(
            KERNEL,
            MODULES,
            &[
                (0xffff_ffc0_1008_1fff, "vmlinux`after_data+0x7f"),
                (0xffff_ffc0_1008_2000, "0xffffffc010082000"),
                (0xffff_ffc0_1008_ffff, "0xffffffc01008ffff"),
                (0xffff_ffc0_1009_1000, "0xffffffc010091000"),
                (0xffff_ffff_ffff_f000, "0xfffffffffffff000"),
                (0xffff_ffc0_0880_1000, "0xffffffc008801000"),
                (0xffff_ffc0_0880_4000, "0xffffffc008804000"),
            ],
        );
        names(KERNEL, "", &[(0xffff_ffc0_0880_001c, "0xffffffc00880001c")]);
    }

    #[test]
    fn names_of_rust_are_demangled() {
        let symbols =
            "c0008000 T _RNvNtC4demo5inner4work\nc0008100 T __kmalloc\nc0009000 T _etext\n";
        names(
            symbols,
            "",
            &[
                (0xc000_8004, "vmlinux`demo::inner::work+0x4"),
                (0xc000_8100, "vmlinux`__kmalloc"),
            ],
        );
    }

    #[test]
    fn without_markers_code_ends_at_the_last_symbol() {
        let symbols = "c0008000 T first\nc0008100 T last\n";
        names(
            symbols,
            "",
            &[
                (0xc000_80ff, "vmlinux`first+0xff"),
                (0xc000_8100, "vmlinux`last"),
                (0xc000_8104, "0xc0008104"),
            ],
        );
    }

    #[test]
    fn hidden_addresses_have_no_names() {
        names("0000000000000000 T sys_chdir\n", "", &[(5, "0x5")]);
    }

    #[test]
    fn addresses_of_a_function_or_of_a_module_are_one() {
        let symbols = Symbols::parse(KERNEL, MODULES);
        let within = 0xffff_ffc0_0880_0010;
        for (detail, name, first) in [
            (Detail::Offset, "snd`snd_open+0x10", within),
            (Detail::Function, "snd`snd_open", 0xffff_ffc0_0880_0000),
            (Detail::Object, "snd", 0xffff_ffc0_0880_0000),
        ] {
            assert_eq!(symbols.named(within, detail), name);
            assert_eq!(symbols.first(within, detail), first);
        }
        let module = |address| symbols.first(address, Detail::Object);
        assert_eq!(module(0xffff_ffc0_1008_1040), module(0xffff_ffc0_1009_0000));
        assert_eq!(symbols.named(1, Detail::Object), "0x1");
        assert_eq!(module(1), 1);
    }
}
