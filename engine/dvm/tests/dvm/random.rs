//! Random blocks. An accepted one runs without a panic, calls its environment only within its
//! tables, and does not observe the previous contents of its memory.

use engine_abi::{FieldKind, Span, ValueKind};
use engine_dvm::{
    Builtin, Clause, Destructive, Env, Failure, Held, Location, Memory, Refused, Unreadable,
    Verified, run,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::generate::{KERNEL, USER, program};
use engine_testkit::tally::Property;

/// An environment that checks calls against the program's tables, and hashes them.
struct RandomEnv<'a> {
    program: &'a Verified<Vec<u64>>,
    clause: Clause<'a>,
    is_open: bool,
    /// The hash of all calls.
    trace: u64,
}

impl RandomEnv<'_> {
    /// Adds a call with its bytes to the hash.
    fn note(&mut self, what: u64, bytes: &[u8]) {
        let words = bytes.iter().map(|byte| u64::from(*byte));
        for word in [what].into_iter().chain(words) {
            self.trace = (self.trace ^ word).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// A value derived from all calls so far.
    fn answer(&mut self) -> u64 {
        self.note(1, &[]);
        self.trace >> (self.trace & 63)
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = b"/a, \0\xff"[(self.answer() % 6) as usize];
        }
    }

    /// Reads a page that contains a string at every multiple of 32.
    fn page(&mut self, begin: u64, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        self.note(address, &[]);
        let offset = address.wrapping_sub(begin);
        let end = offset.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > 4096) {
            return Err(Unreadable);
        }
        for (byte, at) in bytes.iter_mut().zip(offset..) {
            *byte = if at % 32 == 31 {
                0
            } else {
                b'/' + (at % 7) as u8
            };
        }
        Ok(())
    }

    fn variable(&mut self, number: u32, key: &[u8]) -> engine_dvm::Variable {
        let variable = self.program.variable(number).unwrap();
        self.key(variable.keys, key);
        self.note(number.into(), key);
        variable
    }

    fn key(&self, keys: Span, key: &[u8]) {
        assert_eq!(key.len(), self.program.key_size(keys) as usize);
        let mut rest = key;
        for part in self.program.keys(keys) {
            let (bytes, behind) = rest.split_at(part.size as usize);
            rest = behind;
            if part.kind == FieldKind::Text {
                padded(bytes, self.program.header().string_size as usize);
            }
        }
    }
}

/// A string ends within `size`, followed by zeros only.
fn padded(bytes: &[u8], size: usize) {
    let length = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    assert!(length < size, "{bytes:?}");
    assert!(bytes[length..].iter().all(|byte| *byte == 0), "{bytes:?}");
}

impl Env for RandomEnv<'_> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        assert_eq!(Location::of(address), Location::Outside);
        self.page(KERNEL, address, bytes)
    }

    fn load_user(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        self.page(USER, address, bytes)
    }

    fn builtin(&mut self, builtin: Builtin, index: u64) -> u64 {
        assert!(!builtin.is_text());
        assert!(builtin.is_indexed() || index == 0);
        self.answer()
    }

    fn builtin_text(&mut self, builtin: Builtin, text: &mut [u8]) -> usize {
        assert!(builtin.is_text());
        let length = self.answer() as usize % (text.len() + 1);
        text[..length].fill(b'n');
        length
    }

    fn stack(&mut self, frames: &mut [u8]) {
        assert_eq!(frames.len() % 8, 0);
        self.fill(frames);
    }

    fn user_stack(&mut self, words: &mut [u8]) {
        assert_eq!(words.len() % 8, 0);
        self.fill(words);
    }

    fn get(&mut self, variable: u32, key: &[u8]) -> u64 {
        assert_eq!(self.variable(variable, key).kind, ValueKind::Scalar);
        self.answer()
    }

    fn set(&mut self, variable: u32, key: &[u8], value: u64) {
        assert_eq!(self.variable(variable, key).kind, ValueKind::Scalar);
        self.note(value, &[]);
    }

    fn get_bytes(&mut self, variable: u32, key: &[u8], value: &mut [u8]) -> Held {
        let variable = self.variable(variable, key);
        assert_eq!(value.len(), variable.size as usize);
        self.fill(value);
        match self.answer() % 4 {
            0 => Held::Nothing,
            1 => Held::Null,
            _ => Held::Value,
        }
    }

    fn set_bytes(&mut self, variable: u32, key: &[u8], value: Option<&[u8]>) {
        let variable = self.variable(variable, key);
        let Some(value) = value else { return };
        assert_eq!(value.len(), variable.size as usize);
        if variable.kind == ValueKind::Text {
            padded(value, value.len());
        }
        self.note(2, value);
    }

    fn load_part(&mut self, variable: u32, offset: u32, bytes: &mut [u8]) {
        let variable = self.variable(variable, &[]);
        assert_eq!(variable.kind, ValueKind::Bytes);
        assert!(offset as usize + bytes.len() <= variable.size as usize);
        self.fill(bytes);
    }

    fn store_part(&mut self, variable: u32, offset: u32, bytes: &[u8]) {
        let variable = self.variable(variable, &[]);
        assert_eq!(variable.kind, ValueKind::Bytes);
        assert!(offset as usize + bytes.len() <= variable.size as usize);
        self.note(3, bytes);
    }

    fn open(&mut self, speculation: Option<u64>) -> bool {
        assert!(!self.is_open);
        self.is_open = true;
        self.note(speculation.unwrap_or(3), &[]);
        true
    }

    fn record(&mut self, offset: u32, bytes: &[u8]) {
        assert!(self.is_open);
        let field = self
            .clause
            .fields()
            .find(|field| field.offset == offset)
            .unwrap();
        assert_eq!(bytes.len(), field.size as usize);
        assert!(offset + field.size <= self.clause.record_size());
        if field.kind == FieldKind::Text {
            padded(bytes, bytes.len());
        }
        self.note(offset.into(), bytes);
    }

    fn aggregate(&mut self, aggregation: u32, key: &[u8], value: u64, increment: u64) {
        let aggregation = self.program.aggregation(aggregation).unwrap();
        self.key(aggregation.keys, key);
        self.note(value, key);
        let mut words =
            vec![aggregation.aggregate.initial(); aggregation.aggregate.words() as usize];
        aggregation
            .aggregate
            .update(&mut words[..], value, increment);
    }

    fn random(&mut self) -> u64 {
        self.answer()
    }

    fn descends_from(&mut self, pid: u64) -> bool {
        self.note(pid, &[]);
        self.answer().is_multiple_of(2)
    }

    fn speculation(&mut self) -> u64 {
        self.answer()
    }

    fn has_speculation(&self, speculation: u64) -> bool {
        speculation < 100
    }

    fn commit(&mut self, speculation: u64) {
        self.note(speculation, &[]);
    }

    fn discard(&mut self, speculation: u64) {
        self.note(speculation, &[]);
    }

    fn exit(&mut self) {
        self.note(4, &[]);
    }

    fn perform(&mut self, action: Destructive) -> Result<(), Refused> {
        assert!(self.program.is_destructive());
        self.note(5, format!("{action:?}").as_bytes());
        self.answer().is_multiple_of(2).then_some(()).ok_or(Refused)
    }

    fn store_user(&mut self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
        assert!(self.program.is_destructive());
        self.note(address, bytes);
        self.answer().is_multiple_of(4).then_some(()).ok_or(Refused)
    }
}

/// Runs a clause in memory filled with `poison`. Returns what can be observed of the run.
fn ran(program: &Verified<Vec<u64>>, clause: Clause<'_>, poison: u8) -> (u64, Result<(), Failure>) {
    let mut env = RandomEnv {
        program,
        clause,
        is_open: false,
        trace: 0,
    };
    let mut scratch = vec![poison; program.scratch() as usize];
    let mut heap = vec![poison; program.header().heap as usize];
    let mut tokens = vec![poison; program.tokens() as usize];
    tokens[0] = 0;
    let mut key = vec![poison; program.key_size_max() as usize];
    let memory = Memory {
        registers: &mut [u64::from(poison); 16],
        scratch: &mut scratch,
        heap: &mut heap,
        tokens: &mut tokens,
        key: &mut key,
    };
    let result = run(clause, memory, &mut env);
    (env.trace, result)
}

/// Runs every clause of a block if it is valid. Returns whether it is.
fn judge(block: Vec<u64>) -> Result<bool, TestCaseError> {
    let Ok(program) = Verified::new(block) else {
        return Ok(false);
    };
    for number in 0..program.header().clauses {
        let clause = program.clause(number).unwrap();
        let first = ran(&program, clause, 0xa5);
        prop_assert_eq!(first, ran(&program, clause, b'x'));
        if let Err(failure) = first.1 {
            prop_assert!((failure.instruction as usize) < clause.instructions().count());
        }
    }
    Ok(true)
}

/// Checks blocks generated from tapes. At least `accepted` percent must be valid.
fn judge_all(
    name: &'static str,
    accepted: u32,
    block: impl Fn(&[u8]) -> Vec<u64>,
) -> Result<(), String> {
    let property = Property {
        file: file!(),
        name,
        accepted,
    };
    property.hold(vec(any::<u8>(), 0..400), |tape| judge(block(&tape)))
}

#[test]
fn random_programs_run_as_their_tables_say() -> Result<(), String> {
    judge_all("programs by chance", 60, |tape| program(tape).block())
}

/// The first bytes of a tape determine the modification: a position and a value, mostly small
/// enough for a register or a row.
#[test]
fn mutated_programs_run_as_their_tables_say_or_not_at_all() -> Result<(), String> {
    judge_all("mutated programs", 1, |tape| {
        let (changes, tape) = tape.split_at(tape.len().min(6));
        let mut block = program(tape).block();
        for change in changes.chunks_exact(3) {
            let place = usize::from(u16::from_ne_bytes([change[0], change[1]]));
            let word = place / 8 % block.len();
            let shift = 8 * (place % 8) as u32;
            let byte = match change[2] {
                small @ 0..224 => small % 16,
                any => any,
            };
            block[word] = block[word] & !(0xff << shift) | u64::from(byte) << shift;
        }
        block
    })
}

#[test]
fn random_bytes_are_no_programs_and_do_no_harm() -> Result<(), String> {
    judge_all("bytes by chance", 0, |tape| {
        let words = tape.chunks_exact(8);
        words
            .map(|word| u64::from_ne_bytes(word.try_into().unwrap()))
            .collect()
    })
}
