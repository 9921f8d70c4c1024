//! Clauses that do nothing but to record values: whoever knows the values needs no machine to run one.

use engine_abi::FieldKind;

use crate::clause::Clause;
use crate::names::Builtin;
use crate::op::{Op, REGISTERS};

/// A value that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// This number.
    Number(u64),
    /// A built-in variable, and its index if it takes one.
    Builtin(Builtin, u64),
}

/// A scalar of such a clause's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// Its offset in the record, after the header, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// What is recorded of it: the low bytes.
    pub source: Source,
}

impl Clause<'_> {
    /// Whether all that it does is to record numbers, and built-in variables that can be read without a fault:
    /// at every firing, in one record, whose other bytes are 0. Calls `each` with these in the order of
    /// their offsets, and may have done so if it is not.
    pub fn is_recorded(&self, mut each: impl FnMut(Recorded)) -> bool {
        let mut registers = [Source::Number(0); REGISTERS as usize];
        let (mut is_open, mut end) = (false, 0);
        for it in self.instructions() {
            let a = registers.get(usize::from(it.a)).copied();
            let a = a.unwrap_or(Source::Number(0));
            let value = match (Op::from_code(it.op), a) {
                (Some(Op::Ret), _) => return is_open,
                (Some(Op::Open), _) if !is_open => {
                    is_open = true;
                    continue;
                }
                (Some(Op::Rec), source) if is_open => {
                    let Some(field) = self.tables.field(it.immediate) else {
                        return false;
                    };
                    if field.kind != FieldKind::Scalar || field.offset < end {
                        return false;
                    }
                    end = field.offset.wrapping_add(field.size);
                    each(Recorded {
                        offset: field.offset,
                        size: field.size,
                        source,
                    });
                    continue;
                }
                (Some(Op::Seti), _) => Source::Number(it.immediate as i32 as u64),
                (Some(Op::Seth), Source::Number(low)) => {
                    Source::Number(u64::from(it.immediate) << 32 | low & 0xffff_ffff)
                }
                (Some(Op::Mov), source) => source,
                (Some(Op::Ldb), Source::Number(index)) => match Builtin::from_code(it.immediate) {
                    Some(builtin) if is_plain(builtin) => Source::Builtin(builtin, index),
                    _ => return false,
                },
                _ => return false,
            };
            if let (Some(register), 1..) = (registers.get_mut(usize::from(it.d)), it.d) {
                *register = value;
            }
        }
        false
    }
}

/// Whether reading it is neither work that is charged for nor may need memory.
const fn is_plain(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::Arg
            | Builtin::Timestamp
            | Builtin::Id
            | Builtin::Epid
            | Builtin::Pid
            | Builtin::Tid
            | Builtin::Ppid
    )
}
