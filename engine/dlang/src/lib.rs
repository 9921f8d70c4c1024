//! The D compiler: from the text of programs to a block that the kernel runs, and to what the command
//! needs to know of it to print what comes back.

#![forbid(unsafe_code)]

pub mod format;
pub mod program;
