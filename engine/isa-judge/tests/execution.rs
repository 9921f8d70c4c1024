//! The execution check: it agrees with correct plans, it detects wrong ones, and the regression
//! cases stay fixed.

#![cfg(feature = "unicorn")]

use std::time::{Duration, Instant};

use engine_isa::Plan;
use engine_isa_judge::arm::set::A32;
use engine_isa_judge::arm64::places::A64;
use engine_isa_judge::case::{Page, Verdict, address};
use engine_isa_judge::execution::{self, Limit};
use engine_isa_judge::prng::Rng;
use engine_isa_judge::regression::Case;
use engine_isa_judge::set::Set;
use engine_isa_judge::t32::set::T32;
use engine_isa_judge::x86::set::{Ia32, X86};

fn the_kept_cases_are_settled<S: Set>() {
    let again = execution::replay::<S>();
    assert!(again.is_empty(), "{again:#?}");
}

fn random_cases_agree<S: Set>() {
    let limit = Limit {
        until: Some(Instant::now() + Duration::from_secs(5)),
        cases: 100_000,
        disagreements: 1,
    };
    let all = [S::PROCESSORS, S::MORE_PROCESSORS].concat();
    let tally = execution::run::<S>(&all, fastrand::u64(..), limit);
    assert!(tally.disagreements.is_empty(), "{:#?}", tally.disagreements);
    assert_eq!(tally.unknown(), [""; 0]);
    assert!(tally.compared() > 1000, "{}", tally.compared());
}

fn each_row_is_compared_or_known_not_to_be<S: Set>() {
    let mut tally = execution::Tally::<S>::default();
    assert!(tally.unrepresented().len() > 50, "nothing was compared");
    let all = [S::PROCESSORS, S::MORE_PROCESSORS].concat();
    execution::complete(&all, 1, &mut tally);
    let without = tally.unrepresented();
    let names: Vec<_> = without.iter().map(|row| S::rows()[*row]).collect();
    assert!(names.is_empty(), "{names:?}");
    assert!(tally.disagreements.is_empty(), "{:#?}", tally.disagreements);
}

fn a_case_reads_as_it_is_written<S: Set>() {
    let mut rng = Rng::with_seed(1);
    for place in 0..100 {
        let instruction = S::any(&mut rng);
        let case = Case::<S> {
            instruction,
            processor: S::PROCESSORS[0],
            place,
            seed: rng.u64(..),
            state: S::state(instruction, address::<S>(place), &mut rng),
        };
        let again: Case<S> = case.to_string().parse().unwrap();
        assert_eq!(again.to_string(), case.to_string());
        assert_eq!(again.state, case.state);
    }
}

/// On how many of a few states a processor disagrees if an instruction is planned as if it were
/// `planned`.
fn disagreements<S: Set>(instruction: S::Instruction, planned: S::Instruction) -> usize {
    let (page, place) = Page::<S>::planned_as(instruction, planned);
    let processor = S::PROCESSORS[S::PROCESSORS.len() - 1];
    let mut machine = S::machine(processor);
    page.load(&mut *machine);
    let mut rng = Rng::with_seed(7);
    let states = (0..64).map(|_| S::state(instruction, address::<S>(place), &mut rng));
    let verdicts: Vec<_> = states
        .map(|state| page.judge(&mut *machine, processor, place, &state))
        .collect();
    let disagrees = |verdict: &&Verdict| matches!(verdict, Verdict::Disagree(_));
    verdicts.iter().filter(disagrees).count()
}

/// Plans for one instruction that are made for another are detected, with the expected difference.
fn wrong_plans_are_noticed<S: Set>(plans: &[(&str, &str, &str)]) {
    for (instruction, planned, what) in plans {
        let [instruction, planned] = [instruction, planned].map(|text| S::read(text).unwrap());
        assert_eq!(disagreements::<S>(instruction, instruction), 0, "{what}");
        assert_ne!(disagreements::<S>(instruction, planned), 0, "{what}");
    }
}

/// The tests of each set.
macro_rules! of_each {
    ($($name:ident $set:ty: $wrong:expr;)+) => {
        $(mod $name {
            use super::*;

            #[test]
            fn the_kept_cases_are_settled() {
                super::the_kept_cases_are_settled::<$set>();
            }

            #[test]
            fn random_cases_agree() {
                super::random_cases_agree::<$set>();
            }

            #[test]
            fn each_row_is_compared_or_known_not_to_be() {
                super::each_row_is_compared_or_known_not_to_be::<$set>();
            }

            #[test]
            fn a_case_reads_as_it_is_written() {
                super::a_case_reads_as_it_is_written::<$set>();
            }

            #[test]
            fn a_wrong_plan_is_noticed() {
                super::wrong_plans_are_noticed::<$set>($wrong);
            }
        })+
    };
}

of_each! {
    arm A32: &[
        ("e92d4010", "e92d4020", "another register is stored"),
        ("e92d4010", "092d4010", "there is a condition"),
        ("e52d4004", "e92d4010", "one is stored, and not two"),
        ("e24dd008", "e24dd00c", "the constant"),
        ("e2800008", "e2810008", "the other operand, in the slot"),
        ("e5900004", "e5100004", "the sign of an offset, in the slot"),
    ];
    t32 T32: &[
        ("b510", "b520", "another register is stored"),
        ("b082", "b083", "the constant"),
        ("4801", "4802", "how far a literal is"),
        ("f8dff004", "f8dff008", "how far the literal is that is branched to"),
        ("bd10", "bc10", "whether the pc is loaded, in the slot"),
        ("bf08", "bf18", "the condition of a block"),
        ("1840", "1a40", "what is done, in the slot"),
        ("1840@08", "1a40@08", "what is done, in a block of its own in the slot"),
        ("1840@04", "1a40@04", "what is done, in the slot that ends in a breakpoint"),
        ("1840", "1840@04", "the way back, which is not in a slot that ends in a breakpoint"),
        ("f8d01004", "f8d01008", "the offset, in the slot"),
    ];
    arm64 A64: &[
        ("aa1e03e9", "aa1d03e9", "another register is moved"),
        ("b9400441", "b9400841", "the offset of a load"),
        ("b9800441", "b9400441", "the sign of a load"),
        ("d10083ff", "d10043ff", "the constant, in the slot"),
        ("d503233f", "d503201f", "a return address is not signed"),
    ];
    x86 X86: &[
        ("55", "53", "another register is pushed"),
        ("488b4708", "488b4710", "the displacement of a load"),
        ("4801f7", "4829f7", "what is done, in the slot"),
        ("480305f0efffff", "480305f8efffff", "what is counted from the instruction pointer"),
        ("4883c408", "83c408", "the width, in the slot"),
    ];
    ia32 Ia32: &[
        ("55", "53", "another register is pushed"),
        ("8b4708", "8b4710", "the displacement of a load"),
        ("01f7", "29f7", "what is done, in the slot"),
        ("40", "48", "what is a prefix elsewhere"),
        ("e810000000", "e820000000", "how far a call goes"),
        ("83c408", "83c40c", "the constant, in the slot"),
    ];
}

fn verdict(case: &str) -> Verdict {
    case.parse::<Case<A64>>().unwrap().judge()
}

/// `ldaxp x5, x30, [x2]`, with x2 not a multiple of 16.
#[test]
fn an_odd_address_is_not_an_instruction_that_there_is_not() {
    for processor in A64::PROCESSORS {
        let odd = verdict(&format!("c87ff845 {processor} x2=80000008"));
        assert!(matches!(odd, Verdict::Skipped(_)), "{odd:?}");
        let even = verdict(&format!("c87ff845 {processor} x2=80000010"));
        assert_eq!(even, Verdict::Agree);
    }
}

/// `ldff1w {z25.s}, p3/z, [x11, z1.s, sxtw #2]`, with an address after the first that is 2 bytes
/// before a page boundary: it must not be run.
#[test]
fn what_unicorn_would_die_of_is_left_out() {
    let across = verdict("85616d79 max x11=80000ffe q1=f0000000000");
    assert!(matches!(across, Verdict::Skipped(_)), "{across:?}");
    assert_eq!(verdict("85616d79 max x11=80000ff8"), Verdict::Agree);
}

/// `mrs x0, rndr`, `mrs x0, rndrrs`, and `mrs x0, cntvct_el0`.
#[test]
fn what_is_never_the_same_is_left_out() {
    for word in ["d53b2400", "d53b2420", "d53be040"] {
        let verdict = verdict(&format!("{word} max"));
        assert!(
            matches!(verdict, Verdict::Skipped(_)),
            "{word}: {verdict:?}"
        );
    }
}

/// `br x1` to half of an instruction, and to a whole one; and an invalid word, on which Unicorn
/// would crash wherever a branch leads to it.
#[test]
fn what_unicorn_would_die_of_is_not_decoded() {
    let between = verdict("d61f0020 max x1=7ffff802");
    assert!(matches!(between, Verdict::Skipped(_)), "{between:?}");
    assert_eq!(verdict("d61f0020 max x1=7ffff800"), Verdict::Agree);
    assert_eq!(verdict("7ef9c8ae max"), Verdict::Skipped("it is refused"));
    let page = Page::<A64>::random(&mut Rng::with_seed(1));
    let is_accepted = |word: &u32| !matches!(A64::plan(*word), Plan::Refuse(_));
    let refused = page.instructions.iter().filter(|word| !is_accepted(word));
    assert!(
        refused.eq(page
            .instructions
            .iter()
            .filter(|word| **word == A64::REFUSED))
    );
}

#[test]
fn a_line_that_says_nothing_is_an_error() {
    assert!("e1a00000 v8".parse::<Case<A32>>().is_err());
    assert!("e1a00000 v7 r16=0".parse::<Case<A32>>().is_err());
    assert!("e1a00000 v7 place=200".parse::<Case<A32>>().is_err());
}
