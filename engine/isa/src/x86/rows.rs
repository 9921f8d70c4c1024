//! The x86-64 table: the instructions that kernel functions begin with.
//!
//! Nearly all functions begin with the five bytes that the kernel's own tracer
//! owns, a no-op while it is off. Behind these, or without them, come pushes
//! and moves. Segments, other address sizes, LOCK and REP are prefixes that no
//! row has, and so are refused.

use core::convert::Infallible;

use super::emulate::{Emulation, lea, mov, movsx, movzx, nop, push};
use super::fields::Fields;
use super::table::{Row, rows};
use super::{Encoding, LONGEST};
use crate::{Plan, Why};

rows! {
    "[66] 90",               "NOP",           "nop",             emulate(nop());
    "[66 REX.W] 0F 1F /0",   "NOP",           "nop r/m",         emulate(nop());
    "F3 0F 1E FA",           "ENDBR64",       "endbr64",         emulate(nop());

    "50+r",                  "PUSH",          "push r64",        emulate(push(r64));
    "6A ib",                 "PUSH",          "push imm8",       emulate(push(imm64));
    "68 iz",                 "PUSH",          "push imm32",      emulate(push(imm64));

    "88 /r",                 "MOV",           "mov r/m8, r8",    emulate(mov(rm8, r8));
    "[66 REX.W] 89 /r",      "MOV",           "mov r/m, r",      emulate(mov(rm, r));
    "8A /r",                 "MOV",           "mov r8, r/m8",    emulate(mov(r8, rm8));
    "[66 REX.W] 8B /r",      "MOV",           "mov r, r/m",      emulate(mov(r, rm));
    "B0+r ib",               "MOV",           "mov r8, imm8",    emulate(mov(r8, imm8));
    "[66 REX.W] B8+r iv",    "MOV",           "mov r, imm",      emulate(mov(r, imm));
    "C6 /0 ib",              "MOV",           "mov r/m8, imm8",  emulate(mov(rm8, imm8));
    "[66 REX.W] C7 /0 iz",   "MOV",           "mov r/m, imm",    emulate(mov(rm, imm));

    "[66 REX.W] 0F B6 /r",   "MOVZX",         "movzx r, r/m8",   emulate(movzx(r, rm8));
    "[66 REX.W] 0F B7 /r",   "MOVZX",         "movzx r, r/m16",  emulate(movzx(r, rm16));
    "[66 REX.W] 0F BE /r",   "MOVSX/MOVSXD",  "movsx r, r/m8",   emulate(movsx(r, rm8));
    "[66 REX.W] 0F BF /r",   "MOVSX/MOVSXD",  "movsx r, r/m16",  emulate(movsx(r, rm16));
    // Without REX.W it extends nothing, and processors disagree on 66.
    "REX.W + 63 /r",         "MOVSX/MOVSXD",  "movsxd r64, r/m32", emulate(movsx(r, rm32));

    "[66 REX.W] 8D /r",      "LEA",           "lea r, m",        emulate(lea(r, rm));

    "CC",          "INT n/INTO/INT3/INT1",    "int3",            refuse(Undefined);
    "F1",          "INT n/INTO/INT3/INT1",    "int1",            refuse(Undefined);
    "0F 0B",                 "UD",            "ud2",             refuse(Undefined);
    "[66 REX.W] 0F B9 /r",   "UD",            "ud1",             refuse(Undefined);
    "[66 REX.W] 0F FF /r",   "UD",            "ud0",             refuse(Undefined);

    otherwise
    "Appendix A",            "any other",                        refuse(Unported);
}
