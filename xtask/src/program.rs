//! The programs of ours that a guest gets. They are static: a guest has only the libraries that its
//! own programs need.

use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::error::Result;
use crate::files;
use crate::guest::Guest;
use crate::progress::Step;
use crate::run;
use crate::stamp::unless_current;
use crate::toolchain::{self, Toolchain};

/// How they are built, as the workspace has it.
const PROFILE: &str = "program";

/// One program.
pub struct Program {
    /// Its file name.
    name: &'static str,
    /// The package that it is of.
    package: &'static str,
    /// The folders in which all its sources are.
    folders: &'static [&'static str],
}

/// The dtrace command.
pub const DTRACE: Program = Program {
    name: "dtrace",
    package: "engine-dtrace",
    folders: &["engine"],
};

/// What does in a guest as the harness says.
pub const AGENT: Program = Program {
    name: "trapline-agent",
    package: "harness-agent",
    folders: &["harness/agent"],
};

/// What makes every system call.
pub const CALLS: Program = Program {
    name: "trapline-calls",
    package: "harness-calls",
    folders: &["harness/calls"],
};

/// What throws malformed requests at the module.
pub const FUZZ: Program = Program {
    name: "trapline-fuzz",
    package: "harness-fuzz",
    folders: &[
        "engine/abi",
        "engine/dlang",
        "engine/dvm",
        "harness/fuzz",
        "harness/ioctl",
    ],
};

/// What runs instructions by themselves and probed.
pub const NATIVE: Program = Program {
    name: "trapline-native",
    package: "harness-native",
    folders: &[
        "engine/abi",
        "engine/dlang",
        "engine/dvm",
        "engine/isa",
        "harness/ioctl",
        "harness/native",
    ],
};

/// What counts events as perf does.
pub const PERF: Program = Program {
    name: "trapline-perf",
    package: "harness-perf",
    folders: &["harness/perf"],
};

/// What keeps a guest's kernel busy.
pub const STORM: Program = Program {
    name: "trapline-storm",
    package: "harness-storm",
    folders: &["harness/storm"],
};

/// Builds a program for a guest.
pub fn make(guest: &Guest, toolchain: &Toolchain, program: &Program) -> Result<PathBuf> {
    let dir = guest.dir();
    let file = dir.join(program.name);
    let mut inputs = toolchain.inputs("program", guest, program.folders)?;
    inputs.add(format!("{:?}", guest.build));
    inputs.add_file(&libc_of(guest)?)?;
    unless_current(
        &dir,
        program.name,
        inputs,
        std::slice::from_ref(&file),
        || {
            let step = Step::begin(format!("{}: {}", guest.name, program.name));
            let _lock = toolchain::lock()?;
            let built = compile(&step, &run::shell()?, guest, toolchain, program)?;
            files::write_with_mode(&file, &files::read(&built)?, 0o755)?;
            step.done();
            Ok(())
        },
    )?;
    Ok(file)
}

/// The C library that becomes a part of it.
fn libc_of(guest: &Guest) -> Result<PathBuf> {
    let (sh, cc) = (run::shell()?, &guest.build.cc);
    let path = run::read(cmd!(sh, "{cc} -print-file-name=libc.a"))?;
    Ok(path.trim().into())
}

fn compile(
    step: &Step,
    sh: &Shell,
    guest: &Guest,
    toolchain: &Toolchain,
    program: &Program,
) -> Result<PathBuf> {
    let target = &guest.build.program_target;
    let linker = format!(
        "CARGO_TARGET_{}_LINKER",
        target.to_uppercase().replace('-', "_")
    );
    let build_std = (!toolchain.brings_std(target)).then_some("-Zbuild-std=std,panic_abort");
    let cargo = toolchain
        .cargo(sh, "build", PROFILE, target, "-Ctarget-feature=+crt-static")
        .env(linker, &guest.build.cc)
        .args(["--package", program.package, "--bin", program.name])
        .args(build_std);
    run::quietly(step, cargo)?;
    Ok(toolchain::output(PROFILE, target, program.name))
}
