//! `junit-merge`: the JUnit reports of many machines as one.

use std::path::{Path, PathBuf};

use quick_junit::Report;

use crate::error::{Error, Result};
use crate::files;

/// Writes the reports in `inputs` as one to `output`, or nothing if one of them can't be read.
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

/// All suites in one report: it begins with the first of them, and its time is that of all machines
/// together.
fn merged(reports: Vec<Report>) -> Report {
    let name = reports.first().map_or("", |first| first.name.as_str());
    let mut all = Report::new(name);
    all.timestamp = reports.iter().filter_map(|report| report.timestamp).min();
    all.time = reports.iter().map(|report| report.time).sum();
    all.add_test_suites(reports.into_iter().flat_map(|report| report.test_suites));
    all
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// What a runner leaves of one machine's share: what failed, what was lost, what passed at the
    /// second attempt, and what was not run.
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
    fn a_merge_adds_up_and_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let other = SHARE.replace("a::", "b::").replace("03:04:05", "03:00:00");
        let text = merge_in(dir.path(), &[SHARE, &other]).unwrap();
        let all = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((all.tests, all.failures, all.errors), (8, 2, 2));
        assert_eq!(all.time.unwrap().as_millis(), 5_000);
        assert_eq!(
            all.timestamp.unwrap().to_rfc3339(),
            "2030-01-02T03:00:00+00:00"
        );
        let parts = [SHARE, &other].map(|share| Report::deserialize_from_str(share).unwrap());
        let suites: Vec<_> = parts
            .into_iter()
            .flat_map(|part| part.test_suites)
            .collect();
        assert_eq!(all.test_suites, suites);
        for told in ["a::lost", "b::flaky", "what was seen", "the first time"] {
            assert!(text.contains(told), "{told} is lost:\n{text}");
        }
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
