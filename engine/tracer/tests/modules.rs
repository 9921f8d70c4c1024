//! Modules that are loaded and unloaded while they are traced.

use crate::fake;

use std::time::Instant;

use engine_abi::Description;
use engine_isa::arm::TRAP;
use engine_tracer::ConsumerId;
use fake::*;

const HERE: usize = 0xf_0000;
const THERE: usize = 0xf_1000;

fn of(module: &str) -> Description {
    Description::new(b"fbt", module.as_bytes(), b"", b"").unwrap()
}

fn trace(engine: &Engine, module: &str, matches: u32) -> ConsumerId {
    let id = open(engine);
    assert_eq!(engine.enable(id, &of(module), 0), Ok(matches));
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

fn load(fake: &Fake, engine: &Engine, at: usize) {
    fake.load_module(at, "mod");
    engine.module_coming(at, b"mod");
}

fn unload(fake: &Fake, engine: &Engine, at: usize) {
    engine.module_going(at);
    fake.unload_module(at);
}

/// The names of the module's probes.
fn probes(engine: &Engine) -> Vec<String> {
    let (mut names, mut next) = (Vec::new(), 0);
    while let Ok((id, description)) = engine.probe_match(&of("mod"), next) {
        assert!(id >= next, "{id} after {next}");
        names.push(description.to_string());
        next = id + 1;
    }
    names
}

#[test]
fn a_loaded_module_has_probes_under_its_name() {
    let fake: &'static Fake = Box::leak(Box::new(Fake::new()));
    fake.load_module(HERE, "mod");
    let engine = Engine::new(fake).unwrap();
    let expected = ["one:entry", "one:return", "two:entry", "two:return"];
    assert_eq!(
        probes(&engine),
        expected.map(|name| format!("fbt:mod:{name}"))
    );
    engine.module_coming(HERE, b"mod");
    assert_eq!(
        probes(&engine).len(),
        4,
        "a repeated notification adds none"
    );
}

#[test]
fn a_loaded_module_is_enabled_and_an_unloaded_one_restored() {
    let (fake, engine) = engine();
    let id = trace(&engine, "mod", 0);
    load(fake, &engine, HERE);
    let text = [0, 4, 8].map(|offset| fake.read(HERE + offset));
    assert_eq!(text, [TRAP; 3]);
    for offset in [0, 4, 8] {
        execute(fake, &engine, HERE + offset);
    }
    let fired = drain(&engine, id, 0);
    assert_eq!(
        fired,
        [1, 2, 3, 4],
        "the last instruction is entry and return"
    );
    let named = engine.eprobe(id, 2).unwrap().1.to_string();
    assert_eq!(named, "fbt:mod:one:return");
    unload(fake, &engine, HERE);
    assert_eq!(stat(&engine, "armed"), 0);
    assert!(probes(&engine).is_empty());
    assert_eq!(
        engine.eprobe(id, 2).unwrap().1.to_string(),
        named,
        "records may still refer to it"
    );
    engine.close(id);
}

#[test]
fn a_reloaded_module_is_traced_at_its_new_address_without_more_memory() {
    let (fake, engine) = engine();
    let id = trace(&engine, "mod", 0);
    load(fake, &engine, HERE);
    let bytes = stat(&engine, "site_bytes");
    for _ in 0..10 {
        unload(fake, &engine, HERE);
        load(fake, &engine, THERE);
        execute(fake, &engine, THERE);
        unload(fake, &engine, THERE);
        load(fake, &engine, HERE);
        execute(fake, &engine, HERE + 4);
    }
    assert_eq!(drain(&engine, id, 0), [1, 2].repeat(10));
    assert_eq!(stat(&engine, "site_bytes"), bytes);
    assert_eq!(stat(&engine, "incomplete"), 0);
    unload(fake, &engine, HERE);
}

/// Loads another build of the module: functions of the same names and sizes, but other code.
fn load_other_build(fake: &Fake, engine: &Engine, at: usize) {
    let functions = vec![("one".into(), 0, 8), ("two".into(), 8, 4)];
    fake.load_module_of(at, "mod", &OTHER_TEXT, functions);
    engine.module_coming(at, b"mod");
}

/// `bx lr` followed by data, and `b .`, which never returns.
const OTHER_TEXT: [(usize, u32); 3] = [(0, 0xe12f_ff1e), (4, DATA_WORD), (8, 0xeaff_fffe)];

#[test]
fn a_reloaded_module_with_other_code_is_analyzed_again() {
    let (fake, engine) = engine();
    let id = trace(&engine, "mod", 0);
    load(fake, &engine, HERE);
    let mut bytes = None;
    for _ in 0..10 {
        unload(fake, &engine, HERE);
        load_other_build(fake, &engine, HERE);
        let text = [0, 4, 8].map(|offset| fake.read(HERE + offset));
        assert_eq!(text, [TRAP, DATA_WORD, OTHER_TEXT[2].1]);
        assert_eq!(probes(&engine), ["fbt:mod:one:entry", "fbt:mod:one:return"]);
        execute(fake, &engine, HERE);
        assert_eq!(
            drain(&engine, id, 0),
            [1, 2],
            "one instruction is entry and return"
        );
        unload(fake, &engine, HERE);
        load(fake, &engine, HERE);
        for offset in [0, 4, 8] {
            execute(fake, &engine, HERE + offset);
        }
        assert_eq!(drain(&engine, id, 0), [1, 2, 3, 4]);
        let now = stat(&engine, "site_bytes");
        assert_eq!(*bytes.get_or_insert(now), now, "no more memory");
    }
    unload(fake, &engine, HERE);
}

#[test]
fn reloading_a_large_module_is_not_much_slower_than_loading_it() {
    const FUNCTIONS: usize = 10_000;
    let text: Vec<_> = (0..FUNCTIONS)
        .map(|number| (4 * number, 0xe12f_ff1e))
        .collect();
    let functions: Vec<_> = (0..FUNCTIONS)
        .map(|number| (format!("f{number}"), 4 * number, 4))
        .collect();
    let (fake, engine) = engine();
    let id = trace(&engine, "mod", 0);
    let loads = || {
        fake.load_module_of(HERE, "mod", &text, functions.clone());
        let before = Instant::now();
        engine.module_coming(HERE, b"mod");
        let took = before.elapsed();
        assert_eq!(stat(&engine, "armed"), FUNCTIONS as u64);
        unload(fake, &engine, HERE);
        took
    };
    let first = loads();
    let again = loads();
    assert!(again < 8 * first, "{again:?}, but {first:?} the first time");
    engine.close(id);
}

#[test]
fn enabling_while_a_module_is_unloaded_traces_it_once_reloaded() {
    let (fake, engine) = engine();
    load(fake, &engine, HERE);
    let before = trace(&engine, "mod", 4);
    unload(fake, &engine, HERE);
    let after = trace(&engine, "", kernel_probes(&engine));
    load(fake, &engine, HERE);
    execute(fake, &engine, HERE);
    assert_eq!(drain(&engine, before, 0), [1]);
    assert_eq!(drain(&engine, after, 0).len(), 1);
    engine.close(before);
    engine.close(after);
    unload(fake, &engine, HERE);
}

/// How many probes the kernel has without modules.
fn kernel_probes(engine: &Engine) -> u32 {
    let id = open(engine);
    let matched = engine.enable(id, &of("vmlinux"), 0).unwrap();
    engine.close(id);
    matched
}

#[test]
fn a_stopped_consumer_does_not_enable_new_modules() {
    let (fake, engine) = engine();
    let id = trace(&engine, "mod", 0);
    engine.stop(id).unwrap();
    load(fake, &engine, HERE);
    assert_eq!(stat(&engine, "armed"), 0);
    unload(fake, &engine, HERE);
}

#[test]
fn without_memory_a_loaded_module_is_untraced_and_an_unloaded_one_restored() {
    let (fake, engine) = engine();
    let id = trace(&engine, "mod", 0);
    MEMORY.set(0);
    load(fake, &engine, HERE);
    assert_eq!(
        (stat(&engine, "armed"), stat(&engine, "incomplete")),
        (0, 1)
    );
    MEMORY.set(1);
    load(fake, &engine, THERE);
    assert_eq!(stat(&engine, "armed"), 6);
    unload(fake, &engine, THERE);
    unload(fake, &engine, HERE);
    MEMORY.set(usize::MAX);
    engine.close(id);
}
