//! The sandbox: a process in new namespaces, chrooted into a tmpfs. It forks the children that make
//! the calls, interrupts those that block, and kills those that stay blocked. It is init of its PID
//! namespace, so the kernel kills whatever is left when it exits.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;
use std::{env, process};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::mount::{mount, mount_change, unmount};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, chroot, kill_process,
    pidfd_open, setrlimit, setsid, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::UnshareFlags;

use crate::Error;
use crate::raw;

/// Name of this program inside the chroot, where `execve` variants run it.
pub const PROGRAM: &str = "trapline-calls";
/// A child without progress for this long is sent SIGALRM; after [`NUDGES`] such periods, SIGKILL.
const PATIENCE: Duration = Duration::from_millis(12);
const NUDGES: usize = 30;

/// Limits of each process inside, so that random arguments cannot exhaust the machine.
const LIMITS: [(Resource, u64); 4] = [
    (Resource::As, 64 << 20),
    (Resource::Core, 0),
    (Resource::Fsize, 1 << 20),
    (Resource::Nofile, 1024),
];

/// Runs `work` in a sandbox and waits for it.
pub fn inside(work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    let namespaces = UnshareFlags::NEWNS
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWPID;
    raw::unshare(namespaces)?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private)?;
    let root = Root::mount()?;
    let warden = raw::fork(|| match enter(&root).and_then(|()| work()) {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("trapline-calls: {why}");
            1
        }
    })?;
    let ended = waitpid(Some(warden), WaitOptions::empty())?;
    root.remove()?;
    match ended {
        Some((_, status)) if status.exit_status() == Some(0) => Ok(()),
        other => Err(Error::Warden(other.map(|(_, status)| status))),
    }
}

/// The sandbox's tmpfs, mounted on a temporary folder.
struct Root(PathBuf);

impl Root {
    fn mount() -> Result<Self, Error> {
        let root = env::temp_dir().join(format!("{PROGRAM}.{}", process::id()));
        fs::create_dir(&root)?;
        let root = Self(root);
        mount("none", &root.0, "tmpfs", MountFlags::empty(), c"size=8m")?;
        fs::copy("/proc/self/exe", root.0.join(PROGRAM))?;
        Ok(root)
    }

    fn remove(self) -> Result<(), Error> {
        unmount(&self.0, UnmountFlags::DETACH)?;
        Ok(fs::remove_dir(&self.0)?)
    }
}

fn enter(root: &Root) -> Result<(), Error> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    setsid()?;
    chroot(&root.0)?;
    env::set_current_dir("/")?;
    raw::handle_signals()?;
    for (resource, limit) in LIMITS {
        let (current, maximum) = (Some(limit), Some(limit));
        setrlimit(resource, Rlimit { current, maximum })?;
    }
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    Ok(dup2_stderr(&nothing)?)
}

/// Runs `work` in a child to its end, by signals if need be. `progress` must change while it
/// advances.
pub fn child(
    work: impl FnOnce() -> u8,
    progress: impl Fn() -> usize,
) -> Result<Option<WaitStatus>, Error> {
    let child = raw::fork(work)?;
    watch(child, progress)?;
    let ended = waitpid(Some(child), WaitOptions::empty())?;
    reap()?;
    Ok(ended.map(|(_, status)| status))
}

/// Returns when the child has exited or been killed.
fn watch(child: Pid, progress: impl Fn() -> usize) -> Result<(), Error> {
    let watched = pidfd_open(child, PidfdFlags::empty())?;
    let patience = Timespec::try_from(PATIENCE).unwrap_or_default();
    let (mut before, mut nudges) = (progress(), 0);
    while poll(&mut [PollFd::new(&watched, PollFlags::IN)], Some(&patience))? == 0 {
        let now = progress();
        nudges = if now == before { nudges + 1 } else { 0 };
        before = now;
        let signal = if nudges < NUDGES {
            Signal::ALARM
        } else {
            Signal::KILL
        };
        kill_process(child, signal)?;
    }
    Ok(())
}

/// Reaps orphans that children have left behind.
fn reap() -> Result<(), Error> {
    loop {
        match waitpid(None, WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) | Err(rustix::io::Errno::CHILD) => return Ok(()),
            Err(why) => return Err(why.into()),
        }
    }
}
