//! The fake kernel: the tracer's platform over a map from addresses to instruction words.
//!
//! It asserts what a real kernel relies on: text is written only where there is some, code
//! memory only while no thread is in it, and nothing is registered or started twice. A trap, tick
//! or call holds [`Fake::firings`] shared, and `synchronize` takes it exclusively: a grace period.
//!
//! Text is A32 code. The functions at [`ALPHA`] and above each have one property that the engine
//! must handle, as their comments say.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Mutex, RwLock};

use engine_tracer::{Event, Numbers};

pub mod actions;
mod layout;
mod platform;
mod process;
#[path = "../program/mod.rs"]
pub mod program;
mod requests;
mod switches;
mod sync;

pub use layout::*;
pub use process::*;
pub use requests::*;
pub use switches::*;
pub use sync::*;

/// The fake kernel.
pub struct Fake {
    text: Mutex<BTreeMap<usize, u32>>,
    /// Held shared by a firing and exclusively by a grace period.
    pub firings: RwLock<()>,
    /// Where the next code memory goes; addresses are never reused.
    code: Mutex<usize>,
    /// The slots that a thread is in.
    pub inside: Mutex<BTreeSet<usize>>,
    /// Instructions displaced by the kernel's own kprobes.
    pub kprobes: Mutex<BTreeMap<usize, u32>>,
    /// The loaded modules by base address.
    modules: Mutex<BTreeMap<usize, Module>>,
    /// Whether the kernel can trace function calls by ftrace: in `traced`, `empty` and `spins`.
    pub has_calls: bool,
    /// One more function with an ftrace call.
    pub with_call: usize,
    /// The functions whose ftrace calls are enabled.
    pub calls: Mutex<BTreeSet<usize>>,
    /// The system calls that each event is subscribed for.
    pub events: Mutex<[Numbers; Event::ALL.len()]>,
    /// The registered tracepoints, each with its probe's number.
    pub tracepoints: Mutex<BTreeSet<(usize, u32)>>,
    /// The processes, by ID.
    pub processes: Mutex<BTreeMap<u32, Process>>,
    /// The running timers: interval in nanoseconds, and whether each CPU has its own.
    pub timers: Mutex<BTreeMap<u32, (u64, bool)>>,
}

impl Fake {
    pub fn new() -> Self {
        Self {
            text: Mutex::new(TEXT.into()),
            firings: RwLock::new(()),
            code: Mutex::new(CODE_AT),
            inside: Mutex::default(),
            kprobes: Mutex::default(),
            modules: Mutex::default(),
            has_calls: true,
            with_call: 0,
            calls: Mutex::default(),
            events: Mutex::new([Numbers::NONE; Event::ALL.len()]),
            tracepoints: Mutex::default(),
            processes: Mutex::default(),
            timers: Mutex::default(),
        }
    }

    /// Adds a word of text at an address that has none.
    pub fn extend(&self, at: usize, word: u32) {
        self.text.lock().unwrap().insert(at, word);
    }

    /// Loads a module with the functions `one` and `two`.
    pub fn load_module(&self, at: usize, name: &str) {
        // The module's symbols are not sorted.
        let functions = vec![("two".into(), 8, 4), ("one".into(), 0, 8)];
        self.load_module_of(at, name, &MODULE_TEXT, functions);
    }

    /// Loads a module with this text and these functions, each with name, offset and size.
    pub fn load_module_of(
        &self,
        at: usize,
        name: &str,
        text: &[(usize, u32)],
        functions: Vec<(String, usize, usize)>,
    ) {
        let module = Module {
            name: name.to_owned(),
            text: text.to_vec(),
            functions,
        };
        self.modules.lock().unwrap().insert(at, module);
        let text = text.iter().map(|(offset, word)| (at + offset, *word));
        self.text.lock().unwrap().extend(text);
    }

    /// Unloads a module; its text must be what it was when loaded.
    pub fn unload_module(&self, at: usize) {
        let module = self.modules.lock().unwrap().remove(&at).unwrap();
        let mut text = self.text.lock().unwrap();
        for (offset, word) in module.text {
            assert_eq!(
                text.remove(&(at + offset)),
                Some(word),
                "its text is restored"
            );
        }
    }
}

/// A loaded module; each function has name, offset and size.
struct Module {
    name: String,
    text: Vec<(usize, u32)>,
    functions: Vec<(String, usize, usize)>,
}

impl Fake {
    pub fn write(&self, address: usize, word: u32) {
        *self
            .text
            .lock()
            .unwrap()
            .get_mut(&address)
            .expect("only existing text is patched") = word;
    }

    pub fn read(&self, address: usize) -> u32 {
        self.text.lock().unwrap()[&address]
    }

    fn assert_unused(&self, written: Range<usize>) {
        let inside = self.inside.lock().unwrap();
        assert_eq!(
            inside.range(written).next(),
            None,
            "a thread is in the slot"
        );
    }

    /// The text of functions, without code memory.
    pub fn image(&self) -> BTreeMap<usize, u32> {
        let text = self.text.lock().unwrap();
        text.range(..CODE_AT)
            .map(|(at, word)| (*at, *word))
            .collect()
    }
}
