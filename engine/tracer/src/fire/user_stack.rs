//! A walk over the stack of the current user thread. Fire path.

use engine_abi::UnwindRow;

use crate::platform::{FrameLayout, Platform, UserFrame};
use crate::unwind::tables::Tables;
use crate::unwind::{At, Frame, Stack, caller};

/// The program counters of a user stack, innermost first. A stack is what its process has made of
/// it: whoever walks stops at a limit.
pub struct UserStack<'p, P> {
    memory: Memory<'p, P>,
    layout: FrameLayout,
    /// The first program counter, until it was returned.
    first: Option<u64>,
    next: Option<Next>,
    /// Signal frames left to step over.
    signals: u8,
}

/// The most signal frames of a walk. What they have stored may lead back to them.
const SIGNALS_MAX: u8 = 16;

/// How the next frame is found.
enum Next {
    /// It is this one.
    Itself(Frame),
    /// It is this one's caller.
    CallerOf(Frame),
}

/// What a walk reads.
struct Memory<'p, P> {
    platform: &'p P,
    tables: &'p Tables,
    /// The key of the current address space.
    space: usize,
}

impl<'p, P: Platform> UserStack<'p, P> {
    /// The stack of a thread in this frame.
    pub fn new(platform: &'p P, tables: &'p Tables, start: &UserFrame, at: At) -> Self {
        let frame = Frame {
            at,
            lr: start.layout.has_link.then_some(start.lr),
            ..frame(start)
        };
        Self::begin(platform, tables, start, start.pc, Next::CallerOf(frame))
    }

    /// The stack of a thread at `pc` where a function returns to `caller`.
    pub fn leaving(platform: &'p P, tables: &'p Tables, pc: u64, caller: &UserFrame) -> Self {
        Self::begin(platform, tables, caller, pc, Next::Itself(frame(caller)))
    }

    fn begin(platform: &'p P, tables: &'p Tables, start: &UserFrame, pc: u64, next: Next) -> Self {
        Self {
            memory: Memory {
                platform,
                tables,
                space: platform.current_space(),
            },
            layout: start.layout,
            first: Some(pc),
            next: Some(next),
            signals: SIGNALS_MAX,
        }
    }
}

impl<P: Platform> Iterator for UserStack<'_, P> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let frame = match self.next.take()? {
            Next::Itself(frame) => frame,
            Next::CallerOf(frame) => caller(&mut self.memory, self.layout, &frame).ok()?,
        };
        if frame.at == At::Instruction {
            self.signals = self.signals.checked_sub(1)?;
        }
        self.next = Some(Next::CallerOf(frame));
        Some(frame.pc)
    }
}

impl<P: Platform> Stack for Memory<'_, P> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Option<()> {
        self.platform.load_user(address, bytes).ok()
    }

    fn row(&mut self, address: u64) -> Option<UnwindRow> {
        self.tables.row(self.space, address)
    }
}

/// The frame behind a call with these registers.
fn frame(start: &UserFrame) -> Frame {
    let UserFrame { pc, sp, fp, .. } = *start;
    Frame {
        pc: pc & start.layout.mask,
        sp,
        fp,
        lr: None,
        at: At::Call,
    }
}
