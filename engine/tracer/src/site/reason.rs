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
    /// It is data.
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
        }
    }

    /// The reason in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::OffLimits(reason) => reason.sentence(),
            Self::Part => "it is a part of another function, which does not begin there",
            Self::SectionMarker => {
                "it is listed among functions, but is where a section begins or ends"
            }
            Self::Data => "it is listed among functions, but no function begins with such a word",
            Self::Toxic(sentence) | Self::Thunk(sentence) => sentence,
            Self::Rewritten => "the kernel rewrites this very instruction as it runs",
            Self::Instruction(reason) => reason.sentence(),
            Self::Loop => {
                "it comes back to its first instruction in a loop, which a trap would take for entries"
            }
            Self::Unreadable => "its text cannot be read",
            Self::NoSize => "nothing that the kernel lists says where it ends",
            Self::Unwalked(_) => "its text cannot be followed to every way out of it",
            Self::Foreign => "another patcher has put a jump into it",
            Self::NoReturn => "no instruction of it leaves it",
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
