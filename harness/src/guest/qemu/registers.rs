//! QEMU's qtest protocol, used to read and write device registers of a running board.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use crate::guest::machine::Timer;

use super::MONITOR_LIMIT;

/// How far ahead the compare value is set, in µs: the counter must not pass it before it is
/// written.
const SOON_US: u32 = 2000;
/// The furthest, in µs; a host too slow for that is retried at the next nudge.
const LATE_US: u32 = 500_000;

/// A qtest connection; each command is answered with one line.
#[derive(Debug)]
pub struct Registers(BufReader<UnixStream>);

impl Registers {
    /// Takes the harness's end of a socket pair.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(MONITOR_LIMIT))?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sets the compare register to a count shortly ahead, unless `may_be_known` and it is ahead
    /// already. QEMU takes a compare value that has passed for one that is a wrap of the counter
    /// away (over an hour), so a value that passed while it was written is set again.
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

    /// Sends a command and parses its answer, `OK` or `OK 0x1234`.
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

/// Whether `count` is ahead of `now`, modulo 2^32.
fn is_ahead(count: u32, now: u32) -> bool {
    (1..u32::MAX / 2).contains(&count.wrapping_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_comparison_wraps_around() {
        assert!(is_ahead(5, 4) && is_ahead(3, u32::MAX));
        assert!(!is_ahead(4, 4) && !is_ahead(3, 4) && !is_ahead(u32::MAX, 3));
    }
}
