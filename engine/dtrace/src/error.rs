//! The command's errors, in DTrace's wording.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::setting::refusal::Refusal;

/// Why the command failed.
#[derive(Debug, Error)]
pub enum Error {
    /// Invalid command line; without a text, only the usage is printed.
    #[error("{}", .0.as_deref().unwrap_or("no options"))]
    Usage(Option<String>),
    /// Conflicting modes.
    #[error("only one of the [-GhlV] options can be specified at a time")]
    Modes,
    /// `-32` or `-64` where the kernel's data model is the other one.
    #[error("-{0}: programs have the kernel's data model, which has {1} bits")]
    DataModel(u32, u32),
    /// An option of DTrace's that is not supported.
    #[error("-{0}: {1}")]
    Unsupported(char, &'static str),
    /// An option that cannot be set, as it was written.
    #[error("failed to set {0}: {1}")]
    Setting(String, Refusal),
    /// `--type` with something to trace.
    #[error("--type lists types of the kernel: it takes neither programs nor processes")]
    TypesOnly,
    /// A type that cannot be listed, and why.
    #[error("failed to list type {0}: {1}")]
    Layout(String, String),
    /// `--path` with anything but a command.
    #[error("--path records one command, that of -c, and takes no programs")]
    PathOfCommand,
    /// `--path` on another architecture.
    #[error("paths are recorded on x86-64 only")]
    PathHere,
    /// `-h` or `-G` without a script, or with something else.
    #[error("-{0} takes scripts, those of -s, which define providers")]
    OfScripts(char),
    /// `-h` for scripts without a name of their own.
    #[error("-h requires an output file, that of -o, unless there is one script that has a name")]
    HeaderName,
    /// `-h` for scripts that define no provider.
    #[error("{0} defines no provider")]
    NoProviders(String),
    /// No program given.
    #[error("no probes specified")]
    NoProbes,
    /// No description matched a probe.
    #[error("no probes matched")]
    NoneMatched,
    /// A program does not compile, or one of its descriptions matches no probe; the complete
    /// message.
    #[error("{0}")]
    Compile(String),
    /// Bug in the compiler: parameters that an aggregating function cannot have.
    #[error("aggregation @{0} has invalid parameters: this is a compiler bug")]
    Aggregation(String),
    /// A script cannot be read.
    #[error("failed to open {name}: {}", reason(why))]
    Script {
        /// The file.
        name: String,
        /// The cause.
        why: io::Error,
    },
    /// A library cannot be read.
    #[error("failed to read library {}: {}", path.display(), reason(why))]
    Library {
        /// Its file, or the directory.
        path: PathBuf,
        /// The cause.
        why: io::Error,
    },
    /// With `-l`, some descriptions match no probe; each was reported before.
    #[error("some descriptions matched no probe")]
    SomeUnmatched,
    /// What a process of this command's own says.
    #[error("{0}")]
    Apart(String),
    /// The module is missing, not accessible or of another version.
    #[error("failed to initialize dtrace: {0}")]
    Device(String),
    /// The engine refused a request.
    #[error("{doing}: {}", reason(why))]
    Request {
        /// What failed.
        doing: &'static str,
        /// The errno.
        why: io::Error,
    },
    /// A record is larger than the buffer (`-b`, `bufsize`).
    #[error("could not enable tracing: Enabling exceeds size of buffer")]
    BufferTooSmall,
    /// Destructive actions without `-w`.
    #[error("could not enable tracing: Destructive actions not allowed")]
    Destructive,
    /// `fbtmech=ftrace` where ftrace does not pass registers at function entry.
    #[error(
        "could not enable tracing: this kernel's function tracer does not pass function arguments: \
         use fbtmech=trap or auto"
    )]
    NoFtrace,
    /// The `-o` file cannot be opened.
    #[error("failed to open output file '{}': {}", path.display(), reason(why))]
    OpenOutput {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: io::Error,
    },
    /// Output cannot be written. A broken pipe is not reported.
    #[error("failed to write to {to}: {}", reason(why))]
    Write {
        /// The file, or `<stdout>`.
        to: String,
        /// The cause.
        why: io::Error,
    },
    /// The `-c` command cannot be run.
    #[error("failed to execute {command}: {}", reason(why))]
    Execute {
        /// The command.
        command: String,
        /// The cause.
        why: io::Error,
    },
    /// The argument of `-p` is not a PID.
    #[error("invalid pid: {0}")]
    Pid(String),
    /// The `-p` process cannot be opened.
    #[error("failed to grab pid {pid}: {}", reason(why))]
    Grab {
        /// Its PID.
        pid: i32,
        /// The cause.
        why: io::Error,
    },
    /// The `-c` command does not reach its program's entry point.
    #[error("failed to run pid {pid} to its entry point: {}", reason(why))]
    Entry {
        /// Its PID.
        pid: i32,
        /// The cause.
        why: io::Error,
    },
    /// The engine cannot be put into a process.
    #[error("failed to trace pid {pid} without the module: {}", reason(why))]
    Inject {
        /// Its PID.
        pid: u32,
        /// The cause.
        why: io::Error,
    },
    /// Without the module, a process with a thread, or a child that shares its memory, that its first trap would kill.
    #[error(
        "failed to trace pid {0} without the module: a thread of it blocks SIGTRAP, or may when it has \
         waited, or waits in vfork(2); try again, start it by -c, or load the module"
    )]
    BlocksTraps(u32),
    /// Without the module, a process that another command traces.
    #[error(
        "failed to trace pid {0} without the module: another dtrace traces it so, which only one can at a \
         time, or it was forked from a process that was traced so"
    )]
    TracedAlready(u32),
    /// Without the module, a program that would run without the privilege that it has by itself.
    #[error(
        "failed to trace pid {0} without the module: its program is set-user-ID or set-group-ID, and would \
         run without that: root can trace it"
    )]
    LostPrivilege(u32),
    /// Without the module, a program whose words are shorter than this command's.
    #[error(
        "failed to trace pid {0} without the module: it is a 32-bit program: load the module, which traces \
         such on 64-bit ARM, or trace a 64-bit build of it"
    )]
    Is32Bit(u32),
    /// Without the module, a process that ptrace(2) does not let this user trace.
    #[error(
        "failed to trace pid {0} without the module: ptrace(2) does not allow it: it is of another user, has \
         a debugger, or may only be traced by its parents (kernel.yama.ptrace_scope): root can trace it"
    )]
    NotAllowed(i32),
    /// Without the module, more than one process is named.
    #[error("without the module one process can be traced at a time, and these are named: {}", pids(.0))]
    SeveralProcesses(Vec<u32>),
    /// The probes of a process would exceed a bound, which the engine names.
    #[error("failed to create probes in pid {pid}: {why}")]
    Bound {
        /// Its PID.
        pid: u32,
        /// Which bound, and how to raise it.
        why: String,
    },
    /// A process whose probes are wanted cannot be read.
    #[error("failed to read the functions of pid {pid}: {why}")]
    Process {
        /// Its PID.
        pid: u32,
        /// The cause.
        why: String,
    },
    /// A buffer contains an invalid record: number of bytes, CPU and kind of buffer.
    #[error(
        "CPU {1}'s {2} buffer has {0} bytes that are not a record: module and command do not match"
    )]
    Buffer(usize, u32, &'static str),
    /// The deadman ended tracing.
    #[error("processing aborted: Abort due to systemic unresponsiveness")]
    Unresponsive,
    /// The file of a path cannot be read.
    #[error("failed to read the path in {}: {why}", path.display())]
    Path {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// A signal handler cannot be installed.
    #[error("failed to catch a signal: {}", reason(.0))]
    Signal(io::Error),
}

fn pids(pids: &[u32]) -> String {
    let texts: Vec<String> = pids.iter().map(u32::to_string).collect();
    texts.join(", ")
}

/// The system's text for an error, without the number that Rust appends.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

impl Error {
    /// The command's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Modes | Self::OfScripts(_) | Self::HeaderName => 2,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_have_no_number() {
        let why = io::Error::from_raw_os_error(2);
        let to = "<stdout>".to_owned();
        let message = Error::Write { to, why }.to_string();
        assert_eq!(
            message,
            "failed to write to <stdout>: No such file or directory"
        );
    }

    #[test]
    fn usage_errors_exit_with_2() {
        assert_eq!(Error::Modes.exit_code(), 2);
        assert_eq!(Error::NoProbes.exit_code(), 1);
    }
}
