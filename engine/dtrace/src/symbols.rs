//! The names of kernel addresses, out of `/proc/kallsyms`.

use std::cell::OnceCell;
use std::fs;

/// The kernel's own module, where `/proc/kallsyms` names none.
const KERNEL: &str = "vmlinux";

/// Every symbol of the kernel; read when the first address is to be named.
#[derive(Default)]
pub struct Symbols(OnceCell<Table>);

/// Lines, and where each symbol's begins, in the order of their addresses.
#[derive(Default)]
struct Table {
    text: String,
    symbols: Vec<Symbol>,
}

#[derive(Clone, Copy)]
struct Symbol {
    address: u64,
    /// The byte of the text at which its line begins.
    line: u32,
    is_local: bool,
}

impl Symbols {
    /// The symbols in a text of the form of `/proc/kallsyms`.
    #[cfg(test)]
    pub fn parse(text: &str) -> Self {
        Self(OnceCell::from(Table::new(text.to_owned())))
    }

    /// `module`symbol+0x1c`, or the address itself where the kernel tells no name.
    pub fn name(&self, address: u64) -> String {
        let table = self.0.get_or_init(Table::of_this_kernel);
        match table.find(address) {
            Some((module, name, 0)) => format!("{module}`{name}"),
            Some((module, name, offset)) => format!("{module}`{name}+{offset:#x}"),
            None => format!("{address:#x}"),
        }
    }
}

impl Table {
    /// Without the right to read addresses they are zeros, and without a file there are none: nothing
    /// has a name then.
    fn of_this_kernel() -> Self {
        Self::new(fs::read_to_string("/proc/kallsyms").unwrap_or_default())
    }

    fn new(text: String) -> Self {
        let mut symbols = Vec::new();
        let mut line = 0;
        for row in text.split_inclusive('\n') {
            let start = line;
            line += row.len();
            symbols.extend(symbol(row, start));
        }
        symbols.sort_by_key(|it| (it.address, it.is_local));
        Self { text, symbols }
    }

    /// The code that `address` is in: its module, its name, and how far behind its beginning.
    fn find(&self, address: u64) -> Option<(&str, &str, u64)> {
        let behind = self.symbols.partition_point(|it| it.address <= address);
        let nearest = self.symbols.get(..behind)?.last()?.address;
        let first = self.symbols.partition_point(|it| it.address < nearest);
        let line = self.symbols.get(first)?.line as usize;
        let mut words = self.text.get(line..)?.lines().next()?.split_whitespace();
        let kind = words.nth(1)?;
        let name = words.next()?;
        let module = words
            .next()
            .map_or(KERNEL, |it| it.trim_matches(['[', ']']));
        matches!(kind, "t" | "T" | "w" | "W").then_some((module, name, address - nearest))
    }
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

    const TEXT: &str = "\
ffffffc010081000 t local_name
ffffffc010081000 T global_name
ffffffc010081040 T next
ffffffc010082000 D data
ffffffc008800000 t snd_open\t[snd]
0000000000000000 T hidden
";

    #[test]
    fn an_address_is_named_by_the_code_it_is_in() {
        let symbols = Symbols::parse(TEXT);
        for (address, name) in [
            (0xffff_ffc0_1008_1000, "vmlinux`global_name"),
            (0xffff_ffc0_1008_103f, "vmlinux`global_name+0x3f"),
            (0xffff_ffc0_1008_1040, "vmlinux`next"),
            (0xffff_ffc0_0880_001c, "snd`snd_open+0x1c"),
            (0xffff_ffc0_1008_2004, "0xffffffc010082004"),
            (0x1000, "0x1000"),
        ] {
            assert_eq!(symbols.name(address), name);
        }
    }

    #[test]
    fn a_kernel_that_hides_its_addresses_names_nothing() {
        let symbols = Symbols::parse("0000000000000000 T sys_chdir\n");
        assert_eq!(symbols.name(5), "0x5");
    }
}
