//! Names for addresses of a process that has ended.

use engine_objects::{Objects, Process, Symbols};

use crate::build::{Build, functions};
use crate::processes::{Child, PROGRAM};

#[test]
fn symbols_outlive_the_process() {
    let build = Build::new();
    let program = build.compile(("program.c", PROGRAM), "program", &[]);
    let child = Child::start(&program);
    let process = Process::open(child.id()).unwrap();
    let mut symbols = Symbols::of(&process).unwrap();
    let objects = Objects::of(&process).unwrap();
    let bias = objects
        .iter()
        .find(|object| object.base_name() == "program")
        .unwrap()
        .bias();
    drop(child);
    let error = symbols.refresh(&process).unwrap_err();
    assert!(
        matches!(error, engine_objects::Error::Gone { .. }),
        "{error}"
    );
    let found = functions(&program);
    let wait = found
        .iter()
        .find(|function| function.name() == "wait_here")
        .unwrap();
    let place = symbols
        .resolve(bias.wrapping_add(wait.address + 1))
        .unwrap();
    assert_eq!(
        (place.object, place.function_name().unwrap().as_ref()),
        ("program", "wait_here")
    );
    assert_eq!(place.function.unwrap().1, 1);
    assert!(symbols.resolve(1).is_none());
}
