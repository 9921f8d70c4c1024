//! `deb`: the packages `trapline` and `trapline-dkms`, for the architecture of a guest.
//!
//! What they consist of is compiled here ([`dist`]); debhelper does the rest.

use std::env;
use std::path::{Path, PathBuf};

use xshell::cmd;

use crate::dist;
use crate::error::{Error, Result};
use crate::files::{self, Lock, workspace_root};
use crate::guest::Guest;
use crate::host;
use crate::image;
use crate::needs;
use crate::progress::{Step, say};
use crate::run;

/// Files of the folder `debian`.
const TEMPLATES: &str = "xtask/debian";

/// Builds both packages; prints where they are.
pub fn run(guest: &str) -> Result<()> {
    build_both(&Guest::load(guest)?, |packages| {
        for package in packages {
            say!("{}", package.display());
        }
        Ok(())
    })
}

/// Builds both packages, and calls `then` with their places before another build can replace them.
pub fn build_both(guest: &Guest, then: impl FnOnce(&[PathBuf; 2]) -> Result<()>) -> Result<()> {
    // Nobody waits for a build to be told that it has no name.
    maintainer()?;
    host::ensure(&needs::of_packaging())?;
    // The command is the guest's.
    image::build(guest, false)?;
    let all = workspace_root().join("target/deb");
    let _lock = Lock::take(&all)?;
    let architecture = &guest.packages.architecture;
    let folder = all.join(architecture);
    let version = dist::version()?;
    let source = folder.join(format!("trapline-{version}"));
    files::remove_dir(&folder)?;
    dist::lay_out(guest, &version, &source)?;
    debian(guest, &version, &source)?;
    build(guest, &source)?;
    let packages = ["trapline", "trapline-dkms"]
        .map(|name| folder.join(format!("{name}_{version}_{architecture}.deb")));
    match packages.iter().find(|package| !package.exists()) {
        Some(missing) => Err(Error::Content {
            path: missing.clone(),
            why: "it was not built".into(),
        }),
        None => then(&packages),
    }
}

/// The folder `debian`, with its placeholders filled in.
fn debian(guest: &Guest, version: &str, source: &Path) -> Result<()> {
    let mut values = dist::values(guest, version)?;
    values.push(("@date@", dist::of_commit("%cD")?));
    values.push(("@maintainer@", maintainer()?));
    let templates = workspace_root().join(TEMPLATES);
    for template in files::walk(&templates, &[])? {
        let name = template.strip_prefix(&templates).unwrap_or(&template);
        let mode = if name.ends_with("rules") {
            0o755
        } else {
            0o644
        };
        let text = dist::filled(&template, &values)?;
        files::write_with_mode(&source.join("debian").join(name), text.as_bytes(), mode)?;
    }
    files::write(&source.join("debian/source/format"), b"3.0 (native)\n")
}

/// Whoever builds the packages: as dch(1) has it, or else as git has it.
fn maintainer() -> Result<String> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let of = |variable: &str, key: &str| {
        let named = env::var(variable).ok().filter(|value| !value.is_empty());
        let of_git = || run::read(cmd!(sh, "git config {key}")).ok();
        named.or_else(|| Some(of_git()?.trim().to_owned()))
    };
    match (of("DEBFULLNAME", "user.name"), of("DEBEMAIL", "user.email")) {
        (Some(name), Some(email)) => Ok(format!("{name} <{email}>")),
        _ => Err(Error::Usage(
            "a package names who made it: set DEBFULLNAME and DEBEMAIL".into(),
        )),
    }
}

fn build(guest: &Guest, source: &Path) -> Result<()> {
    let step = Step::begin("packages");
    let sh = run::shell()?;
    // The packages' files get the commit's time, so that they come out the same again.
    let epoch = dist::of_commit("%ct")?;
    sh.change_dir(source);
    let architecture = format!("-a{}", guest.packages.architecture);
    // Nothing is compiled, so a compiler for the architecture is not needed.
    let command = cmd!(sh, "dpkg-buildpackage -b {architecture} -us -uc -d")
        .env("SOURCE_DATE_EPOCH", epoch)
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL");
    run::quietly(&step, command)?;
    step.done();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_of_a_template_has_a_value() {
        let guest = Guest::load("x86_64").unwrap();
        let mut values = dist::values(&guest, "1").unwrap();
        values.extend([
            ("@date@", "now".into()),
            ("@maintainer@", "A <a at b>".into()),
        ]);
        for file in files::walk(&workspace_root().join(TEMPLATES), &[]).unwrap() {
            let text = dist::filled(&file, &values).unwrap();
            // rules has make's own `$@`.
            let left = text.replace("$@", "");
            assert!(!left.contains('@'), "{}: {left}", file.display());
        }
    }
}
