//! The A32 table: the instructions that kernel functions begin with.
//!
//! Functions that the kernel's own tracer can trace begin with three: a push
//! of several registers, a push of one, and a subtraction from the stack
//! pointer. The refusals between them are the forms of these that the manual
//! leaves open.

use super::emulate::{Emulation, lower_sp, push_list, push_one};
use super::relocate::{Relocation, same};
use crate::table::rows;

rows! {
    emulate = Emulation, relocate = Relocation, index = 20;

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

    // What neither reads nor writes the pc is the same wherever it stands.
    "cccc 0010 1000 1111 dddd iiii iiii iiii", "A8.8.12", "add rd, pc, #imm", refuse(Unported);
    "cccc 0010 1000 nnnn 1111 iiii iiii iiii", "A8.8.5", "add pc, rn, #imm", refuse(Unported);
    "cccc 0010 1000 nnnn dddd iiii iiii iiii", "A8.8.5", "add rd, rn, #imm", relocate(same(word));
    "cccc 0011 1010 0000 1111 iiii iiii iiii", "A8.8.102", "mov pc, #imm", refuse(Unported);
    "cccc 0011 1010 0000 dddd iiii iiii iiii", "A8.8.102", "mov rd, #imm", relocate(same(word));
    "cccc 0101 x001 1111 xxxx xxxx xxxx xxxx", "A8.8.64", "ldr rt, [pc, #imm]", refuse(Unported);
    "cccc 0101 x001 xxxx 1111 xxxx xxxx xxxx", "A8.8.63", "ldr pc, [rn, #imm]", refuse(Unported);
    "cccc 0101 u001 nnnn tttt iiii iiii iiii", "A8.8.63", "ldr rt, [rn, #imm]", relocate(same(word));

    "1110 0111 1111 xxxx xxxx xxxx 1111 xxxx", "A8.8.247", "udf", refuse(Undefined);

    otherwise
    "xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx", "A5.1", "any other", refuse(Unported);
}
