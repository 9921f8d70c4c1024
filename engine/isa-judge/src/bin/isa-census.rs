//! Takes the census of a kernel's text: `isa-census VMLINUX`, an image with debugging symbols.
//! Exits with 1 if more is refused than the set's bounds allow, or a walk over its functions misses
//! anything.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use engine_isa_judge::census;
use engine_isa_judge::image::Image;
use engine_isa_judge::sets::SETS;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: isa-census VMLINUX");
        return ExitCode::from(2);
    };
    match count(Path::new(&path)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
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
