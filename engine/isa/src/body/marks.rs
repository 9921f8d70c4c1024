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

    /// Clears and returns the lowest mark at or after a place.
    #[inline]
    pub(super) fn take(&mut self, from: usize) -> Option<usize> {
        let place = self.lowest(from)?;
        let (word, bit) = spot(place);
        if let Some(word) = self.0.get_mut(word) {
            *word &= !bit;
        }
        Some(place)
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

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::Marks;

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
        assert_eq!((marks.take(1), marks.take(1)), (Some(63), Some(64)));
        assert_eq!(marks.all().collect::<Vec<_>>(), [0, 130, 191]);
    }
}
