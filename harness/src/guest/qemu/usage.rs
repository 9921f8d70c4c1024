//! CPU time of a process of the host, and how long its threads waited for a CPU, from `/proc`.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;

use crate::error::HostError;

/// The run-queue contention of the process's threads so far: (running + runnable) / running time,
/// from `schedstat`. 1.0 if that is unknown.
pub fn contention(process: u32) -> f64 {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let stats =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
    ratio(stats.filter_map(|stat| run_and_wait(&stat)))
}

/// CPU time that the process has used, user and system.
pub fn cpu_time(process: u32) -> Result<Duration, HostError> {
    let path = PathBuf::from(format!("/proc/{process}/stat"));
    let stat = fs::read_to_string(&path).map_err(HostError::file("read", &path))?;
    ticks(&stat)
        .map(|ticks| Duration::from_millis(ticks * 1000 / clock_ticks_per_second()))
        .ok_or_else(|| HostError::Monitor(format!("{}: {stat}", path.display())))
}

/// utime + stime from `/proc/<pid>/stat`, in clock ticks: fields 14 and 15. Field 2 is in
/// parentheses and may contain anything, so fields are counted from the last `)`.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// Fields 1 and 2 of `schedstat`: nanoseconds on a CPU, and on a run queue.
fn run_and_wait(stat: &str) -> Option<(u64, u64)> {
    let mut fields = stat.split_whitespace();
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some((next()?, next()?))
}

fn ratio(threads: impl Iterator<Item = (u64, u64)>) -> f64 {
    let add = |sum: (u64, u64), one: (u64, u64)| (sum.0 + one.0, sum.1 + one.1);
    match threads.fold((0, 0), add) {
        (0, _) => 1.0,
        (ran, waited) => 1.0 + waited as f64 / ran as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_parsed_after_any_comm() {
        let stat = "7 (a) b) (c) S 1 7 7 0 -1 4194560 1 0 0 0 150 25 0 0 20 0 1";
        assert_eq!(ticks(stat), Some(175));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn contention_is_run_queue_wait() {
        let threads = ["3000 1000 7", "1000 3000 9", "gone"];
        let threads = || threads.iter().filter_map(|stat| run_and_wait(stat));
        assert!((ratio(threads()) - 2.0).abs() < 1e-6);
        assert_eq!(ratio(threads().take(0)), 1.0);
    }
}
