//! Installs what the host lacks: with apt where xtask may, otherwise by naming the command.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::geteuid;
use xshell::{Shell, cmd};

use crate::error::{Error, Result};
use crate::needs::{Need, which};
use crate::progress::say;
use crate::run;

/// Delay before each retry; a mirror fails for a while in the middle of a sync.
const PATIENCE: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_secs(10),
    Duration::from_secs(30),
];

/// Installs what is missing; [`Error::Host`] names what could not be installed and the command.
pub fn ensure(needs: &[Need]) -> Result<()> {
    let missing = unmet(needs)?;
    if missing.is_empty() {
        return Ok(());
    }
    if can_install()
        && let Err(error) = install(&missing)
    {
        say!("{error}");
    }
    let still = unmet(&missing)?;
    if still.is_empty() {
        return Ok(());
    }
    let what: Vec<_> = still.iter().map(Need::what).collect();
    Err(Error::Host {
        missing: what.join(", "),
        fix: fix(&still),
    })
}

/// The command that installs these, and removes nothing.
pub fn fix(needs: &[Need]) -> String {
    let packages = packages_of(needs);
    let keeping = HostApt::new().ok().and_then(|apt| apt.keeping(&packages));
    fix_with(&keeping.unwrap_or(packages), needs)
}

/// The same, by these packages.
fn fix_with(packages: &[String], needs: &[Need]) -> String {
    const RUSTUP: &str = "rustup component add rust-src";
    let command = install_command(packages);
    let rust = needs.iter().find(|n| matches!(n, Need::Rust { .. }));
    match rust.map(|it| it.packages().is_empty()) {
        None => command,
        Some(false) => format!("{command} (or, for a rustup toolchain: {RUSTUP})"),
        Some(true) if packages.is_empty() => {
            format!("{RUSTUP}, with https://rustup.rs: the distribution's Rust is too old")
        }
        Some(true) => format!(
            "{command}; and {RUSTUP}, with https://rustup.rs: the distribution's Rust is too old"
        ),
    }
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

/// Without `--yes`, so that apt asks before it installs an older version.
fn install_command(packages: &[String]) -> String {
    let sudo = if geteuid().is_root() { "" } else { "sudo " };
    let install = "apt-get install --no-install-recommends --no-remove";
    format!(
        "{sudo}apt-get update && {sudo}{install} {}",
        packages.join(" ")
    )
}

/// Installs packages, and removes none. Runs `apt-get update` first if the lists do not satisfy the
/// needs: they may be missing or old, and [`Need::packages`] may depend on newer ones.
fn install(needs: &[Need]) -> Result<()> {
    let apt = HostApt::new()?;
    if !apt.offers(needs) {
        apt.update();
    }
    let mut result = apt.install(&packages_of(needs));
    for pause in PATIENCE {
        let is_final = matches!(result, Err(Error::WouldRemove { .. }));
        let packaged = needs.iter().filter(|need| !need.packages().is_empty());
        let packaged: Vec<Need> = packaged.cloned().collect();
        if is_final || result.is_ok() && unmet(&packaged)?.is_empty() {
            break;
        }
        sleep(pause);
        apt.update();
        result = apt.install(&packages_of(needs));
    }
    result
}

/// The host's own apt.
struct HostApt(Shell);

impl HostApt {
    fn new() -> Result<Self> {
        let sh = run::shell()?;
        sh.set_var("DEBIAN_FRONTEND", "noninteractive");
        sh.set_var("LC_ALL", "C");
        Ok(Self(sh))
    }

    /// Whether the lists have a recent enough candidate for each package of each need.
    fn offers(&self, needs: &[Need]) -> bool {
        let offered = |need: &Need, package: &String| {
            let policy = run::read(cmd!(self.0, "apt-cache policy {package}"));
            let policy = policy.unwrap_or_default();
            candidate(&policy).is_some_and(|version| need.accepts(version))
        };
        needs.iter().all(|need| {
            let packages = need.packages();
            !packages.is_empty() && packages.iter().all(|package| offered(need, package))
        })
    }

    /// Errors are ignored: one of several sources may fail, and the install decides.
    fn update(&self) {
        let _ = run::openly(cmd!(self.0, "apt-get update"));
    }

    fn install(&self, packages: &[String]) -> Result<()> {
        let simulated = self.simulate(packages)?;
        let losses = removed(&simulated);
        if !losses.is_empty() {
            let names: Vec<_> = losses.iter().map(|(name, _)| *name).collect();
            return Err(Error::WouldRemove {
                packages: packages.join(" "),
                losses: names.join(" "),
            });
        }
        say!(
            "this host lacks packages; installing: {}",
            packages.join(" ")
        );
        let options = [
            "-o",
            "DPkg::Lock::Timeout=120",
            "-o",
            "Acquire::Retries=3",
            "--no-install-recommends",
            "--no-remove",
            "--yes",
        ];
        run::openly(cmd!(self.0, "apt-get {options...} install {packages...}"))
    }

    fn simulate(&self, packages: &[String]) -> Result<String> {
        run::read(cmd!(
            self.0,
            "apt-get --simulate --no-install-recommends install {packages...}"
        ))
    }

    /// These, and with them other versions of what they would have removed, so that nothing is: a
    /// backport of qemu-utils breaks the QEMU of its release. None if there is no such version.
    /// Since it may be a downgrade, it is named and not run.
    fn keeping(&self, packages: &[String]) -> Option<Vec<String>> {
        let simulated = self.simulate(packages).ok()?;
        let mut keeping = packages.to_vec();
        for (name, installed) in removed(&simulated) {
            let versions = run::read(cmd!(self.0, "apt-cache madison {name}")).ok()?;
            let with = |version| [&keeping[..], &[format!("{name}={version}")]].concat();
            let found = others(&versions, installed).map(with).find(|packages| {
                let simulated = self.simulate(packages);
                simulated.is_ok_and(|it| removed(&it).iter().all(|(lost, _)| *lost != name))
            });
            keeping = found?;
        }
        let simulated = self.simulate(&keeping).ok()?;
        removed(&simulated).is_empty().then_some(keeping)
    }
}

/// The candidate version that `apt-cache policy` prints.
fn candidate(policy: &str) -> Option<&str> {
    policy
        .lines()
        .find_map(|line| line.trim().strip_prefix("Candidate: "))
        .filter(|version| *version != "(none)")
}

/// The packages that `apt-get --simulate` would remove, and their versions.
fn removed(simulated: &str) -> Vec<(&str, &str)> {
    let removals = simulated.lines().filter_map(|it| it.strip_prefix("Remv "));
    let named = removals.map(|it| {
        let (name, version) = it.split_once(" [").unwrap_or((it, ""));
        (name, version.split(']').next().unwrap_or_default())
    });
    named.collect()
}

/// The versions that `apt-cache madison` lists (the newest comes first), but for this one.
fn others<'a>(versions: &'a str, except: &'a str) -> impl Iterator<Item = &'a str> {
    let versions = versions.lines().filter_map(|it| it.split(" | ").nth(1));
    versions.map(str::trim).filter(move |it| *it != except)
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    fn program(name: &str, package: &str) -> Need {
        Need::Program {
            name: name.into(),
            package: package.into(),
        }
    }

    #[test]
    fn removals_are_read_from_apts_simulation() {
        let simulated = "Reading package lists...\n\
            Remv qemu-utils [1:10.0.2~bpo12+1]\n\
            Inst qemu-system-arm (1:7.2 Debian:12.12/oldstable [amd64])\n";
        assert_eq!(removed(simulated), [("qemu-utils", "1:10.0.2~bpo12+1")]);
        assert!(removed("Inst a (1 x [amd64])\n").is_empty());
    }

    /// An apt that has q in versions 3 and 2, has 1 beside it, and removes it for p unless it is 1.
    fn apt(folder: &Path) -> HostApt {
        let sh = run::shell().unwrap();
        let scripts = [
            (
                "apt-get",
                "case \"$*\" in *q=1*) ;; *p*) echo 'Remv q [2]' ;; esac",
            ),
            (
                "apt-cache",
                "for v in 3 2 1; do echo \" q | $v | uri bookworm/main amd64 Packages\"; done",
            ),
        ];
        for (name, script) in scripts {
            let path = folder.join(name);
            // Another process writes it: while we did, a child of another test could inherit it, open
            // for writing, and it would not be executed (execve(2), ETXTBSY).
            let write = "printf '#!/bin/sh\n%s\n' \"$1\" >\"$2\" && chmod +x \"$2\"";
            cmd!(sh, "sh -c {write} sh {script} {path}").run().unwrap();
        }
        let others = sh.var("PATH").unwrap();
        sh.set_var("PATH", format!("{}:{others}", folder.display()));
        HostApt(sh)
    }

    #[test]
    fn each_other_version_is_tried_so_that_nothing_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let apt = apt(folder.path());
        let p = String::from("p");
        assert_eq!(
            apt.keeping(slice::from_ref(&p)),
            Some(vec![p, "q=1".into()])
        );
        assert_eq!(apt.keeping(&["o".into()]), Some(vec!["o".into()]));
    }

    #[test]
    fn other_versions_are_all_but_the_installed_one() {
        let line =
            |version| format!(" qemu-utils | {version} | uri bookworm/main amd64 Packages\n");
        let versions = line("1:10.0.2~bpo12+1") + &line("1:7.2-18") + &line("1:7.2-15");
        let but = |except| others(&versions, except).collect::<Vec<_>>();
        assert_eq!(but("1:10.0.2~bpo12+1"), ["1:7.2-18", "1:7.2-15"]);
        assert_eq!(but("1:9").len(), 3);
        assert_eq!(others("", "1:9").next(), None);
    }

    #[test]
    fn another_command_leaves_the_advice_on_rust() {
        let targets = vec![String::from("x86_64-unknown-none")];
        let needs = [program("a", "p"), Need::Rust { targets }];
        let fixed = fix_with(&["p=1".into()], &needs);
        assert!(fixed.contains("--no-remove p=1"), "{fixed}");
        assert!(fixed.contains("rustup component add"), "{fixed}");
    }

    #[test]
    fn a_candidate_of_none_is_no_candidate() {
        let policy = |version| format!("x:\n  Installed: (none)\n  Candidate: {version}\n");
        assert_eq!(candidate(&policy("1.2-3")), Some("1.2-3"));
        assert_eq!(candidate(&policy("(none)")), None);
        assert_eq!(candidate(""), None);
    }

    #[test]
    fn the_install_command_names_each_package_once() {
        let needs = [program("a", "p"), program("b", "p"), program("c", "o")];
        let fixed = fix_with(&packages_of(&needs), &needs);
        assert!(fixed.ends_with(" --no-remove o p"), "{fixed}");
    }
}
