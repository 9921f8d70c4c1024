//! What a compilation can know about the traced kernel: its types, and where its variables are.

use std::fmt::Debug;
use std::sync::Arc;

use engine_abi::Description;
use engine_btf::Btf;

/// The traced kernel. Nothing is read before a program refers to it.
pub trait Kernel: Debug {
    /// The types of a module, or of the kernel itself (`None`).
    ///
    /// # Errors
    /// Why there are none, as a sentence.
    fn types(&self, module: Option<&str>) -> Result<Arc<Btf<'static>>, String>;

    /// Types of the kernel's variables that are not among its types, split from them.
    fn variables(&self) -> Option<Arc<Btf<'static>>> {
        None
    }

    /// The modules that may have types of their own.
    fn modules(&self) -> Vec<String>;

    /// The address of a function or a variable, of a module, of the kernel itself (`vmlinux`), or
    /// of any (`None`).
    fn symbol(&self, module: Option<&str>, name: &str) -> Option<Symbol>;

    /// The probes that a description matches, if they are known before the program runs.
    fn probes(&self, description: &Description) -> Vec<Description>;
}

/// A symbol of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its address; of a per-CPU variable, that to which the CPU's offset is added.
    pub address: u64,
    /// Whether it is in code.
    pub is_code: bool,
    /// Whether it is known to be a variable of which each CPU has a copy.
    pub is_per_cpu: bool,
    /// The module that it is in; `None` for the kernel itself.
    pub module: Option<String>,
}
