//! Libraries that are opened later, with an engine that only notes what it is asked for, and this
//! process as the traced one.

use std::cell::RefCell;
use std::process::{Command, id};

use engine_abi::{
    Conf, Description, Go, Opened, PidArm, PidProbes, PidRange, PidSite, Status, Unwind, UnwindRow,
};
use engine_objects::{Objects, Process};

use super::Processes;
use crate::engine::{Enabled, Engine, Probe, Snapshot};
use crate::error::Error;

/// What the engine was asked for, in order.
#[derive(Default)]
struct Notes(RefCell<Vec<String>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.borrow_mut().push(note);
    }

    fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

impl Engine for Notes {
    fn traces_processes(&self) -> bool {
        true
    }

    fn pid_probes(&self, requests: &mut [PidProbes]) -> Result<(), (usize, Error)> {
        for request in requests {
            request.provided = 1;
            let function = String::from_utf8_lossy(request.description.function()).into_owned();
            self.add(format!("create {function}"));
        }
        Ok(())
    }

    fn pid_sites(&self, _: &mut [PidSite]) -> Result<(), (usize, Error)> {
        unreachable!("not asked for")
    }

    fn pid_watch(&self, request: &mut PidProbes) -> Result<(), Error> {
        request.provided = 1;
        let function = String::from_utf8_lossy(request.description.function()).into_owned();
        self.add(format!("watch {function}"));
        Ok(())
    }

    fn pid_execs(&self) -> Result<(), Error> {
        unreachable!("not asked for")
    }

    fn pid_unmapped(&self, range: PidRange) -> Result<(), Error> {
        assert!(range.size > 0);
        self.add("unmapped".to_owned());
        Ok(())
    }

    fn pid_arm(&self, answer: &mut PidArm) -> Result<(), Error> {
        answer.late = u32::from(answer.opened.ticket == 9);
        self.add(format!("arm {} {}", answer.arm, answer.opened.ticket));
        Ok(())
    }

    fn enable(&self, pattern: &Description, clause: u32) -> Result<u32, Error> {
        let function = String::from_utf8_lossy(pattern.function()).into_owned();
        self.add(format!("enable {function} {clause}"));
        Ok(1)
    }

    fn conf(&self) -> Conf {
        Conf::default()
    }

    fn probe_match(&self, _: &Description, _: u32) -> Result<Option<Probe>, Error> {
        unreachable!("not asked for")
    }

    fn unwind(&self, _: &Unwind, _: &[UnwindRow]) -> Result<(), Error> {
        unreachable!("not asked for")
    }

    fn program(&self, _: &[u64]) -> Result<(), Error> {
        unreachable!("not asked for")
    }

    fn go(&self, _: &mut Go) -> Result<(), Error> {
        unreachable!("not asked for")
    }

    fn stop(&self) -> Result<u32, Error> {
        unreachable!("not asked for")
    }

    fn buf_snap(&self, _: u32, _: &mut [u8]) -> Result<Snapshot, Error> {
        unreachable!("not asked for")
    }

    fn agg_snap(&self, _: u32, _: &mut Vec<u8>) -> Result<Snapshot, Error> {
        unreachable!("not asked for")
    }

    fn eprobe(&self, _: u32) -> Result<Enabled, Error> {
        unreachable!("not asked for")
    }

    fn status(&self) -> Result<Status, Error> {
        unreachable!("not asked for")
    }
}

fn describe(module: &str, function: &str) -> Description {
    let provider = format!("pid{}", id());
    let [provider, module, function] = [&*provider, module, function].map(str::as_bytes);
    Description::new(provider, module, function, b"entry").unwrap()
}

/// Reads the process for a description, and keeps that.
fn keep(processes: &mut Processes, notes: &Notes, description: &Description) -> bool {
    processes.watch(notes, description, 0).unwrap();
    let enabled = processes.descriptions(notes, description).unwrap();
    processes.keep(description, 3, !enabled.is_empty())
}

fn opened(ticket: u32) -> Opened {
    Opened {
        pid: id(),
        ticket,
        ..Opened::default()
    }
}

#[test]
fn only_what_can_be_in_a_later_object_is_kept() {
    let (mut processes, notes) = (Processes::default(), Notes::default());
    assert!(!keep(&mut processes, &notes, &describe("a.out", "main")));
    assert!(!processes.are_watched());
    notes.take();
    assert!(keep(&mut processes, &notes, &describe("libnosuch", "f")));
    assert!(!keep(&mut processes, &notes, &describe("", "nosuch")));
    assert!(!keep(&mut processes, &notes, &describe("libc", "malloc")));
    assert_eq!(notes.take(), ["watch _dl_debug_state", "create malloc"]);
    let unmatched = format!(
        "pid{}:libnosuch:f:entry matched no probes: its process has not opened such an object",
        id()
    );
    assert_eq!(processes.unmatched(), [unmatched]);
}

#[test]
fn what_is_opened_later_is_enabled_and_its_thread_answered() {
    let (mut processes, notes) = (Processes::default(), Notes::default());
    keep(&mut processes, &notes, &describe("*", "main"));
    notes.take();
    assert_eq!(processes.look_at_all(&notes), [""; 0]);
    assert_eq!(notes.take(), [""; 0], "nothing has changed");
    assert_eq!(processes.look(&notes, opened(7)), [""; 0]);
    assert_eq!(notes.take(), ["arm 0 7"]);

    // As if this process had closed the objects of that one, and opened its own.
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    let process = Process::open(other.id()).unwrap();
    // A new process has no objects until its program is mapped.
    let mut mapped = std::iter::repeat_with(|| Objects::of(&process).unwrap());
    let before = mapped.find(|it| it.iter().next().is_some()).unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
    processes.read.get_mut(&id()).unwrap().objects = before;
    let lines = processes.look(&notes, opened(9));
    let mut notes = notes.take();
    let closed = notes.iter().take_while(|note| *note == "unmapped").count();
    assert_ne!(closed, 0);
    notes.drain(..closed);
    assert_eq!(notes.first().unwrap(), "create main");
    assert!(notes.contains(&"enable main 3".to_owned()));
    assert_eq!(notes.last().unwrap(), "arm 1 9");
    let late = format!(
        "process {} went on before the probes of what it has opened were armed",
        id()
    );
    assert_eq!(lines, [late]);
}

#[test]
fn a_process_that_has_ended_is_no_error() {
    let mut child = Command::new("sleep").arg("60").spawn().unwrap();
    let (mut processes, notes) = (Processes::default(), Notes::default());
    let provider = format!("pid{}", child.id());
    let all = Description::new(provider.as_bytes(), b"", b"nosuch", b"entry").unwrap();
    processes.descriptions(&notes, &all).unwrap();
    processes.watch(&notes, &all, 0).unwrap();
    processes.keep(&all, 0, false);
    child.kill().unwrap();
    child.wait().unwrap();
    let pid = child.id();
    assert_eq!(
        processes.look(
            &notes,
            Opened {
                pid,
                ticket: 2,
                ..Opened::default()
            }
        ),
        [""; 0]
    );
}
