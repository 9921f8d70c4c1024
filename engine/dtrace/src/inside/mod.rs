//! An engine inside of the traced process, for processes of one's own: it needs neither the module nor
//! any privilege but that of ptrace(2).

mod apart;
mod blocked;
mod call;
mod earlier;
mod image;
mod inject;
mod memory;
mod ptrace;
mod recorder;
mod shared;
mod vdso;

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use engine_abi::Command;
use engine_abi::channel::{Answer, BODIES_MAX, Question};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use rustix::io::Errno;
use rustix::process::geteuid;
use zerocopy::{FromBytes, Immutable, IntoBytes};

pub use recorder::Recording;

use crate::engine::Absence;
use crate::error::Error;
use crate::requests::{Channel, Requests};

pub use apart::apart;
pub use inject::Begun;

/// How long the agent may take to disarm everything.
const LONGEST: Duration = Duration::from_secs(30);

/// The engine of a process.
pub type Inside = Requests<Socket>;

/// The command's ends of the agent's sockets.
pub struct Socket {
    channel: UnixStream,
    opened: File,
    agent: Pid,
    /// The traced process.
    pid: u32,
    without: Absence,
}

/// Puts an engine into a process whose first thread ptrace(2) has stopped; `has_jumps` says that nothing
/// else of it runs, so that text can be overwritten by jumps. `without` is why the kernel's is
/// unavailable, and `command` the process that will take the engine's ends.
pub fn inject(pid: u32, command: u32, has_jumps: bool, without: Absence) -> Result<Begun, Error> {
    if image::SIZE == 0 {
        let why = format!(
            "on this architecture processes cannot be traced without the module: {without}"
        );
        return Err(Error::Device(why));
    }
    if is_32_bit(pid) {
        return Err(Error::Is32Bit(pid));
    }
    if has_lost_privilege(pid) {
        return Err(Error::LostPrivilege(pid));
    }
    // A process that cannot be traced is left alone.
    blocked::check(pid)?;
    inject::inject(pid.cast_signed(), command, has_jumps).map_err(cannot(pid))
}

fn cannot(pid: u32) -> impl Fn(std::io::Error) -> Error {
    move |why| match why.kind() {
        ErrorKind::ResourceBusy => Error::TracedAlready(pid),
        _ => Error::Inject { pid, why },
    }
}

impl Inside {
    /// Opens an engine that has begun in process `pid`.
    pub fn open(pid: u32, begun: Begun, without: Absence) -> Result<Self, Error> {
        let agent = begun.ends().map_err(cannot(pid))?;
        let [channel, opened] = agent.ends;
        let inside = Self::new(Socket {
            channel: channel.into(),
            opened: opened.into(),
            agent: Pid::from_raw(agent.pid),
            pid,
            without,
        })?;
        // The agent has answered, so from now on it leaves the signal out of what threads block.
        blocked::check(pid)?;
        Ok(inside)
    }
}

/// Whether the program of a process is set-user-ID or set-group-ID, which ptrace(2) has made it run
/// without.
pub fn has_lost_privilege(pid: u32) -> bool {
    const SET_ID: u32 = 0o6000;
    let Ok(file) = fs::metadata(format!("/proc/{pid}/exe")) else {
        return false;
    };
    let user = geteuid();
    file.mode() & SET_ID != 0 && !user.is_root() && file.uid() != user.as_raw()
}

/// Whether a process executes a 32-bit program, and this command is none.
pub fn is_32_bit(pid: u32) -> bool {
    let program = File::open(format!("/proc/{pid}/exe"));
    cfg!(target_pointer_width = "64") && program.is_ok_and(is_32_bit_program)
}

fn is_32_bit_program(mut file: impl Read) -> bool {
    /// An ELF file's magic number and `ELFCLASS32`.
    const BEGIN: [u8; 5] = *b"\x7fELF\x01";
    let mut begin = [0; BEGIN.len()];
    file.read_exact(&mut begin).is_ok() && begin == BEGIN
}

impl Socket {
    /// Sends the question, whose `count` structs are `bodies`, and receives the answer, whose memory goes
    /// to `to` as far as it fits. An agent that is gone is like a process that is gone.
    fn exchange(
        &self,
        command: Command,
        count: usize,
        bodies: &mut [u8],
        from: &[u8],
        to: &mut [u8],
    ) -> Result<(), (usize, Errno)> {
        let question = Question {
            number: command.number(),
            body: bodies.len().checked_div(count).unwrap_or(0) as u32,
            count: count as u32,
            memory: from.len() as u32,
        };
        let exchanged = self.exchange_bytes(question, bodies, from, to);
        match exchanged.map(|answer| (answer.error.cast_signed(), answer.done)) {
            Ok((0, _)) => Ok(()),
            Ok((error, done)) => Err((done as usize, Errno::from_raw_os_error(error))),
            Err(_) => Err((0, Errno::SRCH)),
        }
    }

    fn exchange_bytes(
        &self,
        question: Question,
        bodies: &mut [u8],
        from: &[u8],
        to: &mut [u8],
    ) -> std::io::Result<Answer> {
        let mut channel = &self.channel;
        channel.write_all(&[question.as_bytes(), bodies, from].concat())?;
        let mut answer = Answer::default();
        channel.read_exact(answer.as_mut_bytes())?;
        channel.read_exact(bodies)?;
        let memory = to.get_mut(..answer.memory as usize);
        let memory = memory.ok_or(ErrorKind::InvalidData)?;
        channel.read_exact(memory)?;
        Ok(answer)
    }
}

impl Channel for Socket {
    fn request(
        &self,
        command: Command,
        body: &mut [u8],
        from: &[u8],
        to: &mut [u8],
    ) -> Result<(), Errno> {
        let exchanged = self.exchange(command, 1, body, from, to);
        exchanged.map_err(|(_, errno)| errno)
    }

    fn request_all<T: FromBytes + IntoBytes + Immutable>(
        &self,
        command: Command,
        bodies: &mut [T],
    ) -> Result<(), (usize, Errno)> {
        for (batch, bodies) in bodies.chunks_mut(BODIES_MAX).enumerate() {
            let count = bodies.len();
            let exchanged = self.exchange(command, count, bodies.as_mut_bytes(), &[], &mut []);
            exchanged.map_err(|(number, errno)| (batch * BODIES_MAX + number, errno))?;
        }
        Ok(())
    }

    fn may_trace(&self, pid: u32) -> bool {
        pid == self.pid
    }

    fn opened(&self) -> Option<File> {
        self.opened.try_clone().ok()
    }

    fn absence(&self) -> Option<Absence> {
        Some(self.without)
    }
}

/// Waits until the agent has disarmed everything and is gone.
impl Drop for Socket {
    fn drop(&mut self) {
        // Fails if it is gone already.
        let _ = self.channel.shutdown(Shutdown::Write);
        let _ = self.channel.set_read_timeout(Some(LONGEST));
        while let Ok(1..) = (&self.channel).read(&mut [0; 4096]) {}
        // It is a child of this process if the traced one is.
        let _ = waitpid(self.agent, Some(WaitPidFlag::__WALL | WaitPidFlag::WNOHANG));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_32_bits_is_known_by_its_class() {
        assert!(is_32_bit_program(&b"\x7fELF\x01\x01\x01"[..]));
        assert!(!is_32_bit_program(&b"\x7fELF\x02\x01\x01"[..]));
        assert!(!is_32_bit_program(&b"\x7fELF"[..]));
        let own = std::env::current_exe().and_then(File::open).unwrap();
        let is_short = cfg!(target_pointer_width = "32");
        assert_eq!(is_32_bit_program(own), is_short);
    }
}
