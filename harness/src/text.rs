//! The judge of the kernel's text: what lies in the guest's memory, read from outside.
//!
//! QEMU copies the text before the module is loaded and again later; every word must be the same.
//! Neither the guest nor the engine takes part in it. A few words the kernel changes on its own;
//! the machine table names each of them, and each change is told.

use std::fs;
use std::path::Path;

use crate::error::HostError;
use crate::evidence::Evidence;
use crate::guest::{Guest, Stop};
use crate::machine::{Machine, OwnChange};
use crate::verdict::{Failure, Kind};

const WORD: usize = 4;
const BEFORE: &str = "before";
/// How many changed words a failure lists.
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
    /// What `/proc/kallsyms` says of the places that matter; all of it takes long to come over.
    symbols: String,
}

/// How the text compares with what it was.
#[derive(Debug, Default)]
pub struct Compared {
    /// What the kernel changed on its own.
    pub own: Vec<String>,
    /// What nobody should have changed.
    pub failure: Option<Failure>,
}

/// A word that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    address: u64,
    before: u32,
    after: u32,
}

impl TextJudge {
    /// Takes the first copy.
    pub fn before(
        guest: &mut Guest,
        machine: &'static Machine,
        evidence: &Evidence,
    ) -> Result<Self, Stop> {
        let symbols = guest.ask(&symbols_command(machine))?;
        let range = Range::parse(&symbols, machine).ok_or_else(|| {
            let what = format!("no _stext and _etext below the machine's offset in: {symbols}");
            HostError::Monitor(what)
        })?;
        let before = copy(guest, range, &evidence.text(BEFORE))?;
        Ok(Self {
            machine,
            range,
            before,
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
        let changes = changes(self.range.start, &self.before, &after);
        let compared = judge(&changes, &self.symbols, self.machine, when);
        if compared.failure.is_none() {
            fs::remove_file(&path).map_err(HostError::file("remove", &path))?;
            return Ok(compared);
        }
        let symbols = guest.ask("cat /proc/kallsyms")?;
        Ok(judge(&changes, &symbols, self.machine, when))
    }
}

/// Throws the first copy away, where nothing in it is needed as evidence.
pub fn discard(evidence: &Evidence) -> Result<(), HostError> {
    let path = evidence.text(BEFORE);
    fs::remove_file(&path).map_err(HostError::file("remove", &path))
}

/// Asks for the text's bounds and the functions that the kernel changes itself, each with the
/// symbol after it, which says where it ends.
fn symbols_command(machine: &Machine) -> String {
    let own = machine.own_changes.iter().map(|own| own.function);
    let patterns: Vec<String> = ["_stext", "_etext"]
        .into_iter()
        .chain(own)
        .map(|name| format!("-e ' {name}'"))
        .collect();
    format!("grep -F -A1 {} /proc/kallsyms", patterns.join(" "))
}

/// Tells the kernel's own changes from those that nobody should have made.
fn judge(changes: &[Change], kallsyms: &str, machine: &Machine, when: &str) -> Compared {
    let mut compared = Compared::default();
    let mut foreign = Vec::new();
    for change in changes {
        let place = place(kallsyms, change.address);
        let told = change.describe(&place);
        match machine.own_change(place.0, change.before, change.after) {
            Some(OwnChange { why, .. }) => compared.own.push(format!("{told} ({why})")),
            None => foreign.push(told),
        }
    }
    compared.failure = foreign.first().map(|first| {
        let count = foreign.len();
        let words = if count == 1 { "word" } else { "words" };
        let what = format!("{count} {words} of text changed, seen {when}: {first}");
        let listed = &foreign[..count.min(LISTED)];
        Failure::new(Kind::TextChanged, what).with_detail(listed.join("\n"))
    });
    compared
}

impl Range {
    fn parse(kallsyms: &str, machine: &Machine) -> Option<Self> {
        let start = address_of(kallsyms, "_stext")?;
        let end = address_of(kallsyms, "_etext")?;
        Some(Self {
            start,
            size: end.checked_sub(start)?,
            physical: machine.physical(start)?,
        })
    }
}

impl Change {
    fn describe(&self, (symbol, offset): &(&str, u64)) -> String {
        format!(
            "{:08x} {symbol}+{offset:#x}: {:08x} is now {:08x}",
            self.address, self.before, self.after
        )
    }
}

fn copy(guest: &mut Guest, range: Range, path: &Path) -> Result<Vec<u8>, Stop> {
    guest.save_memory(range.physical, range.size, path)?;
    let bytes = fs::read(path).map_err(HostError::file("read", path))?;
    Ok(complete(bytes, range.size, path)?)
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

fn changes(start: u64, before: &[u8], after: &[u8]) -> Vec<Change> {
    let words = |bytes: &[u8]| -> Vec<u32> {
        let word = |four: &[u8; WORD]| u32::from_le_bytes(*four);
        bytes.as_chunks::<WORD>().0.iter().map(word).collect()
    };
    let addresses = (start..).step_by(WORD);
    addresses
        .zip(words(before).into_iter().zip(words(after)))
        .filter(|(_, (before, after))| before != after)
        .map(|(address, (before, after))| Change {
            address,
            before,
            after,
        })
        .collect()
}

fn symbols(kallsyms: &str) -> impl Iterator<Item = (u64, &str)> {
    kallsyms.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        Some((address, words.nth(1)?))
    })
}

fn address_of(kallsyms: &str, name: &str) -> Option<u64> {
    symbols(kallsyms)
        .find(|(_, symbol)| *symbol == name)
        .map(|(address, _)| address)
}

/// The nearest name at or below `address`, the first where several share a place, and how far it is.
fn place(kallsyms: &str, address: u64) -> (&str, u64) {
    symbols(kallsyms)
        .filter(|(at, name)| *at <= address && !name.starts_with('$'))
        .reduce(|best, one| if one.0 > best.0 { one } else { best })
        .map_or(("?", address), |(at, name)| (name, address - at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine;

    const KALLSYMS: &str = "c0008000 T _stext\nc0008000 t $a\nc0101000 T sys_chdir\nc0101000 T __se_sys_chdir\n\
                            c0101040 T sys_fchdir\nc0900000 T _etext\nbf000000 t x\t[trapline]\n";

    #[test]
    fn the_range_comes_from_the_guests_symbols() {
        let machine = machine::find("raspi0").expect("a row");
        let expected = Range {
            start: 0xc000_8000,
            size: 0x8f_8000,
            physical: 0x8000,
        };
        assert_eq!(Range::parse(KALLSYMS, machine), Some(expected));
        assert_eq!(Range::parse("00000000 T _stext\n", machine), None);
    }

    #[test]
    fn a_changed_word_is_named() {
        let before = [1u8, 0, 0, 0, 0xf0, 0x41, 0x2d, 0xe9, 2, 0, 0, 0];
        let mut after = before;
        after[4..8].copy_from_slice(&0xe7f0_01fb_u32.to_le_bytes());
        let machine = machine::find("raspi0").expect("a row");
        let found = changes(0xc010_0ffc, &before, &after);
        let compared = judge(&found, KALLSYMS, machine, "now");
        let what =
            "1 word of text changed, seen now: c0101000 sys_chdir+0x0: e92d41f0 is now e7f001fb";
        assert_eq!(compared.failure.map(|f| f.what).as_deref(), Some(what));
        assert_eq!(compared.own, [""; 0]);
        assert_eq!(changes(0, &before, &before), []);
    }

    #[test]
    fn what_the_kernel_changes_on_its_own_is_told_and_no_failure() {
        let kallsyms = "c0700000 T __skb_get_hash\n";
        let machine = machine::find("raspi0").expect("a row");
        let change = |before, after| Change {
            address: 0xc070_0034,
            before,
            after,
        };
        let own = judge(
            &[change(0xea00_0033, 0xe1a0_0000)],
            kallsyms,
            machine,
            "now",
        );
        assert_eq!((own.own.len(), own.failure), (1, None));
        let back = judge(
            &[change(0xe1a0_0000, 0xea00_0033)],
            kallsyms,
            machine,
            "now",
        );
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
        assert_eq!(place(KALLSYMS, 0xc010_1010), ("sys_chdir", 0x10));
        assert_eq!(place(KALLSYMS, 0x1000), ("?", 0x1000));
    }
}
