//! Windows and detours of x86-64: a jump of five bytes.

mod guards;

use alloc::vec::Vec;
use core::ops::Range;

pub use guards::{Guard, guards};

use crate::code;
use crate::detour::{Detour, Form, Site};
use crate::entrances;
use crate::mapping::Mapping;
use crate::tally;
use engine_isa::Away;
use engine_isa::x86::{LONGEST, OutOfLine, control, displaced, length};
use engine_tracer::WORDS_MAX;

/// Bytes below the stack pointer that a function may use: the red zone of the ABI.
pub const RED_ZONE: i32 = 128;

/// `jmp rel32`.
pub const JUMP: usize = 5;

/// No window fires a site before it.
pub const BEFORE: usize = 0;

/// The most that code and what it refers to may be from one another, less an object and a region.
pub const REACH: usize = 1 << 30;

/// Bytes of a gate.
const ONE_GATE: usize = 16;

/// Bytes of a region's gates: to fire, to make a system call, and to record.
pub const GATE: usize = 3 * ONE_GATE;

/// Before the return address of a detour's call to the gate is the address of its site: so many bytes.
pub const SITE: usize = 8 + SKIP.len() + CALL;

/// `lea rsp, [rsp - 128]`, which skips the red zone and leaves the flags alone.
const SKIP: [u8; 5] = [0x48, 0x8d, 0x64, 0x24, 0x80];
/// `call rel32`.
const CALL: usize = 5;
/// `lea rsp, [rsp + 128]`.
const UNSKIP: [u8; 8] = [0x48, 0x8d, 0xa4, 0x24, RED_ZONE as u8, 0, 0, 0];

/// `push rax; lahf; seto al`.
const SAVE_FLAGS: [u8; 5] = [0x50, 0x9f, 0x0f, 0x90, 0xc0];
/// `lock inc qword ptr [rip + rel32]`, without the distance.
const INCREMENT: [u8; 4] = [0xf0, 0x48, 0xff, 0x05];
/// `add al, 127`, which overflows if AL is 1; `sahf; pop rax`.
const RESTORE_FLAGS: [u8; 4] = [0x04, 0x7f, 0x9e, 0x58];

/// Bytes of a region that is for code.
pub const REGION: usize = 256 << 10;

/// Bytes of code for each of which there is a tally: the code that counts is longer.
const PER_TALLY: usize = 16;

/// Bytes of a region's tallies, behind its code.
pub const TALLIES: usize = REGION / PER_TALLY * tally::SIZE;

/// `endbr64`, without its last byte: by addresses, control comes there.
const LANDING_PAD: [u8; 3] = [0xf3, 0x0f, 0x1e];

/// The most instructions that a window can have: each has at least one byte.
const STEPS_MAX: usize = JUMP;

/// `jmp` over a plan of words, and an address; and those.
const SKIPPED: usize = JUMP + 8 * (1 + 1 + WORDS_MAX + 1);

/// The code of a site, without what surrounds it: a call, or an increment.
const FIRES: usize = SAVE_FLAGS.len() + INCREMENT.len() + 4 + RESTORE_FLAGS.len();

const _: () = assert!(FIRES > CALL && FIRES > PER_TALLY);

/// Bytes of the longest detour: of each instruction the site, with its address, and the code out of
/// line; and a jump.
pub const DETOUR_MAX: usize =
    STEPS_MAX * (SKIPPED + SKIP.len() + FIRES + UNSKIP.len() + OutOfLine::LONGEST) + JUMP;

/// Bytes of the code that makes a system call: a jump over an address, that, and the call of a gate.
const SYSTEM_CALL: usize = 2 + SITE + UNSKIP.len();

const _: () = assert!(guards::LONGEST_DETOUR <= DETOUR_MAX);

/// What compilers align functions to, where they do.
const ALIGNED: usize = 16;

/// A window: whole instructions.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub start: usize,
    /// The length of its instructions; behind them may be padding that the jump overwrites.
    pub length: usize,
}

impl Window {
    /// Whether it fires a site.
    pub fn fires(&self, site: usize) -> bool {
        (self.start..self.start.wrapping_add(self.length)).contains(&site)
    }
}

/// The text of a function.
pub struct Body<'a> {
    mapping: &'a Mapping,
    start: usize,
    /// The function, and what is behind it up to the next one.
    code: &'a [u8],
    size: usize,
}

/// `jmp rel32` at `from`.
pub fn jump(from: usize, to: usize) -> [u8; JUMP] {
    let [a, b, c, d] = distance(from.wrapping_add(JUMP), to);
    [0xe9, a, b, c, d]
}

fn distance(behind: usize, to: usize) -> [u8; 4] {
    (to.wrapping_sub(behind) as u32).to_le_bytes()
}

/// `jmp [rip]`, and the address behind it, for each.
pub fn gate() -> [u8; GATE] {
    let mut gates = [0; GATE];
    let (each, _) = gates.as_chunks_mut::<ONE_GATE>();
    for (gate, address) in each.iter_mut().zip(entrances::of_detours()) {
        *gate = [0xff, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xcc, 0xcc];
        for (to, from) in gate.iter_mut().skip(6).zip(address.to_le_bytes()) {
            *to = from;
        }
    }
    gates
}

/// Appends the code that fires the site at `address`: the address, and behind it the call. Returns the
/// offset of that.
fn put_site(code: &mut Vec<u8>, address: usize, at: usize, region: usize) -> usize {
    code.extend_from_slice(&address.to_le_bytes());
    let entry = code.len();
    put_call(code, at, region);
    entry
}

/// Appends the code that records a hit by a plan: the plan, its address, and behind these the call. What
/// precedes it jumps over them if it `has_before`. Returns the offset of the call.
fn put_record(
    code: &mut Vec<u8>,
    plan: &[u64],
    has_before: bool,
    (at, region): (usize, usize),
) -> usize {
    let words = plan.iter().flat_map(|word| word.to_le_bytes());
    let mut data: Vec<u8> = words.collect();
    let first = if has_before { JUMP } else { 0 };
    // Where words are aligned: detours begin at multiples of 16.
    let place = code.len().wrapping_add(first).next_multiple_of(8);
    data.extend_from_slice(&at.wrapping_add(place).to_le_bytes());
    let entry = place.wrapping_add(data.len());
    if has_before {
        let here = at.wrapping_add(code.len());
        code.extend_from_slice(&jump(here, at.wrapping_add(entry)));
    }
    code.resize(place, 0);
    code.append(&mut data);
    put_call(code, at, region.wrapping_add(2 * ONE_GATE));
    entry
}

/// Appends the code that counts a hit, which changes nothing but a tally: not the flags. Returns that's
/// number. Each code has its own, as it is longer than [`PER_TALLY`].
fn put_tally(code: &mut Vec<u8>, at: usize, region: usize) -> usize {
    code.extend_from_slice(&SKIP);
    code.extend_from_slice(&SAVE_FLAGS);
    code.extend_from_slice(&INCREMENT);
    let behind = at.wrapping_add(code.len()).wrapping_add(4);
    let number = behind.wrapping_sub(region) / PER_TALLY;
    let tallies = region.wrapping_add(REGION);
    code.extend_from_slice(&distance(
        behind,
        tallies.wrapping_add(number * tally::SIZE),
    ));
    code.extend_from_slice(&RESTORE_FLAGS);
    code.extend_from_slice(&UNSKIP);
    number
}

/// Appends a call of a gate that leaves the red zone alone.
fn put_call(code: &mut Vec<u8>, at: usize, gate: usize) {
    code.extend_from_slice(&SKIP);
    let behind = at.wrapping_add(code.len()).wrapping_add(CALL);
    code.push(0xe8);
    code.extend_from_slice(&distance(behind, gate));
    code.extend_from_slice(&UNSKIP);
}

/// Appends the code that makes the system call of an instruction behind which `next` is.
fn put_system_call(code: &mut Vec<u8>, next: usize, at: usize, region: usize) {
    // What is called reads the address of a site; it is that of the next instruction.
    code.extend_from_slice(&[0xeb, 8]);
    code.extend_from_slice(&next.to_le_bytes());
    put_call(code, at, region.wrapping_add(ONE_GATE));
}

/// Where any bytes of a mapping at `start` may be a call or branch of four bytes' distance to, in order. More than there
/// are: it takes every byte for the first of an instruction. [`Flow`] finds branches of one byte's
/// distance.
pub fn branch_targets(start: usize, code: &[u8]) -> Vec<usize> {
    let mapping = start..start.wrapping_add(code.len());
    let mut targets = Vec::new();
    let windows = (start..).zip(code.windows(6));
    for (address, bytes) in windows {
        let (first, rest) = match *bytes {
            [0xe8 | 0xe9, a, b, c, d, _] => (JUMP, [a, b, c, d]),
            [0x0f, 0x80..=0x8f, a, b, c, d] => (6, [a, b, c, d]),
            _ => continue,
        };
        let behind = address.wrapping_add(first);
        let target = behind.wrapping_add_signed(i32::from_le_bytes(rest) as isize);
        if mapping.contains(&target) {
            targets.push(target);
        }
    }
    targets.sort_unstable();
    targets.dedup();
    targets
}

impl<'a> Body<'a> {
    /// A function. What is behind it is padding at most up to the next one, at `next`, if that is
    /// known, and at most up to where one is likely to begin.
    pub fn of(mapping: &'a Mapping, function: &Range<usize>, next: Option<usize>) -> Self {
        let aligned = function.end.next_multiple_of(ALIGNED);
        let behind = next.unwrap_or(aligned).min(aligned).max(function.end);
        let start = function.start;
        let code = mapping.text(start..behind);
        let size = function.len().min(code.len());
        // Another function may begin there already.
        let begins = |code: &&[u8]| code.starts_with(&LANDING_PAD);
        let mut behind = (size..code.len()).map_while(|at| Some((at, code.get(at..)?)));
        let end = behind
            .find(|(_, code)| begins(code))
            .map_or(code.len(), |(at, _)| at);
        let code = code.get(..end).unwrap_or_default();
        Self {
            mapping,
            start,
            code,
            size,
        }
    }

    /// What is at `address`, up to the end of the function.
    fn rest(&self, address: usize) -> &[u8] {
        let at = address.wrapping_sub(self.start);
        self.code.get(at..self.size).unwrap_or_default()
    }

    fn behind(&self) -> &[u8] {
        self.code.get(self.size..).unwrap_or_default()
    }

    fn text_at(&self, address: usize) -> [u8; LONGEST] {
        let mut text = [0; LONGEST];
        let at = address.wrapping_sub(self.start);
        let there = self.code.get(at..).unwrap_or_default();
        text.iter_mut()
            .zip(there)
            .for_each(|(to, from)| *to = *from);
        text
    }

    /// What a jump at `address` would overwrite.
    pub fn original(&self, address: usize) -> [u8; JUMP] {
        let [a, b, c, d, e, ..] = self.text_at(address);
        [a, b, c, d, e]
    }

    /// The windows for these sites, in order: as far as there can be any. `targets` are addresses in
    /// the function, and closely behind it, that code outside of it may branch to.
    pub fn windows(&self, sites: &[usize], targets: &[usize]) -> Vec<Window> {
        let Some(flow) = Flow::of(self) else {
            return Vec::new();
        };
        let mut windows: Vec<Window> = Vec::new();
        for &site in sites {
            let taken = windows.last().map_or(self.start, |last| {
                last.start.wrapping_add(last.length.max(JUMP))
            });
            if windows.last().is_some_and(|it| it.fires(site)) {
                continue;
            }
            let Ok(place) = flow.steps.binary_search(&site) else {
                continue;
            };
            let is_target = |address: u64| {
                let address = address as usize;
                let is_outside = address >= self.start.wrapping_add(self.size);
                (!is_outside && flow.is_target(address)) || targets.binary_search(&address).is_ok()
            };
            let before = flow.steps.get(..=place).unwrap_or_default();
            let starts = before.iter().rev().take(STEPS_MAX).copied();
            let window = starts
                .take_while(|start| *start >= taken)
                .find_map(|start| self.window_at(start, is_target).filter(|it| it.fires(site)));
            windows.extend(window);
        }
        windows
    }

    fn window_at(&self, start: usize, is_target: impl Fn(u64) -> bool) -> Option<Window> {
        let rest = self.rest(start);
        let length = displaced(start as u64, rest, self.behind(), &is_target).ok()?;
        if !self.runs_through(start, length) {
            return None;
        }
        // A function may begin in what looks like padding, and an instruction in the middle of another.
        let mut inside = start.wrapping_add(1)..start.wrapping_add(length.max(JUMP));
        let is_closed = inside.all(|address| !is_target(address as u64));
        is_closed.then_some(Window { start, length })
    }

    /// Whether control runs from a window's first instruction through to its last. Behind an instruction
    /// by which it ends is what something else leads to: an exception's handler, which no branch does.
    fn runs_through(&self, start: usize, size: usize) -> bool {
        let end = start.wrapping_add(size);
        let mut at = start;
        while at < end {
            let text = self.text_at(at);
            let Some(length) = length(&text) else {
                return false;
            };
            at = at.wrapping_add(length);
            if at < end && !control(&text, at as u64).next {
                return false;
            }
        }
        true
    }

    /// The detour of a window at `at`, whose region begins at `region`.
    pub fn detour(
        &self,
        window: &Window,
        sites: &[Site],
        at: usize,
        region: usize,
    ) -> Option<Detour> {
        let mut code = Vec::new();
        let mut entry = None;
        let mut tallies = Vec::new();
        let mut address = window.start;
        let end = window.start.wrapping_add(window.length);
        while address < end {
            let text = self.text_at(address);
            let site = sites.iter().find(|site| site.address == address);
            match site.map(|site| &site.form) {
                Some(Form::Counted) => {
                    entry = entry.or(Some(code.len()));
                    tallies.push((address, put_tally(&mut code, at, region)));
                }
                Some(Form::Recorded(plan)) => {
                    let call = put_record(&mut code, plan, entry.is_some(), (at, region));
                    entry = entry.or(Some(call));
                }
                Some(Form::Fired) => {
                    // The address is never executed: what precedes it jumps over it.
                    if entry.is_some() {
                        code.extend_from_slice(&[0xeb, 8]);
                    }
                    let call = put_site(&mut code, address, at, region);
                    entry = entry.or(Some(call));
                }
                None => entry = entry.or(Some(code.len())),
            }
            let here = at.wrapping_add(code.len()) as u64;
            let moved = OutOfLine::new(&text, address as u64, here, |target| target).ok()?;
            code.extend_from_slice(moved.bytes());
            address = address.wrapping_add(length(&text)?);
        }
        let here = at.wrapping_add(code.len());
        code.extend_from_slice(&jump(here, end));
        Some(Detour {
            code,
            entry: entry?,
            tallies,
        })
    }
}

/// What a function's own code says of where control can come in it.
struct Flow {
    /// The addresses of its instructions.
    steps: Vec<usize>,
    /// Where its instructions branch to, in order.
    targets: Vec<usize>,
    /// Whether it may branch to where no table says: to an address that it computes from one of its
    /// own.
    is_open: bool,
}

impl Flow {
    /// None if it has bytes that are no instruction.
    fn of(body: &Body<'_>) -> Option<Self> {
        let mut flow = Self {
            steps: Vec::new(),
            targets: Vec::new(),
            is_open: false,
        };
        let end = body.start.wrapping_add(body.size);
        let function = body.start..end;
        let (mut at, mut tables, mut is_indirect) = (body.start, Vec::new(), false);
        while at < end {
            let text = body.text_at(at);
            let length = length(&text)?;
            flow.steps.push(at);
            if text.starts_with(&LANDING_PAD) {
                flow.targets.push(at);
            }
            match control(&text, at as u64).away {
                Some(Away::To(target)) => flow.targets.push(target as usize),
                Some(_) => is_indirect |= is_indirect_jump(&text),
                None => {}
            }
            tables.extend(table_of(&text, at.wrapping_add(length)));
            at = at.wrapping_add(length);
        }
        // Without a table, what it jumps to is another function.
        if is_indirect {
            flow.is_open = tables.iter().any(|table| function.contains(table));
            for table in tables {
                flow.add_table(table, &function);
            }
        }
        flow.add_neighbors(body.mapping, &function);
        flow.targets.sort_unstable();
        Some(flow)
    }

    /// Adds the targets of short branches that surround the function: functions in assembly have
    /// common parts. Where an instruction begins before it is not known; from any byte on, decoding
    /// soon finds the true ones.
    fn add_neighbors(&mut self, mapping: &Mapping, function: &Range<usize>) {
        /// How far a short branch can be from its target, at most.
        const NEAR: usize = 128 + LONGEST;
        let before = function.start.saturating_sub(NEAR).max(mapping.range.start);
        let near = function.start.wrapping_sub(before);
        let code = mapping.text(before..function.start.saturating_add(LONGEST));
        // Chains of instructions that began at different bytes merge soon.
        let mut seen = [false; NEAR];
        for first in 0..LONGEST {
            self.add_branches(code, before, first..near, function, &mut seen);
        }
        let behind = function.end.saturating_add(NEAR).saturating_add(LONGEST);
        let code = mapping.text(function.end..behind);
        self.add_branches(code, function.end, 0..NEAR, function, &mut [false; NEAR]);
    }

    /// Adds where the instructions at these places of `code`, which is at `start`, branch to in the
    /// function: up to one that was `seen`.
    fn add_branches(
        &mut self,
        code: &[u8],
        start: usize,
        places: Range<usize>,
        function: &Range<usize>,
        seen: &mut [bool],
    ) {
        let mut place = places.start;
        while place < places.end {
            let Some(text) = code.get(place..).and_then(|rest| rest.first_chunk()) else {
                return;
            };
            if let Some(seen) = seen.get_mut(place)
                && core::mem::replace(seen, true)
            {
                return;
            }
            let at = start.wrapping_add(place);
            if may_branch(text)
                && let Some(Away::To(target)) = control(text, at as u64).away
                && function.contains(&(target as usize))
            {
                self.targets.push(target as usize);
            }
            place = place.wrapping_add(length(text).unwrap_or(1));
        }
    }

    fn is_target(&self, address: usize) -> bool {
        self.is_open || self.targets.binary_search(&address).is_ok()
    }

    /// Adds what may be a table of branches at this address: distances from it, or addresses.
    fn add_table(&mut self, table: usize, function: &Range<usize>) {
        const ENTRIES_MAX: usize = 4096;
        let mut bytes = [0; 512];
        let mut is_distances = true;
        let mut is_addresses = true;
        for chunk in 0..ENTRIES_MAX * 4 / bytes.len() {
            let at = table.wrapping_add(chunk.wrapping_mul(bytes.len()));
            if !is_distances && !is_addresses {
                return;
            }
            let lengths = [512, 256, 128, 64, 32, 16, 8, 4];
            let mut lengths = lengths.into_iter().filter_map(|length| {
                let bytes = bytes.get_mut(..length)?;
                code::read(at, bytes).ok().map(|()| length)
            });
            let Some(length) = lengths.next() else {
                return;
            };
            let bytes = bytes.get(..length).unwrap_or_default();
            let (words, _) = bytes.as_chunks::<4>();
            for word in words {
                let target = table.wrapping_add_signed(i32::from_le_bytes(*word) as isize);
                is_distances &= function.contains(&target);
                if is_distances {
                    self.targets.push(target);
                }
            }
            let (words, _) = bytes.as_chunks::<8>();
            for word in words {
                let target = usize::from_le_bytes(*word);
                is_addresses &= function.contains(&target);
                if is_addresses {
                    self.targets.push(target);
                }
            }
        }
    }
}

/// Whether it may be a branch to where its bytes say. To decode all would take most of the time of arming.
fn may_branch(text: &[u8; LONGEST]) -> bool {
    let opcode = text.iter().find(|byte| {
        !matches!(byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3)
    });
    matches!(opcode, Some(0x0f | 0x70..=0x7f | 0xe0..=0xe3 | 0xe9 | 0xeb))
}

/// Whether it is `jmp` by a register or memory: FF /4.
fn is_indirect_jump(text: &[u8; LONGEST]) -> bool {
    let mut bytes = text.iter().skip_while(
        |byte| matches!(byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf2 | 0xf3),
    );
    bytes.next() == Some(&0xff) && bytes.next().is_some_and(|modrm| modrm >> 3 & 7 == 4)
}

/// The address of a table that an instruction may refer to: of `lea` relative to the next instruction,
/// at `next`; or the displacement of an operand without a base.
fn table_of(text: &[u8; LONGEST], next: usize) -> Option<usize> {
    let opcode = text
        .iter()
        .position(|byte| !matches!(byte, 0x2e | 0x3e | 0x40..=0x4f))?;
    let (&opcode, operand) = text.get(opcode..)?.split_first()?;
    let four = |at: usize| Some(i32::from_le_bytes(*operand.get(at..)?.first_chunk()?));
    let modrm = *operand.first()?;
    match (opcode, modrm & 0xc7, operand.get(1)? & 7) {
        (0x8d, 0x05, _) => Some(next.wrapping_add_signed(four(1)? as isize)),
        (_, 0x04, 5) => Some(four(2)? as u32 as usize),
        _ => None,
    }
}
