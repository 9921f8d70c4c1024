//! The functions: the generated ones, and those that no compiler makes, in assembly. Each of these
//! has a symbol with a size, so that it can be probed.
#![expect(unsafe_code, reason = "the functions are not of Rust")]

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
pub use arm64::{CROSSING, OVERLAPS, code_returning, constant, returning};

#[cfg(target_arch = "arm")]
mod arm;
#[cfg(target_arch = "arm")]
pub use arm::{CROSSING, OVERLAPS, code_returning, constant, returning};

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::{CROSSING, OVERLAPS, code_returning, constant, returning};

/// A function in assembly.
pub type Function = unsafe extern "C" fn(usize, usize) -> usize;

/// How many programs are generated.
const GENERATED: usize = 100;

unsafe extern "C" {
    /// The first functions of the generated programs.
    safe static trapline_programs: [extern "C" fn() -> u64; GENERATED];

    fn random_hand_prologue(x: usize, y: usize) -> usize;
    /// Jumps into the one before, and into itself.
    fn random_hand_behind(x: usize, y: usize) -> usize;
    /// Goes on as the one after it.
    fn random_hand_falling(x: usize, y: usize) -> usize;
    fn random_hand_landing(x: usize, y: usize) -> usize;
    /// Overwrites an instruction of its own by its argument, and executes it.
    fn random_hand_patched(code: usize, unused: usize) -> usize;
    /// Overwrites the constant in an instruction of its own, and executes it.
    fn random_hand_constant(code: usize, unused: usize) -> usize;
    /// Writes its second argument to the address, and calls what is there.
    fn random_hand_writer(at: usize, code: usize) -> usize;
    /// Jumps by a table.
    fn random_hand_table(x: usize, y: usize) -> usize;
}

/// See [`random_hand_behind`].
pub const PROLOGUES: [Function; 2] = [random_hand_prologue, random_hand_behind];
/// See [`random_hand_falling`].
pub const FALLING: [Function; 2] = [random_hand_falling, random_hand_landing];
/// See [`random_hand_patched`].
pub const PATCHED: Function = random_hand_patched;
/// See [`random_hand_constant`].
pub const PATCHED_CONSTANT: Function = random_hand_constant;
/// See [`random_hand_writer`].
pub const WRITER: Function = random_hand_writer;
/// See [`random_hand_table`].
pub const TABLES: [Function; 1] = [random_hand_table];

/// The generated programs.
pub fn generated() -> &'static [extern "C" fn() -> u64] {
    &trapline_programs
}

/// Calls a function.
pub fn call(function: Function, x: usize, y: usize) -> usize {
    // SAFETY: they take any numbers, but for those that write code, to which only `hand_made` passes
    // any, and an address where it may be.
    unsafe { function(x, y) }
}

/// Where a function is.
pub fn address(function: Function) -> usize {
    function as *const () as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{LEVELS, SOURCES};

    #[test]
    fn as_many_are_linked_as_are_generated() {
        assert_eq!(GENERATED, SOURCES * LEVELS.len());
    }
}
