//! The sdt provider: tracepoints are registered while enabled.

use crate::fake;

use engine_abi::Description;
use fake::program::*;
use fake::*;

/// ID of the first tracepoint's probe.
const FIRST_POINT: u32 = FIRST - 8192;

fn named(name: &str) -> Description {
    Description::new(b"sdt", b"", b"", name.as_bytes()).unwrap()
}

#[test]
fn a_tracepoint_is_registered_while_enabled() {
    let (fake, engine) = engine();
    let (one, other) = (open(&engine), open(&engine));
    engine.enable(one, &named("sched_*"), 0).unwrap();
    engine.enable(other, &named("sched_wakeup"), 0).unwrap();
    let registered = || fake.tracepoints.lock().unwrap().clone();
    assert!(registered().is_empty());
    go(&engine, one, 0).unwrap();
    go(&engine, other, 0).unwrap();
    let switch = (1, FIRST_POINT);
    let wakeup = (2, FIRST_POINT + 1);
    assert_eq!(registered(), [switch, wakeup].into());
    engine.close(one);
    assert_eq!(registered(), [wakeup].into());
    engine.stop(other).unwrap();
    assert!(registered().is_empty());
}

#[test]
fn a_tracepoint_fires_with_its_arguments() {
    let (_, engine) = engine();
    let id = open_with(&engine, &Program::arguments());
    engine.enable(id, &named("sched_switch"), 0).unwrap();
    go(&engine, id, 0).unwrap();
    CPU.set(2);
    let arguments = [1, 2, 3, 4, 5, 6];
    engine.tracepoint(FIRST_POINT, arguments);
    // Not enabled; the others do not exist.
    engine.tracepoint(FIRST_POINT + 1, arguments);
    engine.tracepoint(FIRST_POINT + 3, arguments);
    engine.tracepoint(u32::MAX, arguments);
    assert_eq!(records(&engine, id, 2), [(1, arguments.to_vec())]);
    engine.stop(id).unwrap();
    engine.tracepoint(FIRST_POINT, arguments);
    assert_eq!(records(&engine, id, 2), []);
}

#[test]
fn a_refused_tracepoint_is_unarmed() {
    let (_, engine) = engine();
    let id = open(&engine);
    engine.enable(id, &named("sched_switch"), 0).unwrap();
    STUCK.set(true);
    assert_eq!(go(&engine, id, 0).unwrap(), 1);
    STUCK.set(false);
}

#[test]
fn tracepoints_are_listed_by_the_kernels_name() {
    let (_, engine) = engine();
    let (id, names) = engine.probe_match(&named("irq_*"), 0).unwrap();
    assert_eq!(id, FIRST_POINT + 2);
    assert_eq!(names.to_string(), "sdt:vmlinux::irq_handler_entry");
}
