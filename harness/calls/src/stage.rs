//! Where a call is made: in a folder with a file of each kind, with what its words ask for, and its arguments in
//! the arena.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use syscalls::Sysno;

use crate::raw::{self, Arena};
use crate::rigs::{Rig, Told};
use crate::variants::{ARGUMENTS, Argument, Arguments, KERNEL, Places};
use crate::words::{self, Content, Meaning, PAGE, Word};

/// What is not there must not be asked of a rig; a row of a table says otherwise, and a test holds it to it.
const UNKNOWN: usize = usize::MAX;

/// The stage.
pub struct Stage {
    arena: Arena,
    /// How many of its pages are taken.
    taken: usize,
    places: Places,
    rigs: HashMap<&'static str, usize>,
}

impl Stage {
    /// Takes memory for it, and marks the places that stand for what is invalid.
    pub fn build() -> io::Result<Self> {
        let mut arena = Arena::map()?;
        arena.put(1, &[0xff; PAGE]);
        // Text that begins here has no end that can be read.
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

    /// The places that stand for what is invalid.
    pub fn places(&self) -> Places {
        self.places
    }

    /// The lines with their words put into practice.
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

    /// It is made where it is first asked for.
    fn rig(&mut self, rig: &'static Rig) -> usize {
        if let Some(made) = self.rigs.get(rig.name) {
            return *made;
        }
        let made = self.make(rig);
        self.rigs.insert(rig.name, made);
        made
    }

    fn make(&mut self, rig: &'static Rig) -> usize {
        let mut told = None;
        for (name, words) in rig.steps {
            let (answer, arguments) = self.step(name, words, told.unwrap_or(UNKNOWN));
            told.get_or_insert(match rig.told {
                Told::Answer => answer,
                Told::Written(index) => self.read(arguments[index]),
            });
        }
        told.unwrap_or(UNKNOWN)
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

/// A folder of that name with a file of each kind, in which the process is from then on.
pub fn scenery(folder: &str) -> io::Result<()> {
    fs::create_dir(folder)?;
    std::env::set_current_dir(folder)?;
    fs::write("file", [b'x'; 100])?;
    fs::create_dir("dir")?;
    symlink("file", "link")?;
    mknodat(CWD, "fifo", FileType::Fifo, Mode::RWXU, 0)?;
    Ok(())
}
