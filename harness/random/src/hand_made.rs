//! What the programs made by hand do with the functions in `arch`.

use std::io;

use crate::arch::{self, Function};
use crate::pages;

/// A program.
pub type Program = fn() -> io::Result<u64>;

/// All of them. Their numbers continue those of the generated ones. The last two read a part of an
/// instruction, or overwrite one: with a probe there they meet the trap.
pub const HAND_MADE: [Program; 7] = [
    jump_into_prologues,
    fall_through,
    patch_own_instruction,
    write_own_page,
    jump_by_table,
    overlap,
    patch_own_constant,
];

/// How often each function is called.
const CALLS: u64 = 40;

/// Calls the functions with some arguments, and folds what they return.
fn fold(functions: &[Function]) -> u64 {
    let mut sum = 0x7261_6e64_6f6d;
    for call in 0..CALLS {
        for function in functions {
            sum = mix(
                sum,
                arch::call(*function, (sum >> 7) as usize, call as usize),
            );
        }
    }
    sum
}

/// Numbers are folded as 32 bits, since those all machines have.
fn mix(sum: u64, number: usize) -> u64 {
    sum.rotate_left(5)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(u64::from(number as u32))
}

/// One jumps to the second instruction of another.
fn jump_into_prologues() -> io::Result<u64> {
    Ok(fold(&arch::PROLOGUES))
}

/// Instructions inside of instructions, where a machine has that.
fn overlap() -> io::Result<u64> {
    Ok(fold(arch::OVERLAPS))
}

/// A function's last instruction is not a jump, and one lies in two pages.
fn fall_through() -> io::Result<u64> {
    Ok(fold(&[&arch::FALLING, arch::CROSSING].concat()))
}

/// A function of the program's text overwrites one of its instructions before it executes that.
fn patch_own_instruction() -> io::Result<u64> {
    patch(arch::PATCHED, arch::returning)
}

/// The same, but only the instruction's constant is overwritten.
fn patch_own_constant() -> io::Result<u64> {
    patch(arch::PATCHED_CONSTANT, arch::constant)
}

/// Calls a function, which is alone in its page, with what it shall overwrite.
fn patch(function: Function, word: fn(u8) -> usize) -> io::Result<u64> {
    pages::make_writable(arch::address(function))?;
    let mut sum = 0;
    for call in 0..CALLS {
        sum = mix(sum, arch::call(function, word(call as u8), 0));
    }
    Ok(sum)
}

/// Writes functions into a page of no file, one over the other, and calls each.
fn write_own_page() -> io::Result<u64> {
    let page = pages::anonymous(&arch::code_returning(0))?;
    let mut sum = 0;
    for call in 0..CALLS {
        sum = mix(
            sum,
            arch::call(arch::WRITER, page, arch::returning(call as u8)),
        );
    }
    Ok(sum)
}

/// Jumps by a table of distances, with data between the functions that it leads to.
fn jump_by_table() -> io::Result<u64> {
    Ok(fold(&arch::TABLES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_overwritten_is_what_is_executed() {
        let returned = (0..CALLS).fold(0, |sum, call| mix(sum, call as usize));
        assert_eq!(patch_own_instruction().unwrap(), returned);
        assert_eq!(patch_own_constant().unwrap(), returned);
        assert_eq!(write_own_page().unwrap(), returned);
    }

    #[test]
    fn functions_depend_on_their_arguments() {
        let functions = [
            &arch::PROLOGUES[..],
            arch::OVERLAPS,
            &arch::FALLING,
            arch::CROSSING,
            &arch::TABLES,
        ]
        .concat();
        for function in functions {
            let first = arch::call(function, 0, 0) as u32;
            assert!((1..40).any(|n| arch::call(function, n, 2 * n) as u32 != first));
        }
    }
}
