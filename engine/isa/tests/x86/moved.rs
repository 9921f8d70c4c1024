//! Functions of C, executed with a jump at each entry, give what they gave without.

#![expect(unsafe_code, reason = "machine code is written and executed")]

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::Path;
use std::process::Command;

use engine_isa::x86::{Entry, LONGEST, NoJump, OutOfLine, length};
use object::{Object, ObjectSymbol, SymbolKind};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/x86/moved.c");
/// Bytes for the code out of line, and for its counters behind it.
const ROOM: usize = 1 << 16;

/// A function of the library, in memory.
struct Function {
    name: String,
    at: u64,
    size: usize,
}

/// The library, loaded.
struct Library {
    functions: Vec<Function>,
    run: extern "C" fn(*mut u64) -> i32,
}

impl Library {
    fn load(path: &Path) -> Self {
        let name = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: loads a library that this test has built; it has no constructors of its own.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null());
        // SAFETY: the handle is open, and the name is terminated.
        let run = unsafe { libc::dlsym(handle, c"run".as_ptr()) };
        let data = std::fs::read(path).unwrap();
        let file = object::File::parse(&*data).unwrap();
        let symbols: Vec<_> = file
            .symbols()
            .filter(|it| it.kind() == SymbolKind::Text)
            .collect();
        let own = symbols.iter().find(|it| it.name() == Ok("run")).unwrap();
        let bias = run as u64 - own.address();
        let functions = symbols
            .iter()
            .filter(|it| it.size() > 0)
            .map(|it| Function {
                name: it.name().unwrap().to_owned(),
                at: bias + it.address(),
                size: it.size() as usize,
            });
        Self {
            functions: functions.collect(),
            // SAFETY: `run` has this type in the source.
            run: unsafe {
                std::mem::transmute::<*mut libc::c_void, extern "C" fn(*mut u64) -> i32>(run)
            },
        }
    }

    fn results(&self) -> Vec<u64> {
        let mut results = vec![0; 256];
        let count = (self.run)(results.as_mut_ptr());
        results.truncate(count as usize);
        results
    }
}

/// Code out of line, near the library, and a counter for each function.
struct Moved {
    memory: *mut u8,
    used: usize,
    counters: BTreeMap<String, *const u64>,
}

impl Moved {
    fn near(address: u64) -> Self {
        let near = (address as usize - (64 << 20)) & !0xfff;
        let all = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping; the address is a wish.
        let memory = unsafe { libc::mmap(near as *mut _, 2 * ROOM, all, flags, -1, 0) };
        assert!(
            (memory as u64).abs_diff(address) < 1 << 30,
            "it is out of reach"
        );
        Self {
            memory: memory.cast(),
            used: 0,
            counters: BTreeMap::new(),
        }
    }

    fn at(&self) -> u64 {
        self.memory as u64 + self.used as u64
    }

    fn put(&mut self, code: &[u8]) {
        assert!(self.used + code.len() < ROOM);
        let to = self.memory.wrapping_add(self.used);
        // SAFETY: within the mapping, and nothing executes that part yet.
        unsafe { to.copy_from(code.as_ptr(), code.len()) };
        self.used += code.len();
    }

    fn jump(&mut self, to: u64) {
        self.put(&jump(self.at(), to));
    }

    /// `pushfq; inc qword [rip + x]; popfq`.
    fn count(&mut self, name: &str) {
        let counter = self.memory as u64 + ROOM as u64 + 8 * self.counters.len() as u64;
        let distance = counter.wrapping_sub(self.at() + 8) as u32;
        let code = [
            &[0x9c, 0x48, 0xff, 0x05][..],
            &distance.to_le_bytes(),
            &[0x9d],
        ]
        .concat();
        self.put(&code);
        self.counters.insert(name.to_owned(), counter as *const u64);
    }

    /// Moves the first `length` bytes of a function, or all of it, and returns their address.
    fn take(&mut self, function: &Function, length: usize) -> u64 {
        let start = self.at();
        self.count(&function.name);
        let steps = steps(function, length);
        let mut moved = BTreeMap::new();
        let mut at = self.at();
        for (from, text) in &steps {
            moved.insert(*from, at);
            at += OutOfLine::new(text, *from, *from, |to| to)
                .unwrap()
                .bytes()
                .len() as u64;
        }
        // A branch to the entry goes there, as it does with a trap.
        moved.remove(&function.at);
        for (from, text) in &steps {
            let target = |to| moved.get(&to).copied().unwrap_or(to);
            let code = OutOfLine::new(text, *from, self.at(), target).unwrap();
            self.put(code.bytes());
        }
        self.jump(function.at + length as u64);
        start
    }

    fn hits(&self, name: &str) -> u64 {
        // SAFETY: the counter is in the mapping.
        unsafe { self.counters[name].read_volatile() }
    }
}

fn jump(from: u64, to: u64) -> [u8; 5] {
    let [a, b, c, d] = (to.wrapping_sub(from + 5) as u32).to_le_bytes();
    [0xe9, a, b, c, d]
}

fn code_of(function: &Function, size: usize) -> &'static [u8] {
    // SAFETY: text of the library, which is never unloaded. Only a copy of it is kept.
    unsafe { std::slice::from_raw_parts(function.at as *const u8, size) }
}

/// The instructions of a function's first `length` bytes, with their addresses.
fn steps(function: &Function, size: usize) -> Vec<(u64, [u8; LONGEST])> {
    let code = code_of(function, size + LONGEST);
    let (mut steps, mut at) = (Vec::new(), 0);
    while at < size {
        let text = *code[at..].first_chunk().unwrap();
        steps.push((function.at + at as u64, text));
        at += length(&text).unwrap();
    }
    steps
}

/// Puts a jump at an entry.
fn patch(function: &Function, to: u64) {
    let page = function.at as usize & !0xfff;
    let all = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: pages of the library, which stay executable.
    let writable = unsafe { libc::mprotect(page as *mut _, 0x2000, all) };
    assert_eq!(writable, 0);
    let code = jump(function.at, to);
    // SAFETY: the function's text, which no thread executes now.
    unsafe { (function.at as *mut u8).copy_from(code.as_ptr(), code.len()) };
}

fn build(folder: &Path, level: &str) -> Library {
    let library = folder.join(format!("moved{level}.so"));
    let flags = [
        "-shared",
        "-fPIC",
        "-nostdlib",
        "-fno-builtin",
        "-falign-functions=16",
    ];
    let mut gcc = Command::new("gcc");
    let built = gcc
        .args(flags)
        .args([level, "-o"])
        .arg(&library)
        .arg(SOURCE);
    assert!(built.status().unwrap().success());
    Library::load(&library)
}

/// Counts of calls that the source determines at any level of optimization.
const KNOWN: [(&str, u64); 3] = [("hashed", 1), ("counted", 2), ("mean", 1)];

fn holds_with(level: &str, whole: bool) {
    let folder = tempfile::tempdir().unwrap();
    let library = build(folder.path(), level);
    let before = library.results();
    let mut moved = Moved::near(library.functions[0].at);
    let mut loops = 0;
    for function in &library.functions {
        let entry = Entry::of(
            function.at,
            code_of(function, function.size + 16),
            function.size,
        );
        let size = match entry {
            Entry::Jump(length) if !whole => length,
            Entry::Jump(_) => function.size,
            Entry::Whole(_) => {
                loops += 1;
                function.size
            }
            // Packed without padding.
            Entry::Trap(NoJump::Short) if level == "-Os" => continue,
            Entry::Trap(why) => panic!("{level} {}: {why:?}", function.name),
        };
        let to = moved.take(function, size);
        patch(function, to);
    }
    assert_eq!(library.results(), before, "{level}");
    assert!(loops >= 1, "{level}: no function loops into its entry");
    for (name, hits) in KNOWN {
        if moved.counters.contains_key(name) && (level == "-O0" || name != "mean") {
            assert_eq!(moved.hits(name), hits, "{level} {name}");
        }
    }
    assert_eq!(moved.hits("run"), 1);
}

#[test]
fn entries_are_taken_over() {
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        holds_with(level, false);
    }
}

#[test]
fn whole_functions_are_moved() {
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        holds_with(level, true);
    }
}
