//! The pid provider: probes in processes, each on its own text, which is restored in the end.

mod bounds;
mod plans;
mod rows;
mod thumb;
mod usdt;

use crate::fake;

use engine_abi::{Description, PidProbes};
use engine_dvm::Builtin;
use engine_isa::Why;
use engine_isa::arm::{Regs, TRAP};
use engine_tracer::{ConsumerId, Created, Error, Reason, Trap};
use fake::program::*;
use fake::*;

const PID: u32 = 77;
const MAIN: usize = 0x40_1000;
const RETURN: u32 = 0xe12f_ff1e;
const RETURN_IF_ZERO: u32 = 0x012f_ff1e;

/// `main`: a push, which is emulated; two moves, which are relocated; two returns.
const TEXT: [(usize, u32); 6] = [
    (MAIN, PUSH),
    (MAIN + 4, MOV_5),
    (MAIN + 8, RETURN_IF_ZERO),
    (MAIN + 12, MOV_6),
    (MAIN + 16, RETURN),
    (MAIN + 20, UDF),
];
const SIZE: u64 = 20;

/// Records `arg0` and `arg1`.
fn recording() -> Program {
    let mut program = Program::new();
    program.numbers(2, |d| builtin(d, Builtin::Arg, u32::from(d) - 1).to_vec());
    program
}

fn with_process() -> (&'static Fake, Engine) {
    let (fake, engine) = engine();
    fake.create(PID, &TEXT);
    (fake, engine)
}

fn request(pid: u32, name: &str) -> PidProbes {
    let description = Description::new(b"", b"a.out", b"main", name.as_bytes()).unwrap();
    PidProbes::new(pid, description, MAIN as u64, SIZE)
}

fn create(engine: &Engine, id: ConsumerId, name: &str) -> Created {
    engine.pid_probes(id, &request(PID, name)).unwrap()
}

/// Enables and arms what `name` matches in `main`.
fn trace(engine: &Engine, name: &str) -> ConsumerId {
    let id = open_with(engine, &recording());
    assert_eq!(create(engine, id, name).refused, 0);
    let description = Description::new(b"pid77", b"a.out", b"main", name.as_bytes()).unwrap();
    assert_ne!(engine.enable(id, &description, 0), Ok(0));
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

fn traps(fake: &Fake, pid: u32) -> Vec<usize> {
    fake.process(pid, |process| {
        let traps = process.text.iter().filter(|(_, word)| **word == TRAP);
        traps.map(|(address, _)| *address).collect()
    })
}

fn text(fake: &Fake, pid: u32) -> Vec<(usize, u32)> {
    fake.process(pid, |process| {
        let words = process.text.iter();
        words.map(|(address, word)| (*address, *word)).collect()
    })
}

fn at(pc: usize, r0: u32, r1: u32) -> Regs {
    let mut regs = registers(pc);
    (regs.r[0], regs.r[1], regs.r[14]) = (r0, r1, 0x40_0abc);
    regs
}

const ZERO: u32 = 1 << 30;

#[test]
fn entry_and_return_are_patched_and_nothing_else() {
    let (fake, engine) = with_process();
    fake.create(78, &TEXT);
    let id = trace(&engine, "entry");
    assert_eq!(traps(fake, PID), [MAIN]);
    let other = trace(&engine, "return");
    assert_eq!(traps(fake, PID), [MAIN, MAIN + 8, MAIN + 16]);
    assert_eq!(text(fake, 78), TEXT, "another process of the same text");
    engine.close(id);
    assert_eq!(traps(fake, PID), [MAIN + 8, MAIN + 16]);
    engine.close(other);
    assert_eq!(text(fake, PID), TEXT);
    fake.process(PID, |process| assert!(!process.is_open));
}

#[test]
fn a_hit_fires_with_arguments_and_executes_the_instruction() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "entry");
    let mut regs = at(MAIN, 3, 4);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!((regs.r[15] as usize, regs.r[13]), (MAIN + 4, 0x1_0000 - 8));
    assert_eq!(fields(&engine, id), [[3, 4]]);
}

/// `arg0` is the offset of the exit, `arg1` the value; a conditional return counts if it returns.
#[test]
fn a_return_fires_if_it_is_taken() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "return");
    for (pc, flags, value) in [(8, 0, 1), (8, ZERO, 2), (16, 0, 3)] {
        let mut regs = at(MAIN + pc, value, 0);
        regs.cpsr |= flags;
        assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    }
    assert_eq!(fields(&engine, id), [[8, 2], [16, 3]]);
}

#[test]
fn an_empty_name_is_every_probe_of_the_function() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "");
    let all: Vec<_> = (0..5).map(|word| MAIN + 4 * word).collect();
    assert_eq!(traps(fake, PID), all);
    let names: Vec<_> = (0..)
        .map_while(|_| None::<String>)
        .chain(listed(&engine))
        .collect();
    let mut expected = vec!["entry".to_owned(), "return".to_owned()];
    expected.extend(["0", "4", "8", "c", "10"].map(str::to_owned));
    assert_eq!(names, expected);
    let mut regs = at(MAIN, 1, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!(fields(&engine, id).len(), 2, "entry, and offset 0");
}

#[test]
fn a_relocated_instruction_runs_in_a_slot_of_the_process() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "4");
    let mut regs = at(MAIN + 4, 0, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    let slot = regs.r[15] as usize;
    fake.process(PID, |process| {
        let (page, slots) = process.slots.first_key_value().unwrap();
        let place = slot - page;
        assert_eq!(slots[place..place + 4], MOV_5.to_le_bytes());
        process.threads = vec![slot, slot + 4, MAIN];
    });
    engine.close(id);
    fake.process(PID, |process| {
        assert_eq!(process.threads, [MAIN + 4, MAIN + 8, MAIN]);
        assert!(process.slots.is_empty());
    });
}

#[test]
fn slots_that_do_not_fit_one_page_get_another() {
    let (fake, engine) = with_process();
    let nops: Vec<_> = (0..40).map(|word| (MAIN + 4 * word, MOV_5)).collect();
    fake.create(PID, &nops);
    let id = open_with(&engine, &recording());
    let mut asked = request(PID, "?*");
    asked.size = 160;
    engine.pid_probes(id, &asked).unwrap();
    let all = Description::new(b"pid77", b"", b"", b"[0-9a-f]*").unwrap();
    engine.enable(id, &all, 0).unwrap();
    assert_eq!(go(&engine, id, 0), Ok(0));
    fake.process(PID, |process| assert!(process.slots.len() > 2));
    for word in 0..40 {
        let mut regs = at(MAIN + 4 * word, 0, 0);
        assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    }
    engine.close(id);
    assert_eq!(text(fake, PID), nops);
}

#[test]
fn a_site_of_two_consumers_is_restored_by_the_last() {
    let (fake, engine) = with_process();
    let one = trace(&engine, "entry");
    let other = trace(&engine, "0");
    engine.close(one);
    assert_eq!(traps(fake, PID), [MAIN]);
    let mut regs = at(MAIN, 9, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!(fields(&engine, other), [[9, 0]]);
    engine.close(other);
    assert_eq!(text(fake, PID), TEXT);
}

#[test]
fn the_text_of_a_traced_function_is_walked_without_our_traps() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "[0-9a-f]*");
    let other = open_with(&engine, &recording());
    let again = engine.pid_probes(other, &request(PID, "")).unwrap();
    assert_eq!((again.provided, again.refused), (7, 0));
    engine.close(other);
    engine.close(id);
    assert_eq!(text(fake, PID), TEXT);
}

#[test]
fn refusals_have_reasons() {
    let (fake, engine) = with_process();
    let id = open_with(&engine, &recording());
    let refusal = |name: &str, size: u64| {
        let mut asked = request(PID, name);
        asked.size = size;
        let created = engine.pid_probes(id, &asked).unwrap();
        assert_eq!(created.provided, 0);
        created.reason.unwrap()
    };
    assert_eq!(refusal("2", SIZE), Reason::NoInstruction);
    assert_eq!(refusal("14", SIZE), Reason::NoInstruction);
    assert_eq!(refusal("main", SIZE), Reason::NoInstruction);
    assert!(matches!(refusal("14", SIZE + 4), Reason::Instruction(_)));
    assert_eq!(refusal("entry", 0), Reason::NoSize);
    assert_eq!(refusal("entry", 1 << 40), Reason::NoSize);
    assert_eq!(refusal("return", 4096), Reason::Unreadable);
    assert_eq!(text(fake, PID), TEXT);
    engine.close(id);
}

/// The rest may be unmapped, or mapped later.
#[test]
fn an_entry_needs_no_more_than_its_instruction() {
    let (_, engine) = with_process();
    let id = open_with(&engine, &recording());
    let mut asked = request(PID, "entry");
    asked.size = 4096;
    assert_eq!(engine.pid_probes(id, &asked).unwrap().provided, 1);
    engine.close(id);
}

#[test]
fn a_request_for_no_process_is_an_error() {
    let (fake, engine) = with_process();
    let id = open_with(&engine, &recording());
    assert_eq!(
        engine.pid_probes(id, &request(99, "entry")),
        Err(Error::NotFound)
    );
    fake.exit(PID);
    assert_eq!(
        engine.pid_probes(id, &request(PID, "entry")),
        Err(Error::NotFound)
    );
}

#[test]
fn a_process_that_exits_takes_its_probes_along() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "");
    fake.exit(PID);
    engine.processes_gone();
    fake.process(PID, |process| assert!(!process.is_open));
    assert_eq!(listed(&engine), Vec::<String>::new());
    // Its ID is used again.
    fake.create(PID, &TEXT);
    let other = trace(&engine, "entry");
    assert_eq!(traps(fake, PID), [MAIN]);
    engine.close(id);
    assert_eq!(traps(fake, PID), [MAIN]);
    engine.close(other);
    assert_eq!(text(fake, PID), TEXT);
}

/// It exits after those that are gone have been counted, and before they are closed.
#[test]
fn a_process_that_exits_while_another_is_disarmed_takes_its_turn() {
    let (fake, engine) = with_process();
    fake.create(78, &TEXT);
    let id = open_with(&engine, &recording());
    for pid in [PID, 78] {
        engine.pid_probes(id, &request(pid, "entry")).unwrap();
    }
    let all = Description::new(b"pid*", b"", b"", b"entry").unwrap();
    assert_eq!(engine.enable(id, &all, 0), Ok(2));
    assert_eq!(go(&engine, id, 0), Ok(0));
    fake.exit(PID);
    ON_DISPATCH.set(Some(Box::new(|| fake.exit(78))));
    engine.processes_gone();
    fake.process(78, |process| {
        assert!(process.is_open, "the live table names it");
    });
    engine.processes_gone();
    fake.process(78, |process| assert!(!process.is_open));
    assert!(!DIRECT.get(), "nothing is armed");
    engine.close(id);
    assert!(!PINNED.get());
}

/// The address space stays open, as the live table names it. It must not outlive the engine.
#[test]
fn an_engine_without_memory_closes_its_processes_in_the_end() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "4");
    MEMORY.set(0);
    engine.close(id);
    assert_eq!(text(fake, PID), TEXT);
    drop(engine);
    MEMORY.set(usize::MAX);
    fake.process(PID, |process| {
        assert!(!process.is_open && process.slots.is_empty());
    });
}

/// As when a library is loaded where another one was.
#[test]
fn text_that_was_replaced_is_planned_anew() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "4");
    fake.process(PID, |process| process.text.insert(MAIN + 4, RETURN));
    let other = trace(&engine, "return");
    assert_eq!(traps(fake, PID), [MAIN + 4, MAIN + 8, MAIN + 16]);
    let mut regs = at(MAIN + 4, 7, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!(regs.r[15], 0x40_0abc, "it returns");
    assert_eq!(fields(&engine, other), [[4, 7]]);
    engine.close(id);
    engine.close(other);
    assert_eq!(
        fake.process(PID, |process| process.text[&(MAIN + 4)]),
        RETURN
    );
}

/// Also if no trap was there any more when it was replaced.
#[test]
fn text_that_was_replaced_while_it_was_not_traced_is_planned_anew() {
    let (fake, engine) = with_process();
    let observer = open_with(&engine, &recording());
    create(&engine, observer, "0");
    let id = trace(&engine, "4");
    engine.close(id);
    fake.process(PID, |process| process.text.insert(MAIN + 4, PUSH));
    let other = trace(&engine, "4");
    assert_eq!(traps(fake, PID), [MAIN + 4]);
    let mut regs = at(MAIN + 4, 0, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!((regs.r[15] as usize, regs.r[13]), (MAIN + 8, 0x1_0000 - 8));
    engine.close(other);
    engine.close(observer);
}

#[test]
fn a_trap_that_is_not_ours_reaches_the_process() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "entry");
    fake.process(PID, |process| process.text.insert(MAIN + 12, TRAP));
    let mut regs = at(MAIN + 12, 0, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Stray));
    // So does ours in an address space that is not traced.
    fake.create(78, &[(MAIN, TRAP)]);
    let mut regs = at(MAIN, 0, 0);
    assert_eq!(fake.run(&engine, 78, &mut regs), Some(Trap::Stray));
    fake.process(PID, |process| process.text.insert(MAIN + 12, MOV_6));
    engine.close(id);
}

/// The stack is not there: the probe has fired, and the instruction is executed later, once.
#[test]
fn memory_that_is_not_there_is_a_failure_that_can_be_resumed() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "entry");
    IN_PROCESS.set(PID);
    let mut regs = at(MAIN, 5, 6);
    assert_eq!(engine.user_trap(&mut regs, &mut Nowhere).trap, Trap::Failed);
    assert_eq!((regs.r[15] as usize, regs.r[13]), (MAIN, 0x1_0000));
    assert_eq!(
        engine.user_resume(MAIN, &mut regs, &mut Anywhere),
        Trap::Resumed
    );
    assert_eq!((regs.r[15] as usize, regs.r[13]), (MAIN + 4, 0x1_0000 - 8));
    IN_PROCESS.set(0);
    assert_eq!(fields(&engine, id), [[5, 6]]);
    let _ = fake;
}

#[test]
fn text_that_the_process_has_overwritten_is_left_alone() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "entry");
    fake.process(PID, |process| process.text.insert(MAIN, MOV_6));
    engine.close(id);
    assert_eq!(fake.process(PID, |process| process.text[&MAIN]), MOV_6);
    fake.process(PID, |process| assert!(!process.is_open));
}

#[test]
fn text_that_cannot_be_restored_stays_known() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "entry");
    STUCK.set(true);
    engine.close(id);
    STUCK.set(false);
    assert_eq!(traps(fake, PID), [MAIN]);
    let mut regs = at(MAIN, 0, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    engine.close(engine.open().unwrap());
    assert_eq!(text(fake, PID), TEXT);
    fake.process(PID, |process| assert!(!process.is_open));
}

#[test]
fn without_memory_nothing_is_armed() {
    let (fake, engine) = with_process();
    for lack in [&NO_SLOTS, &NOT_WRITTEN] {
        let id = open_with(&engine, &recording());
        create(&engine, id, "4");
        let description = Description::new(b"pid*", b"", b"", b"4").unwrap();
        assert_eq!(engine.enable(id, &description, 0), Ok(1));
        lack.set(true);
        assert_eq!(go(&engine, id, 0), Err(Error::OutOfMemory));
        lack.set(false);
        assert_eq!(text(fake, PID), TEXT);
        engine.close(id);
        fake.process(PID, |process| assert!(!process.is_open));
    }
}

/// Its slots cannot be mapped then, which is no lack of memory.
#[test]
fn a_process_may_exit_before_it_is_armed() {
    let (fake, engine) = with_process();
    let id = open_with(&engine, &recording());
    create(&engine, id, "4");
    let description = Description::new(b"pid77", b"", b"", b"4").unwrap();
    assert_eq!(engine.enable(id, &description, 0), Ok(1));
    fake.exit(PID);
    assert_eq!(go(&engine, id, 0), Ok(1), "it is not armed");
    engine.close(id);
    fake.process(PID, |process| assert!(!process.is_open));
}

#[test]
fn all_sites_are_patched_in_one_stop() {
    let (_, engine) = with_process();
    STOPS.set(0);
    let id = trace(&engine, "");
    assert_eq!(STOPS.get(), 1);
    engine.close(id);
    assert_eq!(STOPS.get(), 2);
}

fn fields(engine: &Engine, id: ConsumerId) -> Vec<Vec<u64>> {
    let records = records(engine, id, 0).into_iter();
    records.map(|(_, fields)| fields).collect()
}

/// The names of all probes of process 77.
fn listed(engine: &Engine) -> Vec<String> {
    let all = Description::new(b"pid77", b"", b"", b"").unwrap();
    let mut names = Vec::new();
    let mut next = 0;
    while let Ok((id, description)) = engine.probe_match(&all, next) {
        names.push(String::from_utf8_lossy(description.name()).into_owned());
        next = id + 1;
    }
    names
}

/// A trap would clear the monitor, and the store fail each time: the loop would never end.
#[test]
fn nothing_between_an_exclusive_load_and_its_store_is_probed() {
    const BEHIND: (usize, u32) = (MAIN + 16, MOV_5);
    // ldrex r2, [r0]; mov; strex r3, r2, [r0]; mov; mov; bx lr
    const LOOP: [(usize, u32); 6] = [
        (MAIN, 0xe190_2f9f),
        (MAIN + 4, MOV_5),
        (MAIN + 8, 0xe180_3f92),
        (MAIN + 12, MOV_6),
        BEHIND,
        (MAIN + 20, RETURN),
    ];
    let (fake, engine) = engine();
    fake.create(PID, &LOOP);
    let id = open_with(&engine, &recording());
    let description = Description::new(b"", b"a.out", b"main", b"[0-9a-f]*").unwrap();
    let request = PidProbes::new(PID, description, MAIN as u64, 24);
    let created = engine.pid_probes(id, &request).unwrap();
    // `entry` has the pattern, too.
    assert_eq!((created.provided, created.refused), (5, 2));
    assert_eq!(created.reason, Some(Reason::Instruction(Why::Exclusive)));
}

/// The store is before the load, whose loop a compiler has begun with its last part.
#[test]
fn nothing_behind_an_exclusive_load_is_probed_if_only_stores_before_it_can_be_its() {
    // strex r3, r2, [r0]; mov; ldrex r2, [r0]; mov; mov; bx lr
    const LOOP: [(usize, u32); 6] = [
        (MAIN, 0xe180_3f92),
        (MAIN + 4, MOV_5),
        (MAIN + 8, 0xe190_2f9f),
        (MAIN + 12, MOV_6),
        (MAIN + 16, MOV_5),
        (MAIN + 20, RETURN),
    ];
    let (fake, engine) = engine();
    fake.create(PID, &LOOP);
    let id = open_with(&engine, &recording());
    let description = Description::new(b"", b"a.out", b"main", b"[0-9a-f]*").unwrap();
    let request = PidProbes::new(PID, description, MAIN as u64, 24);
    let created = engine.pid_probes(id, &request).unwrap();
    assert_eq!(created.reason, Some(Reason::Instruction(Why::Exclusive)));
    // The store, which `entry` is at, too, and what is behind the load.
    assert_eq!(created.refused, 5);
}
