//! Forks and execs: a shell with subshells in a pipeline.

use std::process::Command;

use crate::Error;
use crate::options::Options;

/// Two subshells in a pipeline and one that exits; the exit status is passed up.
const TEXT: &str = "n=$(echo one two | (read a b; echo $b)); true; [ \"$n\" = two ] && (exit 3)";

pub fn round(_: &Options) -> Result<(), Error> {
    let status = Command::new("sh").args(["-c", TEXT]).status()?;
    if status.code() == Some(3) {
        return Ok(());
    }
    Err(Error::Wrong(format!(
        "a shell that should exit with 3: {status}"
    )))
}
