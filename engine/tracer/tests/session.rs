//! A session from `GO` to `STOP`: which probes fire at which stage, built-in variables, faults and
//! buffer policies.

use crate::fake;

use engine_abi::{BufferPolicy, Description, Fault, FieldKind, Go, Scope};
use engine_dvm::{Builtin, Op, Subroutine};
use engine_tracer::Error;
use fake::program::*;
use fake::*;

/// A program of `count` clauses that only record that they ran.
fn clauses(count: usize) -> Program {
    let mut program = Program::new();
    (0..count).for_each(|_| _ = program.clause(&[], |_| vec![open_record(), ret()]));
    program
}

#[test]
fn begin_and_end_fire_on_the_reported_cpu() {
    let (fake, engine) = engine();
    let id = open_with(&engine, &clauses(3));
    enable_named(&engine, id, "BEGIN", 0);
    enable_named(&engine, id, "END", 1);
    engine.enable(id, &describe("alpha"), 2).unwrap();
    CPU.set(2);
    let mut asked = Go::default();
    engine.go(id, &mut asked).unwrap();
    assert_eq!((asked.cpu, asked.unarmed), (2, 0));
    assert_eq!(drain(&engine, id, 2), [1]);
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, id, 2), [3]);
    CPU.set(1);
    assert_eq!(engine.stop(id), Ok(1));
    CPU.set(3);
    assert_eq!(engine.stop(id), Ok(1), "END fired once, there");
    assert_eq!(drain(&engine, id, 1), [2]);
    assert_eq!(execute(fake, &engine, ALPHA), None);
}

#[test]
fn ecbs_fire_in_order_of_enabling() {
    let (fake, engine) = engine();
    let id = open_with(&engine, &clauses(2));
    for clause in [1, 0, 1] {
        engine.enable(id, &describe("alpha"), clause).unwrap();
    }
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, id, 0), [1, 2, 3]);
    let clauses_enabled: Vec<_> = (1..4)
        .map(|epid| engine.eprobe(id, epid).unwrap().2)
        .collect();
    assert_eq!(clauses_enabled, [1, 0, 1]);
}

#[test]
fn the_dtrace_providers_probes_have_the_first_ids_and_no_function() {
    let (_, engine) = engine();
    let all = Description::default();
    let mut names = Vec::new();
    let mut next = 1;
    while next <= FIRST {
        let (id, description) = engine.probe_match(&all, next).unwrap();
        names.push(description.to_string());
        next = id + 1;
    }
    assert_eq!(
        names[..3],
        ["dtrace:::BEGIN", "dtrace:::END", "dtrace:::ERROR"]
    );
    assert_eq!(
        (names[3].as_str(), names[10].as_str(), names[11].as_str()),
        (
            "proc:vmlinux::create",
            "proc:vmlinux::start",
            "profile:::profile-97"
        )
    );
    assert_eq!(
        names[23..26],
        [
            "profile:::tick-5000",
            "syscall:native:exit:entry",
            "syscall:native:read:entry"
        ]
    );
    assert_eq!(names.last().unwrap(), "fbt:vmlinux:alpha:entry");
}

#[test]
fn after_exit_only_end_fires() {
    let (fake, engine) = engine();
    let mut program = clauses(2);
    let exits = program.clause(&[], |_| vec![open_record(), exit(), ret()]);
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), exits).unwrap();
    engine.enable(id, &describe("alpha"), 0).unwrap();
    enable_named(&engine, id, "END", 1);
    go(&engine, id, 0).unwrap();
    assert_eq!(engine.status(id).unwrap().ending, 0);
    execute(fake, &engine, ALPHA);
    assert_eq!(engine.status(id).unwrap().ending, 1);
    execute(fake, &engine, ALPHA);
    engine.stop(id).unwrap();
    assert_eq!(drain(&engine, id, 0), [1, 3]);
}

#[test]
fn exit_in_begin_prevents_tracing() {
    let (fake, engine) = engine();
    let mut program = clauses(1);
    let exits = program.clause(&[], |_| vec![open_record(), exit(), ret()]);
    let id = open_with(&engine, &program);
    enable_named(&engine, id, "BEGIN", exits);
    enable_named(&engine, id, "BEGIN", 0);
    engine.enable(id, &describe("alpha"), 0).unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(engine.status(id).unwrap().ending, 1);
    assert_eq!(drain(&engine, id, 0), [1]);
}

#[test]
fn only_the_first_exit_is_recorded() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    program.clause(&[], |_| vec![open_record(), exit(), ret()]);
    program.clause(&[], |_| vec![open_record(), exit(), exit(), ret()]);
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), 1).unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(
        drain(&engine, id, 0),
        [],
        "the second exit abandons their common record"
    );
    let id = open_with(&engine, &program);
    enable_named(&engine, id, "END", 0);
    go(&engine, id, 0).unwrap();
    engine.stop(id).unwrap();
    assert_eq!(drain(&engine, id, 0), [1], "END may exit in any case");
}

#[test]
fn an_entry_has_arguments_and_caller() {
    let (fake, engine) = engine();
    let mut program = Program::arguments();
    program.numbers(2, |d| {
        builtin(d, [Builtin::Caller, Builtin::Stackdepth][d as usize - 1], 0).into()
    });
    let id = open_with(&engine, &program);
    for clause in 0..2 {
        engine.enable(id, &describe("alpha"), clause).unwrap();
    }
    go(&engine, id, 0).unwrap();
    let mut regs = registers(ALPHA);
    regs.r[..4].copy_from_slice(&[10, 11, 12, 13]);
    regs.r[14] = 0xbeef;
    execute_with(fake, &engine, regs);
    // From the fifth argument on they are on the stack, whose bytes are the low bytes of their
    // addresses.
    let on_stack = [0x0302_0100, 0x0706_0504];
    let arguments = [10, 11, 12, 13, on_stack[0], on_stack[1]];
    assert_eq!(
        records(&engine, id, 0),
        [(1, arguments.to_vec()), (2, vec![0xbeef, 3])]
    );
}

#[test]
fn built_in_variables_have_the_values_of_firing_and_platform() {
    let (fake, engine) = engine();
    let all = [
        (Builtin::Timestamp, 42),
        (Builtin::Vtimestamp, 77),
        (Builtin::Walltimestamp, 1_700_000_000_000_000_000),
        (Builtin::Cpu, 3),
        (Builtin::Cpuoffset, (-3 * 4096_i64).cast_unsigned()),
        (Builtin::Id, u64::from(FIRST)),
        (Builtin::Epid, 1),
        (Builtin::Pid, 10),
        (Builtin::Tid, 11),
        (Builtin::Ppid, 12),
        (Builtin::Uid, 13),
        (Builtin::Gid, 14),
        (Builtin::Curthread, 0xc0ff_ee00),
        (Builtin::Errno, 0),
        (Builtin::Uregs, 1000),
    ];
    let mut program = Program::new();
    program.numbers(all.len() as u8, |d| {
        builtin(d, all[d as usize - 1].0, 0).into()
    });
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    CPU.set(3);
    execute(fake, &engine, ALPHA);
    assert_eq!(
        records(&engine, id, 3),
        [(1, all.map(|(_, value)| value).to_vec())]
    );
}

#[test]
fn a_process_descends_from_itself_and_its_parent() {
    let (fake, engine) = engine();
    let task = TASK.get();
    let mut program = Program::new();
    program.numbers(3, |d| {
        let pid = [task.pid, task.ppid, u32::MAX][d as usize - 1];
        vec![set(d, pid), push(d), call(d, Subroutine::Progenyof)]
    });
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(records(&engine, id, 0), [(1, vec![1, 1, 0])]);
}

#[test]
fn probe_names_and_execname_are_strings() {
    let (fake, engine) = engine();
    let texts = [
        (Builtin::Probeprov, "fbt"),
        (Builtin::Probemod, "vmlinux"),
        (Builtin::Probefunc, "alpha"),
        (Builtin::Probename, "entry"),
        (Builtin::Execname, "bash"),
    ];
    let mut program = Program::new();
    program.clause(&[(STRING, FieldKind::Text); 5], |fields| {
        let traced = texts.iter().zip(fields).flat_map(|((text, _), field)| {
            let [zero, get] = builtin(1, *text, 0);
            [zero, get, record(1, *field)]
        });
        [open_record()]
            .into_iter()
            .chain(traced)
            .chain([ret()])
            .collect()
    });
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    let [(_, words)] = &records(&engine, id, 0)[..] else {
        panic!("one record");
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    for (field, (_, text)) in bytes.chunks(STRING as usize).zip(texts) {
        assert_eq!(String::from_utf8_lossy(field).trim_end_matches('\0'), text);
    }
}

#[test]
fn a_stack_begins_at_the_caller_and_is_zero_padded() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    program.clause(&[(40, FieldKind::Stack)], |fields| {
        vec![open_record(), record(0, fields[0]), ret()]
    });
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    enable_named(&engine, id, "tick-1s", 0);
    go(&engine, id, 0).unwrap();
    let mut regs = registers(ALPHA);
    regs.r[14] = 0xbeef;
    execute_with(fake, &engine, regs);
    let number = *fake.timers.lock().unwrap().keys().next().unwrap();
    tick(fake, &engine, number);
    let stacks = [
        (1, vec![0xbeef, 0xc000, 0xd000, 0, 0]),
        (2, vec![0xe000, 0xf000, 0, 0, 0]),
    ];
    assert_eq!(records(&engine, id, 0), stacks);
}

#[test]
fn a_fault_abandons_the_record_and_fires_error_with_its_location() {
    let (fake, engine) = engine();
    let mut program = Program::arguments();
    let faulty = program.clause(&[(8, FieldKind::Scalar)], |fields| {
        let [zero, load] = fault();
        vec![
            open_record(),
            set(1, 7),
            record(1, fields[0]),
            zero,
            load,
            ret(),
        ]
    });
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), faulty).unwrap();
    enable_named(&engine, id, "ERROR", 0);
    engine.enable(id, &describe("alpha"), faulty).unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    let code = Fault::BadAddress.code().into();
    let (probe, ..) = engine.eprobe(id, 1).unwrap();
    let of = |epid| (2, vec![epid, probe.into(), 1, 4, code, 0]);
    assert_eq!(
        records(&engine, id, 0),
        [of(1), of(3)],
        "the clauses after it still run"
    );
    let status = engine.status(id).unwrap();
    assert_eq!((status.errors, status.error_drops), (2, 0));
}

#[test]
fn a_fault_in_error_fires_nothing_and_is_counted() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    program.clause(&[], |_| [&[open_record()][..], &fault(), &[ret()]].concat());
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    enable_named(&engine, id, "ERROR", 0);
    enable_named(&engine, id, "ERROR", 0);
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    let status = engine.status(id).unwrap();
    assert_eq!((status.errors, status.error_drops), (3, 2));
    assert_eq!(records(&engine, id, 0), []);
}

#[test]
fn error_fires_only_for_the_faulting_consumer() {
    let (fake, engine) = engine();
    let mut faulty = Program::new();
    faulty.clause(&[], |_| [&fault()[..], &[ret()]].concat());
    let one = open_with(&engine, &faulty);
    enable(&engine, one, "alpha").unwrap();
    let other = open_with(&engine, &Program::firing());
    for name in ["ERROR", "BEGIN", "END"] {
        enable_named(&engine, other, name, 0);
    }
    go(&engine, other, 0).unwrap();
    go(&engine, one, 0).unwrap();
    execute(fake, &engine, ALPHA);
    engine.stop(one).unwrap();
    assert_eq!(drain(&engine, other, 0), [2], "its own BEGIN");
}

#[test]
fn a_false_predicate_records_nothing() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    program.clause(&[], |_| {
        let mut code = builtin(1, Builtin::Arg, 0).to_vec();
        code.extend([op(Op::Bz, [0, 1, 0], 4), open_record(), ret()]);
        code
    });
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    for argument in [0, 1, 0, 2] {
        let mut regs = registers(ALPHA);
        regs.r[0] = argument;
        execute_with(fake, &engine, regs);
    }
    assert_eq!(drain(&engine, id, 0), [1, 1]);
}

#[test]
fn a_ring_keeps_the_newest_records_until_stop() {
    let (fake, engine) = engine();
    let mut program = clauses(1);
    program.numbers(1, |d| builtin(d, Builtin::Arg, 0).into());
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), 1).unwrap();
    enable_named(&engine, id, "END", 0);
    let policy = BufferPolicy::Ring.code();
    engine
        .go(
            id,
            &mut Go {
                buffer_size: 256,
                policy,
                ..Go::default()
            },
        )
        .unwrap();
    for argument in 0..100 {
        let mut regs = registers(ALPHA);
        regs.r[0] = argument;
        execute_with(fake, &engine, regs);
    }
    assert_eq!(drain(&engine, id, 0), []);
    engine.stop(id).unwrap();
    let kept: Vec<_> = (90..100)
        .map(|argument| (1, vec![argument]))
        .chain([(2, vec![])])
        .collect();
    assert_eq!(records(&engine, id, 0), kept);
    assert_eq!(take_drops(&engine, id, 0), 0);
}

#[test]
fn a_full_fill_buffer_ends_tracing_with_room_for_end() {
    let (fake, engine) = engine();
    let id = open_with(&engine, &clauses(1));
    enable(&engine, id, "alpha").unwrap();
    enable_named(&engine, id, "END", 0);
    let policy = BufferPolicy::Fill.code();
    engine
        .go(
            id,
            &mut Go {
                buffer_size: 256,
                policy,
                ..Go::default()
            },
        )
        .unwrap();
    (0..15).for_each(|_| _ = execute(fake, &engine, ALPHA));
    assert_eq!(engine.status(id).unwrap().ending, 0);
    execute(fake, &engine, ALPHA);
    assert_eq!(engine.status(id).unwrap().ending, 1);
    engine.stop(id).unwrap();
    let mut kept = vec![1; 15];
    kept.push(2);
    assert_eq!(drain(&engine, id, 0), kept);
}

#[test]
fn a_full_fill_buffer_has_room_for_error_in_end() {
    let (fake, engine) = engine();
    let mut program = clauses(1);
    let faulty = program.clause(&[], |_| [&fault()[..], &[ret()]].concat());
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), 0).unwrap();
    enable_named(&engine, id, "END", faulty);
    enable_named(&engine, id, "ERROR", 0);
    let mut how = Go {
        buffer_size: 256,
        policy: BufferPolicy::Fill.code(),
        ..Go::default()
    };
    engine.go(id, &mut how).unwrap();
    (0..20).for_each(|_| _ = execute(fake, &engine, ALPHA));
    engine.stop(id).unwrap();
    let mut kept = vec![1; 14];
    kept.push(3);
    assert_eq!(drain(&engine, id, 0), kept);
}

#[test]
fn records_of_a_failed_copy_are_sent_again() {
    let (fake, engine) = engine();
    let id = open_with(&engine, &clauses(1));
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    let lost = engine.buf_snap(id, 0, 64, &mut [0; 8], &mut |_| {
        Err(engine_tracer::Unwritten)
    });
    assert_eq!(lost, Err(Error::Unwritten));
    assert_eq!(drain(&engine, id, 0), [1]);
}

#[test]
fn clause_locals_live_for_one_firing() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    let local = program.scalar(Scope::Clause, &[]);
    program.clause(&[], |_| {
        vec![
            load(1, local),
            set(2, 5),
            op(Op::Add, [1, 1, 2], 0),
            store(1, local),
            ret(),
        ]
    });
    program.numbers(1, |d| vec![load(d, local)]);
    let id = open_with(&engine, &program);
    for clause in [0, 0, 1] {
        engine.enable(id, &describe("alpha"), clause).unwrap();
    }
    engine.enable(id, &describe("beta"), 1).unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    execute(fake, &engine, ALPHA);
    execute(fake, &engine, BETA);
    assert_eq!(
        records(&engine, id, 0),
        [(3, vec![10]), (3, vec![10]), (4, vec![0])]
    );
}
