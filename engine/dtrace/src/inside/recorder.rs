//! Puts a recorder of paths into a process, and takes what its threads have recorded.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;
use std::time::Duration;

use engine_abi::path::{AREAS, Begin, ENDED, FIRST, FREE, RUNS, WAITS};
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use rustix::thread::futex;
use zerocopy::IntoBytes;

use super::call::Caller;
use super::image;
use super::inject::map_image;
use super::memory::memory;
use super::ptrace::set_signal_mask;
use super::shared::Shared;

/// A process whose path is recorded.
pub struct Recording {
    shared: Shared,
    /// How much of each area's events has been taken.
    taken: Vec<usize>,
}

impl Recording {
    /// Has a process recorded that has just executed its program, and is stopped by ptrace(2) behind that. It
    /// runs afterwards.
    pub fn begin(pid: u32) -> Result<Self> {
        let pid = pid.cast_signed();
        if image::RECORDER == 0 {
            return Err(ErrorKind::Unsupported.into());
        }
        let mut caller = Caller::new(pid, true)?;
        let base = map_image(pid, &mut caller)?;
        let mut begin = Begin {
            mask: caller.mask(),
            image: [base as u64, image::SIZE as u64],
            ..Begin::default()
        };
        for (to, from) in begin.regs.iter_mut().zip(caller.saved()) {
            *to = *from as u64;
        }
        let behind = base + image::SIZE;
        memory(pid)?.write_all_at(begin.as_bytes(), behind as u64)?;
        set_signal_mask(pid, !TRAP)?;
        caller.begin(pid, base + image::RECORDER, behind)?;
        run_to_trap(pid)?;
        memory(pid)?.read_exact_at(begin.as_mut_bytes(), behind as u64)?;
        if begin.file < 0 {
            return Err(Error::from_raw_os_error(-begin.file as i32));
        }
        let mut file = OpenOptions::new();
        let file = file.read(true).write(true);
        let file = file.open(format!("/proc/{pid}/fd/{}", begin.file))?;
        let shared = Shared::map(&file)?;
        ptrace::detach(Pid::from_raw(pid), None)?;
        Ok(Self {
            shared,
            taken: vec![0; AREAS],
        })
    }

    /// Waits until there may be something to take, or for so long.
    pub fn wait(&self, seen: u32, longest: Duration) {
        let longest = rustix::time::Timespec::try_from(longest).ok();
        // It returns early, or not at all for what a thread does meanwhile: the caller looks again.
        let _ = futex::wait(
            self.shared.doorbell(),
            futex::Flags::empty(),
            seen,
            longest.as_ref(),
        );
    }

    /// What [`Recording::wait`] is to be called with, before [`Recording::take`].
    pub fn seen(&self) -> u32 {
        self.shared.doorbell().load(Ordering::Acquire)
    }

    /// Takes what threads have recorded, by area; threads that wait go on.
    pub fn take<E>(
        &mut self,
        mut take: impl FnMut(usize, u32, &[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        for (area, taken) in self.taken.iter_mut().enumerate() {
            let share = self.shared.share(area);
            let stage = share.stage.load(Ordering::Acquire);
            if stage == FREE {
                continue;
            }
            let events = self.shared.events(area, *taken);
            let thread = share.thread.load(Ordering::Acquire);
            *taken += events.len();
            match stage {
                WAITS => {
                    *taken = 0;
                    // Here, or it could be taken twice before the thread runs.
                    share.next.store(FIRST, Ordering::Relaxed);
                    share.stage.store(RUNS, Ordering::Release);
                    // Nobody waits if it gave up.
                    let _ = futex::wake(&share.stage, futex::Flags::empty(), 1);
                }
                ENDED => {
                    *taken = 0;
                    share.stage.store(FREE, Ordering::Release);
                }
                _ => {}
            }
            take(area, thread, &events)?;
        }
        Ok(())
    }
}

/// The signal of traps.
const TRAP: u64 = 1 << (Signal::SIGTRAP as u32 - 1);

/// Runs to the recorder's trap.
fn run_to_trap(pid: i32) -> Result<()> {
    let process = Pid::from_raw(pid);
    ptrace::cont(process, None)?;
    match waitpid(process, Some(WaitPidFlag::__WALL))? {
        WaitStatus::Stopped(_, Signal::SIGTRAP) => Ok(()),
        _ => Err(ErrorKind::BrokenPipe.into()),
    }
}
