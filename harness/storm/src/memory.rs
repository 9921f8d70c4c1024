//! OOM kills, confined to a memory cgroup. The kernel logs those differently from a system-wide
//! OOM, which the harness still treats as an alarm.

use std::env;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use rustix::process::Signal;

use crate::Error;
use crate::options::Options;

/// The argument that makes this program the victim.
pub const EAT: &str = "--eat";

/// Created by `images/init` at boot.
const GROUP: &str = "/sys/fs/cgroup/storm";
const BYTES: &str = "4194304";

pub fn round(_: &Options) -> Result<(), Error> {
    fs::write(format!("{GROUP}/memory.max"), BYTES)?;
    let status = Command::new(env::current_exe()?).arg(EAT).status()?;
    if status.signal() == Some(Signal::KILL.as_raw()) {
        return Ok(());
    }
    Err(Error::Wrong(format!(
        "the process that exhausts memory: {status}"
    )))
}

/// Allocates until killed; exits normally if the cgroup does not limit it.
pub fn eat() -> ! {
    const ENOUGH: usize = 64 << 20;
    let joined: io::Result<()> = fs::write(format!("{GROUP}/cgroup.procs"), "0");
    if joined.is_ok() {
        let eaten = vec![1_u8; ENOUGH];
        std::hint::black_box(eaten);
    }
    std::process::exit(1)
}
