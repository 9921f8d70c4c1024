use super::fixture::{entry, every_verdict, failing, fallback, flaky, report};
use super::*;

#[test]
fn json_schema_is_stable() {
    let json = report(vec![entry("fbt/a", None, Verdict::Pass, "")]).to_json();
    insta::assert_snapshot!(json.expect("plain data"), @r#"
    {
      "schema": 2,
      "started": "1970-01-01T00:00:00Z",
      "wall_ms": 9000,
      "workers": 2,
      "planned": 1,
      "jobs": [
        {
          "scenario": "fbt/a",
          "guest": "armv6",
          "mutant": null,
          "copy": null,
          "verdict": "pass",
          "why": "",
          "start": "restored",
          "cold": null,
          "waited_ms": 0,
          "ready_ms": 1500,
          "run_ms": 2345,
          "cpu_ms": 3400,
          "pace": 1.0,
          "events": 3,
          "started_ms": 0,
          "worker": 1,
          "attempts": 1,
          "evidence": "armv6/fbt/a",
          "rerun": "cargo xtask vm-test armv6 fbt/a"
        }
      ],
      "totals": {
        "pass": 1,
        "fail": 0,
        "skip": 0,
        "broken": 0,
        "caught": 0,
        "missed": 0,
        "flaky": 0,
        "fallback": 0
      }
    }
    "#);
}

#[test]
fn json_has_failures_and_all_attempts() {
    let json = report(vec![flaky("fbt/a")]).to_json().expect("plain data");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let job = &json["jobs"][0];
    assert_eq!(
        (job["verdict"].as_str(), job["attempts"].as_u64()),
        (Some("flaky"), Some(2))
    );
    assert_eq!(job["earlier"][0]["failures"][0]["kind"], "wrong-events");
    assert_eq!(job["earlier"][0]["console"], "[    1.0] last words\n");
    assert_eq!(json["totals"]["pass"], 0);
    assert_eq!(json["totals"]["flaky"], 1);
}

#[test]
fn junit_has_every_job_and_stays_xml() {
    let junit = report(every_verdict()).to_junit().expect("plain data");
    insta::assert_snapshot!(junit, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trapline" tests="7" failures="2" errors="1" timestamp="1970-01-01T00:00:00.000+00:00" time="9.000">
        <testsuite name="armv6" tests="7" disabled="1" errors="1" failures="2">
            <testcase name="fbt/a" classname="armv6" time="3.845">
            </testcase>
            <testcase name="fbt/a+m" classname="armv6" time="3.845">
            </testcase>
            <testcase name="fbt/a+n" classname="armv6" time="3.845">
                <failure message="it passed; expected guest-crash" type="missed"/>
            </testcase>
            <testcase name="fbt/b" classname="armv6" time="3.845">
                <failure message="2 records, not 3 &lt;&amp;\u{7}&gt;" type="fail">wrong-events: 2 records, not 3 &lt;&amp;\u{7}&gt;
    -3
    +2
    </failure>
                <system-out>[    1.0] last words
    </system-out>
            </testcase>
            <testcase name="cli/c" classname="armv6" time="0.000">
                <skipped message="only for arm64" type="skip"/>
            </testcase>
            <testcase name="cli/d" classname="armv6" time="3.845">
                <error message="no QEMU" type="broken"/>
            </testcase>
            <testcase name="cli/e" classname="armv6" time="3.845">
                <flakyFailure time="3.845" message="2 records, not 3 &lt;&amp;\u{7}&gt;" type="fail">wrong-events: 2 records, not 3 &lt;&amp;\u{7}&gt;
    -3
    +2
    </flakyFailure>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn junit_failure_is_the_first_attempt() {
    let first = Entry {
        failures: failing("fbt/a", Verdict::Fail, "").failures,
        ..entry("fbt/a", None, Verdict::Fail, "first")
    };
    let mut last = entry("fbt/a", None, Verdict::Broken, "second");
    last.attempts = 2;
    last.earlier = vec![first];
    let junit = report(vec![last]).to_junit().expect("plain data");
    insta::assert_snapshot!(junit, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trapline" tests="1" failures="1" errors="0" timestamp="1970-01-01T00:00:00.000+00:00" time="9.000">
        <testsuite name="armv6" tests="1" disabled="0" errors="0" failures="1">
            <testcase name="fbt/a" classname="armv6" time="3.845">
                <failure message="first" type="fail">wrong-events: 2 records, not 3 &lt;&amp;\u{7}&gt;
    </failure>
                <rerunError time="3.845" message="second" type="broken">
                </rerunError>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn text_has_a_line_per_job_and_totals() {
    let report = report(every_verdict());
    let lines: Vec<String> = report.jobs.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(printable::printable(&lines.join("\n")), @r"
    pass   armv6 fbt/a                                    3.8 s
    caught armv6 fbt/a+m                                  3.8 s  bash died by SIGSEGV
    missed armv6 fbt/a+n                                  3.8 s  it passed; expected guest-crash
    fail   armv6 fbt/b                                    3.8 s  2 records, not 3 <&\u{7}>
    skip   armv6 cli/c                                    0.0 s  only for arm64
    broken armv6 cli/d                                    3.8 s  no QEMU
    flaky  armv6 cli/e                                    3.8 s  pass at attempt 2; first fail: 2 records, not 3
    ");
    insta::assert_snapshot!(report.totals, @"1 passed, 1 failed, 1 skipped, 1 broken, 1 caught, 1 missed, 1 flaky");
    assert_eq!(Totals::default().to_string(), "nothing to do");
}

#[test]
fn fallbacks_are_shown_and_counted() {
    let mut asked = fallback("fbt/b");
    asked.job.start = Some(Start::Cold);
    let report = report(vec![fallback("fbt/a"), asked]);
    let lines: Vec<String> = report.jobs.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    pass   armv6 fbt/a                                    3.8 s (cold: saved: the disk is full)
    pass   armv6 fbt/b                                    3.8 s
    ");
    insta::assert_snapshot!(report.totals, @"2 passed; 1 booted, since they could not be restored");
    let junit = report.to_junit().expect("plain data");
    let property = "<property name=\"cold\" value=\"saved: the disk is full\"/>";
    assert_eq!(junit.matches(property).count(), 2, "{junit}");
}

#[test]
fn guest_output_cannot_break_junit() {
    let evil = "a\nb\u{1b}]\u{0}]>\u{fffe}\u{ffff}\u{202e}";
    let mut job = failing("fbt/a", Verdict::Fail, evil);
    job.job.why = evil.to_owned();
    job.console = evil.to_owned();
    let junit = report(vec![job]).to_junit().expect("plain data");
    let is_harmless = |c: char| matches!(c, '\n' | ' '..='~');
    assert!(junit.chars().all(is_harmless), "{junit}");
    assert!(
        junit.contains("message=\"a\\nb\\u{1b}]\\u{0}]&gt;"),
        "{junit}"
    );
}

#[test]
fn totals_are_per_guest() {
    let mut jobs = every_verdict();
    for entry in &mut jobs[4..] {
        entry.job.id.guest = "x86_64".to_owned();
    }
    let lines: Vec<String> = report(jobs)
        .by_guest()
        .map(|(guest, sum)| format!("{guest}: {sum}"))
        .collect();
    assert_eq!(
        lines,
        [
            "armv6: 1 passed, 1 failed, 1 caught, 1 missed",
            "x86_64: 1 skipped, 1 broken, 1 flaky"
        ]
    );
}

#[test]
fn suite_is_good_if_all_jobs_are() {
    assert!(!report(every_verdict()).is_good());
    assert!(report(every_verdict()[..2].to_vec()).is_good());
    assert!(report(vec![flaky("fbt/a")]).is_good());
    for bad in [Verdict::Fail, Verdict::Missed, Verdict::Broken] {
        assert!(!report(vec![entry("fbt/a", Some("m"), bad, "why")]).is_good());
    }
}
