//! The short ways of firings that only count or record.

use super::*;

/// Runs a program in which each instruction of `look` is counted, by these clauses.
fn look_through(clauses: &str) {
    const LOOKS: usize = 128;
    let folder = folder();
    let program = build(&folder, "flags", "-O1");
    let plain = Command::new(&program).output().unwrap();
    assert_eq!(plain.stdout.split(|it| *it == b'\n').count(), LOOKS + 1);
    let all = format!("pid$target:a.out:look:{clauses}");
    let (output, traced) = trace(&folder, &all, program.to_str().unwrap());
    let [output, plain] = [output, plain].map(|it| String::from_utf8(it.stdout).unwrap());
    assert_eq!(output, plain);
    let counts: Vec<_> = traced.lines().filter(|line| !line.is_empty()).collect();
    let is_counted = |line: &&str| line.ends_with(&format!(" {LOOKS}"));
    // 13 instructions, an entry and a return.
    assert_eq!(counts.len(), 15, "{traced}");
    assert!(counts.iter().all(is_counted), "{traced}");
}

#[test]
fn a_count_changes_neither_flags_nor_registers() {
    // Its program is in assembly.
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    look_through("{ @[probename] = count(); }");
    // What has more to do than to count.
    look_through("{ @[probename] = count(); this->x = timestamp; }");
}

#[test]
fn a_record_changes_neither_flags_nor_registers() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let folder = folder();
    let program = build(&folder, "flags", "-O1");
    let plain = Command::new(&program).output().unwrap();
    let recorded = "pid$target:a.out:look: { printf(\"%d %d\\n\", id, timestamp); }";
    let (output, traced) = trace(&folder, recorded, program.to_str().unwrap());
    assert_eq!(output.stdout, plain.stdout);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, _) in traced.lines().filter_map(|line| line.split_once(' ')) {
        *counts.entry(id).or_default() += 1;
    }
    let counts: Vec<usize> = counts.into_values().collect();
    assert_eq!(counts, [128; 15]);
}

/// Which of its agent's functions, by their place, the jump at a function's entry leads to under a clause.
fn entrance(clause: &str) -> u64 {
    let folder = folder();
    let program = build(&folder, "loop", "-O0");
    let file = folder.path().join("traced");
    let all =
        format!("BEGIN {{ printf(\"%d\\n\", $target); }} pid$target:a.out:work:entry {clause}");
    let mut command = dtrace(&all);
    command.arg("-o").arg(&file).arg("-c").arg(&program);
    let mut command = command.args(["-x", "switchrate=10ms"]).spawn().unwrap();
    let pid = || fs::read_to_string(&file).ok()?.lines().next()?.parse().ok();
    wait_until(|| pid().is_some());
    let pid: u32 = pid().unwrap();
    let (jumps, _) = patched(pid);
    let memory = fs::File::open(format!("/proc/{pid}/mem")).unwrap();
    // Where a jump or a call of these last four bytes goes.
    let target = |at: u64| {
        let mut distance = [0; 4];
        memory.read_exact_at(&mut distance, at).unwrap();
        (at + 4).wrapping_add_signed(i32::from_le_bytes(distance).into())
    };
    // The red zone is skipped, and one of the region's gates is called.
    const SKIP: [u8; 6] = [0x48, 0x8d, 0x64, 0x24, 0x80, 0xe8];
    let gates = jumps.into_iter().filter_map(|jump| {
        let detour = target(jump + 1);
        let mut code = [0; SKIP.len()];
        memory.read_exact_at(&mut code, detour).unwrap();
        (code == SKIP).then(|| target(detour + SKIP.len() as u64) % 4096)
    });
    let gates: Vec<u64> = gates.collect();
    command.kill().unwrap();
    command.wait().unwrap();
    assert_eq!(gates.len(), 1, "{clause}");
    gates[0]
}

/// The compiler may have the agent's code use what is not saved there: then the agent tells, and takes the
/// long way.
#[test]
fn what_is_only_recorded_goes_the_short_way() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    const FIRES: u64 = 0;
    const RECORDS: u64 = 32;
    for (clause, expected) in [
        ("{ trace(timestamp); }", RECORDS),
        ("{ printf(\"%d %d %d %x\", pid, tid, id, arg0); }", RECORDS),
        ("{ }", RECORDS),
        ("{ this->x = timestamp; }", FIRES),
        ("/ arg0 > 1 / { trace(timestamp); }", FIRES),
        ("{ trace(timestamp); } pid$target:a.out:work:0 { }", FIRES),
    ] {
        assert_eq!(entrance(clause), expected, "{clause}");
    }
}

/// The records of `recorded.c`, by the function and in order; and its numbers of signals and times.
fn record_with(
    clauses: &str,
    options: &[&str],
) -> (BTreeMap<String, Vec<Vec<u64>>>, [u64; 3], String) {
    let folder = folder();
    let program = build(&folder, "recorded", "-O2");
    let file = folder.path().join("traced");
    let output = dtrace(clauses)
        .args(options)
        .arg("-o")
        .arg(&file)
        .args(["-c", program.to_str().unwrap()])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let said: Vec<u64> = said
        .split_whitespace()
        .map(|it| it.parse().unwrap())
        .collect();
    assert_eq!(said[0], 0, "arguments and results are the program's own");
    let mut records: BTreeMap<String, Vec<Vec<u64>>> = BTreeMap::new();
    for line in fs::read_to_string(file)
        .unwrap()
        .lines()
        .filter(|line| !line.is_empty())
    {
        let mut words = line.split(' ');
        let name = words.next().unwrap().to_owned();
        let numbers = words.map(|word| word.parse().unwrap()).collect();
        records.entry(name).or_default().push(numbers);
    }
    records.values_mut().for_each(|it| it.sort());
    let errors = String::from_utf8(output.stderr).unwrap();
    (records, [said[1], said[2], said[3]], errors)
}

/// What a firing only records is the same as that of one that does more, and as many while signals
/// interrupt it whose handlers fire, too.
#[test]
fn records_are_those_of_any_other_clause() {
    let of = |more: &str| {
        format!(
            "pid$target:a.out:work:entry {{ {more} printf(\"work %d %d %d\\n\", arg0, arg1, tid); }}
             pid$target:a.out:work:return {{ {more} printf(\"back %d %d %d\\n\", arg1, arg2, pid); }}
             pid$target:a.out:tiny:entry {{ {more} printf(\"tiny %d %d\\n\", (int)arg0, timestamp); }}"
        )
    };
    for more in ["", "this->x = 1;"] {
        let (records, [handled, begun, ended], errors) =
            record_with(&of(more), &["-x", "bufsize=16m"]);
        assert_eq!(errors, "", "{more}");
        // Its one thread has the ID of the process.
        let id = records["work"][0][2];
        let work: Vec<Vec<u64>> = (0..50_000).map(|it| vec![it, 2 * it, id]).collect();
        let back: Vec<Vec<u64>> = (0..50_000).map(|it| vec![3 * it, 0, id]).collect();
        assert!(records["work"] == work && records["back"] == back, "{more}");
        assert!(handled > 10);
        let tiny = &records["tiny"];
        assert_eq!(tiny.len() as u64, handled, "{more}");
        assert!(
            (0..).zip(tiny).all(|(number, it)| it[0] == number),
            "{more}"
        );
        let is_then = |it: &Vec<u64>| (begun..=ended).contains(&it[1]);
        assert!(tiny.iter().all(is_then), "{more}");
    }
}

/// What a full buffer has no room for is counted, and what is recorded is whole.
#[test]
fn records_without_room_are_counted() {
    let clauses = "pid$target:a.out:work:entry { printf(\"work %d %d\\n\", arg0, arg1); }";
    let (records, _, errors) = record_with(clauses, &["-x", "bufsize=4k", "-x", "switchrate=1hz"]);
    let dropped = errors.lines().filter_map(|line| {
        let (count, _) = line.strip_prefix("dtrace: ")?.split_once(" drop")?;
        count.parse::<usize>().ok()
    });
    let dropped: usize = dropped.sum();
    let kept = &records["work"];
    assert!(dropped > 0 && kept.iter().all(|it| it[1] == 2 * it[0]));
    assert_eq!(kept.len() + dropped, 50_000, "{errors}");
    // A ring has the last ones.
    let ring = ["-x", "bufsize=4k", "-x", "bufpolicy=ring"];
    let (records, _, errors) = record_with(clauses, &ring);
    let kept = &records["work"];
    assert!(
        kept.len() < 1000 && kept.last().unwrap()[0] == 49_999,
        "{errors}"
    );
    let fill = ["-x", "bufsize=4k", "-x", "bufpolicy=fill"];
    let (records, _, errors) = record_with(clauses, &fill);
    let kept = &records["work"];
    assert!(kept.len() < 1000 && kept[0] == [0, 0], "{errors}");
}
