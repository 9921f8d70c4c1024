//! The proc provider over a fake kernel: what the kernel is asked to tell, and what fires with what.

use crate::fake;

use engine_abi::Description;
use engine_dvm::Builtin;
use engine_tracer::{ConsumerId, Event, Numbers};
use fake::program::*;
use fake::*;

const EXECVE: (u32, i64) = (0, 11);
const READ: (u32, i64) = (0, 3);

fn named(name: &str) -> Description {
    Description::new(b"proc", b"", b"", name.as_bytes()).unwrap()
}

/// Traces those probes; each records its ID and four arguments.
fn trace(engine: &Engine, names: &[&str]) -> ConsumerId {
    let mut program = Program::new();
    program.numbers(5, |d| {
        match d {
            1 => builtin(d, Builtin::Id, 0),
            _ => builtin(d, Builtin::Arg, [0, 0, 0, 1, 2, 3][d as usize]),
        }
        .to_vec()
    });
    let id = open_with(engine, &program);
    for name in names {
        engine.enable(id, &named(name), 0).unwrap();
    }
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

/// What was recorded: a probe's name and its arguments.
fn told(engine: &Engine, id: ConsumerId) -> Vec<(String, [u64; 4])> {
    let tell = |(_, words): Recorded| {
        let (_, names) = engine
            .probe_match(&Description::default(), words[0] as u32)
            .unwrap();
        let name = String::from_utf8_lossy(names.name()).into_owned();
        (name, words[1..].try_into().unwrap())
    };
    records(engine, id, 0).into_iter().map(tell).collect()
}

/// Which events the kernel tells of.
fn events(fake: &Fake) -> Vec<Event> {
    let events = fake.events.lock().unwrap();
    let is_told = |event: &Event| events[*event as usize] != Numbers::NONE;
    Event::ALL.into_iter().filter(is_told).collect()
}

fn only(call: (u32, i64)) -> Numbers {
    let mut numbers = Numbers::NONE;
    numbers.add(call.0, call.1 as u32);
    numbers
}

#[test]
fn the_kernel_tells_of_what_somebody_wants_and_of_nothing_else() {
    let (fake, engine) = engine();
    for (name, event) in [
        ("create", Event::ProcessCreated),
        ("exec", Event::SyscallEntered),
        ("exec-failure", Event::SyscallReturned),
        ("exec-success", Event::ProgramBegun),
        ("exit", Event::ProcessExited),
        ("signal-handle", Event::SignalHandled),
        ("signal-send", Event::SignalSent),
        ("start", Event::ProcessStarted),
    ] {
        let id = trace(&engine, &[name]);
        let told = events(fake).into_iter();
        let told: Vec<_> = told.filter(|it| *it != Event::ProcessGone).collect();
        assert_eq!(told, [event], "{name}");
        let is_gone_told = events(fake).contains(&Event::ProcessGone);
        assert_eq!(is_gone_told, Event::ONCE.contains(&event), "{name}");
        let numbers = fake.events.lock().unwrap()[event as usize];
        let is_of_call = name == "exec" || name == "exec-failure";
        let expected = if is_of_call {
            only(EXECVE)
        } else {
            Numbers::ALL
        };
        assert_eq!(numbers, expected, "{name}");
        engine.close(id);
        assert_eq!(events(fake), []);
    }
}

#[test]
fn what_the_kernel_will_not_tell_of_stays_unarmed() {
    let (_, engine) = engine();
    STUCK.set(true);
    let id = open(&engine);
    engine.enable(id, &named(""), 0).unwrap();
    assert_eq!(go(&engine, id, 0), Ok(8));
    STUCK.set(false);
}

#[test]
fn each_fires_with_what_is_told() {
    let (fake, engine) = engine();
    let id = trace(&engine, &["create", "signal-*"]);
    happen(fake, &engine, Event::ProcessCreated, [41, 0, 0, 0]);
    happen(fake, &engine, Event::ProcessExited, [1, 3, 0, 0]);
    happen(fake, &engine, Event::SignalSent, [42, 41, 10, 1]);
    happen(fake, &engine, Event::SignalHandled, [10, 0xc100, 0x8000, 0]);
    engine.happened(Event::ProcessExited, [1, 3, 0, 0]);
    engine.happened(Event::SyscallEntered, [0; 4]);
    let expected = [
        ("create", [41, 0, 0, 0]),
        ("signal-send", [42, 41, 10, 1]),
        ("signal-handle", [10, 0xc100, 0x8000, 0]),
    ];
    assert_eq!(
        told(&engine, id),
        expected.map(|(name, told)| (name.to_owned(), told))
    );
}

#[test]
fn a_process_ends_once_though_others_end_between_its_last_threads() {
    const P: usize = 0xc100_0000;
    let (fake, engine) = engine();
    let id = trace(&engine, &["exit"]);
    let end = |process, is_alone, status| {
        let told = [1, status, 0, 0];
        happen_once(
            fake,
            &engine,
            Event::ProcessExited,
            (process, is_alone),
            told,
        );
    };
    end(P, false, 3);
    (1..5000).for_each(|number| end(P + number * 0x440, true, 0));
    end(P, true, 3);
    engine.process_gone(P);
    end(P, true, 4);
    let statuses = told(&engine, id).into_iter().map(|(_, told)| told[1]);
    let statuses: Vec<_> = statuses.filter(|status| *status != 0).collect();
    assert_eq!(statuses, [3, 4]);
}

#[test]
fn no_process_is_taken_for_one_that_ended_while_nobody_asked() {
    let (fake, engine) = engine();
    for _ in 0..2 {
        let id = trace(&engine, &["exit"]);
        let told_of = (64, false);
        happen_once(fake, &engine, Event::ProcessExited, told_of, [1, 0, 0, 0]);
        assert_eq!(told(&engine, id).len(), 1);
        engine.close(id);
    }
}

#[test]
fn a_program_is_begun_by_a_system_call_which_fails_or_does_not() {
    let (fake, engine) = engine();
    let id = trace(&engine, &["exec*"]);
    let exec = || enter(fake, &engine, EXECVE.0, EXECVE.1);
    exec();
    leave(fake, &engine, EXECVE, -2);
    exec();
    happen(fake, &engine, Event::ProgramBegun, [0; 4]);
    leave(fake, &engine, EXECVE, 0);
    enter(fake, &engine, READ.0, READ.1);
    leave(fake, &engine, READ, -2);
    let expected = [
        ("exec", [10, 0, 0, 0]),
        ("exec-failure", [2, 0, 0, 0]),
        ("exec", [10, 0, 0, 0]),
        ("exec-success", [0; 4]),
    ];
    assert_eq!(
        told(&engine, id),
        expected.map(|(name, told)| (name.to_owned(), told))
    );
}

#[test]
fn system_calls_that_are_traced_too_are_told_as_they_are() {
    let (fake, engine) = engine();
    let id = trace(&engine, &["exec*"]);
    let syscall = Description::new(b"syscall", b"native", b"execve", b"return").unwrap();
    let other = open_with(&engine, &{
        let mut program = Program::new();
        program.numbers(1, |d| builtin(d, Builtin::Arg, 1).to_vec());
        program
    });
    engine.enable(other, &syscall, 0).unwrap();
    assert_eq!(go(&engine, other, 0), Ok(0));
    enter(fake, &engine, EXECVE.0, EXECVE.1);
    leave(fake, &engine, READ, 0);
    enter(fake, &engine, EXECVE.0, EXECVE.1);
    leave(fake, &engine, EXECVE, -13);
    let names: Vec<_> = told(&engine, id)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["exec", "exec", "exec-failure"]);
    let values: Vec<_> = records(&engine, other, 0)
        .into_iter()
        .map(|(_, words)| words[0] as i64)
        .collect();
    assert_eq!(values, [0, -13]);
}
