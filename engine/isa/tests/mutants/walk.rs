//! Walks over functions.

use engine_isa::arm::A32;
use engine_isa::arm::t32::T32;
use engine_isa::arm64::A64;
use engine_isa::body::Set;
use engine_isa::mutant::{Mutant, choose};
use engine_isa::x86::X64;

use crate::case::Case;
use crate::{bodies_of_arm, bodies_of_arm64, bodies_of_t32, bodies_of_x86};

/// The number of functions with a wrong result.
fn wrong<S: Set>(cases: &[Case]) -> usize {
    cases.iter().filter(|case| case.is_wrong::<S>()).count()
}

/// The names of the defects that nothing detects.
pub fn missed() -> Vec<&'static str> {
    let (arm, thumb, arm64, x86) = (
        bodies_of_arm::cases(),
        bodies_of_t32::cases(),
        bodies_of_arm64::cases(),
        bodies_of_x86::cases(),
    );
    let wrong = || {
        [
            wrong::<A32>(&arm),
            wrong::<T32>(&thumb),
            wrong::<A64>(&arm64),
            wrong::<X64>(&x86),
        ]
    };
    choose(None);
    assert_eq!(wrong(), [0; 4]);
    let mut missed = Vec::new();
    for &mutant in Mutant::WALK {
        choose(Some(mutant));
        let wrong = wrong();
        println!("{:<20} {wrong:?} bodies", mutant.name());
        if wrong == [0; 4] {
            missed.push(mutant.name());
        }
    }
    choose(None);
    missed
}
