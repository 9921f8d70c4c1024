//! Getting what the host lacks: with apt where we may, and otherwise by saying which command does
//! it.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::geteuid;
use xshell::cmd;

use crate::error::{Error, Result};
use crate::needs::{Need, which};
use crate::run;

/// How long to wait before each try; a mirror in the middle of a sync fails for a while.
const PATIENCE: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_secs(10),
    Duration::from_secs(30),
];

/// Gets what is missing where that is possible, and says what to do where it is not.
pub fn ensure(needs: &[Need]) -> Result<()> {
    let missing = unmet(needs)?;
    if missing.is_empty() {
        return Ok(());
    }
    if can_install()
        && let Err(error) = install(&missing)
    {
        eprintln!("{error}");
    }
    let still = unmet(&missing)?;
    if still.is_empty() {
        return Ok(());
    }
    let what: Vec<_> = still.iter().map(Need::what).collect();
    Err(Error::Host {
        missing: what.join(", "),
        mend: mend(&still),
    })
}

/// The command that gets these.
pub fn mend(needs: &[Need]) -> String {
    let command = install_command(&packages_of(needs));
    if needs.iter().any(|n| matches!(n, Need::Rust { .. })) {
        return format!("{command} (or, for a rustup toolchain: rustup component add rust-src)");
    }
    command
}

fn unmet(needs: &[Need]) -> Result<Vec<Need>> {
    let mut missing = Vec::new();
    for need in needs {
        if !need.is_met()? {
            missing.push(need.clone());
        }
    }
    Ok(missing)
}

fn packages_of(needs: &[Need]) -> Vec<String> {
    let mut packages: Vec<_> = needs.iter().flat_map(Need::packages).collect();
    packages.sort();
    packages.dedup();
    packages
}

fn can_install() -> bool {
    geteuid().is_root() && Path::new("/etc/debian_version").exists() && which("apt-get")
}

fn install_command(packages: &[String]) -> String {
    let sudo = if geteuid().is_root() { "" } else { "sudo " };
    format!(
        "{sudo}apt-get update && {sudo}apt-get install --no-install-recommends {}",
        packages.join(" ")
    )
}

/// Installs packages. The lists are fetched only if it does not work without: they may be missing,
/// or so old that what they offer is too old as well, and which packages it takes may be known only
/// with them.
fn install(needs: &[Need]) -> Result<()> {
    let sh = run::shell()?;
    sh.set_var("DEBIAN_FRONTEND", "noninteractive");
    let options = [
        "-o",
        "DPkg::Lock::Timeout=120",
        "-o",
        "Acquire::Retries=3",
        "--no-install-recommends",
        "--yes",
    ];
    let try_it = || {
        let packages = packages_of(needs);
        let named = packages.join(" ");
        eprintln!("this host lacks packages; installing: {named}");
        run::openly(cmd!(sh, "apt-get {options...} install {packages...}"))
    };
    let mut result = try_it();
    for pause in PATIENCE {
        if result.is_ok() && unmet(needs)?.is_empty() {
            break;
        }
        sleep(pause);
        // One source of several may fail; what matters is whether the packages can be had.
        let _ = run::openly(cmd!(sh, "apt-get update"));
        result = try_it();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str, package: &str) -> Need {
        Need::Program {
            name: name.into(),
            package: package.into(),
        }
    }

    #[test]
    fn the_mending_command_names_each_package_once() {
        let needs = [program("a", "p"), program("b", "p"), program("c", "o")];
        assert!(mend(&needs).ends_with("--no-install-recommends o p"));
    }
}
