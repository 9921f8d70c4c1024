//! What a child and whoever started it both see: how far the child has come, and what was answered.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::variants::MOST;

/// So many calls there may be.
pub const CALLS: usize = 512;
/// What an answer is kept with, so that what is still zero is none.
const ANSWERED: usize = 0x5555_5555;

/// Memory that all our processes share.
pub struct Board {
    /// How many calls were made of those that count.
    made: AtomicUsize,
    rows: [Progress; CALLS],
}

/// How far one call has come.
pub struct Progress {
    /// How many variants there are; none until the child has counted them.
    total: AtomicUsize,
    /// How many were begun.
    begun: AtomicUsize,
    answers: [AtomicUsize; MOST],
}

impl Board {
    /// Of the call at this place in the list.
    pub fn of(&self, place: usize) -> &Progress {
        &self.rows[place]
    }

    /// How many calls were made.
    pub fn made(&self) -> usize {
        self.made.load(SeqCst)
    }

    /// The variant is about to be made.
    pub fn begin(&self, place: usize, variant: usize) {
        self.made.fetch_add(1, SeqCst);
        self.of(place).begun.store(variant + 1, SeqCst);
    }
}

impl Progress {
    /// So many there will be.
    pub fn expect(&self, total: usize) {
        self.total.store(total, SeqCst);
    }

    /// It was answered.
    pub fn end(&self, variant: usize, answer: usize) {
        self.answers[variant].store(answer.wrapping_add(ANSWERED), SeqCst);
    }

    /// How many were begun.
    pub fn begun(&self) -> usize {
        self.begun.load(SeqCst)
    }

    /// Whether there are more to be made than these.
    pub fn is_done_with(&self, variants: usize) -> bool {
        variants >= self.total.load(SeqCst)
    }

    /// What each of those that were begun was answered; nothing if it did not return.
    pub fn answers(&self) -> Vec<Option<usize>> {
        let kept = self.answers.iter().take(self.begun());
        let kept = kept.map(|answer| answer.load(SeqCst));
        let answer = |kept: usize| (kept != 0).then(|| kept.wrapping_sub(ANSWERED));
        kept.map(answer).collect()
    }
}
