//! The fbt part of the live table.

use alloc::vec::Vec;
use core::sync::atomic::AtomicUsize;

use engine_isa::Arch;

use super::Fbt;
use super::function::Function as Known;
use crate::fire::table::Table;
use crate::grow::{OutOfMemory, push};
use crate::probe::Role;
use crate::probe::names::Span;
use crate::providers::Published;
use crate::site::live::{Site, Sites};
use crate::site::{self, resume};

/// A function with an enabled probe.
#[derive(Debug)]
pub struct Function {
    /// Names of its module and of the function.
    pub names: [Span; 2],
    /// Indices of its probes in the table, by role.
    pub probes: [u32; 2],
}

/// The enabled functions, and the sites to look up.
pub struct Live<A: Arch> {
    /// The sites, including those that are still armed but no longer wanted.
    pub sites: Sites<Site<A>>,
    functions: Vec<Function>,
}

impl<A: Arch> Live<A> {
    /// Builds it from the listed functions, and stores in each its index here.
    pub fn of(fbt: &mut Fbt<A>, table: &mut Table) -> Result<Self, OutOfMemory> {
        let live_sites = fbt.enabled();
        let live_sites = live_sites.filter(|(function, site)| is_live(function, site));
        let mut live = Self {
            sites: Sites::new(live_sites.count())?,
            functions: Vec::new(),
        };
        live.add_functions(fbt, table)?;
        live.add_sites(fbt)?;
        Ok(live)
    }

    /// The function at this index.
    pub fn function(&self, number: u32) -> Option<&Function> {
        self.functions.get(number as usize)
    }

    /// Adds the functions that have an enabled probe, and stores in each listed function its index,
    /// or none.
    fn add_functions(&mut self, fbt: &mut Fbt<A>, table: &mut Table) -> Result<(), OutOfMemory> {
        let mut module = None;
        for place in 0..fbt.listed().len() {
            let number = fbt.listed().get(place).map(|number| *number as usize);
            let Some((number, function)) = number.and_then(|n| Some((n, fbt.functions().get(n)?)))
            else {
                continue;
            };
            let [module_name, name] = fbt.names_of(function);
            let ecbs = Role::ALL.map(|role| function.wanted(role));
            let place = if ecbs != [0; 2] {
                // Functions of a module are mostly adjacent, so its name is added once.
                let module_span = match module {
                    Some((of, span)) if of == function.module => span,
                    _ => table.add_name(module_name)?,
                };
                module = Some((function.module, module_span));
                let mut probes = [0; 2];
                for ((probe, role), ecbs) in probes.iter_mut().zip(Role::ALL).zip(ecbs) {
                    *probe = table.add_probe(role.probe_of(number), ecbs)?;
                }
                let names = [module_span, table.add_name(name)?];
                push(&mut self.functions, Function { names, probes })?;
                Some(self.functions.len().wrapping_sub(1) as u32)
            } else {
                None
            };
            fbt.set_live(number, place);
        }
        Ok(())
    }

    fn add_sites(&mut self, fbt: &Fbt<A>) -> Result<(), OutOfMemory> {
        let enabled = fbt.enabled();
        for (function, site) in enabled.filter(|(function, site)| is_live(function, site)) {
            if let Some(resume) = resume::of::<A>(site) {
                let live = function.live.and_then(|number| self.function(number));
                let probes = live.map_or([u32::MAX; 2], |live| live.probes);
                self.sites.add(Site {
                    address: site.hit_address(),
                    resume,
                    function: function.live.unwrap_or(u32::MAX),
                    probes,
                    offset: site.address.wrapping_sub(function.address),
                    is_entry: site.is_entry,
                    leaves: site.leaves,
                    hits: AtomicUsize::new(0),
                })?;
            }
        }
        Ok(())
    }
}

impl<A: Arch> Published for Live<A> {
    fn bytes(&self) -> usize {
        let functions = self.functions.capacity();
        let functions = functions.wrapping_mul(size_of::<Function>());
        self.sites.bytes().wrapping_add(functions)
    }
}

/// Whether traps must find the site.
fn is_live<A: Arch>(function: &Known, site: &site::Site<A>) -> bool {
    site.armed || function.wants(site)
}
