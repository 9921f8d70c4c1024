//! Seeded defects, to show that the scenarios can see one. Built in only with
//! `--cfg trapline_mutants`, and at most one is chosen, when the module is loaded.

use core::sync::atomic::{AtomicBool, Ordering};

use engine_isa::arm::Regs;
use engine_isa::{Fault, Memory, Width};

/// Whether `push-into-frame` is chosen.
static PUSH_INTO_FRAME: AtomicBool = AtomicBool::new(false);

/// Chooses the defect of this name; whether there is one.
pub fn choose(name: &[u8]) -> bool {
    match name {
        b"push-into-frame" => PUSH_INTO_FRAME.store(true, Ordering::Relaxed),
        _ => return false,
    }
    true
}

/// The two highest words of Linux' ARM `struct pt_regs`: the saved CPSR, and ORIG_r0.
const FRAME_TOP: [usize; 2] = [16, 17];

/// Reserved in ARMv6's CPSR, which ignores it. QEMU takes it for ARMv8's IL on any CPU, and would
/// have every value with it end the same way.
const IL: u32 = 1 << 20;

/// `push-into-frame`, the defect of 2013: emulated stores land in the trap's own frame.
///
/// That kernel kept no room below the interrupted stack pointer, so what `push {r4, lr}` stored
/// were also the two highest words of the frame: the trap returned with r4 for its CPSR, which is
/// harmless for some values of r4 and fatal for others. This kernel does keep room, so its frame
/// is overlaid here as that one's was: the first two words that an instruction stores become the
/// frame's two highest. Which makes it r4 for CPSR again in `sys_chdir`, `push {r4-r8, lr}` now.
pub struct IntoFrame<M> {
    memory: M,
    frame: *mut u32,
    stored: usize,
}

impl<M> IntoFrame<M> {
    /// `memory`, with `frame` lying in the way of what is stored to it.
    pub fn new(memory: M, frame: *mut Regs) -> Self {
        Self {
            memory,
            frame: frame.cast(),
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
        let word = value as u32;
        let overlaid = FRAME_TOP.get(self.stored);
        self.stored = self.stored.wrapping_add(1);
        if let Some(&index) = overlaid.filter(|_| PUSH_INTO_FRAME.load(Ordering::Relaxed)) {
            // SAFETY: inside `struct pt_regs`, whose address the trap's handler was given. It is
            // meant to be wrong: whoever restores this frame restores the word.
            unsafe { self.frame.wrapping_add(index).write_volatile(word & !IL) };
        }
        Ok(())
    }
}
