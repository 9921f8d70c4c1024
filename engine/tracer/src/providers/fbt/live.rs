//! What firings find of functions.

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

/// A function that has a probe which is wanted.
#[derive(Debug)]
pub struct Function {
    /// The names of its module and of itself.
    pub names: [Span; 2],
    /// The numbers of its probes in the table, by their roles.
    pub probes: [u32; 2],
}

/// The functions, and their sites.
pub struct Live<A: Arch> {
    /// The sites, those that are armed without being wanted among them.
    pub sites: Sites<A>,
    functions: Vec<Function>,
}

impl<A: Arch> Live<A> {
    /// What is wanted and what is armed of `fbt`, which learns which function is where.
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

    /// The function of that number.
    pub fn function(&self, number: u32) -> Option<&Function> {
        self.functions.get(number as usize)
    }

    /// Adds the functions that have a probe which is wanted, and to each function its number here.
    fn add_functions(&mut self, fbt: &mut Fbt<A>, table: &mut Table) -> Result<(), OutOfMemory> {
        let mut module = None;
        for place in 0..fbt.listed().len() {
            let number = fbt.listed().get(place).map(|number| *number as usize);
            let Some((number, function)) = number.and_then(|n| Some((n, fbt.functions().get(n)?)))
            else {
                continue;
            };
            let [module_name, name] = fbt.called(function);
            let ecbs = Role::ALL.map(|role| function.wanted(role));
            let place = if ecbs != [0; 2] {
                // Mostly functions of a module lie together, so its name is added once.
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
                self.sites.add(Site {
                    address: site.hit_address(),
                    resume,
                    function: function.live.unwrap_or(u32::MAX),
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

/// Whether traps are to find it.
fn is_live<A: Arch>(function: &Known, site: &site::Site<A>) -> bool {
    site.armed || function.wants(site)
}
