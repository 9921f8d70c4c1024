//! Paths: every instruction that the threads of a program execute.
//!
//! A recorder in the traced process writes raw events ([`engine_abi::path`]): what was decided at each
//! conditional and each indirect branch, and the text around them. [`Recorder`](recorder::Recorder) reads them, and walks the text
//! along with them ([`walk`]): then a conditional branch takes one bit, as does a return that goes where its
//! call came from, or an indirect branch that goes where it went the last time. That is in the [`file`], with
//! the text. [`Replay`](replay::Replay) reads the file, takes the same walks, and tells a [`Visitor`](replay::Visitor) where they go.
//!
//! Both walks are of one implementation, because each must predict what the other one predicts. What a
//! prediction depends on is therefore the thread's own, or is in the order of the records: the decisions that
//! were taken before text that could change them are written before it.
//!
//! The file may be cut off, or damaged, and events may be missing: what comes before is read.

mod block;
mod event;
mod file;
mod raw;
mod record;
mod recorder;
mod replay;
mod report;
mod stack;
mod unrecorded;
mod walk;

pub use record::record;
pub use report::{Point, Report, report};

#[cfg(test)]
mod tests;
