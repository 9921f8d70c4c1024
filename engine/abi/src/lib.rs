//! The interface between the engine, in the kernel module or in a process, and the `dtrace` command.
//!
//! - [`Command`] and the structs of `ioctl`: the requests of [`DEVICE`].
//! - [`channel`]: how they reach the engine in a process.
//! - [`ProgramHeader`] and the tables of `program`: a compiled D program.
//! - [`Records`]: the contents of a drained buffer.
//! - [`UnwindRow`]: a row of the tables by which stacks of processes are unwound.
//!
//! All of it is plain data with the same layout on every architecture: no pointer, no `usize`, no
//! padding, and 64-bit fields aligned to 64 bits. Sizes are asserted, because the kernel copies
//! exactly `size_of` bytes in and out. Incompatible changes increment [`VERSION`] or [`MAGIC`].

#![no_std]
#![forbid(unsafe_code)]

pub mod channel;
mod codes;
mod fault;
mod ioctl;
pub mod path;
mod probe;
mod program;
mod record;
mod site;
mod unwind;

pub use fault::Fault;
pub use ioctl::{
    BUFFER_SIZE, BufSnap, BufferPolicy, Command, Conf, ECBS_MAX, Enable, EprobeDesc, Go, Mechanism,
    Opened, PROGRAM_MAX, PidArm, PidExecs, PidProbes, PidRange, ProbeMatch, Program, REASON_LEN,
    SPECULATIONS_MAX, Status, Stop, UNWIND_ROWS_MAX, Unwind, VERSION,
};
pub use probe::{Description, FUNCTION_LEN, MODULE_LEN, NAME_LEN, PROVIDER_LEN, TextTooLong};
pub use program::{
    AggregateFunction, AggregationRow, ClauseRow, DESTRUCTIVE, FieldKind, FieldRow, Instruction,
    KeyRow, MAGIC, ProgramHeader, QUANTIZE_BUCKETS, Scope, Span, ValueKind, VariableRow,
};
pub use record::{Record, RecordHeader, Records};
pub use site::{
    IN_MEMORY, INDEX_IS_SIGNED, INDEX_IS_WORD, IS_SIGNED, NO_REGISTER, OPERANDS_MAX, Operand,
    PidSite,
};
pub use unwind::{FrameRule, UnwindRow};

/// The device that the command opens: one open file is one consumer.
pub const DEVICE: &str = "/dev/dtrace";
