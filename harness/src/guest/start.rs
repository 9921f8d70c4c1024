//! Provides a job with a guest that is ready: restored from a saved one, or booted if the job
//! requires that or saving fails here.

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

/// Environment variable: `cold` disables saved guests.
const BOOT: &str = "TRAPLINE_BOOT";
/// Time for a restored guest to answer, before scaling.
const RESTORE_LIMIT: Duration = Duration::from_secs(15);

/// A guest that was started, whether or not it became ready.
#[derive(Debug)]
pub struct Started {
    /// The guest; its evidence is valid even if it is not ready.
    pub guest: Guest,
    /// Its state once ready, or why it is not.
    pub ready: Result<Ready, Stop>,
    /// Why it was booted; `None` if it was restored.
    pub cold: Option<String>,
}

/// The state of a guest that is ready.
#[derive(Debug)]
pub struct Ready {
    /// Whether the module is loaded.
    pub is_loaded: bool,
    /// The lines of `/proc/kallsyms` and `/proc/iomem` that locate its text.
    pub symbols: String,
}

/// Why no guest may be restored in this run, or `None`.
pub fn forbidden() -> Option<String> {
    let is_cold = env::var(BOOT).is_ok_and(|how| how == "cold");
    is_cold.then(|| format!("{BOOT}=cold"))
}

/// Starts a guest that has reached `level`, or is at least booted. `cold` is the reason to boot, if
/// there is one; without it, a guest is booted only if none can be saved.
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
        Ok(saved) => resume(saved, image, machine, level, evidence),
        Err(stop) => boot(image, machine, why(stop)?, evidence),
    }
}

/// The reason as text; an interruption is passed on.
fn why(stop: Stop) -> Result<String, Stop> {
    match stop {
        Stop::Interrupted => Err(Stop::Interrupted),
        Stop::Guest(finding) => Ok(finding.to_string()),
        Stop::Host(error) => Ok(error.to_string()),
    }
}

/// Restores `saved`. If that fails, it is discarded for all runs, and the job boots instead.
fn resume(
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

/// The host's slowness, from the CPU time that a boot took on it, at least 1. CPU time hardly
/// depends on the host's load, which [`Guest::pace`] measures separately.
pub fn slowness(machine: &Machine, booted_in: Duration) -> f64 {
    let ratio = booted_in.as_secs_f64() / machine.boots_in.as_secs_f64();
    ratio.clamp(1.0, SLOWEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowness_is_clamped() {
        let machine = crate::guest::machine::find("raspi0").expect("a row");
        let slowness = |times: f64| slowness(machine, machine.boots_in.mul_f64(times));
        assert_eq!(slowness(0.5), 1.0);
        assert!((slowness(3.0) - 3.0).abs() < 1e-6);
        assert_eq!(slowness(1000.0), SLOWEST);
    }
}
