//! Who occupies a slot, in a word. Pure.
//!
//! A child that was forked has a copy of the slots, and of their threads only the one that forked. That one may be
//! on slots itself, in a handler of signals that has interrupted firings: those it keeps, and all others are free.

/// Whether there is one. Below [`PROCESS`] the word counts with each that comes or goes.
const IS_THERE: u64 = 1;
const PROCESS: u64 = 0xffff << 16;
const THREAD: u64 = 0xffff_ffff << 32;

/// Who occupies a slot, or was the last to; or, of a process, the thread that it begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupant(pub u64);

impl Occupant {
    /// The first thread of a process, whose number differs from those of the processes that it was forked from.
    pub fn first(process: u64, thread: u32) -> Self {
        Self(u64::from(thread) << 32 | process << 16 & PROCESS)
    }

    /// Whether there is one, as the process with this first thread sees it.
    pub fn is_there(self, first: Self) -> bool {
        let differs = |bits| (self.0 ^ first.0) & bits != 0;
        self.0 & IS_THERE != 0 && !(differs(PROCESS) && differs(THREAD))
    }

    /// After this one, a thread of the process with this first thread.
    pub fn next(self, thread: u32, first: Self) -> Self {
        let count = self.0 & !(PROCESS | THREAD) | IS_THERE;
        Self(u64::from(thread) << 32 | first.0 & PROCESS | count)
    }

    /// The same when it is gone.
    pub fn gone(self) -> Self {
        let named = PROCESS | THREAD;
        Self(self.0 & named | self.0.wrapping_add(1) & !named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: [u32; 3] = [5, 6, u32::MAX];

    #[test]
    fn a_slot_is_free_when_its_thread_has_left_it() {
        let first = Occupant::first(1, 5);
        let mut slot = Occupant(0);
        // The count wraps around.
        for number in 0..0x1_0000 {
            assert!(!slot.is_there(first), "{number}: {slot:?}");
            slot = slot.next(6, first);
            assert!(slot.is_there(first), "{number}: {slot:?}");
            slot = slot.gone();
        }
        assert_eq!(slot.next(5, first), Occupant(0).next(5, first));
    }

    #[test]
    fn a_child_finds_the_slots_of_the_thread_that_forked_only() {
        let [parent, child] = [1, 2].map(|process| Occupant::first(process, 6));
        for thread in THREADS {
            let slot = Occupant(0).next(thread, parent);
            assert_eq!(slot.is_there(child), thread == 6, "{thread}");
            assert!(slot.next(5, child).is_there(child));
        }
    }
}
