//! Libraries that a traced process opens and closes while consumers trace.

use crate::fake;

use engine_abi::{Description, Opened, PidArm, PidProbes, PidRange};
use engine_dvm::Builtin;
use engine_isa::arm::{Regs, TRAP};
use engine_tracer::{ConsumerId, Error, Hit, Reason, Trap};
use fake::program::*;
use fake::*;

const PID: u32 = 77;
const MAIN: usize = 0x40_1000;
/// What the dynamic linker calls: it returns at once.
const HOOK: usize = 0x50_0000;
/// Where libraries are mapped.
const LIBRARY: usize = 0x60_0000;
const RETURN: u32 = 0xe12f_ff1e;

const TEXT: [(usize, u32); 3] = [(MAIN, PUSH), (MAIN + 4, RETURN), (HOOK, RETURN)];
/// A function of a library.
const OPENED: [(usize, u32); 2] = [(LIBRARY, PUSH), (LIBRARY + 4, RETURN)];

fn with_process() -> (&'static Fake, Engine) {
    let (fake, engine) = engine();
    fake.create(PID, &TEXT);
    (fake, engine)
}

fn request(module: &str, function: &str, address: usize, size: u64) -> PidProbes {
    let [module, function] = [module, function].map(str::as_bytes);
    let description = Description::new(b"", module, function, b"entry").unwrap();
    PidProbes::new(PID, description, address as u64, size)
}

fn of_library(module: &str) -> PidProbes {
    request(module, "f", LIBRARY, 8)
}

fn describe_in(module: &str) -> Description {
    Description::new(b"pid77", module.as_bytes(), b"", b"entry").unwrap()
}

/// A consumer that traces `main` and watches the linker.
fn trace(engine: &Engine) -> ConsumerId {
    let mut program = Program::new();
    program.numbers(1, |_| builtin(1, Builtin::Arg, 0).to_vec());
    let id = open_with(engine, &program);
    let main = request("a.out", "main", MAIN, 8);
    assert_eq!(engine.pid_probes(id, &main).unwrap().provided, 1);
    assert_eq!(engine.enable(id, &describe_in("a.out"), 0), Ok(1));
    watch(engine, id);
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

fn watch(engine: &Engine, id: ConsumerId) {
    let hook = request("ld.so", "_dl_debug_state", HOOK, 4);
    let watched = engine.pid_watch(id, &hook).unwrap();
    assert_eq!((watched.provided, watched.refused), (1, 0));
}

/// A thread executes the instruction at `pc`.
fn run(fake: &Fake, engine: &Engine, pc: usize) -> Hit {
    let mut regs: Regs = registers(pc);
    regs.r[14] = 0x40_0abc;
    fake.hit(engine, PID, &mut regs).unwrap()
}

/// The linker has mapped or unmapped something: returns the ticket of the thread.
fn linked(fake: &Fake, engine: &Engine) -> u32 {
    let hit = run(fake, engine, HOOK);
    assert_eq!(hit.trap, Trap::Resumed);
    hit.ticket
}

fn is_held(engine: &Engine, ticket: u32) -> bool {
    IN_PROCESS.set(PID);
    let is_released = engine.is_released(ticket);
    IN_PROCESS.set(0);
    !is_released
}

fn arm(engine: &Engine, id: ConsumerId, ticket: u32) -> u32 {
    let opened = Opened {
        pid: PID,
        ticket,
        ..Opened::default()
    };
    let mut answer = PidArm {
        opened,
        arm: 1,
        ..PidArm::default()
    };
    engine.pid_arm(id, &mut answer).unwrap();
    answer.late
}

fn unmap(fake: &Fake, engine: &Engine, id: ConsumerId) {
    fake.process(PID, |process| process.text.retain(|at, _| *at < LIBRARY));
    let range = PidRange {
        address: LIBRARY as u64,
        size: 0x1000,
        pid: PID,
        reserved: 0,
    };
    engine.pid_unmapped(id, &range).unwrap();
}

fn word(fake: &Fake, address: usize) -> u32 {
    fake.process(PID, |process| process.text[&address])
}

/// The objects of the sites that are shown.
fn shown(engine: &Engine) -> Vec<String> {
    let module = |index| {
        engine.fasttrap_row(index, |row| {
            row.map(|row| String::from_utf8(row.module.to_vec()).unwrap())
        })
    };
    (0..).map_while(module).flatten().collect()
}

fn restored(fake: &Fake) {
    for (address, displaced) in TEXT {
        assert_eq!(word(fake, address), displaced);
    }
    fake.process(PID, |process| assert!(!process.is_open));
}

#[test]
fn a_thread_is_held_until_the_probes_of_what_it_opened_are_armed() {
    let (fake, engine) = with_process();
    let id = trace(&engine);
    assert_eq!(engine.opened(id), None);
    fake.process(PID, |process| process.text.extend(OPENED));
    let ticket = linked(fake, &engine);
    assert!(ticket != 0 && is_held(&engine, ticket));
    assert_eq!(
        engine.opened(id),
        Some(Opened {
            pid: PID,
            ticket,
            ..Opened::default()
        })
    );
    assert_eq!(engine.opened(id), None, "read once");
    assert_eq!(
        engine
            .pid_probes(id, &of_library("one.so"))
            .unwrap()
            .provided,
        1
    );
    assert_eq!(engine.enable(id, &describe_in("one.so"), 0), Ok(1));
    assert_eq!(word(fake, LIBRARY), PUSH, "not armed yet");
    assert_eq!(arm(&engine, id, ticket), 0);
    assert!(!is_held(&engine, ticket));
    assert_eq!(word(fake, LIBRARY), TRAP);
    assert_eq!(run(fake, &engine, LIBRARY).trap, Trap::Resumed);
    assert_eq!(records(&engine, id, 0).len(), 1);
    engine.close(id);
    assert_eq!(word(fake, LIBRARY), PUSH);
    restored(fake);
}

#[test]
fn nothing_is_enabled_twice_or_beyond_processes() {
    let (fake, engine) = with_process();
    let id = trace(&engine);
    assert_eq!(engine.enable(id, &describe_in("*"), 0), Ok(0));
    assert_eq!(engine.enable(id, &describe_in("*"), 9), Err(Error::Invalid));
    assert_eq!(enable(&engine, id, "alpha"), Err(Error::WrongState));
    engine.stop(id).unwrap();
    let again = engine.enable(id, &describe_in("*"), 0);
    assert_eq!(again, Err(Error::WrongState));
    engine.close(id);
    restored(fake);
}

/// So that what a consumer reads of the process stays as it is until its probes are armed.
#[test]
fn a_thread_is_held_before_the_consumer_traces() {
    let (fake, engine) = with_process();
    let id = open(&engine);
    enable_named(&engine, id, "BEGIN", 0);
    watch(&engine, id);
    assert_eq!(word(fake, HOOK), TRAP);
    let ticket = linked(fake, &engine);
    assert!(is_held(&engine, ticket));
    // Watching twice is watching.
    watch(&engine, id);
    assert_eq!(go(&engine, id, 0), Ok(0));
    assert!(is_held(&engine, ticket));
    assert_eq!(
        engine.opened(id),
        Some(Opened {
            pid: PID,
            ticket,
            ..Opened::default()
        })
    );
    arm(&engine, id, ticket);
    assert!(!is_held(&engine, ticket));
    engine.stop(id).unwrap();
    assert_eq!(word(fake, HOOK), RETURN);
    let hook = request("ld.so", "_dl_debug_state", HOOK, 4);
    assert_eq!(engine.pid_watch(id, &hook), Err(Error::WrongState));
    engine.close(id);
    restored(fake);
}

#[test]
fn the_linker_has_a_trap_until_no_consumer_watches() {
    let (fake, engine) = with_process();
    let mut ids = [0, 1].map(|_| trace(&engine)).into_iter();
    assert_eq!(word(fake, HOOK), TRAP);
    engine.stop(ids.next().unwrap()).unwrap();
    assert_eq!(word(fake, HOOK), TRAP);
    let last = ids.next().unwrap();
    engine.stop(last).unwrap();
    assert_eq!(word(fake, HOOK), RETURN);
    assert_eq!(engine.opened(last), None);
}

/// A thread waits for all that watch its process, and for no consumer that has gone.
#[test]
fn a_consumer_that_goes_lets_threads_continue() {
    let (fake, engine) = with_process();
    let stop = |engine: &Engine, id| engine.stop(id).map(drop).unwrap();
    for end in [stop, |engine: &Engine, id| engine.close(id)] {
        let (one, other) = (trace(&engine), trace(&engine));
        let ticket = linked(fake, &engine);
        arm(&engine, one, ticket);
        assert!(is_held(&engine, ticket));
        end(&engine, other);
        assert!(!is_held(&engine, ticket));
        assert_ne!(WOKEN.replace(0), 0);
        // One that only looks on is not waited for either.
        let ticket = linked(fake, &engine);
        arm(&engine, one, ticket);
        assert!(!is_held(&engine, ticket));
        engine.close(one);
        engine.close(other);
    }
    restored(fake);
}

#[test]
fn an_answer_releases_what_was_read_before_it() {
    let (fake, engine) = with_process();
    let id = trace(&engine);
    let first = linked(fake, &engine);
    assert_eq!(engine.opened(id).unwrap().ticket, first);
    let second = linked(fake, &engine);
    arm(&engine, id, first);
    assert!(!is_held(&engine, first) && is_held(&engine, second));
    assert_eq!(engine.opened(id).unwrap().ticket, second);
    arm(&engine, id, second);
    assert!(!is_held(&engine, second));
    engine.close(id);
}

/// It is told of even if nobody had read it, and the answer says that it came too late.
#[test]
fn a_thread_that_has_waited_too_long_is_told_of() {
    let (fake, engine) = with_process();
    let id = trace(&engine);
    let ticket = linked(fake, &engine);
    IN_PROCESS.set(PID);
    engine.give_up(ticket);
    IN_PROCESS.set(0);
    assert_eq!(
        engine.opened(id),
        Some(Opened {
            pid: PID,
            ticket,
            ..Opened::default()
        })
    );
    assert_eq!(arm(&engine, id, ticket), 1);
    let next = linked(fake, &engine);
    assert_eq!(arm(&engine, id, next), 0);
    // Also if another thread waits since.
    let missed = linked(fake, &engine);
    IN_PROCESS.set(PID);
    engine.give_up(missed);
    IN_PROCESS.set(0);
    let waiting = linked(fake, &engine);
    assert_eq!(
        engine.opened(id),
        Some(Opened {
            pid: PID,
            ticket: waiting,
            ..Opened::default()
        })
    );
    assert_eq!(arm(&engine, id, waiting), 1);
    engine.close(id);
}

#[test]
fn a_library_at_the_place_of_another_gets_its_own_probes() {
    let (fake, engine) = with_process();
    let id = trace(&engine);
    let open = |module, text: [(usize, u32); 2]| {
        fake.process(PID, |process| process.text.extend(text));
        engine.pid_probes(id, &of_library(module)).unwrap();
        let enabled = engine.enable(id, &describe_in(module), 0);
        arm(&engine, id, 0);
        enabled
    };
    assert_eq!(open("one.so", OPENED), Ok(1));
    unmap(fake, &engine, id);
    assert_eq!(engine.enable(id, &describe_in("one.so"), 0), Ok(0));
    // Another instruction, which is executed in a slot.
    assert_eq!(
        open("two.so", [(LIBRARY, MOV_5), (LIBRARY + 4, RETURN)]),
        Ok(1)
    );
    assert_eq!(word(fake, LIBRARY), TRAP);
    assert_eq!(shown(&engine), ["a.out", "ld.so", "two.so"]);
    assert_eq!(run(fake, &engine, LIBRARY).trap, Trap::Resumed);
    assert_eq!(records(&engine, id, 0).len(), 1, "one probe, not two");
    unmap(fake, &engine, id);
    arm(&engine, id, 0);
    assert_eq!(shown(&engine), ["a.out", "ld.so"]);
    assert_eq!(open("one.so", OPENED), Ok(1));
    assert_eq!(run(fake, &engine, LIBRARY).trap, Trap::Resumed);
    assert_eq!(records(&engine, id, 0).len(), 1);
    engine.close(id);
    assert_eq!(word(fake, LIBRARY), PUSH);
    restored(fake);
}

/// The consumer may be late: what is there now has been probed by another one already.
#[test]
fn functions_whose_traps_are_there_are_not_unmapped() {
    let (fake, engine) = with_process();
    let id = trace(&engine);
    let range = PidRange {
        address: MAIN as u64,
        size: 0x1000,
        pid: PID,
        reserved: 0,
    };
    engine.pid_unmapped(id, &range).unwrap();
    arm(&engine, id, 0);
    assert_eq!(word(fake, MAIN), TRAP);
    let other = PidRange { pid: 99, ..range };
    assert_eq!(engine.pid_unmapped(id, &other), Err(Error::NotFound));
    engine.close(id);
    restored(fake);
}

#[test]
fn a_linker_that_cannot_be_watched_is_refused() {
    let (fake, engine) = with_process();
    fake.process(PID, |process| process.text.insert(HOOK, UDF));
    let id = open(&engine);
    let hook = request("ld.so", "_dl_debug_state", HOOK, 4);
    let refused = engine.pid_watch(id, &hook).unwrap();
    assert!(matches!(refused.reason, Some(Reason::Instruction(_))));
    assert_eq!(refused.provided, 0);
    enable_named(&engine, id, "BEGIN", 0);
    assert_eq!(go(&engine, id, 0), Ok(0));
    assert_eq!(engine.pid_watch(id, &hook).unwrap().provided, 0);
    engine.stop(id).unwrap();
    assert_eq!(engine.pid_watch(id, &hook), Err(Error::WrongState));
    engine.close(id);
}

#[test]
fn so_many_processes_are_watched_and_no_more() {
    let (fake, engine) = engine();
    let id = open(&engine);
    let asked = |pid| {
        fake.create(pid, &TEXT);
        let hook = request("ld.so", "_dl_debug_state", HOOK, 4);
        engine.pid_watch(id, &PidProbes { pid, ..hook })
    };
    let watched = (100..2000).take_while(|pid| asked(*pid).is_ok()).count();
    assert_eq!(watched, 1024);
    assert_eq!(asked(3000), Err(Error::NoRoom));
    engine.close(id);
}

/// A process that executes another program is not the one that was watched.
#[test]
fn a_process_that_is_gone_is_not_watched() {
    let (fake, engine) = with_process();
    let id = trace(&engine);
    let ticket = linked(fake, &engine);
    fake.exit(PID);
    engine.processes_gone();
    assert!(!is_held(&engine, ticket));
    assert_eq!(engine.opened(id), None);
    engine.close(id);
}
