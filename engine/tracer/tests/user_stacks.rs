//! User stacks: where a walk begins, the forms of a frame, and stacks that are not what they seem.

use crate::fake;

use engine_abi::{Description, FieldKind, FrameRule, PidProbes, UnwindRow};
use engine_dvm::Builtin;
use engine_isa::arm::Regs;
use engine_tracer::unwind::tables::Object;
use engine_tracer::{ConsumerId, Error, FrameLayout, FrameRecord};
use fake::program::*;
use fake::*;

/// The process that [`TASK`] is a thread of.
const BASH_ID: u64 = 10;
const PC: u64 = 0x1_0000;
const SP: u64 = 0x7000;
const MAIN: usize = 0x40_1000;

/// A program that records a user stack of `frames` frames.
fn walking(frames: u32) -> Program {
    let mut program = Program::new();
    program.clause(&[(8 + 8 * frames, FieldKind::UserStack)], |fields| {
        vec![open_record(), record(0, fields[0]), ret()]
    });
    program
}

/// A program that records `ucaller` and `ustackdepth`.
fn counting() -> Program {
    let mut program = Program::new();
    program.numbers(2, |d| {
        let which = [Builtin::Ucaller, Builtin::Ustackdepth][usize::from(d) - 1];
        builtin(d, which, 0).to_vec()
    });
    program
}

/// The registers of a thread that is at [`PC`], with this frame pointer.
fn in_user(fp: u64) -> Regs {
    let mut regs = registers(PC as usize);
    (regs.r[11], regs.r[13], regs.r[14]) = (fp as u32, SP as u32, 0x2_0001);
    regs
}

fn stack(words: &[(u64, u64)]) {
    let words = words.iter().map(|(address, word)| (*address, *word as u32));
    STACK.set(words.collect());
}

/// What a kernel probe records in a thread with these user registers.
fn recorded(program: &Program, user: Option<Regs>) -> Vec<u64> {
    let (fake, engine) = engine();
    let id = open_with(&engine, program);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    USER_REGS.set(user);
    execute(fake, &engine, ALPHA);
    let [(_, words)] = &records(&engine, id, 0)[..] else {
        panic!("one record");
    };
    words.clone()
}

/// The frames of a walk from this frame pointer.
fn walked(fp: u64) -> Vec<u64> {
    let mut words = recorded(&walking(6), Some(in_user(fp)));
    assert_eq!(words.remove(0), BASH_ID);
    while words.last() == Some(&0) {
        words.pop();
    }
    words
}

#[test]
fn a_thread_without_user_mode_has_no_stack() {
    assert_eq!(recorded(&walking(2), None), [BASH_ID, 0, 0]);
    assert_eq!(recorded(&counting(), None), [0, 0]);
}

#[test]
fn a_kernel_probe_begins_where_the_thread_entered_the_kernel() {
    stack(&[
        (0x7010 - 12, 0),
        (0x7010 - 8, 0),
        (0x7010 - 4, 0),
        (0x7010, 0x3_0000),
    ]);
    assert_eq!(
        recorded(&walking(4), Some(in_user(0x7010))),
        [BASH_ID, PC, 0x3_0000, 0, 0]
    );
    assert_eq!(recorded(&walking(1), Some(in_user(0x7010))), [BASH_ID, PC]);
    assert_eq!(recorded(&counting(), Some(in_user(0x7010))), [0x3_0000, 2]);
}

/// From the inside: `push {fp, lr}; add fp, sp, #4`, then APCS, then `push {fp, lr}; mov fp, sp`.
#[test]
fn frames_of_different_compilers_are_told_apart() {
    stack(&[
        (0x7004, 0),
        (0x7008, 0),
        (0x700c, 0x7040),
        (0x7010, 0x3_0001),
        (0x7034, 0x7080),
        (0x7038, 0x7044),
        (0x703c, 0x4_0000),
        (0x7040, 0x5_0008),
        (0x7074, 0),
        (0x7078, 0),
        (0x707c, 5),
        (0x7080, 0x70c0),
        (0x7084, 0x6_0000),
        (0x70b4, 0),
        (0x70b8, 0),
        (0x70bc, 0),
        (0x70c0, 0x7_0000),
    ]);
    assert_eq!(walked(0x7010), [PC, 0x3_0000, 0x4_0000, 0x6_0000, 0x7_0000]);
}

#[test]
fn a_pair_has_the_return_address_above_the_frame_pointer() {
    LAYOUT.set(FrameLayout {
        word: 4,
        has_link: false,
        record: FrameRecord::Pair,
        mask: u64::MAX,
    });
    stack(&[
        (0x7010, 0x7020),
        (0x7014, 0x3_0001),
        (0x7020, 0),
        (0x7024, 0x4_0000),
    ]);
    assert_eq!(walked(0x7010), [PC, 0x3_0001, 0x4_0000]);
    LAYOUT.set(ARM);
}

/// A frame pointer that is another register is mostly not above the stack pointer, or not aligned.
#[test]
fn a_walk_ends_where_the_frame_pointer_is_none() {
    stack(&[(0x6ff0, 0x3_0000), (0x6ff4, 0x3_0000), (0x7000, 1)]);
    for other in [0, 0x6ff0, 0x7002, 0x0100_0000, 0x9000, 0xffff_fffc] {
        assert_eq!(walked(other), [PC], "{other:#x}");
    }
}

#[test]
fn a_stack_that_leads_back_ends() {
    LAYOUT.set(FrameLayout {
        record: FrameRecord::Pair,
        ..ARM
    });
    stack(&[
        (0x7010, 0x7010),
        (0x7014, 0x3_0000),
        (0x7020, 0x7010),
        (0x7024, 0x4_0000),
    ]);
    assert_eq!(walked(0x7010), [PC, 0x3_0000]);
    assert_eq!(walked(0x7020), [PC, 0x4_0000]);
    LAYOUT.set(ARM);
}

#[test]
fn a_small_number_is_no_return_address() {
    LAYOUT.set(FrameLayout {
        record: FrameRecord::Pair,
        ..ARM
    });
    stack(&[(0x7010, 0x7020), (0x7014, 12)]);
    assert_eq!(walked(0x7010), [PC]);
    LAYOUT.set(ARM);
}

const PID: u32 = 77;

/// `push {r4, lr}`, a move, `pop {r4, pc}`.
const TEXT: [(usize, u32); 4] = [
    (MAIN, PUSH),
    (MAIN + 4, MOV_5),
    (MAIN + 8, 0xe8bd_8010),
    (MAIN + 12, UDF),
];

/// Enables what `name` matches in `main` of the process.
fn trace(name: &str) -> (&'static Fake, Engine, ConsumerId) {
    let (fake, engine) = engine();
    fake.create(PID, &TEXT);
    let id = open_with(&engine, &walking(3));
    let description = Description::new(b"", b"a.out", b"main", name.as_bytes()).unwrap();
    let request = PidProbes::new(PID, description, MAIN as u64, 12);
    assert_eq!(engine.pid_probes(id, &request).unwrap().refused, 0);
    let description = Description::new(b"pid77", b"a.out", b"main", name.as_bytes()).unwrap();
    assert_ne!(engine.enable(id, &description, 0), Ok(0));
    assert_eq!(go(&engine, id, 0), Ok(0));
    (fake, engine, id)
}

/// What a hit at this offset records; the frame of `main`'s caller is at 0x7020.
fn hit(name: &str, offset: usize, sp: u64, lr: u32) -> Vec<u64> {
    let (fake, engine, id) = trace(name);
    stack(&[
        (0x6ff8, 0x44),
        (0x6ffc, 0x2_0000),
        (0x7014, 0),
        (0x7018, 0),
        (0x701c, 0),
        (0x7020, 0x3_0000),
    ]);
    let mut regs = in_user(0x7020);
    (regs.r[13], regs.r[14], regs.r[15]) = (sp as u32, lr, (MAIN + offset) as u32);
    fake.run(&engine, PID, &mut regs).unwrap();
    STACK.set(Default::default());
    let [(_, words)] = &records(&engine, id, 0)[..] else {
        panic!("one record");
    };
    words.clone()
}

#[test]
fn at_an_entry_the_caller_is_in_the_link_register() {
    let main = MAIN as u64;
    let whole = [BASH_ID, main, 0x2_0000, 0x3_0000];
    assert_eq!(hit("entry", 0, SP, 0x2_0000), whole);
    assert_eq!(hit("0", 0, SP, 0x2_0000), whole);
    assert_eq!(
        hit("4", 4, 0x6ff8, 0x9_9000),
        [BASH_ID, main + 4, 0x3_0000, 0],
        "without a record of the caller's own it is skipped"
    );
}

/// The return loads the program counter from the stack; the link register is another value by then.
#[test]
fn at_a_return_the_caller_is_where_the_instruction_leads() {
    let from = MAIN as u64 + 8;
    assert_eq!(
        hit("return", 8, 0x6ff8, 0x9_9000),
        [BASH_ID, from, 0x2_0000, 0x3_0000]
    );
}

#[test]
fn at_an_entry_a_pushed_return_address_is_on_top_of_the_stack() {
    LAYOUT.set(FrameLayout {
        has_link: false,
        ..ARM
    });
    let main = MAIN as u64;
    assert_eq!(
        hit("entry", 0, 0x6ffc, 0),
        [BASH_ID, main, 0x2_0000, 0x3_0000]
    );
    LAYOUT.set(ARM);
}

/// The unwind table of an object at 0x10000 in the process 7, of which a row says where the caller of
/// all code is.
fn object(row: UnwindRow) -> Object {
    Object {
        code: 0x1_0000..0x2_0000,
        bias: 0x1_0000,
        rows: vec![row],
    }
}

/// A frame of 16 bytes with the return address at its end.
const FRAME: UnwindRow = UnwindRow {
    start: 0,
    rule: FrameRule::Sp.code(),
    extra: 0,
    cfa: 4,
    ra: -1,
    fp: UnwindRow::KEPT,
};

#[test]
fn a_table_of_the_process_comes_before_its_frame_pointers() {
    let (fake, engine) = engine();
    fake.create(7, &[]);
    fake.create(8, &[]);
    stack(&[
        (SP + 12, 0x1_5001),
        (SP + 28, 0x2_5000),
        (SP + 0x40 - 12, 0),
        (SP + 0x40 - 8, 0),
        (SP + 0x40 - 4, 0),
        (SP + 0x40, 0x3_0000),
    ]);
    let id = open_with(&engine, &walking(6));
    engine.unwind(id, 7, object(FRAME)).unwrap();
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    USER_REGS.set(Some(in_user(SP + 0x40)));
    for pid in [7, 8] {
        IN_PROCESS.set(pid);
        execute(fake, &engine, ALPHA);
    }
    IN_PROCESS.set(0);
    let frames = records(&engine, id, 0).into_iter().map(|(_, words)| words);
    assert_eq!(
        frames.collect::<Vec<_>>(),
        [
            [BASH_ID, PC, 0x1_5000, 0x2_5000, 0x3_0000, 0, 0],
            [BASH_ID, PC, 0x3_0000, 0, 0, 0, 0]
        ]
    );
    assert_eq!(
        engine.unwind(id, 7, object(FRAME)),
        Err(Error::WrongState),
        "tracing has begun"
    );
    engine.close(id);
    fake.process(7, |process| assert_eq!(process.holds, 0));
}

#[test]
fn address_spaces_are_held_while_a_consumer_has_tables_for_them() {
    let (fake, engine) = engine();
    fake.create(7, &[]);
    let holds = || fake.process(7, |process| process.holds);
    let id = open_with(&engine, &walking(6));
    let other = open_with(&engine, &walking(6));
    for id in [id, id, other] {
        engine.unwind(id, 7, object(FRAME)).unwrap();
    }
    assert_eq!(holds(), 2);
    let gone = engine.unwind(id, 9, object(FRAME));
    assert_eq!(gone, Err(Error::NotFound));
    let large = Object {
        rows: vec![FRAME; (64 << 20) / size_of::<UnwindRow>() + 1],
        ..object(FRAME)
    };
    assert_eq!(engine.unwind(id, 7, large), Err(Error::NoRoom));
    assert_eq!(holds(), 2);
    fake.process(7, |process| process.execs += 1);
    let other_program = engine.unwind(id, 7, object(FRAME));
    assert_eq!(other_program, Err(Error::NotFound));
    assert_eq!(holds(), 2);
    fake.process(7, |process| process.execs = 0);
    engine.close(id);
    assert_eq!(holds(), 1);
    engine.close(other);
    assert_eq!(holds(), 0);
}

#[test]
fn signal_frames_that_lead_back_end_a_walk() {
    let (fake, engine) = engine();
    fake.create(7, &[]);
    stack(&[(SP, SP), (SP + 4, PC), (SP + 8, 0)]);
    let id = open_with(&engine, &walking(40));
    let signal = UnwindRow {
        rule: FrameRule::Signal.code(),
        cfa: 0,
        ra: 1,
        fp: 2,
        ..UnwindRow::default()
    };
    engine.unwind(id, 7, object(signal)).unwrap();
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    USER_REGS.set(Some(in_user(0)));
    IN_PROCESS.set(7);
    execute(fake, &engine, ALPHA);
    IN_PROCESS.set(0);
    let [(_, words)] = &records(&engine, id, 0)[..] else {
        panic!("one record");
    };
    assert_eq!(words.iter().filter(|word| **word == PC).count(), 17);
}
