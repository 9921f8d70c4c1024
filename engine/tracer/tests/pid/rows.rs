//! `/proc/dtrace/fasttrap`.

use super::*;

/// A row's offset, ECBs, hits and plan.
type Row = (usize, u32, u64, &'static str);

fn rows(engine: &Engine) -> Vec<Row> {
    let row = |index| {
        engine.fasttrap_row(index, |row| {
            let row = row?;
            assert_eq!((row.process, row.address), (PID, MAIN + row.offset));
            assert_eq!([row.module, row.function], [&b"a.out"[..], b"main"]);
            assert_eq!(row.armed, row.ecbs > 0);
            let (_, word) = TEXT[row.offset / 4];
            assert_eq!(row.instruction, word.to_le_bytes());
            Some((row.offset, row.ecbs, row.hits, row.plan))
        })
    };
    (0..).map_while(row).flatten().collect()
}

#[test]
fn each_site_has_a_row() {
    let (fake, engine) = with_process();
    assert_eq!(rows(&engine), []);
    let id = trace(&engine, "entry");
    let mut regs = at(MAIN, 0, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!(rows(&engine), [(0, 1, 1, "emulate")]);
    // The hits are in a table that is replaced.
    let other = trace(&engine, "");
    let mut regs = at(MAIN, 0, 0);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    let all = [
        (0, 3, 2, "emulate"),
        (8, 2, 0, "emulate"),
        (16, 2, 0, "emulate"),
        (4, 1, 0, "relocate"),
        (12, 1, 0, "relocate"),
    ];
    assert_eq!(rows(&engine), all);
    engine.close(other);
    let all = all.map(|(offset, _, hits, plan)| (offset, u32::from(offset == 0), hits, plan));
    assert_eq!(rows(&engine), all, "sites remain, unarmed");
    engine.close(id);
    assert_eq!(rows(&engine), []);
}

#[test]
fn a_process_that_is_gone_has_no_rows() {
    let (fake, engine) = with_process();
    let id = trace(&engine, "");
    fake.exit(PID);
    engine.processes_gone();
    assert_eq!(rows(&engine), []);
    fake.create(PID, &TEXT);
    let other = trace(&engine, "entry");
    assert_eq!(rows(&engine), [(0, 1, 0, "emulate")]);
    engine.close(other);
    engine.close(id);
}

/// Function, probe, offset from `main`, and the word of the reason.
type RefusedAs = (String, String, usize, &'static str);

fn refused(engine: &Engine) -> Vec<RefusedAs> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let row = |index| {
        engine.refused_row(index, |row| {
            let row = row.filter(|row| row.process != 0)?;
            assert_eq!((row.process, row.module), (PID, &b"a.out"[..]));
            let (function, name) = (text(row.function), text(row.name));
            Some((function, name, row.address - MAIN, row.reason.word()))
        })
    };
    (0..).map_while(row).flatten().collect()
}

fn ask(engine: &Engine, id: ConsumerId, name: &str, size: u64) {
    let mut asked = request(PID, name);
    asked.size = size;
    engine.pid_probes(id, &asked).unwrap();
}

#[test]
fn refusals_are_kept_once_and_outlive_the_consumer() {
    let (_, engine) = with_process();
    let before = stat(&engine, "refused");
    let id = open_with(&engine, &recording());
    for _ in 0..2 {
        ask(&engine, id, "2", SIZE);
        ask(&engine, id, "14", SIZE + 4);
        ask(&engine, id, "", 0);
        ask(&engine, id, "return", 4096);
    }
    engine.close(id);
    let row = |name: &str, at, word| ("main".to_owned(), name.to_owned(), at, word);
    let expected = [
        row("2", 0, "offset"),
        row("14", 20, refused(&engine)[1].3),
        row("*", 0, "endless"),
        row("return", 0, "unreadable"),
    ];
    assert_eq!(refused(&engine), expected);
    assert_eq!(stat(&engine, "process_refused"), 4);
    assert_eq!(stat(&engine, "process_refused_left_out"), 0);
    assert_eq!(stat(&engine, "refused"), before, "those of the kernel");
}

#[test]
fn the_last_refusals_are_kept_and_the_others_counted() {
    let (_, engine) = with_process();
    let id = open_with(&engine, &recording());
    for number in 0..600 {
        ask(&engine, id, &format!("x{number}"), SIZE);
    }
    let kept = refused(&engine);
    let names: Vec<_> = kept.iter().map(|(_, name, ..)| name.as_str()).collect();
    let expected: Vec<_> = (88..600).map(|number| format!("x{number}")).collect();
    assert_eq!(names, expected);
    assert_eq!(stat(&engine, "process_refused_left_out"), 88);
    engine.close(id);
}
