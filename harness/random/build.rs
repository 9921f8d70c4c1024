//! Generates the random programs, and compiles them at each level of optimization.

use std::path::PathBuf;
use std::{env, fs, io};

#[path = "src/generate/mod.rs"]
mod generate;

use generate::{LEVELS, SOURCES};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/generate");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    // Before the libraries that it refers to: a linker may look at each once, in this order.
    let file = out.join("table.c");
    fs::write(&file, generate::table())?;
    compiler("0").file(&file).compile("random_table");
    for (level, name) in LEVELS.iter().enumerate() {
        let file = out.join(format!("level_{name}.c"));
        let programs = (0..SOURCES).map(|source| source * LEVELS.len() + level);
        fs::write(&file, generate::unit(programs))?;
        compiler(name)
            .file(&file)
            .compile(&format!("random_{name}"));
    }
    Ok(())
}

/// The same dialect at each level: multiplications and additions are not contracted, since whether
/// that happens depends on the level.
fn compiler(level: &str) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .opt_level_str(level)
        .debug(false)
        .force_frame_pointer(false)
        .pic(false)
        .flag("-fPIE")
        .flag("-ffp-contract=off")
        .warnings(false);
    build
}
