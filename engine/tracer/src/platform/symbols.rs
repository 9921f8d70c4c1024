//! Modules, functions, and where probes are forbidden.

use crate::grow::OutOfMemory;
use crate::site::blacklist::Blacklist;

/// Module name of the kernel proper.
pub const KERNEL_NAME: &[u8] = b"vmlinux";

/// The kernel's symbols, and its restrictions on probes.
pub trait Symbols: Sized + Send + Sync + 'static {
    /// Visits every loaded module except the engine's own: a number that identifies it until it is
    /// unloaded, and its name.
    fn each_module(&self, visit: &mut VisitModule<'_>) -> Result<(), OutOfMemory>;

    /// Visits every function of the module of that number, or of the kernel proper for [`KERNEL`].
    /// Among functions that share an address, the one whose name the kernel prints comes first.
    fn each_function(&self, module: usize, visit: &mut Visit<'_>) -> Result<(), OutOfMemory>;

    /// The reason why the kernel forbids a probe at `address`, if it does.
    fn off_limits(&self, address: usize) -> Option<OffLimits>;

    /// Whether `address` is a return thunk, so that a jump to it is a return.
    fn is_return_thunk(&self, address: usize) -> bool;

    /// The architecture's additions to the blacklist.
    fn blacklist(&self) -> &'static Blacklist;
}

/// Module number of the kernel proper.
pub const KERNEL: usize = 0;

/// A function in the kernel's symbol table.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its first address.
    pub address: usize,
    /// Its size in bytes; 0 if unknown.
    pub size: usize,
}

/// Receives one function.
pub type Visit<'a> = dyn FnMut(Listed<'_>) -> Result<(), OutOfMemory> + 'a;

/// Receives one module: its number and its name.
pub type VisitModule<'a> = dyn FnMut(usize, &[u8]) -> Result<(), OutOfMemory> + 'a;

macro_rules! off_limits {
    ($($(#[$doc:meta])* $variant:ident = $code:literal $word:literal $sentence:literal,)*) => {
        /// Why the kernel forbids a probe.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum OffLimits {
            $($(#[$doc])* $variant,)*
        }

        impl OffLimits {
            /// The reason with this code in `shim.h`.
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The reason in one word, as in `/proc/dtrace/refused`.
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
    /// Init code, freed after boot, and addresses that hold no code.
    Discarded = 1 "discarded" "it is outside the text of the running kernel",
    /// On the kernel's kprobe blacklist: code that runs before a trap's handler has control.
    Blacklisted = 2 "blacklisted" "it is on the kernel's kprobe blacklist: a trap would recurse in it",
    /// In the kernel's exception table: the access may fault.
    Fixup = 3 "fixup" "it may fault, and its exception table entry is looked up by an address that a trap would hide",
}
