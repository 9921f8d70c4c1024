//! A machine without a kernel: runs one clause of a compiled program, and keeps what it records.

use std::collections::HashMap;

use engine_dvm::{Builtin, Env, Failure, Memory, Unreadable, Verified, run};

/// The inputs and outputs of a run.
#[derive(Default)]
pub struct Machine {
    scalars: HashMap<(u32, Vec<u8>), u64>,
    values: HashMap<(u32, Vec<u8>), Vec<u8>>,
    /// The record, if one was opened.
    pub record: Option<Vec<u8>>,
    /// The updates of aggregations: the row, the key, the value and the increment.
    pub given: Vec<(u32, Vec<u8>, u64, u64)>,
}

impl Machine {
    /// Runs a clause.
    pub fn run(&mut self, block: &[u64], clause: u32) -> Result<(), Failure> {
        let verified = Verified::new(block).expect("compiled programs are valid");
        let mut scratch = vec![0; verified.scratch() as usize + 4096];
        let mut key = vec![0; verified.key_size_max() as usize];
        let memory = Memory {
            registers: &mut [0; 16],
            scratch: &mut scratch,
            key: &mut key,
        };
        self.record = None;
        let clause = verified.clause(clause).expect("it is there");
        run(clause, memory, self)
    }
}

/// User memory, at [`USER`].
const MEMORY: &[u8] = b"the user's memory\0";

/// The address of user memory.
pub const USER: u64 = 0x1000;

impl Env for Machine {
    fn load(&mut self, _: u64, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable)
    }

    fn load_user(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        for (at, byte) in (address..).zip(bytes) {
            let at = usize::try_from(at.wrapping_sub(USER)).map_err(|_| Unreadable)?;
            *byte = *MEMORY.get(at).unwrap_or(&0);
        }
        Ok(())
    }

    fn builtin(&mut self, builtin: Builtin, index: u64) -> u64 {
        match builtin {
            Builtin::Arg => USER + index,
            _ => u64::from(builtin.code()) * 100 + index,
        }
    }

    fn builtin_text(&mut self, builtin: Builtin, text: &mut [u8]) -> usize {
        let word = builtin.word().as_bytes();
        let length = word.len().min(text.len());
        text[..length].copy_from_slice(&word[..length]);
        length
    }

    fn stack(&mut self, frames: &mut [u8]) {
        for (number, frame) in (1u64..).zip(frames.chunks_mut(8)) {
            frame.copy_from_slice(&number.to_ne_bytes());
        }
    }

    fn user_stack(&mut self, frames: &mut [u8]) {
        for (number, frame) in (1u64..).zip(frames.chunks_mut(8)) {
            frame.copy_from_slice(&number.to_ne_bytes());
        }
    }

    fn get(&mut self, variable: u32, key: &[u8]) -> u64 {
        *self.scalars.get(&(variable, key.to_vec())).unwrap_or(&0)
    }

    fn set(&mut self, variable: u32, key: &[u8], value: u64) {
        self.scalars.insert((variable, key.to_vec()), value);
    }

    fn get_bytes(&mut self, variable: u32, key: &[u8], value: &mut [u8]) -> bool {
        match self.values.get(&(variable, key.to_vec())) {
            Some(bytes) => {
                value.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }

    fn set_bytes(&mut self, variable: u32, key: &[u8], value: Option<&[u8]>) {
        let key = (variable, key.to_vec());
        match value {
            Some(bytes) => drop(self.values.insert(key, bytes.to_vec())),
            None => drop(self.values.remove(&key)),
        }
    }

    fn open(&mut self, _: Option<u64>) -> bool {
        self.record = Some(vec![0; 4096]);
        true
    }

    fn record(&mut self, offset: u32, bytes: &[u8]) {
        let record = self.record.as_mut().expect("it is open");
        record[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn aggregate(&mut self, aggregation: u32, key: &[u8], value: u64, increment: u64) {
        self.given
            .push((aggregation, key.to_vec(), value, increment));
    }

    fn random(&mut self) -> u64 {
        4
    }

    fn speculation(&mut self) -> u64 {
        1
    }

    fn commit(&mut self, _: u64) {}

    fn discard(&mut self, _: u64) {}

    fn exit(&mut self) {}
}
