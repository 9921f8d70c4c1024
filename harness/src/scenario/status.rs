//! How a command must end: an exit status, or the signal that killed it.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

/// An exit status, or a signal's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Exit status.
    Code(i32),
    /// Killed by this signal: `SIGKILL`.
    Signal(String),
}

impl Default for Status {
    fn default() -> Self {
        Self::Code(0)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "status {code}"),
            Self::Signal(name) => f.write_str(name),
        }
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StatusVisitor)
    }
}

struct StatusVisitor;

impl Visitor<'_> for StatusVisitor {
    type Value = Status;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an exit status from 0 to 255 or the name of a signal such as SIGKILL")
    }

    fn visit_u64<E: de::Error>(self, code: u64) -> Result<Status, E> {
        u8::try_from(code)
            .map(|code| Status::Code(code.into()))
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(code), &self))
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Status, E> {
        if name.starts_with("SIG") {
            Ok(Status::Signal(name.to_owned()))
        } else {
            Err(E::invalid_value(de::Unexpected::Str(name), &self))
        }
    }
}
