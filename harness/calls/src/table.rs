//! The system calls of this machine's kernel, Linux 6.1, by number and name.

use syscalls::Sysno;

/// Highest number in Linux 6.1.
const LAST: i32 = 450;
/// Base of ARM's private calls, which are missing from the syscalls crate.
const PRIVATE: i32 = 0xf0000;
const PRIVATES: [&str; 6] = [
    "breakpoint",
    "cacheflush",
    "usr26",
    "usr32",
    "set_tls",
    "get_tls",
];
/// A call that only machines with those have.
const PRIVATES_MARKER: &str = "arm_fadvise64_64";

/// Calls added after 6.1 at numbers below [`LAST`].
const LATER: [&str; 2] = ["uprobe", "uretprobe"];
/// The time64 calls of 32-bit machines, which the crate also lists for 64-bit ones.
const TIME64: std::ops::RangeInclusive<i32> = 403..=423;
/// Calls whose name in the crate differs from `unistd.h`.
const RENAMED: [(&str, &str); 1] = [("fstatat", "newfstatat")];

/// A system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Its number.
    pub number: i32,
    /// Its name in `unistd.h`.
    pub name: &'static str,
}

impl Call {
    fn new(number: i32, name: &'static str) -> Self {
        let renamed = RENAMED.iter().find(|(from, _)| *from == name);
        let name = renamed.map_or(name, |(_, to)| to);
        Self { number, name }
    }

    fn is_there(&self, bits: u32) -> bool {
        let fits = bits < u64::BITS || !TIME64.contains(&self.number);
        self.number <= LAST && fits && !LATER.contains(&self.name)
    }
}

/// Every call of this machine.
pub fn calls() -> Vec<Call> {
    let known = Sysno::iter().map(|call| (call.id(), call.name()));
    of(known, usize::BITS)
}

/// Whether this machine has a call of that name.
pub fn has(name: &str) -> bool {
    name.parse::<Sysno>().is_ok()
}

/// Every call of a machine with words of `bits` bits, given those that the crate lists.
fn of(known: impl Iterator<Item = (i32, &'static str)>, bits: u32) -> Vec<Call> {
    let known = known.map(|(number, name)| Call::new(number, name));
    let mut calls: Vec<_> = known.filter(|call| call.is_there(bits)).collect();
    if calls.iter().any(|call| call.name == PRIVATES_MARKER) {
        let privates = (PRIVATE + 1..).zip(PRIVATES);
        calls.extend(privates.map(|(number, name)| Call::new(number, name)));
    }
    calls
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::rows;

    fn machines() -> [Vec<Call>; 3] {
        use syscalls::{aarch64, arm};
        [
            of(arm::Sysno::iter().map(|c| (c.id(), c.name())), 32),
            of(aarch64::Sysno::iter().map(|c| (c.id(), c.name())), 64),
            of(Sysno::iter().map(|c| (c.id(), c.name())), 64),
        ]
    }

    #[test]
    fn each_machine_has_as_many_as_its_kernels_headers_say() {
        // From Debian's headers of 6.1; the first includes six private calls.
        assert_eq!(machines().map(|calls| calls.len()), [403 + 6, 306, 362]);
    }

    #[test]
    fn every_call_has_a_row_and_every_row_a_call() {
        let calls: HashSet<_> = machines().iter().flatten().map(|call| call.name).collect();
        let rows: HashSet<_> = rows::all().map(|row| row.name).collect();
        assert_eq!(calls.difference(&rows).collect::<Vec<_>>(), [&""; 0]);
        assert_eq!(rows.difference(&calls).collect::<Vec<_>>(), [&""; 0]);
    }
}
