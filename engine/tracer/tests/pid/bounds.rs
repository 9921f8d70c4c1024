//! Bounds on the memory of probes in processes.

use super::*;

use engine_tracer::{Bound, ProbeMemory};

/// The bytes that probes are charged with.
fn taken(engine: &Engine) -> usize {
    stat(engine, "process_bytes") as usize
}

fn bound(process: usize, all: usize) {
    BOUNDS.set(ProbeMemory { process, all });
}

#[test]
fn a_bound_that_is_reached_leaves_what_is_there() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "entry");
    let before = taken(&engine);
    for (process, all, reached) in [
        (before, usize::MAX, Bound::Process),
        (usize::MAX, before, Bound::All),
    ] {
        bound(process, all);
        let other = open_with(&engine, &recording());
        let failed = engine.pid_probes(other, &request(PID, "return"));
        assert_eq!(failed, Err(Error::Bound(reached)));
        assert_eq!(taken(&engine), before);
        let again = engine.pid_probes(other, &request(PID, "entry")).unwrap();
        assert_eq!((again.provided, again.refused), (1, 0), "it exists");
        engine.close(other);
    }
    bound(usize::MAX, usize::MAX);
    let mut regs = at(MAIN, 3, 4);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!(fields(&engine, id), [[3, 4]]);
    let other = trace(&engine, "return");
    assert_eq!(traps(fake, PID), [MAIN, MAIN + 8, MAIN + 16]);
    assert!(taken(&engine) > before);
    engine.close(id);
    engine.close(other);
    assert_eq!((taken(&engine), text(fake, PID)), (0, TEXT.to_vec()));
}

/// A probe is created with all of its sites, or not at all.
#[test]
fn what_fits_is_created() {
    let (fake, engine) = with_process();
    let id = open_with(&engine, &recording());
    create(&engine, id, "entry");
    let one = taken(&engine);
    create(&engine, id, "0");
    let probe = taken(&engine) - one;
    assert!(probe < one, "the site is charged once");
    bound(usize::MAX, 2 * one + probe);
    let failed = engine.pid_probes(id, &request(PID, "[4-c]"));
    assert_eq!(failed, Err(Error::Bound(Bound::All)));
    assert_eq!(listed(&engine), ["entry", "0", "4"]);
    assert_eq!(stat(&engine, "process_sites"), 2);
    engine.close(id);
    // Each process is bounded on its own.
    fake.create(78, &TEXT);
    bound(one, usize::MAX);
    let id = open_with(&engine, &recording());
    create(&engine, id, "entry");
    let other = engine.pid_probes(id, &request(78, "entry")).unwrap();
    assert_eq!(other.provided, 1);
    engine.close(id);
    bound(usize::MAX, usize::MAX);
}
