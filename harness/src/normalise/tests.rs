use proptest::prelude::*;

use super::*;

const RECORDS: &str = "CPU     ID                    FUNCTION:NAME\n  \
                       0   1234                  sys_chdir:entry \n 11  98765                  sys_chdir:return \n";
const LIST: &str = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n 1234        fbt           vmlinux                         sys_chdir entry\n";

fn facts() -> Facts {
    Facts {
        kernel_release: "6.1.0-50-rpi".to_owned(),
    }
}

fn one(pass: Pass, text: &str) -> String {
    pass.apply(text, &facts())
}

#[test]
fn names_are_those_that_scenarios_write() {
    for name in [
        "line-ends",
        "probe-ids",
        "trailing-space",
        "pids",
        "kernel-release",
        "fold",
    ] {
        let pass: Pass = serde_yaml::from_str(name).expect("known");
        assert_eq!(pass.name(), name);
    }
}

#[test]
fn asked_passes_join_those_that_always_apply() {
    assert_eq!(passes(&[]), ALWAYS);
    assert_eq!(
        passes(&[Pass::Fold, Pass::Pids, Pass::ProbeIds]),
        [
            Pass::LineEnds,
            Pass::ProbeIds,
            Pass::TrailingSpace,
            Pass::Pids,
            Pass::Fold
        ]
    );
}

#[test]
fn probe_ids_keep_the_layout_and_the_cpu() {
    let got = one(Pass::ProbeIds, RECORDS);
    assert_eq!(
        got,
        RECORDS
            .replace("  1234", "  <id>")
            .replace(" 98765", "  <id>")
    );
    assert_eq!(one(Pass::ProbeIds, LIST), LIST.replace(" 1234", " <id>"));
}

#[test]
fn probe_ids_leave_alone_what_is_no_table() {
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

#[test]
fn fold_keeps_the_count_and_the_order() {
    assert_eq!(one(Pass::Fold, "h\na\na\na\nb\na\n"), "h\na ... x3\nb\na\n");
    assert_eq!(one(Pass::Fold, ""), "");
}

proptest! {
    #[test]
    fn twice_is_once(lines in prop::collection::vec("[ 0-9a-z:\\[\\]<>\r]{0,12}", 0..8)) {
        let text = format!("{RECORDS}{}", lines.join("\n"));
        for pass in passes(&[Pass::Pids, Pass::KernelRelease, Pass::Fold]) {
            let once = one(pass, &text);
            prop_assert_eq!(one(pass, &once), once);
        }
    }

    #[test]
    fn only_fold_changes_the_number_of_lines(text in "[ 0-9a-z:\\[\\]\r\n]{0,80}") {
        for pass in passes(&[Pass::Pids, Pass::KernelRelease]) {
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
