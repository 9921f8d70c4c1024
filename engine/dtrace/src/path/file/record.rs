//! Records.

use super::fields::{Fields, Malformed, put, put_bytes, put_difference};

/// How a program was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Begin {
    /// Its command line.
    pub command: Vec<Vec<u8>>,
    /// When it began: nanoseconds since 1970.
    pub time: u64,
    /// The instruction set: `x86_64`.
    pub architecture: Vec<u8>,
}

/// A mapping that code is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    pub start: u64,
    pub end: u64,
    /// In its file.
    pub offset: u64,
    /// Whether its text can change.
    pub changes: bool,
    /// Of its file; empty if it has none.
    pub name: Vec<u8>,
}

/// Decisions of a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Run {
    /// How many bits there are.
    pub count: u64,
    /// A bit for each decision, the lowest of a byte first: a branch is taken; the target of an indirect one,
    /// or the number of a block, is what was predicted.
    pub bits: Vec<u8>,
    /// What was not predicted.
    pub values: Vec<u64>,
}

/// What happened to a thread beside its branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// It begins at an address; its ID, 0 if that is not known.
    Start { at: u64, id: u32 },
    /// It has another generation from its arrival at an address on.
    Generation { at: u64, generation: u32 },
    /// A signal was delivered before an instruction.
    Signal { signal: u8, at: u64, handler: u64 },
    /// A handler returned, by a system call.
    SignalReturn { at: u64, to: u64 },
    /// It ended by a system call.
    End { at: u64 },
    /// It is not recorded from an instruction on: why, as `engine_abi::path::Left` has it.
    Left { at: u64, why: u8 },
    /// It made a process or thread, by a system call.
    Clone { at: u64, child: u32 },
    /// It executes a program, by a system call.
    Exec { at: u64 },
    /// Its events made no sense from here on.
    Lost { at: u64, why: Vec<u8> },
}

/// A record. Threads have numbers in the order in which they begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    Begin(Begin),
    Map(Map),
    /// Text, of a block that has a number and a generation as `engine_abi::path::TEXT` has them. Blocks
    /// themselves are counted in the order of these records.
    Text {
        number: u32,
        generation: u32,
        address: u64,
        text: Vec<u8>,
    },
    /// Another number, for a block that was counted.
    Again {
        number: u32,
        generation: u32,
        block: u32,
    },
    Run(u32, Run),
    Mark(u32, Kind),
    /// The file is complete.
    Finish,
}

const BEGIN: u8 = 1;
const MAP: u8 = 2;
const TEXT: u8 = 3;
const AGAIN: u8 = 4;
const RUN: u8 = 5;
const FINISH: u8 = 6;
/// Marks.
const START: u8 = 16;
const GENERATION: u8 = 17;
const SIGNAL: u8 = 18;
const SIGNAL_RETURN: u8 = 19;
const END: u8 = 20;
const LEFT: u8 = 21;
const CLONE: u8 = 22;
const EXEC: u8 = 23;
const LOST: u8 = 24;

impl Record {
    /// Appends its bytes.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Begin(begin) => begin.write(bytes),
            Self::Map(map) => map.write(bytes),
            Self::Text {
                number,
                generation,
                address,
                text,
            } => write_text(bytes, [*number, *generation], *address, text),
            Self::Again {
                number,
                generation,
                block,
            } => fields(bytes, AGAIN, &[*number, *generation, *block].map(u64::from)),
            Self::Run(thread, run) => run.write(bytes, *thread),
            Self::Mark(thread, kind) => kind.write(bytes, u64::from(*thread)),
            Self::Finish => bytes.push(FINISH),
        }
    }

    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Malformed> {
        Ok(match fields.byte()? {
            BEGIN => Self::Begin(Begin::read(fields)?),
            MAP => Self::Map(Map::read(fields)?),
            TEXT => Self::Text {
                number: fields.short()?,
                generation: fields.short()?,
                address: fields.number()?,
                text: fields.bytes()?.to_vec(),
            },
            AGAIN => Self::Again {
                number: fields.short()?,
                generation: fields.short()?,
                block: fields.short()?,
            },
            RUN => Self::Run(fields.short()?, Run::read(fields)?),
            FINISH => Self::Finish,
            tag => Self::Mark(fields.short()?, Kind::read(tag, fields)?),
        })
    }
}

/// Appends a record of numbers.
fn fields(bytes: &mut Vec<u8>, tag: u8, values: &[u64]) {
    bytes.push(tag);
    values.iter().for_each(|value| put(bytes, *value));
}

/// Appends a record of text.
pub fn write_text(bytes: &mut Vec<u8>, numbers: [u32; 2], address: u64, text: &[u8]) {
    let [number, generation] = numbers.map(u64::from);
    fields(bytes, TEXT, &[number, generation, address]);
    put_bytes(bytes, text);
}

impl Begin {
    fn write(&self, bytes: &mut Vec<u8>) {
        fields(bytes, BEGIN, &[self.time]);
        put_bytes(bytes, &self.architecture);
        put(bytes, self.command.len() as u64);
        self.command.iter().for_each(|word| put_bytes(bytes, word));
    }

    fn read(fields: &mut Fields<'_>) -> Result<Self, Malformed> {
        let time = fields.number()?;
        let architecture = fields.bytes()?.to_vec();
        let mut command = Vec::new();
        for _ in 0..fields.number()? {
            command.push(fields.bytes()?.to_vec());
        }
        Ok(Self {
            command,
            time,
            architecture,
        })
    }
}

impl Map {
    fn write(&self, bytes: &mut Vec<u8>) {
        let changes = u64::from(self.changes);
        fields(bytes, MAP, &[self.start, self.end, self.offset, changes]);
        put_bytes(bytes, &self.name);
    }

    fn read(fields: &mut Fields<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            start: fields.number()?,
            end: fields.number()?,
            offset: fields.number()?,
            changes: fields.number()? != 0,
            name: fields.bytes()?.to_vec(),
        })
    }
}

impl Run {
    fn write(&self, bytes: &mut Vec<u8>, thread: u32) {
        fields(bytes, RUN, &[thread.into(), self.count]);
        bytes.extend_from_slice(&self.bits);
        put(bytes, self.values.len() as u64);
        let mut before = 0;
        for value in &self.values {
            put_difference(bytes, *value, before);
            before = *value;
        }
    }

    fn read(fields: &mut Fields<'_>) -> Result<Self, Malformed> {
        let count = fields.number()?;
        let mut bits = Vec::new();
        for _ in 0..count.div_ceil(8) {
            bits.push(fields.byte()?);
        }
        let mut values = Vec::new();
        let mut before = 0;
        for _ in 0..fields.number()? {
            before = fields.difference(before)?;
            values.push(before);
        }
        Ok(Self {
            count,
            bits,
            values,
        })
    }
}

impl Kind {
    fn write(&self, bytes: &mut Vec<u8>, thread: u64) {
        let mut put = |tag, values: &[u64]| {
            fields(bytes, tag, &[thread]);
            values.iter().for_each(|value| put(bytes, *value));
        };
        match *self {
            Self::Start { at, id } => put(START, &[at, id.into()]),
            Self::Generation { at, generation } => put(GENERATION, &[at, generation.into()]),
            Self::Signal {
                signal,
                at,
                handler,
            } => put(SIGNAL, &[signal.into(), at, handler]),
            Self::SignalReturn { at, to } => put(SIGNAL_RETURN, &[at, to]),
            Self::End { at } => put(END, &[at]),
            Self::Left { at, why } => put(LEFT, &[at, why.into()]),
            Self::Clone { at, child } => put(CLONE, &[at, child.into()]),
            Self::Exec { at } => put(EXEC, &[at]),
            Self::Lost { at, ref why } => {
                put(LOST, &[at]);
                put_bytes(bytes, why);
            }
        }
    }

    fn read(tag: u8, fields: &mut Fields<'_>) -> Result<Self, Malformed> {
        let byte = |fields: &mut Fields<'_>| u8::try_from(fields.number()?).map_err(|_| Malformed);
        Ok(match tag {
            START => Self::Start {
                at: fields.number()?,
                id: fields.short()?,
            },
            GENERATION => Self::Generation {
                at: fields.number()?,
                generation: fields.short()?,
            },
            SIGNAL => Self::Signal {
                signal: byte(fields)?,
                at: fields.number()?,
                handler: fields.number()?,
            },
            SIGNAL_RETURN => Self::SignalReturn {
                at: fields.number()?,
                to: fields.number()?,
            },
            END => Self::End {
                at: fields.number()?,
            },
            LEFT => Self::Left {
                at: fields.number()?,
                why: byte(fields)?,
            },
            CLONE => Self::Clone {
                at: fields.number()?,
                child: fields.short()?,
            },
            EXEC => Self::Exec {
                at: fields.number()?,
            },
            LOST => Self::Lost {
                at: fields.number()?,
                why: fields.bytes()?.to_vec(),
            },
            _ => return Err(Malformed),
        })
    }
}
