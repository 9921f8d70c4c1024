//! What random choices in a guest begin with: a scenario hands it to its programs as `${seed}`.

use std::env;
use std::sync::OnceLock;

use rustix::rand::{GetRandomFlags, getrandom};

/// The variable that sets it.
const VARIABLE: &str = "TRAPLINE_SEED";

/// What every run begins with unless told otherwise: a change is judged by the same cases each time.
const USUAL: u64 = 1;

/// The seed of this run, the same for all its jobs: a number, or `random` for one that is drawn.
pub fn of_run() -> Result<u64, String> {
    static SEED: OnceLock<Result<u64, String>> = OnceLock::new();
    SEED.get_or_init(|| of_word(env::var(VARIABLE).ok().as_deref()))
        .clone()
}

fn of_word(word: Option<&str>) -> Result<u64, String> {
    match word {
        None | Some("") => Ok(USUAL),
        Some("random") => drawn(),
        Some(word) => word
            .parse()
            .map_err(|_| format!("{VARIABLE} is `{word}`; a number is meant, or `random`")),
    }
}

/// Of 32 bits, which every program's option holds.
fn drawn() -> Result<u64, String> {
    let mut bytes = [0; 4];
    getrandom(&mut bytes, GetRandomFlags::empty())
        .map_err(|e| format!("cannot draw a seed: {e}"))?;
    Ok(u32::from_ne_bytes(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_unless_a_number_or_chance_is_asked_for() {
        assert_eq!(of_word(None), Ok(1));
        assert_eq!(of_word(Some("4711")), Ok(4711));
        let drawn = [(); 4].map(|()| of_word(Some("random")).expect("randomness"));
        assert!(drawn.iter().any(|seed| *seed != drawn[0]), "{drawn:?}");
        assert_eq!(
            of_word(Some("x")).expect_err("no number"),
            "TRAPLINE_SEED is `x`; a number is meant, or `random`"
        );
    }
}
