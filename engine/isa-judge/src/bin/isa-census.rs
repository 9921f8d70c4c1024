//! Counts a kernel's text: `isa-census VMLINUX`, an image with its debugging symbols.

use std::error::Error;
use std::process::ExitCode;

use engine_isa_judge::census::{self, SETS};
use engine_isa_judge::image::Image;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("which image?")?;
    let image = Image::read(&std::fs::read(path)?)?;
    let set = SETS
        .iter()
        .find(|set| set.architecture == image.architecture);
    let set = set.ok_or_else(|| format!("{:?} is not counted", image.architecture))?;
    print!("{}", census::count(&image, set));
    Ok(())
}
