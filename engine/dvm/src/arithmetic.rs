//! The ops that only compute.

use core::cmp::Ordering;

use engine_abi::Fault;

use crate::mutant;
use crate::op::Op;

/// The result of an op; `None` if it does more than compute.
pub(crate) fn compute(op: Op, a: u64, b: u64) -> Option<Result<u64, Fault>> {
    let (signed_a, signed_b) = (a as i64, b as i64);
    Some(Ok(match op {
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::And => a & b,
        // The wrapping shifts take the low 6 bits.
        Op::Sll => a.wrapping_shl(b as u32),
        Op::Srl => a.wrapping_shr(b as u32),
        Op::Sra if mutant::is_active("shift-unsigned") => a.wrapping_shr(b as u32),
        Op::Sra => signed_a.wrapping_shr(b as u32) as u64,
        Op::Sub => a.wrapping_sub(b),
        Op::Add => a.wrapping_add(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Not => !a,
        Op::Mov => a,
        Op::Sxtb => a as i8 as u64,
        Op::Sxth => a as i16 as u64,
        Op::Sxtw => a as i32 as u64,
        Op::Zxtb => a as u8 as u64,
        Op::Zxth => a as u16 as u64,
        Op::Zxtw => a as u32 as u64,
        Op::Ceq => (a == b) as u64,
        Op::Cne => (a != b) as u64,
        Op::Clt if mutant::is_active("order-unsigned") => (a < b) as u64,
        Op::Clt => (signed_a < signed_b) as u64,
        Op::Cle => (signed_a <= signed_b) as u64,
        Op::Cltu => (a < b) as u64,
        Op::Cleu => (a <= b) as u64,
        Op::Sdiv | Op::Udiv | Op::Srem | Op::Urem => return Some(divide(op, a, b)),
        _ => return None,
    }))
}

/// Divides. i64::MIN by -1 is i64::MIN, remainder 0.
fn divide(op: Op, a: u64, b: u64) -> Result<u64, Fault> {
    if b == 0 {
        return Err(Fault::DivideByZero);
    }
    let (signed_a, signed_b) = (a as i64, b as i64);
    Ok(match op {
        Op::Sdiv => signed_a.checked_div(signed_b).unwrap_or(signed_a) as u64,
        Op::Srem => signed_a.checked_rem(signed_b).unwrap_or(0) as u64,
        Op::Udiv => a.checked_div(b).unwrap_or(0),
        _ => a.checked_rem(b).unwrap_or(0),
    })
}

/// -1, 0 or 1.
pub(crate) const fn sign(ordering: Ordering) -> u64 {
    ordering as i64 as u64
}
