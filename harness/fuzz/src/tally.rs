//! What was answered, and whether it may be.

use std::collections::BTreeMap;

use engine_abi::Command;
use rustix::io::Errno;

use crate::Error;
use crate::request::Request;

/// What a request is refused with, on every machine.
const REFUSALS: [Errno; 7] = [
    Errno::SRCH,
    Errno::NOMEM,
    Errno::FAULT,
    Errno::INVAL,
    Errno::NOTTY,
    Errno::NOSPC,
    Errno::BADFD,
];

/// And with what else, where the kernel has not what is asked for.
const LACKS: Errno = Errno::OPNOTSUPP;

/// Answers, counted.
#[derive(Default)]
pub struct Tally {
    granted: BTreeMap<u32, u64>,
    refused: BTreeMap<i32, u64>,
}

impl Tally {
    /// Counts one; an error where it is one that nothing is refused with, or where what nobody knows was
    /// granted.
    pub fn add(&mut self, request: &Request, answer: Result<(), Errno>) -> Result<(), Error> {
        let number = request.number;
        match answer {
            Ok(()) if Command::from_number(number).is_none() => {
                return Err(Error::Wrong(format!(
                    "{number:#x}, which is no request, was granted"
                )));
            }
            Ok(()) => *self.granted.entry(number).or_default() += 1,
            Err(errno) if errno != LACKS && !REFUSALS.contains(&errno) => {
                return Err(Error::Wrong(format!(
                    "{number:#x} was refused with {errno:?}"
                )));
            }
            Err(errno) => *self.refused.entry(errno.raw_os_error()).or_default() += 1,
        }
        Ok(())
    }

    /// An error unless every kind of request was granted, and every refusal met: what was never reached was
    /// not tried.
    pub fn is_of_everything(&self) -> Result<(), Error> {
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
                "never came about: {}",
                never.join(", ")
            ))),
        }
    }
}
