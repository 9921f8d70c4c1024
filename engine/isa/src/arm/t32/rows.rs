//! The table of Thumb: every possible word. An instruction of 16 bits is the upper half of a word,
//! and so is the first half of one of 32 bits.
//!
//! An instruction that neither reads nor writes the pc is position-independent and is relocated.
//! One that does is emulated, and so are most instructions that functions begin with. Refused are
//! the forms that the manual leaves undefined or UNPREDICTABLE, and what a trap would break. Within
//! a family the rows for such forms come first, and the row for the remainder last. What IT blocks
//! forbid is not in the rows.

use super::decide::{
    add_to_sp, address, all_lanes, apart, banked, bit_field, block, clear_field, compare, cps,
    cps_short, dual, dual_literal, exclusive_load, exclusive_load_dual, exclusive_store,
    extension_list, field, fixed_point, four, four_apart, general_back, literal, load_list,
    load_word_register, mov, msr, multiply, not_pc, one, one_lane, push, push_one, status,
    store_dual, store_list, store_list_short, store_word_register, structures, table, table_lookup,
    three, twice, two, two_singles, two_singles_apart, word_back,
};
use super::emulate::{
    add_pc, add_to_pc, adr_short, b, b_if, b_if_short, b_short, bl, blx, blx_register, bx, cbz,
    copy_of_pc, copy_to_pc, hint, ldr_literal, ldr_literal_short, load_pc, load_pc_literal,
    lower_sp, lower_sp_plain, lower_sp_short, nop, pop_pc, push_short,
};
use super::relocate::{same, same_short};
use crate::arm::action::Emulation;
use crate::arm::relocation::Relocation;
use crate::table::rows;

rows! {
    emulate = Emulation, relocate = Relocation,
    index = 20, "1111 xxxx xxxx xxxx xxxx xxxx xxxx xxxx";

    // Shifts by a constant, addition, subtraction, moves and comparisons (A6.2.1). Outside of an IT
    // block they set the flags, and in one they do not.
    "0000 0000 00mm mddd", "A8.8.103", "movs rd, rm", relocate(same_short(word));
    "0000 0iii iimm mddd", "A8.8.94", "lsl rd, rm, #imm", relocate(same_short(word));
    "0000 1iii iimm mddd", "A8.8.96", "lsr rd, rm, #imm", relocate(same_short(word));
    "0001 0iii iimm mddd", "A8.8.16", "asr rd, rm, #imm", relocate(same_short(word));
    "0001 100m mmnn nddd", "A8.8.6", "add rd, rn, rm", relocate(same_short(word));
    "0001 101m mmnn nddd", "A8.8.223", "sub rd, rn, rm", relocate(same_short(word));
    "0001 110i iinn nddd", "A8.8.4", "add rd, rn, #imm", relocate(same_short(word));
    "0001 111i iinn nddd", "A8.8.221", "sub rd, rn, #imm", relocate(same_short(word));
    "0010 0ddd iiii iiii", "A8.8.102", "mov rd, #imm", relocate(same_short(word));
    "0010 1nnn iiii iiii", "A8.8.37", "cmp rn, #imm", relocate(same_short(word));
    "0011 0ddd iiii iiii", "A8.8.4", "add rd, #imm", relocate(same_short(word));
    "0011 1ddd iiii iiii", "A8.8.221", "sub rd, #imm", relocate(same_short(word));

    // Data processing (A6.2.2).
    "0100 0000 00mm mddd", "A8.8.14", "and rd, rm", relocate(same_short(word));
    "0100 0000 01mm mddd", "A8.8.47", "eor rd, rm", relocate(same_short(word));
    "0100 0000 10mm mddd", "A8.8.95", "lsl rd, rm", relocate(same_short(word));
    "0100 0000 11mm mddd", "A8.8.97", "lsr rd, rm", relocate(same_short(word));
    "0100 0001 00mm mddd", "A8.8.17", "asr rd, rm", relocate(same_short(word));
    "0100 0001 01mm mddd", "A8.8.2", "adc rd, rm", relocate(same_short(word));
    "0100 0001 10mm mddd", "A8.8.162", "sbc rd, rm", relocate(same_short(word));
    "0100 0001 11mm mddd", "A8.8.150", "ror rd, rm", relocate(same_short(word));
    "0100 0010 00mm mnnn", "A8.8.241", "tst rn, rm", relocate(same_short(word));
    "0100 0010 01nn nddd", "A8.8.152", "rsb rd, rn, #0", relocate(same_short(word));
    "0100 0010 10mm mnnn", "A8.8.38", "cmp rn, rm", relocate(same_short(word));
    "0100 0010 11mm mnnn", "A8.8.35", "cmn rn, rm", relocate(same_short(word));
    "0100 0011 00mm mddd", "A8.8.123", "orr rd, rm", relocate(same_short(word));
    "0100 0011 01nn nddd", "A8.8.114", "mul rd, rn", relocate(same_short(word));
    "0100 0011 10mm mddd", "A8.8.22", "bic rd, rm", relocate(same_short(word));
    "0100 0011 11mm mddd", "A8.8.116", "mvn rd, rm", relocate(same_short(word));

    // Special data instructions, and branches to registers' values (A6.2.3).
    "0100 0100 1111 1111", "A8.8.6", "add pc, pc", refuse(Unpredictable);
    "0100 0100 1mmm m111", "A8.8.6", "add pc, rm", emulate(add_to_pc(m));
    "0100 0100 d111 1ddd", "A8.8.6", "add rd, pc", emulate(add_pc(d));
    "0100 0100 dmmm mddd", "A8.8.6", "add rd, rm, high", relocate(same_short(word));
    "0100 0101 00xx xxxx", "A8.8.38", "cmp, both low", refuse(Unpredictable);
    "0100 0101 x111 1xxx", "A8.8.38", "cmp rn, pc", refuse(Unpredictable);
    "0100 0101 1xxx x111", "A8.8.38", "cmp pc, rm", refuse(Unpredictable);
    "0100 0101 nmmm mnnn", "A8.8.38", "cmp rn, rm, high", relocate(same_short(word));
    "0100 0110 1mmm m111", "A8.8.103", "mov pc, rm", emulate(copy_to_pc(m));
    "0100 0110 d111 1ddd", "A8.8.103", "mov rd, pc", emulate(copy_of_pc(d));
    "0100 0110 dmmm mddd", "A8.8.103", "mov rd, rm", relocate(same_short(word));
    "0100 0111 0mmm m000", "A8.8.27", "bx", emulate(bx(m));
    "0100 0111 0xxx xxxx", "A8.8.27", "bx, otherwise", refuse(Unpredictable);
    "0100 0111 1111 1xxx", "A8.8.26", "blx pc", refuse(Unpredictable);
    "0100 0111 1mmm m000", "A8.8.26", "blx rm", emulate(blx_register(m));
    "0100 0111 1xxx xxxx", "A8.8.26", "blx rm, otherwise", refuse(Unpredictable);

    // Loads and stores (A6.2.4).
    "0100 1ttt iiii iiii", "A8.8.64", "ldr rt, [pc, #imm]", emulate(ldr_literal_short(t, i));
    "0101 000m mmnn nttt", "A8.8.205", "str rt, [rn, rm]", relocate(same_short(word));
    "0101 001m mmnn nttt", "A8.8.218", "strh rt, [rn, rm]", relocate(same_short(word));
    "0101 010m mmnn nttt", "A8.8.208", "strb rt, [rn, rm]", relocate(same_short(word));
    "0101 011m mmnn nttt", "A8.8.86", "ldrsb rt, [rn, rm]", relocate(same_short(word));
    "0101 100m mmnn nttt", "A8.8.65", "ldr rt, [rn, rm]", relocate(same_short(word));
    "0101 101m mmnn nttt", "A8.8.82", "ldrh rt, [rn, rm]", relocate(same_short(word));
    "0101 110m mmnn nttt", "A8.8.70", "ldrb rt, [rn, rm]", relocate(same_short(word));
    "0101 111m mmnn nttt", "A8.8.90", "ldrsh rt, [rn, rm]", relocate(same_short(word));
    "0110 0iii iinn nttt", "A8.8.203", "str rt, [rn, #imm]", relocate(same_short(word));
    "0110 1iii iinn nttt", "A8.8.62", "ldr rt, [rn, #imm]", relocate(same_short(word));
    "0111 0iii iinn nttt", "A8.8.206", "strb rt, [rn, #imm]", relocate(same_short(word));
    "0111 1iii iinn nttt", "A8.8.67", "ldrb rt, [rn, #imm]", relocate(same_short(word));
    "1000 0iii iinn nttt", "A8.8.216", "strh rt, [rn, #imm]", relocate(same_short(word));
    "1000 1iii iinn nttt", "A8.8.79", "ldrh rt, [rn, #imm]", relocate(same_short(word));
    "1001 0ttt iiii iiii", "A8.8.203", "str rt, [sp, #imm]", relocate(same_short(word));
    "1001 1ttt iiii iiii", "A8.8.62", "ldr rt, [sp, #imm]", relocate(same_short(word));
    "1010 0ddd iiii iiii", "A8.8.12", "adr rd", emulate(adr_short(d, i));
    "1010 1ddd iiii iiii", "A8.8.9", "add rd, sp, #imm", relocate(same_short(word));

    // Miscellaneous (A6.2.5).
    "1011 0000 0iii iiii", "A8.8.9", "add sp, #imm", relocate(same_short(word));
    "1011 0000 1iii iiii", "A8.8.225", "sub sp, #imm", emulate(lower_sp_short(i));
    "1011 o0i1 iiii innn", "A8.8.29", "cbz, cbnz", emulate(cbz(o, i, n));
    "1011 0010 00mm mddd", "A8.8.235", "sxth rd, rm", relocate(same_short(word));
    "1011 0010 01mm mddd", "A8.8.233", "sxtb rd, rm", relocate(same_short(word));
    "1011 0010 10mm mddd", "A8.8.276", "uxth rd, rm", relocate(same_short(word));
    "1011 0010 11mm mddd", "A8.8.274", "uxtb rd, rm", relocate(same_short(word));
    "1011 0100 0000 0000", "A8.8.133", "push {}", refuse(Unpredictable);
    "1011 010m llll llll", "A8.8.133", "push {list}", emulate(push_short(m, l));
    "1011 0110 0101 x000", "A8.8.167", "setend", refuse(Endian);
    "1011 0110 010x xxxx", "A8.8.167", "setend, otherwise", refuse(Unpredictable);
    "1011 0110 011x 1xxx", "B9.3.2", "cps, otherwise", refuse(Unpredictable);
    "1011 0110 011d 0aaa", "B9.3.2", "cpsie, cpsid", decide(cps_short(word, a));
    "1011 1010 00mm mddd", "A8.8.145", "rev rd, rm", relocate(same_short(word));
    "1011 1010 01mm mddd", "A8.8.146", "rev16 rd, rm", relocate(same_short(word));
    "1011 1010 11mm mddd", "A8.8.147", "revsh rd, rm", relocate(same_short(word));
    "1011 1100 0000 0000", "A8.8.131", "pop {}", refuse(Unpredictable);
    "1011 1100 llll llll", "A8.8.131", "pop {list}", relocate(same_short(word));
    "1011 1101 llll llll", "A8.8.131", "pop {..., pc}", emulate(pop_pc(l));
    "1011 1110 iiii iiii", "A8.8.24", "bkpt", refuse(Trap);
    "1011 1111 0000 0000", "A8.8.119", "nop", emulate(nop());
    "1011 1111 hhhh 0000", "A6.2.5", "yield, wfe, wfi, sev", relocate(same_short(word));
    "1011 1111 ffff mmmm", "A8.8.54", "it", decide(block(f, m));

    // Several registers, branches (A6.2.6, A6.2.7).
    "1100 xxxx 0000 0000", "A8.8.57", "ldm, stm: {}", refuse(Unpredictable);
    "1100 0nnn llll llll", "A8.8.199", "stm rn!, {list}", decide(store_list_short(word, n, l));
    "1100 1nnn llll llll", "A8.8.57", "ldm rn!, {list}", relocate(same_short(word));
    "1101 1110 iiii iiii", "A8.8.247", "udf", refuse(Undefined);
    "1101 1111 iiii iiii", "A8.8.228", "svc", refuse(Trap);
    "1101 cccc iiii iiii", "A8.8.18", "b, conditional", emulate(b_if_short(c, i));
    "1110 0iii iiii iiii", "A8.8.18", "b", emulate(b_short(i));

    // Several registers (A6.3.5), and the stores of LR and SPSR among them.
    "1110 1000 00w0 1101 1100 0000 000m mmmm", "B9.3.16", "srsdb", refuse(Spsr);
    "1110 1001 10w0 1101 1100 0000 000m mmmm", "B9.3.16", "srsia", refuse(Spsr);
    "1110 1000 00x0 xxxx xxxx xxxx xxxx xxxx", "B9.3.16", "srsdb, otherwise", refuse(Unpredictable);
    "1110 1001 10x0 xxxx xxxx xxxx xxxx xxxx", "B9.3.16", "srsia, otherwise", refuse(Unpredictable);
    "1110 1000 00x1 1111 xxxx xxxx xxxx xxxx", "B9.3.13", "rfedb pc", refuse(Unpredictable);
    "1110 1001 10x1 1111 xxxx xxxx xxxx xxxx", "B9.3.13", "rfeia pc", refuse(Unpredictable);
    "1110 1000 00w1 nnnn 1100 0000 0000 0000", "B9.3.13", "rfedb", refuse(Order);
    "1110 1001 10w1 nnnn 1100 0000 0000 0000", "B9.3.13", "rfeia", refuse(Order);
    "1110 1000 00x1 xxxx xxxx xxxx xxxx xxxx", "B9.3.13", "rfedb, otherwise", refuse(Unpredictable);
    "1110 1001 10x1 xxxx xxxx xxxx xxxx xxxx", "B9.3.13", "rfeia, otherwise", refuse(Unpredictable);
    "1110 1000 10x0 xxxx 1xxx xxxx xxxx xxxx", "A8.8.199", "stmia {..., pc}", refuse(Unpredictable);
    "1110 1000 10xx xxxx xx1x xxxx xxxx xxxx", "A8.8.199", "stmia, ldmia: {..., sp}", refuse(Unpredictable);
    "1110 1001 00x0 xxxx 1xxx xxxx xxxx xxxx", "A8.8.201", "stmdb {..., pc}", refuse(Unpredictable);
    "1110 1001 00xx xxxx xx1x xxxx xxxx xxxx", "A8.8.201", "stmdb, ldmdb: {..., sp}", refuse(Unpredictable);
    "1110 1000 10w0 nnnn 0l0l llll llll llll", "A8.8.199", "stmia", decide(store_list(word, n, w));
    "1110 1000 10w1 nnnn pl0l llll llll llll", "A8.8.57", "ldmia", decide(load_list(word, n, w));
    "1110 1001 0010 1101 0l0l llll llll llll", "A8.8.133", "push.w {list}", decide(push(word));
    "1110 1001 00w0 nnnn 0l0l llll llll llll", "A8.8.201", "stmdb", decide(store_list(word, n, w));
    "1110 1001 00w1 nnnn pl0l llll llll llll", "A8.8.60", "ldmdb", decide(load_list(word, n, w));

    // Two registers, exclusive access, and branches by a table (A6.3.6). A trap clears the
    // exclusive monitor. The load that sets it runs in its slot, after the trap; but when a store
    // traps, the monitor is clear.
    "1110 1000 0100 nnnn tttt dddd iiii iiii", "A8.8.212", "strex", decide(exclusive_store(word));
    "1110 1000 0101 nnnn tttt 1111 iiii iiii", "A8.8.75", "ldrex", decide(exclusive_load(word, n, t));
    "1110 1000 0101 xxxx xxxx xxxx xxxx xxxx", "A8.8.75", "ldrex, otherwise", refuse(Unpredictable);
    "1110 1000 1101 nnnn 1111 0000 0000 mmmm", "A8.8.236", "tbb", decide(table(word, n, m));
    "1110 1000 1101 nnnn 1111 0000 0001 mmmm", "A8.8.236", "tbh", decide(table(word, n, m));
    "1110 1000 1101 xxxx xxxx xxxx 000x xxxx", "A8.8.236", "tbb, tbh: otherwise", refuse(Unpredictable);
    "1110 1000 1100 nnnn tttt 1111 0100 dddd", "A8.8.213", "strexb", decide(exclusive_store(word));
    "1110 1000 1100 nnnn tttt 1111 0101 dddd", "A8.8.215", "strexh", decide(exclusive_store(word));
    "1110 1000 1100 nnnn tttt uuuu 0111 dddd", "A8.8.214", "strexd", decide(exclusive_store(word));
    "1110 1000 1100 xxxx xxxx xxxx 010x xxxx", "A8.8.213", "strexb, strexh: otherwise", refuse(Unpredictable);
    "1110 1000 1101 nnnn tttt 1111 0100 1111", "A8.8.76", "ldrexb", decide(exclusive_load(word, n, t));
    "1110 1000 1101 nnnn tttt 1111 0101 1111", "A8.8.78", "ldrexh", decide(exclusive_load(word, n, t));
    "1110 1000 1101 nnnn tttt uuuu 0111 1111", "A8.8.77", "ldrexd", decide(exclusive_load_dual(word, n, t, u));
    "1110 1000 1101 xxxx xxxx xxxx 010x xxxx", "A8.8.76", "ldrexb, ldrexh: otherwise", refuse(Unpredictable);
    "1110 1000 1101 xxxx xxxx xxxx 0111 xxxx", "A8.8.77", "ldrexd, otherwise", refuse(Unpredictable);
    "1110 1000 110x xxxx xxxx xxxx xxxx xxxx", "A6.3.6", "exclusive, undefined", refuse(Undefined);
    "1110 100p u1w0 nnnn tttt eeee iiii iiii", "A8.8.210", "strd", decide(store_dual(word, w, n, t, e));
    "1110 100x x111 1111 xxxx xxxx xxxx xxxx", "A8.8.73", "ldrd [pc]!", refuse(Unpredictable);
    "1110 100p u101 1111 tttt eeee iiii iiii", "A8.8.73", "ldrd rt, rt2, [pc]", decide(dual_literal(word, t, e));
    "1110 100p u1w1 nnnn tttt eeee iiii iiii", "A8.8.72", "ldrd", decide(dual(word, w, n, t, e));

    // Data processing with a shifted register (A6.3.11).
    "1110 1010 101x xxxx xxxx xxxx xxxx xxxx", "A6.3.11", "shifted register, 0101", refuse(Undefined);
    "1110 1010 111x xxxx xxxx xxxx xxxx xxxx", "A6.3.11", "shifted register, 0111", refuse(Undefined);
    "1110 1011 001x xxxx xxxx xxxx xxxx xxxx", "A6.3.11", "shifted register, 1001", refuse(Undefined);
    "1110 1011 100x xxxx xxxx xxxx xxxx xxxx", "A6.3.11", "shifted register, 1100", refuse(Undefined);
    "1110 1011 111x xxxx xxxx xxxx xxxx xxxx", "A6.3.11", "shifted register, 1111", refuse(Undefined);
    "1110 1010 1101 xxxx xxxx xxxx xxxx xxxx", "A8.8.125", "pkh, flags", refuse(Undefined);
    "1110 1010 1100 xxxx xxxx xxxx xxx1 xxxx", "A8.8.125", "pkh, undefined", refuse(Undefined);
    "1110 101x xxxx xxxx 1xxx xxxx xxxx xxxx", "A6.3.11", "shifted register, otherwise", refuse(Unpredictable);
    "1110 1010 0001 nnnn 0iii 1111 iitt mmmm", "A8.8.241", "tst.w rn, rm", decide(two(word, n, m));
    "1110 1010 000s nnnn 0iii dddd iitt mmmm", "A8.8.14", "and.w rd, rn, rm", decide(three(word, d, n, m));
    "1110 1010 001s nnnn 0iii dddd iitt mmmm", "A8.8.22", "bic.w rd, rn, rm", decide(three(word, d, n, m));
    "1110 1010 010s 1111 0000 dddd 0000 mmmm", "A8.8.103", "mov.w rd, rm", decide(mov(word, s, d, m));
    "1110 1010 010s 1111 0000 dddd 0011 mmmm", "A8.8.151", "rrx", decide(two(word, d, m));
    "1110 1010 010s 1111 0iii dddd ii00 mmmm", "A8.8.94", "lsl.w rd, rm, #imm", decide(two(word, d, m));
    "1110 1010 010s 1111 0iii dddd ii01 mmmm", "A8.8.96", "lsr.w rd, rm, #imm", decide(two(word, d, m));
    "1110 1010 010s 1111 0iii dddd ii10 mmmm", "A8.8.16", "asr.w rd, rm, #imm", decide(two(word, d, m));
    "1110 1010 010s 1111 0iii dddd ii11 mmmm", "A8.8.149", "ror.w rd, rm, #imm", decide(two(word, d, m));
    "1110 1010 010s nnnn 0iii dddd iitt mmmm", "A8.8.123", "orr.w rd, rn, rm", decide(three(word, d, n, m));
    "1110 1010 011s 1111 0iii dddd iitt mmmm", "A8.8.116", "mvn.w rd, rm", decide(two(word, d, m));
    "1110 1010 011s nnnn 0iii dddd iitt mmmm", "A8.8.121", "orn rd, rn, rm", decide(three(word, d, n, m));
    "1110 1010 1001 nnnn 0iii 1111 iitt mmmm", "A8.8.238", "teq rn, rm", decide(two(word, n, m));
    "1110 1010 100s nnnn 0iii dddd iitt mmmm", "A8.8.47", "eor.w rd, rn, rm", decide(three(word, d, n, m));
    "1110 1010 1100 nnnn 0iii dddd iit0 mmmm", "A8.8.125", "pkhbt, pkhtb", decide(three(word, d, n, m));
    "1110 1011 0001 nnnn 0iii 1111 iitt mmmm", "A8.8.35", "cmn.w rn, rm", decide(compare(word, n, m));
    "1110 1011 000s 1101 0iii dddd iitt mmmm", "A8.8.10", "add.w rd, sp, rm", decide(add_to_sp(word, d, m));
    "1110 1011 000s nnnn 0iii dddd iitt mmmm", "A8.8.6", "add.w rd, rn, rm", decide(three(word, d, n, m));
    "1110 1011 010s nnnn 0iii dddd iitt mmmm", "A8.8.2", "adc.w rd, rn, rm", decide(three(word, d, n, m));
    "1110 1011 011s nnnn 0iii dddd iitt mmmm", "A8.8.162", "sbc.w rd, rn, rm", decide(three(word, d, n, m));
    "1110 1011 1011 nnnn 0iii 1111 iitt mmmm", "A8.8.38", "cmp.w rn, rm", decide(compare(word, n, m));
    "1110 1011 101s 1101 0iii dddd iitt mmmm", "A8.8.226", "sub.w rd, sp, rm", decide(add_to_sp(word, d, m));
    "1110 1011 101s nnnn 0iii dddd iitt mmmm", "A8.8.223", "sub.w rd, rn, rm", decide(three(word, d, n, m));
    "1110 1011 110s nnnn 0iii dddd iitt mmmm", "A8.8.153", "rsb rd, rn, rm", decide(three(word, d, n, m));

    // Data processing with a modified constant (A6.3.1). Zero in several bytes is UNPREDICTABLE.
    "1111 0x00 101x xxxx 0xxx xxxx xxxx xxxx", "A6.3.1", "modified constant, 0101", refuse(Undefined);
    "1111 0x00 11xx xxxx 0xxx xxxx xxxx xxxx", "A6.3.1", "modified constant, 011x", refuse(Undefined);
    "1111 0x01 001x xxxx 0xxx xxxx xxxx xxxx", "A6.3.1", "modified constant, 1001", refuse(Undefined);
    "1111 0x01 100x xxxx 0xxx xxxx xxxx xxxx", "A6.3.1", "modified constant, 1100", refuse(Undefined);
    "1111 0x01 111x xxxx 0xxx xxxx xxxx xxxx", "A6.3.1", "modified constant, 1111", refuse(Undefined);
    "1111 000x xxxx xxxx 00x1 xxxx 0000 0000", "A6.3.2", "zero, in every other byte", refuse(Unpredictable);
    "1111 000x xxxx xxxx 0010 xxxx 0000 0000", "A6.3.2", "zero, in the bytes between", refuse(Unpredictable);
    "1111 0i00 0001 nnnn 0iii 1111 iiii iiii", "A8.8.240", "tst.w rn, #imm", decide(one(word, n));
    "1111 0i00 000s nnnn 0iii dddd iiii iiii", "A8.8.13", "and.w rd, rn, #imm", decide(two(word, d, n));
    "1111 0i00 001s nnnn 0iii dddd iiii iiii", "A8.8.21", "bic.w rd, rn, #imm", decide(two(word, d, n));
    "1111 0i00 010s 1111 0iii dddd iiii iiii", "A8.8.102", "mov.w rd, #imm", decide(one(word, d));
    "1111 0i00 010s nnnn 0iii dddd iiii iiii", "A8.8.122", "orr.w rd, rn, #imm", decide(two(word, d, n));
    "1111 0i00 011s 1111 0iii dddd iiii iiii", "A8.8.115", "mvn rd, #imm", decide(one(word, d));
    "1111 0i00 011s nnnn 0iii dddd iiii iiii", "A8.8.120", "orn rd, rn, #imm", decide(two(word, d, n));
    "1111 0i00 1001 nnnn 0iii 1111 iiii iiii", "A8.8.237", "teq rn, #imm", decide(one(word, n));
    "1111 0i00 100s nnnn 0iii dddd iiii iiii", "A8.8.46", "eor.w rd, rn, #imm", decide(two(word, d, n));
    "1111 0i01 0001 nnnn 0iii 1111 iiii iiii", "A8.8.34", "cmn.w rn, #imm", decide(not_pc(word, n));
    "1111 0i01 000s 1101 0iii dddd iiii iiii", "A8.8.9", "add.w rd, sp, #imm", decide(not_pc(word, d));
    "1111 0i01 000s nnnn 0iii dddd iiii iiii", "A8.8.4", "add.w rd, rn, #imm", decide(two(word, d, n));
    "1111 0i01 010s nnnn 0iii dddd iiii iiii", "A8.8.1", "adc rd, rn, #imm", decide(two(word, d, n));
    "1111 0i01 011s nnnn 0iii dddd iiii iiii", "A8.8.161", "sbc rd, rn, #imm", decide(two(word, d, n));
    "1111 0i01 1011 nnnn 0iii 1111 iiii iiii", "A8.8.37", "cmp.w rn, #imm", decide(not_pc(word, n));
    "1111 0i01 1010 1101 0iii 1101 iiii iiii", "A8.8.225", "sub.w sp, sp, #imm", emulate(lower_sp(word));
    "1111 0i01 101s 1101 0iii dddd iiii iiii", "A8.8.225", "sub.w rd, sp, #imm", decide(not_pc(word, d));
    "1111 0i01 101s nnnn 0iii dddd iiii iiii", "A8.8.221", "sub.w rd, rn, #imm", decide(two(word, d, n));
    "1111 0i01 110s nnnn 0iii dddd iiii iiii", "A8.8.152", "rsb.w rd, rn, #imm", decide(two(word, d, n));

    // Data processing with a plain constant, saturation, and bit fields (A6.3.3).
    "1111 0x1x xxx1 xxxx 0xxx xxxx xxxx xxxx", "A6.3.3", "plain constant, xxxx1", refuse(Undefined);
    "1111 0x10 0010 xxxx 0xxx xxxx xxxx xxxx", "A6.3.3", "plain constant, 00010", refuse(Undefined);
    "1111 0x10 0110 xxxx 0xxx xxxx xxxx xxxx", "A6.3.3", "plain constant, 00110", refuse(Undefined);
    "1111 0x10 1000 xxxx 0xxx xxxx xxxx xxxx", "A6.3.3", "plain constant, 01000", refuse(Undefined);
    "1111 0x10 1110 xxxx 0xxx xxxx xxxx xxxx", "A6.3.3", "plain constant, 01110", refuse(Undefined);
    "1111 0x11 1110 xxxx 0xxx xxxx xxxx xxxx", "A6.3.3", "plain constant, 11110", refuse(Undefined);
    "1111 0i10 0000 1111 0iii dddd iiii iiii", "A8.8.12", "adr.w rd, after", decide(address(word, d));
    "1111 0i10 0000 1101 0iii dddd iiii iiii", "A8.8.9", "addw rd, sp, #imm", decide(not_pc(word, d));
    "1111 0i10 0000 nnnn 0iii dddd iiii iiii", "A8.8.4", "addw rd, rn, #imm", decide(one(word, d));
    "1111 0i10 0100 iiii 0iii dddd iiii iiii", "A8.8.102", "movw", decide(one(word, d));
    "1111 0i10 1010 1111 0iii dddd iiii iiii", "A8.8.12", "adr.w rd, before", decide(address(word, d));
    "1111 0i10 1010 1101 0iii 1101 iiii iiii", "A8.8.225", "subw sp, sp, #imm", emulate(lower_sp_plain(word));
    "1111 0i10 1010 1101 0iii dddd iiii iiii", "A8.8.225", "subw rd, sp, #imm", decide(not_pc(word, d));
    "1111 0i10 1010 nnnn 0iii dddd iiii iiii", "A8.8.221", "subw rd, rn, #imm", decide(one(word, d));
    "1111 0i10 1100 iiii 0iii dddd iiii iiii", "A8.8.106", "movt", decide(one(word, d));
    "1111 0011 0010 nnnn 0000 dddd 0000 ssss", "A8.8.194", "ssat16", decide(two(word, d, n));
    "1111 0x11 0010 xxxx 0000 xxxx 00xx xxxx", "A8.8.194", "ssat16, otherwise", refuse(Unpredictable);
    "1111 0011 00h0 nnnn 0iii dddd ii0s ssss", "A8.8.193", "ssat", decide(two(word, d, n));
    "1111 0011 0100 nnnn 0iii dddd ii0w wwww", "A8.8.164", "sbfx", decide(field(word, d, n));
    "1111 0011 0110 1111 0iii dddd ii0h hhhh", "A8.8.19", "bfc", decide(clear_field(word, d));
    "1111 0011 0110 nnnn 0iii dddd ii0h hhhh", "A8.8.20", "bfi", decide(bit_field(word, d, n));
    "1111 0011 1010 nnnn 0000 dddd 0000 ssss", "A8.8.267", "usat16", decide(two(word, d, n));
    "1111 0x11 1010 xxxx 0000 xxxx 00xx xxxx", "A8.8.267", "usat16, otherwise", refuse(Unpredictable);
    "1111 0011 10h0 nnnn 0iii dddd ii0s ssss", "A8.8.266", "usat", decide(two(word, d, n));
    "1111 0011 1100 nnnn 0iii dddd ii0w wwww", "A8.8.246", "ubfx", decide(field(word, d, n));
    "1111 0x11 xxxx xxxx 0xxx xxxx xxxx xxxx", "A6.3.3", "saturate, bit field: otherwise", refuse(Unpredictable);

    // Status registers, hints, barriers (A6.3.4). Those that the trap, or the return from it,
    // overwrites cannot be read or written any more.
    "1111 0011 1000 xxxx 1000 xx1x 0000 0000", "B9.3.12", "msr cpsr_x, rn", refuse(Endian);
    "1111 0011 1000 nnnn 1000 mmmm 0000 0000", "B9.3.12", "msr cpsr, rn", decide(msr(word, n, m));
    "1111 0011 1001 nnnn 1000 mmmm 0000 0000", "B9.3.12", "msr spsr, rn", refuse(Spsr);
    "1111 0011 100r nnnn 1000 mmmm 001h 0000", "B9.3.10", "msr banked, rn", decide(banked(word, r, n, h, m));
    "1111 0011 100x xxxx 10x0 xxxx xxxx xxxx", "B9.3.12", "msr, otherwise", refuse(Unpredictable);
    "1111 0011 1010 1111 1000 0000 0000 0000", "A8.8.119", "nop.w", emulate(hint());
    "1111 0011 1010 1111 1000 0000 hhhh hhhh", "A6.3.4", "yield.w, wfe.w, wfi.w, sev.w, dbg", relocate(same(word));
    "1111 0011 1010 1111 1000 0oom aaap pppp", "B9.3.2", "cps.w", decide(cps(word, o, m, a, p));
    "1111 0011 1010 xxxx 10x0 xxxx xxxx xxxx", "B9.3.2", "cps.w, otherwise", refuse(Unpredictable);
    "1111 0011 1011 xxxx 10x0 xxxx 1xxx xxxx", "A6.3.4", "barrier, 1xxx", refuse(Undefined);
    "1111 0011 1011 xxxx 10x0 xxxx 0x11 xxxx", "A6.3.4", "barrier, 0x11", refuse(Undefined);
    "1111 0011 1011 1111 1000 1111 000x 1111", "A9.3.1", "enterx, leavex", refuse(Implementation);
    "1111 0011 1011 1111 1000 1111 0010 1111", "A8.8.32", "clrex", relocate(same(word));
    "1111 0011 1011 1111 1000 1111 0100 oooo", "A8.8.44", "dsb", relocate(same(word));
    "1111 0011 1011 1111 1000 1111 0101 oooo", "A8.8.43", "dmb", relocate(same(word));
    "1111 0011 1011 1111 1000 1111 0110 oooo", "A8.8.53", "isb", relocate(same(word));
    "1111 0011 1011 xxxx 10x0 xxxx xxxx xxxx", "A6.3.4", "barrier, otherwise", refuse(Unpredictable);
    "1111 0011 1100 mmmm 1000 1111 0000 0000", "A8.8.28", "bxj", refuse(Implementation);
    "1111 0011 1100 xxxx 10x0 xxxx xxxx xxxx", "A8.8.28", "bxj, otherwise", refuse(Unpredictable);
    "1111 0011 1101 1110 1000 1111 iiii iiii", "B9.3.19", "subs pc, lr", refuse(Spsr);
    "1111 0011 1101 xxxx 10x0 xxxx xxxx xxxx", "B9.3.19", "subs pc, otherwise", refuse(Unpredictable);
    "1111 0011 1110 1111 1000 dddd 0000 0000", "B9.3.8", "mrs rd, cpsr", decide(status(word, d));
    "1111 0011 1111 1111 1000 dddd 0000 0000", "B9.3.8", "mrs rd, spsr", refuse(Spsr);
    "1111 0011 111r mmmm 1000 dddd 001h 0000", "B9.3.9", "mrs rd, banked", decide(banked(word, r, d, h, m));
    "1111 0011 111x xxxx 10x0 xxxx xxxx xxxx", "B9.3.8", "mrs, otherwise", refuse(Unpredictable);
    "1111 0111 1110 iiii 1000 iiii iiii iiii", "B9.3.4", "hvc", refuse(Trap);
    "1111 0111 1111 iiii 1000 0000 0000 0000", "B9.3.14", "smc", refuse(Trap);
    "1111 0111 1111 xxxx 1000 xxxx xxxx xxxx", "B9.3.14", "smc, otherwise", refuse(Unpredictable);
    "1111 0111 1111 iiii 1010 iiii iiii iiii", "A8.8.247", "udf.w", refuse(Undefined);
    "1111 0x11 1xxx xxxx 10x0 xxxx xxxx xxxx", "A6.3.4", "miscellaneous, undefined", refuse(Undefined);

    "1111 0scc ccii iiii 10k0 jiii iiii iiii", "A8.8.18", "b.w, conditional", emulate(b_if(word, c));
    "1111 0sii iiii iiii 10k1 jiii iiii iiii", "A8.8.18", "b.w", emulate(b(word));
    "1111 0sii iiii iiii 11k0 jiii iiii iii0", "A8.8.25", "blx", emulate(blx(word));
    "1111 0xxx xxxx xxxx 11x0 xxxx xxxx xxx1", "A8.8.25", "blx, undefined", refuse(Undefined);
    "1111 0sii iiii iiii 11k1 jiii iiii iiii", "A8.8.25", "bl", emulate(bl(word));

    // Stores of one register (A6.3.10).
    "1111 1000 x110 xxxx xxxx xxxx xxxx xxxx", "A6.3.10", "store, no size", refuse(Undefined);
    "1111 1000 xxx0 1111 xxxx xxxx xxxx xxxx", "A6.3.10", "store, [pc]", refuse(Undefined);
    "1111 1000 0xx0 xxxx xxxx 10x0 xxxx xxxx", "A6.3.10", "store, neither indexed nor written back", refuse(Undefined);
    "1111 1000 1000 nnnn tttt iiii iiii iiii", "A8.8.206", "strb.w rt, [rn, #imm]", decide(one(word, t));
    "1111 1000 0000 nnnn tttt 1110 iiii iiii", "A8.8.209", "strbt", decide(one(word, t));
    "1111 1000 0000 nnnn tttt 1100 iiii iiii", "A8.8.206", "strb rt, [rn, #-imm]", decide(one(word, t));
    "1111 1000 0000 nnnn tttt 1pu1 iiii iiii", "A8.8.206", "strb rt, [rn, #imm]!", decide(general_back(word, n, t));
    "1111 1000 0000 nnnn tttt 0000 00ii mmmm", "A8.8.208", "strb.w rt, [rn, rm]", decide(two(word, t, m));
    "1111 1000 1010 nnnn tttt iiii iiii iiii", "A8.8.216", "strh.w rt, [rn, #imm]", decide(one(word, t));
    "1111 1000 0010 nnnn tttt 1110 iiii iiii", "A8.8.219", "strht", decide(one(word, t));
    "1111 1000 0010 nnnn tttt 1100 iiii iiii", "A8.8.216", "strh rt, [rn, #-imm]", decide(one(word, t));
    "1111 1000 0010 nnnn tttt 1pu1 iiii iiii", "A8.8.216", "strh rt, [rn, #imm]!", decide(general_back(word, n, t));
    "1111 1000 0010 nnnn tttt 0000 00ii mmmm", "A8.8.218", "strh.w rt, [rn, rm]", decide(two(word, t, m));
    "1111 1000 1100 nnnn tttt iiii iiii iiii", "A8.8.203", "str.w rt, [rn, #imm]", decide(not_pc(word, t));
    "1111 1000 0100 nnnn tttt 1110 iiii iiii", "A8.8.220", "strt", decide(one(word, t));
    "1111 1000 0100 nnnn tttt 1100 iiii iiii", "A8.8.203", "str rt, [rn, #-imm]", decide(not_pc(word, t));
    "1111 1000 0100 1101 tttt 1101 0000 0100", "A8.8.133", "push.w {rt}", decide(push_one(t));
    "1111 1000 0100 nnnn tttt 1pu1 iiii iiii", "A8.8.203", "str rt, [rn, #imm]!", decide(word_back(word, n, t));
    "1111 1000 0100 nnnn tttt 0000 00ii mmmm", "A8.8.205", "str.w rt, [rn, rm]", decide(store_word_register(word, t, m));
    "1111 1000 xxx0 xxxx xxxx xxxx xxxx xxxx", "A6.3.10", "store, undefined", refuse(Undefined);

    // Loads of bytes and halfwords, and memory hints (A6.3.9, A6.3.8). Unallocated hints do
    // nothing. `pli` is not emulated, as programs may try whether it is there.
    "1111 1000 x001 1111 1111 iiii iiii iiii", "A8.8.127", "pld [pc, #imm]", emulate(hint());
    "1111 1000 x011 1111 1111 xxxx xxxx xxxx", "A8.8.127", "pldw [pc, #imm]", refuse(Unpredictable);
    "1111 1001 u001 1111 1111 iiii iiii iiii", "A8.8.129", "pli [pc, #imm]", relocate(same(word));
    "1111 1001 u011 1111 1111 iiii iiii iiii", "A6.3.8", "memory hint, [pc, #imm], not allocated", relocate(same(word));
    "1111 1000 u001 1111 tttt iiii iiii iiii", "A8.8.69", "ldrb rt, [pc, #imm]", decide(literal(word, t));
    "1111 1000 u011 1111 tttt iiii iiii iiii", "A8.8.81", "ldrh rt, [pc, #imm]", decide(literal(word, t));
    "1111 1001 u001 1111 tttt iiii iiii iiii", "A8.8.85", "ldrsb rt, [pc, #imm]", decide(literal(word, t));
    "1111 1001 u011 1111 tttt iiii iiii iiii", "A8.8.89", "ldrsh rt, [pc, #imm]", decide(literal(word, t));
    "1111 100x 00x1 xxxx xxxx 10x0 xxxx xxxx", "A6.3.9", "load, neither indexed nor written back", refuse(Undefined);
    "1111 1000 1001 nnnn 1111 iiii iiii iiii", "A8.8.126", "pld [rn, #imm]", relocate(same(word));
    "1111 1000 0001 nnnn 1111 1100 iiii iiii", "A8.8.126", "pld [rn, #-imm]", relocate(same(word));
    "1111 1000 0001 nnnn 1111 0000 00ii mmmm", "A8.8.128", "pld [rn, rm]", decide(one(word, m));
    "1111 1000 1011 nnnn 1111 iiii iiii iiii", "A8.8.126", "pldw [rn, #imm]", relocate(same(word));
    "1111 1000 0011 nnnn 1111 1100 iiii iiii", "A8.8.126", "pldw [rn, #-imm]", relocate(same(word));
    "1111 1000 0011 nnnn 1111 0000 00ii mmmm", "A8.8.128", "pldw [rn, rm]", decide(one(word, m));
    "1111 1001 1001 nnnn 1111 iiii iiii iiii", "A8.8.129", "pli [rn, #imm]", relocate(same(word));
    "1111 1001 0001 nnnn 1111 1100 iiii iiii", "A8.8.129", "pli [rn, #-imm]", relocate(same(word));
    "1111 1001 0001 nnnn 1111 0000 00ii mmmm", "A8.8.130", "pli [rn, rm]", decide(one(word, m));
    "1111 1001 1011 nnnn 1111 iiii iiii iiii", "A6.3.8", "memory hint, #imm, not allocated", relocate(same(word));
    "1111 1001 0011 nnnn 1111 1100 iiii iiii", "A6.3.8", "memory hint, #-imm, not allocated", relocate(same(word));
    "1111 1001 0011 nnnn 1111 0000 00ii mmmm", "A6.3.8", "memory hint, rm, not allocated", relocate(same(word));
    "1111 100x 00x1 xxxx 1111 1xxx xxxx xxxx", "A6.3.9", "memory hint, unpredictable", refuse(Unpredictable);
    "1111 1000 1001 nnnn tttt iiii iiii iiii", "A8.8.67", "ldrb.w rt, [rn, #imm]", decide(one(word, t));
    "1111 1000 0001 nnnn tttt 1110 iiii iiii", "A8.8.71", "ldrbt", decide(one(word, t));
    "1111 1000 0001 nnnn tttt 1100 iiii iiii", "A8.8.67", "ldrb rt, [rn, #-imm]", decide(one(word, t));
    "1111 1000 0001 nnnn tttt 1pu1 iiii iiii", "A8.8.67", "ldrb rt, [rn, #imm]!", decide(general_back(word, n, t));
    "1111 1000 0001 nnnn tttt 0000 00ii mmmm", "A8.8.70", "ldrb.w rt, [rn, rm]", decide(two(word, t, m));
    "1111 1000 1011 nnnn tttt iiii iiii iiii", "A8.8.79", "ldrh.w rt, [rn, #imm]", decide(one(word, t));
    "1111 1000 0011 nnnn tttt 1110 iiii iiii", "A8.8.83", "ldrht", decide(one(word, t));
    "1111 1000 0011 nnnn tttt 1100 iiii iiii", "A8.8.79", "ldrh rt, [rn, #-imm]", decide(one(word, t));
    "1111 1000 0011 nnnn tttt 1pu1 iiii iiii", "A8.8.79", "ldrh rt, [rn, #imm]!", decide(general_back(word, n, t));
    "1111 1000 0011 nnnn tttt 0000 00ii mmmm", "A8.8.82", "ldrh.w rt, [rn, rm]", decide(two(word, t, m));
    "1111 1001 1001 nnnn tttt iiii iiii iiii", "A8.8.84", "ldrsb rt, [rn, #imm]", decide(one(word, t));
    "1111 1001 0001 nnnn tttt 1110 iiii iiii", "A8.8.87", "ldrsbt", decide(one(word, t));
    "1111 1001 0001 nnnn tttt 1100 iiii iiii", "A8.8.84", "ldrsb rt, [rn, #-imm]", decide(one(word, t));
    "1111 1001 0001 nnnn tttt 1pu1 iiii iiii", "A8.8.84", "ldrsb rt, [rn, #imm]!", decide(general_back(word, n, t));
    "1111 1001 0001 nnnn tttt 0000 00ii mmmm", "A8.8.86", "ldrsb.w rt, [rn, rm]", decide(two(word, t, m));
    "1111 1001 1011 nnnn tttt iiii iiii iiii", "A8.8.88", "ldrsh rt, [rn, #imm]", decide(one(word, t));
    "1111 1001 0011 nnnn tttt 1110 iiii iiii", "A8.8.91", "ldrsht", decide(one(word, t));
    "1111 1001 0011 nnnn tttt 1100 iiii iiii", "A8.8.88", "ldrsh rt, [rn, #-imm]", decide(one(word, t));
    "1111 1001 0011 nnnn tttt 1pu1 iiii iiii", "A8.8.88", "ldrsh rt, [rn, #imm]!", decide(general_back(word, n, t));
    "1111 1001 0011 nnnn tttt 0000 00ii mmmm", "A8.8.90", "ldrsh.w rt, [rn, rm]", decide(two(word, t, m));
    "1111 100x 00x1 xxxx xxxx xxxx xxxx xxxx", "A6.3.9", "load, undefined", refuse(Undefined);

    // Loads of words (A6.3.7).
    "1111 1000 u101 1111 1111 iiii iiii iiii", "A8.8.64", "ldr pc, [pc, #imm]", emulate(load_pc_literal(word));
    "1111 1000 u101 1111 tttt iiii iiii iiii", "A8.8.64", "ldr.w rt, [pc, #imm]", emulate(ldr_literal(word, t));
    "1111 1000 0101 xxxx xxxx 10x0 xxxx xxxx", "A6.3.7", "ldr, neither indexed nor written back", refuse(Undefined);
    "1111 1000 1101 nnnn 1111 iiii iiii iiii", "A8.8.62", "ldr pc, [rn, #imm]", emulate(load_pc(word));
    "1111 1000 1101 nnnn tttt iiii iiii iiii", "A8.8.62", "ldr.w rt, [rn, #imm]", relocate(same(word));
    "1111 1000 0101 nnnn tttt 1110 iiii iiii", "A8.8.92", "ldrt", decide(one(word, t));
    "1111 1000 0101 nnnn 1111 1100 iiii iiii", "A8.8.62", "ldr pc, [rn, #-imm]", emulate(load_pc(word));
    "1111 1000 0101 nnnn tttt 1100 iiii iiii", "A8.8.62", "ldr rt, [rn, #-imm]", relocate(same(word));
    "1111 1000 0101 nnnn 1111 1pu1 iiii iiii", "A8.8.62", "ldr pc, [rn, #imm]!", emulate(load_pc(word));
    "1111 1000 0101 nnnn tttt 1pu1 iiii iiii", "A8.8.62", "ldr rt, [rn, #imm]!", decide(word_back(word, n, t));
    "1111 1000 0101 nnnn tttt 0000 00ii mmmm", "A8.8.65", "ldr.w rt, [rn, rm]", decide(load_word_register(word, t, m));
    "1111 1000 0101 xxxx xxxx xxxx xxxx xxxx", "A6.3.7", "ldr, undefined", refuse(Undefined);
    "1111 100x x111 xxxx xxxx xxxx xxxx xxxx", "A6.3", "load, no size", refuse(Undefined);
    "1111 1001 x101 xxxx xxxx xxxx xxxx xxxx", "A6.3.7", "ldr, signed", refuse(Undefined);

    // Data processing with registers (A6.3.12): shifts, extensions, parallel arithmetic.
    "1111 1010 000s nnnn 1111 dddd 0000 mmmm", "A8.8.95", "lsl.w rd, rn, rm", decide(three(word, d, n, m));
    "1111 1010 001s nnnn 1111 dddd 0000 mmmm", "A8.8.97", "lsr.w rd, rn, rm", decide(three(word, d, n, m));
    "1111 1010 010s nnnn 1111 dddd 0000 mmmm", "A8.8.17", "asr.w rd, rn, rm", decide(three(word, d, n, m));
    "1111 1010 011s nnnn 1111 dddd 0000 mmmm", "A8.8.150", "ror.w rd, rn, rm", decide(three(word, d, n, m));
    "1111 1010 011x xxxx 1111 xxxx 1xxx xxxx", "A6.3.12", "extend, 011x", refuse(Undefined);
    "1111 1010 0xxx xxxx 1111 xxxx 11xx xxxx", "A6.3.12", "extend, otherwise", refuse(Unpredictable);
    "1111 1010 0000 1111 1111 dddd 10rr mmmm", "A8.8.235", "sxth.w", decide(two(word, d, m));
    "1111 1010 0000 nnnn 1111 dddd 10rr mmmm", "A8.8.232", "sxtah", decide(three(word, d, n, m));
    "1111 1010 0001 1111 1111 dddd 10rr mmmm", "A8.8.276", "uxth.w", decide(two(word, d, m));
    "1111 1010 0001 nnnn 1111 dddd 10rr mmmm", "A8.8.273", "uxtah", decide(three(word, d, n, m));
    "1111 1010 0010 1111 1111 dddd 10rr mmmm", "A8.8.234", "sxtb16", decide(two(word, d, m));
    "1111 1010 0010 nnnn 1111 dddd 10rr mmmm", "A8.8.231", "sxtab16", decide(three(word, d, n, m));
    "1111 1010 0011 1111 1111 dddd 10rr mmmm", "A8.8.275", "uxtb16", decide(two(word, d, m));
    "1111 1010 0011 nnnn 1111 dddd 10rr mmmm", "A8.8.272", "uxtab16", decide(three(word, d, n, m));
    "1111 1010 0100 1111 1111 dddd 10rr mmmm", "A8.8.233", "sxtb.w", decide(two(word, d, m));
    "1111 1010 0100 nnnn 1111 dddd 10rr mmmm", "A8.8.230", "sxtab", decide(three(word, d, n, m));
    "1111 1010 0101 1111 1111 dddd 10rr mmmm", "A8.8.274", "uxtb.w", decide(two(word, d, m));
    "1111 1010 0101 nnnn 1111 dddd 10rr mmmm", "A8.8.271", "uxtab", decide(three(word, d, n, m));
    "1111 1010 1xxx xxxx 1111 xxxx 0x11 xxxx", "A6.3.13", "parallel, 11", refuse(Undefined);
    "1111 1010 1001 nnnn 1111 dddd 0upp mmmm", "A8.8.158", "sadd16, qadd16, shadd16, uadd16, uqadd16, uhadd16", decide(three(word, d, n, m));
    "1111 1010 1010 nnnn 1111 dddd 0upp mmmm", "A8.8.160", "sasx, qasx, shasx, uasx, uqasx, uhasx", decide(three(word, d, n, m));
    "1111 1010 1110 nnnn 1111 dddd 0upp mmmm", "A8.8.195", "ssax, qsax, shsax, usax, uqsax, uhsax", decide(three(word, d, n, m));
    "1111 1010 1101 nnnn 1111 dddd 0upp mmmm", "A8.8.196", "ssub16, qsub16, shsub16, usub16, uqsub16, uhsub16", decide(three(word, d, n, m));
    "1111 1010 1000 nnnn 1111 dddd 0upp mmmm", "A8.8.159", "sadd8, qadd8, shadd8, uadd8, uqadd8, uhadd8", decide(three(word, d, n, m));
    "1111 1010 1100 nnnn 1111 dddd 0upp mmmm", "A8.8.197", "ssub8, qsub8, shsub8, usub8, uqsub8, uhsub8", decide(three(word, d, n, m));
    "1111 1010 1000 nnnn 1111 dddd 1000 mmmm", "A8.8.134", "qadd", decide(three(word, d, n, m));
    "1111 1010 1000 nnnn 1111 dddd 1001 mmmm", "A8.8.138", "qdadd", decide(three(word, d, n, m));
    "1111 1010 1000 nnnn 1111 dddd 1010 mmmm", "A8.8.141", "qsub", decide(three(word, d, n, m));
    "1111 1010 1000 nnnn 1111 dddd 1011 mmmm", "A8.8.139", "qdsub", decide(three(word, d, n, m));
    "1111 1010 1001 nnnn 1111 dddd 1000 mmmm", "A8.8.145", "rev.w", decide(twice(word, d, n, m));
    "1111 1010 1001 nnnn 1111 dddd 1001 mmmm", "A8.8.146", "rev16.w", decide(twice(word, d, n, m));
    "1111 1010 1001 nnnn 1111 dddd 1010 mmmm", "A8.8.144", "rbit", decide(twice(word, d, n, m));
    "1111 1010 1001 nnnn 1111 dddd 1011 mmmm", "A8.8.147", "revsh.w", decide(twice(word, d, n, m));
    "1111 1010 1010 nnnn 1111 dddd 1000 mmmm", "A8.8.166", "sel", decide(three(word, d, n, m));
    "1111 1010 1011 nnnn 1111 dddd 1000 mmmm", "A8.8.33", "clz", decide(twice(word, d, n, m));
    "1111 1010 xxxx xxxx xxxx xxxx xxxx xxxx", "A6.3.12", "data processing, register: undefined", refuse(Undefined);

    // Multiplication and division (A6.3.16, A6.3.17).
    "1111 1011 0000 nnnn 1111 dddd 0000 mmmm", "A8.8.114", "mul", decide(three(word, d, n, m));
    "1111 1011 0000 nnnn aaaa dddd 0000 mmmm", "A8.8.100", "mla", decide(multiply(word, d, a, n, m));
    "1111 1011 0000 nnnn aaaa dddd 0001 mmmm", "A8.8.101", "mls", decide(four(word, d, a, n, m));
    "1111 1011 0001 nnnn 1111 dddd 00ef mmmm", "A8.8.188", "smulbb, smulbt, smultb, smultt", decide(three(word, d, n, m));
    "1111 1011 0001 nnnn aaaa dddd 00ef mmmm", "A8.8.176", "smlabb, smlabt, smlatb, smlatt", decide(multiply(word, d, a, n, m));
    "1111 1011 0010 nnnn 1111 dddd 000x mmmm", "A8.8.187", "smuad", decide(three(word, d, n, m));
    "1111 1011 0010 nnnn aaaa dddd 000x mmmm", "A8.8.177", "smlad", decide(multiply(word, d, a, n, m));
    "1111 1011 0011 nnnn 1111 dddd 000e mmmm", "A8.8.190", "smulwb, smulwt", decide(three(word, d, n, m));
    "1111 1011 0011 nnnn aaaa dddd 000e mmmm", "A8.8.181", "smlawb, smlawt", decide(multiply(word, d, a, n, m));
    "1111 1011 0100 nnnn 1111 dddd 000x mmmm", "A8.8.191", "smusd", decide(three(word, d, n, m));
    "1111 1011 0100 nnnn aaaa dddd 000x mmmm", "A8.8.182", "smlsd", decide(multiply(word, d, a, n, m));
    "1111 1011 0101 nnnn 1111 dddd 000r mmmm", "A8.8.186", "smmul", decide(three(word, d, n, m));
    "1111 1011 0101 nnnn aaaa dddd 000r mmmm", "A8.8.184", "smmla", decide(multiply(word, d, a, n, m));
    "1111 1011 0110 nnnn aaaa dddd 000r mmmm", "A8.8.185", "smmls", decide(four(word, d, a, n, m));
    "1111 1011 0111 nnnn 1111 dddd 0000 mmmm", "A8.8.264", "usad8", decide(three(word, d, n, m));
    "1111 1011 0111 nnnn aaaa dddd 0000 mmmm", "A8.8.265", "usada8", decide(multiply(word, d, a, n, m));
    "1111 1011 1000 nnnn llll hhhh 0000 mmmm", "A8.8.189", "smull", decide(four_apart(word, l, h, n, m));
    "1111 1011 1001 nnnn 1111 dddd 1111 mmmm", "A8.8.165", "sdiv", decide(three(word, d, n, m));
    "1111 1011 1001 xxxx xxxx xxxx 1111 xxxx", "A8.8.165", "sdiv, otherwise", refuse(Unpredictable);
    "1111 1011 1010 nnnn llll hhhh 0000 mmmm", "A8.8.257", "umull", decide(four_apart(word, l, h, n, m));
    "1111 1011 1011 nnnn 1111 dddd 1111 mmmm", "A8.8.248", "udiv", decide(three(word, d, n, m));
    "1111 1011 1011 xxxx xxxx xxxx 1111 xxxx", "A8.8.248", "udiv, otherwise", refuse(Unpredictable);
    "1111 1011 1100 nnnn llll hhhh 0000 mmmm", "A8.8.178", "smlal", decide(four_apart(word, l, h, n, m));
    "1111 1011 1100 nnnn llll hhhh 10ef mmmm", "A8.8.179", "smlalbb, smlalbt, smlaltb, smlaltt", decide(four_apart(word, l, h, n, m));
    "1111 1011 1100 nnnn llll hhhh 110x mmmm", "A8.8.180", "smlald", decide(four_apart(word, l, h, n, m));
    "1111 1011 1101 nnnn llll hhhh 110x mmmm", "A8.8.183", "smlsld", decide(four_apart(word, l, h, n, m));
    "1111 1011 1110 nnnn llll hhhh 0000 mmmm", "A8.8.256", "umlal", decide(four_apart(word, l, h, n, m));
    "1111 1011 1110 nnnn llll hhhh 0110 mmmm", "A8.8.255", "umaal", decide(four_apart(word, l, h, n, m));
    "1111 1011 xxxx xxxx xxxx xxxx xxxx xxxx", "A6.3.16", "multiply, undefined", refuse(Undefined);

    // Coprocessors 10 and 11 have only Advanced SIMD here; the others have nothing.
    "1111 110x xxxx xxxx xxxx 101x xxxx xxxx", "A5.6", "ldc2, stc2, mcrr2, mrrc2: 10, 11", refuse(Undefined);
    "1111 1110 xxxx xxxx xxxx 101x xxxx xxxx", "A5.6", "cdp2, mcr2, mrc2: 10, 11", refuse(Undefined);
    "1111 110x xxxx xxxx xxxx 111x xxxx xxxx", "A8.8.55", "ldc2, stc2, mcrr2, mrrc2: 14, 15", refuse(Unpredictable);
    "1111 1110 xxxx xxxx xxxx 111x xxxx xxxx", "A8.8.30", "cdp2, mcr2, mrc2: 14, 15", refuse(Unpredictable);
    "1111 110x xxxx xxxx xxxx 10xx xxxx xxxx", "A8.8.55", "ldc2, stc2, mcrr2, mrrc2: 8, 9", refuse(Undefined);
    "1111 1110 xxxx xxxx xxxx 10xx xxxx xxxx", "A8.8.30", "cdp2, mcr2, mrc2: 8, 9", refuse(Undefined);
    "1111 110x xxxx xxxx xxxx 110x xxxx xxxx", "A8.8.55", "ldc2, stc2, mcrr2, mrrc2: 12, 13", refuse(Undefined);
    "1111 1110 xxxx xxxx xxxx 110x xxxx xxxx", "A8.8.30", "cdp2, mcr2, mrc2: 12, 13", refuse(Undefined);
    "1111 110x xxxx xxxx xxxx 0xxx xxxx xxxx", "A8.8.55", "ldc2, stc2, mcrr2, mrrc2: 0 to 7", refuse(Implementation);
    "1111 1110 xxxx xxxx xxxx 0xxx xxxx xxxx", "A8.8.30", "cdp2, mcr2, mrc2: 0 to 7", refuse(Implementation);

    // Advanced SIMD, three registers of the same length (A7.4.1). An odd number names no quadword
    // register.
    "111x 1111 0xxx xxxx xxx1 xxxx x1xx xxxx", "A7.3", "three same, odd qd", refuse(Undefined);
    "111x 1111 0xxx xxx1 xxxx xxxx x1xx xxxx", "A7.3", "three same, odd qn", refuse(Undefined);
    "111x 1111 0xxx xxxx xxxx xxxx x1xx xxx1", "A7.3", "three same, odd qm", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 0000 xxx0 xxxx", "A8.8.319", "vhadd, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 0001 xxx0 xxxx", "A8.8.387", "vrhadd, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 0010 xxx0 xxxx", "A8.8.319", "vhsub, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 0011 xxx0 xxxx", "A8.8.295", "vcgt, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 0011 xxx1 xxxx", "A8.8.293", "vcge, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 0110 xxxx xxxx", "A8.8.334", "vmax, vmin, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 0111 xxx0 xxxx", "A8.8.278", "vabd, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 0111 xxx1 xxxx", "A8.8.277", "vaba, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 1010 xxxx xxxx", "A8.8.365", "vpmax, vpmin, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 1000 xxx1 xxxx", "A8.8.421", "vtst, vceq, 64 bits", refuse(Undefined);
    "111x 1111 0x11 xxxx xxxx 1001 xxx0 xxxx", "A8.8.336", "vmla, vmls, 64 bits", refuse(Undefined);
    "111u 1111 0dss nnnn dddd 0000 nqm1 mmmm", "A8.8.370", "vqadd", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0010 nqm1 mmmm", "A8.8.382", "vqsub", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0100 nqm0 mmmm", "A8.8.396", "vshl, rm", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0100 nqm1 mmmm", "A8.8.379", "vqshl, rm", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0101 nqm0 mmmm", "A8.8.388", "vrshl", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0101 nqm1 mmmm", "A8.8.377", "vqrshl", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0000 nqm0 mmmm", "A8.8.319", "vhadd", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0001 nqm0 mmmm", "A8.8.387", "vrhadd", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0010 nqm0 mmmm", "A8.8.319", "vhsub", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0011 nqm0 mmmm", "A8.8.295", "vcgt", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0011 nqm1 mmmm", "A8.8.293", "vcge", relocate(same(word));
    "1110 1111 0d00 nnnn dddd 0001 nqm1 mmmm", "A8.8.287", "vand", relocate(same(word));
    "1110 1111 0d01 nnnn dddd 0001 nqm1 mmmm", "A8.8.289", "vbic", relocate(same(word));
    "1110 1111 0d10 nnnn dddd 0001 nqm1 mmmm", "A8.8.360", "vorr", relocate(same(word));
    "1110 1111 0d11 nnnn dddd 0001 nqm1 mmmm", "A8.8.358", "vorn", relocate(same(word));
    "1111 1111 0d00 nnnn dddd 0001 nqm1 mmmm", "A8.8.315", "veor", relocate(same(word));
    "1111 1111 0d01 nnnn dddd 0001 nqm1 mmmm", "A8.8.290", "vbsl", relocate(same(word));
    "1111 1111 0d10 nnnn dddd 0001 nqm1 mmmm", "A8.8.290", "vbit", relocate(same(word));
    "1111 1111 0d11 nnnn dddd 0001 nqm1 mmmm", "A8.8.290", "vbif", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0110 nqmo mmmm", "A8.8.334", "vmax, vmin", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0111 nqm0 mmmm", "A8.8.278", "vabd", relocate(same(word));
    "111u 1111 0dss nnnn dddd 0111 nqm1 mmmm", "A8.8.277", "vaba", relocate(same(word));
    "1110 1111 0dss nnnn dddd 1000 nqm0 mmmm", "A8.8.282", "vadd", relocate(same(word));
    "1111 1111 0dss nnnn dddd 1000 nqm0 mmmm", "A8.8.414", "vsub", relocate(same(word));
    "1110 1111 0dss nnnn dddd 1000 nqm1 mmmm", "A8.8.421", "vtst", relocate(same(word));
    "1111 1111 0dss nnnn dddd 1000 nqm1 mmmm", "A8.8.291", "vceq", relocate(same(word));
    "111o 1111 0dss nnnn dddd 1001 nqm0 mmmm", "A8.8.336", "vmla, vmls", relocate(same(word));
    "1110 1111 0x11 xxxx xxxx 1001 xxx1 xxxx", "A8.8.350", "vmul, 64 bits", refuse(Undefined);
    "1110 1111 0dss nnnn dddd 1001 nqm1 mmmm", "A8.8.350", "vmul", relocate(same(word));
    "1111 1111 0d00 nnnn dddd 1001 nqm1 mmmm", "A8.8.350", "vmul, polynomials", relocate(same(word));
    "1111 1111 0xxx xxxx xxxx 1001 xxx1 xxxx", "A8.8.350", "vmul, polynomials of other sizes", refuse(Undefined);
    "111u 1111 0dss nnnn dddd 1010 n0mo mmmm", "A8.8.365", "vpmax, vpmin", relocate(same(word));
    "111x 1111 0xxx xxxx xxxx 1010 xxxx xxxx", "A8.8.365", "vpmax, vpmin, quadwords", refuse(Undefined);
    "1110 1111 0d01 nnnn dddd 1011 nqm0 mmmm", "A8.8.372", "vqdmulh, 16 bits", relocate(same(word));
    "1110 1111 0d10 nnnn dddd 1011 nqm0 mmmm", "A8.8.372", "vqdmulh, 32 bits", relocate(same(word));
    "1111 1111 0d01 nnnn dddd 1011 nqm0 mmmm", "A8.8.376", "vqrdmulh, 16 bits", relocate(same(word));
    "1111 1111 0d10 nnnn dddd 1011 nqm0 mmmm", "A8.8.376", "vqrdmulh, 32 bits", relocate(same(word));
    "1110 1111 0x11 xxxx xxxx 1011 xxx1 xxxx", "A8.8.362", "vpadd, 64 bits", refuse(Undefined);
    "1110 1111 0dss nnnn dddd 1011 n0m1 mmmm", "A8.8.362", "vpadd", relocate(same(word));
    "1110 1111 0d00 nnnn dddd 1100 nqm1 mmmm", "A8.8.317", "vfma", relocate(same(word));
    "1110 1111 0d10 nnnn dddd 1100 nqm1 mmmm", "A8.8.317", "vfms", relocate(same(word));
    "1110 1111 0d00 nnnn dddd 1101 nqm0 mmmm", "A8.8.283", "vadd, float", relocate(same(word));
    "1110 1111 0d10 nnnn dddd 1101 nqm0 mmmm", "A8.8.415", "vsub, float", relocate(same(word));
    "1111 1111 0d00 nnnn dddd 1101 n0m0 mmmm", "A8.8.363", "vpadd, float", relocate(same(word));
    "1111 1111 0d10 nnnn dddd 1101 nqm0 mmmm", "A8.8.279", "vabd, float", relocate(same(word));
    "1110 1111 0d00 nnnn dddd 1101 nqm1 mmmm", "A8.8.337", "vmla, float", relocate(same(word));
    "1110 1111 0d10 nnnn dddd 1101 nqm1 mmmm", "A8.8.337", "vmls, float", relocate(same(word));
    "1111 1111 0d00 nnnn dddd 1101 nqm1 mmmm", "A8.8.351", "vmul, float", relocate(same(word));
    "1110 1111 0d00 nnnn dddd 1110 nqm0 mmmm", "A8.8.291", "vceq, float", relocate(same(word));
    "1111 1111 0d00 nnnn dddd 1110 nqm0 mmmm", "A8.8.293", "vcge, float", relocate(same(word));
    "1111 1111 0d10 nnnn dddd 1110 nqm0 mmmm", "A8.8.295", "vcgt, float", relocate(same(word));
    "1111 1111 0d00 nnnn dddd 1110 nqm1 mmmm", "A8.8.281", "vacge", relocate(same(word));
    "1111 1111 0d10 nnnn dddd 1110 nqm1 mmmm", "A8.8.281", "vacgt", relocate(same(word));
    "1110 1111 0d00 nnnn dddd 1111 nqm0 mmmm", "A8.8.335", "vmax, float", relocate(same(word));
    "1110 1111 0d10 nnnn dddd 1111 nqm0 mmmm", "A8.8.335", "vmin, float", relocate(same(word));
    "1111 1111 0d00 nnnn dddd 1111 n0m0 mmmm", "A8.8.366", "vpmax, float", relocate(same(word));
    "1111 1111 0d10 nnnn dddd 1111 n0m0 mmmm", "A8.8.366", "vpmin, float", relocate(same(word));
    "1110 1111 0d00 nnnn dddd 1111 nqm1 mmmm", "A8.8.385", "vrecps", relocate(same(word));
    "1110 1111 0d10 nnnn dddd 1111 nqm1 mmmm", "A8.8.392", "vrsqrts", relocate(same(word));
    "111x 1111 0xxx xxxx xxxx xxxx xxxx xxxx", "A7.4.1", "three same, undefined", refuse(Undefined);

    // One register and a modified immediate (A7.4.6). A shifted zero is UNPREDICTABLE.
    "111x 1111 1x00 0xxx xxx1 xxxx 01x1 xxxx", "A7.4.6", "constant, odd qd", refuse(Undefined);
    "111x 1111 1x00 0xxx xxxx 1111 0x11 xxxx", "A7.4.6", "constant, undefined", refuse(Undefined);
    "1110 1111 1x00 0000 xxxx 001x 0xx1 0000", "A7.4.6", "constant, 0 shifted by 8", refuse(Unpredictable);
    "1110 1111 1x00 0000 xxxx 01xx 0xx1 0000", "A7.4.6", "constant, 0 shifted by 16 or 24", refuse(Unpredictable);
    "1110 1111 1x00 0000 xxxx 101x 0xx1 0000", "A7.4.6", "constant, 0 shifted in halfwords", refuse(Unpredictable);
    "1110 1111 1x00 0000 xxxx 110x 0xx1 0000", "A7.4.6", "constant, 0 shifted with ones", refuse(Unpredictable);
    "111i 1111 1d00 0iii dddd 0cc0 0q01 iiii", "A8.8.339", "vmov, #imm, 0xx00", relocate(same(word));
    "111i 1111 1d00 0iii dddd 0cc1 0q01 iiii", "A8.8.359", "vorr, #imm, 0xx10", relocate(same(word));
    "111i 1111 1d00 0iii dddd 0cc0 0q11 iiii", "A8.8.353", "vmvn, #imm, 0xx01", relocate(same(word));
    "111i 1111 1d00 0iii dddd 0cc1 0q11 iiii", "A8.8.288", "vbic, #imm, 0xx11", relocate(same(word));
    "111i 1111 1d00 0iii dddd 10c0 0q01 iiii", "A8.8.339", "vmov, #imm, 10x00", relocate(same(word));
    "111i 1111 1d00 0iii dddd 10c1 0q01 iiii", "A8.8.359", "vorr, #imm, 10x10", relocate(same(word));
    "111i 1111 1d00 0iii dddd 10c0 0q11 iiii", "A8.8.353", "vmvn, #imm, 10x01", relocate(same(word));
    "111i 1111 1d00 0iii dddd 10c1 0q11 iiii", "A8.8.288", "vbic, #imm, 10x11", relocate(same(word));
    "111i 1111 1d00 0iii dddd 110c 0q01 iiii", "A8.8.339", "vmov, #imm, 110x0", relocate(same(word));
    "111i 1111 1d00 0iii dddd 110c 0q11 iiii", "A8.8.353", "vmvn, #imm, 110x1", relocate(same(word));
    "111i 1111 1d00 0iii dddd 1110 0qo1 iiii", "A8.8.339", "vmov, #imm, 1110", relocate(same(word));
    "111i 1111 1d00 0iii dddd 1111 0q01 iiii", "A8.8.339", "vmov, #imm, 11110", relocate(same(word));

    // Two registers and a shift by a constant (A7.4.4).
    "111x 1111 1xxx xxxx xxx1 0xxx x1x1 xxxx", "A7.4.4", "shift, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxxx 0xxx x1x1 xxx1", "A7.4.4", "shift, odd qm", refuse(Undefined);
    "111u 1111 1dii iiii dddd 0000 lqm1 mmmm", "A8.8.398", "vshr", relocate(same(word));
    "111u 1111 1dii iiii dddd 0001 lqm1 mmmm", "A8.8.402", "vsra", relocate(same(word));
    "111u 1111 1dii iiii dddd 0010 lqm1 mmmm", "A8.8.389", "vrshr", relocate(same(word));
    "111u 1111 1dii iiii dddd 0011 lqm1 mmmm", "A8.8.393", "vrsra", relocate(same(word));
    "1111 1111 1dii iiii dddd 0100 lqm1 mmmm", "A8.8.403", "vsri", relocate(same(word));
    "1110 1111 1dii iiii dddd 0101 lqm1 mmmm", "A8.8.395", "vshl, #imm", relocate(same(word));
    "1111 1111 1dii iiii dddd 0101 lqm1 mmmm", "A8.8.400", "vsli", relocate(same(word));
    "1111 1111 1dii iiii dddd 0110 lqm1 mmmm", "A8.8.380", "vqshlu, #imm", relocate(same(word));
    "111u 1111 1dii iiii dddd 0111 lqm1 mmmm", "A8.8.380", "vqshl, #imm", relocate(same(word));
    "111x 1111 1xxx xxxx xxxx 100x 0xx1 xxx1", "A7.4.4", "narrowing shift, odd qm", refuse(Undefined);
    "1110 1111 1dii iiii dddd 1000 00m1 mmmm", "A8.8.399", "vshrn", relocate(same(word));
    "1110 1111 1dii iiii dddd 1000 01m1 mmmm", "A8.8.390", "vrshrn", relocate(same(word));
    "1111 1111 1dii iiii dddd 1000 00m1 mmmm", "A8.8.381", "vqshrun", relocate(same(word));
    "1111 1111 1dii iiii dddd 1000 01m1 mmmm", "A8.8.378", "vqrshrun", relocate(same(word));
    "111u 1111 1dii iiii dddd 1001 00m1 mmmm", "A8.8.381", "vqshrn", relocate(same(word));
    "111u 1111 1dii iiii dddd 1001 01m1 mmmm", "A8.8.378", "vqrshrn", relocate(same(word));
    "111x 1111 1xxx xxxx xxx1 1010 00x1 xxxx", "A8.8.397", "vshll, odd qd", refuse(Undefined);
    "111u 1111 1dii iiii dddd 1010 00m1 mmmm", "A8.8.397", "vshll, vmovl", relocate(same(word));
    "111x 1111 1xxx xxxx xxx1 111x 01x1 xxxx", "A8.8.307", "vcvt, fixed, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxxx 111x 01x1 xxx1", "A8.8.307", "vcvt, fixed, odd qm", refuse(Undefined);
    "111u 1111 1d1i iiii dddd 111o 0qm1 mmmm", "A8.8.307", "vcvt, fixed", relocate(same(word));
    "111x 1111 1xxx xxxx xxxx xxxx xxx1 xxxx", "A7.4.4", "shift, undefined", refuse(Undefined);

    // Extraction, tables, duplication, and two registers (A7.4.5).
    "1110 1111 1x11 xxxx xxx1 xxxx x1x0 xxxx", "A8.8.316", "vext, odd qd", refuse(Undefined);
    "1110 1111 1x11 xxx1 xxxx xxxx x1x0 xxxx", "A8.8.316", "vext, odd qn", refuse(Undefined);
    "1110 1111 1x11 xxxx xxxx xxxx x1x0 xxx1", "A8.8.316", "vext, odd qm", refuse(Undefined);
    "1110 1111 1x11 xxxx xxxx 1xxx x0x0 xxxx", "A8.8.316", "vext, beyond a doubleword", refuse(Undefined);
    "1110 1111 1d11 nnnn dddd iiii nqm0 mmmm", "A8.8.316", "vext", relocate(same(word));
    "1111 1111 1d11 nnnn dddd 10ll nom0 mmmm", "A8.8.419", "vtbl, vtbx", decide(table_lookup(word));
    "1111 1111 1x11 xxxx xxx1 1100 01x0 xxxx", "A8.8.313", "vdup of scalar, odd qd", refuse(Undefined);
    "1111 1111 1x11 x000 xxxx 1100 0xx0 xxxx", "A8.8.313", "vdup of scalar, no size", refuse(Undefined);
    "1111 1111 1d11 iiii dddd 1100 0qm0 mmmm", "A8.8.313", "vdup of scalar", relocate(same(word));
    "1111 1111 1x11 xx00 xxx1 0xxx x1x0 xxxx", "A7.4.5", "two registers, 00, odd qd", refuse(Undefined);
    "1111 1111 1x11 xx00 xxxx 0xxx x1x0 xxx1", "A7.4.5", "two registers, 00, odd qm", refuse(Undefined);
    "1111 1111 1x11 xx01 xxx1 0xxx x1x0 xxxx", "A7.4.5", "two registers, 01, odd qd", refuse(Undefined);
    "1111 1111 1x11 xx01 xxxx 0xxx x1x0 xxx1", "A7.4.5", "two registers, 01, odd qm", refuse(Undefined);
    "1111 1111 1x11 xx10 xxx1 000x x1x0 xxxx", "A7.4.5", "two registers, 10, odd qd", refuse(Undefined);
    "1111 1111 1x11 xx10 xxxx 000x x1x0 xxx1", "A7.4.5", "two registers, 10, odd qm", refuse(Undefined);
    "1111 1111 1x11 xx11 xxx1 0xxx x1x0 xxxx", "A7.4.5", "two registers, 11, odd qd", refuse(Undefined);
    "1111 1111 1x11 xx11 xxxx 0xxx x1x0 xxx1", "A7.4.5", "two registers, 11, odd qm", refuse(Undefined);
    "1111 1111 1d11 0000 dddd 0000 0qm0 mmmm", "A8.8.386", "vrev64, 8", relocate(same(word));
    "1111 1111 1d11 0100 dddd 0000 0qm0 mmmm", "A8.8.386", "vrev64, 16", relocate(same(word));
    "1111 1111 1d11 1000 dddd 0000 0qm0 mmmm", "A8.8.386", "vrev64, 32", relocate(same(word));
    "1111 1111 1d11 0000 dddd 0000 1qm0 mmmm", "A8.8.386", "vrev32, 8", relocate(same(word));
    "1111 1111 1d11 0100 dddd 0000 1qm0 mmmm", "A8.8.386", "vrev32, 16", relocate(same(word));
    "1111 1111 1d11 0000 dddd 0001 0qm0 mmmm", "A8.8.386", "vrev16", relocate(same(word));
    "1111 1111 1x11 1100 xxxx 0010 xxx0 xxxx", "A8.8.364", "vpaddl, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss00 dddd 0010 oqm0 mmmm", "A8.8.364", "vpaddl", relocate(same(word));
    "1111 1111 1x11 1100 xxxx 0100 0xx0 xxxx", "A8.8.299", "vcls, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss00 dddd 0100 0qm0 mmmm", "A8.8.299", "vcls", relocate(same(word));
    "1111 1111 1x11 1100 xxxx 0100 1xx0 xxxx", "A8.8.302", "vclz, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss00 dddd 0100 1qm0 mmmm", "A8.8.302", "vclz", relocate(same(word));
    "1111 1111 1x11 1100 xxxx 0110 xxx0 xxxx", "A8.8.361", "vpadal, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss00 dddd 0110 oqm0 mmmm", "A8.8.361", "vpadal", relocate(same(word));
    "1111 1111 1x11 1100 xxxx 0111 0xx0 xxxx", "A8.8.369", "vqabs, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss00 dddd 0111 0qm0 mmmm", "A8.8.369", "vqabs", relocate(same(word));
    "1111 1111 1x11 1100 xxxx 0111 1xx0 xxxx", "A8.8.375", "vqneg, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss00 dddd 0111 1qm0 mmmm", "A8.8.375", "vqneg", relocate(same(word));
    "1111 1111 1d11 0000 dddd 0101 0qm0 mmmm", "A8.8.304", "vcnt", relocate(same(word));
    "1111 1111 1d11 0000 dddd 0101 1qm0 mmmm", "A8.8.354", "vmvn", relocate(same(word));
    "1111 1111 1x11 1101 xxxx 0000 0xx0 xxxx", "A8.8.296", "vcgt, #0, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss01 dddd 0000 0qm0 mmmm", "A8.8.296", "vcgt, #0", relocate(same(word));
    "1111 1111 1d11 1001 dddd 0100 0qm0 mmmm", "A8.8.296", "vcgt, #0, float", relocate(same(word));
    "1111 1111 1x11 1101 xxxx 0000 1xx0 xxxx", "A8.8.294", "vcge, #0, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss01 dddd 0000 1qm0 mmmm", "A8.8.294", "vcge, #0", relocate(same(word));
    "1111 1111 1d11 1001 dddd 0100 1qm0 mmmm", "A8.8.294", "vcge, #0, float", relocate(same(word));
    "1111 1111 1x11 1101 xxxx 0001 0xx0 xxxx", "A8.8.292", "vceq, #0, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss01 dddd 0001 0qm0 mmmm", "A8.8.292", "vceq, #0", relocate(same(word));
    "1111 1111 1d11 1001 dddd 0101 0qm0 mmmm", "A8.8.292", "vceq, #0, float", relocate(same(word));
    "1111 1111 1x11 1101 xxxx 0001 1xx0 xxxx", "A8.8.298", "vcle, #0, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss01 dddd 0001 1qm0 mmmm", "A8.8.298", "vcle, #0", relocate(same(word));
    "1111 1111 1d11 1001 dddd 0101 1qm0 mmmm", "A8.8.298", "vcle, #0, float", relocate(same(word));
    "1111 1111 1x11 1101 xxxx 0010 0xx0 xxxx", "A8.8.301", "vclt, #0, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss01 dddd 0010 0qm0 mmmm", "A8.8.301", "vclt, #0", relocate(same(word));
    "1111 1111 1d11 1001 dddd 0110 0qm0 mmmm", "A8.8.301", "vclt, #0, float", relocate(same(word));
    "1111 1111 1x11 1101 xxxx 0011 0xx0 xxxx", "A8.8.280", "vabs, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss01 dddd 0011 0qm0 mmmm", "A8.8.280", "vabs", relocate(same(word));
    "1111 1111 1d11 1001 dddd 0111 0qm0 mmmm", "A8.8.280", "vabs, float", relocate(same(word));
    "1111 1111 1x11 1101 xxxx 0011 1xx0 xxxx", "A8.8.355", "vneg, 64 bits", refuse(Undefined);
    "1111 1111 1d11 ss01 dddd 0011 1qm0 mmmm", "A8.8.355", "vneg", relocate(same(word));
    "1111 1111 1d11 1001 dddd 0111 1qm0 mmmm", "A8.8.355", "vneg, float", relocate(same(word));
    "1111 1111 1d11 0010 dddd 0000 0qm0 mmmm", "A8.8.418", "vswp", relocate(same(word));
    "1111 1111 1x11 1110 xxxx 000x xxx0 xxxx", "A7.4.5", "vtrn, vuzp, vzip: 64 bits", refuse(Undefined);
    "1111 1111 1x11 1010 xxxx 0001 x0x0 xxxx", "A8.8.422", "vuzp, vzip: doublewords of 32 bits", refuse(Undefined);
    "1111 1111 1d11 ss10 dddd 0000 1qm0 mmmm", "A8.8.420", "vtrn", relocate(same(word));
    "1111 1111 1d11 ss10 dddd 0001 0qm0 mmmm", "A8.8.422", "vuzp", relocate(same(word));
    "1111 1111 1d11 ss10 dddd 0001 1qm0 mmmm", "A8.8.423", "vzip", relocate(same(word));
    "1111 1111 1x11 1110 xxxx 001x xxx0 xxxx", "A7.4.5", "narrowing, widening: 64 bits", refuse(Undefined);
    "1111 1111 1x11 xx10 xxxx 0010 xxx0 xxx1", "A8.8.347", "vmovn, vqmovn: odd qm", refuse(Undefined);
    "1111 1111 1d11 ss10 dddd 0010 00m0 mmmm", "A8.8.347", "vmovn", relocate(same(word));
    "1111 1111 1d11 ss10 dddd 0010 01m0 mmmm", "A8.8.374", "vqmovun", relocate(same(word));
    "1111 1111 1d11 ss10 dddd 0010 1om0 mmmm", "A8.8.374", "vqmovn", relocate(same(word));
    "1111 1111 1x11 xx10 xxx1 0011 00x0 xxxx", "A8.8.397", "vshll, by the size, odd qd", refuse(Undefined);
    "1111 1111 1d11 ss10 dddd 0011 00m0 mmmm", "A8.8.397", "vshll, by the size", relocate(same(word));
    "1111 1111 1x11 xx10 xxxx 0110 00x0 xxx1", "A8.8.310", "vcvt to half, odd qm", refuse(Undefined);
    "1111 1111 1d11 0110 dddd 0110 00m0 mmmm", "A8.8.310", "vcvt to half", relocate(same(word));
    "1111 1111 1x11 xx10 xxx1 0111 00x0 xxxx", "A8.8.310", "vcvt from half, odd qd", refuse(Undefined);
    "1111 1111 1d11 0110 dddd 0111 00m0 mmmm", "A8.8.310", "vcvt from half", relocate(same(word));
    "1111 1111 1d11 1011 dddd 010f 0qm0 mmmm", "A8.8.384", "vrecpe", relocate(same(word));
    "1111 1111 1d11 1011 dddd 010f 1qm0 mmmm", "A8.8.391", "vrsqrte", relocate(same(word));
    "1111 1111 1d11 1011 dddd 011o oqm0 mmmm", "A8.8.305", "vcvt, integer", relocate(same(word));
    "111x 1111 1x11 xxxx xxxx xxxx xxx0 xxxx", "A7.4.5", "two registers, undefined", refuse(Undefined);

    // Three registers of different lengths (A7.4.2).
    "111x 1111 1xxx xxxx xxx1 000x x0x0 xxxx", "A7.4.2", "vaddl, vaddw, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 001x x0x0 xxxx", "A7.4.2", "vsubl, vsubw, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 0101 x0x0 xxxx", "A7.4.2", "vabal, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 0111 x0x0 xxxx", "A7.4.2", "vabdl, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 10x0 x0x0 xxxx", "A7.4.2", "vmlal, vmlsl, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 1001 x0x0 xxxx", "A7.4.2", "vqdmlal, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 1011 x0x0 xxxx", "A7.4.2", "vqdmlsl, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 11x0 x0x0 xxxx", "A7.4.2", "vmull, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 1101 x0x0 xxxx", "A7.4.2", "vqdmull, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxx1 xxxx 00x1 x0x0 xxxx", "A7.4.2", "vaddw, vsubw, odd qn", refuse(Undefined);
    "111x 1111 1xxx xxx1 xxxx 0100 x0x0 xxxx", "A7.4.2", "vaddhn, vraddhn, odd qn", refuse(Undefined);
    "111x 1111 1xxx xxxx xxxx 0100 x0x0 xxx1", "A7.4.2", "vaddhn, vraddhn, odd qm", refuse(Undefined);
    "111x 1111 1xxx xxx1 xxxx 0110 x0x0 xxxx", "A7.4.2", "vsubhn, vrsubhn, odd qn", refuse(Undefined);
    "111x 1111 1xxx xxxx xxxx 0110 x0x0 xxx1", "A7.4.2", "vsubhn, vrsubhn, odd qm", refuse(Undefined);
    "1110 1111 1x00 xxxx xxxx 1xx1 x0x0 xxxx", "A7.4.2", "vqdmlal, vqdmlsl, vqdmull: 8 bits", refuse(Undefined);
    "111u 1111 1dss nnnn dddd 0000 n0m0 mmmm", "A8.8.285", "vaddl", relocate(same(word));
    "111u 1111 1dss nnnn dddd 0001 n0m0 mmmm", "A8.8.285", "vaddw", relocate(same(word));
    "111u 1111 1dss nnnn dddd 0010 n0m0 mmmm", "A8.8.417", "vsubl", relocate(same(word));
    "111u 1111 1dss nnnn dddd 0011 n0m0 mmmm", "A8.8.417", "vsubw", relocate(same(word));
    "1110 1111 1dss nnnn dddd 0100 n0m0 mmmm", "A8.8.284", "vaddhn", relocate(same(word));
    "1111 1111 1dss nnnn dddd 0100 n0m0 mmmm", "A8.8.383", "vraddhn", relocate(same(word));
    "111u 1111 1dss nnnn dddd 0101 n0m0 mmmm", "A8.8.277", "vabal", relocate(same(word));
    "1110 1111 1dss nnnn dddd 0110 n0m0 mmmm", "A8.8.416", "vsubhn", relocate(same(word));
    "1111 1111 1dss nnnn dddd 0110 n0m0 mmmm", "A8.8.394", "vrsubhn", relocate(same(word));
    "111u 1111 1dss nnnn dddd 0111 n0m0 mmmm", "A8.8.278", "vabdl", relocate(same(word));
    "111u 1111 1dss nnnn dddd 1000 n0m0 mmmm", "A8.8.336", "vmlal", relocate(same(word));
    "111u 1111 1dss nnnn dddd 1010 n0m0 mmmm", "A8.8.336", "vmlsl", relocate(same(word));
    "1110 1111 1dss nnnn dddd 1001 n0m0 mmmm", "A8.8.371", "vqdmlal", relocate(same(word));
    "1110 1111 1dss nnnn dddd 1011 n0m0 mmmm", "A8.8.371", "vqdmlsl", relocate(same(word));
    "111u 1111 1dss nnnn dddd 1100 n0m0 mmmm", "A8.8.350", "vmull", relocate(same(word));
    "1110 1111 1dss nnnn dddd 1101 n0m0 mmmm", "A8.8.373", "vqdmull", relocate(same(word));
    "1110 1111 1d00 nnnn dddd 1110 n0m0 mmmm", "A8.8.350", "vmull, polynomials", relocate(same(word));

    // Two registers and a scalar (A7.4.3).
    "111x 1111 1x00 xxxx xxxx xxxx x1x0 xxxx", "A7.4.3", "scalar of 8 bits", refuse(Undefined);
    "111x 1111 1x01 xxxx xxxx 0x01 x1x0 xxxx", "A8.8.338", "vmla, vmls: float scalar of 16 bits", refuse(Undefined);
    "111x 1111 1x01 xxxx xxxx 1001 x1x0 xxxx", "A8.8.352", "vmul: float scalar of 16 bits", refuse(Undefined);
    "1111 1111 1xxx xxxx xxx1 0x0x x1x0 xxxx", "A7.4.3", "vmla, vmls, scalar, odd qd", refuse(Undefined);
    "1111 1111 1xxx xxx1 xxxx 0x0x x1x0 xxxx", "A7.4.3", "vmla, vmls, scalar, odd qn", refuse(Undefined);
    "1111 1111 1xxx xxxx xxx1 100x x1x0 xxxx", "A7.4.3", "vmul, scalar, odd qd", refuse(Undefined);
    "1111 1111 1xxx xxx1 xxxx 100x x1x0 xxxx", "A7.4.3", "vmul, scalar, odd qn", refuse(Undefined);
    "1111 1111 1xxx xxxx xxx1 110x x1x0 xxxx", "A7.4.3", "vqdmulh, vqrdmulh, scalar, odd qd", refuse(Undefined);
    "1111 1111 1xxx xxx1 xxxx 110x x1x0 xxxx", "A7.4.3", "vqdmulh, vqrdmulh, scalar, odd qn", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 0x1x x1x0 xxxx", "A7.4.3", "vmlal, vmlsl, scalar, odd qd", refuse(Undefined);
    "111x 1111 1xxx xxxx xxx1 101x x1x0 xxxx", "A7.4.3", "vmull, scalar, odd qd", refuse(Undefined);
    "111q 1111 1dss nnnn dddd 0000 n1m0 mmmm", "A8.8.338", "vmla, scalar", relocate(same(word));
    "111q 1111 1dss nnnn dddd 0001 n1m0 mmmm", "A8.8.338", "vmla, float, scalar", relocate(same(word));
    "111q 1111 1dss nnnn dddd 0100 n1m0 mmmm", "A8.8.338", "vmls, scalar", relocate(same(word));
    "111q 1111 1dss nnnn dddd 0101 n1m0 mmmm", "A8.8.338", "vmls, float, scalar", relocate(same(word));
    "111u 1111 1dss nnnn dddd 0010 n1m0 mmmm", "A8.8.338", "vmlal, scalar", relocate(same(word));
    "111u 1111 1dss nnnn dddd 0110 n1m0 mmmm", "A8.8.338", "vmlsl, scalar", relocate(same(word));
    "1110 1111 1dss nnnn dddd 0011 n1m0 mmmm", "A8.8.371", "vqdmlal, scalar", relocate(same(word));
    "1110 1111 1dss nnnn dddd 0111 n1m0 mmmm", "A8.8.371", "vqdmlsl, scalar", relocate(same(word));
    "111q 1111 1dss nnnn dddd 1000 n1m0 mmmm", "A8.8.352", "vmul, scalar", relocate(same(word));
    "111q 1111 1dss nnnn dddd 1001 n1m0 mmmm", "A8.8.352", "vmul, float, scalar", relocate(same(word));
    "111u 1111 1dss nnnn dddd 1010 n1m0 mmmm", "A8.8.352", "vmull, scalar", relocate(same(word));
    "1110 1111 1dss nnnn dddd 1011 n1m0 mmmm", "A8.8.373", "vqdmull, scalar", relocate(same(word));
    "111q 1111 1dss nnnn dddd 1100 n1m0 mmmm", "A8.8.372", "vqdmulh, scalar", relocate(same(word));
    "111q 1111 1dss nnnn dddd 1101 n1m0 mmmm", "A8.8.376", "vqrdmulh, scalar", relocate(same(word));
    "111x 1111 xxxx xxxx xxxx xxxx xxxx xxxx", "A7.4", "advanced SIMD, undefined", refuse(Undefined);

    // Element and structure accesses of Advanced SIMD (A7.7): some types and alignments are
    // undefined, and no list may extend beyond the last register.
    "1111 1001 0dl0 nnnn dddd tttt ssaa mmmm", "A7.7", "vld1 to vld4, vst1 to vst4: multiple", decide(structures(word));
    "1111 1001 1d10 nnnn dddd 11tt ssta mmmm", "A7.7", "vld1 to vld4: all lanes", decide(all_lanes(word));
    "1111 1001 1xx0 xxxx xxxx 11xx xxxx xxxx", "A7.7", "vst1 to vst4: all lanes", refuse(Undefined);
    "1111 1001 1dl0 nnnn dddd sstt iiii mmmm", "A7.7", "vld1 to vld4, vst1 to vst4: one lane", decide(one_lane(word));

    // Floating point and Advanced SIMD: transfers to and from the core's registers (A7.8, A7.9).
    "1110 1100 010x xxxx 1101 101x 00x1 xxxx", "A8.8.344", "vmov two, rt sp", refuse(Unpredictable);
    "1110 1100 010x 1101 xxxx 101x 00x1 xxxx", "A8.8.344", "vmov two, rt2 sp", refuse(Unpredictable);
    "1110 1100 010x xxxx 1111 101x 00x1 xxxx", "A8.8.344", "vmov two, rt pc", refuse(Unpredictable);
    "1110 1100 010x 1111 xxxx 101x 00x1 xxxx", "A8.8.344", "vmov two, rt2 pc", refuse(Unpredictable);
    "1110 1100 0100 uuuu tttt 1010 00m1 mmmm", "A8.8.344", "vmov sm, sm1, rt, rt2", decide(two_singles(word));
    "1110 1100 0101 uuuu tttt 1010 00m1 mmmm", "A8.8.344", "vmov rt, rt2, sm, sm1", decide(two_singles_apart(word, u, t));
    "1110 1100 0100 uuuu tttt 1011 00m1 mmmm", "A8.8.345", "vmov dm, rt, rt2", relocate(same(word));
    "1110 1100 0101 uuuu tttt 1011 00m1 mmmm", "A8.8.345", "vmov rt, rt2, dm", decide(apart(word, u, t));
    "1110 1100 0x0x xxxx xxxx 101x xxxx xxxx", "A7.9", "64-bit transfer, undefined", refuse(Undefined);
    "1110 1110 xxxx xxxx 1101 101x xxx1 xxxx", "A7.8", "32-bit transfer, sp", refuse(Unpredictable);
    "1110 1110 000x xxxx 1111 1010 xxx1 xxxx", "A8.8.343", "vmov sn, pc", refuse(Unpredictable);
    "1110 1110 000o nnnn tttt 1010 n001 0000", "A8.8.343", "vmov sn, rt", relocate(same(word));
    "1110 1110 000x xxxx xxxx 1010 xxx1 xxxx", "A8.8.343", "vmov sn, rt, otherwise", refuse(Unpredictable);
    "1110 1110 1110 xxxx 1111 1010 xxx1 xxxx", "A8.8.349", "vmsr, pc", refuse(Unpredictable);
    "1110 1110 1110 0000 tttt 1010 0001 0000", "B9.3.22", "vmsr fpsid, rt", relocate(same(word));
    "1110 1110 1110 0001 tttt 1010 0001 0000", "A8.8.349", "vmsr fpscr, rt", relocate(same(word));
    "1110 1110 1110 1000 tttt 1010 0001 0000", "B9.3.22", "vmsr fpexc, rt", relocate(same(word));
    "1110 1110 1110 1001 tttt 1010 0001 0000", "B9.3.22", "vmsr fpinst, rt", relocate(same(word));
    "1110 1110 1110 1010 tttt 1010 0001 0000", "B9.3.22", "vmsr fpinst2, rt", relocate(same(word));
    "1110 1110 1110 xxxx xxxx 1010 xxx1 xxxx", "B9.3.22", "vmsr, otherwise", refuse(Unpredictable);
    "1110 1110 1111 0001 1111 1010 0001 0000", "A8.8.348", "vmrs apsr, fpscr", relocate(same(word));
    "1110 1110 1111 xxxx 1111 1010 xxx1 xxxx", "B9.3.21", "vmrs pc", refuse(Unpredictable);
    "1110 1110 1111 0000 tttt 1010 0001 0000", "B9.3.21", "vmrs rt, fpsid", relocate(same(word));
    "1110 1110 1111 0001 tttt 1010 0001 0000", "A8.8.348", "vmrs rt, fpscr", relocate(same(word));
    "1110 1110 1111 0110 tttt 1010 0001 0000", "B9.3.21", "vmrs rt, mvfr1", relocate(same(word));
    "1110 1110 1111 0111 tttt 1010 0001 0000", "B9.3.21", "vmrs rt, mvfr0", relocate(same(word));
    "1110 1110 1111 1000 tttt 1010 0001 0000", "B9.3.21", "vmrs rt, fpexc", relocate(same(word));
    "1110 1110 1111 1001 tttt 1010 0001 0000", "B9.3.21", "vmrs rt, fpinst", relocate(same(word));
    "1110 1110 1111 1010 tttt 1010 0001 0000", "B9.3.21", "vmrs rt, fpinst2", relocate(same(word));
    "1110 1110 1111 xxxx xxxx 1010 xxx1 xxxx", "B9.3.21", "vmrs, otherwise", refuse(Unpredictable);
    "1110 1110 xxxx xxxx xxxx 1010 xxx1 xxxx", "A7.8", "32-bit transfer, undefined", refuse(Undefined);
    // Some sizes of a scalar, encoded in four bits, are unallocated.
    "1110 1110 00x0 xxxx xxxx 1011 x101 xxxx", "A8.8.341", "vmov dd[x], undefined", refuse(Undefined);
    "1110 1110 0xx0 xxxx 1111 1011 xxx1 xxxx", "A8.8.341", "vmov dd[x], pc", refuse(Unpredictable);
    "1110 1110 0oo0 dddd tttt 1011 doo1 0000", "A8.8.341", "vmov dd[x], rt", relocate(same(word));
    "1110 1110 0xx0 xxxx xxxx 1011 xxx1 xxxx", "A8.8.341", "vmov dd[x], rt, otherwise", refuse(Unpredictable);
    "1110 1110 1xx0 xxxx xxxx 1011 x1x1 xxxx", "A7.8", "vdup, undefined", refuse(Undefined);
    "1110 1110 1x10 xxx1 xxxx 1011 x0x1 xxxx", "A8.8.314", "vdup odd qd, rt", refuse(Undefined);
    "1110 1110 11x0 xxxx xxxx 1011 x011 xxxx", "A8.8.314", "vdup, no size", refuse(Undefined);
    "1110 1110 1xx0 xxxx 1111 1011 x0x1 xxxx", "A8.8.314", "vdup, pc", refuse(Unpredictable);
    "1110 1110 1bq0 dddd tttt 1011 d0e1 0000", "A8.8.314", "vdup, rt", relocate(same(word));
    "1110 1110 1xx0 xxxx xxxx 1011 xxx1 xxxx", "A8.8.314", "vdup, rt, otherwise", refuse(Unpredictable);
    "1110 1110 10x1 xxxx xxxx 1011 x001 xxxx", "A8.8.342", "vmov rt, dn[x], unsigned word", refuse(Undefined);
    "1110 1110 x0x1 xxxx xxxx 1011 x101 xxxx", "A8.8.342", "vmov rt, dn[x], undefined", refuse(Undefined);
    "1110 1110 xxx1 xxxx 1111 1011 xxx1 xxxx", "A8.8.342", "vmov pc, dn[x]", refuse(Unpredictable);
    "1110 1110 uoo1 nnnn tttt 1011 noo1 0000", "A8.8.342", "vmov rt, dn[x]", relocate(same(word));
    "1110 1110 xxx1 xxxx xxxx 1011 xxx1 xxxx", "A8.8.342", "vmov rt, dn[x], otherwise", refuse(Unpredictable);

    // Floating-point data processing (A7.5).
    "1110 1110 0d00 nnnn dddd 101s nom0 mmmm", "A8.8.337", "vmla, vmls (vfp)", relocate(same(word));
    "1110 1110 0d01 nnnn dddd 101s nom0 mmmm", "A8.8.356", "vnmla, vnmls (vfp)", relocate(same(word));
    "1110 1110 0d10 nnnn dddd 101s n1m0 mmmm", "A8.8.356", "vnmul (vfp)", relocate(same(word));
    "1110 1110 0d10 nnnn dddd 101s n0m0 mmmm", "A8.8.351", "vmul (vfp)", relocate(same(word));
    "1110 1110 0d11 nnnn dddd 101s n0m0 mmmm", "A8.8.283", "vadd (vfp)", relocate(same(word));
    "1110 1110 0d11 nnnn dddd 101s n1m0 mmmm", "A8.8.415", "vsub (vfp)", relocate(same(word));
    "1110 1110 1d00 nnnn dddd 101s n0m0 mmmm", "A8.8.312", "vdiv (vfp)", relocate(same(word));
    "1110 1110 1d01 nnnn dddd 101s nom0 mmmm", "A8.8.318", "vfnma, vfnms (vfp)", relocate(same(word));
    "1110 1110 1d10 nnnn dddd 101s nom0 mmmm", "A8.8.317", "vfma, vfms (vfp)", relocate(same(word));
    "1110 1110 1d11 iiii dddd 101s 0000 iiii", "A8.8.339", "vmov sd, #imm", relocate(same(word));
    "1110 1110 1x11 xxxx xxxx 101x x0x0 xxxx", "A8.8.339", "vmov sd, #imm, otherwise", refuse(Unpredictable);
    "1110 1110 1d11 0000 dddd 101s 01m0 mmmm", "A8.8.340", "vmov sd, sm", relocate(same(word));
    "1110 1110 1d11 0000 dddd 101s 11m0 mmmm", "A8.8.280", "vabs (vfp)", relocate(same(word));
    "1110 1110 1d11 0001 dddd 101s 01m0 mmmm", "A8.8.355", "vneg (vfp)", relocate(same(word));
    "1110 1110 1d11 0001 dddd 101s 11m0 mmmm", "A8.8.401", "vsqrt", relocate(same(word));
    "1110 1110 1d11 001o dddd 1010 t1m0 mmmm", "A8.8.311", "vcvtb, vcvtt", relocate(same(word));
    "1110 1110 1x11 001x xxxx 1011 x1x0 xxxx", "A8.8.311", "vcvtb, vcvtt, otherwise", refuse(Unpredictable);
    "1110 1110 1d11 0100 dddd 101s e1m0 mmmm", "A8.8.303", "vcmp", relocate(same(word));
    "1110 1110 1d11 0101 dddd 101s e100 0000", "A8.8.303", "vcmp, #0", relocate(same(word));
    "1110 1110 1x11 0101 xxxx 101x x1x0 xxxx", "A8.8.303", "vcmp, #0, otherwise", refuse(Unpredictable);
    "1110 1110 1d11 0111 dddd 101s 11m0 mmmm", "A8.8.309", "vcvt between sizes", relocate(same(word));
    "1110 1110 1d11 1000 dddd 101s o1m0 mmmm", "A8.8.306", "vcvt to float", relocate(same(word));
    "1110 1110 1d11 110o dddd 101s o1m0 mmmm", "A8.8.306", "vcvt to integer", relocate(same(word));
    "1110 1110 1d11 1o1u dddd 101s x1i0 iiii", "A8.8.308", "vcvt fixed point", decide(fixed_point(word));
    "1110 1110 xxxx xxxx xxxx 101x xxx0 xxxx", "A7.5", "floating point, undefined", refuse(Undefined);

    // Loads and stores of extension registers (A7.6). A load from the
    // pc would need a scratch register.
    "1110 1101 ud00 1111 dddd 101x iiii iiii", "A8.8.413", "vstr [pc, #imm]", refuse(Unpredictable);
    "1110 1101 ud01 1111 dddd 101x iiii iiii", "A8.8.333", "vldr [pc, #imm]", refuse(Literal);
    "1110 1101 ud00 nnnn dddd 101x iiii iiii", "A8.8.413", "vstr", relocate(same(word));
    "1110 1101 ud01 nnnn dddd 101x iiii iiii", "A8.8.333", "vldr", relocate(same(word));
    "1110 1100 1x10 1111 xxxx 101x xxxx xxxx", "A8.8.412", "vstmia pc!", refuse(Unpredictable);
    "1110 1100 1x00 1111 xxxx 101x xxxx xxxx", "A8.8.412", "vstmia pc", refuse(Unpredictable);
    "1110 1100 1dw0 nnnn dddd 101s iiii iiii", "A8.8.412", "vstmia", decide(extension_list(word));
    "1110 1100 1x11 1111 xxxx 101x xxxx xxxx", "A8.8.332", "vldmia pc!", refuse(Unpredictable);
    "1110 1100 1x01 1111 xxxx 101x xxxx xxxx", "A8.8.332", "vldmia pc", refuse(Unpredictable);
    "1110 1100 1dw1 nnnn dddd 101s iiii iiii", "A8.8.332", "vldmia", decide(extension_list(word));
    "1110 1101 0x10 1111 xxxx 101x xxxx xxxx", "A8.8.412", "vstmdb pc!", refuse(Unpredictable);
    "1110 1101 0d10 nnnn dddd 101s iiii iiii", "A8.8.412", "vstmdb", decide(extension_list(word));
    "1110 1101 0x11 1111 xxxx 101x xxxx xxxx", "A8.8.332", "vldmdb pc!", refuse(Unpredictable);
    "1110 1101 0d11 nnnn dddd 101s iiii iiii", "A8.8.332", "vldmdb", decide(extension_list(word));
    "1110 110x xxxx xxxx xxxx 101x xxxx xxxx", "A7.6", "extension register transfer, undefined", refuse(Undefined);

    // The system control coprocessor, 15 (B3.17). Refused are operations that change the mapping
    // under a slot, and registers that hold state of the last exception: the trap is one. So are
    // invalidations of a whole cache or set without write-back, since the trap has dirtied lines
    // too; by address (c7, c6, 1) only lines that the code named are affected.
    "1110 1110 xxxx xxxx 1101 111x xxx1 xxxx", "A8.8.98", "mcr, mrc: sp", refuse(Unpredictable);
    "1110 1100 010x xxxx 1101 111x xxxx xxxx", "A8.8.99", "mcrr, mrrc: rt sp", refuse(Unpredictable);
    "1110 1100 010x 1101 xxxx 111x xxxx xxxx", "A8.8.99", "mcrr, mrrc: rt2 sp", refuse(Unpredictable);
    "1110 1110 xxx0 xxxx 1111 1111 xxx1 xxxx", "A8.8.98", "mcr p15, pc", refuse(Unpredictable);
    "1110 1110 xxx1 xxxx 1111 1111 xxx1 xxxx", "A8.8.107", "mrc p15, pc", refuse(Unpredictable);
    "1110 1110 ooo0 0001 tttt 1111 0001 0000", "A8.8.98", "mcr p15, control", refuse(Mapping);
    "1110 1110 ooo0 0010 tttt 1111 ooo1 mmmm", "A8.8.98", "mcr p15, translation tables", refuse(Mapping);
    "1110 1110 ooo0 1101 tttt 1111 0001 0000", "A8.8.98", "mcr p15, fast context switch", refuse(Mapping);
    "1110 1110 ooo0 0001 tttt 1111 ooo1 0001", "A8.8.98", "mcr p15, security and virtualization", refuse(Mapping);
    "1110 1110 ooo0 0001 tttt 1111 0011 0000", "A8.8.98", "mcr p15, auxiliary control", refuse(Implementation);
    "1110 1110 ooo0 0111 tttt 1111 0x01 011x", "A8.8.98", "mcr p15, invalidate without cleaning", refuse(Mapping);
    "1110 1110 ooo0 1001 tttt 1111 ooo1 0001", "A8.8.98", "mcr p15, memory beside the core", refuse(Mapping);
    "1110 1110 ooo0 1010 tttt 1111 ooo1 001x", "A8.8.98", "mcr p15, memory attributes", refuse(Mapping);
    "1110 1110 ooo0 1111 tttt 1111 ooo1 mmmm", "A8.8.98", "mcr p15, c15", refuse(Implementation);
    "1110 1110 ooo1 0101 tttt 1111 ooo1 mmmm", "A8.8.107", "mrc p15, fault status", refuse(Order);
    "1110 1110 ooo1 0110 tttt 1111 ooo1 mmmm", "A8.8.107", "mrc p15, fault address", refuse(Order);
    "1110 1110 ooo0 nnnn tttt 1111 ooo1 mmmm", "A8.8.98", "mcr p15", relocate(same(word));
    "1110 1110 ooo1 nnnn tttt 1111 ooo1 mmmm", "A8.8.107", "mrc p15", relocate(same(word));
    "1110 1110 xxxx xxxx xxxx 1111 xxx0 xxxx", "A8.8.30", "cdp p15", refuse(Undefined);
    "1110 1100 010x xxxx 1111 1111 xxxx xxxx", "A8.8.99", "mcrr, mrrc p15, rt pc", refuse(Unpredictable);
    "1110 1100 010x 1111 xxxx 1111 xxxx xxxx", "A8.8.99", "mcrr, mrrc p15, rt2 pc", refuse(Unpredictable);
    "1110 1100 0100 uuuu tttt 1111 oooo 0010", "A8.8.99", "mcrr p15, translation tables", refuse(Mapping);
    "1110 1100 0100 uuuu tttt 1111 oooo mmmm", "A8.8.99", "mcrr p15", relocate(same(word));
    "1110 1100 0101 uuuu tttt 1111 oooo mmmm", "A8.8.108", "mrrc p15", decide(apart(word, u, t));
    "1110 110x xxxx xxxx xxxx 1111 xxxx xxxx", "A8.8.55", "ldc, stc p15", refuse(Undefined);
    // The debug coprocessor, 14 (C6.3). Only its status register can be loaded into the flags
    // (C11.11.20).
    "1110 1110 xxx0 xxxx 1111 1110 xxx1 xxxx", "A8.8.98", "mcr p14, pc", refuse(Unpredictable);
    "1110 1110 ooo0 nnnn tttt 1110 ooo1 mmmm", "A8.8.98", "mcr p14", relocate(same(word));
    "1110 1110 0001 0000 1111 1110 0001 0001", "A8.8.107", "mrc p14, flags", relocate(same(word));
    "1110 1110 xxx1 xxxx 1111 1110 xxx1 xxxx", "A8.8.107", "mrc p14, pc", refuse(Unpredictable);
    "1110 1110 ooo1 nnnn tttt 1110 ooo1 mmmm", "A8.8.107", "mrc p14", relocate(same(word));
    "1110 1110 xxxx xxxx xxxx 1110 xxx0 xxxx", "A8.8.30", "cdp p14", refuse(Undefined);
    "1110 1100 0100 xxxx xxxx 1110 xxxx xxxx", "A8.8.99", "mcrr p14", refuse(Undefined);
    "1110 1100 0101 xxxx 1111 1110 xxxx xxxx", "A8.8.108", "mrrc p14, rt pc", refuse(Unpredictable);
    "1110 1100 0101 1111 xxxx 1110 xxxx xxxx", "A8.8.108", "mrrc p14, rt2 pc", refuse(Unpredictable);
    "1110 1100 0101 uuuu tttt 1110 oooo mmmm", "A8.8.108", "mrrc p14", decide(apart(word, u, t));
    "1110 1100 000x xxxx xxxx 1110 xxxx xxxx", "A5.6", "ldc, stc p14, undefined", refuse(Undefined);
    "1110 110x x01x 1111 0101 1110 xxxx xxxx", "A8.8.55", "ldc, stc p14, [pc]!", refuse(Unpredictable);
    "1110 110p u0w0 1111 0101 1110 iiii iiii", "A8.8.198", "stc p14, [pc]", refuse(Unpredictable);
    "1110 110p u0w1 1111 0101 1110 iiii iiii", "A8.8.56", "ldc p14, [pc]", refuse(Literal);
    "1110 110p u0w0 nnnn 0101 1110 iiii iiii", "A8.8.198", "stc p14", relocate(same(word));
    "1110 110p u0w1 nnnn 0101 1110 iiii iiii", "A8.8.55", "ldc p14", relocate(same(word));
    "1110 110x xxxx xxxx xxxx 1110 xxxx xxxx", "A8.8.55", "ldc, stc p14, otherwise", refuse(Undefined);
    // Of the others, 0 to 7 are IMPLEMENTATION DEFINED, and 8, 9, 12 and 13 reserved.
    "1110 110x xxxx xxxx xxxx 0xxx xxxx xxxx", "A8.8.55", "ldc, stc, mcrr, mrrc: 0 to 7", refuse(Implementation);
    "1110 110x xxxx xxxx xxxx xxxx xxxx xxxx", "A8.8.55", "ldc, stc, mcrr, mrrc: nobody's", refuse(Undefined);
    "1110 1110 xxxx xxxx xxxx 0xxx xxxx xxxx", "A8.8.30", "cdp, mcr, mrc: 0 to 7", refuse(Implementation);
    "1110 1110 xxxx xxxx xxxx xxxx xxxx xxxx", "A8.8.30", "cdp, mcr, mrc: nobody's", refuse(Undefined);

    otherwise
    "xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx", "A6.2.5", "miscellaneous, 16 bits, undefined", refuse(Undefined);
}
