//! Heap sort. The standard library's sorts contain a panic, for an inconsistent order.

/// Sorts by `key`, in place and not stably, except that sorted input is left as it is.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    if items.is_sorted_by_key(&key) {
        return;
    }
    for root in (0..items.len() / 2).rev() {
        sift_down(items, root, &key);
    }
    let mut heap = items;
    while let Some(last) = heap.len().checked_sub(1) {
        if last > 0 {
            heap.swap(0, last);
        }
        let (rest, _) = heap.split_at_mut_checked(last).unwrap_or_default();
        sift_down(rest, 0, &key);
        heap = rest;
    }
}

/// Sifts the item at `root` down until neither child is larger.
fn sift_down<T, K: Ord>(heap: &mut [T], root: usize, key: &impl Fn(&T) -> K) {
    let mut place = root;
    loop {
        let left = place.wrapping_mul(2).wrapping_add(1);
        let larger = |one: usize, other: usize| match (heap.get(one), heap.get(other)) {
            (Some(a), Some(b)) if key(b) > key(a) => other,
            _ => one,
        };
        let child = larger(left, left.wrapping_add(1));
        if child >= heap.len() || larger(place, child) == place {
            return;
        }
        heap.swap(place, child);
        place = child;
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn sorts_any_order() {
        let mut state = 1u32;
        for length in 0..200 {
            let mut items: Vec<u32> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(0x9e37_79b1).wrapping_add(7);
                    state >> 25
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by_key(&mut items, |item| *item);
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn sorted_input_is_left_alone() {
        let mut items = [(1, 'a'), (1, 'b'), (2, 'c')];
        sort_by_key(&mut items, |item| item.0);
        assert_eq!(items, [(1, 'a'), (1, 'b'), (2, 'c')]);
    }
}
