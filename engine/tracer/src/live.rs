//! What is armed, as traps and ticks see it: an immutable table, ordered by what fires.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, push};
use crate::names::Span;
use crate::providers::profile;

/// An enabling of a probe by a consumer, as far as firing needs it.
#[derive(Debug, Clone, Copy)]
pub struct LiveEcb {
    /// The consumer's number.
    pub consumer: usize,
    /// The consumer's ID for this enabling.
    pub epid: u32,
}

/// How the code that a trap interrupted goes on.
#[derive(Debug, Clone, Copy)]
pub enum Resume<E> {
    /// The handler does the displaced instruction itself.
    Emulate(E),
    /// The slot at this address does.
    Slot(usize),
}

/// An armed instruction.
#[derive(Debug, Clone, Copy)]
pub struct Site<E> {
    /// The probe's ID.
    pub id: u32,
    /// What is done in its place.
    pub resume: Resume<E>,
    /// The name of its function.
    pub function: Span,
}

/// A timer that runs.
#[derive(Debug, Clone, Copy)]
pub struct Timer {
    /// The probe's ID.
    pub id: u32,
    /// The probe's name.
    pub name: profile::Name,
}

/// Something that fires, and where its ECBs are.
#[derive(Debug)]
struct Hook<K, S> {
    key: K,
    what: S,
    first: usize,
    ecbs: usize,
}

/// What fires by keys of one kind, and its ECBs.
#[derive(Debug)]
pub struct Hooks<K, S> {
    hooks: Vec<Hook<K, S>>,
    ecbs: Vec<LiveEcb>,
}

impl<K: Copy + Ord, S> Hooks<K, S> {
    /// None.
    pub fn new() -> Self {
        Self {
            hooks: Vec::new(),
            ecbs: Vec::new(),
        }
    }

    /// Adds one behind those already there, with room for this many ECBs. Keys must ascend.
    pub fn add(&mut self, key: K, what: S, ecbs: u32) -> Result<(), OutOfMemory> {
        let hook = Hook {
            key,
            what,
            first: self.ecbs.len(),
            ecbs: 0,
        };
        push(&mut self.hooks, hook)?;
        let vacant = LiveEcb {
            consumer: usize::MAX,
            epid: 0,
        };
        (0..ecbs).try_for_each(|_| push(&mut self.ecbs, vacant))
    }

    /// Puts an ECB into the room of what fires by `key`; nothing where nothing does.
    pub fn add_ecb(&mut self, key: K, ecb: LiveEcb) {
        let Ok(index) = self.index(key) else {
            return;
        };
        let Some(hook) = self.hooks.get_mut(index) else {
            return;
        };
        if let Some(room) = self.ecbs.get_mut(hook.first.wrapping_add(hook.ecbs)) {
            *room = ecb;
            hook.ecbs = hook.ecbs.wrapping_add(1);
        }
    }

    /// What fires by `key`, and its ECBs.
    pub fn get(&self, key: K) -> Option<(&S, &[LiveEcb])> {
        let hook = self.hooks.get(self.index(key).ok()?)?;
        let ecbs = self.ecbs.get(hook.first..)?.get(..hook.ecbs)?;
        Some((&hook.what, ecbs))
    }

    fn index(&self, key: K) -> Result<usize, usize> {
        self.hooks.binary_search_by_key(&key, |hook| hook.key)
    }
}

/// All that is armed.
#[derive(Debug)]
pub struct Live<E> {
    /// Instructions, by their addresses.
    pub sites: Hooks<usize, Site<E>>,
    /// Timers, by their numbers.
    pub timers: Hooks<u32, Timer>,
}

impl<E> Live<E> {
    /// Nothing.
    pub fn new() -> Self {
        Self {
            sites: Hooks::new(),
            timers: Hooks::new(),
        }
    }
}
