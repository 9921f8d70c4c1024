//! The contents of a package or an installation: the command with its manual page and completions,
//! example programs, and the module's sources with their core. What is compiled is compiled for a
//! guest, with the guest's tools.

use std::collections::BTreeSet;
use std::path::Path;

use xshell::{Cmd, Shell};

use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::guest::{Build, Guest};
use crate::image::engine::{self, Variant};
use crate::image::hardening::Config;
use crate::image::{kbuild, module, program};
use crate::progress::Step;
use crate::run;
use crate::toolchain::{self, Toolchain};

/// Version of the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Example programs in D.
const EXAMPLES: &str = "engine/dtrace/scripts";

/// The configuration of DKMS, with placeholders.
const DKMS: &str = "xtask/dkms.conf";

/// The workspace's version with the commit, so that a later build is an upgrade. With uncommitted
/// changes also the time: apt ignores another package of the same version.
pub fn version() -> Result<String> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    sh.set_var("TZ", "UTC0");
    let format = "--date=format-local:%Y%m%d%H%M";
    let commit = run::read(git(&sh).args(["log", "-1", format, "--format=%cd.%h"]))?;
    let changes = run::read(git(&sh).args(["status", "--porcelain"]))?;
    let changed = match changes.is_empty() {
        true => String::new(),
        false => run::read(sh.cmd("date").arg("+.changed%Y%m%d%H%M%S"))?,
    };
    Ok(format!("{VERSION}+git{}{}", commit.trim(), changed.trim()))
}

/// git, also in a clone that another user owns: a container's root, or sudo(8)'s.
fn git(sh: &Shell) -> Cmd<'_> {
    let setting = format!("safe.directory={}", workspace_root().display());
    sh.cmd("git").args(["-c", &setting])
}

/// Fills the folder `place`: `dtrace`, `dtrace.8`, `completions/`, `doc/`, `examples/` and `module/`.
pub fn lay_out(guest: &Guest, version: &str, place: &Path) -> Result<()> {
    let toolchain = Toolchain::require(guest)?;
    let sources = place.join("module");
    kbuild::copy(&workspace_root().join("engine/kmod"), &sources)?;
    core(guest, &toolchain, &sources)?;
    let dkms = filled(&workspace_root().join(DKMS), &values(guest, version)?)?;
    files::write(&sources.join("dkms.conf"), dkms.as_bytes())?;
    let programs = program::make_all(guest, &toolchain)?;
    let command = programs
        .iter()
        .find(|(place, _)| place.ends_with("/dtrace"));
    let Some((_, command)) = command else {
        return Err(Error::Content {
            path: workspace_root()
                .join("images")
                .join(format!("{}.yaml", guest.name)),
            why: "its programs lack dtrace".into(),
        });
    };
    files::write_with_mode(&place.join("dtrace"), &files::read(command)?, 0o755)?;
    copy(EXAMPLES, &place.join("examples"), 0o755)?;
    copy("doc", &place.join("doc"), 0o644)?;
    generate(place)
}

/// Copies the files of one of the workspace's folders.
fn copy(folder: &str, to: &Path, mode: u32) -> Result<()> {
    let from = workspace_root().join(folder);
    for file in files::walk(&from, &[])? {
        let name = file.strip_prefix(&from).unwrap_or(&file);
        files::write_with_mode(&to.join(name), &files::read(&file)?, mode)?;
    }
    Ok(())
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

/// Has the command print its manual page and completions.
fn generate(place: &Path) -> Result<()> {
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
        files::write(&place.join(file), text.as_bytes())?;
    }
    step.done();
    Ok(())
}

/// What the placeholders of templates stand for.
pub fn values(guest: &Guest, version: &str) -> Result<Vec<(&'static str, String)>> {
    let architecture = &guest.packages.architecture;
    Ok(vec![
        ("@architecture@", architecture.clone()),
        ("@kernels@", kernels(architecture).to_owned()),
        ("@processors@", processors(&guest.build).to_owned()),
        ("@configuration@", configuration(&guest.build.kernel_arch)?),
        ("@version@", version.to_owned()),
    ])
}

/// The text of a template with its placeholders replaced.
pub fn filled(template: &Path, values: &[(&str, String)]) -> Result<String> {
    let text = String::from_utf8_lossy(&files::read(template)?).into_owned();
    let replaced = |text: String, (name, value): &(&str, String)| text.replace(name, value);
    Ok(values.iter().fold(text, replaced))
}

/// What `uname -m` prints on the kernels that the core is compiled for, as a pattern.
fn processors(build: &Build) -> &str {
    match build.kernel_arch.as_str() {
        "x86" => "x86_64",
        "arm64" => "aarch64",
        _ if build.module_target.starts_with("armv7") => "armv7l",
        // ARMv6 code runs on both.
        _ => "armv[67]l",
    }
}

/// The releases that the module is known to compile for, as a pattern. DKMS knows no better way to be
/// told: a module that does not compile makes the installation of the kernel fail.
fn kernels(architecture: &str) -> &str {
    match architecture {
        "amd64" => r"^(6\.([1-9]|1[0-4]|17)|7\.[03])\.",
        "arm64" => r"^(6\.(1|12)|7\.3)\.",
        _ => r"^6\.(1|12)\.",
    }
}

/// What the module's build wants of an architecture's kernels, as DKMS is told: options, those that must not
/// be set behind a `!`. So DKMS leaves other kernels out, instead of failing while they are installed.
fn configuration(kernel_arch: &str) -> Result<String> {
    let folder = workspace_root().join("engine/kmod");
    let own = folder.join("arch").join(format!("{kernel_arch}.c"));
    let mut options = BTreeSet::new();
    for file in files::walk(&folder, &[])? {
        if file.parent() != Some(&folder) && file != own {
            continue;
        }
        let text = files::read(&file)?;
        let text = String::from_utf8_lossy(&text);
        let is_header = file.ends_with("kernel.h");
        options.extend(text.lines().flat_map(|line| wanted(line, is_header)));
    }
    Ok(options.into_iter().collect::<Vec<_>>().join(" "))
}

/// What a line of the module's sources wants, an assertion or, in the header of refusals, a condition.
/// DKMS has no word for an option that matters only beside another, nor for one in place of another.
fn wanted(line: &str, is_header: bool) -> Vec<String> {
    let is_one_of = line.contains("||");
    let refuses = line.starts_with("#ifdef ") || line.starts_with("#if defined(");
    let sign = match line {
        _ if line.contains("&&") => return Vec::new(),
        _ if line.starts_with("static_assert(IS_ENABLED(") && !is_one_of => "",
        _ if line.starts_with("static_assert(!IS_ENABLED(") && !is_one_of => "!",
        _ if is_header && refuses => "!",
        _ => return Vec::new(),
    };
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let options = words.filter(|word| word.starts_with("CONFIG_"));
    options.map(|option| format!("{sign}{option}")).collect()
}

/// A field of the commit that is built.
pub fn of_commit(field: &str) -> Result<String> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let format = format!("--format={field}");
    let text = run::read(git(&sh).args(["log", "-1", &format]))?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dkms_leaves_out_what_the_build_refuses() {
        let [x86, arm64, arm] = ["x86", "arm64", "arm"].map(|it| configuration(it).unwrap());
        let has = |options: &str, option: &str| options.split(' ').any(|it| it == option);
        for options in [&x86, &arm64, &arm] {
            for option in [
                "!CONFIG_PREEMPT_RT",
                "!CONFIG_KASAN_GENERIC",
                "!CONFIG_KASAN_SW_TAGS",
                "!CONFIG_IRQ_TIME_ACCOUNTING",
                "CONFIG_STACKPROTECTOR",
            ] {
                assert!(has(options, option), "{option}: {options}");
            }
        }
        assert!(
            has(&x86, "!CONFIG_RCU_TRACE") && has(&x86, "CONFIG_SMP"),
            "{x86}"
        );
        assert!(
            has(&arm, "!CONFIG_ARM_LPAE") && has(&arm, "CONFIG_VMAP_STACK"),
            "{arm}"
        );
        assert!(
            !has(&arm, "!CONFIG_SMP") && !has(&x86, "!CONFIG_ARM_LPAE"),
            "{arm}\n{x86}"
        );
        // Either will do.
        assert!(!x86.contains("RETPOLINE"), "{x86}");
    }

    #[test]
    fn the_configuration_of_dkms_has_no_placeholder_left() {
        let guest = Guest::load("x86_64").unwrap();
        let values = values(&guest, "1").unwrap();
        let text = filled(&workspace_root().join(DKMS), &values).unwrap();
        assert!(!text.contains('@'), "{text}");
    }

    /// Debian 12's DKMS takes an excluded kernel for a failure.
    #[test]
    fn a_kernel_is_excluded_from_autoinstall_however_it_is_named() {
        let values = [
            ("@kernels@", r"^6\.(1|12)\.".to_owned()),
            ("@processors@", "x86_64".to_owned()),
            ("@configuration@", String::new()),
            ("@version@", "1".to_owned()),
        ];
        let text = filled(&workspace_root().join(DKMS), &values).unwrap();
        let script = format!("{text}\necho \"[$AUTOINSTALL]\"\nexit");
        let sh = run::shell().unwrap();
        let autoinstall = |words: &[&str]| {
            let bash = sh.cmd("bash").args(["-c", &script, "dkms"]).args(words);
            bash.read().unwrap()
        };
        for excluded in ["6.5.0/x86_64", "6.1.0/aarch64"] {
            let joined = format!("--kernelver={excluded}");
            for words in [
                &["autoinstall", "--kernelver", excluded][..],
                &["autoinstall", "-k", excluded],
                &["-j", "2", "autoinstall", "-k", excluded],
                &["autoinstall", "-j", "2", "-k", excluded],
                &["autoinstall", &joined],
            ] {
                assert_eq!(autoinstall(words), "[]", "{words:?}");
            }
        }
        for words in [
            &["autoinstall"][..],
            &["autoinstall", "-j", "2"],
            &["autoinstall", "-j", "2", "-k", "6.1.0/x86_64"],
            &["install", "trapline/1", "-k", "6.5.0"],
        ] {
            assert_eq!(autoinstall(words), "[yes]", "{words:?}");
        }
    }

    #[test]
    fn a_package_is_for_processors_that_run_its_core() {
        let of = |name: &str| processors(&Guest::load(name).unwrap().build).to_owned();
        assert_eq!(
            ["armv6", "armv7", "arm64", "x86_64"].map(of),
            ["armv[67]l", "armv7l", "aarch64", "x86_64"]
        );
    }
}
