//! Seeded defects, to show that the scenarios can see one. Built in only with
//! `--cfg trapline_mutants`, and at most one is chosen, when the module is loaded.
//!
//! Which there are is for each instruction set to say: see [`arch::MUTANTS`].

use core::sync::atomic::{AtomicUsize, Ordering};

use engine_isa::{Fault, Memory, Width};

use crate::arch;

/// `push-into-frame`: what an emulated push stores lands in the trap's own frame.
pub const PUSH_INTO_FRAME: &str = "push-into-frame";

/// The chosen defect's index in [`arch::MUTANTS`].
static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Chooses the defect of this name; whether there is one.
pub fn choose(name: &[u8]) -> bool {
    let mut known = arch::MUTANTS.iter();
    let Some(index) = known.position(|mutant| mutant.as_bytes() == name) else {
        return false;
    };
    CHOSEN.store(index, Ordering::Relaxed);
    true
}

/// Whether it is this one.
pub fn is_chosen(name: &str) -> bool {
    arch::MUTANTS.get(CHOSEN.load(Ordering::Relaxed)) == Some(&name)
}

/// Memory in whose way, with `push-into-frame`, a trap's frame lies as it did on kernels that keep
/// no room below the interrupted stack pointer: the first words that an instruction stores become
/// words of the frame.
pub struct IntoFrame<M> {
    memory: M,
    frame: *mut usize,
    overlaid: &'static [usize],
    kept: usize,
    stored: usize,
}

impl<M> IntoFrame<M> {
    /// `memory`, and the words of `frame` that are overlaid, with the bits of a word that are
    /// `kept`.
    pub fn new(memory: M, frame: *mut usize, overlaid: &'static [usize], kept: usize) -> Self {
        Self {
            memory,
            frame,
            overlaid,
            kept,
            stored: 0,
        }
    }
}

impl<M: Memory> Memory for IntoFrame<M> {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        self.memory.load(address, width)
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        self.memory.store(address, width, value)?;
        let overlaid = self.overlaid.get(self.stored);
        self.stored = self.stored.wrapping_add(1);
        if let Some(&index) = overlaid.filter(|_| is_chosen(PUSH_INTO_FRAME)) {
            let word = value as usize & self.kept;
            // SAFETY: inside `struct pt_regs`, whose address the trap's handler was given. It is
            // meant to be wrong: whoever restores this frame restores the word.
            unsafe { self.frame.wrapping_add(index).write_volatile(word) };
        }
        Ok(())
    }
}
