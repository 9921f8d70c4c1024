//! The function boundary tracing provider: a probe at the entry of every function of the kernel
//! proper whose first instruction the engine can stand in for.
//!
//! Functions that share an address count once, under the name that the kernel lists first: the
//! one its own tracers and backtraces print.
//!
//! Where a function begins with a slot of the kernel's function tracer, which is a no-op or a call
//! of that tracer, the probe is on the instruction after it. So both can come and go as they like.

use alloc::vec::Vec;
use core::ops::Range;

use engine_isa::{Plan, Why};

use super::toxic;
use crate::glob::matches;
use crate::grow::{OutOfMemory, push};
use crate::isa::Isa;
use crate::names::{Names, Span};
use crate::platform::{OffLimits, Platform};

/// The provider's name.
pub const PROVIDER: &[u8] = b"fbt";
/// The kernel proper, as a module's name.
pub const MODULE: &[u8] = b"vmlinux";
/// The name of a probe at a function's first instruction.
pub const ENTRY: &[u8] = b"entry";

/// A function's entry that can be probed.
#[derive(Debug)]
pub struct Probe<T> {
    /// Where the trap goes: its first instruction that is not the function tracer's.
    pub address: usize,
    /// The function's name.
    pub function: Span,
    /// How many active ECBs it has, over all consumers.
    pub ecbs: u32,
    /// The text that its plan was made for; while it is armed, what the trap displaced.
    pub text: T,
    /// Whether the trap is in place.
    pub armed: bool,
    /// Where a copy of the displaced instruction stands, if it has one.
    pub slot: Option<usize>,
}

/// A function's entry that cannot be probed.
#[derive(Debug)]
pub struct Refused {
    /// Where its first instruction is.
    pub address: usize,
    /// The function's name.
    pub function: Span,
    /// Why.
    pub reason: Reason,
}

/// Why a function has no probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The kernel forbids it.
    OffLimits(OffLimits),
    /// It is not a function, but a part of one.
    Part,
    /// It is not code.
    Data,
    /// It may run on the way to a trap's handler; with the sentence that says why.
    Toxic(&'static str),
    /// Its first instruction is a place that the kernel writes to as it runs.
    Rewritten,
    /// The instruction core will not stand in for its first instruction.
    Instruction(Why),
    /// Its text cannot be read.
    Unreadable,
}

impl Reason {
    /// The reason in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::OffLimits(reason) => reason.word(),
            Self::Part => "part",
            Self::Data => "data",
            Self::Toxic(_) => "toxic",
            Self::Rewritten => "rewritten",
            Self::Instruction(reason) => reason.word(),
            Self::Unreadable => "unreadable",
        }
    }

    /// The reason in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::OffLimits(reason) => reason.sentence(),
            Self::Part => "it is a part of another function, which does not begin there",
            Self::Data => "it is listed among functions, but no function begins with such a word",
            Self::Toxic(sentence) => sentence,
            Self::Rewritten => "the kernel rewrites this very instruction as it runs",
            Self::Instruction(reason) => reason.sentence(),
            Self::Unreadable => "its text cannot be read",
        }
    }
}

/// All functions of the kernel proper, in the order of their addresses.
#[derive(Debug)]
pub struct Fbt<T> {
    probes: Vec<Probe<T>>,
    refused: Vec<Refused>,
}

impl<T: Copy> Fbt<T> {
    /// Asks `platform` for its functions, and plans for each; their names go to `names`.
    pub fn provide<I: Isa<Text = T>, P: Platform>(
        platform: &P,
        names: &mut Names,
    ) -> Result<Self, OutOfMemory> {
        let mut fbt = Self {
            probes: Vec::new(),
            refused: Vec::new(),
        };
        let mut last = None;
        platform.each_function(&mut |name, address| {
            let site = address.wrapping_add(platform.ftrace_slot(address));
            // Not above the last: the same function again, or out of the order that sites need.
            if last.is_some_and(|last| site <= last) {
                return Ok(());
            }
            last = Some(site);
            let function = names.add(name)?;
            let planned = named::<I>(name).and_then(|()| entry::<I, P>(platform, site));
            fbt.add(planned, function, address, site)
        })?;
        Ok(fbt)
    }

    fn add(
        &mut self,
        planned: Result<T, Reason>,
        function: Span,
        address: usize,
        site: usize,
    ) -> Result<(), OutOfMemory> {
        match planned {
            Ok(text) => push(
                &mut self.probes,
                Probe {
                    address: site,
                    function,
                    ecbs: 0,
                    text,
                    armed: false,
                    slot: None,
                },
            ),
            Err(reason) => push(
                &mut self.refused,
                Refused {
                    address,
                    function,
                    reason,
                },
            ),
        }
    }

    /// The probes, in the order of their addresses.
    pub fn probes(&self) -> &[Probe<T>] {
        &self.probes
    }

    /// The probes, to be armed.
    pub fn probes_mut(&mut self) -> &mut [Probe<T>] {
        &mut self.probes
    }

    /// The functions without a probe.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }
}

/// Code seldom run, which the compiler has moved out of its function.
const PARTS: [&[u8]; 2] = [b"*.cold", b"*.cold.*"];

/// Whether a function of that name may have a probe.
fn named<I: Isa>(name: &[u8]) -> Result<(), Reason> {
    if PARTS.iter().any(|part| matches(part, name)) {
        return Err(Reason::Part);
    }
    match toxic::reason(name, I::TOXIC) {
        Some(reason) => Err(Reason::Toxic(reason)),
        None => Ok(()),
    }
}

/// The text at `address`, if a function begins there and a probe can be put there.
fn entry<I: Isa, P: Platform>(platform: &P, address: usize) -> Result<I::Text, Reason> {
    let text = text_at::<I, P>(platform, address)?;
    match I::begins_function(&text) {
        true => planned::<I, P>(platform, address, text),
        false => Err(Reason::Data),
    }
}

/// The text at `address`, if a probe can be put there.
pub fn probeable<I: Isa, P: Platform>(platform: &P, address: usize) -> Result<I::Text, Reason> {
    let text = text_at::<I, P>(platform, address)?;
    planned::<I, P>(platform, address, text)
}

/// The text at `address`, where the kernel allows a probe.
fn text_at<I: Isa, P: Platform>(platform: &P, address: usize) -> Result<I::Text, Reason> {
    if let Some(reason) = platform.off_limits(address) {
        return Err(Reason::OffLimits(reason));
    }
    let mut text = I::Text::default();
    match platform.peek(address, text.as_mut()) {
        Ok(()) => Ok(text),
        Err(_) => Err(Reason::Unreadable),
    }
}

/// `text`, which is at `address`, if the engine can stand in for its instruction.
fn planned<I: Isa, P: Platform>(
    platform: &P,
    address: usize,
    text: I::Text,
) -> Result<I::Text, Reason> {
    let plan = I::plan(&text);
    match plan {
        Plan::Refuse(why) => return Err(Reason::Instruction(why)),
        Plan::Relocate(relocation) => {
            let next = address.wrapping_add(I::length(&plan));
            if !is_in_reach::<I>(relocation, &platform.code_range(), address, next) {
                return Err(Reason::Instruction(Why::Far));
            }
        }
        Plan::Emulate(_) => {}
    }
    if I::is_placeholder(&text) && platform.rewritten(address) {
        return Err(Reason::Rewritten);
    }
    Ok(text)
}

/// Whether a copy can stand wherever there may be slots.
fn is_in_reach<I: Isa>(
    relocation: I::Relocation,
    slots: &Range<usize>,
    address: usize,
    next: usize,
) -> bool {
    [slots.start, slots.end]
        .into_iter()
        .all(|slot| I::slot(relocation, slot, address, next).is_some())
}
