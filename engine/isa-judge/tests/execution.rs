//! The judge that executes: it agrees with what is right, it notices what is wrong, and the cases
//! that were kept stay settled.

#![cfg(feature = "unicorn")]

use std::time::{Duration, Instant};

use engine_isa::arm::Version;
use engine_isa_judge::arm::case::{Page, Verdict};
use engine_isa_judge::arm::execution::{self, Limit};
use engine_isa_judge::arm::machine::{Machine, pc};
use engine_isa_judge::arm::regression::Case;
use engine_isa_judge::arm::state::State;
use engine_isa_judge::chance::Rng;

#[test]
fn the_kept_cases_are_settled() {
    let again = execution::replay();
    assert!(again.is_empty(), "{again:#?}");
}

#[test]
fn cases_by_chance_agree() {
    let limit = Limit {
        until: Some(Instant::now() + Duration::from_secs(5)),
        cases: 100_000,
        disagreements: 1,
    };
    let tally = execution::run(fastrand::u64(..), limit);
    assert!(tally.disagreements.is_empty(), "{:#?}", tally.disagreements);
    assert_eq!(tally.unknown(), [""; 0]);
    assert!(tally.compared() > 1000, "{}", tally.compared());
}

#[test]
fn a_case_reads_as_it_is_written() {
    let mut rng = Rng::with_seed(1);
    for place in 0..100 {
        let word = rng.u32(..);
        let state = State::by_chance(word, pc(place), &mut rng);
        let case = Case {
            word,
            version: Version::V7,
            place,
            seed: rng.u64(..),
            state,
        };
        assert_eq!(case.to_string().parse(), Ok(case));
    }
    assert!("e1a00000 v8".parse::<Case>().is_err());
    assert!("e1a00000 v7 r16=0".parse::<Case>().is_err());
    assert!("e1a00000 v7 place=200".parse::<Case>().is_err());
}

/// How many of some states another processor disagrees on if the plan of `planned` stands for
/// `word`.
fn disagreements(word: u32, planned: u32) -> usize {
    let (page, place) = Page::planned_as(word, planned);
    let mut machine = Machine::new(Version::V7);
    page.load(&mut machine);
    let mut rng = Rng::with_seed(7);
    let states = (0..64).map(|_| State::by_chance(word, pc(place), &mut rng));
    let verdicts: Vec<_> = states
        .map(|state| page.judge(&mut machine, place, &state))
        .collect();
    verdicts
        .iter()
        .filter(|verdict| matches!(verdict, Verdict::Disagree(_)))
        .count()
}

#[test]
fn a_wrong_plan_is_noticed() {
    for (word, planned, what) in [
        (0xe92d_4010, 0xe92d_4020, "another register is stored"),
        (0xe92d_4010, 0x092d_4010, "there is a condition"),
        (0xe52d_4004, 0xe92d_4010, "one is stored, and not two"),
        (0xe24d_d008, 0xe24d_d00c, "the constant"),
        (0xe280_0008, 0xe281_0008, "the other operand, in the slot"),
        (
            0xe590_0004,
            0xe510_0004,
            "the sign of an offset, in the slot",
        ),
    ] {
        assert_eq!(disagreements(word, word), 0, "{what}");
        assert_ne!(disagreements(word, planned), 0, "{what}");
    }
}
