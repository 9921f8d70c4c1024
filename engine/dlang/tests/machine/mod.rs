//! A machine without a kernel: runs one clause of a compiled program, and keeps what it records.

use std::collections::HashMap;

use engine_dvm::{
    Builtin, Destructive, Env, Failure, Held, Memory, Refused, Unreadable, Verified, run,
};

/// The inputs and outputs of a run.
#[derive(Default)]
pub struct Machine {
    scalars: HashMap<(u32, Vec<u8>), u64>,
    /// The kernel's memory, at [`KERNEL`].
    pub kernel: Vec<u8>,
    /// `None` is null.
    values: HashMap<(u32, Vec<u8>), Option<Vec<u8>>>,
    /// Values of built-in variables that are not the usual ones.
    pub builtins: Vec<(Builtin, u64, u64)>,
    /// The record, if one was opened.
    pub record: Option<Vec<u8>>,
    /// The updates of aggregations: the row, the key, the value and the increment.
    pub given: Vec<(u32, Vec<u8>, u64, u64)>,
}

impl Machine {
    /// Runs a clause.
    pub fn run(&mut self, block: &[u64], clause: u32) -> Result<(), Failure> {
        let verified = Verified::new(block).expect("compiled programs are valid");
        let mut scratch = vec![0; verified.scratch() as usize];
        let mut heap = vec![0; verified.header().heap as usize];
        let mut tokens = vec![0; verified.tokens() as usize];
        let mut key = vec![0; verified.key_size_max() as usize];
        let memory = Memory {
            registers: &mut [0; 16],
            scratch: &mut scratch,
            heap: &mut heap,
            tokens: &mut tokens,
            key: &mut key,
        };
        self.record = None;
        let clause = verified.clause(clause).expect("it is there");
        run(clause, memory, self)
    }
}

/// User memory, at [`USER`].
const MEMORY: &[u8] = b"the user's memory\0-x\0y\0";

/// The address of the kernel's memory.
pub const KERNEL: u64 = 0x10_0000;

/// The address of user memory.
pub const USER: u64 = 0x1000;

impl Env for Machine {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        let at = usize::try_from(address.wrapping_sub(KERNEL)).map_err(|_| Unreadable)?;
        let found = self.kernel.get(at..).and_then(|it| it.get(..bytes.len()));
        bytes.copy_from_slice(found.ok_or(Unreadable)?);
        Ok(())
    }

    fn load_user(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        for (at, byte) in (address..).zip(bytes) {
            let at = usize::try_from(at.wrapping_sub(USER)).map_err(|_| Unreadable)?;
            *byte = *MEMORY.get(at).unwrap_or(&0);
        }
        Ok(())
    }

    fn builtin(&mut self, builtin: Builtin, index: u64) -> u64 {
        let mut given = self.builtins.iter();
        if let Some(given) = given.find(|it| (it.0, it.1) == (builtin, index)) {
            return given.2;
        }
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

    fn get_bytes(&mut self, variable: u32, key: &[u8], value: &mut [u8]) -> Held {
        match self.values.get(&(variable, key.to_vec())) {
            None => Held::Nothing,
            Some(None) => Held::Null,
            Some(Some(bytes)) => {
                value.copy_from_slice(bytes);
                Held::Value
            }
        }
    }

    fn set_bytes(&mut self, variable: u32, key: &[u8], value: Option<&[u8]>) {
        let key = (variable, key.to_vec());
        self.values.insert(key, value.map(<[u8]>::to_vec));
    }

    fn load_part(&mut self, variable: u32, offset: u32, bytes: &mut [u8]) {
        bytes.fill(0);
        if let Some(Some(found)) = self.values.get(&(variable, Vec::new())) {
            let there = found.iter().skip(offset as usize);
            bytes
                .iter_mut()
                .zip(there)
                .for_each(|(to, from)| *to = *from);
        }
    }

    fn store_part(&mut self, variable: u32, offset: u32, bytes: &[u8]) {
        let value = self.values.entry((variable, Vec::new()));
        let value = value.or_default().get_or_insert_default();
        let end = offset as usize + bytes.len();
        value.resize(end.max(value.len()), 0);
        value[offset as usize..end].copy_from_slice(bytes);
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

    fn descends_from(&mut self, _: u64) -> bool {
        false
    }

    fn speculation(&mut self) -> u64 {
        1
    }

    fn has_speculation(&self, speculation: u64) -> bool {
        speculation == 1
    }

    fn commit(&mut self, _: u64) {}

    fn discard(&mut self, _: u64) {}

    fn exit(&mut self) {}

    fn perform(&mut self, _: Destructive) -> Result<(), Refused> {
        Ok(())
    }

    fn store_user(&mut self, _: u64, _: &[u8]) -> Result<(), Refused> {
        Err(Refused)
    }
}
