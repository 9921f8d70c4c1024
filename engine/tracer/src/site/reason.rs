//! Why a function or its return has no probe.

use engine_isa::Why;
use engine_isa::body::Unwalked;

use crate::platform::OffLimits;

/// Why a function or its return has no probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The kernel forbids it.
    OffLimits(OffLimits),
    /// It is not a function but a part of one, such as `.cold` code.
    Part,
    /// It is a linker symbol at the start or end of a section.
    SectionMarker,
    /// It is data: no function begins with its first word.
    Data,
    /// A trap in it could recurse: it may run on the way to a trap's handler, or where no trap can
    /// be taken.
    Toxic(&'static str),
    /// The same, for a thunk.
    Thunk(&'static str),
    /// The kernel patches one of its instructions at run time.
    Rewritten,
    /// An instruction can be neither emulated nor relocated.
    Instruction(Why),
    /// A loop jumps back to its entry, and ftrace has no call before it.
    Loop,
    /// Its text cannot be read.
    Unreadable,
    /// Its size is unknown or out of range.
    NoSize,
    /// Its control flow could not be followed to every exit.
    Unwalked(Unwalked),
    /// Another patcher has written a jump into it.
    Foreign,
    /// No instruction leaves it: it neither returns nor tail-calls.
    NoReturn,
    /// No instruction begins at the given offset.
    NoInstruction,
}

impl Reason {
    /// The reason in one word, as in `/proc/dtrace/refused`.
    pub fn word(self) -> &'static str {
        match self {
            Self::OffLimits(reason) => reason.word(),
            Self::Part => "part",
            Self::SectionMarker => "mark",
            Self::Data => "data",
            Self::Toxic(_) => "toxic",
            Self::Thunk(_) => "glue",
            Self::Rewritten => "rewritten",
            Self::Instruction(reason) => reason.word(),
            Self::Loop => "loop",
            Self::Unreadable => "unreadable",
            Self::NoSize => "endless",
            Self::Unwalked(_) => "unwalked",
            Self::Foreign => "foreign",
            Self::NoReturn => "stays",
            Self::NoInstruction => "offset",
        }
    }

    /// The reason in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::OffLimits(reason) => reason.sentence(),
            Self::Part => "it is a part split off another function, not an entry",
            Self::SectionMarker => "it is a section boundary symbol, not a function",
            Self::Data => "it is data: no function begins with this word",
            Self::Toxic(sentence) | Self::Thunk(sentence) => sentence,
            Self::Rewritten => "the kernel rewrites this instruction at run time",
            Self::Instruction(reason) => reason.sentence(),
            Self::Loop => {
                "a loop branches back to its first instruction, and a trap would count each iteration as an entry"
            }
            Self::Unreadable => "its text cannot be read",
            Self::NoSize => "the kernel's symbols do not give its size",
            Self::Unwalked(_) => "its control flow could not be followed to every exit",
            Self::Foreign => "another patcher has written a jump into it",
            Self::NoReturn => "it never returns: no instruction leaves the function",
            Self::NoInstruction => "no instruction of the function begins at this offset",
        }
    }

    /// Whether it may no longer hold at the next try, as other patchers write text too.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Foreign | Self::Instruction(_) | Self::Unreadable | Self::Unwalked(_)
        )
    }

    /// Whether the instruction is at fault, which only excludes a trap at it.
    pub fn is_of_instruction(self) -> bool {
        matches!(
            self,
            Self::Data | Self::Foreign | Self::Rewritten | Self::Instruction(_)
        )
    }

    /// Whether a trap there could recurse in the trap path; such refusals are listed in
    /// `/proc/dtrace/toxic`.
    pub fn is_toxic(self) -> bool {
        matches!(
            self,
            Self::Toxic(_) | Self::Thunk(_) | Self::OffLimits(OffLimits::Blacklisted)
        )
    }
}
