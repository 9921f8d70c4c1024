//! Programs that are killed for want of memory: in a group that may have little of it, so that only they are.
//! Of such a group the kernel says something else than of a machine that is out of memory, which stays an alarm.

use std::env;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use rustix::process::Signal;

use crate::Error;
use crate::options::Options;

/// The word by which this program is told to be the one that is killed.
pub const EAT: &str = "--eat";

/// It is there since the guest booted (`images/init`).
const GROUP: &str = "/sys/fs/cgroup/storm";
const BYTES: &str = "4194304";

pub fn round(_: &Options) -> Result<(), Error> {
    fs::write(format!("{GROUP}/memory.max"), BYTES)?;
    let status = Command::new(env::current_exe()?).arg(EAT).status()?;
    if status.signal() == Some(Signal::KILL.as_raw()) {
        return Ok(());
    }
    Err(Error::Wrong(format!("what eats all memory: {status}")))
}

/// Takes memory until it is killed; ends by itself if there is no limit to it.
pub fn eat() -> ! {
    const ENOUGH: usize = 64 << 20;
    let joined: io::Result<()> = fs::write(format!("{GROUP}/cgroup.procs"), "0");
    if joined.is_ok() {
        let eaten = vec![1_u8; ENOUGH];
        std::hint::black_box(eaten);
    }
    std::process::exit(1)
}
