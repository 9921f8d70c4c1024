//! The judge of the kernel's text and its modules': what lies in the guest's memory, read from outside.
//!
//! QEMU copies the text before the tracer starts and again later; every byte must be the same.
//! Neither the guest nor the engine takes part in it, but that the guest says where its modules are. One that
//! has gone meanwhile, or lies elsewhere, has nothing to be compared with. A few places the kernel changes on
//! its own; the machine table names each of them, and each change is told.

mod modules;

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::HostError;
use crate::guest::machine::Machine;
use crate::guest::{Guest, Stop};
use crate::judge::changes::Pair;
use crate::judge::text::modules::ModuleText;
use crate::judge::verdict::{Failure, Kind};
use crate::report::evidence::Evidence;

const BEFORE: &str = "before";
/// What `/proc/iomem` calls the memory that the text is in.
const KERNEL_CODE: &str = "Kernel code";
/// How many changes a failure lists.
const LISTED: usize = 20;

/// Where the kernel's text lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    start: u64,
    size: u64,
    physical: u64,
}

/// The text as it was.
#[derive(Debug)]
pub struct TextJudge {
    machine: &'static Machine,
    range: Range,
    before: Vec<u8>,
    /// The text of each module that there was.
    modules: Vec<(ModuleText, Vec<u8>)>,
    /// What `/proc/kallsyms` says of the places that matter; all of it takes long to come over.
    symbols: String,
}

/// A module that is where it was: where that is, its text as it was, and as it is.
type Stayed<'t> = (u64, &'t [u8], Vec<u8>);

/// How the text compares with what it was.
#[derive(Debug, Default)]
pub struct Compared {
    /// What the kernel changed on its own.
    pub own: Vec<String>,
    /// What nobody should have changed.
    pub failure: Option<Failure>,
}

impl TextJudge {
    /// Takes the first copy. `symbols` is what [`symbols`] found in the same kernel.
    pub fn before(
        guest: &mut Guest,
        machine: &'static Machine,
        symbols: String,
        evidence: &Evidence,
    ) -> Result<Self, Stop> {
        let range = Range::parse(&symbols, machine).ok_or_else(|| {
            let name = machine.name;
            let what = format!("the text is not where {name}'s row puts it, by this: {symbols}");
            HostError::Monitor(what)
        })?;
        let before = copy(guest, range, &evidence.text(BEFORE))?;
        let loaded = modules::parse(&guest.ask(modules::COMMAND)?).into_iter();
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

    /// Compares with the text as it is now; `when` says when that is.
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
        let symbols = guest.ask("grep ' [tTwW] ' /proc/kallsyms")?;
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

    /// The modules that are still where they were.
    fn modules_now(&self, guest: &mut Guest, evidence: &Evidence) -> Result<Vec<Stayed<'_>>, Stop> {
        let loaded = modules::parse(&guest.ask(modules::COMMAND)?);
        let stayed = self
            .modules
            .iter()
            .filter(|(module, _)| loaded.contains(module));
        let copied = stayed.map(|(module, before)| {
            let after = copy_module(guest, module, evidence)?;
            Ok((module.start, before.as_slice(), after))
        });
        copied.collect()
    }
}

/// Throws the first copy away, if there is one, where nothing in it is needed as evidence.
pub fn discard(evidence: &Evidence) -> Result<(), HostError> {
    let path = evidence.text(BEFORE);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(HostError::file("remove", &path)(error))
        }
        _ => Ok(()),
    }
}

/// What the guest's kernel says of where its text is.
pub fn symbols(guest: &mut Guest, machine: &Machine) -> Result<String, Stop> {
    guest.ask(&symbols_command(machine))
}

/// Asks for the text's bounds and the functions that the kernel changes itself, each with the
/// symbol after it, which says where it ends; and for the physical memory that the kernel's code is in.
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

/// Tells the kernel's own changes from those that nobody should have made.
fn judge(parts: &[(u64, Pair<'_>)], kallsyms: &str, machine: &Machine, when: &str) -> Compared {
    let mut compared = Compared::default();
    let mut foreign = Vec::new();
    let places = Places::of(kallsyms);
    for (start, pair) in parts {
        for change in pair.changes() {
            let address = start + change.start as u64;
            let (symbol, offset) = places.nearest(address);
            let told = format!("{address:08x} {symbol}+{offset:#x}: {}", pair.tell(&change));
            match machine.own_change(symbol, pair, &change) {
                Some(own) => compared.own.push(format!("{told} ({})", own.why)),
                None => foreign.push(told),
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
    /// From the kernel's symbols and the machine's row. A row that is wrong would have memory
    /// compared in which nothing ever changes, so the kernel itself must say that its code is there.
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

/// The first and the last address of this row: `  00008000-00afffff : Kernel code`.
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

/// A module's text is in no row of physical memory, so it is read as the processor sees it. The copy is
/// of no use but here.
fn copy_module(
    guest: &mut Guest,
    module: &ModuleText,
    evidence: &Evidence,
) -> Result<Vec<u8>, Stop> {
    let path = evidence.text(&module.name);
    guest.save_seen(module.start, module.size, &path)?;
    let bytes = fs::read(&path).map_err(HostError::file("read", &path))?;
    fs::remove_file(&path).map_err(HostError::file("remove", &path))?;
    Ok(complete(bytes, module.size, &path)?)
}

/// Half a copy would compare as well as a whole one.
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

/// The names of places, by address; those of one place in the order of the kernel's list.
struct Places<'t>(Vec<(u64, &'t str)>);

impl<'t> Places<'t> {
    fn of(kallsyms: &'t str) -> Self {
        let named = listed(kallsyms).filter(|(_, name)| !name.starts_with('$'));
        let mut places: Vec<_> = named.collect();
        places.sort_by_key(|(at, _)| *at);
        Self(places)
    }

    /// The nearest name at or below `address`, the first where several share a place, and how far it is.
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
    fn the_range_is_what_the_guest_and_the_row_agree_on() {
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
    fn addresses_may_be_wide() {
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
    fn what_the_kernel_changes_on_its_own_is_told_and_no_failure() {
        let kallsyms = "c0700000 T __skb_get_hash\n";
        let own = judged(kallsyms, 0xc070_0034, 0xea00_0033, 0xe1a0_0000);
        assert_eq!((own.own.len(), own.failure), (1, None));
        let back = judged(kallsyms, 0xc070_0034, 0xe1a0_0000, 0xea00_0033);
        assert!(back.own.is_empty() && back.failure.is_some());
    }

    #[test]
    fn a_copy_has_every_byte_or_is_none() {
        let path = Path::new("text-now.bin");
        assert!(complete(vec![0; 4], 4, path).is_ok());
        let error = complete(vec![0; 3], 4, path).expect_err("too short");
        let text = "QEMU's monitor: text-now.bin has 3 bytes of 4 to be saved";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn a_place_without_a_symbol_is_said_to_have_none() {
        let places = Places::of(SAID);
        assert_eq!(places.nearest(0xc010_1010), ("sys_chdir", 0x10));
        assert_eq!(places.nearest(0xbf00_0004), ("x", 4));
        assert_eq!(places.nearest(0x1000), ("?", 0x1000));
    }
}
