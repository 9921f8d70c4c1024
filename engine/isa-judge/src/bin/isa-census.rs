//! Takes the census of a kernel's text: `isa-census VMLINUX`, an image with debugging symbols. Exits
//! with 1 if more is refused than the set's bounds allow, or a walk over its functions misses
//! anything.
//!
//! `isa-census PROGRAM SYMBOLS` takes that of a program's Thumb code, by the mapping symbols in the
//! file with its debugging information.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use engine_isa_judge::census;
use engine_isa_judge::image::Image;
use engine_isa_judge::sets::SETS;
use engine_isa_judge::t32;

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let counted = match &paths[..] {
        [kernel] => count(Path::new(kernel)),
        [program, symbols] => count_thumb(Path::new(program), Path::new(symbols)),
        _ => {
            eprintln!("usage: isa-census VMLINUX | PROGRAM SYMBOLS");
            return ExitCode::from(2);
        }
    };
    match counted {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The same for a program's Thumb code.
fn count_thumb(program: &Path, symbols: &Path) -> Result<bool, Box<dyn Error>> {
    let (program, symbols) = (std::fs::read(program)?, std::fs::read(symbols)?);
    let census = t32::census::count(&program, &symbols)?;
    let mut out = std::io::stdout().lock();
    write!(out, "{census}")?;
    let bodies = t32::walked::walk(&Image::of_thumb(&program, &symbols)?);
    write!(out, "{bodies}")?;
    Ok(census.is_within_bounds() && bodies.are_right())
}

/// Prints the census; returns whether it is within the bounds.
fn count(path: &Path) -> Result<bool, Box<dyn Error>> {
    let image = Image::read(&std::fs::read(path)?)?;
    let set = SETS
        .iter()
        .find(|(set, _)| set.architecture == image.architecture);
    let (set, walk) = set.ok_or_else(|| format!("{:?} is not counted", image.architecture))?;
    let census = census::count(&image, set);
    let mut out = std::io::stdout().lock();
    write!(out, "{census}")?;
    let bodies = walk(&image, set);
    write!(out, "{bodies}")?;
    let beyond = census.beyond(set.bounds);
    for line in &beyond {
        writeln!(out, "BEYOND THE BOUNDS of {}: {line}", set.name)?;
    }
    Ok(beyond.is_empty() && bodies.are_right())
}
