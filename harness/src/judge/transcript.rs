//! What was run and its results, as values and as the text of a snapshot.

use std::fmt;
use std::time::Duration;

use harness_agent::End;

use crate::report::printable::printable;
use crate::scenario::Scenario;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Exit status.
    Status(i32),
    /// Killed by a signal: `SIGSEGV`.
    Signal(String),
    /// Still running when its limit, this long, expired.
    TimedOut(Duration),
    /// It could not be started, for this reason.
    NotStarted(String),
}

impl From<End> for Ending {
    fn from(end: End) -> Self {
        match end {
            End::Status(code) => Self::Status(code),
            End::Signal(number) => Self::by_signal(number),
            End::NotStarted(why) => Self::NotStarted(why),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(code) => write!(f, "status {code}"),
            Self::Signal(name) => f.write_str(name),
            Self::TimedOut(limit) => write!(f, "still running after {} s", limit.as_secs()),
            Self::NotStarted(why) => write!(f, "did not start: {why}"),
        }
    }
}

/// Signals 1 to 31, as numbered on ARM and x86.
const SIGNALS: [&str; 31] = [
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];

impl Ending {
    /// Maps a shell's exit status above 128 to the signal it stands for.
    pub fn from_shell(self) -> Self {
        let signal = match self {
            Self::Status(code) => signal_name(code - 128),
            _ => None,
        };
        match signal {
            Some(name) => Self::Signal(name.to_owned()),
            None => self,
        }
    }

    fn by_signal(number: i32) -> Self {
        let name = signal_name(number).map(str::to_owned);
        Self::Signal(name.unwrap_or_else(|| format!("SIG{number}")))
    }
}

fn signal_name(number: i32) -> Option<&'static str> {
    let index = usize::try_from(number - 1).ok()?;
    SIGNALS.get(index).copied()
}

/// A command and its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// `trace` or `workload`.
    pub role: &'static str,
    /// The command line.
    pub command: String,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How it ended.
    pub ending: Ending,
}

/// The steps of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    /// In starting order.
    pub steps: Vec<Step>,
}

impl Transcript {
    /// The step with this role.
    pub fn step(&self, role: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.role == role)
    }

    /// Replaces each command by the scenario's own text, before `${...}` was expanded.
    pub fn with_commands_of(mut self, scenario: &Scenario) -> Self {
        for step in &mut self.steps {
            if let Some(command) = scenario.command(step.role) {
                step.command = command.to_owned();
            }
        }
        self
    }

    /// Applies `change` to both streams of every step.
    pub fn map_streams(mut self, change: impl Fn(&str) -> String) -> Self {
        for step in &mut self.steps {
            step.stdout = change(&step.stdout);
            step.stderr = change(&step.stderr);
        }
        self
    }
}

/// `| ` before each line of output separates it from the harness's own lines.
impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            writeln!(f, "{}: {}", step.role, step.command)?;
            for (name, text) in [("stdout", &step.stdout), ("stderr", &step.stderr)] {
                if !text.is_empty() {
                    writeln!(f, "{name}:")?;
                    text.lines().try_for_each(|line| bar(f, line))?;
                }
            }
            writeln!(f, "ends: {}\n", step.ending)?;
        }
        Ok(())
    }
}

fn bar(f: &mut fmt::Formatter<'_>, line: &str) -> fmt::Result {
    if line.is_empty() {
        writeln!(f, "|")
    } else {
        writeln!(f, "| {}", printable(line))
    }
}

/// Number of records on the tracer's standard output: lines after the header that name a probe.
pub fn records(stdout: &str) -> usize {
    stdout
        .lines()
        .skip_while(|line| !is_header(line))
        .filter(|line| is_record(line))
        .count()
}

/// Whether the tracer has printed that its probes are live.
pub fn is_live(stderr: &str) -> bool {
    stderr
        .lines()
        .any(|line| line.starts_with("dtrace: description ") && line.contains(" matched "))
}

fn is_header(line: &str) -> bool {
    line.split_whitespace().eq(["CPU", "ID", "FUNCTION:NAME"])
}

fn is_record(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let number = |word: Option<&str>| word.is_some_and(|w| w.parse::<u64>().is_ok());
    number(words.next()) && number(words.next()) && words.next().is_some_and(|w| w.contains(':'))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::Source;

    const STDOUT: &str = "CPU     ID                    FUNCTION:NAME\n  \
                          0   1234                  sys_chdir:entry \n  \
                          0   1234                  sys_chdir:entry \n\n";

    #[test]
    fn records_are_counted_after_the_header() {
        assert_eq!(records(STDOUT), 2);
        assert_eq!(records("  0   1234   sys_chdir:entry\n"), 0);
        assert_eq!(records("alive\n"), 0);
        let list = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n";
        assert_eq!(records(list), 0);
    }

    #[test]
    fn live_is_detected_on_stderr() {
        assert!(is_live(
            "dtrace: description 'fbt::sys_chdir:entry' matched 1 probe\n"
        ));
        assert!(!is_live("dtrace: invalid probe specifier x: matched\n"));
        assert!(!is_live(""));
    }

    #[test]
    fn shell_status_maps_to_signals() {
        let ending = |code| Ending::Status(code).from_shell().to_string();
        assert_eq!(ending(139), "SIGSEGV");
        assert_eq!(ending(137), "SIGKILL");
        assert_eq!(ending(143), "SIGTERM");
        assert_eq!(ending(159), "SIGSYS");
        assert_eq!(ending(128), "status 128");
        assert_eq!(ending(200), "status 200");
        assert_eq!(ending(0), "status 0");
    }

    #[test]
    fn transcript_text() {
        let transcript = Transcript {
            steps: vec![Step {
                role: "trace",
                command: "dtrace -n x".to_owned(),
                stdout: "one\n\nthree\n".to_owned(),
                stderr: String::new(),
                ending: Ending::Signal("SIGKILL".to_owned()),
            }],
        };
        insta::assert_snapshot!(transcript, @"
        trace: dtrace -n x
        stdout:
        | one
        |
        | three
        ends: SIGKILL
        ");
    }
    #[test]
    fn commands_are_shown_unexpanded() {
        let text = "asserts: a\ntrace: dtrace -n ${f}\nworkload: ls ${g}\n";
        let source = Source::parse("a/b", Path::new("b.yaml"), text).expect("valid");
        let step = |role, command: &str| Step {
            role,
            command: command.to_owned(),
            stdout: "sys_f".to_owned(),
            stderr: String::new(),
            ending: Ending::Status(0),
        };
        let steps = vec![step("trace", "dtrace -n sys_f"), step("workload", "ls /")];
        let ending = Transcript { steps }.with_commands_of(&source.scenario);
        let expected = vec![step("trace", "dtrace -n ${f}"), step("workload", "ls ${g}")];
        assert_eq!(ending.steps, expected);
    }
}
