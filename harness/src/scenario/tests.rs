use std::time::Duration;

use super::*;

const SMALL: &str = "asserts: it runs\ntrace: dtrace -l\nstop: exits\n";

fn parse(text: &str) -> Result<Source, ScenarioError> {
    Source::parse("fbt/claim", Path::new("scenarios/fbt/claim.yaml"), text)
}

fn complaint(text: &str) -> String {
    parse(text).expect_err("must be refused").to_string()
}

#[test]
fn minimal_scenario_has_defaults() {
    let scenario = parse(SMALL).expect("valid").scenario;
    assert_eq!(scenario.expect.status, Status::Code(0));
    assert_eq!(scenario.time_limit.duration(), Duration::from_secs(30));
    assert_eq!(scenario.guests, None);
    assert_eq!(scenario.cold_because(), None);
}

#[test]
fn all_keys_are_parsed() {
    let scenario = parse(
        "asserts: a\nstory: b\nguests: [armv6]\nwhy: c\ncpus: 4\nclock: instructions\nfiles: [doc]\ntrace: dtrace -n x\nworkload: bash\nstop: SIGKILL\n\
         time-limit: 7\nnormalise: [fold]\nexpect:\n  status: SIGKILL\n  workload-status: 3\n  \
         events: 3\n  agrees-with: {ftrace: f}\nmutants:\n  push-into-frame: {fails: guest-crash, says: died}\n\
         differs:\n  armv6: one CPU\n",
    )
    .expect("valid")
    .scenario;
    assert_eq!(scenario.cpus.map(Cpus::count), Some(4));
    assert_eq!(scenario.cold_because(), Some("clock: instructions"));
    assert_eq!(scenario.files, ["doc"]);
    assert_eq!(scenario.stop, Stop::Kill);
    assert_eq!(scenario.normalise, [Pass::Fold]);
    assert_eq!(scenario.expect.status, Status::Signal("SIGKILL".to_owned()));
    assert_eq!(scenario.expect.workload_status, Some(Status::Code(3)));
    let symptom = scenario.mutants["push-into-frame"].of("armv6");
    let shown = symptom.map(|symptom| symptom.to_string());
    assert_eq!(shown.as_deref(), Some("guest-crash with `died`"));
    assert_eq!(scenario.differs["armv6"], "one CPU");
}

#[test]
fn unknown_key_is_an_error_with_place() {
    insta::assert_snapshot!(complaint("asserts: a\ntrace: b\nworklaod: c\n"), @"scenarios/fbt/claim.yaml:3:1: unknown field `worklaod`, expected one of `asserts`, `story`, `guests`, `why`, `needs`, `cpus`, `processor`, `cross-modifying`, `append`, `boot`, `module`, `clock`, `clocks`, `files`, `trace`, `workload`, `stop`, `time-limit`, `scale`, `in-turns`, `nightly`, `normalise`, `expect`, `mutants`, `differs`, `excludes`");
    insta::assert_snapshot!(complaint("asserts: a\ntrace: b\nexpect:\n  event: 3\n"), @"scenarios/fbt/claim.yaml:4:3: expect: unknown field `event`, expected one of `status`, `workload-status`, `events`, `events-at-least`, `agrees-with`, `stdout-contains`, `stderr-contains`");
}

#[test]
fn wrong_type_is_an_error_with_expectation() {
    insta::assert_snapshot!(complaint("asserts: a\ntrace: b\nexpect: {status: dead}\n"), @r#"scenarios/fbt/claim.yaml:3:18: expect.status: invalid value: string "dead", expected an exit status from 0 to 255 or the name of a signal such as SIGKILL"#);
    insta::assert_snapshot!(complaint("asserts: a\ntrace: b\nexpect: {agrees-with: ftrace}\n"), @r#"scenarios/fbt/claim.yaml:3:23: expect.agrees-with: invalid type: string "ftrace", expected a map that names a tracer and what it counts, such as {ftrace: '${syscall.chdir}'}"#);
    insta::assert_snapshot!(complaint("asserts: a\ntrace: b\nmutants:\n  m: {fails: dies, says: x}\n"), @"scenarios/fbt/claim.yaml:4:14: mutants.m.fails: unknown variant `dies`, expected one of `guest-crash`, `guest-hang`, `guest-complaint`, `load-failed`, `timed-out`, `wrong-status`, `wrong-events`, `wrong-output`, `disagreement`, `text-changed`, `left-behind`, `snapshot-differs`");
    insta::assert_snapshot!(complaint("asserts: a\ntrace: b\nmutants: {m: guest-crash}\n"), @r#"scenarios/fbt/claim.yaml:3:14: mutants.m: invalid type: string "guest-crash", expected a map of how the scenario fails and what is seen, such as {fails: snapshot-differs, says: 'errno 0'}"#);
    insta::assert_snapshot!(complaint("asserts: a\ntrace: b\nmutants: {m: {fails: guest-crash}}\n"), @"scenarios/fbt/claim.yaml:3:14: mutants.m: missing field `says`");
    insta::assert_snapshot!(complaint("trace: b\n"), @"scenarios/fbt/claim.yaml:1:1: missing field `asserts`");
}

#[test]
fn out_of_range_number_is_an_error_with_place() {
    let with = |cpus: &str| parse(&format!("{SMALL}cpus: {cpus}\n"));
    assert!(with("1").is_ok() && with("8").is_ok());
    for cpus in ["0", "9", "256", "-1", "two", "[4]"] {
        assert!(with(cpus).is_err(), "{cpus}");
    }
    insta::assert_snapshot!(complaint(&format!("{SMALL}cpus: 9\n")), @"scenarios/fbt/claim.yaml:4:7: cpus: invalid value: integer `9`, expected 1 to 8 CPUs");
    insta::assert_snapshot!(complaint(&format!("{SMALL}time-limit: 3601\n")), @"scenarios/fbt/claim.yaml:4:13: time-limit: invalid value: integer `3601`, expected 1 to 3600 seconds");
}

#[test]
fn conflicting_keys_are_refused() {
    insta::assert_snapshot!(complaint("asserts: a\ntrace: b\n"), @"scenarios/fbt/claim.yaml:2:1: without a `workload` nothing ends the run; add `stop: exits`");
    insta::assert_snapshot!(complaint(&format!("{SMALL}guests: [a]\nwhy: c\nneeds: [b]\n")), @"scenarios/fbt/claim.yaml:6:1: `needs` and `guests` exclude each other; keep the one that states the reason");
    insta::assert_snapshot!(complaint(&format!("{SMALL}guests: [a]\n")), @"scenarios/fbt/claim.yaml:4:1: `guests` without `why`; state why the other guests are excluded");
    insta::assert_snapshot!(complaint(&format!("{SMALL}why: c\n")), @"scenarios/fbt/claim.yaml:4:1: `why` without `guests`; it states why the other guests are excluded");
    insta::assert_snapshot!(complaint(&format!("{SMALL}mutants: {{m: {{fails: guest-crash, says: ''}}}}\n")), @"scenarios/fbt/claim.yaml:4:1: `says` is empty and matches every failure of that kind; state what the mutant prints");
    insta::assert_snapshot!(complaint(&format!("{SMALL}expect:\n  workload-status: 1\n")), @"scenarios/fbt/claim.yaml:5:3: `workload-status` without a `workload`");
}

#[test]
fn quiet_tracer_with_workload_is_refused() {
    let with = |trace: &str| parse(&format!("asserts: a\ntrace: {trace}\nworkload: c\n"));
    let error = with("dtrace -qn x").expect_err("must be refused");
    insta::assert_snapshot!(error, @"scenarios/fbt/claim.yaml:2:1: with `-q` the tracer does not report that its probes are enabled, which the `workload` waits for; remove one of them");
    assert!(with("dtrace -n x").is_ok());
    assert!(parse("asserts: a\ntrace: dtrace -q -n x\nstop: exits\n").is_ok());
}

#[test]
fn unknown_guests_needs_and_mutants_are_refused() {
    let known = ["armv6".to_owned(), "arm64".to_owned()];
    let guests = parse(&format!("{SMALL}guests: [arm64, amrv6]\nwhy: c\n")).expect("valid");
    let error = guests.check_guests(&known).expect_err("a slip");
    insta::assert_snapshot!(error, @"scenarios/fbt/claim.yaml:4:17: unknown guest `amrv6`; known: armv6, arm64");
    let differs = parse(&format!("{SMALL}differs:\n  arm: why\n")).expect("valid");
    assert!(differs.check_guests(&known).is_err());
    let clocks = parse(&format!("{SMALL}clocks:\n  arm: instructions\n")).expect("valid");
    assert!(clocks.check_guests(&known).is_err());
    let needs = parse(&format!("{SMALL}needs: [ftb]\n")).expect("valid");
    assert_eq!(needs.check_guests(&known), Ok(()));
    let error = needs.check_needs(&["fbt".to_owned()]).expect_err("a slip");
    insta::assert_snapshot!(error, @"scenarios/fbt/claim.yaml:4:9: unknown capability `ftb`; known: fbt");
    let mutants = parse(&format!(
        "{SMALL}mutants:\n  push-into-fame: {{fails: guest-crash, says: x}}\n"
    ))
    .expect("valid");
    let known = ["nop-for-mov".to_owned(), "push-into-frame".to_owned()];
    let error = mutants.check_mutants(&known).expect_err("a slip");
    insta::assert_snapshot!(error, @"scenarios/fbt/claim.yaml:5:3: unknown mutant `push-into-fame`; known: nop-for-mov, push-into-frame");
}

#[test]
fn names_expand_and_unknown_ones_are_errors_with_place() {
    let text = "asserts: a\ntrace: dtrace -n 'fbt::${syscall.chdir}:entry'\nworkload: ls ${x}\n";
    let source = parse(text).expect("valid");
    let names = Names::from([("syscall.chdir", "sys_chdir"), ("x", "/")]);
    let scenario = source.for_guest("armv6", &names).expect("all known");
    assert_eq!(scenario.trace, "dtrace -n 'fbt::sys_chdir:entry'");
    assert_eq!(scenario.workload.as_deref(), Some("ls /"));

    let few = Names::from([("syscall.chdir", "sys_chdir")]);
    let error = source.for_guest("armv6", &few).expect_err("no x");
    insta::assert_snapshot!(error, @"scenarios/fbt/claim.yaml:3:14: armv6 has no name `x`; it has guest, syscall.chdir");
}

#[test]
fn seed_is_expanded_and_recorded() {
    let source = parse("asserts: a\ntrace: b --seed ${seed}\nstop: exits\n").expect("valid");
    let none = Names::default();
    let usual = source.for_guest("armv6", &none).expect("a seed");
    assert_eq!((usual.trace.as_str(), usual.seed), ("b --seed 1", Some(1)));
    let again = source.for_guest_with("armv6", &none, Some(7), Extent::Change);
    assert_eq!(again.expect("a seed").trace, "b --seed 7");
    let without = parse(SMALL).expect("valid").for_guest("armv6", &none);
    assert_eq!(without.expect("no names").seed, None);
}

#[test]
fn scale_depends_on_extent() {
    let text = |scale| format!("{SMALL}workload: 'do ${{scale}} $${{x}}'\n{scale}");
    let source = parse(&text("scale: {change: 10, full: 200}\n")).expect("valid");
    let at = |extent| {
        let scenario = source.for_guest_with("armv6", &Names::default(), None, extent);
        let scenario = scenario.expect("all known");
        assert_eq!(scenario.extent, extent);
        scenario.workload
    };
    assert_eq!(at(Extent::Change).as_deref(), Some("do 10 ${x}"));
    assert_eq!(at(Extent::Full).as_deref(), Some("do 200 ${x}"));

    let less = parse(&text("scale: {change: 10, full: 10}\n")).expect_err("not less");
    assert!(less.to_string().contains("less than `full`"), "{less}");
    let none = parse(&format!("{SMALL}scale: {{change: 1, full: 2}}\n")).expect_err("unused");
    assert!(none.to_string().contains("without a `${scale}`"), "{none}");
}
