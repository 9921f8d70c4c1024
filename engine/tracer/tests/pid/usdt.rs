//! Probes that a program itself names.

use super::*;

use engine_abi::{
    IN_MEMORY, INDEX_IS_SIGNED, INDEX_IS_WORD, IS_SIGNED, NO_REGISTER, Operand, PidRange, PidSite,
};

const NOP: u32 = 0xe320_f000;
/// Two functions with three sites, and data: a word with two counters, and one to read.
const F: usize = 0x50_0000;
const G: usize = 0x50_1000;
const DATA: usize = 0x50_2000;
const OTHER: usize = 0x50_3000;
const COUNTS: [usize; 2] = [DATA, DATA + 2];

fn with_program() -> (&'static Fake, Engine) {
    let (fake, engine) = engine();
    fake.create(
        PID,
        &[
            (F, NOP),
            (F + 4, NOP),
            (G, NOP),
            (DATA, 0),
            (DATA + 4, 0x8765_4321),
            (OTHER, 0xffff_0000),
        ],
    );
    (fake, engine)
}

fn site(name: &str, function: usize, address: usize) -> PidSite {
    let own = if function == F { "f" } else { "g" };
    let names = [b"py", &b"lib.so"[..], own.as_bytes(), name.as_bytes()];
    let description = Description::new(names[0], names[1], names[2], names[3]).unwrap();
    PidSite {
        function: function as u64,
        size: 8,
        ..PidSite::new(PID, description, address as u64)
    }
}

fn with_operands(mut request: PidSite, operands: &[Operand]) -> PidSite {
    request.count = operands.len() as u32;
    request.operands[..operands.len()].copy_from_slice(operands);
    request
}

fn with_semaphore(request: PidSite, address: usize) -> PidSite {
    PidSite {
        semaphore: address as u64,
        ..request
    }
}

fn register(number: u8) -> Operand {
    Operand {
        base: number,
        ..Operand::constant(0)
    }
}

/// A consumer with these probes, which are enabled but not armed.
fn open(engine: &Engine, requests: &[PidSite]) -> ConsumerId {
    let id = open_with(engine, &recording());
    for request in requests {
        let created = engine.pid_site(id, request).unwrap();
        assert_eq!((created.provided, created.refused), (1, 0));
    }
    id
}

fn enable_all(engine: &Engine, id: ConsumerId) -> Result<u32, Error> {
    engine.enable(id, &Description::new(b"py77", b"", b"", b"").unwrap(), 0)
}

/// A consumer that traces these probes, of which there are so many.
fn trace_sites(engine: &Engine, requests: &[PidSite], probes: u32) -> ConsumerId {
    let id = open(engine, requests);
    assert_eq!(enable_all(engine, id), Ok(probes));
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

fn counts(fake: &Fake) -> [u32; 2] {
    fake.process(PID, |process| {
        let word = process.text[&DATA];
        [word & 0xffff, word >> 16]
    })
}

fn hit(fake: &Fake, engine: &Engine, pc: usize) {
    let mut regs = at(pc, 0, 0);
    assert_eq!(fake.run(engine, PID, &mut regs), Some(Trap::Resumed));
}

/// The arguments that a hit records.
fn arguments(operands: [Operand; 2]) -> [u64; 2] {
    let (fake, engine) = with_program();
    let id = trace_sites(&engine, &[with_operands(site("s", F, F), &operands)], 1);
    hit(fake, &engine, F);
    let [both] = &fields(&engine, id)[..] else {
        panic!("one record")
    };
    [both[0], both[1]]
}

#[test]
fn a_probe_has_its_provider_with_the_process_and_its_function() {
    let (fake, engine) = with_program();
    let requests = [site("a", F, F), site("b", F, F + 4), site("b", G, G)];
    let id = trace_sites(&engine, &requests, 3);
    let all = Description::new(b"py77", b"lib.so", b"", b"").unwrap();
    let mut described = Vec::new();
    let mut next = 1;
    while let Ok((id, description)) = engine.probe_match(&all, next) {
        described.push(description.to_string());
        next = id + 1;
    }
    assert_eq!(
        described,
        ["py77:lib.so:f:a", "py77:lib.so:f:b", "py77:lib.so:g:b"]
    );
    assert_eq!(traps(fake, PID), [F, F + 4, G]);
    engine.close(id);
    assert_eq!(traps(fake, PID), []);
}

/// A probe that has two sites, of which the second one is added when another probe exists.
#[test]
fn sites_of_one_name_are_one_probe() {
    let (fake, engine) = with_program();
    let requests = [
        with_operands(site("a", F, F), &[register(1)]),
        with_operands(site("b", F, F), &[register(2)]),
        with_operands(site("a", F, F + 4), &[register(3)]),
    ];
    let again = site("a", F, F + 4);
    let requests = [requests[0], requests[1], requests[2], again];
    let id = trace_sites(&engine, &requests, 2);
    hit(fake, &engine, F + 4);
    hit(fake, &engine, F);
    assert_eq!(fields(&engine, id), [[1003, 0], [1001, 0], [1002, 0]]);
}

#[test]
fn providers_whose_names_begin_alike_are_two() {
    let (fake, engine) = with_program();
    let other = Description::new(b"p", b"lib.so", b"f", b"a").unwrap();
    let other = PidSite {
        description: other,
        ..site("a", F, F + 4)
    };
    let id = trace_sites(&engine, &[site("a", F, F), other], 1);
    assert_eq!(traps(fake, PID), [F]);
    engine.close(id);
}

#[test]
fn arguments_are_registers_constants_and_sums() {
    assert_eq!(
        arguments([register(0), Operand::constant(-7)]),
        [1000, -7i64 as u64]
    );
    let sum = Operand {
        index: 2,
        scale: 3,
        displacement: -4,
        ..register(1)
    };
    assert_eq!(arguments([sum, register(15)]), [1001 + 8 * 1002 - 4, 1015]);
    let pair = Operand {
        index: 3,
        scale: 32,
        ..register(2)
    };
    let word = |flags| Operand {
        index: 0,
        flags: INDEX_IS_WORD | flags,
        ..Operand::constant(7)
    };
    assert_eq!(
        arguments([pair, word(INDEX_IS_SIGNED)]),
        [1003 << 32 | 1002, 1007]
    );
}

#[test]
fn arguments_are_cut_to_their_size() {
    let size = |size, flags, shift| Operand {
        size,
        flags,
        shift,
        ..Operand::constant(0x8765_c3a1)
    };
    assert_eq!(
        arguments([size(1, 0, 0), size(1, IS_SIGNED, 0)]),
        [0xa1, -0x5fi64 as u64]
    );
    assert_eq!(
        arguments([size(1, 0, 8), size(2, IS_SIGNED, 0)]),
        [0xc3, -0x3c5fi64 as u64]
    );
    assert_eq!(
        arguments([size(4, 0, 0), size(4, IS_SIGNED, 0)]),
        [0x8765_c3a1, !0x789a_3c5e]
    );
    assert_eq!(
        arguments([size(8, 0, 0), size(8, IS_SIGNED, 0)]),
        [0x8765_c3a1; 2]
    );
}

/// Memory that is not there reads as 0.
#[test]
fn arguments_are_in_memory() {
    let at = |displacement: usize, size, flags| Operand {
        displacement: displacement as i64,
        size,
        flags: IN_MEMORY | flags,
        ..Operand::constant(0)
    };
    let words = [at(DATA + 4, 4, 0), at(DATA + 4, 2, 0)];
    assert_eq!(arguments(words), [0x8765_4321, 0x4321]);
    let based = Operand {
        base: 1,
        ..at(DATA + 4 - 1001, 4, IS_SIGNED)
    };
    assert_eq!(arguments([based, at(0, 4, 0)]), [0xffff_ffff_8765_4321, 0]);
}

#[test]
fn a_semaphore_is_raised_by_one_while_any_of_its_probes_is_armed() {
    let (fake, engine) = with_program();
    let requests = [
        with_semaphore(site("a", F, F), COUNTS[0]),
        with_semaphore(site("b", F, F + 4), COUNTS[0]),
        with_semaphore(site("c", G, G), COUNTS[1]),
    ];
    let first = open(&engine, &requests);
    assert_eq!(counts(fake), [0, 0], "not before it is armed");
    assert_eq!(enable_all(&engine, first), Ok(3));
    assert_eq!(go(&engine, first, 0), Ok(0));
    assert_eq!(counts(fake), [1, 1]);
    let second = open(&engine, &requests);
    let only = Description::new(b"py77", b"", b"", b"a").unwrap();
    assert_eq!(engine.enable(second, &only, 0), Ok(1));
    assert_eq!(go(&engine, second, 0), Ok(0));
    assert_eq!(counts(fake), [1, 1]);
    engine.close(first);
    assert_eq!(counts(fake), [1, 0]);
    // Another tracer counts, too.
    fake.process(PID, |process| *process.text.get_mut(&DATA).unwrap() += 3);
    engine.close(second);
    assert_eq!(counts(fake), [3, 0]);
}

#[test]
fn a_probe_whose_semaphore_cannot_be_raised_is_not_armed() {
    let (fake, engine) = with_program();
    for address in [OTHER + 2, OTHER + 4] {
        let id = open(&engine, &[with_semaphore(site("a", F, F), address)]);
        assert_eq!(enable_all(&engine, id), Ok(1));
        assert_eq!(go(&engine, id, 0), Ok(1), "unarmed");
        engine.close(id);
        assert_eq!(traps(fake, PID), []);
    }
}

/// The process ends, and another one has its ID.
#[test]
fn a_semaphore_of_a_process_that_is_gone_is_not_lowered() {
    let (fake, engine) = with_program();
    let requests = [with_semaphore(site("a", F, F), COUNTS[0])];
    let id = trace_sites(&engine, &requests, 1);
    fake.exit(PID);
    engine.processes_gone();
    fake.create(PID, &[(F, NOP), (DATA, 5)]);
    let other = trace_sites(&engine, &requests, 1);
    assert_eq!(counts(fake), [6, 0]);
    engine.close(id);
    assert_eq!(counts(fake), [6, 0]);
    engine.close(other);
    assert_eq!(counts(fake), [5, 0]);
}

/// It is lowered when anything is armed or disarmed again.
#[test]
fn a_semaphore_that_cannot_be_lowered_keeps_the_engine_loaded() {
    let (fake, engine) = with_program();
    let requests = [with_semaphore(site("a", F, F), COUNTS[0])];
    let id = trace_sites(&engine, &requests, 1);
    assert!(!PINNED.get());
    NOT_COUNTED.set(true);
    engine.close(id);
    assert_eq!((counts(fake), traps(fake, PID)), ([1, 0], vec![]));
    assert!(PINNED.get());
    NOT_COUNTED.set(false);
    engine.close(engine.open().unwrap());
    assert_eq!(counts(fake), [0, 0]);
    assert!(!PINNED.get());
}

/// An object is unmapped, and mapped again at the same address with counters that are 0.
#[test]
fn a_semaphore_is_raised_again_where_an_object_is_mapped_again() {
    let (fake, engine) = with_program();
    let requests = [with_semaphore(site("a", F, F), COUNTS[0])];
    let id = trace_sites(&engine, &requests, 1);
    fake.process(PID, |process| {
        process.text.insert(F, NOP);
        process.text.insert(DATA, 0);
    });
    let range = PidRange {
        address: F as u64,
        size: 0x2000,
        pid: PID,
        reserved: 0,
    };
    engine.pid_unmapped(id, &range).unwrap();
    assert_eq!(engine.pid_site(id, &requests[0]).unwrap().provided, 1);
    assert_eq!(enable_all(&engine, id), Ok(1));
    let mut arm = engine_abi::PidArm {
        arm: 1,
        ..Default::default()
    };
    engine.pid_arm(id, &mut arm).unwrap();
    assert_eq!((traps(fake, PID), counts(fake)), (vec![F], [1, 0]));
    engine.close(id);
    assert_eq!((traps(fake, PID), counts(fake)), (vec![], [0, 0]));
}

#[test]
fn a_request_that_makes_no_sense_is_refused() {
    let (_, engine) = with_program();
    let id = open(&engine, &[]);
    let named = |provider: &[u8]| PidSite {
        description: Description::new(provider, b"lib.so", b"f", b"a").unwrap(),
        ..site("a", F, F)
    };
    let operand = |operand| with_operands(site("a", F, F), &[operand]);
    let wrong = [
        named(b""),
        named(b"pid"),
        named(&[b'p'; 54]),
        with_semaphore(site("a", F, F), DATA + 1),
        PidSite {
            count: 13,
            ..site("a", F, F)
        },
        operand(Operand {
            size: 3,
            ..register(0)
        }),
        operand(Operand {
            scale: 33,
            ..register(0)
        }),
        operand(Operand {
            shift: 64,
            ..register(0)
        }),
        operand(Operand {
            flags: 16,
            ..register(0)
        }),
        operand(Operand {
            reserved: 1,
            ..register(0)
        }),
    ];
    for request in wrong {
        assert_eq!(
            engine.pid_site(id, &request),
            Err(Error::Invalid),
            "{request:?}"
        );
    }
    let unread = engine.pid_site(id, &site("a", F, 0x60_0000)).unwrap();
    assert_eq!(
        (unread.refused, unread.reason),
        (1, Some(Reason::Unreadable))
    );
    let none = register(NO_REGISTER);
    assert_eq!(engine.pid_site(id, &operand(none)).unwrap().provided, 1);
}
