//! Disassembly of a clause, as `dtrace -S` shows it: a line for each instruction, with its offset,
//! its bytes, its operands (sources first), and what its immediate names.

use core::fmt::{Display, Formatter, Result, Write};

use engine_abi::{Instruction, Scope};

use crate::clause::Clause;
use crate::names::{Builtin, Subroutine};
use crate::op::{Immediate, Op};

/// Formats the disassembly of a clause.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a>(pub Clause<'a>);

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "OFF OPCODE              INSTRUCTION")?;
        for (at, instruction) in self.0.instructions().enumerate() {
            let Instruction {
                op,
                d,
                a,
                b,
                immediate,
            } = instruction;
            write!(
                f,
                "{at:02}: {op:02x}{d:02x}{a:02x}{b:02x}{immediate:08x}    "
            )?;
            match Op::from_code(op) {
                None => {}
                Some(op) if op.shape().is_bare() => f.write_str(op.word())?,
                Some(op) => {
                    write!(f, "{:<4} ", op.word())?;
                    operands(f, op, instruction)?;
                    comment(f, self.0, op, immediate)?;
                }
            }
            f.write_char('\n')?;
        }
        Ok(())
    }
}

fn operands(f: &mut Formatter<'_>, op: Op, instruction: Instruction) -> Result {
    let Instruction {
        d, a, b, immediate, ..
    } = instruction;
    match op {
        Op::Ldsb | Op::Ldsh | Op::Ldsw | Op::Ldub | Op::Lduh | Op::Lduw | Op::Ldx => {
            write!(f, "[%r{a}], %r{d}")
        }
        Op::Stb | Op::Sth | Op::Stw | Op::Stx => write!(f, "%r{b}, [%r{a}]"),
        Op::Seti => write!(f, "{}, %r{d}", immediate as i32),
        _ => listed(f, op, instruction),
    }
}

/// The operands that the op uses: sources, immediate, destination.
fn listed(f: &mut Formatter<'_>, op: Op, instruction: Instruction) -> Result {
    let shape = op.shape();
    let mut separator = "";
    let sources = [
        (shape.reads_a, instruction.a),
        (shape.reads_b, instruction.b),
    ];
    for (is_read, register) in sources {
        if is_read {
            write!(f, "{separator}%r{register}")?;
            separator = ", ";
        }
    }
    let immediate = instruction.immediate;
    if shape.immediate != Immediate::Unused {
        f.write_str(separator)?;
        separator = ", ";
    }
    match shape.immediate {
        Immediate::Unused => {}
        Immediate::Number | Immediate::Target => write!(f, "{immediate}")?,
        Immediate::Text => write!(f, "DT_STRING[{immediate}]")?,
        Immediate::Variable | Immediate::Bytes | Immediate::Array => {
            write!(f, "DT_VAR({immediate})")?
        }
        Immediate::Aggregation => write!(f, "DT_AGG({immediate})")?,
        Immediate::Field => write!(f, "DT_FIELD({immediate})")?,
        Immediate::Builtin => write!(f, "DT_BUILTIN({immediate})")?,
        Immediate::Subroutine => write!(f, "DIF_SUBR({immediate})")?,
    }
    if shape.writes_d {
        write!(f, "{separator}%r{}", instruction.d)?;
    }
    Ok(())
}

/// What the immediate names.
fn comment(f: &mut Formatter<'_>, clause: Clause<'_>, op: Op, immediate: u32) -> Result {
    let tables = clause.tables;
    let string = |offset| tables.string(offset).unwrap_or_default().escape_ascii();
    match op.shape().immediate {
        Immediate::Unused | Immediate::Target => Ok(()),
        Immediate::Number => write!(f, "\t\t! {immediate:#x}"),
        Immediate::Text => write!(f, "\t\t! \"{}\"", string(immediate)),
        Immediate::Variable | Immediate::Bytes | Immediate::Array => {
            match tables.variable(immediate) {
                None => Ok(()),
                Some(variable) => {
                    let scope = match variable.scope {
                        Scope::Global => "",
                        Scope::Thread => "self->",
                        Scope::Clause => "this->",
                    };
                    let index = if variable.is_array() { "[]" } else { "" };
                    write!(f, "\t\t! {scope}{}{index}", string(variable.name))
                }
            }
        }
        Immediate::Aggregation => match tables.aggregation(immediate) {
            None => Ok(()),
            Some(aggregation) => write!(f, "\t\t! @{}", string(aggregation.name)),
        },
        Immediate::Field => match tables.field(immediate) {
            None => Ok(()),
            Some(field) => {
                let (kind, size, offset) = (field.kind.word(), field.size, field.offset);
                write!(f, "\t\t! {kind}, {size} bytes at {offset}")
            }
        },
        Immediate::Builtin => match Builtin::from_code(immediate) {
            None => Ok(()),
            Some(builtin) => write!(f, "\t\t! {}", builtin.word()),
        },
        Immediate::Subroutine => match Subroutine::from_code(immediate) {
            None => Ok(()),
            Some(subroutine) => write!(f, "\t\t! {}", subroutine.word()),
        },
    }
}
