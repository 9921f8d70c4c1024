//! Our programs for a guest. They are static, since a guest has only the libraries that its
//! packaged programs need.

use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::error::Result;
use crate::files;
use crate::guest::Guest;
use crate::image::stamp::unless_current;
use crate::progress::Step;
use crate::run;
use crate::toolchain::{self, Toolchain};

/// The profile in the workspace's Cargo.toml.
const PROFILE: &str = "program";

/// A program.
struct Program {
    /// File name of the binary.
    name: &'static str,
    /// Its package.
    package: &'static str,
    /// Path inside a guest.
    place: &'static str,
}

/// Every program.
const PROGRAMS: [Program; 10] = [
    // The dtrace command.
    Program {
        name: "dtrace",
        package: "engine-dtrace",
        place: "/usr/sbin/dtrace",
    },
    // Runs programs in a guest for the harness.
    Program {
        name: "trapline-agent",
        package: "harness-agent",
        place: "/sbin/trapline-agent",
    },
    // Makes every system call.
    Program {
        name: "trapline-calls",
        package: "harness-calls",
        place: "/sbin/trapline-calls",
    },
    // Calls functions that leave in unusual ways.
    Program {
        name: "trapline-frames",
        package: "harness-frames",
        place: "/sbin/trapline-frames",
    },
    // Sends malformed requests to the device.
    Program {
        name: "trapline-fuzz",
        package: "harness-fuzz",
        place: "/sbin/trapline-fuzz",
    },
    // Fires USDT probes.
    Program {
        name: "trapline-markers",
        package: "harness-markers",
        place: "/sbin/trapline-markers",
    },
    // Runs instructions natively and probed, and compares.
    Program {
        name: "trapline-native",
        package: "harness-native",
        place: "/sbin/trapline-native",
    },
    // Counts events as perf does.
    Program {
        name: "trapline-perf",
        package: "harness-perf",
        place: "/sbin/trapline-perf",
    },
    // Runs random programs.
    Program {
        name: "trapline-random",
        package: "harness-random",
        place: "/sbin/trapline-random",
    },
    // Loads a guest's kernel.
    Program {
        name: "trapline-storm",
        package: "harness-storm",
        place: "/sbin/trapline-storm",
    },
];

/// Those that are also built with shorter words, where the kernel runs such.
const COMPAT: [Program; 3] = [
    Program {
        name: "trapline-frames",
        package: "harness-frames",
        place: "/sbin/trapline-frames-32",
    },
    Program {
        name: "trapline-native",
        package: "harness-native",
        place: "/sbin/trapline-native-32",
    },
    Program {
        name: "trapline-random",
        package: "harness-random",
        place: "/sbin/trapline-random-32",
    },
];

/// Programs that are built together.
struct Set<'a> {
    programs: &'static [Program],
    /// The Rust target, and the C compiler, which also links.
    target: &'a str,
    cc: &'a str,
}

impl Set<'_> {
    /// Where each of them is kept.
    fn files(&self, guest: &Guest) -> impl Iterator<Item = (&'static Program, PathBuf)> {
        let dir = guest.dir();
        let name = |program: &'static Program| program.place.rsplit('/').next();
        let programs = self.programs.iter();
        programs.map(move |program| (program, dir.join(name(program).unwrap_or_default())))
    }
}

/// The sets of a guest.
fn sets(guest: &Guest) -> Vec<Set<'_>> {
    let own = Set {
        programs: &PROGRAMS,
        target: &guest.build.program_target,
        cc: &guest.build.cc,
    };
    let compat = guest.build.compat.as_ref().map(|compat| Set {
        programs: &COMPAT,
        target: &compat.target,
        cc: &compat.cc,
    });
    [own].into_iter().chain(compat).collect()
}

/// The folders of all their sources.
const FOLDERS: [&str; 11] = [
    "engine",
    "harness/agent",
    "harness/calls",
    "harness/frames",
    "harness/fuzz",
    "harness/ioctl",
    "harness/markers",
    "harness/native",
    "harness/perf",
    "harness/random",
    "harness/storm",
];

/// Builds each set with one call of cargo, so that the standard library and shared crates are
/// compiled once. Returns each path inside the guest with the file to put there.
pub fn make_all(guest: &Guest, toolchain: &Toolchain) -> Result<Vec<(&'static str, PathBuf)>> {
    let sets = sets(guest);
    let files = sets.iter().flat_map(|set| set.files(guest));
    let files: Vec<_> = files.map(|(program, file)| (program.place, file)).collect();
    let outputs: Vec<_> = files.iter().map(|(_, file)| file.clone()).collect();
    let mut inputs = toolchain.inputs("image::program", guest, &FOLDERS)?;
    inputs.add(format!("{:?}", guest.build));
    for set in &sets {
        inputs.add_file(&libc_of(set)?)?;
    }
    unless_current(&guest.dir(), "programs", inputs, &outputs, || {
        let step = Step::begin(format!("{}: programs of ours", guest.name));
        let _lock = toolchain::lock(PROFILE)?;
        for set in &sets {
            compile(&step, &run::shell()?, set, toolchain)?;
            for (program, file) in set.files(guest) {
                let built = toolchain::output(PROFILE, set.target, program.name);
                files::write_with_mode(&file, &files::read(&built)?, 0o755)?;
            }
        }
        step.done();
        Ok(())
    })?;
    Ok(files)
}

/// The C library that is linked in.
fn libc_of(set: &Set<'_>) -> Result<PathBuf> {
    let (sh, cc) = (run::shell()?, set.cc);
    let path = run::read(cmd!(sh, "{cc} -print-file-name=libc.a"))?;
    Ok(path.trim().into())
}

fn compile(step: &Step, sh: &Shell, set: &Set<'_>, toolchain: &Toolchain) -> Result<()> {
    let target = set.target;
    let linker = format!(
        "CARGO_TARGET_{}_LINKER",
        target.to_uppercase().replace('-', "_")
    );
    let build_std = (!toolchain.has_std(target)).then_some("-Zbuild-std=std,panic_abort");
    let each = |program: &Program| ["--package", program.package, "--bin", program.name];
    let cargo = toolchain
        .cargo(sh, "build", PROFILE, target, "-Ctarget-feature=+crt-static")
        .env(linker, set.cc)
        .env(format!("CC_{}", target.replace('-', "_")), set.cc)
        .args(set.programs.iter().flat_map(each))
        .args(build_std);
    run::quietly(step, cargo)
}
