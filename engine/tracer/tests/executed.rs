//! Processes that execute programs while consumers have them held.

use crate::fake;

use engine_abi::{Description, Opened, PidArm, PidProbes};
use engine_dvm::Builtin;
use engine_tracer::{ConsumerId, Error};
use fake::program::*;
use fake::*;

const PID: u32 = 77;
const HOOK: usize = 0x50_0000;
const RETURN: u32 = 0xe12f_ff1e;

fn holding(engine: &Engine) -> ConsumerId {
    let mut program = Program::new();
    program.numbers(1, |_| builtin(1, Builtin::Arg, 0).to_vec());
    let id = open_with(engine, &program);
    engine.pid_execs(id).unwrap();
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

/// A thread of the process has executed a program; returns its ticket.
fn execute(fake: &Fake, engine: &Engine, ppid: u32) -> u32 {
    fake.create(PID, &[(HOOK, RETURN)]);
    in_process(|| {
        let mut task = TASK.get();
        (task.pid, task.ppid) = (PID, ppid);
        let own = TASK.replace(task);
        let ticket = engine.process_begins();
        TASK.set(own);
        ticket
    })
}

fn in_process<R>(work: impl FnOnce() -> R) -> R {
    IN_PROCESS.set(PID);
    let done = work();
    IN_PROCESS.set(0);
    done
}

fn opened(ticket: u32) -> Opened {
    Opened {
        pid: PID,
        ticket,
        begins: 1,
        reserved: 0,
    }
}

fn answer(engine: &Engine, id: ConsumerId, opened: Opened) -> u32 {
    let mut answer = PidArm {
        opened,
        ..PidArm::default()
    };
    engine.pid_arm(id, &mut answer).unwrap();
    answer.late
}

#[test]
fn a_process_that_executes_a_program_waits_for_an_answer() {
    let (fake, engine) = engine();
    assert_eq!(execute(fake, &engine, 1), 0, "nobody has it held");
    let id = holding(&engine);
    let ticket = execute(fake, &engine, 1);
    assert_ne!(ticket, 0);
    assert_eq!(engine.opened(id), Some(opened(ticket)));
    assert_eq!(engine.opened(id), None);
    assert!(!in_process(|| engine.is_released(ticket)));
    assert_eq!(answer(&engine, id, opened(ticket)), 0);
    assert!(in_process(|| engine.is_released(ticket)));
    in_process(|| engine.process_began());
    assert_ne!(execute(fake, &engine, 1), 0, "the next one waits, too");
    engine.close(id);
    assert!(!HOLDS_EXECS.get());
    assert_eq!(execute(fake, &engine, 1), 0);
}

#[test]
fn each_of_two_consumers_is_waited_for() {
    let (fake, engine) = engine();
    let ids = [holding(&engine), holding(&engine)];
    let ticket = execute(fake, &engine, 1);
    for id in ids {
        assert!(!in_process(|| engine.is_released(ticket)));
        assert_eq!(engine.opened(id), Some(opened(ticket)));
        answer(&engine, id, opened(ticket));
    }
    assert!(in_process(|| engine.is_released(ticket)));
    in_process(|| engine.process_began());
    engine.stop(ids[0]).unwrap();
    assert!(HOLDS_EXECS.get());
    assert_ne!(execute(fake, &engine, 1), 0);
    engine.close(ids[1]);
    assert!(!HOLDS_EXECS.get());
    assert!(
        in_process(|| engine.is_released(u32::MAX)),
        "nobody is waited for"
    );
}

#[test]
fn a_child_of_the_consumer_is_not_held() {
    let (fake, engine) = engine();
    let id = holding(&engine);
    assert_eq!(execute(fake, &engine, TASK.get().pid), 0);
    engine.close(id);
}

/// The thread has given up before the answer.
#[test]
fn an_answer_can_be_late() {
    let (fake, engine) = engine();
    let id = holding(&engine);
    let ticket = execute(fake, &engine, 1);
    in_process(|| engine.give_up(ticket));
    assert_eq!(engine.opened(id), Some(opened(ticket)));
    assert_eq!(answer(&engine, id, opened(ticket)), 1);
    in_process(|| engine.process_began());
    engine.close(id);
}

/// Its answer comes when the process runs on: nothing waits for it any more until it reads again.
#[test]
fn a_consumer_that_does_not_answer_is_waited_for_once() {
    let (fake, engine) = engine();
    let id = holding(&engine);
    let ticket = execute(fake, &engine, 1);
    in_process(|| engine.give_up(ticket));
    in_process(|| engine.process_began());
    assert_eq!(execute(fake, &engine, 1), 0);
    assert_eq!(engine.opened(id), None);
    let ticket = execute(fake, &engine, 1);
    assert_ne!(ticket, 0);
    assert_eq!(answer(&engine, id, opened(ticket)), 1, "one was missed");
    assert_eq!(answer(&engine, id, opened(ticket)), 0);
    in_process(|| engine.process_began());
    engine.close(id);
}

/// The consumer watches the process's linker from then on.
#[test]
fn a_process_is_watched_that_has_executed_a_program() {
    let (fake, engine) = engine();
    let id = holding(&engine);
    let ticket = execute(fake, &engine, 1);
    let names = Description::new(b"", b"ld.so", b"_dl_debug_state", b"entry").unwrap();
    let hook = PidProbes::new(PID, names, HOOK as u64, 4);
    assert_eq!(engine.pid_watch(id, &hook).unwrap().provided, 1);
    answer(&engine, id, opened(ticket));
    in_process(|| engine.process_began());
    let mut regs = registers(HOOK);
    regs.r[14] = 0x40_0abc;
    let hit = fake.hit(&engine, PID, &mut regs).unwrap();
    assert_ne!(hit.ticket, 0);
    let told = Opened {
        begins: 0,
        ..opened(hit.ticket)
    };
    assert_eq!(engine.opened(id), Some(told));
    engine.close(id);
}

/// More processes at a time than there are places: the others run on, which the consumer is told.
#[test]
fn without_a_place_a_process_does_not_wait() {
    const PLACES: usize = 1024;
    let (fake, engine) = engine();
    let id = holding(&engine);
    let held = (0..PLACES + 9).filter(|_| execute(fake, &engine, 1) != 0);
    assert_eq!(held.count(), PLACES);
    let first = engine.opened(id).unwrap();
    assert_eq!(answer(&engine, id, first), 1, "late");
    engine.close(id);
}

/// Programs start and end for as long as the consumer traces.
#[test]
fn a_linker_is_watched_until_its_process_is_gone() {
    let (fake, engine) = engine();
    let id = holding(&engine);
    for _ in 0..1100 {
        let ticket = execute(fake, &engine, 1);
        assert_ne!(ticket, 0);
        let names = Description::new(b"", b"ld.so", b"_dl_debug_state", b"entry").unwrap();
        let hook = PidProbes::new(PID, names, HOOK as u64, 4);
        assert_eq!(engine.pid_watch(id, &hook).unwrap().provided, 1);
        answer(&engine, id, opened(ticket));
        in_process(|| engine.process_began());
        fake.exit(PID);
        engine.processes_gone();
    }
    engine.close(id);
}

#[test]
fn processes_are_held_from_before_tracing_begins() {
    let (_, engine) = engine();
    let id = holding(&engine);
    assert_eq!(engine.pid_execs(id), Err(Error::WrongState));
    engine.close(id);
}
