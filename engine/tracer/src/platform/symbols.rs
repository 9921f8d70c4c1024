//! Modules and functions.

use crate::grow::OutOfMemory;
use crate::site::blacklist::Blacklist;

/// The kernel proper, as a module's name.
pub const KERNEL_NAME: &[u8] = b"vmlinux";

/// What the kernel lists, and where it allows probes.
pub trait Symbols: Sized + Send + Sync + 'static {
    /// Shows every module that is loaded, but the engine's own: its number, which is its own until it is
    /// gone, and its name.
    fn each_module(&self, visit: &mut VisitModule<'_>) -> Result<(), OutOfMemory>;

    /// Shows every function of the module of that number, or of the kernel proper for [`KERNEL`]: of
    /// those that share an address the one first that is the name of it.
    fn each_function(&self, module: usize, visit: &mut Visit<'_>) -> Result<(), OutOfMemory>;

    /// Why no probe may be put at `address`, if so.
    fn off_limits(&self, address: usize) -> Option<OffLimits>;

    /// Whether who jumps to `address` returns: the place of a return thunk.
    fn is_return_thunk(&self, address: usize) -> bool;

    /// What this kernel's architecture adds to the blacklist.
    fn blacklist(&self) -> &'static Blacklist;
}

/// The kernel proper, as a module's number.
pub const KERNEL: usize = 0;

/// A function, as the kernel lists it.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Where it begins.
    pub address: usize,
    /// How many bytes it has; 0 where that is not known.
    pub size: usize,
}

/// Sees one function.
pub type Visit<'a> = dyn FnMut(Listed<'_>) -> Result<(), OutOfMemory> + 'a;

/// Sees one module: its number and its name.
pub type VisitModule<'a> = dyn FnMut(usize, &[u8]) -> Result<(), OutOfMemory> + 'a;

macro_rules! off_limits {
    ($($(#[$doc:meta])* $variant:ident = $code:literal $word:literal $sentence:literal,)*) => {
        /// Why the kernel itself forbids a probe.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum OffLimits {
            $($(#[$doc])* $variant,)*
        }

        impl OffLimits {
            /// The reason that the shim knows by this number.
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The reason in one word.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The reason in one sentence.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }
        }
    };
}

off_limits! {
    /// Initialisation code, freed after boot, and what is no code at all.
    Discarded = 1 "discarded" "it lies outside the running kernel's text",
    /// On the kernel's own blacklist: code that runs before a trap's handler has control.
    Blacklisted = 2 "blacklisted" "the kernel's blacklist forbids a trap in it, since a trap runs it",
    /// In the kernel's table of accesses that may fault.
    Fixup = 3 "fixup" "it may fault, and the kernel then looks it up by an address that a trap would hide",
}
