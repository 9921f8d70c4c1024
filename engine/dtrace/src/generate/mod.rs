//! What belongs to an installed command, from the table of its options: its manual page, and what
//! completes its words in a shell.

pub mod complete;
mod man;
mod shells;

use crate::error::Error;
use crate::output::Output;

/// `--generate`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generated {
    /// `man`
    Man,
    /// `bash`
    Bash,
    /// `zsh`
    Zsh,
    /// `fish`
    Fish,
}

impl Generated {
    /// By its name on the command line.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "man" => Self::Man,
            "bash" => Self::Bash,
            "zsh" => Self::Zsh,
            "fish" => Self::Fish,
            _ => return None,
        })
    }
}

/// Prints it.
pub fn write(what: Generated) -> Result<u8, Error> {
    let text = match what {
        Generated::Man => man::page(),
        Generated::Bash => shells::bash(),
        Generated::Zsh => shells::zsh(),
        Generated::Fish => shells::fish(),
    };
    let mut output = Output::open(None)?;
    output.buffer().extend_from_slice(text.as_bytes());
    output.flush().map(|()| 0)
}
