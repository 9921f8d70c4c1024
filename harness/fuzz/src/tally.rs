//! Checks and counts the results of requests.

use std::collections::BTreeMap;

use engine_abi::Command;
use rustix::io::Errno;

use crate::Error;
use crate::request::Request;

/// The errnos of refusals, all of which a run must meet.
const REFUSALS: [Errno; 7] = [
    Errno::SRCH,
    Errno::NOMEM,
    Errno::FAULT,
    Errno::INVAL,
    Errno::NOTTY,
    Errno::NOSPC,
    Errno::BADFD,
];

/// Also allowed: the kernel lacks the mechanism that was asked for.
const UNSUPPORTED: Errno = Errno::OPNOTSUPP;

/// Counts per request number and per errno.
#[derive(Default)]
pub struct Tally {
    granted: BTreeMap<u32, u64>,
    refused: BTreeMap<i32, u64>,
}

impl Tally {
    /// Counts a result. Fails if the errno is not one of the interface's, or if an unknown request
    /// succeeded.
    pub fn add(&mut self, request: &Request, answer: Result<(), Errno>) -> Result<(), Error> {
        let number = request.number;
        match answer {
            Ok(()) if Command::from_number(number).is_none() => {
                return Err(Error::Wrong(format!(
                    "{number:#x} is not a request, but was accepted"
                )));
            }
            Ok(()) => *self.granted.entry(number).or_default() += 1,
            Err(errno) if errno != UNSUPPORTED && !REFUSALS.contains(&errno) => {
                return Err(Error::Wrong(format!(
                    "{number:#x} was refused with {errno:?}"
                )));
            }
            Err(errno) => *self.refused.entry(errno.raw_os_error()).or_default() += 1,
        }
        Ok(())
    }

    /// Fails unless every command has succeeded at least once and every errno of [`REFUSALS`] has
    /// been met.
    pub fn check_coverage(&self) -> Result<(), Error> {
        let granted = |it: &&Command| !self.granted.contains_key(&it.number());
        let met = |it: &&Errno| !self.refused.contains_key(&it.raw_os_error());
        let never: Vec<_> = Command::ALL
            .iter()
            .filter(granted)
            .map(|it| format!("{it:?}"))
            .chain(REFUSALS.iter().filter(met).map(|it| format!("{it:?}")))
            .collect();
        match never.as_slice() {
            [] => Ok(()),
            _ => Err(Error::Wrong(format!(
                "never occurred: {}",
                never.join(", ")
            ))),
        }
    }
}
