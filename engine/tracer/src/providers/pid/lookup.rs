//! Looking up what a request names, in a number of steps that does not grow with what there is.

use engine_abi::PidSite;
use engine_isa::Arch;

use super::{Kind, Pid};
use crate::hash::hash;
use crate::index::Index;
use crate::platform::Space;

/// The numbers of what exists, by its key. The process under trace chooses most keys, so the hash
/// is keyed.
#[derive(Debug, Default)]
pub struct Indexes {
    seed: u64,
    pub(super) processes: Index,
    pub(super) functions: Index,
    pub(super) probes: Index,
    pub(super) sites: Index,
    pub(super) semaphores: Index,
}

impl Indexes {
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub fn of_process(&self, space: Space, pid: u32) -> u32 {
        hash(self.seed, [space.key as u64, pid.into()], &[])
    }

    pub fn of_function(&self, process: u32, address: usize, names: [&[u8]; 2]) -> u32 {
        let place = hash(self.seed, [process.into(), address as u64], &[]);
        let texts = names.into_iter();
        texts.fold(place, |before, text| self.of_text(before, text))
    }

    fn of_text(&self, before: u32, text: &[u8]) -> u32 {
        let length = hash(self.seed, [before.into(), text.len() as u64], &[]);
        text.chunks(8).fold(length, |before, part| {
            let mut word = [0; 8];
            word.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
            hash(self.seed, [before.into(), u64::from_ne_bytes(word)], &[])
        })
    }

    pub fn of_probe(&self, function: u32, kind: Kind) -> u32 {
        let kind = match kind {
            Kind::Entry => u64::MAX,
            Kind::Return => u64::MAX - 1,
            Kind::Offset(offset) => offset.into(),
            Kind::Usdt(_) => u64::MAX - 2,
        };
        hash(self.seed, [function.into(), kind], &[])
    }

    /// The key of a probe that the program names has its names.
    pub fn of_usdt(&self, function: u32, request: &PidSite) -> u32 {
        let names = &request.description;
        let own = hash(self.seed, [function.into(), u64::MAX - 2], &[]);
        self.of_text(self.of_text(own, names.provider()), names.name())
    }

    pub fn of_site(&self, process: u32, address: usize) -> u32 {
        hash(self.seed, [process.into(), address as u64], &[])
    }
}

impl<A: Arch> Pid<A> {
    /// The number of an open address space's process.
    pub(super) fn find_process(&self, space: Space, pid: u32) -> Option<u32> {
        let hash = self.indexes.of_process(space, pid);
        self.indexes.processes.find(hash, |number| {
            let process = self.processes.get(number as usize);
            process.is_some_and(|it| it.space == Some(space) && it.pid == pid)
        })
    }

    /// The number of a function that has not been unmapped.
    pub(super) fn find_function(
        &self,
        process: u32,
        address: usize,
        [module, name]: [&[u8]; 2],
    ) -> Option<u32> {
        let hash = self.indexes.of_function(process, address, [module, name]);
        self.indexes.functions.find(hash, |number| {
            let function = self.functions.get(number as usize);
            function.is_some_and(|function| {
                (function.process, function.address) == (process, address)
                    && !function.is_gone
                    && self.names.get(function.name) == name
                    && self.names.get(function.module) == module
            })
        })
    }

    /// Whether a function's probe exists.
    pub(super) fn has_probe(&self, function: u32, kind: Kind) -> bool {
        let hash = self.indexes.of_probe(function, kind);
        let found = self.indexes.probes.find(hash, |number| {
            let probe = self.probes.get(number as usize);
            probe.is_some_and(|probe| (probe.function, probe.kind) == (function, kind))
        });
        found.is_some()
    }

    /// The number of the probe of these names, which the program names.
    pub(super) fn find_usdt(&self, function: u32, request: &PidSite) -> Option<u32> {
        let hash = self.indexes.of_usdt(function, request);
        let names = &request.description;
        let process = self.functions.get(function as usize)?.process;
        let process = self.processes.get(process as usize)?;
        let own = self.names.get(process.name).strip_prefix(b"pid");
        self.indexes.probes.find(hash, |number| {
            let probe = self.probes.get(number as usize);
            let probe = probe.filter(|probe| probe.function == function);
            probe.is_some_and(|probe| match probe.kind {
                Kind::Usdt(provider) => {
                    let digits = self.names.get(provider).strip_prefix(names.provider());
                    digits.is_some() && digits == own && self.names.get(probe.name) == names.name()
                }
                _ => false,
            })
        })
    }

    /// The number of the site at `address`.
    pub(super) fn find_site(&self, process: u32, address: usize) -> Option<u32> {
        let hash = self.indexes.of_site(process, address);
        self.indexes.sites.find(hash, |number| {
            let site = self.sites.get(number as usize);
            site.is_some_and(|site| (site.process, site.address) == (process, address))
        })
    }
}
