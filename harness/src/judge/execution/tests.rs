use super::*;

const EXIT: u64 = 0x9000;

/// QEMU's log of these instructions.
fn log(addresses: &[u64]) -> String {
    let line = |it: &u64| {
        format!("Trace 0: 0x7fb5d8011dc0 [0000000000000000/{it:016x}/0040c0b3/ff020201] \n")
    };
    addresses.iter().map(line).collect()
}

/// The log of both runs, each with its exit.
fn runs(plain: &[u64], traced: &[u64]) -> Execution {
    let text = log(&[plain, &[EXIT], traced, &[EXIT]].concat());
    Execution::read(text.as_bytes()).expect("two runs")
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
    insta::assert_snapshot!(compared.summary, @"2 probes at 2 instructions, 3 hits; 0 instructions between them were executed without a probe, 0 times; 5 and 5 lines of QEMU's log");
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
    let told = "1 instructions between them were executed without a probe, 2 times";
    assert!(compared.summary.contains(told), "{}", compared.summary);
}

#[test]
fn other_flow_is_seen_though_counts_agree() {
    let told = hits("0x1000 f 0 1\n0x1004 f 4 1\n0x1008 f 8 1\n");
    let plain = [0x1000, 0x1004, 0x1008];
    let differs = |traced: &[u64]| compare(&told, &runs(&plain, traced)).detail();
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
fn interrupted_instruction_is_logged_once_more() {
    let stop = "Stopped execution of TB chain before 0x7fb5d8011dc0 [0000000000001004] \n";
    let [before, after] = [
        log(&[0x1000, 0x1004]),
        log(&[0x1004, EXIT, 0x1000, 0x1004, EXIT]),
    ];
    let execution = Execution::read(format!("{before}{stop}{after}").as_bytes());
    let execution = execution.expect("two runs");
    assert_eq!(execution.plain, [0x1000, 0x1004, EXIT]);
    assert_eq!(execution.traced, [0x1000, 0x1004, EXIT]);
}

#[test]
fn log_without_two_runs_is_an_error() {
    let error = |text: &str| Execution::read(text.as_bytes()).expect_err("no two runs");
    assert_eq!(
        error("qemu: words [of another kind]\n"),
        "QEMU's log is empty"
    );
    insta::assert_snapshot!(error(&log(&[1, EXIT])), @"QEMU's log has 1 runs instead of two: so often it has 0x9000, its last instruction");
    insta::assert_snapshot!(error(&log(&[EXIT, 2, EXIT, EXIT])), @"QEMU's log has 3 runs instead of two: so often it has 0x9000, its last instruction");
}

#[test]
fn nothing_told_is_a_difference() {
    let compared = compare(&[], &runs(&[0x1000], &[0x1000]));
    assert_eq!(compared.differences, ["the tracer reported no hit"]);
    insta::assert_snapshot!(told("0x1000 f\n").expect_err("no hits"), @"no address, names and hits: 0x1000 f");
    insta::assert_snapshot!(told("0xf0g f 0 1\n").expect_err("no address"), @"no address, names and hits: 0xf0g f 0 1");
}
