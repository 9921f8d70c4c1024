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
