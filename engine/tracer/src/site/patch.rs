//! Batched patching of sites.

use alloc::vec::Vec;

use engine_isa::Arch;

use crate::grow::{OutOfMemory, push};
use crate::platform::{Patch, Platform};
use crate::providers::fbt::{Fbt, Function};
use crate::site::Site;

/// Sites patched in one call of the platform.
const BATCH: usize = 2048;

/// A batch of text writes. It is allocated before anything is armed, since restoring text must not
/// need memory.
#[derive(Debug)]
pub(crate) struct Batch {
    patches: Vec<Patch>,
    /// The sites' numbers, in the same order.
    sites: Vec<u32>,
}

impl Batch {
    /// Allocates an empty batch.
    pub fn new() -> Result<Self, OutOfMemory> {
        let (mut patches, mut sites) = (Vec::new(), Vec::new());
        patches.try_reserve_exact(BATCH).map_err(|_| OutOfMemory)?;
        sites.try_reserve_exact(BATCH).map_err(|_| OutOfMemory)?;
        Ok(Self { patches, sites })
    }

    /// Writes to each site of the enabled functions the word that `wanted` returns for it, and
    /// calls `written` for each write that succeeded.
    pub fn write<A: Arch, P: Platform>(
        &mut self,
        platform: &P,
        fbt: &mut Fbt<A>,
        wanted: impl Fn(&Function, &Site<A>) -> Option<u32>,
        written: impl Fn(&mut Site<A>),
    ) {
        let (enabled, functions, sites) = fbt.parts();
        let enabled = enabled.iter();
        let functions = enabled.filter_map(|number| functions.get(*number as usize));
        for (function, number) in functions.flat_map(|f| f.sites().map(move |site| (f, site))) {
            let site = sites.get(number);
            let Some((site, word)) = site.and_then(|site| Some((site, wanted(function, site)?)))
            else {
                continue;
            };
            let patch = Patch {
                address: site.address,
                word,
                failed: 0,
            };
            // Within the reserved capacity.
            let _ = push(&mut self.patches, patch);
            let _ = push(&mut self.sites, number as u32);
            if self.patches.len() == BATCH {
                self.flush(platform, sites, &written);
            }
        }
        self.flush(platform, sites, &written);
    }

    /// Writes the pending patches.
    fn flush<A: Arch, P: Platform>(
        &mut self,
        platform: &P,
        sites: &mut [Site<A>],
        written: &impl Fn(&mut Site<A>),
    ) {
        if !self.patches.is_empty() {
            platform.patch(&mut self.patches);
        }
        for (patch, number) in self.patches.iter().zip(&self.sites) {
            if let (0, Some(site)) = (patch.failed, sites.get_mut(*number as usize)) {
                written(site);
            }
        }
        self.patches.clear();
        self.sites.clear();
    }
}
