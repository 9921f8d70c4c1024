//! The life cycle of consumers: what is armed, what fires, and what is left behind.

use crate::fake;

use std::sync::atomic::{AtomicU32, Ordering};

use engine_abi::Records;
use engine_isa::arm::TRAP;
use engine_tracer::{Error, Trap};
use fake::*;

#[test]
fn functions_are_provided_or_refused_with_a_reason() {
    let (_, engine) = engine();
    let probes: Vec<_> = (0..)
        .map_while(|index| {
            engine.fbt_row(index, |row| {
                let row = row.unwrap();
                let function = String::from_utf8(row.function.to_vec()).unwrap();
                (row.id, row.address, function)
            })
        })
        .collect();
    let expected = [
        (0, ALPHA, "alpha"),
        (1, BETA, "beta"),
        (2, GAMMA, "gamma"),
        (7, TRACED + 4, "traced"),
        (10, KEPT, "kept"),
        (11, MOVED, "moved"),
        (12, SHIFTED, "shifted"),
        (15, LEAVES, "leaves"),
        (16, EMPTY, "empty"),
        (17, TAILS, "tails"),
        (18, SPLIT, "split"),
        (20, STAYS, "stays"),
        (21, HALF, "half"),
        (22, SPINS + 4, "spins"),
    ];
    let expected = expected.map(|(number, at, name)| (entry(number), at, name.to_owned()));
    assert_eq!(probes, expected);
    let refused: Vec<_> = (0..)
        .map_while(|index| {
            engine.refused_row(index, |row| row.map(|row| (row.address, row.reason.word())))
        })
        .flatten()
        .collect();
    let expected = [
        (TOXIC, "toxic"),
        (REFUSED, "undefined"),
        (FORBIDDEN, "blacklisted"),
        (OWN_WAY, "toxic"),
        (COLD, "part"),
        (REWRITTEN, "rewritten"),
        (DATA, "data"),
        (NEAR, "far"),
        (SPLIT_COLD, "part"),
        (VANISHED, "unreadable"),
    ];
    assert_eq!(refused, expected);
}

/// ID of the entry probe of the function at this index of the symbol table.
fn entry(number: u32) -> u32 {
    FIRST + 2 * number
}

#[test]
fn an_enabled_probe_fires_and_its_instruction_is_emulated() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = open(&engine);
    assert_eq!(enable(&engine, id, "al*"), Ok(1));
    assert_eq!(fake.image(), before, "enabling does not arm");
    assert_eq!(go(&engine, id, 0), Ok(0));
    assert_eq!(fake.read(ALPHA), TRAP);
    assert_eq!(fake.read(BETA), before[&BETA]);

    let mut regs = registers(ALPHA);
    assert_eq!(engine.trap(&mut regs, &mut Anywhere), Trap::Resumed);
    assert_eq!(regs.r[13], 0x1_0000 - 8, "push {{r4, lr}} lowers sp");
    assert_eq!(regs.r[15], ALPHA as u32 + 4);
    assert_eq!(drain(&engine, id, 0), [1]);
    assert_eq!(drain(&engine, id, 1), []);
    let (probe, description, clause) = engine.eprobe(id, 1).unwrap();
    assert_eq!(
        (probe, description.to_string().as_str(), clause),
        (FIRST, "fbt:vmlinux:alpha:entry", 0)
    );

    engine.stop(id).unwrap();
    assert_eq!(fake.image(), before);
    engine.close(id);
    assert_eq!(stat(&engine, "consumers"), 0);
}

#[test]
fn failed_patches_are_reported_and_unrestored_sites_stay_live() {
    let (fake, engine) = engine();
    let (one, other) = (open(&engine), open(&engine));
    enable(&engine, one, "alpha").unwrap();
    STUCK.set(true);
    assert_eq!(go(&engine, one, 0), Ok(1), "one ECB is unarmed");
    STUCK.set(false);
    enable(&engine, other, "beta").unwrap();
    assert_eq!(go(&engine, other, 0), Ok(0));
    STUCK.set(true);
    engine.close(other);
    assert_eq!(execute(fake, &engine, BETA), Some(Trap::Resumed));
    STUCK.set(false);
    assert!(DIRECT.get(), "one trap is left in text");
    engine.close(one);
    assert!(!DIRECT.get());
    assert_eq!(execute(fake, &engine, BETA), None);
    assert_eq!(stat(&engine, "armed"), 0);
}

#[test]
fn the_ftrace_slot_is_never_patched() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "traced").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(0));
    fake.write(TRACED, 0xeb00_0000); // bl: the function tracer is switched on,
    assert_eq!(execute(fake, &engine, TRACED), None);
    assert_eq!(execute(fake, &engine, TRACED + 4), Some(Trap::Resumed));
    fake.write(TRACED, NOP); // and off again.
    assert_eq!(execute(fake, &engine, TRACED + 4), Some(Trap::Resumed));
    assert_eq!(drain(&engine, id, 0), [1, 1]);
}

#[test]
fn records_can_be_drained_after_stop() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    engine.stop(id).unwrap();
    assert_eq!(drain(&engine, id, 0), [1]);
}

#[test]
fn each_ecb_of_a_probe_records() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    enable(&engine, id, "*a").unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, id, 0), [1, 2]);
    assert_eq!(stat(&engine, "fired"), 1);
}

#[test]
fn consumers_are_independent() {
    let (fake, engine) = engine();
    let (one, two) = (open(&engine), open(&engine));
    enable(&engine, one, "alpha").unwrap();
    enable(&engine, two, "beta").unwrap();
    enable(&engine, two, "alpha").unwrap();
    go(&engine, one, 0).unwrap();
    go(&engine, two, 0).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, one, 0), [1]);
    assert_eq!(drain(&engine, two, 0), [2]);
    engine.close(one);
    assert_eq!(fake.read(ALPHA), TRAP, "the other still traces it");
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, two, 0), [2]);
    engine.close(two);
    assert_eq!(fake.image(), Fake::new().image());
}

#[test]
fn closing_a_consumer_leaves_nothing() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "*").unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, BETA);
    engine.close(id);
    assert_eq!(fake.image(), Fake::new().image());
    let again = open(&engine);
    assert_eq!(again, id, "its number is free");
    assert_eq!(
        engine.status(again),
        Err(Error::WrongState),
        "its buffers are gone"
    );
}

#[test]
fn a_trap_within_a_firing_resumes_without_firing() {
    let (fake, engine) = engine();
    let engine: &'static Engine = Box::leak(Box::new(engine));
    let id = open(engine);
    enable(engine, id, "*").unwrap();
    go(engine, id, 0).unwrap();
    static RESUMED: AtomicU32 = AtomicU32::new(0);
    ON_CLOCK.set(Some(Box::new(move || {
        assert_eq!(execute(fake, engine, BETA), Some(Trap::Resumed));
        RESUMED.fetch_add(1, Ordering::Relaxed);
    })));
    assert_eq!(execute(fake, engine, ALPHA), Some(Trap::Resumed));
    assert_eq!(RESUMED.load(Ordering::Relaxed), 1);
    assert_eq!(drain(engine, id, 0), [1], "the nested trap left no record");
    assert_eq!((stat(engine, "fired"), stat(engine, "recursions")), (1, 1));
    assert_eq!(execute(fake, engine, BETA), Some(Trap::Resumed));
    assert_eq!(drain(engine, id, 0), [2], "and the guard was released");
}

#[test]
fn each_cpu_has_its_buffer_and_its_guard() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "*").unwrap();
    go(&engine, id, 0).unwrap();
    CPU.set(1);
    execute(fake, &engine, GAMMA);
    assert_eq!(drain(&engine, id, 0), []);
    assert_eq!(drain(&engine, id, 1), [3]);
    let beyond = engine.buf_snap(id, CPUS, 0, &mut [0; 8], &mut |_| Ok(()));
    assert_eq!(beyond, Err(Error::NotFound));
}

#[test]
fn a_full_buffer_counts_drops() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 256).unwrap();
    for _ in 0..20 {
        assert_eq!(execute(fake, &engine, ALPHA), Some(Trap::Resumed));
    }
    assert_eq!(take_drops(&engine, id, 0), 4);
    assert_eq!(take_drops(&engine, id, 0), 0);
    assert_eq!(drain(&engine, id, 0).len(), 16);
}

#[test]
fn a_foreign_trap_is_stray() {
    let (fake, engine) = engine();
    fake.write(REFUSED, TRAP);
    assert_eq!(execute(fake, &engine, REFUSED), Some(Trap::Stray));
    assert_eq!(
        engine.trap(&mut registers(ALPHA), &mut Anywhere),
        Trap::Retry,
        "its instruction was restored"
    );
}

#[test]
fn a_faulting_instruction_is_not_skipped() {
    let (_, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    let mut regs = registers(ALPHA);
    assert_eq!(engine.trap(&mut regs, &mut Nowhere), Trap::Failed);
    assert_eq!(regs, registers(ALPHA));
}

#[test]
fn text_changed_by_others_is_replanned_or_left_alone() {
    let (fake, engine) = engine();
    fake.write(ALPHA, 0xe52d_4004); // push {r4}
    fake.write(BETA, UDF);
    let id = open(&engine);
    enable(&engine, id, "*").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(1), "beta stays unarmed");
    assert_eq!(fake.read(BETA), UDF);
    let mut regs = registers(ALPHA);
    engine.trap(&mut regs, &mut Anywhere);
    assert_eq!(
        regs.r[13],
        0x1_0000 - 4,
        "the new instruction pushes one register"
    );
    fake.write(GAMMA, UDF);
    engine.close(id);
    assert_eq!(fake.read(ALPHA), 0xe52d_4004);
    assert_eq!(
        fake.read(GAMMA),
        UDF,
        "overwritten by others, so not restored"
    );
}

#[test]
fn requests_out_of_order_are_refused() {
    let (_, engine) = engine();
    let id = open(&engine);
    assert_eq!(engine.status(id), Err(Error::WrongState));
    assert_eq!(enable(&engine, id, "nosuch"), Ok(0));
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    assert_eq!(go(&engine, id, 0), Err(Error::WrongState));
    assert_eq!(enable(&engine, id, "beta"), Err(Error::WrongState));
    assert_eq!(engine.eprobe(id, 0), Err(Error::NotFound));
    assert_eq!(engine.eprobe(id, 2), Err(Error::NotFound));
    engine.stop(id).unwrap();
    assert_eq!(go(&engine, id, 0), Err(Error::WrongState));
    engine.close(id);
    assert_eq!(enable(&engine, id, "alpha"), Err(Error::NoSuchConsumer));
}

#[test]
fn the_number_of_consumers_is_limited() {
    let (_, engine) = engine();
    let ids: Vec<_> = (0..).map_while(|_| engine.open().ok()).collect();
    assert_eq!(engine.open(), Err(Error::TooManyConsumers));
    engine.close(ids[3]);
    assert_eq!(engine.open(), Ok(ids[3]));
}

#[test]
fn probe_match_iterates_over_matches() {
    let (_, engine) = engine();
    let mut matched = Vec::new();
    let mut next = 0;
    while let Ok((id, description)) = engine.probe_match(&describe("*a"), next) {
        matched.push((id, description.to_string()));
        next = id + 1;
    }
    let expected = [(0, "alpha"), (1, "beta"), (2, "gamma")];
    let expected = expected.map(|(number, name)| {
        let called = format!("fbt:vmlinux:{name}:entry");
        (entry(number), called)
    });
    assert_eq!(matched, expected);
}

#[test]
fn a_trap_finds_its_site_throughout_arming_and_disarming() {
    let (fake, engine) = engine();
    let engine: &'static Engine = Box::leak(Box::new(engine));
    let id = open(engine);
    enable(engine, id, "*").unwrap();
    static TRAPS: AtomicU32 = AtomicU32::new(0);
    ON_PATCH.set(Some(Box::new(move |address| {
        assert!(DIRECT.get(), "patched before direct dispatch");
        if let Some(trap) = execute(fake, engine, address) {
            assert_eq!(trap, Trap::Resumed);
            TRAPS.fetch_add(1, Ordering::Relaxed);
        }
    })));
    go(engine, id, 0).unwrap();
    engine.close(id);
    ON_PATCH.set(None);
    assert_eq!(
        TRAPS.load(Ordering::Relaxed),
        24,
        "twelve sites, armed and disarmed"
    );
    assert!(!DIRECT.get(), "dispatch is back to the kernel's");
}

#[test]
fn a_trap_on_one_cpu_fires_while_another_fires() {
    let (fake, engine) = engine();
    let engine: &'static Engine = Box::leak(Box::new(engine));
    let id = open(engine);
    enable(engine, id, "*").unwrap();
    go(engine, id, 0).unwrap();
    ON_CLOCK.set(Some(Box::new(move || {
        CPU.set(1);
        execute(fake, engine, BETA);
        CPU.set(0);
    })));
    execute(fake, engine, ALPHA);
    assert_eq!(drain(engine, id, 0), [1]);
    assert_eq!(drain(engine, id, 1), [2]);
    assert_eq!(stat(engine, "recursions"), 0);
}

#[test]
fn a_stopped_consumer_gets_no_records_of_a_shared_probe() {
    let (fake, engine) = engine();
    let (one, two) = (open(&engine), open(&engine));
    for id in [one, two] {
        enable(&engine, id, "alpha").unwrap();
        go(&engine, id, 0).unwrap();
    }
    engine.stop(one).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, one, 0), []);
    assert_eq!(drain(&engine, two, 0), [1]);
}

#[test]
fn a_record_carries_the_time_of_its_firing() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    let mut got = Vec::new();
    let mut put = |part: &[u8]| {
        got.extend_from_slice(part);
        Ok(())
    };
    engine.buf_snap(id, 0, 64, &mut [0; 64], &mut put).unwrap();
    assert_eq!(Records::new(&got).next().unwrap().header.timestamp, 42);
}

#[test]
fn the_default_buffer_size_is_dtraces() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    let fits = engine_abi::BUFFER_SIZE / 16;
    for _ in 0..fits + 1 {
        execute(fake, &engine, ALPHA);
    }
    assert_eq!(take_drops(&engine, id, 0), 1);
}

#[test]
fn go_without_memory_leaves_nothing_armed() {
    for memory in 0..2 {
        let (fake, engine) = engine();
        let id = open(&engine);
        enable(&engine, id, "*").unwrap();
        MEMORY.set(memory);
        assert_eq!(go(&engine, id, 0), Err(Error::OutOfMemory), "{memory}");
        assert_eq!(fake.image(), Fake::new().image());
    }
}

#[test]
fn close_without_memory_disarms_and_retains_the_number() {
    let (fake, engine) = engine();
    let gone = open(&engine);
    enable(&engine, gone, "alpha").unwrap();
    go(&engine, gone, 0).unwrap();
    MEMORY.set(0);
    engine.close(gone);
    assert_eq!(fake.image(), Fake::new().image());
    assert!(!DIRECT.get());
    let next = open(&engine);
    assert_ne!(next, gone, "the live table may still refer to it");
    MEMORY.set(usize::MAX);
    engine.close(next);
    assert_eq!(engine.open(), Ok(gone));
}

#[test]
fn numbers_retained_for_lack_of_memory_are_reused_once_there_is_some() {
    let (_, engine) = engine();
    let close_without_memory = || {
        let id = engine.open()?;
        MEMORY.set(0);
        engine.close(id);
        Ok(id)
    };
    let closed: Result<Vec<_>, Error> = (0..32).map(|_| close_without_memory()).collect();
    assert_eq!(closed.map(|ids| ids.len()), Ok(32));
    assert_eq!(engine.open(), Err(Error::TooManyConsumers));
    MEMORY.set(usize::MAX);
    assert!(engine.open().is_ok());
    let more = (0..32).map_while(|_| engine.open().ok());
    assert_eq!(more.count(), 31);
}

#[test]
fn firings_without_stack_are_dropped_and_counted() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    HAS_STACK.set(false);
    assert_eq!(execute(fake, &engine, ALPHA), Some(Trap::Resumed));
    assert_eq!(execute(fake, &engine, ALPHA), Some(Trap::Resumed));
    HAS_STACK.set(true);
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, id, 0), [1]);
    assert_eq!(engine.status(id).unwrap().stack_drops, 2);
    assert_eq!(stat(&engine, "stack_drops"), 2);
    assert_eq!(stat(&engine, "fired"), 1);
}
