//! The proc provider: which events it subscribes to, and which probes they fire with which
//! arguments.

use crate::fake;

use engine_abi::Description;
use engine_dvm::Builtin;
use engine_tracer::{ConsumerId, Event, EventArguments, Numbers};
use fake::program::*;
use fake::*;

const EXECVE: (u32, i64) = (0, 11);
const READ: (u32, i64) = (0, 3);

fn named(name: &str) -> Description {
    Description::new(b"proc", b"", b"", name.as_bytes()).unwrap()
}

/// Traces these probes; each firing records its ID and five arguments.
fn trace(engine: &Engine, names: &[&str]) -> ConsumerId {
    let mut program = Program::new();
    program.numbers(6, |d| {
        match d {
            1 => builtin(d, Builtin::Id, 0),
            _ => builtin(d, Builtin::Arg, [0, 0, 0, 1, 2, 3, 4][d as usize]),
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

/// The records: each probe's name and arguments.
fn fired(engine: &Engine, id: ConsumerId) -> Vec<(String, EventArguments)> {
    let parse = |(_, words): Recorded| {
        let (_, names) = engine
            .probe_match(&Description::default(), words[0] as u32)
            .unwrap();
        let name = String::from_utf8_lossy(names.name()).into_owned();
        (name, words[1..].try_into().unwrap())
    };
    records(engine, id, 0).into_iter().map(parse).collect()
}

/// The events with a subscription.
fn events(fake: &Fake) -> Vec<Event> {
    let events = fake.events.lock().unwrap();
    let is_subscribed = |event: &Event| events[*event as usize] != Numbers::NONE;
    Event::ALL.into_iter().filter(is_subscribed).collect()
}

fn only(call: (u32, i64)) -> Numbers {
    let mut numbers = Numbers::NONE;
    numbers.add(call.0, call.1 as u32);
    numbers
}

#[test]
fn only_enabled_events_are_subscribed_to() {
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
        let subscribed = events(fake).into_iter();
        let subscribed: Vec<_> = subscribed.filter(|it| *it != Event::ProcessGone).collect();
        assert_eq!(subscribed, [event], "{name}");
        let subscribes_to_gone = events(fake).contains(&Event::ProcessGone);
        assert_eq!(subscribes_to_gone, Event::ONCE.contains(&event), "{name}");
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
fn probes_of_refused_events_stay_unarmed() {
    let (_, engine) = engine();
    STUCK.set(true);
    let id = open(&engine);
    engine.enable(id, &named(""), 0).unwrap();
    assert_eq!(go(&engine, id, 0), Ok(8));
    STUCK.set(false);
}

#[test]
fn probes_fire_with_the_events_arguments() {
    let (fake, engine) = engine();
    let id = trace(&engine, &["create", "signal-*"]);
    happen(fake, &engine, Event::ProcessCreated, [41, 0xc200, 0, 0, 0]);
    happen(fake, &engine, Event::ProcessExited, [1, 3, 0, 0, 0]);
    happen(fake, &engine, Event::SignalSent, [42, 41, 10, 1, 0xc200]);
    happen(
        fake,
        &engine,
        Event::SignalHandled,
        [10, 0xc100, 0x8000, 0, 0],
    );
    engine.happened(Event::ProcessExited, [1, 3, 0, 0, 0]);
    engine.happened(Event::SyscallEntered, [0; 5]);
    let expected = [
        ("create", [41, 0xc200, 0, 0, 0]),
        ("signal-send", [42, 41, 10, 1, 0xc200]),
        ("signal-handle", [10, 0xc100, 0x8000, 0, 0]),
    ];
    assert_eq!(
        fired(&engine, id),
        expected.map(|(name, arguments)| (name.to_owned(), arguments))
    );
}

#[test]
fn exit_fires_once_though_others_exit_between_its_last_threads() {
    const P: usize = 0xc100_0000;
    let (fake, engine) = engine();
    let id = trace(&engine, &["exit"]);
    let end = |process, is_alone, status| {
        let arguments = [1, status, 0, 0, 0];
        happen_once(
            fake,
            &engine,
            Event::ProcessExited,
            (process, is_alone),
            arguments,
        );
    };
    end(P, false, 3);
    (1..5000).for_each(|number| end(P + number * 0x440, true, 0));
    end(P, true, 3);
    engine.process_gone(P);
    end(P, true, 4);
    let statuses = fired(&engine, id)
        .into_iter()
        .map(|(_, arguments)| arguments[1]);
    let statuses: Vec<_> = statuses.filter(|status| *status != 0).collect();
    assert_eq!(statuses, [3, 4]);
}

#[test]
fn processes_that_exit_untraced_leave_no_state() {
    let (fake, engine) = engine();
    for _ in 0..2 {
        let id = trace(&engine, &["exit"]);
        let process = (64, false);
        happen_once(
            fake,
            &engine,
            Event::ProcessExited,
            process,
            [1, 0, 0, 0, 0],
        );
        assert_eq!(fired(&engine, id).len(), 1);
        engine.close(id);
    }
}

#[test]
fn exec_probes_fire_on_success_and_failure() {
    let (fake, engine) = engine();
    let id = trace(&engine, &["exec*"]);
    let exec = || enter(fake, &engine, EXECVE.0, EXECVE.1);
    exec();
    leave(fake, &engine, EXECVE, -2);
    exec();
    happen(fake, &engine, Event::ProgramBegun, [0; 5]);
    leave(fake, &engine, EXECVE, 0);
    enter(fake, &engine, READ.0, READ.1);
    leave(fake, &engine, READ, -2);
    let expected = [
        ("exec", [10, 0, 0, 0, 0]),
        ("exec-failure", [2, 0, 0, 0, 0]),
        ("exec", [10, 0, 0, 0, 0]),
        ("exec-success", [0; 5]),
    ];
    assert_eq!(
        fired(&engine, id),
        expected.map(|(name, arguments)| (name.to_owned(), arguments))
    );
}

#[test]
fn exec_probes_and_the_syscall_provider_share_events() {
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
    let names: Vec<_> = fired(&engine, id)
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
