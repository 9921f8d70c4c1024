//! A guest's serial console: a file that QEMU writes, followed here up to a bound.
//!
//! A kernel that prints without end would fill memory and disk and bury the first report. Output
//! past the bound is not read; the overflow itself is reported, as [`Trouble::Flooded`].

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::judge::health::{self, Finding, Trouble};

/// Bytes of console output that are read.
pub const MOST: usize = 4 << 20;
/// Findings to keep of one kind; further ones add nothing.
const MOST_ALIKE: usize = 20;

/// The console output so far, and what was found in it.
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
    /// Follows the file at `path`, which need not exist yet.
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

    /// Reads what is new and returns all findings so far. Only complete lines are scanned.
    pub fn look(&mut self) -> &[Finding] {
        // Until the guest prints something, the file does not exist.
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
        if alike.count() < MOST_ALIKE {
            self.findings.push(finding);
        }
    }

    /// The last `count` lines.
    pub fn tail(&mut self, count: usize) -> String {
        self.look();
        let lines: Vec<&str> = self.text.lines().collect();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }

    /// `count` lines starting at the first that contains `words`; if none does, the last `count`.
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
            let line = format!("it printed more than {} MiB", MOST >> 20);
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
    fn flooded_console_is_read_up_to_the_bound() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("console.log");
        let flood = "BUG: again\n".repeat(MOST / 8);
        std::fs::write(&path, format!("{flood}Kernel panic - not syncing: x\n")).expect("writable");
        let mut console = Console::new(path);
        for _ in 0..2 {
            let kinds: Vec<Trouble> = console.look().iter().map(|f| f.trouble).collect();
            assert_eq!(kinds.len(), MOST_ALIKE + 1);
            assert_eq!(kinds.iter().filter(|&&t| t == Trouble::Flooded).count(), 1);
        }
        assert_eq!(console.text.len(), MOST);
    }

    #[test]
    fn growing_console_is_scanned_by_complete_lines() {
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
