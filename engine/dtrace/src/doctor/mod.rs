//! `--doctor`: what this system has and lacks for tracing, and what to do about it.
//!
//! [`kernel`] looks at the running kernel and its [`configuration`], [`module`] at ours. Both read a
//! [`System`], which a test makes of a folder.

mod configuration;
mod kernel;
mod module;

use std::fs;
use std::path::{Path, PathBuf};

use crate::device::Device;
use crate::error::Error;
use crate::output::Output;

/// Where the refused functions are listed while the module is loaded.
const REFUSED: &str = "proc/dtrace/refused";

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// As it should be.
    Good,
    /// Something cannot be traced.
    Limit,
    /// The kernel cannot be traced.
    Bad,
}

/// What was found about one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    subject: &'static str,
    verdict: Verdict,
    what: String,
    /// What to do; empty if nothing.
    remedy: String,
}

impl Finding {
    fn good(subject: &'static str, what: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Good, what, "")
    }

    fn limit(subject: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Limit, what, remedy)
    }

    fn bad(subject: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Bad, what, remedy)
    }

    fn new(
        subject: &'static str,
        verdict: Verdict,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            subject,
            verdict,
            what: what.into(),
            remedy: remedy.into(),
        }
    }
}

/// The system that is looked at.
struct System {
    /// `/`, but in tests.
    root: PathBuf,
    /// The kernel's release and processor, as `uname -r` and `uname -m` print them.
    release: String,
    machine: String,
    is_superuser: bool,
}

impl System {
    fn own() -> Self {
        let name = rustix::system::uname();
        Self {
            root: "/".into(),
            release: name.release().to_string_lossy().into_owned(),
            machine: name.machine().to_string_lossy().into_owned(),
            is_superuser: rustix::process::geteuid().is_root(),
        }
    }

    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    fn has(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }

    /// The bytes of a file, if it can be read.
    fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        fs::read(self.path(path)).ok()
    }

    /// A file's text; empty if it cannot be read.
    fn text(&self, path: impl AsRef<Path>) -> String {
        let bytes = self.bytes(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Prints what was found, and why each of these functions has no probe. The status is 1 if the kernel
/// cannot be traced.
pub fn run(functions: &[String]) -> Result<u8, Error> {
    let system = System::own();
    let mut output = Output::open(None)?;
    let mut findings = kernel::findings(&system);
    findings.extend(module::findings(&system));
    findings.push(module::device(Device::open_or_load()));
    for finding in &findings {
        print(finding, &mut output);
    }
    for function in functions {
        output.line(format_args!("{}", refusals(&system, function)));
    }
    output.flush()?;
    let is_bad = findings.iter().any(|it| it.verdict == Verdict::Bad);
    Ok(u8::from(is_bad))
}

fn print(finding: &Finding, output: &mut Output) {
    let verdict = match finding.verdict {
        Verdict::Good => "ok",
        Verdict::Limit => "limit",
        Verdict::Bad => "bad",
    };
    let Finding {
        subject,
        what,
        remedy,
        ..
    } = finding;
    output.line(format_args!("{verdict:5}  {subject:13}  {what}"));
    if !remedy.is_empty() {
        output.line(format_args!("{:5}  {:13}  -> {remedy}", "", ""));
    }
}

/// Why a function has no probe, by the rows of the list that name it.
fn refusals(system: &System, function: &str) -> String {
    let Some(list) = system.bytes(REFUSED) else {
        return format!("{function}: /{REFUSED} cannot be read: it needs the module, and root");
    };
    let list = String::from_utf8_lossy(&list).into_owned();
    let mut lines = list.lines();
    let head = lines.next().unwrap_or_default();
    let named = |line: &&str| line.split_whitespace().nth(2) == Some(function);
    let rows: Vec<_> = lines.filter(named).collect();
    if !rows.is_empty() {
        return format!("{head}\n{}", rows.join("\n"));
    }
    let is_there = system.text("proc/kallsyms").lines().any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let is_code = words.next().is_some_and(|kind| "tTwW".contains(kind));
        is_code && words.next() == Some(function)
    });
    if is_there {
        format!("{function}: it is not refused; dtrace -l -f {function} lists its probes")
    } else {
        format!(
            "{function}: the kernel has no such function: the compiler may have inlined it, or \
             renamed it (dtrace -l -f '{function}*')"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system of these files.
    pub fn system(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let system = System {
            root: folder.path().into(),
            release: "6.1.0-1-amd64".into(),
            machine: "x86_64".into(),
            is_superuser: true,
        };
        (folder, system)
    }

    #[test]
    fn a_function_is_refused_or_missing() {
        let head = "ADDRESS MODULE FUNCTION NAME WHY SENTENCE\n";
        let row = "c0008000 vmlinux a entry loop b jumps there\n";
        let refused = &format!("{head}{row}");
        let symbols = "0 T a\n0 T b\n0 D c\n";
        let (_folder, system) = system(&[(REFUSED, refused), ("proc/kallsyms", symbols)]);
        assert_eq!(refusals(&system, "a"), refused.trim_end());
        assert!(refusals(&system, "b").contains("is not refused"));
        assert!(refusals(&system, "c").contains("no such function"));
    }
}
