//! Stacks and addresses of processes: the arguments of `stack` and `ustack`, and code for `uaddr` and
//! the like.

use engine_dvm::{Builtin, Op, Subroutine, limits};

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::functions::Action;
use crate::tables::USER_ADDRESS;
use crate::tag::Tag;
use crate::tree::Expression;

/// The maximum frames of a stack: as many as fit into a record.
const FRAMES_MAX: u32 = limits::RECORD_MAX / 8;

impl Emitter<'_> {
    /// The frames of `stack()`.
    pub(super) fn frames(&self, arguments: &[Expression]) -> Result<u32, Mistake> {
        let most = |frames: u32| frames.min(self.settings.frames_max);
        let [frames, more @ ..] = arguments else {
            let option = ("stackframes", self.settings.stack_frames);
            let frames = self.frames_by_option("stack", Tag::StackSize, option, FRAMES_MAX);
            return frames.map(most);
        };
        if !more.is_empty() {
            let message = "stack( ) prototype mismatch: too many arguments";
            return Err(Mistake::new(Tag::StackProto, frames.line, message));
        }
        let frames = self.frames_of("stack", Tag::StackSize, frames, FRAMES_MAX);
        frames.map(most)
    }

    /// The frames of `ustack()` or `jstack()`. The size of strings, for frames that only a helper in
    /// the process could name, is accepted and ignored.
    pub(super) fn user_frames(
        &self,
        action: Action,
        arguments: &[Expression],
    ) -> Result<u32, Mistake> {
        const MOST: u32 = limits::USER_FRAMES_MAX;
        let name = action.word();
        let [frames, more @ ..] = arguments else {
            let option = match action {
                Action::Jstack => ("jstackframes", self.settings.java_stack_frames),
                _ => ("ustackframes", self.settings.user_stack_frames),
            };
            return self.frames_by_option(name, Tag::UstackFrames, option, MOST);
        };
        if let [strings, ..] = more {
            let constant = strings.constant();
            if !constant.is_some_and(|it| it.value == 0 || it.is_positive(self.types)) {
                let message = format!("{name}( ) argument #2 must be a positive integer constant");
                return Err(Mistake::new(Tag::UstackStrsize, strings.line, message));
            }
        }
        if more.len() > 1 {
            let message = format!("{name}( ) prototype mismatch: too many arguments");
            return Err(Mistake::new(Tag::UstackProto, frames.line, message));
        }
        self.frames_of(name, Tag::UstackFrames, frames, MOST)
    }

    fn frames_of(
        &self,
        stack: &str,
        tag: Tag,
        frames: &Expression,
        most: u32,
    ) -> Result<u32, Mistake> {
        let Some(constant) = frames.constant().filter(|it| it.is_positive(self.types)) else {
            let message =
                format!("{stack}( ) size must be a non-zero positive integral constant expression");
            return Err(Mistake::new(tag, frames.line, message));
        };
        let fits = u32::try_from(constant.value).ok().filter(|it| *it <= most);
        fits.ok_or_else(|| {
            let message =
                format!("{stack}( ) size is too large: a record holds at most {most} frames");
            Mistake::new(tag, frames.line, message)
        })
    }

    /// The default frames.
    fn frames_by_option(
        &self,
        stack: &str,
        tag: Tag,
        (option, frames): (&str, u32),
        most: u32,
    ) -> Result<u32, Mistake> {
        if (1..=most).contains(&frames) {
            return Ok(frames);
        }
        let message = format!(
            "{stack}( ) size {frames} (option {option}) is out of range: a record holds 1 to {most} \
             frames"
        );
        Err(Mistake::new(tag, self.code.line, message))
    }

    /// Puts the ID of the process and the address on the heap; returns where.
    pub(super) fn user_address(&mut self, address: &Expression) -> Result<Register, Mistake> {
        let address = self.value(address)?;
        self.code.allocates(USER_ADDRESS);
        let size = self.code.constant(USER_ADDRESS.into())?;
        self.code.act(Op::Push, size, 0);
        self.code.give(size);
        let place = self.code.make(Op::Call, Subroutine::Alloca.code())?;
        let pid = self.builtin(Builtin::Pid, 0)?;
        self.store_word(place, pid);
        self.code.give(pid);
        let offset = self.code.constant(8)?;
        let operands = (place, offset);
        self.code.push(Op::Add, offset, operands, 0);
        self.store_word(offset, address);
        self.code.give(offset);
        self.code.give(address);
        Ok(place)
    }

    /// Stores a register's 64 bits.
    fn store_word(&mut self, to: Register, value: Register) {
        let operands = (to, value);
        self.code.push(Op::Stx, Register::ZERO, operands, 0);
    }
}
