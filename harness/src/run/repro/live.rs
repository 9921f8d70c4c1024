//! Follows a guest's console on the terminal.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::report::printable::printable;

const TICK: Duration = Duration::from_millis(40);

/// A console that is followed until this is dropped, and then to its end.
#[derive(Debug)]
pub struct Live {
    is_over: Arc<AtomicBool>,
    shown: Option<JoinHandle<()>>,
}

impl Live {
    /// Follows the file at `path`, which need not exist yet.
    pub fn show(path: &Path) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let mut tail = Tail::new(path);
        let shown = thread::spawn({
            let is_over = Arc::clone(&is_over);
            move || {
                while !is_over.load(Ordering::Relaxed) {
                    tail.print();
                    thread::sleep(TICK);
                }
                tail.print();
            }
        });
        Self {
            is_over,
            shown: Some(shown),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(shown) = self.shown.take() {
            // The thread returns nothing; a panic in it was printed already.
            shown.join().ok();
        }
    }
}

/// A growing file, read incrementally.
struct Tail {
    path: PathBuf,
    file: Option<File>,
    /// An incomplete last line.
    rest: Vec<u8>,
}

impl Tail {
    fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            rest: Vec::new(),
        }
    }

    fn print(&mut self) {
        // Neither a console that does not exist yet nor a closed terminal is an error.
        let text = self.read_on().unwrap_or_default();
        io::stdout().lock().write_all(text.as_bytes()).ok();
    }

    /// New complete lines, escaped for a terminal.
    fn read_on(&mut self) -> io::Result<String> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::open(&self.path)?),
        };
        file.read_to_end(&mut self.rest)?;
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n');
        let lines: Vec<u8> = self.rest.drain(..whole.map_or(0, |end| end + 1)).collect();
        let text = String::from_utf8_lossy(&lines).replace("\r\n", "\n");
        Ok(printable(&text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_lines_are_shown_once_and_escaped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("console.log");
        let mut tail = Tail::new(&path);
        assert!(tail.read_on().is_err());
        let mut file = File::create(&path).expect("writable");
        write!(file, "boot\r\nOo").expect("writable");
        assert_eq!(tail.read_on().expect("there"), "boot\n");
        writeln!(file, "ps\x1b[2J").expect("writable");
        assert_eq!(tail.read_on().expect("there"), "Oops\\u{1b}[2J\n");
        assert_eq!(tail.read_on().expect("there"), "");
    }
}
