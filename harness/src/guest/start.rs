//! How a job comes to a guest that is ready: what was saved of one goes on, unless the job is about how
//! a guest boots, or saving does not work here.

use std::env;
use std::time::Duration;

use crate::guest::command_line::Launch;
use crate::guest::image::Image;
use crate::guest::machine::Machine;
use crate::guest::saved::{Level, Saved};
use crate::guest::{Guest, SLOWEST, Stop};
use crate::judge::text;
use crate::report::evidence::Evidence;
use crate::tree::Tree;

/// Whoever sets this to `cold` has every guest boot.
const BOOT: &str = "TRAPLINE_BOOT";
/// How long a restored guest may take to answer.
const RESTORE_LIMIT: Duration = Duration::from_secs(15);

/// A guest that was started.
#[derive(Debug)]
pub struct Started {
    /// The guest, whatever became of it.
    pub guest: Guest,
    /// What it is like, if it is ready.
    pub ready: Result<Ready, Stop>,
    /// Why it was not restored, if it was not.
    pub cold: Option<String>,
}

/// What a guest that is ready is like.
#[derive(Debug)]
pub struct Ready {
    /// Whether the module is loaded.
    pub is_loaded: bool,
    /// Where its kernel's text is, in the kernel's own words.
    pub symbols: String,
}

/// Why no guest may be restored in this run, if none may.
pub fn forbidden() -> Option<String> {
    let is_cold = env::var(BOOT).is_ok_and(|how| how == "cold");
    is_cold.then(|| format!("{BOOT}=cold"))
}

/// Starts a guest that has come as far as `level`, or is at least booted. `cold` says why it must boot,
/// if it must; where it boots without, nothing could be restored.
pub fn guest(
    tree: &Tree,
    image: &Image,
    machine: &'static Machine,
    level: Level,
    cold: Option<String>,
    evidence: &Evidence,
) -> Result<Started, Stop> {
    if let Some(why) = cold {
        return boot(image, machine, why, evidence);
    }
    match Saved::of(tree, image, machine, level) {
        Ok(saved) => go_on(saved, image, machine, level, evidence),
        Err(stop) => boot(image, machine, why(stop)?, evidence),
    }
}

/// Why something did not work, unless the user wants to leave.
fn why(stop: Stop) -> Result<String, Stop> {
    match stop {
        Stop::Interrupted => Err(Stop::Interrupted),
        Stop::Guest(finding) => Ok(finding.to_string()),
        Stop::Host(error) => Ok(error.to_string()),
    }
}

/// What can't be gone on with is not what the job is about, and nobody's any more.
fn go_on(
    saved: Saved,
    image: &Image,
    machine: &'static Machine,
    level: Level,
    evidence: &Evidence,
) -> Result<Started, Stop> {
    let stop = match restore(&saved, image, machine, evidence) {
        Ok(guest) => {
            let ready = Ok(Ready {
                is_loaded: level == Level::Loaded,
                symbols: saved.facts.symbols.clone(),
            });
            return Ok(Started {
                guest,
                ready,
                cold: None,
            });
        }
        Err(stop) => stop,
    };
    let why = format!("not restored: {}", why(stop)?);
    saved.discard()?;
    boot(image, machine, why, evidence)
}

fn restore(
    saved: &Saved,
    image: &Image,
    machine: &'static Machine,
    evidence: &Evidence,
) -> Result<Guest, Stop> {
    let memory = saved.memory();
    let guest = Guest::start(machine, image, Launch::Restored(&memory), evidence)?;
    let guest = guest.with_slowness(slowness(machine, saved.facts.booted_in()));
    let limit = guest.paced(RESTORE_LIMIT);
    let mut guest = guest.with_boot_limit(limit);
    guest.restore(&saved.state())?;
    guest.wake()?;
    Ok(guest)
}

fn boot(
    image: &Image,
    machine: &'static Machine,
    why: String,
    evidence: &Evidence,
) -> Result<Started, Stop> {
    let mut guest = Guest::start(machine, image, Launch::Cold, evidence)?;
    let woken = guest.wake();
    let booted_in = guest.watch().host_time().unwrap_or_default();
    let mut guest = guest.with_slowness(slowness(machine, booted_in));
    let ready = woken
        .and_then(|()| text::symbols(&mut guest, machine))
        .map(|symbols| Ready {
            is_loaded: false,
            symbols,
        });
    Ok(Started {
        guest,
        ready,
        cold: Some(why),
    })
}

/// How many times as slow as intended a host is where a boot takes this much of its processors' time. That
/// time is about the same however busy the host is, which [`Guest::pace`] finds out beside it.
pub fn slowness(machine: &Machine, booted_in: Duration) -> f64 {
    let ratio = booted_in.as_secs_f64() / machine.boots_in.as_secs_f64();
    ratio.clamp(1.0, SLOWEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_host_gets_more_time_and_a_fast_one_not_less() {
        let machine = crate::guest::machine::find("raspi0").expect("a row");
        let slowness = |times: f64| slowness(machine, machine.boots_in.mul_f64(times));
        assert_eq!(slowness(0.5), 1.0);
        assert!((slowness(3.0) - 3.0).abs() < 1e-6);
        assert_eq!(slowness(1000.0), SLOWEST);
    }
}
