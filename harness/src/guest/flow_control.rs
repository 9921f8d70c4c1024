//! Decides when a recorded guest has read what was sent to it. Pure.
//!
//! While recording, QEMU passes input to its UART model at times of its own, whether or not the
//! FIFO has room, and reports nothing. But it does so in the same main loop that answers the
//! monitor, and a guest that was sent something executes instructions to read it. So input counts
//! as read after enough of both.

/// Monitor answers to see since the burst was sent.
const ANSWERS: u32 = 8;
/// Instructions the guest must have executed since: an interrupt and its handler.
const INSTRUCTIONS: i64 = 5_000;

/// Instruction count and number of monitor answers since the burst; `None` with none in flight.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlowControl(Option<(i64, u32)>);

impl FlowControl {
    /// Takes the instruction count of another monitor answer; true once the burst sent before the
    /// first call counts as read.
    pub fn is_drained(&mut self, count: i64) -> bool {
        let (since, answers) = self.0.unwrap_or((count, 0));
        let is_drained = answers >= ANSWERS && count.saturating_sub(since) >= INSTRUCTIONS;
        self.0 = (!is_drained).then_some((since, answers.saturating_add(1)));
        is_drained
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drained_after_answers_and_instructions() {
        let mut flow = FlowControl::default();
        for round in 1..=2_i64 {
            let start = round * 1_000_000;
            let answers = (0..ANSWERS).map(|_| flow.is_drained(start));
            assert!(answers.collect::<Vec<_>>().iter().all(|is_so| !is_so));
            assert!(!flow.is_drained(start + INSTRUCTIONS - 1));
            assert!(flow.is_drained(start + INSTRUCTIONS));
        }
        assert!(!flow.is_drained(9_000_000) && !flow.is_drained(9_900_000));
    }
}
