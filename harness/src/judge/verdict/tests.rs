use std::path::Path;
use std::time::Duration;

use harness_agent::End;

use super::*;
use crate::scenario::Source;

const HEADER: &str = "CPU     ID                    FUNCTION:NAME\n";
const ROW: &str = "  0   1234                  sys_chdir:entry\n";

fn scenario(expect: &str) -> Scenario {
    let text = format!("asserts: a\ntrace: dtrace -n x\nworkload: bash -c y\nexpect: {expect}\n");
    Source::parse("a/b", Path::new("b.yaml"), &text)
        .expect("valid")
        .scenario
}

fn step(role: &'static str, ending: Ending, rows: usize) -> Step {
    Step {
        role,
        command: if role == "trace" {
            "dtrace -n x"
        } else {
            "bash -c y"
        }
        .to_owned(),
        stdout: format!("{HEADER}{}", ROW.repeat(rows)),
        stderr: "dtrace: description 'x' matched 1 probe\n".to_owned(),
        ending,
    }
}

fn observed(trace: Ending, workload: Ending, rows: usize, ftrace: Option<u64>) -> Observed {
    let steps = vec![step("trace", trace, rows), step("workload", workload, 0)];
    Observed {
        transcript: Transcript { steps },
        was_signalled: true,
        ftrace: ftrace.map(Ok),
        execution: None,
    }
}

fn said(expect: &str, observed: &Observed) -> Vec<(Kind, String)> {
    judge(&scenario(expect), observed)
        .into_iter()
        .map(|f| (f.kind, f.what))
        .collect()
}

const GOOD: Ending = Ending::Status(0);

fn symptom(fails: Kind, says: &str) -> Symptom {
    let says = says.to_owned();
    Symptom { fails, says }
}

#[test]
fn stated_results_are_no_failure() {
    let run = observed(GOOD, GOOD, 3, Some(3));
    assert_eq!(said("{events: 3}", &run), []);
    assert_eq!(
        said("{events-at-least: 2, stderr-contains: [matched]}", &run),
        []
    );
    let killed = observed(
        Ending::Signal("SIGKILL".to_owned()),
        Ending::Status(3),
        0,
        None,
    );
    assert_eq!(said("{status: SIGKILL, workload-status: 3}", &killed), []);
}

#[test]
fn each_deviation_has_its_kind() {
    let run = observed(Ending::Status(1), GOOD, 2, Some(3));
    let expect = "{events: 3, stdout-contains: [nosuch]}";
    let expected = [
        (Kind::WrongStatus, "trace ended with status 1, not status 0"),
        (
            Kind::WrongOutput,
            "the tracer's stdout does not contain `nosuch`",
        ),
        (Kind::WrongEvents, "2 records, not 3"),
        (
            Kind::Disagreement,
            "the tracer delivered 2 records, ftrace counted 3",
        ),
    ];
    assert_eq!(said(expect, &run), expected.map(|(k, w)| (k, w.to_owned())));
}

#[test]
fn fatal_signal_is_a_crash_and_timeout_is_not() {
    let run = observed(GOOD, Ending::Signal("SIGSEGV".to_owned()), 2, None);
    let what = "bash died by SIGSEGV (records until then: 2)".to_owned();
    assert_eq!(said("{}", &run), [(Kind::GuestCrash, what)]);
    let barred = observed(GOOD, Ending::from(End::Signal(31)), 2, None);
    let what = "bash died by SIGSYS (records until then: 2)".to_owned();
    assert_eq!(said("{}", &barred), [(Kind::GuestCrash, what)]);
    let slow = observed(GOOD, Ending::TimedOut(Duration::from_secs(9)), 2, None);
    let what = "workload still running after 9 s".to_owned();
    assert_eq!(said("{}", &slow), [(Kind::TimedOut, what)]);
}

#[test]
fn mutant_is_caught_only_by_its_symptom() {
    let crash = Failure::new(Kind::GuestCrash, "bash died");
    let wrong = Failure::new(Kind::WrongEvents, "2 records, not 3");
    let all = [wrong.clone(), crash];
    let settle = |failures: &[Failure]| {
        let stated = symptom(Kind::GuestCrash, "bash died");
        settle(failures, Some(&stated), true)
    };
    let (verdict, why) = settle(&all);
    assert_eq!((verdict, why.as_str()), (Verdict::Caught, "bash died"));
    let (verdict, why) = settle(&[wrong]);
    assert_eq!(verdict, Verdict::Missed);
    assert_eq!(
        why,
        "expected guest-crash with `bash died`, but: 2 records, not 3"
    );
    let (verdict, why) = settle(&[]);
    assert_eq!(verdict, Verdict::Missed);
    assert_eq!(why, "it passed; expected guest-crash with `bash died`");
}

/// A scenario that fails now and then regardless of the mutant has the same kind of failure.
#[test]
fn another_failure_of_the_stated_kind_catches_no_mutant() {
    let stated = symptom(Kind::GuestCrash, "trapline_trap");
    let verdict = |failure: Failure| settle(&[failure], Some(&stated), true).0;
    let flake = Failure::new(Kind::GuestCrash, "guest oops: in kswapd0");
    assert_eq!(verdict(flake.clone()), Verdict::Missed);
    let shown = flake.with_detail("pc : trapline_trap+0x10\n");
    assert_eq!(verdict(shown), Verdict::Caught);
}

#[test]
fn symptom_matches_only_changed_lines_of_a_diff() {
    let differs = |diff: &str| {
        let failure = Failure::new(Kind::SnapshotDiffers, "not as reviewed").with_detail(diff);
        let stated = symptom(Kind::SnapshotDiffers, "errno 0");
        settle(&[failure], Some(&stated), true).0
    };
    assert_eq!(differs("-| -2, errno 2\n+| 2, errno 0\n"), Verdict::Caught);
    assert_eq!(differs("-| -2, errno 2\n | 0, errno 0\n"), Verdict::Missed);
}

#[test]
fn a_mutant_that_was_not_loaded_is_not_caught() {
    let boot = [Failure::new(Kind::GuestCrash, "boot timed out")];
    let verdict_of = |failures: &[Failure], fails| {
        let stated = symptom(fails, "t");
        settle(failures, Some(&stated), false)
    };
    let broken = (
        Verdict::Broken,
        "the mutant was not loaded: boot timed out".to_owned(),
    );
    assert_eq!(verdict_of(&boot, Kind::GuestCrash), broken);
    assert_eq!(verdict_of(&boot, Kind::LoadFailed), broken);
    let refused = [Failure::new(Kind::LoadFailed, "insmod: status 1")];
    let caught = (Verdict::Caught, "insmod: status 1".to_owned());
    assert_eq!(verdict_of(&refused, Kind::LoadFailed), caught);
    assert_eq!(verdict_of(&refused, Kind::GuestCrash).0, Verdict::Broken);
}

#[test]
fn possible_host_failure_catches_no_mutant() {
    let lost = [Failure::new(Kind::GuestLost, "QEMU ended early")];
    let stated = symptom(Kind::GuestCrash, "QEMU");
    let (verdict, why) = settle(&lost, Some(&stated), true);
    assert_eq!(verdict, Verdict::Broken);
    assert_eq!(why, "possibly the host's fault: QEMU ended early");
    assert_eq!(settle(&lost, None, true).0, Verdict::Fail);
}

#[test]
fn hang_catches_only_a_mutant_that_states_it() {
    let hang = Failure::new(Kind::GuestHang, "guest hung: no answer");
    let hung = std::slice::from_ref(&hang);
    let verdict = |failures: &[Failure], fails| {
        let stated = symptom(fails, "guest");
        settle(failures, Some(&stated), true).0
    };
    assert_eq!(verdict(hung, Kind::GuestHang), Verdict::Caught);
    assert_eq!(verdict(hung, Kind::GuestCrash), Verdict::Broken);
    assert_eq!(verdict(hung, Kind::WrongEvents), Verdict::Broken);
    let oops = Failure::new(Kind::GuestCrash, "guest oops: o");
    assert_eq!(verdict(&[oops, hang], Kind::GuestCrash), Verdict::Caught);
}

#[test]
fn all_steps_must_have_run() {
    let wrong = |what: &str| vec![(Kind::WrongStatus, what.to_owned())];
    let mut run = observed(GOOD, GOOD, 0, None);
    run.was_signalled = false;
    let early = "the tracer ended before it was told to";
    assert_eq!(said("{}", &run), wrong(early));
    run.transcript.steps.pop();
    let never = "the workload never ran: the tracer had ended";
    assert_eq!(said("{}", &run), wrong(never));
    run.transcript.steps.clear();
    assert_eq!(said("{}", &run), wrong("the tracer never ran"));
}

#[test]
fn zero_counts_are_no_agreement() {
    let nothing = observed(GOOD, GOOD, 0, Some(0));
    assert_eq!(said("{events: 0}", &nothing), []);
    let kinds: Vec<Kind> = said("{}", &nothing).into_iter().map(|f| f.0).collect();
    assert_eq!(kinds, [Kind::Disagreement]);
    let mut failed = observed(GOOD, GOOD, 3, None);
    failed.ftrace = Some(Err("no count".to_owned()));
    let what = (Kind::Disagreement, "no count".to_owned());
    assert_eq!(said("{}", &failed), [what]);
}

#[test]
fn without_a_mutant_any_failure_fails() {
    let two = [
        Failure::new(Kind::TextChanged, "a word"),
        Failure::new(Kind::LeftBehind, "b"),
    ];
    assert_eq!(
        settle(&two, None, true),
        (Verdict::Fail, "a word (and 1 more)".to_owned())
    );
    assert_eq!(settle(&[], None, true).0, Verdict::Pass);
}

#[test]
fn findings_are_unique_and_causes_come_first() {
    let finding = |trouble, line: &str| Finding {
        trouble,
        line: line.to_owned(),
    };
    let kind = |trouble| from_findings(&[finding(trouble, "x")])[0].kind;
    let failures = from_findings(&[
        finding(Trouble::Hang, "silent"),
        finding(Trouble::Panic, "p"),
        finding(Trouble::Oops, "o"),
        finding(Trouble::Panic, "p"),
    ]);
    let whats: Vec<_> = failures.iter().map(|f| f.what.as_str()).collect();
    assert_eq!(
        whats,
        ["guest oops: o", "guest panic: p", "guest hung: silent"]
    );
    let kinds: Vec<_> = failures.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [Kind::GuestCrash, Kind::GuestCrash, Kind::GuestHang]);
    assert_eq!(kind(Trouble::Lockup), Kind::GuestCrash);
    assert_eq!(kind(Trouble::Reset), Kind::GuestCrash);
    assert_eq!(kind(Trouble::Warn), Kind::GuestComplaint);
    assert_eq!(kind(Trouble::ProgramDied), Kind::GuestComplaint);
    assert_eq!(kind(Trouble::CommandFailed), Kind::GuestComplaint);
    assert_eq!(kind(Trouble::Overdue), Kind::TimedOut);
}

#[test]
fn program_name_skips_env() {
    let named = |command| program(command).expect("a program");
    assert_eq!(named("bash -c 'cd /'"), "bash");
    assert_eq!(named("exec env -i HOME=/ bash -c 'cd /'"), "bash");
}
