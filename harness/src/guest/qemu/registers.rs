//! QEMU's protocol for tests of devices, which reads and writes registers of a running board.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use crate::guest::machine::Timer;

use super::MONITOR_LIMIT;

/// How soon a nudged timer fires: late enough that the count has not passed it by when it is set.
const SOON_US: u32 = 2000;
/// How late at most; a host that takes longer for one question is nudged along the next time.
const LATE_US: u32 = 500_000;

/// Where registers are read and written from outside.
#[derive(Debug)]
pub struct Registers(BufReader<UnixStream>);

impl Registers {
    /// Over its end of a pair of sockets.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(MONITOR_LIMIT))?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sets the next event to soon, unless one lies ahead that QEMU knows of. It takes a count that has
    /// passed for one that comes in an hour, so a count that passed meanwhile is set again.
    pub fn nudge(&mut self, timer: Timer, may_be_known: bool) -> io::Result<()> {
        let now = self.read(timer.now)?;
        if may_be_known && is_ahead(self.read(timer.next)?, now) {
            return Ok(());
        }
        let mut soon = SOON_US;
        while soon <= LATE_US {
            let next = self.read(timer.now)?.wrapping_add(soon);
            self.ask(&format!("writel {:#x} {next:#x}", timer.next))?;
            if is_ahead(next, self.read(timer.now)?) {
                break;
            }
            soon *= 2;
        }
        Ok(())
    }

    fn read(&mut self, register: u64) -> io::Result<u32> {
        Ok(self.ask(&format!("readl {register:#x}"))? as u32)
    }

    /// `OK` or `OK 0x1234` is what it answers.
    fn ask(&mut self, command: &str) -> io::Result<u64> {
        writeln!(self.0.get_ref(), "{command}")?;
        let mut answer = String::new();
        self.0.read_line(&mut answer)?;
        let mut words = answer.split_whitespace();
        if words.next() != Some("OK") {
            return Err(io::Error::other(format!("{command}: {}", answer.trim())));
        }
        let digits = words.next().and_then(|word| word.strip_prefix("0x"));
        Ok(digits
            .and_then(|d| u64::from_str_radix(d, 16).ok())
            .unwrap_or(0))
    }
}

/// A count that comes, as against one that has passed.
fn is_ahead(count: u32, now: u32) -> bool {
    (1..u32::MAX / 2).contains(&count.wrapping_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_lies_ahead_or_has_passed() {
        assert!(is_ahead(5, 4) && is_ahead(3, u32::MAX));
        assert!(!is_ahead(4, 4) && !is_ahead(3, 4) && !is_ahead(u32::MAX, 3));
    }
}
