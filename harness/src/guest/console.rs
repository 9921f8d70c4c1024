//! A guest's serial console: a file that QEMU writes and that is read here as it grows, up to a bound.
//!
//! A kernel that does not stop talking would fill memory and disk, and hide what matters. What comes
//! behind the bound is not read, and that there is more is a trouble of its own.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::judge::health::{self, Finding, Trouble};

/// The most that a guest may say on it.
pub const MOST: usize = 4 << 20;
/// So many lines that tell of one sort of trouble tell as much as more of them.
const ENOUGH: usize = 20;

/// The console so far.
#[derive(Debug)]
pub struct Console {
    path: PathBuf,
    file: Option<File>,
    text: String,
    read: usize,
    scanned: usize,
    findings: Vec<Finding>,
}

impl Console {
    /// The console in that file, which need not exist yet.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            text: String::new(),
            read: 0,
            scanned: 0,
            findings: Vec::new(),
        }
    }

    /// Reads on and returns the troubles known by now.
    pub fn look(&mut self) -> &[Finding] {
        // A file that is not there yet is a guest that has not said anything.
        self.read_on().ok();
        let fresh = self.text.get(self.scanned..).unwrap_or_default();
        let whole = fresh.rfind('\n').map_or(0, |end| end + 1);
        let found = health::scan(&fresh[..whole]);
        self.scanned += whole;
        found.into_iter().for_each(|finding| self.keep(finding));
        &self.findings
    }

    fn keep(&mut self, finding: Finding) {
        let known = self.findings.iter();
        let alike = known.filter(|known| known.trouble == finding.trouble);
        if alike.count() < ENOUGH {
            self.findings.push(finding);
        }
    }

    /// The last `count` lines.
    pub fn tail(&mut self, count: usize) -> String {
        self.look();
        let lines: Vec<&str> = self.text.lines().collect();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }

    /// `count` lines from the first one on that has `words` in it, or the last ones if none has.
    pub fn from_words(&mut self, words: &str, count: usize) -> String {
        self.look();
        let mut lines = self
            .text
            .lines()
            .skip_while(|line| !line.contains(words))
            .peekable();
        if lines.peek().is_none() {
            return self.tail(count);
        }
        lines.take(count).collect::<Vec<_>>().join("\n")
    }

    fn read_on(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::open(&self.path)?),
        };
        let room = MOST - self.read;
        let mut bytes = Vec::new();
        self.read += file.take(room as u64).read_to_end(&mut bytes)?;
        self.text.push_str(&String::from_utf8_lossy(&bytes));
        if room > 0 && self.read == MOST {
            let line = format!("it said more than {} MiB", MOST >> 20);
            let trouble = Trouble::Flooded;
            self.keep(Finding { trouble, line });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::judge::health::Trouble;

    #[test]
    fn of_a_flood_a_bounded_part_is_read_and_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("console.log");
        let flood = "BUG: again\n".repeat(MOST / 8);
        std::fs::write(&path, format!("{flood}Kernel panic - not syncing: x\n")).expect("writable");
        let mut console = Console::new(path);
        for _ in 0..2 {
            let told: Vec<Trouble> = console.look().iter().map(|f| f.trouble).collect();
            assert_eq!(told.len(), ENOUGH + 1);
            assert_eq!(told.iter().filter(|&&t| t == Trouble::Flooded).count(), 1);
        }
        assert_eq!(console.text.len(), MOST);
    }

    #[test]
    fn a_growing_file_is_read_once_and_in_whole_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("console.log");
        let mut console = Console::new(path.clone());
        assert_eq!(console.look(), []);
        let mut file = File::create(path).expect("writable");
        write!(file, "booting\r\nKernel panic - not").expect("writable");
        assert_eq!(console.look(), []);
        write!(file, " syncing: bad\r\nmore\r\n").expect("writable");
        let found: Vec<Trouble> = console.look().iter().map(|f| f.trouble).collect();
        assert_eq!(found, [Trouble::Panic]);
        assert_eq!(console.look().len(), 1);
        assert_eq!(console.tail(2), "Kernel panic - not syncing: bad\nmore");
        assert_eq!(
            console.from_words("syncing", 1),
            "Kernel panic - not syncing: bad"
        );
        assert_eq!(console.from_words("no such words", 1), "more");
    }
}
