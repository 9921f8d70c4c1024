//! The host's QEMU.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::error::HostError;

/// A version of QEMU, major and minor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Version(pub u32, pub u32);

/// Searches PATH for `program`; `remedy` is the command that the error suggests.
pub fn find(program: &'static str, remedy: &'static str) -> Result<PathBuf, HostError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
        .ok_or(HostError::NoProgram { program, remedy })
}

/// The version of `program`, asked once per process; 0.0 if it is unknown, which counts as oldest.
pub fn version(program: &str) -> Version {
    static KNOWN: Mutex<BTreeMap<String, Version>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let ask = || {
        let said = Command::new(program).arg("--version").output().ok()?;
        version_in(&String::from_utf8_lossy(&said.stdout))
    };
    *known
        .entry(program.to_owned())
        .or_insert_with(|| ask().unwrap_or_default())
}

/// Parses `QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)`.
fn version_in(said: &str) -> Option<Version> {
    let (_, rest) = said.split_once(" version ")?;
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit());
    let mut next = || numbers.next()?.parse().ok();
    Some(Version(next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        let said =
            "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)\nCopyright (c)\n";
        assert_eq!(version_in(said), Some(Version(7, 2)));
        assert_eq!(
            version_in("QEMU emulator version 10.0.2\n"),
            Some(Version(10, 0))
        );
        assert_eq!(version_in("busybox"), None);
        assert!(Version(7, 2) < Version(8, 1) && Version(8, 1) < Version(10, 0));
    }

    #[test]
    fn missing_program_is_reported_with_remedy() {
        let error = find("no-such-emulator", "apt-get install it").expect_err("not there");
        let text = error.to_string();
        assert_eq!(
            text,
            "`no-such-emulator` is not in PATH; `apt-get install it` installs it"
        );
    }
}
