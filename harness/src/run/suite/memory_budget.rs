//! The number of jobs that fit on this host at once.

use std::fs;
use std::num::NonZero;
use std::thread;

use crate::guest::image::Image;

const MIB: u64 = 1024 * 1024;
/// Memory of QEMU and the harness for each guest, beside its RAM.
const BESIDE: u64 = 200 * MIB;

/// One per core, or fewer if the largest of `images` does not fit that often.
pub fn jobs<'i>(images: impl Iterator<Item = &'i Image>) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let largest = images.filter_map(|image| bytes(&image.memory)).max();
    let meminfo = fs::read_to_string("/proc/meminfo").ok();
    let available = meminfo.as_deref().and_then(available);
    fitting(cores, largest, available)
}

/// An unknown size imposes no limit.
fn fitting(cores: usize, guest: Option<u64>, available: Option<u64>) -> usize {
    let (Some(guest), Some(available)) = (guest, available) else {
        return cores;
    };
    let fit = available / guest.saturating_add(BESIDE);
    usize::try_from(fit).map_or(cores, |fit| fit.clamp(1, cores.max(1)))
}

/// Parses QEMU's `-m`: MiB, or with a unit.
fn bytes(memory: &str) -> Option<u64> {
    let digits = memory.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &memory[digits.len()..] {
        "" | "M" | "m" => MIB,
        "G" | "g" => 1024 * MIB,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Memory available without swapping, in bytes: `MemAvailable:   16364520 kB`.
fn available(meminfo: &str) -> Option<u64> {
    let mut rows = meminfo.lines();
    let row = rows.find_map(|row| row.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = row.trim().strip_suffix(" kB")?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_limited_by_cores_and_memory() {
        let fit = |cores, available: u64| fitting(cores, bytes("512M"), Some(available * MIB));
        assert_eq!(fit(8, 100_000), 8);
        assert_eq!(fit(8, 3 * 712), 3);
        assert_eq!(fit(8, 3 * 712 - 1), 2);
        assert_eq!(fit(8, 100), 1);
        assert_eq!(fitting(8, None, Some(0)), 8);
        assert_eq!(fitting(8, bytes("512M"), None), 8);
    }

    #[test]
    fn qemu_and_meminfo_sizes_are_parsed() {
        assert_eq!(bytes("512M"), bytes("512"));
        assert_eq!(bytes("2G"), Some(2048 * MIB));
        assert_eq!((bytes("much"), bytes("1T"), bytes("")), (None, None, None));
        let meminfo = "MemTotal:       24684000 kB\nMemAvailable:   16364520 kB\n";
        assert_eq!(available(meminfo), Some(16_364_520 * 1024));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
    }
}
