//! The running kernel, as the compiler sees it: its types, and the addresses of its symbols.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use engine_abi::Description;
use engine_btf::find::{self, Host, Types};
use engine_btf::{Btf, Place};
use engine_dlang::kernel::{Kernel, Symbol};

use crate::device::Device;
use crate::engine::matching;

/// The kernel's own name among its modules.
const VMLINUX: &str = "vmlinux";

/// What offsets of the kernel's variables count from.
const ORIGIN: &str = "_stext";

/// What addresses of its per-CPU variables begin with, and what is behind the last one.
const PER_CPU_START: &str = "__per_cpu_start";
const PER_CPU_END: &str = "__per_cpu_end";

/// What its initialized variables begin with, and what is behind the last one.
const DATA_START: &str = "_sdata";
const DATA_END: &str = "_edata";

/// The running kernel. What is read is read once.
#[derive(Default)]
pub struct Running {
    engine: Option<Rc<Device>>,
    /// `btfpath`: the file that has its types.
    file: Option<PathBuf>,
    types: OnceCell<Result<Types, String>>,
    symbols: OnceCell<String>,
}

impl Running {
    /// The kernel whose probes this engine has; the file has its types, if it is given.
    pub fn new(engine: Option<Rc<Device>>, file: Option<PathBuf>) -> Self {
        Self {
            engine,
            file,
            ..Self::default()
        }
    }

    fn found(&self) -> Result<&Types, String> {
        let found = self.types.get_or_init(|| {
            let kernel = find::Kernel::running(&Host).map_err(|why| why.to_string())?;
            find::types(&kernel, self.file.as_deref(), &Host).map_err(|why| why.to_string())
        });
        found.as_ref().map_err(Clone::clone)
    }

    fn kallsyms(&self) -> &str {
        self.symbols.get_or_init(|| {
            // Without it nothing is found.
            fs::read_to_string("/proc/kallsyms").unwrap_or_default()
        })
    }

    /// A variable of the kernel that is not in `/proc/kallsyms`, by the types' own list.
    fn variable(&self, name: &str) -> Option<Symbol> {
        let place = self.found().ok()?.all().variable(name)?.place?;
        let begin = match place {
            Place { origin: ORIGIN, .. } => ORIGIN,
            place if place.is_per_cpu() => PER_CPU_START,
            _ => return None,
        };
        let begin = find_symbol(self.kallsyms(), None, begin)?.address;
        Some(Symbol {
            address: begin.checked_add(place.offset.into())?,
            is_code: false,
            is_per_cpu: place.is_per_cpu(),
            module: None,
        })
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}

impl Kernel for Running {
    fn types(&self, module: Option<&str>) -> Result<Arc<Btf<'static>>, String> {
        let types = self.found()?;
        let Some(module) = module else {
            return Ok(types.kernel.clone());
        };
        match types.module(module, &Host) {
            Ok(Some(own)) => Ok(Arc::new(own)),
            Ok(None) => Err(format!("there are no types of module {module}")),
            Err(why) => Err(format!("module {module}: {why}")),
        }
    }

    fn variables(&self) -> Option<Arc<Btf<'static>>> {
        self.found().ok()?.variables.clone()
    }

    fn modules(&self) -> Vec<String> {
        let loaded = fs::read_to_string("/proc/modules").unwrap_or_default();
        let names = loaded.lines().filter_map(|line| line.split(' ').next());
        names
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    fn symbol(&self, module: Option<&str>, name: &str) -> Option<Symbol> {
        let own = || {
            module
                .is_none_or(|module| module == VMLINUX)
                .then(|| self.variable(name))
        };
        let found = find_symbol(self.kallsyms(), module, name).map(|symbol| {
            let symbols = self.kallsyms();
            // Some linkers list `jiffies`, which their script defines outside of the sections, as code.
            let is_code = symbol.is_code && !is_data(symbols, symbol.address);
            Symbol {
                is_code,
                is_per_cpu: !is_code && is_per_cpu(symbols, symbol.address),
                ..symbol
            }
        });
        found.or_else(|| own().flatten())
    }

    fn probes(&self, description: &Description) -> Vec<Description> {
        let engine = self.engine.iter();
        let probes = engine.flat_map(|it| matching(&**it, *description));
        // What cannot be asked for is an error when it is enabled.
        probes.flatten().map(|it| it.description).collect()
    }
}

/// Finds a symbol in the text of `/proc/kallsyms`: `address type name [module]`.
fn find_symbol(symbols: &str, module: Option<&str>, name: &str) -> Option<Symbol> {
    let wanted = module.map(|it| (it != VMLINUX).then_some(it));
    let rows = symbols.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        let (kind, found) = (words.next()?, words.next()?);
        let module = words.next().map(|it| it.trim_matches(['[', ']']));
        let is_wanted = found == name && wanted.is_none_or(|wanted| wanted == module);
        // Hidden addresses are 0, and so may be that of a per-CPU variable.
        let is_there = address != 0 || matches!(kind, "A" | "a");
        (is_wanted && is_there).then(|| Symbol {
            address,
            is_code: matches!(kind, "t" | "T" | "w" | "W"),
            is_per_cpu: false,
            module: module.map(str::to_owned),
        })
    });
    rows.into_iter().next()
}

/// Whether an address is among those of the kernel's own per-CPU variables.
fn is_per_cpu(symbols: &str, address: u64) -> bool {
    is_between(symbols, PER_CPU_START, PER_CPU_END, address)
}

/// Whether an address is among those of the kernel's own initialized variables.
fn is_data(symbols: &str, address: u64) -> bool {
    is_between(symbols, DATA_START, DATA_END, address)
}

/// Whether an address is between two symbols of the kernel. It is between none if one of them is not there.
fn is_between(symbols: &str, start: &str, end: &str, address: u64) -> bool {
    let bound = |name| find_symbol(symbols, Some(VMLINUX), name).map(|it| it.address);
    match (bound(start), bound(end)) {
        (Some(start), Some(end)) => (start..end).contains(&address),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOLS: &str = "\
ffffffff81000000 T schedule
ffffffff82000000 D jiffies
0000000000000000 D hidden
ffffffffc0000000 t open\t[snd]
ffffffffc0100000 d open\t[usb]
";

    const ZERO_BASED: &str = "\
0000000000000000 A __per_cpu_start
0000000000003000 A __per_cpu_end
";

    const JIFFIES_AS_CODE: &str = "\
ffffffff81000000 T schedule
ffffffff82000000 D _sdata
ffffffff82001000 T jiffies
ffffffff82002000 D _edata
";

    const IN_PLACE: &str = "\
c0f00000 D __per_cpu_start
c0f02000 D __per_cpu_end
";

    #[test]
    fn symbols_are_found_by_module_and_name() {
        for (module, name, address) in [
            (None, "schedule", Some(0xffff_ffff_8100_0000)),
            (Some("vmlinux"), "jiffies", Some(0xffff_ffff_8200_0000)),
            (Some("usb"), "open", Some(0xffff_ffff_c010_0000)),
            (None, "open", Some(0xffff_ffff_c000_0000)),
            (Some("vmlinux"), "open", None),
            (Some("snd"), "schedule", None),
            (None, "hidden", None),
            (None, "sched", None),
        ] {
            let found = find_symbol(SYMBOLS, module, name).map(|it| it.address);
            assert_eq!(found, address, "{module:?} {name}");
        }
        for (symbols, address, expected) in [
            (ZERO_BASED, 0, true),
            (ZERO_BASED, 0x2fff, true),
            (ZERO_BASED, 0x3000, false),
            (IN_PLACE, 0xc0f0_0000, true),
            (IN_PLACE, 0xc0ef_ffff, false),
            (SYMBOLS, 0, false),
        ] {
            assert_eq!(is_per_cpu(symbols, address), expected, "{address:#x}");
        }
        for (symbols, address, expected) in [
            (JIFFIES_AS_CODE, 0xffff_ffff_8200_1000, true),
            (JIFFIES_AS_CODE, 0xffff_ffff_8100_0000, false),
            (JIFFIES_AS_CODE, 0xffff_ffff_8200_2000, false),
            (SYMBOLS, 0xffff_ffff_8200_0000, false),
        ] {
            assert_eq!(is_data(symbols, address), expected, "{address:#x}");
        }
        assert!(find_symbol(SYMBOLS, None, "schedule").is_some_and(|it| it.is_code));
        assert!(find_symbol(SYMBOLS, None, "jiffies").is_some_and(|it| !it.is_code));
    }
}
