//! Creates probes: walks and plans a function that a consumer has named.

use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use engine_abi::PidProbes;
use engine_isa::body::{Exit, Leaves, Text, Unwalked};
use engine_isa::{Arch, Plan};

use super::{Function, Kind, PROBES_MAX, Pid, Probe, Site, Use};
use crate::error::Error;
use crate::grow::{OutOfMemory, filled, push};
use crate::platform::{Denied, Platform, Space};
use crate::probe::glob::matches;
use crate::site::reason::Reason;

/// Accepted sizes of a function, in bytes.
const LENGTHS: Range<u64> = 1..1 << 20;

/// Limit of a walk's working memory, in words.
const ROOM_MAX: usize = 1 << 18;

/// What came of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Created {
    /// Number of probes that exist now, earlier ones included.
    pub provided: u32,
    /// Number of probes that were refused.
    pub refused: u32,
    /// Why the last of them was refused.
    pub reason: Option<Reason>,
}

impl Created {
    fn add(&mut self, created: Result<(), Reason>) {
        match created {
            Ok(()) => self.provided = self.provided.wrapping_add(1),
            Err(reason) => {
                self.refused = self.refused.wrapping_add(1);
                self.reason = Some(reason);
            }
        }
    }
}

/// The text of a function, as it is without our traps, and what a walk finds in it.
struct Body {
    address: usize,
    text: Vec<u8>,
    instructions: Vec<u32>,
    exits: Vec<(u32, Leaves)>,
    walked: Result<(), Unwalked>,
}

impl<A: Arch> Pid<A> {
    /// Creates the probes of a function that `request` names, for `consumer`.
    pub fn create<P: Platform>(
        &mut self,
        platform: &P,
        consumer: usize,
        request: &PidProbes,
    ) -> Result<Created, Error> {
        let process = self.open(platform, consumer, request.pid)?;
        let space = self.processes.get(process as usize).and_then(|it| it.space);
        let space = space.ok_or(Error::NotFound)?;
        let Some(extent) = extent_of(request) else {
            return Ok(refusal(Reason::NoSize));
        };
        let function = self.function(process, request, &extent)?;
        let mut body = match self.read(platform, space, process, extent)? {
            Ok(body) => body,
            Err(reason) => return Ok(refusal(reason)),
        };
        self.walk(&mut body)?;
        let mut created = Created::default();
        self.create_matching(function, &body, request.description.name(), &mut created)?;
        Ok(created)
    }

    /// Creates the probes of a function whose names `pattern` matches; an empty one matches all.
    fn create_matching(
        &mut self,
        function: u32,
        body: &Body,
        pattern: &[u8],
        created: &mut Created,
    ) -> Result<(), Error> {
        let is_named = |name: &[u8]| pattern.is_empty() || matches(pattern, name);
        if is_named(b"entry") {
            let entry = [(0, None)];
            created.add(self.probe(function, body, Kind::Entry, b"entry", &entry)?);
        }
        if is_named(b"return") {
            created.add(self.return_probe(function, body)?);
        }
        let mut any = created.provided.wrapping_add(created.refused) > 0 && !is_glob(pattern);
        for &offset in &body.instructions {
            let mut name = Vec::new();
            hexadecimal(offset, &mut name)?;
            if is_named(&name) {
                any = true;
                let kind = Kind::Offset(offset);
                created.add(self.probe(function, body, kind, &name, &[(offset, None)])?);
            }
        }
        if !any {
            created.add(Err(body
                .walked
                .map_or_else(Reason::Unwalked, |()| Reason::NoInstruction)));
        }
        Ok(())
    }

    fn return_probe(&mut self, function: u32, body: &Body) -> Result<Result<(), Reason>, Error> {
        if let Err(why) = body.walked {
            return Ok(Err(Reason::Unwalked(why)));
        }
        if body.exits.is_empty() {
            return Ok(Err(Reason::NoReturn));
        }
        let mut exits = Vec::new();
        for (offset, leaves) in &body.exits {
            push(&mut exits, (*offset, Some(*leaves)))?;
        }
        self.probe(function, body, Kind::Return, b"return", &exits)
    }

    /// Creates a probe with sites at these offsets, or none of it if one of them is refused.
    fn probe(
        &mut self,
        function: u32,
        body: &Body,
        kind: Kind,
        name: &[u8],
        places: &[(u32, Option<Leaves>)],
    ) -> Result<Result<(), Reason>, Error> {
        for (offset, _) in places {
            if let Err(reason) = body.plan::<A>(*offset) {
                return Ok(Err(reason));
            }
        }
        if self.is_known(function, kind) {
            for (offset, _) in places {
                self.site(function, body, *offset)?;
            }
            return Ok(Ok(()));
        }
        if self.probes.len() >= PROBES_MAX {
            return Err(Error::NoRoom);
        }
        let name = self.names.add(name)?;
        let first = self.uses.len() as u32;
        for (offset, leaves) in places {
            let site = self.site(function, body, *offset)?;
            let leaves = *leaves;
            push(&mut self.uses, Use { site, leaves })?;
        }
        let known = self.functions.get_mut(function as usize);
        let before = known.and_then(|function| function.last.replace(self.probes.len() as u32));
        let probe = Probe {
            function,
            kind,
            name,
            before,
            uses: first..self.uses.len() as u32,
            ecbs: 0,
            live: None,
        };
        push(&mut self.probes, probe)?;
        Ok(Ok(()))
    }

    fn is_known(&self, function: u32, kind: Kind) -> bool {
        let last = self.functions.get(function as usize).and_then(|it| it.last);
        let mut probes = iter::successors(last, |number| self.probes.get(*number as usize)?.before);
        probes.any(|number| {
            let probe = self.probes.get(number as usize);
            probe.is_some_and(|probe| probe.kind == kind)
        })
    }

    /// The number of the site at this offset of a function.
    fn site(&mut self, function: u32, body: &Body, offset: u32) -> Result<u32, Error> {
        let known = self.functions.get(function as usize);
        let process = known.ok_or(Error::NotFound)?.process;
        let address = body.address.wrapping_add(offset as usize);
        let text = body.plan::<A>(offset).map_err(|_| Error::NotFound)?;
        let place = match self.find(process, address) {
            Ok(number) => {
                self.renew(number, text);
                return Ok(number);
            }
            Err(place) => place,
        };
        self.order.try_reserve(1).map_err(|_| OutOfMemory)?;
        let number = self.sites.len() as u32;
        let missing = self.sites.len().saturating_add(1);
        let missing = missing.saturating_sub(self.patches.len());
        self.patches.try_reserve(missing).map_err(|_| OutOfMemory)?;
        push(
            &mut self.sites,
            Site {
                process,
                address,
                text,
                is_armed: false,
                slot: None,
                ecbs: 0,
                hits: 0,
            },
        )?;
        insert_within(&mut self.order, place, number);
        Ok(number)
    }

    /// Plans a known site anew, if it is not armed and has other text now. What is in its slot stays
    /// there until all slots are unmapped.
    fn renew(&mut self, number: u32, text: A::Text) {
        let Some(site) = self.sites.get_mut(number as usize) else {
            return;
        };
        let length = A::length(&A::plan(&text, A::KERNEL));
        if !site.is_armed && site.text.as_ref().get(..length) != text.as_ref().get(..length) {
            (site.text, site.slot) = (text, None);
        }
    }

    /// The number of the site at `address`, or where in the order it belongs.
    fn find(&self, process: u32, address: usize) -> Result<u32, usize> {
        let place = self.place_of(process, address);
        let number = self.order.get(place).copied();
        let found = number.filter(|number| {
            let site = self.sites.get(*number as usize);
            site.is_some_and(|site| (site.process, site.address) == (process, address))
        });
        found.ok_or(place)
    }

    /// The place in the order of the first site at `address` or behind it.
    fn place_of(&self, process: u32, address: usize) -> usize {
        self.order.partition_point(|number| {
            let site = self.sites.get(*number as usize);
            site.is_some_and(|site| (site.process, site.address) < (process, address))
        })
    }

    /// The number of the function that `request` names.
    fn function(
        &mut self,
        process: u32,
        request: &PidProbes,
        extent: &Range<usize>,
    ) -> Result<u32, Error> {
        let (module, name) = (request.description.module(), request.description.function());
        let mut known = self.functions.iter().rev();
        let found = known.position(|function| {
            (function.process, function.address) == (process, extent.start)
                && self.names.get(function.name) == name
                && self.names.get(function.module) == module
        });
        if let Some(behind) = found {
            let last = self.functions.len().wrapping_sub(1);
            return Ok(last.wrapping_sub(behind) as u32);
        }
        let function = Function {
            process,
            module: self.names.add(module)?,
            name: self.names.add(name)?,
            address: extent.start,
            last: None,
        };
        push(&mut self.functions, function)?;
        Ok(self.functions.len().wrapping_sub(1) as u32)
    }

    /// Reads the text of a function, and undoes our traps in the copy. A site whose trap is not there
    /// any more, as other text has been mapped in its place, counts as disarmed.
    fn read<P: Platform>(
        &mut self,
        platform: &P,
        space: Space,
        process: u32,
        extent: Range<usize>,
    ) -> Result<Result<Body, Reason>, OutOfMemory> {
        let mut text = filled(extent.len(), || 0)?;
        if platform.space_read(space, extent.start, &mut text).is_err() {
            return Ok(Err(Reason::Unreadable));
        }
        let first = self.place_of(process, extent.start);
        let numbers = self.order.get(first..).unwrap_or_default();
        for number in numbers {
            let Some(site) = self.sites.get_mut(*number as usize) else {
                continue;
            };
            if site.process != process || site.address >= extent.end {
                break;
            }
            let place = site.address.wrapping_sub(extent.start);
            let rest = text.get_mut(place..).unwrap_or_default();
            let length = rest.len().min(A::TRAP.len());
            let there = rest.get_mut(..length).unwrap_or_default();
            site.is_armed &= A::TRAP.starts_with(there);
            if site.is_armed {
                let displaced = site.text.as_ref().iter();
                let pairs = there.iter_mut().zip(displaced);
                pairs.for_each(|(to, byte)| *to = *byte);
            }
        }
        Ok(Ok(Body {
            address: extent.start,
            text,
            instructions: Vec::new(),
            exits: Vec::new(),
            walked: Ok(()),
        }))
    }

    /// Finds the instructions and exits of a function, with more working memory if it needs that.
    fn walk(&mut self, body: &mut Body) -> Result<(), OutOfMemory> {
        let mut words = A::room(body.text.len());
        loop {
            if self.memory.len() < words {
                self.memory = filled(words, || 0)?;
            }
            let memory = self.memory.get_mut(..words).unwrap_or_default();
            body.walk::<A>(memory)?;
            match body.walked {
                Err(Unwalked::Room) if words < ROOM_MAX => words = words.saturating_mul(2),
                _ => return Ok(()),
            }
        }
    }
}

impl Body {
    fn walk<A: Arch>(&mut self, memory: &mut [u64]) -> Result<(), OutOfMemory> {
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
        };
        let extent = start..start.wrapping_add(bytes.len());
        let (instructions, exits) = (&mut self.instructions, &mut self.exits);
        instructions.clear();
        exits.clear();
        let mut pushed = Ok(());
        self.walked = A::instructions(&text, extent, memory, &mut |address, exit: Option<Exit>| {
            let offset = address.wrapping_sub(start) as u32;
            let added = match exit {
                None => push(instructions, offset),
                Some(exit) => push(exits, (offset, exit.leaves())),
            };
            pushed = pushed.and(added);
        });
        pushed
    }

    /// The text at this offset, if a trap can displace its instruction.
    fn plan<A: Arch>(&self, offset: u32) -> Result<A::Text, Reason> {
        let mut text = A::Text::default();
        let there = self.text.get(offset as usize..).ok_or(Reason::Unreadable)?;
        for (to, from) in text.as_mut().iter_mut().zip(there) {
            *to = *from;
        }
        let plan = A::plan(&text, A::KERNEL);
        match plan {
            Plan::Refuse(why) => Err(Reason::Instruction(why)),
            // Cut off by the function's end: the bytes behind it are not known.
            _ if A::length(&plan) > there.len() => Err(Reason::Data),
            _ => Ok(text),
        }
    }
}

fn extent_of(request: &PidProbes) -> Option<Range<usize>> {
    let start = usize::try_from(request.address).ok()?;
    let size = LENGTHS.contains(&request.size).then_some(request.size)?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    Some(start..end)
}

fn refusal(reason: Reason) -> Created {
    Created {
        provided: 0,
        refused: 1,
        reason: Some(reason),
    }
}

fn is_glob(pattern: &[u8]) -> bool {
    pattern.is_empty() || pattern.iter().any(|byte| b"*?[\\".contains(byte))
}

/// Appends a number in hexadecimal.
fn hexadecimal(number: u32, text: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    if number >= 16 {
        hexadecimal(number / 16, text)?;
    }
    let digit = b"0123456789abcdef".get((number % 16) as usize);
    push(text, digit.copied().unwrap_or_default())
}

/// Inserts an item at `place`, within the capacity.
fn insert_within(items: &mut Vec<u32>, place: usize, item: u32) {
    if items.len() < items.capacity() {
        items.push(item);
        let mut carried = item;
        for one in items.iter_mut().skip(place) {
            core::mem::swap(one, &mut carried);
        }
    }
}

impl From<Denied> for Error {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::NoProcess => Self::NotFound,
            Denied::NotAllowed => Self::NotAllowed,
            Denied::Foreign => Self::Foreign,
            Denied::Unsuitable => Self::Invalid,
            Denied::Unsupported => Self::Unsupported,
            Denied::OutOfMemory => Self::OutOfMemory,
        }
    }
}
