//! The judge of kernel and module text: compares copies of guest memory taken from outside.
//!
//! QEMU copies the text before the tracer starts and again later; every byte must be the same. The
//! guest contributes only the addresses of its modules. A module that was unloaded or moved in
//! between has nothing to compare with. A few places the kernel patches by itself; the machine
//! table lists them, and each such change is reported.

mod modules;

use std::fs;
use std::path::Path;

use crate::error::HostError;
use crate::guest::machine::Machine;
use crate::guest::{Guest, Stop};
use crate::judge::changes::Pair;
use crate::judge::text::modules::ModuleText;
use crate::judge::verdict::{Failure, Kind};
use crate::report::evidence::Evidence;

const BEFORE: &str = "before";
/// `/proc/iomem`'s name for the memory of the text.
const KERNEL_CODE: &str = "Kernel code";
/// Changes to list in a failure.
const LISTED: usize = 20;

/// Where the kernel's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    start: u64,
    size: u64,
    physical: u64,
}

/// The earlier copy of the text.
#[derive(Debug)]
pub struct TextJudge {
    machine: &'static Machine,
    range: Range,
    before: Vec<u8>,
    /// The modules at that time, with their text.
    modules: Vec<(ModuleText, Vec<u8>)>,
    /// The lines of `/proc/kallsyms` that the table needs; the whole file takes long to transfer.
    symbols: String,
}

/// Lists all functions, without the padding before each: on x86-64 with Linux 6.12 that is half of the
/// list, which would exceed a command's limit.
const FUNCTIONS: &str = "grep ' [tTwW] ' /proc/kallsyms | grep -v ' __pfx_'";

/// A module that is still at its address: the address, its earlier text, its text now.
type Unmoved<'t> = (u64, &'t [u8], Vec<u8>);

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Compared {
    /// Changes that the kernel made by itself.
    pub own: Vec<String>,
    /// Any other change.
    pub failure: Option<Failure>,
}

impl TextJudge {
    /// Takes the first copy. `symbols` is from [`symbols`] in the same boot.
    pub fn before(
        guest: &mut Guest,
        machine: &'static Machine,
        symbols: String,
        evidence: &Evidence,
    ) -> Result<Self, Stop> {
        let range = Range::parse(&symbols, machine).ok_or_else(|| {
            let name = machine.name;
            let what =
                format!("the kernel text is not in the range expected for {name}: {symbols}");
            HostError::Monitor(what)
        })?;
        let before = copy(guest, range, &evidence.text(BEFORE))?;
        let loaded = loaded_modules(guest)?.into_iter();
        let modules = loaded.map(|module| {
            let before = copy_module(guest, &module, evidence)?;
            Ok((module, before))
        });
        Ok(Self {
            machine,
            range,
            before,
            modules: modules.collect::<Result<_, Stop>>()?,
            symbols,
        })
    }

    /// Compares with the text as it is now; `when` names the moment in reports.
    pub fn compare(
        &self,
        guest: &mut Guest,
        when: &str,
        evidence: &Evidence,
    ) -> Result<Compared, Stop> {
        let path = evidence.text(&when.replace(' ', "-"));
        let after = copy(guest, self.range, &path)?;
        let mut parts = vec![self.part(self.range.start, &self.before, &after)];
        let modules = self.modules_now(guest, evidence)?;
        parts.extend(
            modules
                .iter()
                .map(|(start, before, after)| self.part(*start, before, after)),
        );
        let compared = judge(&parts, &self.symbols, self.machine, when);
        if compared.failure.is_none() {
            fs::remove_file(&path).map_err(HostError::file("remove", &path))?;
            return Ok(compared);
        }
        let symbols = guest.ask(FUNCTIONS)?;
        Ok(judge(&parts, &symbols, self.machine, when))
    }

    fn part<'t>(&self, start: u64, before: &'t [u8], after: &'t [u8]) -> (u64, Pair<'t>) {
        let unit = self.machine.unit;
        let pair = Pair {
            unit,
            before,
            after,
        };
        (start, pair)
    }

    /// The modules that are still at their addresses.
    fn modules_now(
        &self,
        guest: &mut Guest,
        evidence: &Evidence,
    ) -> Result<Vec<Unmoved<'_>>, Stop> {
        let loaded = loaded_modules(guest)?;
        let unmoved = self
            .modules
            .iter()
            .filter(|(module, _)| loaded.contains(module));
        let copied = unmoved.map(|(module, before)| {
            let copied = ModuleText {
                size: before.len() as u64,
                ..module.clone()
            };
            let after = copy_module(guest, &copied, evidence)?;
            Ok((module.start, before.as_slice(), after))
        });
        copied.collect()
    }
}

/// Removes the first copy, if it exists, where it is not needed as evidence.
pub fn discard(evidence: &Evidence) -> Result<(), HostError> {
    evidence.remove(&evidence.text(BEFORE))
}

/// The lines that locate the kernel's text.
pub fn symbols(guest: &mut Guest, machine: &Machine) -> Result<String, Stop> {
    guest.ask(&symbols_command(machine))
}

/// The command for [`symbols`]: the bounds of the text and the functions that the kernel patches,
/// each with the symbol after it, which bounds it; and the physical range of the kernel's code.
pub fn symbols_command(machine: &Machine) -> String {
    let own = machine.own_changes.iter().flat_map(|own| own.functions);
    let patterns: Vec<String> = ["_stext", "_etext"]
        .iter()
        .chain(own)
        .map(|name| format!("-e ' {name}'"))
        .collect();
    let patterns = patterns.join(" ");
    format!("grep -F -A1 {patterns} /proc/kallsyms && grep -F ': {KERNEL_CODE}' /proc/iomem")
}

/// Separates the kernel's own changes from all others.
fn judge(parts: &[(u64, Pair<'_>)], kallsyms: &str, machine: &Machine, when: &str) -> Compared {
    let mut compared = Compared::default();
    let mut foreign = Vec::new();
    let places = SymbolTable::of(kallsyms);
    for (start, pair) in parts {
        for change in pair.changes() {
            let address = start + change.start as u64;
            let (symbol, offset) = places.nearest(address);
            let description = format!(
                "{address:08x} {symbol}+{offset:#x}: {}",
                pair.describe(&change)
            );
            match machine.own_change(symbol, pair, &change) {
                Some(own) => compared.own.push(format!("{description} ({})", own.why)),
                None => foreign.push(description),
            }
        }
    }
    compared.failure = foreign.first().map(|first| {
        let count = foreign.len();
        let places = if count == 1 { "place" } else { "places" };
        let what = format!("the text changed in {count} {places}, seen {when}: {first}");
        let listed = &foreign[..count.min(LISTED)];
        Failure::new(Kind::TextChanged, what).with_detail(listed.join("\n"))
    });
    compared
}

impl Range {
    /// Locates the text by kallsyms and the machine table. A wrong table entry would compare memory
    /// that never changes, so `/proc/iomem` must confirm that it is the kernel's code.
    fn parse(said: &str, machine: &Machine) -> Option<Self> {
        let start = address_of(said, "_stext")?;
        let size = address_of(said, "_etext")?.checked_sub(start)?;
        let physical = machine.physical(start)?;
        let (first, last) = kernel_code(said)?;
        let is_code = first <= physical && physical.checked_add(size)? <= last.checked_add(1)?;
        is_code.then_some(Self {
            start,
            size,
            physical,
        })
    }
}

/// The first and last address in a line such as `  00008000-00afffff : Kernel code`.
fn kernel_code(iomem: &str) -> Option<(u64, u64)> {
    let mut rows = iomem.lines().filter_map(|line| line.split_once(" : "));
    let (range, _) = rows.find(|(_, what)| what.trim_end() == KERNEL_CODE)?;
    let (first, last) = range.trim_start().split_once('-')?;
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    Some((number(first)?, number(last)?))
}

fn copy(guest: &mut Guest, range: Range, path: &Path) -> Result<Vec<u8>, Stop> {
    guest.save_memory(range.physical, range.size, path)?;
    let bytes = fs::read(path).map_err(HostError::file("read", path))?;
    Ok(complete(bytes, range.size, path)?)
}

fn loaded_modules(guest: &mut Guest) -> Result<Vec<ModuleText>, Stop> {
    let mut said = guest.ask(modules::COMMAND)?;
    if modules::is_open(&said) {
        said += &guest.ask(modules::FUNCTIONS)?;
    }
    Ok(modules::parse(&said))
}

/// Copies a module's text by virtual address: it is not at a fixed offset in physical memory. The
/// file is removed once it is read.
///
/// Since Linux 6.4 a module's text has pages of its own. What is behind them is not mapped, and
/// ends the copy.
fn copy_module(
    guest: &mut Guest,
    module: &ModuleText,
    evidence: &Evidence,
) -> Result<Vec<u8>, Stop> {
    let path = evidence.text(&module.name);
    let saved = guest.save_virtual(module.start, module.size, &path);
    let bytes = fs::read(&path).map_err(HostError::file("read", &path))?;
    fs::remove_file(&path).map_err(HostError::file("remove", &path))?;
    if saved.is_err() && is_pages(&bytes, module.size) {
        return Ok(bytes);
    }
    saved?;
    Ok(complete(bytes, module.size, &path)?)
}

/// Whether a copy that failed has whole pages of the `size` bytes.
fn is_pages(bytes: &[u8], size: u64) -> bool {
    const PAGE: usize = 4096;
    !bytes.is_empty() && bytes.len().is_multiple_of(PAGE) && (bytes.len() as u64) < size
}

/// Refuses a short copy, which would compare equal as far as it goes.
fn complete(bytes: Vec<u8>, size: u64, path: &Path) -> Result<Vec<u8>, HostError> {
    if u64::try_from(bytes.len()) == Ok(size) {
        return Ok(bytes);
    }
    let path = path.display();
    let what = format!("{path} has {} bytes of {size} to be saved", bytes.len());
    Err(HostError::Monitor(what))
}

fn listed(kallsyms: &str) -> impl Iterator<Item = (u64, &str)> {
    kallsyms.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        Some((address, words.nth(1)?))
    })
}

fn address_of(kallsyms: &str, name: &str) -> Option<u64> {
    listed(kallsyms)
        .find(|(_, symbol)| *symbol == name)
        .map(|(address, _)| address)
}

/// Symbols sorted by address, in kallsyms order at equal addresses.
struct SymbolTable<'t>(Vec<(u64, &'t str)>);

impl<'t> SymbolTable<'t> {
    fn of(kallsyms: &'t str) -> Self {
        let named = listed(kallsyms).filter(|(_, name)| !name.starts_with('$'));
        let mut places: Vec<_> = named.collect();
        places.sort_by_key(|(at, _)| *at);
        Self(places)
    }

    /// The symbol at or below `address`, the first of several at one address, and the offset from
    /// it.
    fn nearest(&self, address: u64) -> (&'t str, u64) {
        let below = self.0.partition_point(|(at, _)| *at <= address);
        let nearest = below.checked_sub(1).and_then(|last| self.0.get(last));
        let first = nearest.and_then(|(at, _)| {
            let first = self.0.partition_point(|(other, _)| other < at);
            self.0.get(first)
        });
        first.map_or(("?", address), |(at, name)| (*name, address - at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::machine;

    const SAID: &str = "c0100000 T _stext\nc0100000 t $a\nc0101000 T sys_chdir\nc0101000 T __se_sys_chdir\n--\n\
                        c0101040 T sys_fchdir\nc0900000 T _etext\nbf000000 t x\t[trapline]\n  \
                        00008000-00afffff : Kernel code\n";

    #[test]
    fn range_must_match_iomem() {
        let raspi0 = machine::find("raspi0").expect("a row");
        let expected = Range {
            start: 0xc010_0000,
            size: 0x80_0000,
            physical: 0x10_0000,
        };
        assert_eq!(Range::parse(SAID, raspi0), Some(expected));
        for line in ["_stext\n", "_etext\n", "Kernel code\n"] {
            assert_eq!(
                Range::parse(&SAID.replace(line, "x\n"), raspi0),
                None,
                "{line}"
            );
        }
        for elsewhere in ["00100001-00afffff", "00008000-008ffffe"] {
            let said = SAID.replace("00008000-00afffff", elsewhere);
            assert_eq!(Range::parse(&said, raspi0), None, "{elsewhere}");
        }
    }

    #[test]
    fn addresses_may_have_64_bits() {
        let virt = machine::find("virt").expect("a row");
        let said = "ffff800008010000 T _stext\nffff800008ca0000 D _etext\n  \
                    40210000-412fffff : Kernel code\n";
        let physical = Range::parse(said, virt).map(|range| range.physical);
        assert_eq!(physical, Some(0x4021_0000));
    }

    fn judged(kallsyms: &str, start: u64, before: u32, after: u32) -> Compared {
        let machine = machine::find("raspi0").expect("a row");
        let pair = Pair {
            unit: machine.unit,
            before: &before.to_le_bytes(),
            after: &after.to_le_bytes(),
        };
        judge(&[(start, pair)], kallsyms, machine, "now")
    }

    #[test]
    fn a_change_is_named() {
        let compared = judged(SAID, 0xc010_1000, 0xe92d_41f0, 0xe7f0_01fb);
        let what = "the text changed in 1 place, seen now: \
                    c0101000 sys_chdir+0x0: e92d41f0 is now e7f001fb";
        assert_eq!(compared.failure.map(|f| f.what).as_deref(), Some(what));
        assert_eq!(compared.own, [""; 0]);
    }

    #[test]
    fn own_changes_are_reported_but_no_failure() {
        let kallsyms = "c0700000 T __skb_get_hash\n";
        let own = judged(kallsyms, 0xc070_0034, 0xea00_0033, 0xe1a0_0000);
        assert_eq!((own.own.len(), own.failure), (1, None));
        let back = judged(kallsyms, 0xc070_0034, 0xe1a0_0000, 0xea00_0033);
        assert!(back.own.is_empty() && back.failure.is_some());
    }

    #[test]
    fn short_copy_is_refused() {
        let path = Path::new("text-now.bin");
        assert!(complete(vec![0; 4], 4, path).is_ok());
        let error = complete(vec![0; 3], 4, path).expect_err("too short");
        let text = "QEMU's monitor: text-now.bin has 3 bytes of 4 to be saved";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn nearest_symbol_or_question_mark() {
        let places = SymbolTable::of(SAID);
        assert_eq!(places.nearest(0xc010_1010), ("sys_chdir", 0x10));
        assert_eq!(places.nearest(0xbf00_0004), ("x", 4));
        assert_eq!(places.nearest(0x1000), ("?", 0x1000));
    }
}
