//! Work in a process of its own, which goes on if this one is killed: a thread that makes system calls
//! for us has registers that are not its own until the work is done.

#![expect(unsafe_code, reason = "fork(2)")]

use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};

use nix::sys::signal::{SigSet, SigmaskHow};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, setsid};

use super::inject::Begun;
use crate::error::Error;

/// What precedes the numbers of an agent. Anything else is an error.
const BEGUN: &str = "begun ";

/// Puts an agent into process `pid` by `work`, in a process of its own.
pub fn apart(pid: u32, work: impl FnOnce() -> Result<Begun, Error>) -> Result<Begun, Error> {
    let cannot = |why| Error::Inject { pid, why };
    let (from, to) = pipe().map_err(cannot)?;
    // Nor does a signal of the terminal end it.
    let all = SigSet::all();
    let before = all.thread_swap_mask(SigmaskHow::SIG_BLOCK);
    let before = before.map_err(|why| cannot(why.into()))?;
    // SAFETY: no other thread of this process runs, and the child only works and ends.
    let forked = unsafe { fork() };
    if let Ok(ForkResult::Child) = forked {
        drop(from);
        let _ = setsid();
        report(to, work());
    }
    drop(to);
    let told = match forked {
        Ok(ForkResult::Parent { child }) => receive(from, child),
        _ => Err(io::Error::last_os_error()),
    };
    let _ = before.thread_set_mask();
    let told = told.map_err(cannot)?;
    parse(&told).ok_or(Error::Apart(told))
}

/// Ends the child.
fn report(mut to: PipeWriter, done: Result<Begun, Error>) -> ! {
    let text = match done {
        Ok(begun) => format!("{BEGUN}{} {}", begun.pid, begun.left),
        Err(why) => why.to_string(),
    };
    // Fails if nobody is there any more.
    let _ = to.write_all(text.as_bytes());
    // SAFETY: what is to be done at the end is the parent's.
    unsafe { libc::_exit(0) }
}

fn receive(mut from: PipeReader, child: Pid) -> io::Result<String> {
    let mut text = String::new();
    let received = from.read_to_string(&mut text);
    waitpid(child, None)?;
    received.map(|_| text)
}

fn parse(told: &str) -> Option<Begun> {
    let (pid, left) = told.strip_prefix(BEGUN)?.split_once(' ')?;
    Some(Begun {
        pid: pid.parse().ok()?,
        left: left.parse().ok()?,
    })
}
