//! Plans: what a site's hit records, if it can be told before, as words that need nothing else to be
//! understood. A platform that has its own way to a site keeps the words with that, and has a hit recorded
//! by them ([`Tracer::record`]) instead of fired: without the site, the guard and the interpreter.
//!
//! A plan has, for each ECB: the consumer's number, and above it that of the record's units of 8 bytes; the
//! EPID, and above it the record's size; and three words for each unit: what of it is constant, and of one
//! value a mask, and its number, above which is the number of bits by which it is shifted.

use alloc::vec::Vec;

use engine_abi::RecordHeader;
use engine_dvm::{Builtin, Clause, Recorded, Source};
use engine_isa::Arch;
use engine_isa::body::Leaves;

use super::Session;
use crate::fire::table::LiveEcb;
use crate::platform::{Context, Platform};
use crate::tracer::Tracer;

/// The values at a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Value {
    /// The monotonic clock in nanoseconds.
    Time,
    /// The thread's ID.
    Thread,
    /// The first of the arguments.
    Argument,
    /// What the function returns.
    Returned = Self::Argument as usize + ARGUMENTS,
}

/// The number of arguments among the values.
const ARGUMENTS: usize = 6;

/// The number of values.
pub const VALUES: usize = Value::Returned as usize + 1;

/// The most words of a plan.
pub const WORDS_MAX: usize = 64;

/// A plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Its words.
    pub words: Vec<u64>,
    /// Whether it needs [`Value::Thread`].
    pub has_thread: bool,
}

/// The probe of a plan.
pub struct At {
    /// Its ID.
    pub probe: u32,
    /// The site's offset in the function.
    pub offset: u64,
    /// How the instruction leaves the function, for a `return` probe.
    pub leaves: Option<Leaves>,
}

impl Plan {
    /// Adds an ECB; none if its clause does more than to record such values, or the plan is full.
    pub fn add(
        &mut self,
        platform: &impl Platform,
        at: &At,
        ecb: &LiveEcb,
        clause: Clause<'_>,
    ) -> Option<()> {
        // A value's low bytes are its first ones.
        if cfg!(target_endian = "big") {
            return None;
        }
        let size = clause.record_size();
        let mut units = Vec::new();
        units.resize(size as usize / 8, Unit::default());
        let mut is_known = true;
        let is_recorded = clause.is_recorded(|recorded| {
            let unit = units.get_mut(recorded.offset as usize / 8);
            let known = known(platform, at, ecb, recorded.source);
            let added = unit.zip(known).and_then(|(unit, known)| {
                self.has_thread |= known == Known::Value(Value::Thread as u64);
                unit.add(known, recorded)
            });
            is_known &= added.is_some();
        });
        if !is_recorded || !is_known {
            return None;
        }
        let record = size.wrapping_add(size_of::<RecordHeader>() as u32);
        self.words
            .push(ecb.consumer as u64 | (units.len() as u64) << 32);
        self.words
            .push(u64::from(ecb.enabling.epid) | u64::from(record) << 32);
        let words = units.iter().flat_map(|it| [it.constant, it.mask, it.value]);
        self.words.extend(words);
        (self.words.len() <= WORDS_MAX).then_some(())
    }
}

/// What is known before of what a clause records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The number.
    Number(u64),
    /// Which value it is.
    Value(u64),
}

/// 8 bytes of a record.
#[derive(Debug, Clone, Copy, Default)]
struct Unit {
    constant: u64,
    mask: u64,
    value: u64,
}

impl Unit {
    fn add(&mut self, known: Known, recorded: Recorded) -> Option<()> {
        let bits = recorded.size.checked_mul(8)?;
        let mask = u64::MAX.checked_shr(64_u32.checked_sub(bits)?)?;
        let shift = recorded.offset % 8 * 8;
        match known {
            Known::Number(number) => self.constant |= (number & mask) << shift,
            Known::Value(_) if self.mask != 0 => return None,
            Known::Value(value) => {
                self.mask = mask;
                self.value = value | u64::from(shift) << 8;
            }
        }
        Some(())
    }
}

fn known(platform: &impl Platform, at: &At, ecb: &LiveEcb, source: Source) -> Option<Known> {
    let task = || platform.task(Context::Thread);
    let value = |value: Value| Known::Value(value as u64);
    Some(match (source, at.leaves) {
        (Source::Number(number), _) => Known::Number(number),
        (Source::Builtin(Builtin::Timestamp, _), _) => value(Value::Time),
        (Source::Builtin(Builtin::Tid, _), _) => value(Value::Thread),
        (Source::Builtin(Builtin::Id, _), _) => Known::Number(at.probe.into()),
        (Source::Builtin(Builtin::Epid, _), _) => Known::Number(ecb.enabling.epid.into()),
        (Source::Builtin(Builtin::Pid, _), _) => Known::Number(task().pid.into()),
        (Source::Builtin(Builtin::Ppid, _), _) => Known::Number(task().ppid.into()),
        (Source::Builtin(Builtin::Arg, index), None) if index < ARGUMENTS as u64 => {
            Known::Value((Value::Argument as u64).wrapping_add(index))
        }
        (Source::Builtin(Builtin::Arg, 0), Some(_)) => Known::Number(at.offset),
        (Source::Builtin(Builtin::Arg, 1), Some(Leaves::Return)) => value(Value::Returned),
        (Source::Builtin(Builtin::Arg, _), Some(_)) => Known::Number(0),
        (Source::Builtin(..), _) => return None,
    })
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Records a hit by a plan's words. Called on a CPU that nothing else fires on.
    #[inline(always)]
    pub fn record(&self, cpu: usize, words: &[u64], values: &[u64; VALUES]) {
        let [consumer, record, behind @ ..] = words else {
            return;
        };
        let (units, _) = behind.as_chunks();
        // Most plans have one ECB.
        if units.len() != (consumer >> 32) as usize {
            return self.record_each(cpu, words, values);
        }
        self.with_session(*consumer as u32 as usize, |session| {
            session.record(cpu, *record, units, values);
        });
    }

    #[cold]
    #[inline(never)]
    fn record_each(&self, cpu: usize, words: &[u64], values: &[u64; VALUES]) {
        let mut rest = words;
        while let [consumer, record, behind @ ..] = rest {
            let (units, _) = behind.as_chunks();
            let Some(units) = units.get(..(consumer >> 32) as usize) else {
                return;
            };
            self.with_session(*consumer as u32 as usize, |session| {
                session.record(cpu, *record, units, values);
            });
            let used = units.as_flattened().len();
            rest = behind.get(used..).unwrap_or_default();
        }
    }
}

impl<P: Platform> Session<P> {
    #[inline(always)]
    fn record(&self, cpu: usize, record: u64, units: &[[u64; 3]], values: &[u64; VALUES]) {
        if !self.activity.admits(None) {
            return;
        }
        let [timestamp, ..] = *values;
        let header = RecordHeader {
            epid: record as u32,
            size: (record >> 32) as u32,
            timestamp,
        };
        let unit = |[constant, mask, of]: &[u64; 3]| {
            let value = values.get(*of as u8 as usize).copied().unwrap_or_default();
            (value & mask) << (of >> 8 & 63) | constant
        };
        if let Some(ring) = self.rings.of(cpu) {
            ring.append(header, units.iter().map(unit));
        }
    }
}

const _: () = assert!(Value::Time as usize == 0);
