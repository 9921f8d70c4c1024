//! The states of a speculation and their transitions.
//!
//! ```text
//!            speculation()        open            open on another CPU
//!      Free ---------------> Active -----> One(cpu) -------------> Many
//!       ^                      |           |  |                    |  |
//!       |<--commit, discard----+           |  |                    |  |
//!       |<--commit or discard on that CPU, both by way of Moving   |  |
//!       |                                     +--commit elsewhere--+--> Committed --> Draining --+
//!       |                                     +--discard elsewhere-+--> Discarded --> Emptying --+
//!       +<---------------------------------------------------------------------------------------+
//! ```

/// The state of a speculation, kept in one atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not in use.
    Free,
    /// Handed out by `speculation()`; no records yet.
    Active,
    /// Only this CPU has written to it.
    One(u32),
    /// Several CPUs may have written to it.
    Many,
    /// The only CPU that wrote to it moves or drops its records.
    Moving,
    /// Committed, but firings in flight may still write to it.
    Committed,
    /// No firing writes to it; the consumer drains what is left.
    Draining,
    /// Discarded, but firings in flight may still write to it.
    Discarded,
    /// No firing writes to it; the control side empties it.
    Emptying,
}

/// The code of [`State::One`] for CPU 0.
const ONE: u32 = 8;

impl State {
    /// The code kept in the atomic.
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

    /// The state of a code.
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

    /// Whether it becomes free without a request from the program.
    pub fn is_busy(self) -> bool {
        !matches!(self, Self::Free | Self::Active | Self::One(_) | Self::Many)
    }
}
