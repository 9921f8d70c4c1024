//! Creates probes: walks and plans a function that a consumer has named.

use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::PidProbes;
use engine_isa::Arch;
use engine_isa::body::Leaves;

use super::body::Body;
use super::refusals::Refused;
use super::{Function, Kind, PROBES_MAX, Pid, Probe, Site, Use};
use crate::error::{Bound, Error};
use crate::grow::{OutOfMemory, push};
use crate::platform::{Denied, Platform};
use crate::probe::glob::matches;
use crate::site::reason::Reason;

/// Accepted sizes of a function, in bytes.
const LENGTHS: Range<u64> = 1..1 << 20;

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

/// What came of a probe: where it was refused, as an offset in the function, and why.
type Placed = Result<(), (u32, Reason)>;

impl<A: Arch> Pid<A> {
    /// Creates the probes of a function that `request` names, for `consumer`.
    pub fn create<P: Platform>(
        &mut self,
        platform: &P,
        consumer: usize,
        request: &PidProbes,
    ) -> Result<Created, Error> {
        let (process, body) = self.examine(platform, consumer, request)?;
        let mut created = Created::default();
        match body {
            Ok(mut body) => {
                body.is_open = request.is_open != 0;
                if !is_entry(request) {
                    self.walk(&mut body)?;
                }
                self.create_matching(process, &body, request, &mut created)?;
            }
            Err(reason) => {
                let start = self.start_of(process, request);
                self.refuse_all(request, start, reason, &mut created);
            }
        }
        Ok(created)
    }

    /// The number of the process that `request` names, for `consumer`, and the text of the function.
    #[inline(never)]
    pub(super) fn examine<P: Platform>(
        &mut self,
        platform: &P,
        consumer: usize,
        request: &PidProbes,
    ) -> Result<(u32, Result<Body<A>, Reason>), Error> {
        self.bounds = platform.probe_memory();
        let process = self.open(platform, consumer, request.pid)?;
        let space = self.processes.get(process as usize).and_then(|it| it.space);
        let space = space.ok_or(Error::NotFound)?;
        let body = match extent_of::<A>(request, space.is_compat != 0) {
            Some((extent, mode)) => self.read(platform, space, process, extent, mode)?,
            None => Err(Reason::NoSize),
        };
        Ok((process, body))
    }

    /// Creates the probes of a function whose names the request's pattern matches; an empty one
    /// matches all.
    pub(super) fn create_matching(
        &mut self,
        process: u32,
        body: &Body<A>,
        request: &PidProbes,
        created: &mut Created,
    ) -> Result<(), Error> {
        let (module, name) = (request.description.module(), request.description.function());
        let size = request.size as usize;
        let function = self.function(process, [module, name], body.address, size)?;
        let pattern = request.description.name();
        let is_named = |name: &[u8]| pattern.is_empty() || matches(pattern, name);
        if is_named(b"entry") {
            let placed = self.probe(function, body, Kind::Entry, b"entry", &[(0, None)])?;
            self.conclude(request, body.address, b"entry", placed, created);
        }
        if is_named(b"return") {
            let placed = self.return_probe(function, body)?;
            self.conclude(request, body.address, b"return", placed, created);
        }
        let mut any = created.provided.wrapping_add(created.refused) > 0 && !is_glob(pattern);
        let mut name = Vec::new();
        let offsets: &[u32] = match is_offset(pattern) {
            true => &body.instructions,
            false => &[],
        };
        for &offset in offsets {
            name.clear();
            hexadecimal(offset, &mut name)?;
            if is_named(&name) {
                any = true;
                let kind = Kind::Offset(offset);
                let placed = self.probe(function, body, kind, &name, &[(offset, None)])?;
                self.conclude(request, body.address, &name, placed, created);
            }
        }
        if !any {
            let unwalked = body.walked.map_err(Reason::Unwalked);
            let reason = unwalked.err().unwrap_or(Reason::NoInstruction);
            self.refuse_all(request, body.address, reason, created);
        }
        Ok(())
    }

    /// The address of the function that `request` names.
    fn start_of(&self, process: u32, request: &PidProbes) -> usize {
        let process = self.processes.get(process as usize);
        let space = process.and_then(|process| process.space);
        let is_compat = space.is_some_and(|space| space.is_compat != 0);
        A::code_at(request.address as usize, is_compat).0
    }

    /// Counts a probe of the function that starts at `start`, and keeps it for show if it was refused.
    fn conclude(
        &mut self,
        request: &PidProbes,
        start: usize,
        name: &[u8],
        placed: Placed,
        created: &mut Created,
    ) {
        let Err((offset, reason)) = placed else {
            created.provided = created.provided.wrapping_add(1);
            return;
        };
        created.refused = created.refused.wrapping_add(1);
        created.reason = Some(reason);
        let address = start.wrapping_add(offset as usize);
        let refused = Refused {
            address,
            name,
            reason,
        };
        let (pid, description) = (request.pid, &request.description);
        self.refusals.add(pid, description, &refused);
    }

    /// Refuses whatever the request's pattern stands for, as one.
    fn refuse_all(
        &mut self,
        request: &PidProbes,
        start: usize,
        reason: Reason,
        created: &mut Created,
    ) {
        let pattern = request.description.name();
        let name = if pattern.is_empty() { b"*" } else { pattern };
        self.conclude(request, start, name, Err((0, reason)), created);
    }

    fn return_probe(&mut self, function: u32, body: &Body<A>) -> Result<Placed, Error> {
        if let Err(why) = body.walked {
            return Ok(Err((0, Reason::Unwalked(why))));
        }
        if body.exits.is_empty() {
            return Ok(Err((0, Reason::NoReturn)));
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
        body: &Body<A>,
        kind: Kind,
        name: &[u8],
        places: &[(u32, Option<Leaves>)],
    ) -> Result<Placed, Error> {
        for (offset, _) in places {
            if let Err(reason) = body.plan(*offset) {
                return Ok(Err((*offset, reason)));
            }
        }
        if self.has_probe(function, kind) {
            for (offset, _) in places {
                self.site(function, body, *offset)?;
            }
            return Ok(Ok(()));
        }
        if self.probes.len() >= PROBES_MAX {
            return Err(Error::Bound(Bound::Probes));
        }
        let new_sites = self.new_sites(function, body, places)?;
        self.charge_probe(function, name, places.len(), new_sites)?;
        let name = self.names.add(name)?;
        let first = self.uses.len() as u32;
        for (offset, leaves) in places {
            let site = self.site(function, body, *offset)?;
            let leaves = *leaves;
            let note = None;
            push(&mut self.uses, Use { site, leaves, note })?;
        }
        let probe = Probe {
            function,
            kind,
            name,
            uses: first..self.uses.len() as u32,
            ecbs: 0,
            live: None,
        };
        self.indexes.probes.reserve()?;
        let number = self.probes.len() as u32;
        push(&mut self.probes, probe)?;
        let hash = self.indexes.of_probe(function, kind);
        self.indexes.probes.add(hash, number);
        Ok(Ok(()))
    }

    /// How many of these places have no site yet.
    pub(super) fn new_sites(
        &self,
        function: u32,
        body: &Body<A>,
        places: &[(u32, Option<Leaves>)],
    ) -> Result<usize, Error> {
        let known = self.functions.get(function as usize);
        let process = known.ok_or(Error::NotFound)?.process;
        let is_new = |(offset, _): &&(u32, Option<Leaves>)| {
            let address = body.address.wrapping_add(*offset as usize);
            self.find_site(process, address).is_none()
        };
        Ok(places.iter().filter(is_new).count())
    }

    /// The number of the site at this offset of a function.
    pub(super) fn site(
        &mut self,
        function: u32,
        body: &Body<A>,
        offset: u32,
    ) -> Result<u32, Error> {
        let known = self.functions.get(function as usize);
        let process = known.ok_or(Error::NotFound)?.process;
        let address = body.address.wrapping_add(offset as usize);
        let text = body.plan(offset).map_err(|_| Error::NotFound)?;
        if let Some(number) = self.find_site(process, address) {
            self.renew(number, function, (body, offset), text);
            return Ok(number);
        }
        let site = Site {
            process,
            function,
            address,
            mode: body.mode_at(offset),
            text,
            is_armed: false,
            slot: None,
            ecbs: 0,
            is_hook: false,
            hits: 0,
        };
        self.indexes.sites.reserve()?;
        self.order.try_reserve(1).map_err(|_| OutOfMemory)?;
        let missing = self.sites.len().saturating_add(1);
        let missing = missing.saturating_sub(self.patches.len());
        self.patches.try_reserve(missing).map_err(|_| OutOfMemory)?;
        let number = self.sites.len() as u32;
        push(&mut self.sites, site)?;
        // Within the reserved capacity, so that a site is in all three or in none.
        push(&mut self.order, number)?;
        let hash = self.indexes.of_site(process, address);
        self.indexes.sites.add(hash, number);
        Ok(number)
    }

    /// Plans a known site anew if other text has been mapped there. It is not armed if its trap was
    /// not there any more. What is in its slot stays there until all slots are unmapped.
    fn renew(
        &mut self,
        number: u32,
        function: u32,
        (body, offset): (&Body<A>, u32),
        text: A::Text,
    ) {
        let Some(site) = self.sites.get_mut(number as usize) else {
            return;
        };
        let first = self.functions.get(site.function as usize);
        if first.is_some_and(|first| first.is_gone) {
            site.function = function;
        }
        site.is_armed &= body.undone.binary_search(&offset).is_ok();
        let mode = body.mode_at(offset);
        let length = A::length(&A::plan(&text, mode));
        let is_same =
            site.mode == mode && site.text.as_ref().get(..length) == text.as_ref().get(..length);
        if !site.is_armed && !is_same {
            (site.mode, site.text, site.slot) = (mode, text, None);
        }
    }

    /// The number of the function of these names, module and own.
    pub(super) fn function(
        &mut self,
        process: u32,
        [module, name]: [&[u8]; 2],
        address: usize,
        size: usize,
    ) -> Result<u32, Error> {
        if let Some(number) = self.find_function(process, address, [module, name]) {
            return Ok(number);
        }
        self.charge_function(process, [module, name])?;
        let function = Function {
            process,
            module: self.names.add(module)?,
            name: self.names.add(name)?,
            address,
            size,
            is_gone: false,
        };
        self.indexes.functions.reserve()?;
        let number = self.functions.len() as u32;
        push(&mut self.functions, function)?;
        let names = [module, name];
        let hash = self.indexes.of_function(process, address, names);
        self.indexes.functions.add(hash, number);
        Ok(number)
    }
}

/// The text that the probes need, and how it is encoded.
fn extent_of<A: Arch>(request: &PidProbes, is_compat: bool) -> Option<(Range<usize>, A::Mode)> {
    let (start, mode) = A::code_at(usize::try_from(request.address).ok()?, is_compat);
    let size = LENGTHS.contains(&request.size).then_some(request.size)?;
    let size = match is_entry(request) {
        true => size.min(size_of::<A::Text>() as u64),
        false => size,
    };
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    Some((start..end, mode))
}

/// Whether only the entry is asked for, which needs no more than its instruction: to read and to walk
/// the function is most of the cost.
fn is_entry(request: &PidProbes) -> bool {
    request.description.name() == b"entry"
}

fn is_glob(pattern: &[u8]) -> bool {
    pattern.is_empty() || pattern.iter().any(|byte| b"*?[\\".contains(byte))
}

/// Whether a pattern can match a number in hexadecimal.
fn is_offset(pattern: &[u8]) -> bool {
    is_glob(pattern) || pattern.iter().all(u8::is_ascii_hexdigit)
}

/// Appends a number in hexadecimal.
fn hexadecimal(number: u32, text: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    if number >= 16 {
        hexadecimal(number / 16, text)?;
    }
    let digit = b"0123456789abcdef".get((number % 16) as usize);
    push(text, digit.copied().unwrap_or_default())
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
