//! Headers of `-h`, compiled by each compiler that is here, and read back from what was linked.

mod command;
mod compilers;
mod programs;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use engine_objects::Sites;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Runs a command line of words without spaces.
    fn run(&self, line: &str) -> Output {
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().unwrap());
        command
            .args(words)
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    fn runs(&self, line: &str) -> String {
        let output = self.run(line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn dtrace(&self, arguments: &str) -> Output {
        self.run(&format!("{} {arguments}", env!("CARGO_BIN_EXE_dtrace")))
    }

    /// Makes a header of definitions.
    fn header(&self, definitions: &str) {
        self.write("probes.d", definitions);
        let output = self.dtrace("-h -s probes.d");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), &*errors), (Some(0), ""));
    }

    fn sites(&self, name: &str) -> Sites {
        sites(&self.path(name))
    }
}

fn sites(path: &Path) -> Sites {
    let sites = Sites::of_bytes(&std::fs::read(path).unwrap()).unwrap().1;
    assert_eq!(sites.faults, [], "{}", path.display());
    sites
}

/// Whether a command is here.
fn is_here(line: &str) -> bool {
    let command = line.split(' ').next().unwrap();
    Command::new(command).arg("--version").output().is_ok()
}
