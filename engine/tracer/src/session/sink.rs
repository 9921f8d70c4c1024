//! Copies records out of the engine to the consumer. Control side only.

use engine_abi::RecordHeader;
use zerocopy::IntoBytes;

use crate::session::arena::Arena;

/// The consumer's memory cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unwritten;

/// Copies the next bytes to the consumer. May sleep.
pub type Put<'a> = dyn FnMut(&[u8]) -> Result<(), Unwritten> + 'a;

/// Gathers 8-byte words in a bounce buffer and passes it on whenever it is full.
pub struct Sink<'a> {
    chunk: &'a mut [u8],
    filled: usize,
    room: usize,
    sent: usize,
    put: &'a mut Put<'a>,
}

impl<'a> Sink<'a> {
    /// A sink for at most `room` bytes; `chunk` is the bounce buffer, at least 8 bytes.
    pub fn new(room: usize, chunk: &'a mut [u8], put: &'a mut Put<'a>) -> Self {
        Self {
            chunk,
            filled: 0,
            room,
            sent: 0,
            put,
        }
    }

    /// How many more bytes it accepts.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Sends a record's header.
    pub fn header(&mut self, header: RecordHeader) -> Result<(), Unwritten> {
        let (words, _) = header.as_bytes().as_chunks::<8>();
        words.iter().try_for_each(|word| self.word(*word))
    }

    /// Sends `bytes` bytes of `memory` from offset `from`; both are multiples of 8.
    pub fn copy(&mut self, memory: &Arena, from: usize, bytes: usize) -> Result<(), Unwritten> {
        (0..bytes / 8).try_for_each(|word| {
            let at = from.wrapping_add(word.wrapping_mul(8));
            self.word(memory.load(at).to_ne_bytes())
        })
    }

    /// Passes on what is left in the bounce buffer. Returns the bytes sent in total.
    pub fn flush(&mut self) -> Result<usize, Unwritten> {
        if self.filled > 0 {
            (self.put)(self.chunk.get(..self.filled).unwrap_or_default())?;
            self.sent = self.sent.wrapping_add(self.filled);
            self.filled = 0;
        }
        Ok(self.sent)
    }

    fn word(&mut self, word: [u8; 8]) -> Result<(), Unwritten> {
        self.room = self.room.checked_sub(8).ok_or(Unwritten)?;
        let end = self.filled.wrapping_add(8);
        if end > self.chunk.len() {
            self.flush()?;
        }
        let rest = self.chunk.get_mut(self.filled..).unwrap_or_default();
        *rest.first_chunk_mut().ok_or(Unwritten)? = word;
        self.filled = self.filled.wrapping_add(8);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn send(room: usize, chunk: usize, bytes: usize) -> Result<Vec<u8>, Unwritten> {
        let memory = Arena::new(64).unwrap();
        (0..8u64).for_each(|word| memory.store(word as usize * 8, word));
        let (mut chunk, mut got) = (std::vec![0; chunk], Vec::new());
        let mut put = |part: &[u8]| {
            got.extend_from_slice(part);
            Ok(())
        };
        let mut sink = Sink::new(room, &mut chunk, &mut put);
        sink.copy(&memory, 8, bytes)?;
        assert_eq!(sink.flush(), Ok(bytes));
        Ok(got)
    }

    #[test]
    fn words_arrive_in_order_for_any_chunk_size() {
        for chunk in [8, 9, 16, 23, 24, 100] {
            let got = send(56, chunk, 56).unwrap();
            let words: Vec<u64> = got
                .as_chunks()
                .0
                .iter()
                .map(|word| u64::from_ne_bytes(*word))
                .collect();
            assert_eq!(words, (1..8).collect::<Vec<_>>(), "{chunk}");
        }
    }

    #[test]
    fn a_sink_refuses_more_than_its_room() {
        assert_eq!(send(55, 16, 56), Err(Unwritten));
        assert_eq!(send(56, 7, 56), Err(Unwritten), "a chunk below 8 bytes");
    }
}
