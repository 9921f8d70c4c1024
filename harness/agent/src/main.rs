//! The harness's hand inside a guest: obeys orders that come over a serial line, and says what came
//! of them. It forks only to run what it is told to, and never changes its directory: what is
//! traced beside it must not be its own doing.

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
        tell(&"usage: trapline-agent LINE, the device that the harness is at the other end of");
        return ExitCode::from(2);
    };
    match Agent::on(Path::new(&line)) {
        Ok(agent) => agent.serve(),
        Err(why) => {
            tell(&why);
            ExitCode::FAILURE
        }
    }
}

/// Says something on the console, as far as there is one.
fn tell(what: &dyn std::fmt::Display) {
    use std::io::Write;
    writeln!(std::io::stderr(), "trapline-agent: {what}").ok();
}
