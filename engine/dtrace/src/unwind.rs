//! Unwind tables of the processes over whose stacks a program walks.

use std::collections::BTreeSet;

use engine_abi::Unwind;
use engine_objects::{Object, Objects, Process};

use crate::engine::Engine;
use crate::error::Error;

/// Hands over the tables of these processes' objects, as they are mapped now. Where that fails, walks
/// follow frame pointers alone: returns a message for each such process.
pub fn hand_over(engine: &dyn Engine, pids: &BTreeSet<u32>) -> Vec<String> {
    let without = |pid: &u32| {
        let why = hand_over_of(engine, *pid).err()?;
        let message =
            format!("stacks of process {pid} are followed by frame pointers alone: {why}");
        Some(message)
    };
    pids.iter().filter_map(without).collect()
}

fn hand_over_of(engine: &dyn Engine, pid: u32) -> Result<(), Error> {
    let cannot = |why: engine_objects::Error| Error::Process {
        pid,
        why: why.to_string(),
    };
    let process = Process::open(pid).map_err(cannot)?;
    let objects = Objects::of(&process).map_err(cannot)?;
    objects
        .iter()
        .try_for_each(|object| hand_over_table(engine, &process, object))
}

fn hand_over_table(engine: &dyn Engine, process: &Process, object: &Object) -> Result<(), Error> {
    let table = object.unwind_table(process);
    let (Some(first), Some(last)) = (object.ranges().first(), object.ranges().last()) else {
        return Ok(());
    };
    if table.rows().is_empty() {
        return Ok(());
    }
    let request = Unwind {
        start: first.start,
        end: last.end,
        bias: object.bias(),
        pid: process.pid(),
        ..Unwind::default()
    };
    engine.unwind(&request, table.rows())
}
