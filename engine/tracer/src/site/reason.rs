//! Why a function has no probe.

use engine_isa::Why;
use engine_isa::body::Unwalked;

use crate::platform::OffLimits;

/// Why a function has no probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The kernel forbids it.
    OffLimits(OffLimits),
    /// It is not a function, but a part of one.
    Part,
    /// It is the begin or the end of a section.
    Mark,
    /// It is not code.
    Data,
    /// It may run on the way to a trap's handler.
    Toxic(&'static str),
    /// The same of what is jumped to and is no function.
    Glue(&'static str),
    /// An instruction is in a place that the kernel writes to as it runs.
    Rewritten,
    /// The instruction core will not stand in for an instruction.
    Instruction(Why),
    /// A loop leads back to its entry, and the function tracer has no call before it.
    Loop,
    /// Its text cannot be read.
    Unreadable,
    /// It is not known where its text ends.
    Endless,
    /// Its text could not be followed to every way out.
    Unwalked(Unwalked),
    /// Another patcher has put a jump into it.
    Foreign,
    /// It never returns, and calls nothing in its own place.
    Stays,
}

impl Reason {
    /// The reason in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::OffLimits(reason) => reason.word(),
            Self::Part => "part",
            Self::Mark => "mark",
            Self::Data => "data",
            Self::Toxic(_) => "toxic",
            Self::Glue(_) => "glue",
            Self::Rewritten => "rewritten",
            Self::Instruction(reason) => reason.word(),
            Self::Loop => "loop",
            Self::Unreadable => "unreadable",
            Self::Endless => "endless",
            Self::Unwalked(_) => "unwalked",
            Self::Foreign => "foreign",
            Self::Stays => "stays",
        }
    }

    /// The reason in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::OffLimits(reason) => reason.sentence(),
            Self::Part => "it is a part of another function, which does not begin there",
            Self::Mark => "it is listed among functions, but is where a section begins or ends",
            Self::Data => "it is listed among functions, but no function begins with such a word",
            Self::Toxic(sentence) | Self::Glue(sentence) => sentence,
            Self::Rewritten => "the kernel rewrites this very instruction as it runs",
            Self::Instruction(reason) => reason.sentence(),
            Self::Loop => {
                "it comes back to its first instruction in a loop, which a trap would take for entries"
            }
            Self::Unreadable => "its text cannot be read",
            Self::Endless => "nothing that the kernel lists says where it ends",
            Self::Unwalked(_) => "its text cannot be followed to every way out of it",
            Self::Foreign => "another patcher has put a jump into it",
            Self::Stays => "no instruction of it leaves it",
        }
    }

    /// Whether it may be otherwise the next time, since others patch text too.
    pub fn may_pass(self) -> bool {
        matches!(
            self,
            Self::Foreign | Self::Instruction(_) | Self::Unreadable | Self::Unwalked(_)
        )
    }

    /// Whether it is what stands at an instruction that is in the way of a trap, and of nothing else.
    pub fn is_of_instruction(self) -> bool {
        matches!(
            self,
            Self::Data | Self::Foreign | Self::Rewritten | Self::Instruction(_)
        )
    }

    /// Whether it is refused because a trap in it could come in the way of traps.
    pub fn is_toxic(self) -> bool {
        matches!(
            self,
            Self::Toxic(_) | Self::Glue(_) | Self::OffLimits(OffLimits::Blacklisted)
        )
    }
}
