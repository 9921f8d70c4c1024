//! Random programs, traced and alone.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

/// What a firing of a random program's functions does: only counts, more than that, is at each instruction, or
/// only records.
const ALL: [&str; 4] = [
    "pid$target:a.out:f*:entry { @[probefunc] = count(); } pid$target:a.out:f*:return { @returns = count(); }",
    "pid$target:a.out:f*:entry, pid$target:a.out:f*:return { @[probefunc, probename] = count(); this->at = timestamp; }",
    "pid$target:a.out:f*: { @[probefunc, probename] = count(); }",
    "pid$target:a.out:f*:entry { @[probefunc] = count(); } pid$target:a.out:f*:return { printf(\"%d\\n\", arg1); }",
];

/// Runs random programs, as many as `PROPTEST_CASES` says up to a thousand.
#[test]
fn random_programs_run_as_they_do_alone() {
    const CASES: u32 = 12;
    const MOST: u32 = 1000;
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let asked = std::env::var("PROPTEST_CASES").ok();
    let cases = asked.map_or(CASES, |cases| cases.parse().unwrap_or(CASES).min(MOST));
    let config = ProptestConfig {
        cases,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let folder = folder();
    let strategy = (random::functions(), 0..LEVELS.len(), 0..ALL.len());
    let checked = TestRunner::new(config).run(&strategy, |(functions, level, all)| {
        let (plain, traced, counted) = run_random(
            &folder,
            &random::program(&functions),
            LEVELS[level],
            ALL[all],
        );
        prop_assert_eq!(&traced.stdout, &plain.stdout);
        prop_assert_eq!(String::from_utf8_lossy(&traced.stderr), "");
        for (name, hits) in counts(&String::from_utf8_lossy(&plain.stdout)) {
            if name.starts_with('f') && name != "fuel" && hits > 0 {
                let own = counted.get(&format!("{name} entry")).or(counted.get(&name));
                prop_assert_eq!((&name, own), (&name, Some(&hits)));
            }
        }
        Ok(())
    });
    checked.unwrap();
}

/// Runs a program alone and traced; returns both outputs, and what was counted.
fn run_random(
    folder: &TempDir,
    text: &str,
    level: &str,
    all: &str,
) -> (Output, Output, BTreeMap<String, u64>) {
    let [source, program] = ["random.c", "random"].map(|name| folder.path().join(name));
    fs::write(&source, text).unwrap();
    let mut compiler = Command::new("gcc");
    compiler.args([level, "-w", "-fwrapv", "-o"]);
    let status = compiler.args([&program, &source]).status().unwrap();
    assert!(status.success(), "{text}");
    let plain = Command::new(&program).output().unwrap();
    let (output, traced) = trace(folder, all, program.to_str().unwrap());
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let traced: Vec<String> = traced.lines().map(words).collect();
    (plain, output, counts(&traced.join("\n")))
}
