//! The syscall provider: its probes, which events it subscribes to, and what fires with which
//! values.

use crate::fake;

use engine_abi::Description;
use engine_dvm::Builtin;
use engine_tracer::{ConsumerId, Error, Event, Numbers};
use fake::program::*;
use fake::*;

const ENOENT: i64 = -2;

/// Some system calls of the fake kernel: ABI and number.
const READ: (u32, i64) = (0, 3);
const EXECVE: (u32, i64) = (0, 11);
const SIGRETURN: (u32, i64) = (0, 119);
const CACHEFLUSH: (u32, i64) = (0, 0xf0002);
const OLD_CLOSE: (u32, i64) = (1, 3);
const OLD_FCNTL: (u32, i64) = (1, 11);

/// A program whose clause records the probe's ID, three arguments and `errno`.
fn recording() -> Program {
    let mut program = Program::new();
    program.numbers(5, |d| {
        match d {
            1 => builtin(d, Builtin::Id, 0),
            5 => builtin(d, Builtin::Errno, 0),
            _ => builtin(d, Builtin::Arg, [0, 0, 0, 1, 5][d as usize]),
        }
        .to_vec()
    });
    program
}

fn named(module: &str, function: &str, name: &str) -> Description {
    let [module, function, name] = [module, function, name].map(str::as_bytes);
    Description::new(b"syscall", module, function, name).unwrap()
}

/// Traces what these descriptions match.
fn trace(engine: &Engine, descriptions: &[Description]) -> ConsumerId {
    let id = open_with(engine, &recording());
    for description in descriptions {
        engine.enable(id, description, 0).unwrap();
    }
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

/// The records: module, function and name of the probe, and the values.
fn fired(engine: &Engine, id: ConsumerId) -> Vec<(String, Vec<i64>)> {
    let parse = |(_, words): Recorded| {
        let (_, names) = engine
            .probe_match(&Description::default(), words[0] as u32)
            .unwrap();
        let called = [names.module(), names.function(), names.name()];
        let called = called.map(|part| String::from_utf8_lossy(part).into_owned());
        let values = words[1..].iter().map(|word| *word as i64);
        (called.join(":"), values.collect())
    };
    records(engine, id, 0).into_iter().map(parse).collect()
}

/// The system calls whose entries and returns are subscribed to.
fn events(fake: &Fake) -> [Numbers; 2] {
    let events = fake.events.lock().unwrap();
    [Event::SyscallEntered, Event::SyscallReturned].map(|event| events[event as usize])
}

fn numbers<const N: usize>(of: [(u32, i64); N]) -> Numbers {
    let mut numbers = Numbers::NONE;
    for (abi, number) in of {
        numbers.add(abi, number as u32);
    }
    numbers
}

#[test]
fn each_call_has_its_probes_by_abi_and_name() {
    let (_, engine) = engine();
    let matched = |description| engine.probe_match(&description, 0).map(|(id, _)| id);
    assert_eq!(matched(named("", "exit", "")), Ok(FIRST_SYSCALL));
    assert_eq!(
        matched(named("native", "read", "return")),
        Ok(FIRST_SYSCALL + 3)
    );
    assert_eq!(
        matched(named("", "exit", "return")),
        Err(Error::NotFound),
        "exit never returns"
    );
    assert_eq!(
        matched(named("", "read_again", "")),
        Err(Error::NotFound),
        "a number has only its first name"
    );
    let enabled = |description| {
        let id = open(&engine);
        engine.enable(id, &description, 0)
    };
    assert_eq!(enabled(named("old", "", "entry")), Ok(3));
    assert_eq!(enabled(named("", "", "return")), Ok(7));
}

#[test]
fn only_enabled_calls_are_subscribed_to() {
    let (fake, engine) = engine();
    let wanted = |function, name| {
        let id = trace(&engine, &[named("", function, name)]);
        let events = events(fake);
        engine.close(id);
        events
    };
    let (none, read, execve) = (numbers([]), numbers([READ]), numbers([EXECVE]));
    assert_eq!(events(fake), [none; 2]);
    assert_eq!(wanted("read", "entry"), [read, none]);
    assert_eq!(wanted("read", "return"), [none, read]);
    assert_eq!(wanted("read", ""), [read; 2]);
    assert_eq!(
        wanted("execve", "return"),
        [execve, Numbers::ALL],
        "the entry notes the call, since its number may be another at the return"
    );
    assert_eq!(wanted("execve", "entry"), [execve, none]);
    assert_eq!(
        wanted("c*", "entry"),
        [numbers([CACHEFLUSH, OLD_CLOSE]), none]
    );
    let one = trace(&engine, &[named("", "read", "entry")]);
    let other = trace(&engine, &[named("", "", "")]);
    engine.stop(other).unwrap();
    assert_eq!(events(fake), [read, none]);
    engine.close(one);
    assert_eq!(events(fake), [none; 2]);
}

#[test]
fn probes_of_refused_events_stay_unarmed() {
    let (_, engine) = engine();
    STUCK.set(true);
    let id = open(&engine);
    engine.enable(id, &named("native", "read", ""), 0).unwrap();
    assert_eq!(go(&engine, id, 0), Ok(2));
    STUCK.set(false);
}

#[test]
fn entries_have_arguments_and_returns_their_value() {
    let (fake, engine) = engine();
    let id = trace(
        &engine,
        &[named("", "read", ""), named("", "cacheflush", "")],
    );
    enter(fake, &engine, READ.0, READ.1);
    leave(fake, &engine, READ, 832);
    enter(fake, &engine, CACHEFLUSH.0, CACHEFLUSH.1);
    leave(fake, &engine, CACHEFLUSH, ENOENT);
    leave(fake, &engine, READ, -4095);
    leave(fake, &engine, READ, -4096);
    let expected: [(&str, [i64; 4]); 6] = [
        ("native:read:entry", [10, 11, 15, 0]),
        ("native:read:return", [832, 832, 0, 0]),
        ("native:cacheflush:entry", [10, 11, 15, 0]),
        ("native:cacheflush:return", [ENOENT, ENOENT, 0, 2]),
        ("native:read:return", [-4095, -4095, 0, 4095]),
        ("native:read:return", [-4096, -4096, 0, 0]),
    ];
    let expected = expected.map(|(name, values)| (name.to_owned(), values.to_vec()));
    assert_eq!(fired(&engine, id), expected);
}

#[test]
fn other_calls_fire_nothing() {
    let (fake, engine) = engine();
    let id = trace(&engine, &[named("native", "read", "")]);
    let others = [
        OLD_CLOSE,
        EXECVE,
        (0, -1),
        (0, 2),
        (0, 4),
        (0, 0x4000_0003),
        (0, (1 << 32) + 3),
        (0, (1 << 24) + 3),
        (2, 3),
        (257, 3),
    ];
    for call in others {
        enter(fake, &engine, call.0, call.1);
        leave(fake, &engine, call, 0);
    }
    assert_eq!(fired(&engine, id), []);
}

#[test]
fn execve_into_another_abi_returns_as_execve() {
    let (fake, engine) = engine();
    let id = trace(&engine, &[named("", "", "return")]);
    enter(fake, &engine, EXECVE.0, EXECVE.1);
    leave(fake, &engine, OLD_FCNTL, 0);
    // A return of a call whose entry was not seen is taken for what its number says.
    leave(fake, &engine, OLD_FCNTL, 5);
    let names: Vec<_> = fired(&engine, id)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["native:execve:return", "old:fcntl:return"]);
}

#[test]
fn sigreturn_has_no_return_value() {
    let (fake, engine) = engine();
    let id = trace(
        &engine,
        &[named("", "sigreturn", ""), named("", "read", "return")],
    );
    enter(fake, &engine, SIGRETURN.0, SIGRETURN.1);
    leave(fake, &engine, (0, -1), 0xbeef);
    // A call without entry whose number is invalid fires nothing.
    leave(fake, &engine, (0, -1), 0xbeef);
    enter(fake, &engine, SIGRETURN.0, SIGRETURN.1);
    leave(fake, &engine, SIGRETURN, ENOENT);
    let values = |name: &str, values: [i64; 4]| (name.to_owned(), values.to_vec());
    let entry = values("native:sigreturn:entry", [10, 11, 15, 0]);
    let gone = values("native:sigreturn:return", [0; 4]);
    assert_eq!(
        fired(&engine, id),
        [entry.clone(), gone.clone(), entry, gone]
    );
}

#[test]
fn calls_in_flight_at_close_are_forgotten() {
    let (fake, engine) = engine();
    let returns = [named("native", "", "return")];
    let id = trace(&engine, &returns);
    enter(fake, &engine, EXECVE.0, EXECVE.1);
    engine.close(id);
    let id = trace(&engine, &returns);
    leave(fake, &engine, READ, 7);
    let names: Vec<_> = fired(&engine, id)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["native:read:return"]);
}

#[test]
fn calls_in_flight_stay_subscribed_while_any_consumer_is() {
    let (fake, engine) = engine();
    let one = trace(&engine, &[named("native", "execve", "return")]);
    let other = trace(&engine, &[named("native", "read", "return")]);
    enter(fake, &engine, EXECVE.0, EXECVE.1);
    engine.close(one);
    leave(fake, &engine, OLD_FCNTL, 0);
    leave(fake, &engine, READ, 7);
    let fired = fired(&engine, other);
    assert_eq!(fired, [("native:read:return".to_owned(), vec![7, 7, 0, 0])]);
    engine.close(other);
    assert_eq!(events(fake), [numbers([]); 2]);
}

#[test]
fn rows_show_ecbs_and_subscriptions() {
    let (_, engine) = engine();
    let id = trace(&engine, &[named("native", "execve", "return")]);
    let row = |index| {
        engine.syscall_row(index, |row| {
            row.map(|row| {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let names = [row.module, row.function, row.name].map(text).join(":");
                (names, row.number, row.ecbs, row.is_armed)
            })
        })
    };
    let rows: Vec<_> = (0..).map_while(row).flatten().collect();
    assert_eq!(rows.len(), 15, "exit has no return");
    let found = |name: &str| {
        let (_, number, ecbs, subscribed) = rows.iter().find(|row| row.0 == name).unwrap();
        (*number, *ecbs, *subscribed)
    };
    assert_eq!(
        found("native:execve:entry"),
        (11, 0, true),
        "subscribed to match the return"
    );
    assert_eq!(found("native:execve:return"), (11, 1, true));
    assert_eq!(found("native:read:entry"), (3, 0, false));
    engine.stop(id).unwrap();
    assert_eq!(row(2).flatten().map(|row| row.3), Some(false));
}

/// Traces a return, with a function whose patching [`ON_PATCH`] sees, and the entry of another
/// call.
fn trace_return(engine: &Engine, name: &str, entry: &str) -> ConsumerId {
    let id = open_with(engine, &recording());
    // No two consumers that are open at a time share it.
    let patched = describe(if name == "read" { "alpha" } else { "beta" });
    let (entry, end) = (
        named("native", entry, "entry"),
        named("native", name, "return"),
    );
    for description in [patched, entry, end] {
        assert_eq!(engine.enable(id, &description, 0), Ok(1));
    }
    assert_eq!(go(engine, id, 4096), Ok(0));
    id
}

/// From now on, a thread makes a call whenever text is patched, that is within each arming and
/// disarming: `call` returns with the number of `returned`.
fn call_while_patching(
    fake: &'static Fake,
    engine: &'static Engine,
    call: (u32, i64),
    returned: (u32, i64),
) {
    ON_PATCH.set(Some(Box::new(move |_| {
        enter(fake, engine, call.0, call.1);
        leave(fake, engine, returned, 0);
    })));
}

fn names_fired(engine: &Engine, id: ConsumerId) -> Vec<String> {
    let fired = fired(engine, id).into_iter();
    fired.map(|(name, _)| name).collect()
}

#[test]
fn a_call_is_in_flight_only_while_every_return_is_reported() {
    let calls = [
        (EXECVE, "execve", EXECVE),
        (SIGRETURN, "sigreturn", (0, -1)),
    ];
    for (call, name, returned) in calls {
        let (fake, engine) = engine();
        let engine: &'static _ = Box::leak(Box::new(engine));
        let some = trace(
            engine,
            &[
                named("native", "read", "return"),
                named("native", name, "entry"),
            ],
        );
        call_while_patching(fake, engine, call, returned);
        trace_return(engine, name, name);
        ON_PATCH.set(None);
        names_fired(engine, some);
        leave(fake, engine, READ, 832);
        assert_eq!(names_fired(engine, some), ["native:read:return"], "{name}");
    }
}

/// One consumer needs some returns and another all, and they start and end in every order.
#[test]
fn no_order_of_consumers_leaves_a_call_in_flight() {
    const STEPS: u32 = 6;
    for order in 0..1 << STEPS {
        let (fake, engine) = engine();
        let engine: &'static _ = Box::leak(Box::new(engine));
        call_while_patching(fake, engine, EXECVE, EXECVE);
        let mut open = [None; 2];
        for step in 0..STEPS {
            let which = (order >> step & 1) as usize;
            open[which] = match open[which].take() {
                Some(id) => {
                    engine.close(id);
                    None
                }
                None => {
                    let [name, entry] = [["read", "execve"], ["execve", "cacheflush"]][which];
                    Some(trace_return(engine, name, entry))
                }
            };
            open.iter().flatten().for_each(|id| {
                names_fired(engine, *id);
            });
            leave(fake, engine, READ, 832);
            enter(fake, engine, EXECVE.0, EXECVE.1);
            leave(fake, engine, OLD_FCNTL, 0);
            let expected = [
                vec!["native:read:return", "native:execve:entry"],
                vec!["native:execve:return"],
            ];
            for (id, expected) in open.iter().zip(expected) {
                let fired = id.map(|id| names_fired(engine, id)).unwrap_or_default();
                let expected = id.map(|_| expected).unwrap_or_default();
                assert_eq!(fired, expected, "order {order:b}, step {step}");
            }
        }
        ON_PATCH.set(None);
        open.into_iter().flatten().for_each(|id| engine.close(id));
        assert_eq!(events(fake), [numbers([]); 2]);
    }
}
