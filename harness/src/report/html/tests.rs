use super::*;
use crate::report::fixture::{entry, every_verdict, failing, fallback, report};

#[test]
fn page_has_every_job_with_its_verdict() {
    let mut jobs = every_verdict();
    jobs[0].job.id.copy = Some(7);
    let page = page(&report(jobs.clone()));
    for (number, entry) in jobs.iter().enumerate() {
        let row = page
            .split(&format!("<tr id=\"job-{number}\">"))
            .nth(1)
            .expect("a row");
        let row = row.split("</tr>").next().expect("an end");
        assert!(
            row.contains(&format!(">{}</", entry.job.id.scenario_and_mutant())),
            "{row}"
        );
        assert!(
            row.contains(&format!("chip {}", entry.job.verdict)),
            "{row}"
        );
    }
    assert!(page.contains("<title>Trapline: 1 passed, 1 failed"));
}

#[test]
fn failures_have_diff_console_and_command() {
    let page = page(&report(every_verdict()));
    for there in [
        "<del>-3</del>",
        "<ins>+2</ins>",
        "[    1.0] last words",
        "cargo xtask vm-test armv6 fbt/b",
        "href=\"armv6/cli/e/attempt-1/\"",
        "Attempt 1: ",
        "<dt>only for arm64</dt><dd>armv6 cli/c</dd>",
    ] {
        assert!(page.contains(there), "{there}");
    }
}

#[test]
fn kinds_of_start_are_distinguished() {
    let mut cold = fallback("fbt/a");
    cold.job.ready_ms = 8_000;
    let mut none = entry("fbt/b", None, Verdict::Broken, "no QEMU");
    none.job.start = None;
    none.job.ready_ms = 0;
    let page = page(&report(vec![
        entry("fbt/c", None, Verdict::Pass, ""),
        cold,
        none,
    ]));
    for there in [
        "<th>armv6</th><td>restored</td><td class=\"number\"><b>1500 ms</b>",
        "<th>armv6</th><td>cold</td><td class=\"number\"><b>8000 ms</b>",
        "<td><abbr title=\"saved: the disk is full\">cold</abbr></td>",
        "<td></td><td class=\"number\">0 ms</td>",
    ] {
        assert!(page.contains(there), "{there} in {page}");
    }
}

#[test]
fn text_is_escaped() {
    let evil = "<script>alert(1)</script>\"'&\u{1b}[31m\u{202e}";
    let mut job = failing("fbt/<u>", Verdict::Fail, evil);
    job.job.id.guest = "\"><img src=x>".to_owned();
    job.job.why = evil.to_owned();
    job.job.id.mutant = Some("<i>".to_owned());
    job.console = evil.to_owned();
    job.evidence = "a b/\"#7%/javascript:".to_owned();
    job.rerun = evil.to_owned();
    let mut skip = entry("x/y", None, Verdict::Skip, evil);
    skip.job.id.scenario = evil.to_owned();
    let page = page(&report(vec![job, skip]));
    for bad in [
        "<script",
        "<img",
        "<u>",
        "<i>",
        "\u{1b}",
        "\u{202e}",
        "javascript:/\"",
    ] {
        assert!(!page.contains(bad), "{bad}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;\\u{1b}[31m"));
    assert!(page.contains("href=\"a%20b/%22%237%25/javascript%3A/\""));
}

#[test]
fn page_is_self_contained() {
    let page = page(&report(every_verdict()));
    for bad in ["http://", "https://", "src=", "<link", "@import", "url("] {
        assert!(!page.contains(bad), "{bad}");
    }
}

/// Every link has its anchor.
#[test]
fn every_internal_link_has_an_anchor() {
    let page = page(&report(every_verdict()));
    let links = page.split("href=\"#").skip(1);
    let targets: Vec<_> = links.filter_map(|rest| rest.split('"').next()).collect();
    assert!(targets.len() > every_verdict().len());
    for target in targets {
        assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
    }
}

#[test]
fn empty_run_renders() {
    let page = page(&report(Vec::new()));
    assert!(page.contains("nothing to do") && !page.contains("<table"));
}

#[test]
fn durations_are_human_readable() {
    assert_eq!(
        [0, 3_149, 59_999, 125_000].map(seconds),
        ["0.0 s", "3.1 s", "59.9 s", "2 min 5 s"]
    );
}

#[test]
fn interrupted_run_is_marked() {
    let mut report = report(every_verdict());
    assert!(page(&report).contains(", 7 jobs, up to 2 at once"));
    report.span.planned = 9;
    assert!(page(&report).contains("interrupted after 7 of 9 jobs"));
}
