//! The seed of a run's random choices, which scenarios pass to programs as `${seed}`.

use std::env;
use std::sync::OnceLock;

use rustix::rand::{GetRandomFlags, getrandom};

/// The environment variable that sets it.
const VARIABLE: &str = "TRAPLINE_SEED";

/// The default, fixed so that a change is always judged by the same cases.
const DEFAULT: u64 = 1;

/// The seed of this process, drawn once: a number, or `random` for one from the kernel.
pub fn of_run() -> Result<u64, String> {
    static SEED: OnceLock<Result<u64, String>> = OnceLock::new();
    SEED.get_or_init(|| of_word(env::var(VARIABLE).ok().as_deref()))
        .clone()
}

fn of_word(word: Option<&str>) -> Result<u64, String> {
    match word {
        None | Some("") => Ok(DEFAULT),
        Some("random") => random(),
        Some(word) => word
            .parse()
            .map_err(|_| format!("{VARIABLE} is `{word}`; expected a number or `random`")),
    }
}

/// Draws 32 bits, which the option of every program can hold.
fn random() -> Result<u64, String> {
    let mut bytes = [0; 4];
    getrandom(&mut bytes, GetRandomFlags::empty())
        .map_err(|e| format!("cannot draw a seed: {e}"))?;
    Ok(u32::from_ne_bytes(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_is_one_a_number_or_random() {
        assert_eq!(of_word(None), Ok(1));
        assert_eq!(of_word(Some("4711")), Ok(4711));
        let random = [(); 4].map(|()| of_word(Some("random")).expect("randomness"));
        assert!(random.iter().any(|seed| *seed != random[0]), "{random:?}");
        assert_eq!(
            of_word(Some("x")).expect_err("no number"),
            "TRAPLINE_SEED is `x`; expected a number or `random`"
        );
    }
}
