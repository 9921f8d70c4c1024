//! Processes that begin and end: with a program of their own, and as copies of a shell.

use std::process::Command;

use crate::Error;
use crate::options::Options;

/// A shell, two copies of it in a pipeline, and a program; what each ends with is handed on.
const TEXT: &str = "n=$(echo one two | (read a b; echo $b)); true; [ \"$n\" = two ] && (exit 3)";

pub fn round(_: &Options) -> Result<(), Error> {
    let status = Command::new("sh").args(["-c", TEXT]).status()?;
    if status.code() == Some(3) {
        return Ok(());
    }
    Err(Error::Wrong(format!(
        "a shell that was to end with 3: {status}"
    )))
}
