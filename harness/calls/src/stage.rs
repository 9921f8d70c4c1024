//! Sets up what a call needs: a folder with a file of each type, the rigs its words name, and its
//! arguments in the arena.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use syscalls::Sysno;

use crate::raw::{self, Arena};
use crate::rigs::{Output, Rig};
use crate::variants::{ARGUMENTS, Argument, Arguments, KERNEL, Places};
use crate::words::{self, Content, Meaning, PAGE, Word};

/// Value of a rig that could not be made. No row asks for one, which a test ensures.
const UNKNOWN: usize = usize::MAX;

/// Arguments and rigs of one call.
pub struct Stage {
    arena: Arena,
    /// Number of arena pages in use.
    taken: usize,
    places: Places,
    rigs: HashMap<&'static str, usize>,
}

impl Stage {
    /// Maps the arena and fills the pages that [`Places`] names.
    pub fn build() -> io::Result<Self> {
        let mut arena = Arena::map()?;
        arena.put(1, &[0xff; PAGE]);
        // A string at its end runs into the inaccessible page without a NUL.
        arena.put(Arena::PAGES - 1, &[b'a'; PAGE]);
        let places = Places {
            zeros: arena.address(0),
            ones: arena.address(1),
            end: arena.address(Arena::PAGES),
        };
        let rigs = HashMap::new();
        Ok(Self {
            arena,
            taken: 2,
            places,
            rigs,
        })
    }

    /// The addresses for invalid and random pointers.
    pub fn places(&self) -> Places {
        self.places
    }

    /// Turns words into arguments, making pages and rigs as needed.
    pub fn lines(&mut self, lines: &[Vec<Word>]) -> Vec<Vec<Argument>> {
        let line = |line: &Vec<Word>| line.iter().map(|word| self.argument(word)).collect();
        lines.iter().map(line).collect()
    }

    fn argument(&mut self, word: &Word) -> Argument {
        let value = self.value(&word.meaning, 0);
        let class = word.class;
        Argument { value, class }
    }

    fn value(&mut self, meaning: &Meaning, it: usize) -> usize {
        match meaning {
            Meaning::Number(number) => *number as usize,
            Meaning::Kernel => KERNEL,
            Meaning::Own => std::process::id() as usize,
            Meaning::It => it,
            Meaning::Page(content) => self.page(content),
            Meaning::Rig(rig) => self.rig(rig),
        }
    }

    fn page(&mut self, content: &Content) -> usize {
        let page = self.taken;
        self.taken += 1;
        let address = self.arena.address(page);
        self.arena.put(page, &content.page(address));
        address
    }

    /// Makes a rig at its first use.
    fn rig(&mut self, rig: &'static Rig) -> usize {
        if let Some(made) = self.rigs.get(rig.name) {
            return *made;
        }
        let made = self.make(rig);
        self.rigs.insert(rig.name, made);
        made
    }

    fn make(&mut self, rig: &'static Rig) -> usize {
        let mut value = None;
        for (name, words) in rig.steps {
            let (answer, arguments) = self.step(name, words, value.unwrap_or(UNKNOWN));
            value.get_or_insert(match rig.output {
                Output::Returned => answer,
                Output::Written(index) => self.read(arguments[index]),
            });
        }
        value.unwrap_or(UNKNOWN)
    }

    fn step(&mut self, name: &str, words: &str, it: usize) -> (usize, Arguments) {
        let mut arguments = [0; ARGUMENTS];
        let words = words::line(words).unwrap_or_default();
        for (to, word) in arguments.iter_mut().zip(words) {
            *to = self.value(&word.meaning, it);
        }
        let call = name.parse::<Sysno>();
        let answer = call.map_or(UNKNOWN, |call| raw::make(call.id() as usize, arguments));
        (answer, arguments)
    }

    fn read(&self, address: usize) -> usize {
        self.arena.word((address - self.places.zeros) / PAGE)
    }
}

/// Creates a folder with a file of each type and makes it the current directory.
pub fn scenery(folder: &str) -> io::Result<()> {
    fs::create_dir(folder)?;
    std::env::set_current_dir(folder)?;
    fs::write("file", [b'x'; 100])?;
    fs::create_dir("dir")?;
    symlink("file", "link")?;
    mknodat(CWD, "fifo", FileType::Fifo, Mode::RWXU, 0)?;
    Ok(())
}
