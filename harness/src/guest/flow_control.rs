//! When a recorded guest has taken what came over its line. Pure.
//!
//! QEMU hands recorded bytes to its model of a serial port at moments of its own, whether there is room
//! or not, and does not tell. But it does so in the loop that answers the monitor, and a guest that was
//! given something runs to take it.

/// So often the monitor must have answered since.
const ANSWERS: u32 = 8;
/// So many instructions the guest must have run since: an interrupt and its handler.
const INSTRUCTIONS: i64 = 5_000;

/// How far the guest was when it was given something, and how often the monitor has answered since.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sips(Option<(i64, u32)>);

impl Sips {
    /// The monitor has answered that the guest has run `count` instructions; whether it has taken what it
    /// was given before this was first asked.
    pub fn is_swallowed(&mut self, count: i64) -> bool {
        let (since, answers) = self.0.unwrap_or((count, 0));
        let is_swallowed = answers >= ANSWERS && count.saturating_sub(since) >= INSTRUCTIONS;
        self.0 = (!is_swallowed).then_some((since, answers.saturating_add(1)));
        is_swallowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_answers_and_instructions_and_begins_anew() {
        let mut sips = Sips::default();
        for round in 1..=2_i64 {
            let start = round * 1_000_000;
            let answers = (0..ANSWERS).map(|_| sips.is_swallowed(start));
            assert!(answers.collect::<Vec<_>>().iter().all(|is_so| !is_so));
            assert!(!sips.is_swallowed(start + INSTRUCTIONS - 1));
            assert!(sips.is_swallowed(start + INSTRUCTIONS));
        }
        assert!(!sips.is_swallowed(9_000_000) && !sips.is_swallowed(9_900_000));
    }
}
