//! Constraints that a bit pattern cannot express: which registers an operand may be, that two fields
//! must differ, and what an IT block forbids. Each function here takes the word and the fields
//! concerned, and returns the whole plan.

use super::emulate;
use super::relocate::{same, same_short, trapping};
use crate::arm::action::Emulation;
use crate::arm::extension;
use crate::arm::operand::{self, bit, bits};
use crate::arm::relocation::Relocation;
use crate::arm::state::Block;
use crate::mutant::{self, Mutant};
use crate::{Plan, Why};

type Answer = Plan<Emulation, Relocation>;

/// Relocates `word` if the manual's constraint holds.
fn if_so(holds: bool, word: u32) -> Answer {
    unless((!holds).then_some(Why::Unpredictable), word)
}

/// Relocates `word` unless there is a reason not to.
fn unless(why: Option<Why>, word: u32) -> Answer {
    why.map_or_else(|| Plan::Relocate(same(word)), Plan::Refuse)
}

/// Emulates the instruction if the manual's constraint holds.
fn emulated_if_so(holds: bool, emulation: Emulation) -> Answer {
    if holds {
        return Plan::Emulate(emulation);
    }
    Plan::Refuse(Why::Unpredictable)
}

/// Whether a register can be an operand anywhere: sp and pc cannot.
fn is_general(register: u32) -> bool {
    let is_sp = register == 13 && !mutant::is_chosen(Mutant::StackOperand);
    !is_sp && register != 15
}

/// Whether all of these are general.
fn are_general<const N: usize>(registers: [u32; N]) -> bool {
    registers.into_iter().all(is_general)
}

/// One general register.
pub(super) fn one(word: u32, a: u32) -> Answer {
    if_so(is_general(a), word)
}

/// Two general registers.
pub(super) fn two(word: u32, a: u32, b: u32) -> Answer {
    if_so(are_general([a, b]), word)
}

/// Three general registers.
pub(super) fn three(word: u32, a: u32, b: u32, c: u32) -> Answer {
    if_so(are_general([a, b, c]), word)
}

/// Four general registers.
pub(super) fn four(word: u32, a: u32, b: u32, c: u32, d: u32) -> Answer {
    if_so(are_general([a, b, c, d]), word)
}

/// The same, of which the first two are results and must differ.
pub(super) fn four_apart(word: u32, a: u32, b: u32, c: u32, d: u32) -> Answer {
    if_so(a != b && are_general([a, b, c, d]), word)
}

/// A multiplication that adds `a`: the pc there is another instruction.
pub(super) fn multiply(word: u32, d: u32, a: u32, n: u32, m: u32) -> Answer {
    four(word, d, a, n, m)
}

/// Any register but the pc.
pub(super) fn not_pc(word: u32, register: u32) -> Answer {
    if_so(register != 15, word)
}

/// Two registers must differ.
pub(super) fn apart(word: u32, one: u32, other: u32) -> Answer {
    if_so(one != other, word)
}

/// An operand that is encoded twice.
pub(super) fn twice(word: u32, d: u32, n: u32, m: u32) -> Answer {
    if_so(n == m && are_general([d, m]), word)
}

/// `mov.w rd, rm`: without flags, one of the two may be sp.
pub(super) fn mov(word: u32, flags: u32, d: u32, m: u32) -> Answer {
    let both = d == 13 && m == 13;
    let without_flags = d != 15 && m != 15 && !both;
    if_so(are_general([d, m]) || flags == 0 && without_flags, word)
}

/// `cmp.w rn, rm` and `cmn.w rn, rm`.
pub(super) fn compare(word: u32, n: u32, m: u32) -> Answer {
    if_so(n != 15 && is_general(m), word)
}

/// A sum of sp, or a difference: in sp itself only of what is shifted left by at most 3.
pub(super) fn add_to_sp(word: u32, d: u32, m: u32) -> Answer {
    let by = bits(word, 12, 3) << 2 | bits(word, 6, 2);
    let is_small = bits(word, 4, 2) == 0 && by <= 3;
    if_so(d != 15 && is_general(m) && (d != 13 || is_small), word)
}

/// `adr.w`.
pub(super) fn address(word: u32, d: u32) -> Answer {
    emulated_if_so(is_general(d), emulate::adr(word, d))
}

/// `sbfx`, `ubfx`: the field must end below bit 32.
pub(super) fn field(word: u32, d: u32, n: u32) -> Answer {
    let lowest = bits(word, 12, 3) << 2 | bits(word, 6, 2);
    let is_within = lowest.wrapping_add(bits(word, 0, 5)) < 32;
    if_so(are_general([d, n]) && is_within, word)
}

/// `bfc`.
pub(super) fn clear_field(word: u32, d: u32) -> Answer {
    bit_field(word, d, d)
}

/// `bfi`: the highest bit must not lie below the lowest.
pub(super) fn bit_field(word: u32, d: u32, n: u32) -> Answer {
    let lowest = bits(word, 12, 3) << 2 | bits(word, 6, 2);
    if_so(are_general([d, n]) && bits(word, 0, 5) >= lowest, word)
}

/// `msr` of at least one part of the status.
pub(super) fn msr(word: u32, n: u32, mask: u32) -> Answer {
    if_so(is_general(n) && mask != 0, word)
}

/// `mrs`.
pub(super) fn status(word: u32, d: u32) -> Answer {
    one(word, d)
}

/// `mrs` and `msr` of another mode's banked register, or of its SPSR.
pub(super) fn banked(word: u32, is_spsr: u32, register: u32, highest: u32, number: u32) -> Answer {
    if !is_general(register) {
        return Plan::Refuse(Why::Unpredictable);
    }
    unless(operand::banked(is_spsr, highest << 4 | number), word)
}

/// `cps` of 32 bits.
pub(super) fn cps(word: u32, imod: u32, m: u32, interrupts: u32, mode: u32) -> Answer {
    if_so(operand::is_cps(imod, m, interrupts, mode), word)
}

/// `cps` of 16 bits.
pub(super) fn cps_short(word: u32, interrupts: u32) -> Answer {
    if interrupts == 0 {
        return Plan::Refuse(Why::Unpredictable);
    }
    Plan::Relocate(same_short(word))
}

/// `it`: not without a condition, and of the one that always holds nothing is the opposite.
pub(super) fn block(condition: u32, mask: u32) -> Answer {
    let is_mixed = condition == 0b1110 && mask.count_ones() != 1;
    emulated_if_so(
        condition != 0b1111 && !is_mixed,
        emulate::block(condition, mask),
    )
}

/// Whether a list has at least two registers.
const fn has_two(list: u32) -> bool {
    list.count_ones() >= 2
}

/// `push.w {list}`.
pub(super) fn push(word: u32) -> Answer {
    emulated_if_so(has_two(bits(word, 0, 16)), emulate::push(word))
}

/// `push.w {rt}`.
pub(super) fn push_one(register: u32) -> Answer {
    emulated_if_so(is_general(register), emulate::push_one(register))
}

/// `stm`: a base that is written back must not be in the list.
pub(super) fn store_list(word: u32, base: u32, back: u32) -> Answer {
    let list = bits(word, 0, 16);
    let stores_base = back == 1 && bit(list, base);
    if_so(base != 15 && has_two(list) && !stores_base, word)
}

/// `stm` of 16 bits: the value stored for the base is known only if it is the lowest.
pub(super) fn store_list_short(word: u32, base: u32, list: u32) -> Answer {
    if bit(list, base) && list.trailing_zeros() != base {
        return Plan::Refuse(Why::Unpredictable);
    }
    Plan::Relocate(same_short(word))
}

/// `ldm`: a base that is written back must not be in the list, nor both lr and pc.
pub(super) fn load_list(word: u32, base: u32, back: u32) -> Answer {
    let list = bits(word, 0, 16);
    let loads_base = back == 1 && bit(list, base) && !mutant::is_chosen(Mutant::BlockBase);
    let (lr, pc) = (bit(list, 14), bit(list, 15));
    let is_known = base != 15 && has_two(list) && !loads_base && !(lr && pc);
    if pc {
        return emulated_if_so(is_known, emulate::load_list(word));
    }
    if_so(is_known, word)
}

/// `strex`: a trap clears the exclusive monitor that it depends on.
pub(super) fn exclusive_store(word: u32) -> Answer {
    if mutant::is_chosen(Mutant::ExclusiveKept) {
        return Plan::Relocate(same(word));
    }
    Plan::Refuse(Why::Exclusive)
}

/// `ldrex`.
pub(super) fn exclusive_load(word: u32, base: u32, t: u32) -> Answer {
    if_so(base != 15 && is_general(t), word)
}

/// `ldrexd`.
pub(super) fn exclusive_load_dual(word: u32, base: u32, t: u32, u: u32) -> Answer {
    if_so(base != 15 && are_general([t, u]) && t != u, word)
}

/// `tbb`, `tbh`.
pub(super) fn table(word: u32, base: u32, index: u32) -> Answer {
    emulated_if_so(base != 13 && is_general(index), emulate::table(word))
}

/// `strd`.
pub(super) fn store_dual(word: u32, back: u32, base: u32, t: u32, u: u32) -> Answer {
    let stores_base = back == 1 && (base == t || base == u);
    if_so(base != 15 && are_general([t, u]) && !stores_base, word)
}

/// `ldrd`.
pub(super) fn dual(word: u32, back: u32, base: u32, t: u32, u: u32) -> Answer {
    let loads_base = back == 1 && (base == t || base == u);
    if_so(are_general([t, u]) && t != u && !loads_base, word)
}

/// `ldrd rt, rt2, [pc]`.
pub(super) fn dual_literal(word: u32, t: u32, u: u32) -> Answer {
    emulated_if_so(
        are_general([t, u]) && t != u,
        emulate::dual_literal(word, t, u),
    )
}

/// A load of a byte or halfword from the pc.
pub(super) fn literal(word: u32, t: u32) -> Answer {
    emulated_if_so(is_general(t), emulate::literal(word, t))
}

/// A transfer of a general register that writes its base back.
pub(super) fn general_back(word: u32, base: u32, t: u32) -> Answer {
    if_so(is_general(t) && base != t, word)
}

/// A transfer of a word that writes its base back.
pub(super) fn word_back(word: u32, base: u32, t: u32) -> Answer {
    if_so(t != 15 && base != t, word)
}

/// A store of a word at an offset in a register.
pub(super) fn store_word_register(word: u32, t: u32, m: u32) -> Answer {
    if_so(t != 15 && is_general(m), word)
}

/// `ldr` at an offset in a register.
pub(super) fn load_word_register(word: u32, t: u32, m: u32) -> Answer {
    if t == 15 {
        return emulated_if_so(is_general(m), emulate::load_pc_register(word));
    }
    if_so(is_general(m), word)
}

/// `vmov` to two single registers.
pub(super) fn two_singles(word: u32) -> Answer {
    if_so(extension::are_two_singles(word), word)
}

/// `vmov` from two single registers, to two core registers that differ.
pub(super) fn two_singles_apart(word: u32, one: u32, other: u32) -> Answer {
    if_so(one != other && extension::are_two_singles(word), word)
}

/// `vldm`, `vstm`.
pub(super) fn extension_list(word: u32) -> Answer {
    if_so(extension::is_list(word), word)
}

/// `vcvt` of a fixed-point number.
pub(super) fn fixed_point(word: u32) -> Answer {
    if_so(extension::is_fixed_point(word), word)
}

/// `vtbl`, `vtbx`.
pub(super) fn table_lookup(word: u32) -> Answer {
    if_so(extension::is_table(word), word)
}

/// `vld1` to `vld4` and `vst1` to `vst4` of multiple structures.
pub(super) fn structures(word: u32) -> Answer {
    unless(extension::structures(word), word)
}

/// The same of one lane.
pub(super) fn one_lane(word: u32) -> Answer {
    unless(extension::one_lane(word), word)
}

/// The same to all lanes.
pub(super) fn all_lanes(word: u32) -> Answer {
    unless(extension::all_lanes(word), word)
}

/// The plan for `word` at a place in an IT block, if `plan` is the one outside of any (A2.5.2).
pub(super) fn in_block(plan: Answer, word: u32, block: Block) -> Answer {
    let must_be_last = match &plan {
        Plan::Emulate(emulation) => emulation.branches(),
        Plan::Relocate(_) | Plan::Refuse(_) => false,
    };
    let is_open = is_never_in_block(word) || must_be_last && block.is_before_others();
    match plan {
        Plan::Refuse(_) => plan,
        _ if is_open => Plan::Refuse(Why::Unpredictable),
        Plan::Relocate(copy) if block.is_before_others() => {
            Plan::Relocate(trapping(word, copy.length()))
        }
        Plan::Emulate(_) | Plan::Relocate(_) => plan,
    }
}

/// `movs rd, rm`, `cbz` and `cbnz`, `cps`, `it`, and branches with conditions of their own.
const fn is_never_in_block(word: u32) -> bool {
    let half = word >> 16;
    let is_short = half >> 6 == 0
        || half & 0xf500 == 0xb100
        || half & 0xffe0 == 0xb660
        || half & 0xff00 == 0xbf00 && half & 0xf != 0
        || half & 0xf000 == 0xd000;
    let is_cps = word & 0xffff_f800 == 0xf3af_8000 && word & 0x0700 != 0;
    let is_branch = word & 0xf800_d000 == 0xf000_8000 && word & 0x0380_0000 != 0x0380_0000;
    is_short || is_cps || is_branch
}
