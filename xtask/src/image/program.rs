//! The programs of ours that a guest gets. They are static: a guest has only the libraries that its
//! own programs need.

use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::error::Result;
use crate::files;
use crate::guest::Guest;
use crate::image::stamp::unless_current;
use crate::progress::Step;
use crate::run;
use crate::toolchain::{self, Toolchain};

/// How they are built, as the workspace has it.
const PROFILE: &str = "program";

/// One program.
struct Program {
    /// Its file name.
    name: &'static str,
    /// The package that it is of.
    package: &'static str,
    /// Where it lies inside a guest.
    place: &'static str,
}

/// All of them.
const PROGRAMS: [Program; 7] = [
    // The dtrace command.
    Program {
        name: "dtrace",
        package: "engine-dtrace",
        place: "/usr/sbin/dtrace",
    },
    // What does in a guest as the harness says.
    Program {
        name: "trapline-agent",
        package: "harness-agent",
        place: "/sbin/trapline-agent",
    },
    // What makes every system call.
    Program {
        name: "trapline-calls",
        package: "harness-calls",
        place: "/sbin/trapline-calls",
    },
    // What throws malformed requests at the module.
    Program {
        name: "trapline-fuzz",
        package: "harness-fuzz",
        place: "/sbin/trapline-fuzz",
    },
    // What runs instructions by themselves and probed.
    Program {
        name: "trapline-native",
        package: "harness-native",
        place: "/sbin/trapline-native",
    },
    // What counts events as perf does.
    Program {
        name: "trapline-perf",
        package: "harness-perf",
        place: "/sbin/trapline-perf",
    },
    // What keeps a guest's kernel busy.
    Program {
        name: "trapline-storm",
        package: "harness-storm",
        place: "/sbin/trapline-storm",
    },
];

/// The folders in which all their sources are.
const FOLDERS: [&str; 8] = [
    "engine",
    "harness/agent",
    "harness/calls",
    "harness/fuzz",
    "harness/ioctl",
    "harness/native",
    "harness/perf",
    "harness/storm",
];

/// Builds them for a guest, in one call of cargo, so that the standard library and what they share is
/// compiled once; each with its file.
pub fn make_all(guest: &Guest, toolchain: &Toolchain) -> Result<Vec<(&'static str, PathBuf)>> {
    let dir = guest.dir();
    let files = PROGRAMS.map(|program| (program.place, dir.join(program.name)));
    let outputs = PROGRAMS.map(|program| dir.join(program.name));
    let mut inputs = toolchain.inputs("image::program", guest, &FOLDERS)?;
    inputs.add(format!("{:?}", guest.build));
    inputs.add_file(&libc_of(guest)?)?;
    unless_current(&dir, "programs", inputs, &outputs, || {
        let step = Step::begin(format!("{}: programs of ours", guest.name));
        let _lock = toolchain::lock()?;
        compile(&step, &run::shell()?, guest, toolchain)?;
        for (program, file) in PROGRAMS.iter().zip(&outputs) {
            let target = &guest.build.program_target;
            let built = toolchain::output(PROFILE, target, program.name);
            files::write_with_mode(file, &files::read(&built)?, 0o755)?;
        }
        step.done();
        Ok(())
    })?;
    Ok(files.into())
}

/// The C library that becomes a part of it.
fn libc_of(guest: &Guest) -> Result<PathBuf> {
    let (sh, cc) = (run::shell()?, &guest.build.cc);
    let path = run::read(cmd!(sh, "{cc} -print-file-name=libc.a"))?;
    Ok(path.trim().into())
}

fn compile(step: &Step, sh: &Shell, guest: &Guest, toolchain: &Toolchain) -> Result<()> {
    let target = &guest.build.program_target;
    let linker = format!(
        "CARGO_TARGET_{}_LINKER",
        target.to_uppercase().replace('-', "_")
    );
    let build_std = (!toolchain.brings_std(target)).then_some("-Zbuild-std=std,panic_abort");
    let each = |program: &Program| ["--package", program.package, "--bin", program.name];
    let cargo = toolchain
        .cargo(sh, "build", PROFILE, target, "-Ctarget-feature=+crt-static")
        .env(linker, &guest.build.cc)
        .args(PROGRAMS.iter().flat_map(each))
        .args(build_std);
    run::quietly(step, cargo)
}
