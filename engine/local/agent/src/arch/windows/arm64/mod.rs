//! Windows and detours of AArch64: a branch over one instruction.
//!
//! Control comes to a window's only instruction or does not, so what branches there need not be known. But
//! where indirect branches are checked (BTI) they may not lead to a branch: a landing pad is left alone, and
//! the instruction behind it displaced, if only the pad leads there.

mod guards;

use alloc::vec::Vec;
use core::ops::Range;

pub use guards::{Guard, guards};

use crate::arch::frame;
use crate::detour::{Detour, Form, Site};
use crate::entrances;
use crate::mapping::Mapping;
use crate::tally;
use engine_isa::Away;
use engine_isa::arm64::{OutOfLine, control};

/// Bytes of an instruction, and so of a branch.
pub const JUMP: usize = 4;

/// How far before a window's first instruction a site that it fires can be: at a landing pad.
pub const BEFORE: usize = 4;

/// A branch reaches 128 MiB: the most that code and its detour may be from one another, less an object and
/// a region.
pub const REACH: usize = 96 << 20;

/// Bytes of a gate.
const ONE_GATE: usize = 16;

/// Bytes of a region's gates: to fire, and to make a system call.
pub const GATE: usize = 2 * ONE_GATE;

/// Where the second is in its region.
const CALL_GATE: usize = ONE_GATE;

/// Before the return address of a detour's call to the gate is the address of its site: so many bytes.
pub const SITE: usize = 8 + 2 * JUMP;

/// Bytes of a region that is for code.
pub const REGION: usize = 256 << 10;

/// Bytes of code for each of which there is a tally: the code that counts is longer.
const PER_TALLY: usize = 16;

/// Bytes of a region's tallies, behind its code.
pub const TALLIES: usize = REGION / PER_TALLY * tally::SIZE;

/// `adr` reaches 1 MiB.
const _: () = assert!(REGION + TALLIES <= 1 << 20);

/// The sites of a window: the pad's, and its own.
const SITES_MAX: usize = 2;

/// Bytes of the longest code of a site, which counts without an atomic addition; and the most words around
/// the call of one that fires.
const FIRES: usize = (COUNT_BY_LOOP.len() + 1) * JUMP;
const _: () = assert!(FIRES >= SITE + 4 * JUMP);

/// Bytes of the longest detour: a guard's.
pub const DETOUR_MAX: usize = guards::LONGEST_DETOUR;
const _: () = assert!(SITES_MAX * FIRES + OutOfLine::LONGEST + JUMP <= DETOUR_MAX);

const PACIASP: u32 = 0xd503_233f;
const AUTIASP: u32 = 0xd503_23bf;
const PACIBSP: u32 = 0xd503_237f;
const AUTIBSP: u32 = 0xd503_23ff;

/// `stp x29, x30, [sp, #-16]!`; memory below the stack pointer is free.
const SAVE: u32 = 0xa9bf_7bfd;
/// `ldp x29, x30, [sp], #16`
const RESTORE: u32 = 0xa8c1_7bfd;

/// `stp x16, x17, [sp, #-16]!; adr x16, 0; mov x17, #1; stadd x17, [x16]; ldp x16, x17, [sp], #16`
const COUNT: [u32; 5] = [
    0xa9bf_47f0,
    0x1000_0010,
    0xd280_0031,
    0xf831_021f,
    0xa8c1_47f0,
];

/// The same with `1: ldxr x17, [x16]; add x17, x17, #1; stxr w15, x17, [x16]; cbnz w15, 1b`, and x15 saved.
const COUNT_BY_LOOP: [u32; 9] = [
    0xa9bf_47f0,
    0x1000_0010,
    0xf81f_0fef,
    0xc85f_7e11,
    0x9100_0631,
    0xc80f_7e11,
    0x35ff_ffaf,
    0xf841_07ef,
    0xa8c1_47f0,
];

/// Which of its instructions is `adr`.
const ADR: usize = 1;

const _: () = assert!(COUNT.len() * JUMP > PER_TALLY);

/// A window.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// The address of its only instruction.
    pub start: usize,
    pub length: usize,
    /// The first site that it fires: its own, or that of the landing pad before it.
    first: usize,
}

impl Window {
    /// Whether it fires a site.
    pub fn fires(&self, site: usize) -> bool {
        [self.first, self.start].contains(&site)
    }
}

/// The text of a function.
pub struct Body<'a> {
    mapping: &'a Mapping,
    function: Range<usize>,
}

/// `b` at `from`.
pub fn jump(from: usize, to: usize) -> [u8; JUMP] {
    branch(0x1400_0000, from, to).to_le_bytes()
}

/// `b` or `bl`.
fn branch(opcode: u32, from: usize, to: usize) -> u32 {
    let distance = to.wrapping_sub(from) >> 2;
    opcode | distance as u32 & 0x03ff_ffff
}

/// `ldr x29, address; br x29`, and the address, for each. Detours have saved x29.
pub fn gate() -> [u8; GATE] {
    let mut gates = [0; GATE];
    let (each, _) = gates.as_chunks_mut::<ONE_GATE>();
    for (gate, address) in each.iter_mut().zip(entrances::of_detours()) {
        let code = [0x5800_005d_u32, 0xd61f_03a0].map(u32::to_le_bytes);
        let bytes = code.iter().flatten().copied().chain(address.to_le_bytes());
        gate.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    }
    gates
}

/// Code that is for an address.
struct Writer {
    at: usize,
    code: Vec<u8>,
}

impl Writer {
    fn new(at: usize) -> Self {
        let code = Vec::new();
        Self { at, code }
    }

    fn into_bytes(self) -> Vec<u8> {
        self.code
    }

    fn here(&self) -> usize {
        self.at.wrapping_add(self.code.len())
    }

    fn put(&mut self, word: u32) {
        self.code.extend_from_slice(&word.to_le_bytes());
    }

    fn put_bytes(&mut self, code: &[u8]) {
        self.code.extend_from_slice(code);
    }

    fn put_jump(&mut self, to: usize) {
        let jump = jump(self.here(), to);
        self.code.extend_from_slice(&jump);
    }

    /// Puts a call of a gate. What is called leaves all registers but these two as they are.
    fn put_call(&mut self, gate: usize) {
        self.put(SAVE);
        self.put(branch(0x9400_0000, self.here(), gate));
        self.put(RESTORE);
    }

    /// Puts the code that fires the site at `address`: the address, and behind it the call. Returns the
    /// offset of that.
    fn put_site(&mut self, address: usize, gate: usize) -> usize {
        if !self.code.is_empty() {
            self.put_jump(self.here().wrapping_add(JUMP + 8));
        }
        self.code.extend_from_slice(&address.to_le_bytes());
        let entry = self.code.len();
        self.put_call(gate);
        entry
    }

    /// Puts the code that counts a hit, which changes nothing but a tally: not the flags. Returns that's
    /// number. Each code has its own, as it is longer than [`PER_TALLY`].
    fn put_tally(&mut self, region: usize) -> usize {
        let words: &[u32] = match frame::has_atomics() {
            true => &COUNT,
            false => &COUNT_BY_LOOP,
        };
        let from = self.here().wrapping_add(ADR * JUMP);
        let number = from.wrapping_sub(region) / PER_TALLY;
        let tally = region.wrapping_add(REGION.wrapping_add(number.wrapping_mul(tally::SIZE)));
        let distance = tally.wrapping_sub(from) as u32;
        for (place, word) in words.iter().enumerate() {
            self.put(match place {
                ADR => word | (distance & 3) << 29 | (distance >> 2 & 0x7_ffff) << 5,
                _ => *word,
            });
        }
        number
    }
}

/// Where code of a mapping at `start` branches to in it, in order. What is data counts as code.
pub fn branch_targets(start: usize, code: &[u8]) -> Vec<usize> {
    let mapping = start..start.wrapping_add(code.len());
    let (words, _) = code.as_chunks();
    let mut targets = Vec::new();
    for (address, word) in mapping.clone().step_by(JUMP).zip(words) {
        let word = u32::from_le_bytes(*word);
        let away = match word >> 26 {
            // Not told by `control`, as it comes back.
            BL => control(word & !(1 << 31), address as u64).away,
            _ => control(word, address as u64).away,
        };
        if let Some(Away::To(target)) = away
            && mapping.contains(&(target as usize))
        {
            targets.push(target as usize);
        }
    }
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// The opcode of `bl`.
const BL: u32 = 0b10_0101;

/// Whether an instruction is a landing pad, where indirect branches are checked.
fn is_landing_pad(word: u32) -> bool {
    const BTI: u32 = 0xd503_241f;
    /// The bits that say from which branches.
    const FROM: u32 = 0xc0;
    word & !FROM == BTI || [PACIASP, PACIBSP].contains(&word)
}

impl<'a> Body<'a> {
    pub fn of(mapping: &'a Mapping, function: &Range<usize>, _: Option<usize>) -> Self {
        let function = function.clone();
        Self { mapping, function }
    }

    /// What is at an address.
    pub fn original(&self, address: usize) -> [u8; JUMP] {
        let text = self.mapping.text(address..address.wrapping_add(JUMP));
        text.first_chunk().copied().unwrap_or_default()
    }

    fn word(&self, address: usize) -> u32 {
        u32::from_le_bytes(self.original(address))
    }

    /// The windows for these sites, in order: as far as there can be any. `targets` are addresses in the
    /// function that code may branch to.
    pub fn windows(&self, sites: &[usize], targets: &[usize]) -> Vec<Window> {
        let mut windows: Vec<Window> = Vec::new();
        for &site in sites {
            if windows.last().is_some_and(|it| it.fires(site)) {
                continue;
            }
            let behind = site.wrapping_add(JUMP);
            let start = match self.is_pad(site) {
                false => site,
                true if targets.binary_search(&behind).is_ok() || self.is_pad(behind) => continue,
                true => behind,
            };
            if start.is_multiple_of(JUMP) && self.function.contains(&start) {
                windows.push(Window {
                    start,
                    length: JUMP,
                    first: site,
                });
            }
        }
        windows
    }

    /// Whether a checked indirect branch may lead to this instruction, but not to a branch.
    fn is_pad(&self, address: usize) -> bool {
        is_landing_pad(self.word(address)) && frame::has_branch_types()
    }

    /// The detour of a window at `at`, whose region begins at `region`.
    pub fn detour(
        &self,
        window: &Window,
        sites: &[Site],
        at: usize,
        region: usize,
    ) -> Option<Detour> {
        let mut code = Writer::new(at);
        let mut entry = None;
        let mut tallies = Vec::new();
        for site in sites {
            if matches!(site.form, Form::Counted) {
                entry = entry.or(Some(code.code.len()));
                tallies.push((site.address, code.put_tally(region)));
                continue;
            }
            if frame::has_streaming() {
                return None;
            }
            // Before its pad a function has the return address that was not signed yet.
            let unsigned = match self.word(site.address) {
                PACIASP if site.address != window.start => Some((AUTIASP, PACIASP)),
                PACIBSP if site.address != window.start => Some((AUTIBSP, PACIBSP)),
                _ => None,
            };
            if let Some((authenticate, _)) = unsigned {
                entry = entry.or(Some(code.code.len()));
                code.put(authenticate);
            }
            let call = code.put_site(site.address, region);
            entry = entry.or(Some(call));
            if let Some((_, sign)) = unsigned {
                code.put(sign);
            }
        }
        let (word, here) = (self.word(window.start), code.here());
        let moved = OutOfLine::new(word, window.start as u64, here as u64);
        code.put_bytes(moved.ok()?.bytes());
        code.put_jump(window.start.wrapping_add(JUMP));
        Some(Detour {
            code: code.into_bytes(),
            entry: entry?,
            tallies,
        })
    }
}
