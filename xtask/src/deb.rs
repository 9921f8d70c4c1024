//! `deb`: the packages `trapline` and `trapline-dkms`, for the architecture of a guest.
//!
//! What is compiled is compiled here, for the guest, whose tools are there; debhelper does the rest.

use std::env;
use std::path::Path;

use xshell::cmd;

use crate::error::{Error, Result};
use crate::files::{self, Lock, workspace_root};
use crate::guest::Guest;
use crate::host;
use crate::image::engine::{self, Variant};
use crate::image::hardening::Config;
use crate::image::{self, kbuild, module, program};
use crate::needs;
use crate::progress::{Step, say};
use crate::run;
use crate::toolchain::{self, Toolchain};

/// Version of the packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Files of the folder `debian`, and the configuration of DKMS.
const TEMPLATES: &str = "xtask/debian";

/// Builds both packages; prints where they are.
pub fn run(guest: &str) -> Result<()> {
    host::ensure(&needs::of_packaging())?;
    let guest = Guest::load(guest)?;
    // The command is the guest's.
    image::build(&guest, false)?;
    let all = workspace_root().join("target/deb");
    let _lock = Lock::take(&all)?;
    let folder = all.join(&guest.packages.architecture);
    let version = version()?;
    let source = folder.join(format!("trapline-{version}"));
    files::remove_dir(&folder)?;
    lay_out(&guest, &version, &source)?;
    build(&guest, &source)?;
    for name in ["trapline", "trapline-dkms"] {
        let architecture = &guest.packages.architecture;
        let package = folder.join(format!("{name}_{version}_{architecture}.deb"));
        if !package.exists() {
            return Err(Error::Content {
                path: package,
                why: "it was not built".into(),
            });
        }
        say!("{}", package.display());
    }
    Ok(())
}

/// The workspace's version with the commit, so that a later build is an upgrade.
fn version() -> Result<String> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let format = "--date=format:%Y%m%d%H%M";
    let commit = run::read(cmd!(sh, "git log -1 {format} --format=%cd.%h"))?;
    let changes = run::read(cmd!(sh, "git status --porcelain"))?;
    let dirty = if changes.is_empty() { "" } else { ".changed" };
    Ok(format!("{VERSION}+git{}{dirty}", commit.trim()))
}

/// Fills the folder that the packages are built from.
fn lay_out(guest: &Guest, version: &str, source: &Path) -> Result<()> {
    let toolchain = Toolchain::require(guest)?;
    let sources = source.join("module");
    kbuild::copy(&workspace_root().join("engine/kmod"), &sources)?;
    core(guest, &toolchain, &sources)?;
    let programs = program::make_all(guest, &toolchain)?;
    let command = programs
        .into_iter()
        .find(|(place, _)| place.ends_with("/dtrace"));
    let command = command.map(|(_, file)| file).unwrap_or_default();
    files::write_with_mode(&source.join("dtrace"), &files::read(&command)?, 0o755)?;
    generate(source)?;
    debian(guest, version, source)
}

/// The Rust half, fit for every kernel of the architecture that the C half is.
fn core(guest: &Guest, toolchain: &Toolchain, sources: &Path) -> Result<()> {
    let step = Step::begin(format!("{}: the module's core", guest.name));
    let config = Config::of_any_kernel(&guest.build.kernel_arch);
    let object = sources.join("engine.o_shipped");
    let _lock = toolchain::lock(engine::PROFILE)?;
    let archive = engine::compile(&step, guest, toolchain, &config, Variant::Plain)?;
    engine::link(&step, guest, &archive, &sources.join("engine.lds"), &object)?;
    let code = files::read(&object)?;
    module::refuse_panics(&object, &code)?;
    module::refuse_instrumented(&object, &code, config.lists_padding())?;
    config.check(guest, &object, &object)?;
    step.done();
    Ok(())
}

/// What the command says of itself.
fn generate(source: &Path) -> Result<()> {
    const FILES: [(&str, &str); 4] = [
        ("man", "dtrace.8"),
        ("bash", "completions/dtrace"),
        ("zsh", "completions/_dtrace"),
        ("fish", "completions/dtrace.fish"),
    ];
    let step = Step::begin("manual page and completions");
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    for (what, file) in FILES {
        let command = run::cargo(&sh).args(["run", "--quiet", "--package", "engine-dtrace", "--"]);
        let text = run::read(command.args(["--generate", what]))?;
        files::write(&source.join(file), text.as_bytes())?;
    }
    step.done();
    Ok(())
}

/// The folder `debian`, and the configuration of DKMS, with their placeholders filled in.
fn debian(guest: &Guest, version: &str, source: &Path) -> Result<()> {
    let values = values(guest, version, of_commit("%cD")?, maintainer()?)?;
    let templates = workspace_root().join(TEMPLATES);
    for file in files::walk(&templates, &[])? {
        let text = String::from_utf8_lossy(&files::read(&file)?).into_owned();
        let text = filled(text, &values);
        let name = file.strip_prefix(&templates).unwrap_or(&file);
        let (place, mode) = match name.to_str() {
            Some("dkms.conf") => (source.join("module/dkms.conf"), 0o644),
            Some("rules") => (source.join("debian/rules"), 0o755),
            _ => (source.join("debian").join(name), 0o644),
        };
        files::write_with_mode(&place, text.as_bytes(), mode)?;
    }
    files::write(&source.join("debian/source/format"), b"3.0 (native)\n")
}

/// What each placeholder stands for.
fn values(
    guest: &Guest,
    version: &str,
    date: String,
    maintainer: String,
) -> Result<[(&'static str, String); 7]> {
    let kernel_arch = &guest.build.kernel_arch;
    Ok([
        ("@architecture@", guest.packages.architecture.clone()),
        ("@date@", date),
        ("@maintainer@", maintainer),
        ("@kernels@", kernels(kernel_arch).to_owned()),
        ("@processors@", processors(kernel_arch).to_owned()),
        ("@refused@", refused()?),
        ("@version@", version.to_owned()),
    ])
}

/// A template with its placeholders replaced.
fn filled(template: String, values: &[(&str, String)]) -> String {
    let replaced = |text: String, (name, value): &(&str, String)| text.replace(name, value);
    values.iter().fold(template, replaced)
}

/// What `uname -m` may print on the kernels of an architecture, as a pattern.
fn processors(kernel_arch: &str) -> &str {
    match kernel_arch {
        "x86" => "x86_64",
        "arm64" => "aarch64",
        _ => "armv[67]l",
    }
}

/// The releases that the module is known to compile for, as a pattern. DKMS knows no better way to be
/// told: a module that does not compile makes the installation of the kernel fail.
fn kernels(kernel_arch: &str) -> &str {
    match kernel_arch {
        "x86" => r"^6\.([1-9]|1[0-4])\.",
        "arm64" => r"^6\.(1|12)\.",
        _ => r"^6\.1\.",
    }
}

/// The options of kernels that the module's build refuses, as DKMS wants them: so that it leaves those
/// kernels out, instead of failing while they are installed.
fn refused() -> Result<String> {
    let header = files::read(&workspace_root().join("engine/kmod/kernel.h"))?;
    let header = String::from_utf8_lossy(&header);
    // With `&&` one of several is not refused alone.
    let conditions = header
        .lines()
        .filter(|line| line.starts_with("#if") && !line.contains("&&"));
    let words =
        conditions.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let options = words.filter(|word| word.starts_with("CONFIG_"));
    Ok(options
        .map(|option| format!("!{option}"))
        .collect::<Vec<_>>()
        .join(" "))
}

/// A field of the commit that is packaged.
fn of_commit(field: &str) -> Result<String> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let text = run::read(cmd!(sh, "git log -1 --format={field}"))?;
    Ok(text.trim().to_owned())
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
    let epoch = of_commit("%ct")?;
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
    fn dkms_leaves_out_what_the_build_refuses_alone() {
        let refused = refused().unwrap();
        let options: Vec<_> = refused.split(' ').collect();
        assert!(options.contains(&"!CONFIG_PREEMPT_RT"), "{refused}");
        assert!(options.contains(&"!CONFIG_KASAN_SW_TAGS"), "{refused}");
        // Refused on 32-bit ARM only.
        assert!(!options.contains(&"!CONFIG_ARM"), "{refused}");
        assert!(!options.contains(&"!CONFIG_FRAME_POINTER"), "{refused}");
    }

    #[test]
    fn every_placeholder_of_a_template_has_a_value() {
        let guest = Guest::load("x86_64").unwrap();
        let values = values(&guest, "1", "now".into(), "A <a at b>".into()).unwrap();
        for file in files::walk(&workspace_root().join(TEMPLATES), &[]).unwrap() {
            let text = String::from_utf8(files::read(&file).unwrap()).unwrap();
            let text = filled(text, &values);
            // rules has make's own `$@`.
            let left = text.replace("$@", "");
            assert!(!left.contains('@'), "{}: {left}", file.display());
        }
    }
}
