//! The protocol between the harness and its agent in a guest, over a serial line.
//!
//! A frame is a postcard message and its CRC-32, encoded with COBS and terminated by a zero byte.
//! The line is not exclusive (the console or a program may write to it), so a receiver
//! resynchronizes at the next zero and reports what it skipped. Both ends are of one build: there
//! is no compatibility between versions.

use std::marker::PhantomData;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Protocol version. The agent announces it first, in [`Word::Hello`].
pub const VERSION: u32 = 1;
/// Most bytes of a process's input or output in one message.
pub const PIECE: usize = 4096;
/// Most bytes of a frame. More without a terminator is garbage.
const FRAME_MAX: usize = 128 * 1024;

/// Identifies one of several concurrent commands.
pub type Channel = u16;

/// From the harness to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// After a boot or a restore: sets what a saved guest cannot know. Answered by [`Word::Awake`].
    Wake {
        /// Time since the epoch.
        time: Duration,
        /// Entropy from the host.
        seed: [u8; 32],
    },
    /// Runs `sh -c command` in a process group of its own.
    Exec {
        /// Identifies the command from here until its [`Word::Ended`].
        channel: Channel,
        /// The shell command.
        command: String,
    },
    /// Bytes for the standard input of the channel's process.
    Input {
        /// The channel.
        channel: Channel,
        /// At most [`PIECE`] bytes.
        bytes: Vec<u8>,
    },
    /// End of input.
    InputEnd {
        /// The channel.
        channel: Channel,
    },
    /// Sends a signal to the channel's process, not to its group. Answered by [`Word::Done`].
    Signal {
        /// The channel.
        channel: Channel,
        /// The signal's number.
        number: i32,
    },
    /// Writes text to an existing file with a single write(2). Answered by [`Word::Done`].
    Write {
        /// The channel of the answer.
        channel: Channel,
        /// The file.
        path: String,
        /// The text.
        text: String,
    },
}

/// From the agent to the harness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Word {
    /// The agent has started.
    Hello {
        /// Its [`VERSION`].
        version: u32,
    },
    /// The answer to [`Order::Wake`].
    Awake {
        /// What could not be set, if anything.
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
    /// The channel's process has ended, and all output it wrote before that has been sent.
    Ended {
        /// The channel, now free again.
        channel: Channel,
        /// Exit status or signal.
        end: End,
    },
    /// The answer to [`Order::Signal`] and [`Order::Write`].
    Done {
        /// The channel.
        channel: Channel,
        /// Why it failed, if it did.
        trouble: Option<String>,
    },
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// It exited with this status.
    Status(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It could not be started, for this reason.
    NotStarted(String),
}

/// Bytes on the line that are no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A frame of this many bytes failed to decode: foreign output, or bytes were lost.
    #[error("{0} bytes received that are not a message")]
    Garbled(usize),
    /// This many bytes came without a terminator.
    #[error("{0} bytes received without the end of a message")]
    Endless(usize),
}

/// Encodes a message as a frame, including the terminating zero.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    // postcard cannot fail on the types used here: strings, integers and byte vectors.
    let mut bytes = postcard::to_stdvec(message).unwrap_or_default();
    let sum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    let mut stuffed = cobs::encode_vec(&bytes);
    stuffed.push(0);
    stuffed
}

/// Decodes frames from a byte stream that may be split anywhere.
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
    /// Appends received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message, or `None` until a frame is complete. Empty frames are skipped: a sender
    /// may start with a zero to terminate whatever was on the line before.
    pub fn next_message(&mut self) -> Option<Result<M, WireError>> {
        let between = self.bytes.iter().take_while(|byte| **byte == 0).count();
        self.bytes.drain(..between);
        let Some(end) = self.bytes.iter().position(|byte| *byte == 0) else {
            let count = self.bytes.len();
            if count > FRAME_MAX {
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
    fn messages_survive_any_split_and_any_byte() {
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
    fn garbage_is_reported_and_the_next_message_decoded() {
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
    fn an_unterminated_frame_does_not_grow_without_bound() {
        let mut decoder = Decoder::<Word>::default();
        decoder.push(&vec![1; FRAME_MAX + 1]);
        let found = decoder.next_message();
        assert_eq!(found, Some(Err(WireError::Endless(FRAME_MAX + 1))));
        assert_eq!(decoder.next_message(), None);
    }
}
