use proptest::prelude::*;

use super::*;

const RECORDS: &str = "CPU     ID                    FUNCTION:NAME\n  \
                       0   1234                  sys_chdir:entry \n 11  98765                  sys_chdir:return \n";
const LIST: &str = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n 1234        fbt           vmlinux                         sys_chdir entry\n";

fn facts() -> Facts {
    Facts {
        kernel_release: "6.1.0-50-rpi".to_owned(),
        names: called("sys_chdir"),
        disassembler: None,
    }
}

fn called(chdir: &str) -> Names {
    Names::from([("syscall.chdir", chdir), ("syscall.prefix", "sys_")])
}

fn one(pass: Pass, text: &str) -> String {
    pass.apply(text, &facts())
}

#[test]
fn values_become_scenario_names() {
    for name in [
        "line-ends",
        "probe-ids",
        "names",
        "trailing-space",
        "pids",
        "kernel-release",
        "sort",
        "cpus",
        "fold",
    ] {
        let pass: Pass = serde_yaml::from_str(name).expect("known");
        assert_eq!(pass.name(), name);
    }
}

#[test]
fn requested_passes_are_added_in_order() {
    assert_eq!(passes(&[]), ALWAYS);
    assert_eq!(
        passes(&[Pass::Fold, Pass::Pids, Pass::ProbeIds]),
        [
            Pass::LineEnds,
            Pass::ProbeIds,
            Pass::Names,
            Pass::TrailingSpace,
            Pass::Pids,
            Pass::Fold
        ]
    );
}

#[test]
fn probe_ids_are_masked_in_place() {
    let got = one(Pass::ProbeIds, RECORDS);
    assert_eq!(
        got,
        RECORDS
            .replace("  1234", "  <id>")
            .replace(" 98765", "  <id>")
    );
    assert_eq!(one(Pass::ProbeIds, LIST), LIST.replace(" 1234", " <id>"));
    let wider = LIST.replace(" 1234", "123456");
    assert_eq!(one(Pass::ProbeIds, &wider), LIST.replace(" 1234", " <id>"));
}

#[test]
fn probe_ids_change_only_tables() {
    let text = "  0   1234                  sys_chdir:entry\n42 apples\n";
    assert_eq!(one(Pass::ProbeIds, text), text);
    let after = format!("{RECORDS}  3 drops on CPU 0\n");
    assert!(one(Pass::ProbeIds, &after).ends_with("  3 drops on CPU 0\n"));
}

#[test]
fn the_small_passes() {
    assert_eq!(one(Pass::LineEnds, "a\r\nb\rc\n"), "a\nb\rc\n");
    assert_eq!(one(Pass::TrailingSpace, "a \t\n b\n  \n"), "a\n b\n\n");
    assert_eq!(
        one(Pass::Pids, "pid 12, bash[345] cpu 2"),
        "pid <pid>, bash[<pid>] cpu 2"
    );
    assert_eq!(one(Pass::Pids, "[0, 10) [3"), "[0, 10) [3");
    assert_eq!(
        one(Pass::KernelRelease, "on 6.1.0-50-rpi!"),
        "on <release>!"
    );
    assert_eq!(
        Pass::KernelRelease.apply("as it is", &Facts::default()),
        "as it is"
    );
}

/// A record and a row of the list, in the tracer's layout.
fn record(cpu: u32, probe: &str) -> String {
    format!("{cpu:3} {:6} {probe:>32}\n", 17)
}

fn listed(function: &str) -> String {
    format!(
        "{:5} {:>10} {:>17} {function:>33} entry\n",
        17, "fbt", "vmlinux"
    )
}

#[test]
fn normalised_names_are_equal_on_all_guests() {
    let seen_by = |own: &str| {
        let facts = Facts {
            names: called(own),
            ..Facts::default()
        };
        let header = RECORDS.lines().next().unwrap_or_default();
        let list = LIST.lines().next().unwrap_or_default();
        let text = format!(
            "matched fbt::{own}:entry\n{header}\n{}{}{list}\n{}{own} called\n",
            record(0, &format!("{own}:entry")),
            record(1, "vfs_read:entry"),
            listed(own),
        );
        apply(&passes(&[]), &text, &facts)
    };
    let armv6 = seen_by("sys_chdir");
    insta::assert_snapshot!(armv6, @"
    matched fbt::${syscall.chdir}:entry
    CPU     ID                    FUNCTION:NAME
      0   <id>           ${syscall.chdir}:entry
      1   <id>                   vfs_read:entry
       ID   PROVIDER            MODULE                          FUNCTION NAME
     <id>        fbt           vmlinux                  ${syscall.chdir} entry
    ${syscall.chdir} called
    ");
    assert_eq!(seen_by("__arm64_sys_chdir"), armv6);
    assert_eq!(
        seen_by("a_name_that_is_as_long_as_the_column_and_then_some"),
        armv6
    );
}

#[test]
fn only_whole_identifiers_are_names() {
    for text in [
        "__se_sys_chdir",
        "sys_chdir.isra.0",
        "sys_chdir2",
        "sys_",
        "chdir",
    ] {
        assert_eq!(one(Pass::Names, text), text);
    }
    assert_eq!(one(Pass::Names, "sys_chdir+0x4"), "${syscall.chdir}+0x4");
    let text =
        format!("{RECORDS}  0      7                    sys_chroot:entry   sys_chdir  said\n");
    assert!(one(Pass::Names, &text).ends_with("    sys_chroot:entry   ${syscall.chdir}  said\n"));
}

#[test]
fn cpus_are_masked_in_records_only() {
    let got = one(Pass::Cpus, RECORDS);
    assert_eq!(got, RECORDS.replace("  0 ", "<c> ").replace(" 11 ", "<c> "));
    assert_eq!(one(Pass::Cpus, LIST), LIST);
    assert_eq!(
        one(Pass::Cpus, "  0   1234   f:entry\n"),
        "  0   1234   f:entry\n"
    );
}

#[test]
fn sort_keeps_each_cpus_records() {
    let header = RECORDS.lines().next().unwrap_or_default();
    let rows = [
        (1, "a:entry"),
        (0, "b:entry"),
        (1, "a:entry"),
        (10, "c:entry"),
        (0, "a:entry"),
    ];
    let rows = rows.map(|(cpu, probe)| record(cpu, probe)).concat();
    let text = format!(
        "9 9 z:entry\n{header}\n{rows}\n{}{}",
        record(1, "a:entry"),
        record(0, "a:entry")
    );
    let sorted = apply(&[Pass::ProbeIds, Pass::Sort, Pass::Fold], &text, &facts());
    insta::assert_snapshot!(sorted, @"
    9 9 z:entry
    CPU     ID                    FUNCTION:NAME
      0   <id>                          b:entry
      0   <id>                          a:entry
      1   <id>                          a:entry ... x2
     10   <id>                          c:entry

      0   <id>                          a:entry
      1   <id>                          a:entry
    ");
}

#[test]
fn fold_keeps_the_count_and_the_order() {
    assert_eq!(one(Pass::Fold, "h\na\na\na\nb\na\n"), "h\na ... x3\nb\na\n");
    assert_eq!(one(Pass::Fold, ""), "");
}

const ASKED: [Pass; 5] = [
    Pass::Pids,
    Pass::KernelRelease,
    Pass::Sort,
    Pass::Cpus,
    Pass::Fold,
];

proptest! {
    #[test]
    fn passes_are_idempotent(lines in prop::collection::vec("[ 0-9a-z:\\[\\]<>\r]{0,12}", 0..8)) {
        let text = format!("{RECORDS}{}", lines.join("\n"));
        for pass in passes(&ASKED) {
            let once = one(pass, &text);
            prop_assert_eq!(one(pass, &once), once);
        }
    }

    #[test]
    fn only_fold_changes_the_number_of_lines(text in "[ 0-9a-z:_\\[\\]\r\n]{0,80}") {
        let text = format!("{RECORDS}{text}");
        for pass in passes(&ASKED).into_iter().filter(|pass| *pass != Pass::Fold) {
            prop_assert_eq!(one(pass, &text).matches('\n').count(), text.matches('\n').count());
        }
    }

    #[test]
    fn the_cpu_column_and_the_probe_stay(cpu in 0u32..999, id in 1u32..999_999, name in "[a-z_]{1,20}") {
        let row = format!("{cpu:3} {id:6} {:>34} ", format!("{name}:entry"));
        let got = one(Pass::ProbeIds, &format!("{RECORDS}{row}\n"));
        let last = got.lines().last().unwrap_or_default();
        let words: Vec<&str> = last.split_whitespace().collect();
        let expected = [cpu.to_string(), "<id>".to_owned(), format!("{name}:entry")];
        prop_assert_eq!(words, expected);
        prop_assert_eq!(last.len(), row.len());
    }
}
