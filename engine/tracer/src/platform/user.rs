//! User threads, as walks over their stacks need them.

/// A frame of a user stack: the registers that lead to its caller's.
///
/// The platform knows where they are in its own registers; what is done with them is the same on
/// every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserFrame {
    /// The program counter.
    pub pc: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer, or whatever the code keeps in that register.
    pub fp: u64,
    /// The link register, as long as nothing else is kept in it; 0 where there is none.
    pub lr: u64,
    /// How the code saves a caller's frame.
    pub layout: FrameLayout,
}

/// How code saves a caller's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameLayout {
    /// Bytes of an address: 4 or 8.
    pub word: u8,
    /// Whether a call leaves the return address in the link register; else it pushes it.
    pub has_link: bool,
    /// What the frame pointer points to.
    pub record: FrameRecord,
    /// The bits of a return address that are the address.
    pub mask: u64,
}

/// What the frame pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameRecord {
    /// The caller's frame pointer, and above it the return address.
    Pair,
    /// The last word of what was pushed. Compilers differ: the return address with the caller's
    /// frame pointer below it; the program counter with return address, stack pointer and frame
    /// pointer below it (APCS); or the caller's frame pointer with the return address above it.
    Pushed,
    /// Nothing that is known.
    Unknown,
}
