use super::*;

const EXIT: u32 = 0x9000;

/// QEMU's record of these instructions.
fn record(offsets: &[u32]) -> Executed {
    Executed {
        start: 0,
        offsets: offsets.to_vec(),
    }
}

/// The record of both runs, each with its exit.
fn runs(plain: &[u32], traced: &[u32]) -> Execution {
    let both = [plain, &[EXIT], traced, &[EXIT]].concat();
    Execution::of(record(&both)).expect("two runs")
}

fn hits(lines: &str) -> Vec<Told> {
    told(lines).expect("addresses and hits")
}

#[test]
fn equal_counts_agree() {
    let run = [0x1000, 0x1004, 0x1004, 0x1008];
    let compared = compare(
        &hits("CPU  ID\n\n0x1000 f 0 1\n0x1004 f 4 2\n"),
        &runs(&run, &run),
    );
    assert_eq!(compared.differences, [""; 0]);
    insta::assert_snapshot!(compared.summary, @"2 probes at 2 instructions, 3 hits; 0 instructions between them had no hit, and were executed 0 times in the plain run; 5 and 5 entries of QEMU's record");
}

#[test]
fn lost_and_invented_hits_are_seen() {
    let run = [0x1000, 0x1004, 0x1000, 0x1004];
    let compared = compare(
        &hits("0x1000 f 0 1\n0x1004 f 4 3\n0x1008 f 8 1\n"),
        &runs(&run, &run),
    );
    insta::assert_snapshot!(compared.detail(), @"
    0x1000 f 0: the tracer told of 1 hits, QEMU executed it 2 times
    0x1004 f 4: the tracer told of 3 hits, QEMU executed it 2 times
    0x1008 f 8: the tracer told of 1 hits, QEMU executed it 0 times
    ");
}

#[test]
fn probes_at_one_address_count_for_themselves() {
    let run = [0x1000];
    let compared = compare(&hits("0x1000 f 0 1\n0x1000 g 0 2\n"), &runs(&run, &run));
    assert_eq!(compared.differences.len(), 1);
    assert!(compared.differences[0].starts_with("0x1000 g 0:"));
}

#[test]
fn unprobed_instructions_are_counted() {
    let run = [0x500, 0x1000, 0x1004, 0x1008, 0x1004, 0x8000];
    let compared = compare(&hits("0x1000 f 0 1\n0x1008 f 8 1\n"), &runs(&run, &run));
    assert_eq!(compared.differences, [""; 0]);
    let told = "1 instructions between them had no hit, and were executed 2 times";
    assert!(compared.summary.contains(told), "{}", compared.summary);
}

#[test]
fn other_flow_is_seen_though_counts_agree() {
    let told = hits("0x1000 f 0 1\n0x1004 f 4 1\n0x1008 f 8 1\n");
    let plain = [0x1000, 0x1004, 0x1008];
    let differs = |traced: &[u32]| compare(&told, &runs(&plain, traced)).detail();
    insta::assert_snapshot!(differs(&[0x1000, 0x1008, 0x1004]), @"control flow differs after 0x1000, 1 instructions in: the plain run is at 0x1004, the traced one at 0x1008");
    // Slots and other objects are of no interest, nor is what repeats at once.
    assert_eq!(differs(&[0x1000, 0x7000, 0x1004, 0x1008]), "");
    let repeated = runs(&[0x1000, 0x1004, 0x1004, 0x1008], &plain);
    assert_eq!(compare(&told, &repeated).differences, [""; 0]);
    let short = hits("0x1000 f 0 1\n");
    let shorter = runs(&[0x1000, 0x1004, 0x1000], &[0x1000]);
    assert_eq!(compare(&short, &shorter).differences, [""; 0]);
}

#[test]
fn record_without_two_runs_is_an_error() {
    let error = |offsets: &[u32]| Execution::of(record(offsets)).expect_err("no two runs");
    assert_eq!(error(&[]), "QEMU's record is empty");
    insta::assert_snapshot!(error(&[1, EXIT]), @"QEMU's record is not of two runs: 1 times it has 0x9000, its last instruction");
    insta::assert_snapshot!(error(&[EXIT, 2, EXIT, EXIT]), @"QEMU's record is not of two runs: 3 times it has 0x9000, its last instruction");
}

#[test]
fn addresses_are_offsets_from_where_the_record_starts() {
    let both = [0, EXIT, 0, EXIT];
    let execution = Execution::of(Executed {
        start: 0x2aaa_aaaa_a000,
        offsets: both.to_vec(),
    });
    let execution = execution.expect("two runs");
    let compared = compare(&hits("0x2aaaaaaaa000 f 0 1\n0x1000 g 0 1\n"), &execution);
    insta::assert_snapshot!(compared.detail(), @"0x1000 g 0: the tracer told of 1 hits, QEMU executed it 0 times");
}

#[test]
fn nothing_told_is_a_difference() {
    let compared = compare(&[], &runs(&[0x1000], &[0x1000]));
    assert_eq!(compared.differences, ["the tracer reported no hit"]);
    insta::assert_snapshot!(told("0x1000 f\n").expect_err("no hits"), @"no address, names and hits: 0x1000 f");
    insta::assert_snapshot!(told("0xf0g f 0 1\n").expect_err("no address"), @"no address, names and hits: 0xf0g f 0 1");
}

#[test]
fn runs_may_end_with_what_they_execute_before() {
    let run = [1, EXIT, 2, EXIT];
    let execution = Execution::of(record(&run.repeat(2))).expect("two runs");
    assert_eq!([execution.plain(), execution.traced()], [run; 2]);
}
