//! What is shown of sites.

use engine_isa::Arch;

use super::Pid;

/// A site, as it is shown.
pub struct Shown<'a, A: Arch> {
    /// The process's ID.
    pub process: u32,
    /// Object and function.
    pub names: [&'a [u8]; 2],
    /// The offset from the function's start.
    pub offset: usize,
    /// The site's place in the live table.
    pub place: (usize, usize),
    /// How its text is encoded.
    pub mode: A::Mode,
    /// The text that was planned for.
    pub text: &'a A::Text,
    /// Active ECBs.
    pub ecbs: u32,
    /// Whether the trap is in place.
    pub is_armed: bool,
    /// Hits counted in live tables that have been replaced.
    pub hits: u64,
}

impl<A: Arch> Pid<A> {
    /// Number of sites, those of processes that are gone included.
    pub fn sites(&self) -> usize {
        self.sites.len()
    }

    /// What all probes are charged with, in bytes.
    pub fn bytes(&self) -> usize {
        self.taken
    }

    /// The site of this number; none if its process is gone, or its function without a trap there.
    pub fn shown(&self, number: usize) -> Option<Shown<'_, A>> {
        let site = self.sites.get(number)?;
        let process = self.processes.get(site.process as usize)?;
        let function = self.functions.get(site.function as usize)?;
        if function.is_gone && !site.is_armed {
            return None;
        }
        Some(Shown {
            process: process.pid,
            names: [function.module, function.name].map(|name| self.names.get(name)),
            offset: site.address.wrapping_sub(function.address),
            place: (process.space?.key, site.address),
            mode: site.mode,
            text: &site.text,
            ecbs: site.ecbs,
            is_armed: site.is_armed,
            hits: site.hits,
        })
    }
}
