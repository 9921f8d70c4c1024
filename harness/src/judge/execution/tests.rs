use super::*;

const EXIT: u32 = 0x9000;

/// QEMU's record of these instructions.
fn record(offsets: &[u32]) -> Executed {
    Executed::of(0, offsets.iter().copied())
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
    let executed = Executed::of(0x2aaa_aaaa_a000, both);
    let execution = Execution::of(executed).expect("two runs");
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

/// An entry of an instruction in an IT block.
const THEN: u32 = 1 << 30;
const ELSE: u32 = 1 << 31;

#[test]
fn conditional_instructions_may_be_passed_over() {
    // it; movne, a second time without effect; ittee; and its four.
    let plain = [
        0x10,
        0x12 | THEN,
        0x10,
        0x12 | THEN,
        0x20,
        0x22 | THEN,
        0x24 | THEN,
        0x26 | ELSE,
        0x28 | ELSE,
    ];
    let traced = [0x10, 0x12, 0x10, 0x12, 0x20, 0x22, 0x24, 0x26, 0x28];
    let execution = runs(&plain, &traced);
    assert_eq!(execution.traced()[..9], traced);
    let differs = |lines: &str| compare(&hits(lines), &execution).detail();
    assert_eq!(
        differs("0x10 f 0 2\n0x12 f 2 1\n0x20 f 10 1\n0x26 f 16 1\n"),
        ""
    );
    // Only one arm is hit, or has a probe.
    assert_eq!(differs("0x22 f 12 1\n0x24 f 14 1\n"), "");
    insta::assert_snapshot!(differs("0x10 f 0 1\n0x12 f 2 3\n"), @"
    0x10 f 0: the tracer told of 1 hits, QEMU executed it 2 times
    0x12 f 2: the tracer told of 3 hits, QEMU executed it 2 times
    ");
    insta::assert_snapshot!(differs("0x22 f 12 1\n0x28 f 18 1\n"), @"0x22 and 0x28 are the arms of an IT block: the tracer told of 1 and 1 hits, QEMU executed it 1 times");
}

/// An entry of an exclusive store.
const STORE: u32 = 3 << 30;

#[test]
fn an_exclusive_store_may_fail() {
    // ldrex; strex; cmp; bne; and what follows.
    let round = [0x1000, 0x1004 | STORE, 0x1008, 0x100c];
    let plain = [&round[..], &[0x1010]].concat();
    let retried = [&round[..], &round[..], &round[..], &[0x1010]].concat();
    let differs =
        |lines: &str, traced: &[u32]| compare(&hits(lines), &runs(&plain, traced)).detail();
    let three = "0x1000 f 0 3\n0x1008 f 8 3\n0x1010 f 10 1\n";
    assert_eq!(differs(three, &retried), "");
    let lost = "0x1000 f 0 3\n0x1008 f 8 2\n0x1010 f 10 1\n";
    insta::assert_snapshot!(differs(lost, &retried), @"0x1008 f 8: the tracer told of 2 hits, QEMU executed it 3 times");
    // More often than threads are interrupted.
    let often = [&round.repeat(20)[..], &[0x1010]].concat();
    let twenty = "0x1000 f 0 20\n0x1008 f 8 20\n0x1010 f 10 1\n";
    insta::assert_snapshot!(differs(twenty, &often), @"loops around exclusive stores were repeated 0 times in the plain run, 19 times in the traced one");
    // Left in between.
    let left = [&round[..], &[0x2000], &plain].concat();
    let twice = "0x1000 f 0 2\n0x1008 f 8 2\n0x1010 f 10 1\n0x2000 g 0 1\n";
    insta::assert_snapshot!(differs(twice, &left), @"control flow differs after 0x1008, 2 instructions in: the plain run is at 0x1010, the traced one at 0x2000");
    // Repeated without the store.
    let other = [&[0x1000, 0x1008][..], &plain].concat();
    let twice = "0x1000 f 0 2\n0x1008 f 8 2\n0x1010 f 10 1\n";
    insta::assert_snapshot!(differs(twice, &other), @"control flow differs after 0x1008, 2 instructions in: the plain run is at 0x1010, the traced one at 0x1000");
}
