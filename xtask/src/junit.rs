//! `junit-merge`: merges the JUnit reports of several machines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use quick_junit::{Report, TestCase, TestCaseStatus, TestSuite};

use crate::error::{Error, Result};
use crate::files;

/// Merges `inputs` into `output`. Writes nothing if one of them cannot be read.
pub fn merge(output: &Path, inputs: &[PathBuf]) -> Result<()> {
    let reports: Vec<Report> = inputs
        .iter()
        .map(|path| read(path))
        .collect::<Result<_>>()?;
    let text = merged(reports).to_string().map_err(|e| bad(output, &e))?;
    files::write(output, text.as_bytes())
}

fn read(path: &Path) -> Result<Report> {
    Report::deserialize(files::read(path)?.as_slice()).map_err(|e| bad(path, &e))
}

fn bad(path: &Path, why: &dyn std::error::Error) -> Error {
    Error::Content {
        path: path.into(),
        why: format!("not a JUnit report: {why}"),
    }
}

/// One report with the name of the first, the earliest timestamp and the summed time.
fn merged(reports: Vec<Report>) -> Report {
    let name = reports.first().map_or("", |first| first.name.as_str());
    let mut all = Report::new(name);
    all.timestamp = reports.iter().filter_map(|report| report.timestamp).min();
    all.time = reports.iter().map(|report| report.time).sum();
    let mut suites: BTreeMap<String, Vec<TestCase>> = BTreeMap::new();
    for part in reports.into_iter().flat_map(|report| report.test_suites) {
        let cases = suites.entry(part.name.into_string()).or_default();
        cases.extend(part.test_cases);
    }
    for (name, cases) in suites {
        let mut suite = TestSuite::new(name);
        suite.add_test_cases(without_duplicate_skips(cases));
        all.add_test_suite(suite);
    }
    all
}

/// Drops skipped cases that ran elsewhere, and duplicates of a skipped one: every machine lists all
/// tests, including those of the other machines.
fn without_duplicate_skips(mut cases: Vec<TestCase>) -> Vec<TestCase> {
    cases.sort_by_key(is_skipped);
    let mut seen = BTreeSet::new();
    cases.retain(|case| seen.insert(case.name.as_str().to_owned()) || !is_skipped(case));
    cases
}

fn is_skipped(case: &TestCase) -> bool {
    matches!(case.status, TestCaseStatus::Skipped { .. })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// One machine's report: a failed, a lost, a flaky and a skipped test.
    const SHARE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trapline" tests="4" failures="1" errors="1" timestamp="2030-01-02T03:04:05.000+00:00" time="2.500">
    <testsuite name="harness::conformance" tests="4" disabled="1" errors="1" failures="1">
        <testcase name="a::fails" classname="harness::conformance" time="1.000">
            <failure message="no &lt;record&gt;" type="test failure">what was seen</failure>
            <system-out>line one</system-out>
        </testcase>
        <testcase name="a::lost" classname="harness::conformance" time="1.000">
            <error type="test timeout"/>
        </testcase>
        <testcase name="a::flaky" classname="harness::conformance" time="0.500">
            <flakyFailure timestamp="2030-01-02T03:04:05.000+00:00" time="0.500" type="test failure">
                <system-err>the first time</system-err>
            </flakyFailure>
        </testcase>
        <testcase name="a::elsewhere" classname="harness::conformance">
            <skipped/>
        </testcase>
    </testsuite>
</testsuites>
"#;

    fn merge_in(dir: &Path, shares: &[&str]) -> Result<String> {
        let inputs: Vec<PathBuf> = (0..shares.len())
            .map(|number| dir.join(format!("{number}.xml")))
            .collect();
        for (path, share) in inputs.iter().zip(shares) {
            fs::write(path, share).unwrap();
        }
        let output = dir.join("all.xml");
        merge(&output, &inputs)?;
        Ok(fs::read_to_string(output).unwrap())
    }

    #[test]
    fn a_merge_sums_counts_and_keeps_all_output() {
        let dir = tempfile::tempdir().unwrap();
        let other = SHARE.replace("a::", "b::").replace("03:04:05", "03:00:00");
        let text = merge_in(dir.path(), &[SHARE, &other]).unwrap();
        let all = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((all.tests, all.failures, all.errors), (8, 2, 2));
        assert_eq!(all.time.unwrap().as_millis(), 5_000);
        let begun = all.timestamp.unwrap().to_rfc3339();
        assert_eq!(begun, "2030-01-02T03:00:00+00:00");
        for detail in [
            "a::lost",
            "b::flaky",
            "what was seen",
            "line one",
            "the first time",
        ] {
            assert!(text.contains(detail), "{detail} is lost:\n{text}");
        }
    }

    #[test]
    fn a_test_is_skipped_once_and_only_if_nobody_ran_it() {
        let dir = tempfile::tempdir().unwrap();
        let skips_one_more = SHARE
            .replace("a::fails", "b::passes")
            .replace("a::elsewhere", "a::nowhere")
            .replace("<error type=\"test timeout\"/>", "<skipped/>");
        let runs_one_more = SHARE.replace("<skipped/>", "");
        let shares = [SHARE, &skips_one_more, &skips_one_more, &runs_one_more];
        let text = merge_in(dir.path(), &shares).unwrap();
        let all = Report::deserialize_from_str(&text).unwrap();
        let skipped = |name: &str| {
            let cases = all.test_suites[0].test_cases.iter();
            let of_name: Vec<_> = cases.filter(|case| case.name.as_str() == name).collect();
            let skips = of_name.iter().filter(|case| is_skipped(case)).count();
            (of_name.len(), skips)
        };
        assert_eq!(skipped("a::nowhere"), (1, 1));
        assert_eq!(skipped("a::elsewhere"), (1, 0));
        assert_eq!(skipped("a::lost"), (2, 0));
        assert_eq!(all.test_suites[0].disabled, 1);
    }

    #[test]
    fn a_share_that_is_cut_off_is_named_and_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        for cut in [&SHARE[..600], "", "no XML", "<html></html>"] {
            let error = merge_in(dir.path(), &[SHARE, cut]).unwrap_err().to_string();
            assert!(error.contains("1.xml: not a JUnit report"), "{error}");
            assert!(!dir.path().join("all.xml").exists());
        }
        let absent = dir.path().join("absent.xml");
        let error = merge(&dir.path().join("all.xml"), &[absent]).unwrap_err();
        assert!(error.to_string().contains("absent.xml"), "{error}");
    }
}
