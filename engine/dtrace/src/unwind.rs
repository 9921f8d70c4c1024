//! Unwind tables of the processes over whose stacks a program walks.

use std::collections::BTreeSet;

use engine_abi::Unwind;
use engine_objects::{Object, Objects, Process};

use crate::engine::Engine;
use crate::error::Error;

/// Hands over the tables of these processes' objects, as they are mapped now. Returns a message for
/// each process of which some could not be: there, walks follow frame pointers.
pub fn hand_over(engine: &dyn Engine, pids: &BTreeSet<u32>) -> Vec<String> {
    let without = |pid: &u32| {
        let (objects, why) = hand_over_of(engine, *pid).err()?;
        Some(format!(
            "stacks of process {pid} are followed by frame pointers in {objects}: {why}"
        ))
    };
    pids.iter().filter_map(without).collect()
}

/// The error says in which objects.
fn hand_over_of(engine: &dyn Engine, pid: u32) -> Result<(), (String, Error)> {
    let all = |why| ("all objects".to_owned(), why);
    let cannot = |why: engine_objects::Error| Error::Process {
        pid,
        why: why.to_string(),
    };
    // Before it is read: if it executes another program meanwhile, the next requests fail.
    let first = Unwind {
        pid,
        ..Unwind::default()
    };
    engine.unwind(&first, &[]).map_err(all)?;
    let process = Process::open(pid).map_err(|why| all(cannot(why)))?;
    let objects = Objects::of(&process).map_err(|why| all(cannot(why)))?;
    let mut failed = None;
    for object in objects.iter() {
        if let Err(why) = hand_over_table(engine, &process, object) {
            let (names, _) = failed.get_or_insert((Vec::new(), why));
            names.push(object.base_name().into_owned());
        }
    }
    failed.map_or(Ok(()), |(names, why)| Err((names.join(", "), why)))
}

fn hand_over_table(engine: &dyn Engine, process: &Process, object: &Object) -> Result<(), Error> {
    let table = object.unwind_table(process);
    if table.rows().is_empty() {
        return Ok(());
    }
    object.ranges().iter().try_for_each(|range| {
        let request = Unwind {
            start: range.start,
            end: range.end,
            bias: object.bias(),
            pid: process.pid(),
            ..Unwind::default()
        };
        engine.unwind(&request, table.rows())
    })
}
