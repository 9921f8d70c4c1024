//! Random bodies: a walk over any text terminates, and stays within the memory and the text it was
//! given.

use engine_isa::arm::A32;
use engine_isa::arm::t32::T32;
use engine_isa::arm64::A64;
use engine_isa::body::{Set, room};
use engine_isa::x86::X64;
use proptest::collection::vec;
use proptest::prelude::*;

use super::case::{PART, START, walk};
use super::{arm, arm64, t32, x86};

/// Words, many of which are taken from usual functions.
fn body(usual: &[super::case::Case]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let lines = usual.iter().flat_map(|case| &case.body);
    let lines: Vec<Vec<u8>> = lines.map(|(bytes, _)| bytes.clone()).collect();
    let line = prop_oneof![
        4 => proptest::sample::select(lines),
        1 => vec(any::<u8>(), 4),
    ];
    vec(line, 1..80).prop_map(|lines| lines.concat())
}

fn stays_within<S: Set>(body: &[u8], part: &[u8]) {
    let Ok(found) = walk::<S>(body, part, room::<S>) else {
        return;
    };
    let inside = |at: &u64| {
        (START..START + body.len() as u64).contains(at)
            || (PART..PART + part.len() as u64).contains(at)
    };
    assert!(found.instructions.iter().all(inside));
    assert!(found.instructions.is_sorted());
    let exits: Vec<u64> = found.exits.iter().map(|(at, _)| *at).collect();
    assert!(exits.is_sorted_by(|one, other| one < other));
    assert!(exits.iter().all(|at| found.instructions.contains(at)));
}

proptest! {
    #[test]
    fn walks_over_a32_stay_within(body in body(&arm::cases()), part in body(&arm::cases())) {
        stays_within::<A32>(&body, &part);
    }

    #[test]
    fn walks_over_thumb_stay_within(body in body(&t32::cases()), part in body(&t32::cases())) {
        stays_within::<T32>(&body, &part);
    }

    #[test]
    fn walks_over_a64_stay_within(body in body(&arm64::cases()), part in body(&arm64::cases())) {
        stays_within::<A64>(&body, &part);
    }

    #[test]
    fn walks_over_x86_stay_within(body in body(&x86::cases()), part in body(&x86::cases())) {
        stays_within::<X64>(&body, &part);
    }
}
