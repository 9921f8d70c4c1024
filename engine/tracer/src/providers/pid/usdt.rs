//! Probes whose places a program names itself (USDT): `<provider><pid>:<object>:<function>:<name>`.
//!
//! The command reads the program's notes. It is not trusted: what a note says of an instruction is
//! planned here as for any other probe, and an operand can only read registers and memory of the
//! process that is traced.

use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::{
    IN_MEMORY, INDEX_IS_SIGNED, INDEX_IS_WORD, IS_SIGNED, NO_REGISTER, Operand, PROVIDER_LEN,
    PidSite,
};
use engine_isa::Arch;

use super::body::Body;
use super::process::decimal;
use super::refusals::Refused;
use super::semaphores::Semaphore;
use super::{Kind, PROBES_MAX, Pid, Probe, Use};
use crate::error::{Bound, Error};
use crate::grow::{extend, push};
use crate::platform::{Platform, Space};
use crate::probe::names::Span;
use crate::providers::pid::Created;
use crate::site::reason::Reason;

/// What a program says of a place.
#[derive(Debug)]
pub(super) struct Note {
    /// Where the arguments are, in the provider's list of operands.
    pub operands: Range<u32>,
    /// The number of the counter that says that the probe is armed.
    pub semaphore: Option<u32>,
}

/// What a note is charged with, without operands.
const OF_NOTE: usize = size_of::<Note>() + size_of::<Semaphore>();

/// An operand, here and in the live table.
const OF_OPERAND: usize = 2 * size_of::<Operand>();

impl<A: Arch> Pid<A> {
    /// Creates the probe that `request` names, or adds its site to that probe, for `consumer`.
    pub fn create_site<P: Platform>(
        &mut self,
        platform: &P,
        consumer: usize,
        request: &PidSite,
    ) -> Result<Created, Error> {
        let operands = check(request)?;
        self.bounds = platform.probe_memory();
        let process = self.open(platform, consumer, request.pid)?;
        let space = self.processes.get(process as usize).and_then(|it| it.space);
        let space = space.ok_or(Error::NotFound)?;
        let body = self.read_site(platform, space, process, request.address)?;
        match body.and_then(|body| body.plan(0).map(|_| body)) {
            Ok(body) => self.add_site((process, space.is_compat != 0), &body, request, operands),
            Err(reason) => {
                self.refuse_site(request, space.is_compat != 0, reason);
                Ok(Created {
                    provided: 0,
                    refused: 1,
                    reason: Some(reason),
                })
            }
        }
    }

    /// Reads the text of a site: as much of it as an instruction may have, or as is there.
    fn read_site<P: Platform>(
        &self,
        platform: &P,
        space: Space,
        process: u32,
        address: u64,
    ) -> Result<Result<Body<A>, Reason>, Error> {
        let Ok(pointer) = usize::try_from(address) else {
            return Ok(Err(Reason::Unreadable));
        };
        let (address, mode) = A::code_at(pointer, space.is_compat != 0);
        let mut length = size_of::<A::Text>();
        loop {
            let end = address.saturating_add(length);
            let body = self.read(platform, space, process, address..end, mode)?;
            if body.is_ok() || length <= 1 {
                return Ok(body);
            }
            length /= 2;
        }
    }

    fn refuse_site(&mut self, request: &PidSite, is_compat: bool, reason: Reason) {
        let (address, _) = A::code_at(request.address as usize, is_compat);
        let refused = Refused {
            address,
            name: request.description.name(),
            reason,
        };
        let (pid, description) = (request.pid, &request.description);
        self.refusals.add(pid, description, &refused);
    }

    fn add_site(
        &mut self,
        (process, is_compat): (u32, bool),
        body: &Body<A>,
        request: &PidSite,
        operands: &[Operand],
    ) -> Result<Created, Error> {
        let names = [request.description.module(), request.description.function()];
        let (function, _) = A::code_at(request.function as usize, is_compat);
        let size = request.size as usize;
        let function = self.function(process, names, function, size)?;
        let created = Created {
            provided: 1,
            ..Created::default()
        };
        let known = self.find_usdt(function, request);
        if let Some(probe) = known.and_then(|number| self.probes.get(number as usize)) {
            let has = |one: &Use| {
                let site = self.sites.get(one.site as usize);
                site.is_some_and(|site| site.address == body.address)
            };
            if self.uses_of(probe).iter().any(has) {
                self.site(function, body, 0)?;
                return Ok(created);
            }
        }
        let new_sites = self.new_sites(function, body, &[(0, None)])?;
        self.charge_probe(function, request.description.name(), 1, new_sites)?;
        let note = OF_NOTE.saturating_add(OF_OPERAND.saturating_mul(operands.len()));
        self.charge(process, note)?;
        let note = self.note(process, request.semaphore as usize, operands)?;
        let site = self.site(function, body, 0)?;
        let one = Use {
            site,
            leaves: None,
            note: Some(note),
        };
        match known {
            Some(probe) => self.add_use(process, probe, one)?,
            None => self.add_usdt(function, request, one)?,
        }
        Ok(created)
    }

    /// Adds a place to a probe, whose places follow one another. If others follow them they are copied, and
    /// charged again.
    fn add_use(&mut self, process: u32, probe: u32, one: Use) -> Result<(), Error> {
        let known = self.probes.get(probe as usize).ok_or(Error::NotFound)?;
        let uses = known.uses.start as usize..known.uses.end as usize;
        if uses.end != self.uses.len() {
            self.charge(process, size_of::<Use>().saturating_mul(uses.len()))?;
        }
        let Some(probe) = self.probes.get_mut(probe as usize) else {
            return Err(Error::NotFound);
        };
        if uses.end != self.uses.len() {
            let first = self.uses.len() as u32;
            self.uses
                .try_reserve(uses.len().saturating_add(1))
                .map_err(|_| Error::OutOfMemory)?;
            for place in uses {
                let known = self.uses.get(place).copied();
                known.map_or(Ok(()), |known| push(&mut self.uses, known))?;
            }
            probe.uses = first..self.uses.len() as u32;
        }
        push(&mut self.uses, one)?;
        probe.uses.end = self.uses.len() as u32;
        Ok(())
    }

    fn add_usdt(&mut self, function: u32, request: &PidSite, one: Use) -> Result<(), Error> {
        if self.probes.len() >= PROBES_MAX {
            return Err(Error::Bound(Bound::Probes));
        }
        let name = self.names.add(request.description.name())?;
        let provider = self.provider_of(request)?;
        self.indexes.probes.reserve()?;
        let first = self.uses.len() as u32;
        push(&mut self.uses, one)?;
        let probe = Probe {
            function,
            kind: Kind::Usdt(provider),
            name,
            uses: first..self.uses.len() as u32,
            ecbs: 0,
            live: None,
        };
        let number = self.probes.len() as u32;
        push(&mut self.probes, probe)?;
        let hash = self.indexes.of_usdt(function, request);
        self.indexes.probes.add(hash, number);
        Ok(())
    }

    /// The provider's name with the process ID behind it.
    fn provider_of(&mut self, request: &PidSite) -> Result<Span, Error> {
        let mut text = Vec::new();
        extend(&mut text, request.description.provider())?;
        decimal(request.pid, &mut text)?;
        Ok(self.names.add(&text)?)
    }

    fn note(&mut self, process: u32, semaphore: usize, operands: &[Operand]) -> Result<u32, Error> {
        let semaphore = self.semaphore(process, semaphore)?;
        let first = self.operands.len() as u32;
        for operand in operands {
            push(&mut self.operands, *operand)?;
        }
        let number = self.notes.len() as u32;
        let operands = first..self.operands.len() as u32;
        push(
            &mut self.notes,
            Note {
                operands,
                semaphore,
            },
        )?;
        Ok(number)
    }
}

/// The request's operands, if it is valid.
fn check(request: &PidSite) -> Result<&[Operand], Error> {
    const PID_DIGITS: usize = 10;
    let provider = request.description.provider();
    let fits = provider.len() + PID_DIGITS < PROVIDER_LEN;
    let is_named = !provider.is_empty() && provider != b"pid" && fits;
    let is_even = request.semaphore.is_multiple_of(2);
    let is_address = |address| usize::try_from(address).is_ok();
    let addresses = [request.semaphore, request.function, request.size];
    let operands = request.operands.get(..request.count as usize);
    let operands = operands.filter(|all| all.iter().all(Operand::is_valid));
    let is_valid = is_named && is_even && addresses.into_iter().all(is_address);
    operands.filter(|_| is_valid).ok_or(Error::Invalid)
}

/// The value of an argument; 0 if it is in memory that is not there.
pub(super) fn value<P: Platform>(operand: &Operand, platform: &P) -> u64 {
    let has = |flag| operand.flags & flag != 0;
    let register = |number: u8| match number {
        NO_REGISTER => 0,
        _ => platform.user_register(number.into()),
    };
    let index = match register(operand.index) {
        whole if !has(INDEX_IS_WORD) => whole,
        whole => cut(whole, 4, has(INDEX_IS_SIGNED)),
    };
    let scaled = index.wrapping_shl(operand.scale.into());
    let sum = register(operand.base).wrapping_add(scaled);
    let sum = sum.wrapping_add(operand.displacement as u64);
    let word = match has(IN_MEMORY) {
        true => load(sum as usize as u64, operand.size, platform),
        false => sum,
    };
    let shifted = word.wrapping_shr(operand.shift.into());
    cut(shifted, operand.size, has(IS_SIGNED))
}

fn load<P: Platform>(address: u64, bytes: u8, platform: &P) -> u64 {
    let mut word = [0; size_of::<u64>()];
    let to = word.get_mut(..bytes.into()).unwrap_or_default();
    let loaded = platform.load_user(address, to);
    loaded.map_or(0, |()| u64::from_le_bytes(word))
}

/// The lowest bytes of a word, with their sign if they have one.
fn cut(word: u64, bytes: u8, is_signed: bool) -> u64 {
    let unused = u64::BITS.saturating_sub(u32::from(bytes).saturating_mul(8));
    let left = word.wrapping_shl(unused);
    match is_signed {
        true => (left as i64).wrapping_shr(unused) as u64,
        false => left.wrapping_shr(unused),
    }
}
