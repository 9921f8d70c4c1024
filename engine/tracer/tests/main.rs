//! Integration tests of the tracer. They run on any host against [`fake`], a kernel whose text is a
//! map from addresses to instruction words, with one thread for each CPU that a test needs.
//!
//! Besides requests and firings they test what must hold at any point in between: `ON_PATCH`,
//! `ON_CLOCK` and `ON_RANDOM` run a test's code from within arming, a firing or a clause. Each test
//! has its own kernel and engine; the state of [`fake`] that is not part of a kernel is
//! thread-local.

mod aggregations;
mod any_order;
mod at_once;
mod calls;
mod deadman;
mod destructive;
mod dispatch;
mod executed;
mod fake;
mod hostile;
mod kprobes;
mod late_pc;
mod life;
mod modules;
mod opened;
mod pid;
mod proc;
mod returns;
mod session;
mod slots;
mod speculations;
mod syscalls;
mod timers;
mod tracepoints;
mod untrappable;
mod user_stacks;
mod variables;

use std::fs;
use std::path::Path;

/// Cargo compiles only the modules above: a file missing there would never run.
#[test]
fn each_test_file_is_a_module() {
    let main = include_str!("main.rs");
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = fs::read_dir(dir).expect("a folder").flatten();
    let files = files.map(|file| file.path());
    for file in files.filter(|file| file.extension().is_some_and(|e| e == "rs")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let is_apart = ["main"].contains(&&*name);
        assert!(
            is_apart || main.contains(&format!("\nmod {name};\n")),
            "{name}"
        );
    }
}
