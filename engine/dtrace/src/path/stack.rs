//! Shadow stacks: the addresses that calls return to.

/// The most entries; the oldest make room.
const MOST: usize = 1 << 16;

/// How many entries are looked through for a return that skips some.
const SKIPPED: u64 = 256;

/// The most signal handlers that are known to run at a time.
const SIGNALS: usize = 64;

/// A shadow stack.
#[derive(Debug, Default)]
pub struct Stack {
    /// By depth modulo [`MOST`].
    entries: Vec<u64>,
    depth: u64,
    /// The depth below which nothing is known.
    known: u64,
    /// The depths at which handlers were called.
    signals: Vec<u64>,
}

impl Stack {
    /// The number of entries, those that made room included.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    pub fn push(&mut self, to: u64) {
        let at = (self.depth % MOST as u64) as usize;
        match self.entries.get_mut(at) {
            Some(entry) => *entry = to,
            None => self.entries.push(to),
        }
        self.depth += 1;
        self.known = self.known.max(self.depth.saturating_sub(MOST as u64));
    }

    /// The address that a return goes to if nothing unusual happens; 0 if none is known.
    pub fn top(&self) -> u64 {
        self.below(1).unwrap_or_default()
    }

    fn below(&self, count: u64) -> Option<u64> {
        let depth = self.depth.checked_sub(count)?;
        let is_known = depth >= self.known;
        is_known.then(|| self.entries[(depth % MOST as u64) as usize])
    }

    /// A return goes to an address. If another one was on top, functions may have been skipped.
    pub fn pop(&mut self, to: u64) {
        let found = (1..=SKIPPED).map_while(|count| Some((count, self.below(count)?)));
        let found = found.into_iter().find(|(_, entry)| *entry == to);
        let count = found.map_or(1, |(count, _)| count);
        self.cut(self.depth.saturating_sub(count));
    }

    fn cut(&mut self, depth: u64) {
        self.depth = self.depth.min(depth);
        self.known = self.known.min(self.depth);
    }

    /// A handler is called: where it returns to is not known.
    pub fn signal(&mut self) {
        if self.signals.len() < SIGNALS {
            self.signals.push(self.depth);
        }
        self.push(0);
    }

    /// A handler returns.
    pub fn signal_return(&mut self) {
        if let Some(depth) = self.signals.pop() {
            self.cut(depth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_go_back() {
        let mut stack = Stack::default();
        assert_eq!(stack.top(), 0);
        (1..4).for_each(|to| stack.push(to));
        assert_eq!(stack.top(), 3);
        stack.pop(3);
        assert_eq!((stack.top(), stack.depth()), (2, 2));
        // Nobody has called from there.
        stack.pop(9);
        assert_eq!((stack.top(), stack.depth()), (1, 1));
        stack.pop(1);
        stack.pop(1);
        assert_eq!((stack.top(), stack.depth()), (0, 0));
    }

    #[test]
    fn a_jump_over_functions_removes_them() {
        let mut stack = Stack::default();
        (1..=100).for_each(|to| stack.push(to));
        stack.pop(20);
        assert_eq!((stack.top(), stack.depth()), (19, 19));
    }

    #[test]
    fn a_handler_leaves_the_stack_as_it_was() {
        let mut stack = Stack::default();
        stack.push(7);
        stack.signal();
        stack.push(8);
        stack.signal_return();
        assert_eq!((stack.top(), stack.depth()), (7, 1));
    }

    #[test]
    fn the_oldest_entries_make_room() {
        let mut stack = Stack::default();
        let all = MOST as u64 + 10;
        (1..=all).for_each(|to| stack.push(to));
        for to in (11..=all).rev() {
            assert_eq!(stack.top(), to);
            stack.pop(to);
        }
        assert_eq!((stack.top(), stack.depth()), (0, 10));
        stack.push(5);
        assert_eq!(stack.top(), 5);
    }
}
