//! The A64 table: the instructions that kernel functions begin with.
//!
//! Nearly all of them begin with the `mov x9, x30` or the `nop` of the kernel's
//! own tracer, with `paciasp` or `bti`; what is left are moves and loads. None
//! of these writes the stack pointer.

use super::emulate::{
    Emulation, bti, ldp, ldr, ldrs, ldrsw, ldur, ldurs, ldursw, mov, mov_from_sp, movk, movn, movz,
    nop, paciasp,
};
use super::relocate::{Relocation, same};
use crate::table::rows;

rows! {
    emulate = Emulation, relocate = Relocation,
    index = 23, "1xxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx";

    // Whatever writes the stack pointer, as its target or as a base that is
    // written back, in the base instructions and those for floating point,
    // vectors, pointer authentication and memory tags; later extensions are left
    // to the last row. Where one of these takes in what is not allocated, that
    // is refused too, if not for the right reason.
    "xx11 1x00 xx0x xxxx xxxx x111 111x xxxx", "C1.3.3", "[sp], #imm", refuse(Stack);
    "xx10 1x0x 1xxx xxxx xxxx xx11 111x xxxx", "C1.3.3", "pair [sp], #imm", refuse(Stack);
    "0x00 110x 1xxx xxxx xxxx xx11 111x xxxx", "C1.3.3", "structures [sp], #imm", refuse(Stack);
    "1101 1001 xx1x xxxx xxxx x111 111x xxxx", "C1.3.3", "tag [sp], #imm", refuse(Stack);
    "1111 1000 xx1x xxxx xxxx 1111 111x xxxx", "C6.2.218", "ldraa [sp, #imm]!", refuse(Stack);
    "x001 0001 0xxx xxxx xxxx xxxx xxx1 1111", "C6.2.5", "add sp, rn, #imm", relocate(same(word));
    "x101 0001 0xxx xxxx xxxx xxxx xxx1 1111", "C6.2.456", "sub sp, rn, #imm", relocate(same(word));
    "x000 1011 001x xxxx xxxx xxxx xxx1 1111", "C6.2.4", "add sp, rn, rm", refuse(Stack);
    "x100 1011 001x xxxx xxxx xxxx xxx1 1111", "C6.2.455", "sub sp, rn, rm", refuse(Stack);
    "x001 0010 0xxx xxxx xxxx xxxx xxx1 1111", "C6.2.14", "and sp, rn, #imm", refuse(Stack);
    "x011 0010 0xxx xxxx xxxx xxxx xxx1 1111", "C6.2.300", "orr sp, rn, #imm", refuse(Stack);
    "x101 0010 0xxx xxxx xxxx xxxx xxx1 1111", "C6.2.155", "eor sp, rn, #imm", refuse(Stack);
    "1001 0001 10xx xxxx xxxx xxxx xxx1 1111", "C6.2.7", "addg sp, xn, #imm", refuse(Stack);
    "1101 0001 10xx xxxx xxxx xxxx xxx1 1111", "C6.2.458", "subg sp, xn, #imm", refuse(Stack);
    "1001 1010 110x xxxx 0001 00xx xxx1 1111", "C6.2.176", "irg sp, xn", refuse(Stack);

    "1101 0101 0000 0011 0010 0000 0001 1111", "C6.2.298", "nop", emulate(nop());
    "1101 0101 0000 0011 0010 0011 0011 1111", "C6.2.305", "paciasp", emulate(paciasp());
    "1101 0101 0000 0011 0010 0100 tt01 1111", "C6.2.50", "bti", emulate(bti(t));

    // ORR with the register that is none, ADD of nothing to the stack pointer.
    "s010 1010 000m mmmm 0000 0011 111d dddd", "C6.2.301", "mov rd, rm", emulate(mov(s, m, d));
    "s001 0001 0000 0000 0000 0011 111d dddd", "C6.2.5", "mov rd, sp", emulate(mov_from_sp(s, d));

    // A 32-bit register has no bits above 31 to move to.
    "0001 0010 11xx xxxx xxxx xxxx xxxx xxxx", "C6.2.283", "movn wd, above", refuse(Undefined);
    "0101 0010 11xx xxxx xxxx xxxx xxxx xxxx", "C6.2.284", "movz wd, above", refuse(Undefined);
    "0111 0010 11xx xxxx xxxx xxxx xxxx xxxx", "C6.2.282", "movk wd, above", refuse(Undefined);
    "s001 0010 1hhi iiii iiii iiii iiid dddd", "C6.2.283", "movn", emulate(movn(s, h, i, d));
    "s101 0010 1hhi iiii iiii iiii iiid dddd", "C6.2.284", "movz", emulate(movz(s, h, i, d));
    "s111 0010 1hhi iiii iiii iiii iiid dddd", "C6.2.282", "movk", emulate(movk(s, h, i, d));

    // The offset in units of what is loaded, and in bytes.
    "bb11 1001 01ii iiii iiii iinn nnnt tttt", "C3.2.1", "ldr", emulate(ldr(b, i, n, t));
    "0b11 1001 1wii iiii iiii iinn nnnt tttt", "C3.2.1", "ldrsb, ldrsh", emulate(ldrs(b, w, i, n, t));
    "1011 1001 10ii iiii iiii iinn nnnt tttt", "C6.2.227", "ldrsw", emulate(ldrsw(i, n, t));
    "bb11 1000 010i iiii iiii 00nn nnnt tttt", "C3.2.2", "ldur", emulate(ldur(b, i, n, t));
    "0b11 1000 1w0i iiii iiii 00nn nnnt tttt", "C3.2.2", "ldursb, ldursh", emulate(ldurs(b, w, i, n, t));
    "1011 1000 100i iiii iiii 00nn nnnt tttt", "C6.2.263", "ldursw", emulate(ldursw(i, n, t));

    // Not both into the same register.
    "s010 1001 01ii iiii iuuu uunn nnnt tttt", "C6.2.213", "ldp", decide(ldp(s, i, u, n, t));

    "0000 0000 0000 0000 xxxx xxxx xxxx xxxx", "C6.2.488", "udf", refuse(Undefined);
    "1101 0100 001x xxxx xxxx xxxx xxx0 0000", "C6.2.49", "brk", refuse(Undefined);
    "1101 0100 010x xxxx xxxx xxxx xxx0 0000", "C6.2.173", "hlt", refuse(Undefined);

    otherwise
    "xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx", "C4.1", "any other", refuse(Unported);
}
