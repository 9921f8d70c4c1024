//! The agent's end of the channel: whole questions and answers, as `engine_abi` lays them out.

use alloc::vec::Vec;
use core::cell::RefCell;

use engine_abi::channel::{Answer, BODIES_MAX, BODY_MAX, Question};
use engine_abi::{Opened, PROGRAM_MAX, UNWIND_ROWS_MAX, UnwindRow};
use engine_tracer::{BadAddress, Caller, OutOfMemory, filled};
use zerocopy::IntoBytes;

use crate::sys::{self, Fd};

/// The most memory that a question can bring, in bytes.
const MEMORY_MAX: usize = {
    let rows = UNWIND_ROWS_MAX as usize * size_of::<UnwindRow>();
    if rows > PROGRAM_MAX as usize {
        rows
    } else {
        PROGRAM_MAX as usize
    }
};

/// The command has closed its end, or sent what is no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

impl From<OutOfMemory> for Closed {
    fn from(_: OutOfMemory) -> Self {
        Self
    }
}

/// A question, and the memory that its struct refers to; what is answered is collected here.
pub struct Asked {
    number: u32,
    /// Its structs, aligned as they need it.
    bodies: Vec<u64>,
    /// The size of each.
    length: usize,
    memory: Vec<u8>,
    written: RefCell<Vec<u8>>,
}

/// Reads a question.
pub fn receive(from: Fd) -> Result<Asked, Closed> {
    let mut question = Question::default();
    fill(from, question.as_mut_bytes())?;
    let (length, count) = (question.body as usize, question.count as usize);
    let is_aligned = count <= 1 || length.is_multiple_of(size_of::<u64>());
    if !is_aligned || length > BODY_MAX || count > BODIES_MAX {
        return Err(Closed);
    }
    let words = length.div_ceil(size_of::<u64>());
    let mut bodies = filled(words.wrapping_mul(count), || 0)?;
    let size = length.wrapping_mul(count);
    fill(from, bodies.as_mut_bytes().get_mut(..size).ok_or(Closed)?)?;
    let size = question.memory as usize;
    if size > MEMORY_MAX {
        return Err(Closed);
    }
    let mut memory = filled(size, || 0)?;
    fill(from, &mut memory)?;
    Ok(Asked {
        number: question.number,
        bodies,
        length,
        memory,
        written: RefCell::default(),
    })
}

impl Asked {
    /// Has it answered by `answer`, which gets the number, each struct and the memory; and sends
    /// that.
    pub fn answer(
        mut self,
        to: Fd,
        mut answer: impl FnMut(u32, &mut [u8], &Memory<'_>) -> u32,
    ) -> Result<(), Closed> {
        let memory = Memory {
            from: &self.memory,
            to: &self.written,
        };
        let (mut error, mut done) = (0, 0_u32);
        let words = self.length.div_ceil(size_of::<u64>()).max(1);
        let count = self.bodies.len() / words;
        for body in self.bodies.chunks_exact_mut(words) {
            let body = body.as_mut_bytes().get_mut(..self.length);
            error = answer(self.number, body.unwrap_or_default(), &memory);
            if error != 0 {
                break;
            }
            done = done.wrapping_add(1);
        }
        let mut written = self.written.take();
        if error != 0 {
            written.clear();
        }
        let answer = Answer {
            error,
            done,
            memory: written.len() as u32,
        };
        // The command waits for both, so it is woken once.
        let size = self.length.wrapping_mul(count);
        let bodies = self.bodies.as_bytes().get(..size).unwrap_or_default();
        send(to, &[answer.as_bytes(), bodies].concat())?;
        send(to, &written)
    }
}

/// Reports that a thread waits.
pub fn report(to: Fd, opened: &Opened) -> Result<(), Closed> {
    send(to, opened.as_bytes())
}

/// The memory that a struct refers to. Addresses are those of the command, and mean nothing here:
/// what is read begins at the first, and what is written is sent in its order.
pub struct Memory<'a> {
    from: &'a [u8],
    to: &'a RefCell<Vec<u8>>,
}

impl Caller for Memory<'_> {
    fn copy_from(&self, to: &mut [u8], _: u64) -> Result<(), BadAddress> {
        let from = self.from.get(..to.len()).ok_or(BadAddress)?;
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        Ok(())
    }

    fn copy_to(&self, _: u64, from: &[u8]) -> Result<(), BadAddress> {
        let mut to = self.to.try_borrow_mut().map_err(|_| BadAddress)?;
        to.try_reserve(from.len()).map_err(|_| BadAddress)?;
        to.extend_from_slice(from);
        Ok(())
    }

    fn fault_in(&self, _: u64, _: usize) -> Result<(), BadAddress> {
        Err(BadAddress)
    }
}

fn fill(from: Fd, mut bytes: &mut [u8]) -> Result<(), Closed> {
    while !bytes.is_empty() {
        match sys::read(from, bytes) {
            Ok(0) | Err(_) => return Err(Closed),
            Ok(length) => bytes = bytes.get_mut(length..).ok_or(Closed)?,
        }
    }
    Ok(())
}

fn send(to: Fd, mut bytes: &[u8]) -> Result<(), Closed> {
    while !bytes.is_empty() {
        let length = sys::send(to, bytes).map_err(|_| Closed)?;
        bytes = bytes.get(length..).ok_or(Closed)?;
    }
    Ok(())
}
