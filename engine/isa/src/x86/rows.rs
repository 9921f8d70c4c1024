//! The x86-64 table: the instructions that kernel functions begin with.
//!
//! Nearly all functions begin with the five bytes that the kernel's own tracer
//! owns, a no-op while it is off. Behind these, or without them, come pushes
//! and moves. Segments, other address sizes, LOCK and REP are prefixes that no
//! row has, and so are refused.

use super::emulate::{Emulation, lea, mov, movsx, movzx, nop, push};
use super::fields::Fields;
use super::relocate::Relocation;
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

    "00 /r", "ADD", "add r/m8, r8", relocate(same());
    "[66 REX.W] 01 /r", "ADD", "add r/m, r", relocate(same());
    "02 /r", "ADD", "add r8, r/m8", relocate(same());
    "[66 REX.W] 03 /r", "ADD", "add r, r/m", relocate(same());
    "80 /0 ib", "ADD", "add r/m8, imm8", relocate(same());
    "[66 REX.W] 81 /0 iz", "ADD", "add r/m, imm", relocate(same());
    "[66 REX.W] 83 /0 ib", "ADD", "add r/m, imm8", relocate(same());
    "08 /r", "OR", "or r/m8, r8", relocate(same());
    "[66 REX.W] 09 /r", "OR", "or r/m, r", relocate(same());
    "0A /r", "OR", "or r8, r/m8", relocate(same());
    "[66 REX.W] 0B /r", "OR", "or r, r/m", relocate(same());
    "80 /1 ib", "OR", "or r/m8, imm8", relocate(same());
    "[66 REX.W] 81 /1 iz", "OR", "or r/m, imm", relocate(same());
    "[66 REX.W] 83 /1 ib", "OR", "or r/m, imm8", relocate(same());
    "10 /r", "ADC", "adc r/m8, r8", relocate(same());
    "[66 REX.W] 11 /r", "ADC", "adc r/m, r", relocate(same());
    "12 /r", "ADC", "adc r8, r/m8", relocate(same());
    "[66 REX.W] 13 /r", "ADC", "adc r, r/m", relocate(same());
    "80 /2 ib", "ADC", "adc r/m8, imm8", relocate(same());
    "[66 REX.W] 81 /2 iz", "ADC", "adc r/m, imm", relocate(same());
    "[66 REX.W] 83 /2 ib", "ADC", "adc r/m, imm8", relocate(same());
    "18 /r", "SBB", "sbb r/m8, r8", relocate(same());
    "[66 REX.W] 19 /r", "SBB", "sbb r/m, r", relocate(same());
    "1A /r", "SBB", "sbb r8, r/m8", relocate(same());
    "[66 REX.W] 1B /r", "SBB", "sbb r, r/m", relocate(same());
    "80 /3 ib", "SBB", "sbb r/m8, imm8", relocate(same());
    "[66 REX.W] 81 /3 iz", "SBB", "sbb r/m, imm", relocate(same());
    "[66 REX.W] 83 /3 ib", "SBB", "sbb r/m, imm8", relocate(same());
    "20 /r", "AND", "and r/m8, r8", relocate(same());
    "[66 REX.W] 21 /r", "AND", "and r/m, r", relocate(same());
    "22 /r", "AND", "and r8, r/m8", relocate(same());
    "[66 REX.W] 23 /r", "AND", "and r, r/m", relocate(same());
    "80 /4 ib", "AND", "and r/m8, imm8", relocate(same());
    "[66 REX.W] 81 /4 iz", "AND", "and r/m, imm", relocate(same());
    "[66 REX.W] 83 /4 ib", "AND", "and r/m, imm8", relocate(same());
    "28 /r", "SUB", "sub r/m8, r8", relocate(same());
    "[66 REX.W] 29 /r", "SUB", "sub r/m, r", relocate(same());
    "2A /r", "SUB", "sub r8, r/m8", relocate(same());
    "[66 REX.W] 2B /r", "SUB", "sub r, r/m", relocate(same());
    "80 /5 ib", "SUB", "sub r/m8, imm8", relocate(same());
    "[66 REX.W] 81 /5 iz", "SUB", "sub r/m, imm", relocate(same());
    "[66 REX.W] 83 /5 ib", "SUB", "sub r/m, imm8", relocate(same());
    "30 /r", "XOR", "xor r/m8, r8", relocate(same());
    "[66 REX.W] 31 /r", "XOR", "xor r/m, r", relocate(same());
    "32 /r", "XOR", "xor r8, r/m8", relocate(same());
    "[66 REX.W] 33 /r", "XOR", "xor r, r/m", relocate(same());
    "80 /6 ib", "XOR", "xor r/m8, imm8", relocate(same());
    "[66 REX.W] 81 /6 iz", "XOR", "xor r/m, imm", relocate(same());
    "[66 REX.W] 83 /6 ib", "XOR", "xor r/m, imm8", relocate(same());
    "38 /r", "CMP", "cmp r/m8, r8", relocate(same());
    "[66 REX.W] 39 /r", "CMP", "cmp r/m, r", relocate(same());
    "3A /r", "CMP", "cmp r8, r/m8", relocate(same());
    "[66 REX.W] 3B /r", "CMP", "cmp r, r/m", relocate(same());
    "80 /7 ib", "CMP", "cmp r/m8, imm8", relocate(same());
    "[66 REX.W] 81 /7 iz", "CMP", "cmp r/m, imm", relocate(same());
    "[66 REX.W] 83 /7 ib", "CMP", "cmp r/m, imm8", relocate(same());
    "84 /r", "TEST", "test r/m8, r8", relocate(same());
    "[66 REX.W] 85 /r", "TEST", "test r/m, r", relocate(same());

    "CC",          "INT n/INTO/INT3/INT1",    "int3",            refuse(Undefined);
    "F1",          "INT n/INTO/INT3/INT1",    "int1",            refuse(Undefined);
    "0F 0B",                 "UD",            "ud2",             refuse(Undefined);
    "[66 REX.W] 0F B9 /r",   "UD",            "ud1",             refuse(Undefined);
    "[66 REX.W] 0F FF /r",   "UD",            "ud0",             refuse(Undefined);

    otherwise
    "Appendix A",            "any other",                        refuse(Unported);
}
