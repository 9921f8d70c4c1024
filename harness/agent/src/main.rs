//! The agent: runs in a guest, takes orders over a serial line and reports the results.
//!
//! One thread, one poll loop (`agent`), no blocking calls outside it. Output is queued for the line
//! up to a bound (`line`); beyond that processes block on their pipes (`process`). The agent is
//! immune to the OOM killer, its children are not (`immunity`).
//!
//! The tracer under test sees the agent too, so the agent stays quiet: it forks only to run an
//! [`Order::Exec`](harness_agent::Order::Exec) and never changes its directory.

use std::env;
use std::path::Path;
use std::process::ExitCode;

mod agent;
mod immunity;
mod line;
mod process;
mod random;

use agent::Agent;

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let (Some(line), None) = (arguments.next(), arguments.next()) else {
        log(&"usage: trapline-agent LINE (the device that is connected to the harness)");
        return ExitCode::from(2);
    };
    match Agent::on(Path::new(&line)) {
        Ok(agent) => agent.serve(),
        Err(why) => {
            log(&why);
            ExitCode::FAILURE
        }
    }
}

/// Logs to stderr, the guest's console. Errors are ignored: there may be no console.
fn log(what: &dyn std::fmt::Display) {
    use std::io::Write;
    writeln!(std::io::stderr(), "trapline-agent: {what}").ok();
}
