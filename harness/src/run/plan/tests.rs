use std::path::Path;

use super::*;

fn source(id: &str, more: &str) -> Arc<Source> {
    let text = format!("asserts: a\ntrace: b ${{f}}\nstop: exits\n{more}");
    Arc::new(Source::parse(id, Path::new("x.yaml"), &text).expect("valid"))
}

fn target() -> Target {
    Target {
        guest: "armv6".to_owned(),
        names: Names::from([("f", "sys_f")]),
        capabilities: vec!["fbt".to_owned()],
        mutants: vec!["m".to_owned(), "n".to_owned()],
    }
}

fn described(sources: &[Arc<Source>], with_mutants: bool) -> Vec<String> {
    plan(sources, &target(), with_mutants)
        .expect("names are known")
        .iter()
        .map(|item| match item {
            Item::Run(job) => format!("{}: {}", job.id, job.scenario.trace),
            Item::Skip { id, why } => format!("{id}: skip, {why}"),
        })
        .collect()
}

#[test]
fn unfit_scenarios_are_skipped_with_a_reason() {
    let sources = [
        source("a/any", ""),
        source("a/here", "guests: [armv6, arm64]\nwhy: c\n"),
        source("a/there", "guests: [arm64, x86_64]\nwhy: c\n"),
        source("a/can", "needs: [fbt]\n"),
        source("a/cannot", "needs: [fbt, btf, usdt]\n"),
        source("a/alone", "cpus: 1\n"),
        source("a/many", "needs: [fbt, btf, smp]\ncpus: 2\n"),
        source("a/here-many", "guests: [armv6]\nwhy: c\ncpus: 2\n"),
    ];
    assert_eq!(
        described(&sources, false),
        [
            "armv6 a/any: b sys_f",
            "armv6 a/here: b sys_f",
            "armv6 a/there: skip, only for arm64, x86_64: c",
            "armv6 a/can: b sys_f",
            "armv6 a/cannot: skip, armv6 lacks btf, usdt",
            "armv6 a/alone: b sys_f",
            "armv6 a/many: skip, armv6 lacks btf, smp",
            "armv6 a/here-many: skip, armv6 lacks smp",
        ]
    );
}

#[test]
fn an_exclusion_of_a_guest_holds_for_its_other_kernels() {
    let sources = [
        source("a/guest", "excludes: {armv6: c}\n"),
        source("a/kernel", "excludes: {armv6@2: c}\n"),
    ];
    let skipped = |guest: &str| {
        let target = Target {
            guest: guest.to_owned(),
            ..target()
        };
        let items = plan(&sources, &target, false).expect("names are known");
        let is_skip = |item: &Item| matches!(item, Item::Skip { .. });
        items.iter().map(is_skip).collect::<Vec<_>>()
    };
    assert_eq!(skipped("armv6"), [true, false]);
    assert_eq!(skipped("armv6@1"), [true, false]);
    assert_eq!(skipped("armv6@2"), [true, true]);
}

#[test]
fn mutants_become_jobs_on_request() {
    let sources = [source(
        "a/b",
        "mutants: {m: {fails: guest-crash, says: x}, n: {fails: left-behind, says: x}}\n",
    )];
    assert_eq!(described(&sources, false).len(), 1);
    assert_eq!(
        described(&sources, true),
        [
            "armv6 a/b: b sys_f",
            "armv6 a/b+none: b sys_f",
            "armv6 a/b+m: b sys_f",
            "armv6 a/b+n: b sys_f"
        ]
    );
}

#[test]
fn mutants_unknown_to_the_guest_are_left_out() {
    let sources = [source(
        "a/b",
        "mutants: {m: {fails: guest-crash, says: x}, o: {fails: left-behind, says: x}}\n",
    )];
    assert_eq!(
        described(&sources, true),
        [
            "armv6 a/b: b sys_f",
            "armv6 a/b+none: b sys_f",
            "armv6 a/b+m: b sys_f"
        ]
    );
    let theirs = [source(
        "a/b",
        "mutants: {o: {fails: left-behind, says: x}}\n",
    )];
    assert_eq!(described(&theirs, true), ["armv6 a/b: b sys_f"]);
}

#[test]
fn self_test_scenario_is_its_own_control() {
    let more = "module: self-test\nmutants: {m: {fails: guest-crash, says: x}}\n";
    assert_eq!(
        described(&[source("a/b", more)], true),
        ["armv6 a/b: b sys_f", "armv6 a/b+m: b sys_f"]
    );
}

#[test]
fn symptom_must_be_stated_for_each_guest() {
    let more = "mutants: {m: {fails: guest-crash, says: {armv6: x, arm64: y}}}\n";
    let sources = [source("a/b", more)];
    let says = |guest: &str| {
        let target = Target {
            guest: guest.to_owned(),
            ..target()
        };
        let items = plan(&sources, &target, true).map_err(|e| e.to_string())?;
        let jobs = items.into_iter().filter_map(|item| match item {
            Item::Run(job) => job.mutant?.expected,
            Item::Skip { .. } => None,
        });
        Ok::<_, String>(jobs.map(|symptom| symptom.says).collect::<Vec<_>>())
    };
    assert_eq!(says("arm64"), Ok(vec!["y".to_owned()]));
    insta::assert_snapshot!(says("x86_64").expect_err("nothing"), @"x.yaml:4:1: `m` does not state what x86_64 says");
}

#[test]
fn mutants_rotate_among_guests() {
    let sources = [
        source("a/b", "mutants: {m: {fails: guest-crash, says: x}}\n"),
        source("a/c", "mutants: {n: {fails: guest-crash, says: x}}\n"),
        source(
            "a/d",
            "guests: [armv6]\nwhy: c\nmutants: {m: {fails: guest-crash, says: x}}\n",
        ),
        source(
            "a/e",
            "guests: [armv6]\nwhy: c\nmutants: {m: {fails: guest-crash, says: x, extent: full}}\n",
        ),
    ];
    let run = |extent| {
        let other = Target {
            guest: "arm64".to_owned(),
            ..target()
        };
        let planned = [target(), other].map(|target| plan(&sources, &target, true));
        let mut guests = planned.map(|items| items.expect("names are known"));
        share_mutants(&mut guests, &[true; 2], extent);
        let items = guests.into_iter().flatten().map(Item::id);
        let mutants = items.filter(|id| id.mutant.is_some());
        mutants.map(|id| id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        run(Extent::Change),
        [
            "armv6 a/b+m",
            "armv6 a/d+m",
            "arm64 a/b+none",
            "arm64 a/c+n",
        ]
    );
    assert_eq!(
        run(Extent::Full),
        [
            "armv6 a/b+none",
            "armv6 a/b+m",
            "armv6 a/c+n",
            "armv6 a/d+none",
            "armv6 a/d+m",
            "armv6 a/e+none",
            "armv6 a/e+m",
            "arm64 a/b+m",
            "arm64 a/c+none",
            "arm64 a/c+n",
        ]
    );
}

#[test]
fn guests_take_turns_with_long_scenarios() {
    let sources = [
        source("a/b", "in-turns: true\n"),
        source("a/c", "in-turns: true\n"),
        source("a/d", "in-turns: true\nguests: [armv6]\nwhy: c\n"),
        source("a/e", ""),
    ];
    let run_some = |guests: &[&str], taking: &[bool], extent| {
        let targets = guests.iter().map(|guest| Target {
            guest: (*guest).to_owned(),
            ..target()
        });
        let planned = targets.map(|target| plan(&sources, &target, false));
        let mut guests: Vec<_> = planned.map(|items| items.expect("plain")).collect();
        take_turns(&mut guests, taking, extent);
        let items = guests.into_iter().flatten();
        let run = items.filter(|item| matches!(item, Item::Run(_)));
        run.map(|item| item.id().to_string()).collect::<Vec<_>>()
    };
    let run = |guests: &[&str], extent| run_some(guests, &vec![true; guests.len()], extent);
    let both = ["armv6", "arm64"];
    // Only armv6 can run `a/d`, whether it takes turns or not.
    assert_eq!(
        run_some(&both, &[false, true], Extent::Change),
        [
            "armv6 a/d",
            "armv6 a/e",
            "arm64 a/b",
            "arm64 a/c",
            "arm64 a/e"
        ]
    );
    assert_eq!(
        run(&both, Extent::Change),
        [
            "armv6 a/b",
            "armv6 a/d",
            "armv6 a/e",
            "arm64 a/c",
            "arm64 a/e"
        ]
    );
    assert_eq!(run(&both, Extent::Full).len(), 7);
    assert_eq!(run(&["arm64"], Extent::Change).len(), 3);
}

#[test]
fn what_is_nightly_is_left_out_where_several_guests_run() {
    let text = "nightly: [armv6]\nmutants: {m: {fails: guest-crash, says: x}}\n";
    let sources = [source("a/b", text), source("a/c", "nightly: [arm64]\n")];
    let run = |guests: usize, extent| {
        let items = || plan(&sources, &target(), true).expect("names are known");
        let mut guests: Vec<_> = (0..guests).map(|_| items()).collect();
        leave_to_the_night(&mut guests, extent);
        let items = guests.into_iter().flatten();
        items.filter(|item| matches!(item, Item::Run(_))).count()
    };
    assert_eq!((run(1, Extent::Change), run(2, Extent::Change)), (4, 6));
    assert_eq!(run(2, Extent::Full), 8);
}

#[test]
fn single_guest_runs_all_controls() {
    let mutants = "mutants: {m: {fails: guest-crash, says: x}}\n";
    let sources = ["a/b", "a/c"].map(|id| source(id, mutants));
    let items = plan(&sources, &target(), true).expect("names are known");
    let mut guests = [items];
    share_mutants(&mut guests, &[true], Extent::Change);
    let [items] = guests;
    let ids: Vec<_> = items
        .into_iter()
        .map(|item| item.id().to_string())
        .collect();
    for control in ["armv6 a/b+none", "armv6 a/c+none"] {
        assert!(ids.iter().any(|id| id == control), "{ids:?}");
    }
}

#[test]
fn copies_are_numbered_and_skips_are_not_copied() {
    let sources = [
        source("a/b", "mutants: {m: {fails: guest-crash, says: x}}\n"),
        source("a/c", "guests: [arm64]\nwhy: c\n"),
    ];
    let items = plan(&sources, &target(), true).expect("names are known");
    let ids = repeat(items, 2)
        .into_iter()
        .map(|item| item.id().to_string());
    assert_eq!(
        ids.collect::<Vec<_>>(),
        [
            "armv6 a/b#1",
            "armv6 a/b#2",
            "armv6 a/b+none#1",
            "armv6 a/b+none#2",
            "armv6 a/b+m#1",
            "armv6 a/b+m#2",
            "armv6 a/c",
        ]
    );
}

#[test]
fn unknown_name_is_an_error() {
    let target = Target::default();
    assert!(plan(&[source("a/b", "")], &target, false).is_err());
}
