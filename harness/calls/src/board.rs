//! Progress and results of the calls, in memory shared between the child that makes them and its
//! parent. It survives the child's death in the middle of a call.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::variants::MAX_VARIANTS;

/// Capacity: the most calls a machine's table may have.
pub const CALLS: usize = 512;
/// Added to a stored result, so that zero means that there is none.
const ANSWERED: usize = 0x5555_5555;

/// Lives in a shared anonymous mapping, initially all zeros.
pub struct Board {
    /// Number of calls made so far, all rows together.
    made: AtomicUsize,
    rows: [Progress; CALLS],
}

/// Progress of one call.
pub struct Progress {
    /// Number of variants; zero until the child has set it.
    total: AtomicUsize,
    /// Number of variants begun.
    begun: AtomicUsize,
    answers: [AtomicUsize; MAX_VARIANTS],
}

impl Board {
    /// Progress of the call at this index of the table.
    pub fn of(&self, place: usize) -> &Progress {
        &self.rows[place]
    }

    /// Number of calls made so far.
    pub fn made(&self) -> usize {
        self.made.load(SeqCst)
    }

    /// Records that a variant is about to be made. Without it a call that kills the child would be
    /// made again.
    pub fn begin(&self, place: usize, variant: usize) {
        self.made.fetch_add(1, SeqCst);
        self.of(place).begun.store(variant + 1, SeqCst);
    }
}

impl Progress {
    /// Sets the number of variants.
    pub fn expect(&self, total: usize) {
        self.total.store(total, SeqCst);
    }

    /// Records a variant's result.
    pub fn end(&self, variant: usize, answer: usize) {
        self.answers[variant].store(answer.wrapping_add(ANSWERED), SeqCst);
    }

    /// Number of variants begun.
    pub fn begun(&self) -> usize {
        self.begun.load(SeqCst)
    }

    /// Whether no variant is left after the first `variants`.
    pub fn is_done_with(&self, variants: usize) -> bool {
        variants >= self.total.load(SeqCst)
    }

    /// The results of the variants begun; `None` for those that did not return.
    pub fn answers(&self) -> Vec<Option<usize>> {
        let stored = self.answers.iter().take(self.begun());
        let stored = stored.map(|answer| answer.load(SeqCst));
        let answer = |stored: usize| (stored != 0).then(|| stored.wrapping_sub(ANSWERED));
        stored.map(answer).collect()
    }
}
