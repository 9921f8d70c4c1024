//! What a speculation is, and what it becomes.
//!
//! ```text
//!            speculation()        open            open on another CPU
//!      Free ---------------> Active -----> One(cpu) -------------> Many
//!       ^                      |           |  |                    |  |
//!       |<--commit, discard----+           |  |                    |  |
//!       |<--commit (by way of Moving), discard on that CPU         |  |
//!       |                                     +--commit elsewhere--+--> Committed --> Draining --+
//!       |                                     +--discard elsewhere-+--> Discarded --> Emptying --+
//!       +<---------------------------------------------------------------------------------------+
//! ```

/// What a speculation is at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nobody's.
    Free,
    /// Somebody's, and empty.
    Active,
    /// Only this CPU has written to it.
    One(u32),
    /// Several CPUs may have written to it.
    Many,
    /// The CPU that committed it moves its records; there are no others.
    Moving,
    /// It is to be drained, but firings that have not noticed may still write to it.
    Committed,
    /// What is left of it is for the consumer.
    Draining,
    /// It is to be emptied, but firings that have not noticed may still write to it.
    Discarded,
    /// It is being emptied.
    Emptying,
}

/// [`State::One`] of CPU 0.
const ONE: u32 = 8;

impl State {
    /// Its code.
    pub fn code(self) -> u32 {
        match self {
            Self::Free => 0,
            Self::Active => 1,
            Self::Many => 2,
            Self::Moving => 3,
            Self::Committed => 4,
            Self::Draining => 5,
            Self::Discarded => 6,
            Self::Emptying => 7,
            Self::One(cpu) => ONE.saturating_add(cpu),
        }
    }

    /// The one of this code.
    pub fn from_code(code: u32) -> Self {
        match code {
            0 => Self::Free,
            1 => Self::Active,
            2 => Self::Many,
            3 => Self::Moving,
            4 => Self::Committed,
            5 => Self::Draining,
            6 => Self::Discarded,
            7 => Self::Emptying,
            one => Self::One(one.wrapping_sub(ONE)),
        }
    }

    /// Whether it will be free without anybody's asking.
    pub fn is_busy(self) -> bool {
        !matches!(self, Self::Free | Self::Active | Self::One(_) | Self::Many)
    }
}
