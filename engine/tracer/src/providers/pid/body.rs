//! The text of a function, and what a walk finds in it.

use alloc::vec::Vec;
use core::ops::Range;

use engine_isa::body::{Exit, Leaves, Text, Unwalked};
use engine_isa::{Arch, Exclusive, Plan, Why};

use super::Pid;
use crate::grow::{OutOfMemory, filled, push};
use crate::platform::{Platform, Space};
use crate::site::reason::Reason;

/// Limit of a walk's working memory, in words.
const ROOM_MAX: usize = 1 << 18;

/// The text of a function, as it is without our traps, and what a walk finds in it.
pub struct Body<A: Arch> {
    pub address: usize,
    /// Whether the function may end before its text does.
    pub is_open: bool,
    /// How its first instruction is encoded.
    pub mode: A::Mode,
    /// How instructions are encoded that differ from that, in order.
    pub modes: Vec<(u32, A::Mode)>,
    pub text: Vec<u8>,
    /// Where our traps were in it, in order.
    pub undone: Vec<u32>,
    pub instructions: Vec<u32>,
    pub exits: Vec<(u32, Leaves)>,
    /// Between exclusive loads and their stores: the offsets of each two.
    pub sequences: Vec<(u32, u32)>,
    pub walked: Result<(), Unwalked>,
}

impl<A: Arch> Pid<A> {
    /// Reads the text of a function, and undoes our traps in the copy.
    pub(super) fn read<P: Platform>(
        &self,
        platform: &P,
        space: Space,
        process: u32,
        extent: Range<usize>,
        mode: A::Mode,
    ) -> Result<Result<Body<A>, Reason>, OutOfMemory> {
        let mut text = filled(extent.len(), || 0)?;
        if platform.space_read(space, extent.start, &mut text).is_err() {
            return Ok(Err(Reason::Unreadable));
        }
        let undone = self.undo_traps(process, extent.start, &mut text)?;
        Ok(Ok(Body {
            address: extent.start,
            is_open: false,
            mode,
            modes: Vec::new(),
            text,
            undone,
            instructions: Vec::new(),
            exits: Vec::new(),
            sequences: Vec::new(),
            walked: Ok(()),
        }))
    }

    /// Puts back what our traps displace in a copy of text that begins at `start`, and returns where.
    fn undo_traps(
        &self,
        process: u32,
        start: usize,
        text: &mut [u8],
    ) -> Result<Vec<u32>, OutOfMemory> {
        let mut undone = Vec::new();
        for place in 0..text.len() {
            let there = text.get_mut(place..).unwrap_or_default();
            if !A::is_trap(there) {
                continue;
            }
            let site = self.find_site(process, start.wrapping_add(place));
            let site = site.and_then(|number| self.sites.get(number as usize));
            let Some(site) = site.filter(|site| site.is_armed) else {
                continue;
            };
            let displaced = site.text.as_ref().iter().take(site.trap().len());
            there
                .iter_mut()
                .zip(displaced)
                .for_each(|(to, from)| *to = *from);
            push(&mut undone, place as u32)?;
        }
        Ok(undone)
    }

    /// Finds the instructions and exits of a function, with more working memory if it needs that.
    pub(super) fn walk(&mut self, body: &mut Body<A>) -> Result<(), OutOfMemory> {
        let mut words = A::room(body.text.len(), body.mode);
        loop {
            if self.memory.len() < words {
                self.memory = filled(words, || 0)?;
            }
            let memory = self.memory.get_mut(..words).unwrap_or_default();
            body.walk(memory)?;
            match body.walked {
                Err(Unwalked::Room) if words < ROOM_MAX => words = words.saturating_mul(2),
                _ => return Ok(()),
            }
        }
    }
}

impl<A: Arch> Body<A> {
    fn walk(&mut self, memory: &mut [u64]) -> Result<(), OutOfMemory> {
        let (start, bytes) = (self.address, &self.text);
        let text = Text {
            load: &|address, to| {
                let place = (address as usize).wrapping_sub(start);
                let from = bytes.get(place..).and_then(|rest| rest.get(..to.len()));
                let from = from.unwrap_or_default();
                let all = from.len() == to.len();
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                all
            },
            part: &|_| None,
            returns: &|_| false,
            is_open: self.is_open,
        };
        let extent = start..start.wrapping_add(bytes.len());
        let (instructions, exits) = (&mut self.instructions, &mut self.exits);
        let (first, modes) = (self.mode, &mut self.modes);
        instructions.clear();
        exits.clear();
        modes.clear();
        let mut pushed = Ok(());
        let mut see = |address: usize, mode: A::Mode, exit: Option<Exit>| {
            let offset = address.wrapping_sub(start) as u32;
            let added = match exit {
                None if mode == first => push(instructions, offset),
                None => push(modes, (offset, mode)).and_then(|()| push(instructions, offset)),
                Some(exit) => push(exits, (offset, exit.leaves())),
            };
            pushed = pushed.and(added);
        };
        self.walked = A::instructions(&text, extent, first, memory, &mut see);
        pushed.and_then(|()| self.find_sequences())
    }

    /// Finds exclusive sequences. Compilers put the store behind the load, but for loops whose last part
    /// comes first: a load that only stores before it can belong to lasts until the function's end.
    fn find_sequences(&mut self) -> Result<(), OutOfMemory> {
        self.sequences.clear();
        let (mut opened, mut has_store) = (None, false);
        for &offset in &self.instructions {
            let text = self.text_at(offset);
            match text.and_then(|text| A::exclusive(&text, self.mode_at(offset))) {
                Some(Exclusive::Load) => opened = Some(offset),
                Some(Exclusive::Store | Exclusive::Clear) => {
                    has_store = true;
                    if let Some(load) = opened.take() {
                        push(&mut self.sequences, (load, offset))?;
                    }
                }
                None => {}
            }
        }
        match opened.filter(|_| has_store) {
            Some(load) => push(&mut self.sequences, (load, self.text.len() as u32)),
            None => Ok(()),
        }
    }

    fn is_in_sequence(&self, offset: u32) -> bool {
        let behind = self.sequences.partition_point(|(load, _)| *load < offset);
        let before = behind.checked_sub(1).and_then(|it| self.sequences.get(it));
        before.is_some_and(|(_, store)| offset < *store)
    }

    fn text_at(&self, offset: u32) -> Option<A::Text> {
        let mut text = A::Text::default();
        let there = self.text.get(offset as usize..)?;
        for (to, from) in text.as_mut().iter_mut().zip(there) {
            *to = *from;
        }
        Some(text)
    }

    /// How the instruction at this offset is encoded.
    pub fn mode_at(&self, offset: u32) -> A::Mode {
        let found = self.modes.binary_search_by_key(&offset, |(at, _)| *at);
        let found = found.ok().and_then(|place| self.modes.get(place));
        found.map_or(self.mode, |(_, mode)| *mode)
    }

    /// The text at this offset, if a trap can displace its instruction.
    pub fn plan(&self, offset: u32) -> Result<A::Text, Reason> {
        let text = self.text_at(offset).ok_or(Reason::Unreadable)?;
        let left = self.text.len().saturating_sub(offset as usize);
        if self.is_in_sequence(offset) {
            return Err(Reason::Instruction(Why::Exclusive));
        }
        let plan = A::plan(&text, self.mode_at(offset));
        match plan {
            Plan::Refuse(why) => Err(Reason::Instruction(why)),
            // Cut off by the function's end: the bytes behind it are not known.
            _ if A::length(&plan) > left => Err(Reason::Data),
            _ => Ok(text),
        }
    }
}
