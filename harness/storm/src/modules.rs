//! Loads, uses and unloads a module.

use std::fs::{self, File};

use rustix::system::{delete_module, finit_module};

use crate::Error;
use crate::options::Options;

/// The module's control file.
const CONTROL: &str = "/proc/trapline-shapes";

pub fn round(options: &Options) -> Result<(), Error> {
    let Some(module) = &options.module else {
        return Ok(());
    };
    let file = File::open(module)?;
    finit_module(&file, c"", 0)?;
    let used = used();
    delete_module(c"trapline_shapes", 0)?;
    used
}

fn used() -> Result<(), Error> {
    fs::write(CONTROL, "tail 20 10")?;
    let said = fs::read_to_string(CONTROL)?;
    if said == "43\n" {
        return Ok(());
    }
    Err(Error::Wrong(format!("twice 21, and 1, are {said}")))
}
