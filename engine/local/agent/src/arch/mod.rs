//! The architecture. Each of these has a file for each:
//!
//! - [`frame`]: the instruction set, its registers, and where the kernel's frames have them;
//! - [`windows`]: how a jump takes the place of a trap, if one can;
//! - [`recorder`]: records paths;
//! - [`plain`]: which code leaves alone what is not saved;
//! - [`entry`]: where control comes from outside, in assembly.

pub mod entry;
pub mod frame;
pub mod plain;
pub mod recorder;
pub mod windows;
