//! What the harness and its agent in a guest say to each other over a serial line.
//!
//! A message is postcard's bytes and their CRC-32, stuffed by COBS and ended by a zero byte. Whatever
//! else gets on the line (a program in the guest can write to it) is noticed, and ends at the next zero.

use std::marker::PhantomData;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Both sides must be of one build; the agent says its version first.
pub const VERSION: u32 = 1;
/// The most that one message carries of a program's input or output.
pub const PIECE: usize = 4096;
/// The most that a message can be long; a line without an end for longer is no conversation.
const LONGEST: usize = 128 * 1024;

/// Which of several things that go on at once a message is about.
pub type Channel = u16;

/// From the harness to the guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// After a start or a restore: what no saved guest can know.
    Wake {
        /// The time, since the epoch.
        time: Duration,
        /// Randomness of the host's.
        seed: [u8; 32],
    },
    /// Run `sh -c command` in a process group of its own.
    Exec {
        /// The channel that its output and its end will come on.
        channel: Channel,
        /// The command.
        command: String,
    },
    /// Bytes for the standard input of what runs on the channel.
    Input {
        /// The channel.
        channel: Channel,
        /// At most [`PIECE`] bytes.
        bytes: Vec<u8>,
    },
    /// There is no more input.
    InputEnd {
        /// The channel.
        channel: Channel,
    },
    /// Send a signal to the process that was started on the channel, not to its group.
    Signal {
        /// The channel.
        channel: Channel,
        /// The signal's number.
        number: i32,
    },
    /// Write a text to a file that is there already, by one write.
    Write {
        /// The channel that the answer will come on.
        channel: Channel,
        /// The file.
        path: String,
        /// The text.
        text: String,
    },
}

/// From the guest to the harness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Word {
    /// The agent has started.
    Hello {
        /// Its [`VERSION`].
        version: u32,
    },
    /// The answer to [`Order::Wake`].
    Awake {
        /// What could not be set, if something could not.
        trouble: Option<String>,
    },
    /// Standard output.
    Output {
        /// The channel.
        channel: Channel,
        /// At most [`PIECE`] bytes.
        bytes: Vec<u8>,
    },
    /// Standard error.
    Error {
        /// The channel.
        channel: Channel,
        /// At most [`PIECE`] bytes.
        bytes: Vec<u8>,
    },
    /// The process on the channel has ended, and everything that it had written by then was sent.
    Ended {
        /// The channel, which is free again.
        channel: Channel,
        /// How.
        end: End,
    },
    /// The answer to [`Order::Signal`] and [`Order::Write`].
    Done {
        /// The channel.
        channel: Channel,
        /// Why it could not be done, if it could not.
        trouble: Option<String>,
    },
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By itself, with this status.
    Status(i32),
    /// By the signal of this number.
    Signal(i32),
    /// It did not begin.
    NotStarted(String),
}

/// What came over the line is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Something else wrote to the line, or bytes were lost.
    #[error("{0} bytes came over the line that are no message")]
    Garbled(usize),
    /// No message is that long.
    #[error("{0} bytes came over the line without the end of a message")]
    Endless(usize),
}

/// The bytes of one message.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    // Strings, numbers and lists of bytes are all that postcard is given here, and those it takes.
    let mut bytes = postcard::to_stdvec(message).unwrap_or_default();
    let sum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    let mut stuffed = cobs::encode_vec(&bytes);
    stuffed.push(0);
    stuffed
}

/// Makes messages of the bytes of a line, however these are cut.
#[derive(Debug)]
pub struct Decoder<M> {
    bytes: Vec<u8>,
    _of: PhantomData<M>,
}

impl<M> Default for Decoder<M> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            _of: PhantomData,
        }
    }
}

impl<M: DeserializeOwned> Decoder<M> {
    /// Takes what came over the line.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message, once all of it is there. Between zeros there need be none: who begins to
    /// speak can end by a zero what was on the line before.
    pub fn next_message(&mut self) -> Option<Result<M, WireError>> {
        let between = self.bytes.iter().take_while(|byte| **byte == 0).count();
        self.bytes.drain(..between);
        let Some(end) = self.bytes.iter().position(|byte| *byte == 0) else {
            let count = self.bytes.len();
            if count > LONGEST {
                self.bytes.clear();
                return Some(Err(WireError::Endless(count)));
            }
            return None;
        };
        let stuffed: Vec<u8> = self.bytes.drain(..=end).collect();
        let whole = decode(&stuffed[..end]);
        Some(whole.ok_or(WireError::Garbled(end)))
    }
}

fn decode<M: DeserializeOwned>(stuffed: &[u8]) -> Option<M> {
    let bytes = cobs::decode_vec(stuffed).ok()?;
    let (message, sum) = bytes.split_last_chunk::<4>()?;
    let is_whole = crc32fast::hash(message) == u32::from_le_bytes(*sum);
    is_whole.then(|| postcard::from_bytes(message).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(bytes: &[u8]) -> Word {
        Word::Output {
            channel: 3,
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn messages_survive_any_cut_and_any_byte() {
        let every: Vec<u8> = (0..=255).cycle().take(PIECE).collect();
        let words = [output(&every), output(&[]), Word::Awake { trouble: None }];
        let line: Vec<u8> = words.iter().flat_map(encode).collect();
        for cut in [1, 7, 255, 4096] {
            let mut decoder = Decoder::<Word>::default();
            let mut found = Vec::new();
            for piece in line.chunks(cut) {
                decoder.push(piece);
                while let Some(word) = decoder.next_message() {
                    found.push(word.expect("whole"));
                }
            }
            assert_eq!(found, words);
        }
    }

    #[test]
    fn what_is_no_message_is_noticed_and_the_next_one_is_understood() {
        let mut decoder = Decoder::<Word>::default();
        let mut line = encode(&output(b"lost"));
        line[4] ^= 1;
        line.extend(b"login: \0\0\0");
        line.extend(encode(&output(b"kept")));
        decoder.push(&line);
        let mut next = || decoder.next_message();
        assert!(matches!(next(), Some(Err(WireError::Garbled(_)))));
        assert_eq!(next(), Some(Err(WireError::Garbled(7))));
        assert_eq!(next(), Some(Ok(output(b"kept"))));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_line_without_an_end_does_not_grow_for_ever() {
        let mut decoder = Decoder::<Word>::default();
        decoder.push(&vec![1; LONGEST + 1]);
        let found = decoder.next_message();
        assert_eq!(found, Some(Err(WireError::Endless(LONGEST + 1))));
        assert_eq!(decoder.next_message(), None);
    }
}
