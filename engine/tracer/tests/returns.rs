//! Return probes: on which instructions they are, when they fire, and with which arguments.

use crate::fake;

use engine_abi::Description;
use engine_dvm::Builtin;
use engine_isa::arm::{Regs, TRAP};
use engine_tracer::{ConsumerId, Trap};
use fake::program::*;
use fake::*;

/// A program whose clause records `arg0`, `arg1` and `caller`.
fn recording() -> Program {
    let mut program = Program::new();
    program.numbers(3, |d| {
        match d {
            1 | 2 => builtin(d, Builtin::Arg, u32::from(d) - 1),
            _ => builtin(d, Builtin::Caller, 0),
        }
        .to_vec()
    });
    program
}

fn return_of(function: &str) -> Description {
    Description::new(b"fbt", b"", function.as_bytes(), b"return").unwrap()
}

/// Traces a function's return.
fn trace(engine: &Engine, function: &str) -> ConsumerId {
    let id = open_with(engine, &recording());
    assert_eq!(engine.enable(id, &return_of(function), 0), Ok(1));
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

/// The registers at `pc`, with `value` in r0 and a return address in lr.
fn at(pc: usize, value: u32) -> Regs {
    let mut regs = registers(pc);
    regs.r[0] = value;
    regs.r[14] = 0xbeec;
    regs
}

const ZERO: u32 = 1 << 30;

#[test]
fn each_return_is_patched_and_nothing_else() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = trace(&engine, "leaves");
    let patched: Vec<_> = fake
        .image()
        .into_iter()
        .filter(|(_, word)| *word == TRAP)
        .map(|(address, _)| address)
        .collect();
    assert_eq!(patched, [LEAVES + 4, LEAVES + 12]);
    engine.close(id);
    assert_eq!(fake.image(), before);
}

#[test]
fn a_return_records_offset_value_and_caller() {
    let (fake, engine) = engine();
    let id = trace(&engine, "leaves");
    let trap = execute_with(fake, &engine, at(LEAVES + 12, 5));
    assert_eq!(trap, Some(Trap::Resumed));
    assert_eq!(records(&engine, id, 0), [(1, vec![12, 5, 0xbeec])]);
}

#[test]
fn a_conditional_return_fires_only_if_taken() {
    let (fake, engine) = engine();
    let id = trace(&engine, "leaves");
    let mut regs = at(LEAVES + 4, 0);
    assert_eq!(engine.trap(&mut regs, &mut Nowhere), Trap::Resumed);
    assert_eq!(regs.r[15] as usize, LEAVES + 8, "not taken");
    assert_eq!(records(&engine, id, 0), []);
    let mut regs = at(LEAVES + 4, 0);
    regs.cpsr |= ZERO;
    assert_eq!(engine.trap(&mut regs, &mut Nowhere), Trap::Resumed);
    assert_eq!(regs.r[15], 0xbeec, "taken");
    assert_eq!(records(&engine, id, 0), [(1, vec![4, 0, 0xbeec])]);
    let hits: Vec<_> = (0..)
        .map_while(|index| engine.fbt_row(index, |row| row.unwrap().hits))
        .collect();
    assert_eq!(hits.iter().sum::<u64>(), 2, "both count as hits");
    engine.close(id);
    let _ = fake;
}

#[test]
fn a_tail_call_fires_return_without_a_value() {
    let (fake, engine) = engine();
    let id = trace(&engine, "tails");
    execute_with(fake, &engine, at(TAILS + 4, 5));
    assert_eq!(records(&engine, id, 0), [(1, vec![4, 0, 0xbeec])]);
}

#[test]
fn a_one_instruction_function_has_both_probes_at_one_trap() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = trace(&engine, "empty");
    execute_with(fake, &engine, at(EMPTY, 5));
    assert_eq!(records(&engine, id, 0), [(1, vec![0, 5, 0xbeec])]);
    let both = open(&engine);
    let any = Description::new(b"fbt", b"", b"empty", b"").unwrap();
    assert_eq!(engine.enable(both, &any, 0), Ok(2));
    assert_eq!(go(&engine, both, 0), Ok(0));
    execute_with(fake, &engine, at(EMPTY, 6));
    assert_eq!(drain(&engine, both, 0), [1, 2], "entry before return");
    assert_eq!(records(&engine, id, 0), [(1, vec![0, 6, 0xbeec])]);
    engine.close(id);
    assert_eq!(fake.read(EMPTY), TRAP);
    engine.close(both);
    assert_eq!(fake.image(), before);
}

#[test]
fn the_walk_sees_original_text_under_traps() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "leaves").unwrap();
    go(&engine, id, 0).unwrap();
    assert_eq!(fake.read(LEAVES), TRAP);
    trace(&engine, "leaves");
    let sites = [LEAVES + 4, LEAVES + 12].map(|address| fake.read(address));
    assert_eq!(sites, [TRAP; 2]);
}

#[test]
fn the_walk_sees_original_text_under_kprobes() {
    const KPROBE: u32 = 0xe7f0_01f8;
    for (at, displaced, matches) in [(LEAVES, 0xe350_0000, 1), (LEAVES + 12, 0xe12f_ff1e, 0)] {
        let (fake, engine) = engine();
        fake.write(at, KPROBE);
        fake.kprobes.lock().unwrap().insert(at, displaced);
        let id = open(&engine);
        assert_eq!(engine.enable(id, &return_of("leaves"), 0), Ok(matches));
        fake.write(at, displaced);
        fake.kprobes.lock().unwrap().clear();
        let again = open(&engine);
        assert_eq!(engine.enable(again, &return_of("leaves"), 0), Ok(1));
    }
}

#[test]
fn a_cold_part_belongs_to_its_function() {
    let (fake, engine) = engine();
    let id = trace(&engine, "split");
    execute_with(fake, &engine, at(SPLIT_COLD + 4, 6));
    let offset = (SPLIT_COLD + 4 - SPLIT) as u64;
    assert_eq!(records(&engine, id, 0), [(1, vec![offset, 6, 0xbeec])]);
    assert_ne!(
        fake.read(SPLIT + 4),
        TRAP,
        "the branch to the cold part is no return"
    );
}

#[test]
fn functions_without_return_or_with_unprobable_ones_are_refused() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = open(&engine);
    for function in ["stays", "half", "forbidden", "alpha.cold", "vanished"] {
        assert_eq!(
            engine.enable(id, &return_of(function), 0),
            Ok(0),
            "{function}"
        );
    }
    assert_eq!(go(&engine, id, 0), Ok(0));
    assert_eq!(fake.image(), before);
    let refused: Vec<_> = (0..)
        .map_while(|index| {
            engine.refused_row(index, |row| {
                let row = row.filter(|row| row.name == b"return")?;
                Some((row.address, row.reason.word()))
            })
        })
        .flatten()
        .collect();
    let expected = [
        (FORBIDDEN, "blacklisted"),
        (COLD, "part"),
        (STAYS, "stays"),
        (HALF, "rewritten"),
        (VANISHED, "endless"),
    ];
    assert_eq!(refused, expected);
}

#[test]
fn all_sites_are_patched_in_one_stop() {
    let (_, engine) = engine();
    let id = open(&engine);
    let all = Description::new(b"fbt", b"", b"", b"").unwrap();
    let matched = engine.enable(id, &all, 0).unwrap();
    assert!(matched > 15, "{matched}");
    STOPS.set(0);
    assert_eq!(go(&engine, id, 0), Ok(0));
    assert_eq!(STOPS.get(), 1);
    engine.close(id);
    assert_eq!(STOPS.get(), 2);
}

/// Another patcher may change a function between the analysis of its entry and that of its returns.
#[test]
fn an_armed_entry_that_becomes_a_loop_is_still_restored() {
    let (fake, engine) = engine();
    // mov r0, #5; mov r0, #6 (a disabled jump label); bx lr
    fake.write(TAILS + 4, MOV_6);
    fake.extend(TAILS + 8, 0xe12f_ff1e);
    let before = fake.image()[&TAILS];
    let id = open(&engine);
    assert_eq!(enable(&engine, id, "tails"), Ok(1));
    assert_eq!(go(&engine, id, 0), Ok(0));
    assert_eq!(fake.read(TAILS), TRAP);
    // The jump label is enabled: a branch back to the first instruction.
    fake.write(TAILS + 4, branch(TAILS + 4, TAILS));
    let other = open(&engine);
    engine.enable(other, &return_of("tails"), 0).unwrap();
    engine.close(other);
    assert_eq!(execute(fake, &engine, TAILS), Some(Trap::Resumed));
    assert_eq!(drain(&engine, id, 0), [1]);
    engine.close(id);
    assert_eq!(fake.read(TAILS), before);
}
