//! How much work it is to create probes and to find a site, in places that are looked at.

use std::format;
use std::vec::Vec;

use engine_abi::{Description, PidProbes};
use engine_isa::arm::Arm;

use super::body::Body;
use super::live::Site;
use super::{Created, Pid};
use crate::platform::Space;
use crate::site::live::Located;

/// `mov r0, #0`
const MOV: u32 = 0xe3a0_0000;

fn with_process() -> Pid<Arm> {
    let mut pid = Pid::new(7);
    let space = Space {
        handle: 1,
        key: 64,
        is_compat: 0,
    };
    assert_eq!(pid.add_process(1, space), Ok(0));
    pid
}

/// Creates a probe at each of a function's instructions, and `entry`, which has the pattern too.
fn create(pid: &mut Pid<Arm>, name: &str, address: usize, words: usize) {
    let description = Description::new(b"", b"a.out", name.as_bytes(), b"[0-9a-f]*").unwrap();
    let request = PidProbes::new(1, description, address as u64, 4 * words as u64);
    let body = Body {
        is_open: false,
        mode: <Arm as engine_isa::Arch>::KERNEL,
        modes: Vec::new(),
        undone: Vec::new(),
        address,
        text: [MOV.to_le_bytes()].repeat(words).concat(),
        instructions: (0..words as u32).map(|word| 4 * word).collect(),
        exits: Vec::new(),
        sequences: Vec::new(),
        walked: Ok(()),
    };
    let mut created = Created::default();
    pid.create_matching(0, &body, &request, &mut created)
        .unwrap();
    assert_eq!(created.provided, words as u32 + 1);
}

fn steps(pid: &Pid<Arm>) -> usize {
    let indexes = &pid.indexes;
    let all = [&indexes.functions, &indexes.probes, &indexes.sites];
    all.map(|index| index.steps.get()).iter().sum()
}

/// So those of a short function never meet at one place of the hash table.
#[test]
fn sites_of_a_space_are_as_far_apart_as_their_addresses() {
    for key in [0, 64, 0xc1ab_cdc0] {
        for distance in 1..34 {
            let [entry, ret] =
                [0x1_04a0, 0x1_04a0 + distance].map(|at| Site::<Arm>::bits((key, at)));
            assert_eq!(ret.wrapping_sub(entry), distance as u32, "{key:#x}");
        }
    }
}

/// Each function and each probe is looked up once, each site twice: to charge it and to create it.
#[test]
fn the_work_of_a_function_does_not_grow_with_what_there_is() {
    for is_descending in [false, true] {
        let mut pid = with_process();
        for number in 0..4000 {
            let place = if is_descending { 3999 - number } else { number };
            create(&mut pid, &format!("f{number}"), 0x1_0000 + 64 * place, 8);
        }
        let found = 4000 * (1 + 9 + 2 * 9);
        assert!(steps(&pid) < 4 * found, "{} steps", steps(&pid));
        pid.order_sites();
        let address = |number: &u32| pid.sites[*number as usize].address;
        assert!(pid.order.is_sorted_by_key(address));
    }
}

#[test]
fn the_work_of_an_instruction_does_not_grow_with_its_function() {
    let mut pid = with_process();
    create(&mut pid, "large", 0x1_0000, 50_000);
    assert!(steps(&pid) < 4 * 150_004, "{} steps", steps(&pid));
    // Again, and under another name for the same instructions.
    create(&mut pid, "large", 0x1_0000, 50_000);
    create(&mut pid, "alias", 0x1_0000, 50_000);
    assert_eq!((pid.probes.len(), pid.sites.len()), (100_002, 50_000));
}
