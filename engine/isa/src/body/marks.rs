//! A bitmap over the places of a text, in borrowed memory.

/// One bit for each place.
pub(super) struct Marks<'a>(&'a mut [u64]);

/// The word and the bit of a place.
const fn spot(place: usize) -> (usize, u64) {
    (place >> 6, 1_u64.wrapping_shl(place as u32 & 63))
}

impl<'a> Marks<'a> {
    /// Takes all of `memory`, cleared.
    pub(super) fn none(memory: &'a mut [u64]) -> Self {
        memory.fill(0);
        Self(memory)
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The bits, 64 places to a word.
    pub(super) const fn words(&self) -> &[u64] {
        self.0
    }

    /// Copies another bitmap.
    pub(super) fn copy(&mut self, others: &Self) {
        for (word, other) in self.0.iter_mut().zip(others.words()) {
            *word = *other;
        }
    }

    #[inline]
    pub(super) fn has(&self, place: usize) -> bool {
        let (word, bit) = spot(place);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    #[inline]
    pub(super) fn set(&mut self, place: usize) {
        let (word, bit) = spot(place);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    /// The lowest mark at or after a place.
    #[inline]
    pub(super) fn lowest(&self, from: usize) -> Option<usize> {
        let (first, bit) = spot(from);
        let mut mask = bit.wrapping_neg();
        for (at, word) in self.0.iter().enumerate().skip(first) {
            let left = word & mask;
            if left != 0 {
                let place = at.wrapping_shl(6);
                return Some(place | left.trailing_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }

    /// All marks, in ascending order.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> {
        let mut from = 0;
        core::iter::from_fn(move || {
            let place = self.lowest(from)?;
            from = place.wrapping_add(1);
            Some(place)
        })
    }
}

/// Levels of a queue.
const LEVELS: usize = 4;
/// The most words of marks that a queue can have.
const MOST: usize = 1 << (6 * (LEVELS - 1));

/// Marks of which the lowest is taken first, in a time that does not depend on how many places there
/// are. Each bit of a level above the marks says whether a word of the level below has any.
pub(super) struct Queue<'a>([&'a mut [u64]; LEVELS]);

impl<'a> Queue<'a> {
    /// The words of memory for a queue with so many words of marks.
    pub(super) const fn room(words: usize) -> usize {
        let (mut all, mut level, mut count) = (words, words, 1);
        while count < LEVELS {
            level = level.wrapping_add(63) >> 6;
            all = all.saturating_add(level);
            count = count.wrapping_add(1);
        }
        all
    }

    /// Takes [`room`](Self::room) words of `memory`, cleared, for so many words of marks; returns the
    /// rest, or nothing if there is too little.
    pub(super) fn none(words: usize, mut memory: &'a mut [u64]) -> Option<(Self, &'a mut [u64])> {
        if words > MOST {
            return None;
        }
        let mut levels: [&mut [u64]; LEVELS] = Default::default();
        let mut size = words;
        for level in &mut levels {
            let (own, rest) = memory.split_at_mut_checked(size)?;
            own.fill(0);
            (*level, memory) = (own, rest);
            size = size.wrapping_add(63) >> 6;
        }
        Some((Self(levels), memory))
    }

    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(|level| level.fill(0));
    }

    #[inline]
    pub(super) fn set(&mut self, place: usize) {
        let mut at = place;
        for level in &mut self.0 {
            let (word, bit) = spot(at);
            let Some(word) = level.get_mut(word) else {
                return;
            };
            let had_any = *word != 0;
            *word |= bit;
            if had_any {
                return;
            }
            at >>= 6;
        }
    }

    /// Clears and returns the lowest mark.
    #[inline]
    pub(super) fn take(&mut self) -> Option<usize> {
        let mut place = 0_usize;
        for level in self.0.iter().rev() {
            let word = *level.get(place)?;
            if word == 0 {
                return None;
            }
            place = place.wrapping_shl(6) | word.trailing_zeros() as usize;
        }
        let mut at = place;
        for level in &mut self.0 {
            let (word, bit) = spot(at);
            let word = level.get_mut(word)?;
            *word &= !bit;
            if *word != 0 {
                break;
            }
            at >>= 6;
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::{MOST, Marks, Queue};

    #[test]
    fn marks_are_found_in_rising_order_and_once_if_taken() {
        let mut memory = [u64::MAX; 3];
        let mut marks = Marks::none(&mut memory);
        for place in [130, 0, 63, 64, 191, 192] {
            marks.set(place);
        }
        assert_eq!(marks.all().collect::<Vec<_>>(), [0, 63, 64, 130, 191]);
        assert!(marks.has(64) && !marks.has(65) && !marks.has(192));
        assert_eq!((marks.lowest(65), marks.lowest(192)), (Some(130), None));
    }

    #[test]
    fn a_queue_gives_its_lowest_mark_first() {
        let words = 5000;
        let mut memory = vec![u64::MAX; Queue::room(words) + 1];
        let (mut queue, rest) = Queue::none(words, &mut memory).unwrap();
        assert_eq!(rest, [u64::MAX]);
        assert_eq!(queue.take(), None);
        // The last is behind the end.
        for place in [300_000, 64, 0, 64, 319_999, 4096, 320_000] {
            queue.set(place);
        }
        assert_eq!((queue.take(), queue.take()), (Some(0), Some(64)));
        queue.set(3);
        let rest: Vec<_> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(rest, [3, 4096, 300_000, 319_999]);
        queue.set(9);
        queue.clear();
        assert_eq!(queue.take(), None);
    }

    #[test]
    fn a_queue_has_a_size_that_fits_its_memory() {
        let mut memory = vec![0; Queue::room(MOST + 1)];
        assert!(Queue::none(MOST, &mut memory).is_some());
        assert!(Queue::none(MOST + 1, &mut memory).is_none());
        let least = Queue::room(65);
        assert!(Queue::none(65, &mut memory[..least]).is_some());
        assert!(Queue::none(65, &mut memory[..least - 1]).is_none());
    }
}
