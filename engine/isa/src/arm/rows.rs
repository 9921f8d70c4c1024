//! The A32 table: the instructions that kernel functions begin with.
//!
//! Functions that the kernel's own tracer can trace begin with three: a push
//! of several registers, a push of one, and a subtraction from the stack
//! pointer. The refusals between them are the forms of these that the manual
//! leaves open.

use core::convert::Infallible;

use super::emulate::{Emulation, lower_sp, push_list, push_one};
use crate::table::rows;

rows! {
    emulate = Emulation, relocate = Infallible;

    // Where a condition would be, 1111 marks instructions that have none.
    "1111 xxxx xxxx xxxx xxxx xxxx xxxx xxxx", "A5.7", "unconditional", refuse(Unported);

    // STMDB sp! with any number of registers. The sp is stored as it was if it
    // is the lowest in the list, else as anything; the pc is stored as its
    // address plus 8 or plus 12.
    "cccc 1001 0010 1101 0000 0000 0000 0000", "A8.8.201", "push {}", refuse(Unpredictable);
    "cccc 1001 0010 1101 0l0l llll llll llll", "A8.8.133", "push {list}", emulate(push_list(c, l));
    "cccc 1001 0010 1101 0x10 0000 0000 0000", "A8.8.201", "push {sp, ...}", refuse(Unported);
    "cccc 1001 0010 1101 1xxx xxxx xxxx xxxx", "A8.8.133", "push {..., pc}", refuse(Implementation);
    "cccc 1001 0010 1101 xx1x xxxx xxxx xxxx", "A8.8.133", "push {..., sp, ...}", refuse(Unpredictable);

    // STR rt, [sp, #-4]!
    "cccc 0101 0010 1101 1101 0000 0000 0100", "A8.8.133", "push {sp}", refuse(Unpredictable);
    "cccc 0101 0010 1101 1111 0000 0000 0100", "A8.8.133", "push {pc}", refuse(Implementation);
    "cccc 0101 0010 1101 tttt 0000 0000 0100", "A8.8.133", "push {rt}", emulate(push_one(c, t));

    // Without setting the flags.
    "cccc 0010 0100 1101 1101 rrrr iiii iiii", "A8.8.225", "sub sp, sp, #imm", emulate(lower_sp(c, r, i));

    "1110 0111 1111 xxxx xxxx xxxx 1111 xxxx", "A8.8.247", "udf", refuse(Undefined);

    otherwise
    "xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx", "A5.1", "any other", refuse(Unported);
}
