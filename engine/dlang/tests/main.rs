//! The compiler's tests, except for those that are driven by files.

mod agree;
mod documented;
mod hostile;
mod kernel;
mod machine;
mod memory;
mod model;
mod process;
mod settings;
mod signature;
mod texts;
mod words;

use std::fs;
use std::path::Path;

/// A file that is not a module above would not be compiled.
#[test]
fn every_file_of_tests_is_a_module() {
    let main = include_str!("main.rs");
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = fs::read_dir(dir).expect("a folder").flatten();
    let files = files.map(|file| file.path());
    for file in files.filter(|file| file.extension().is_some_and(|e| e == "rs")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let is_apart = ["main", "programs", "values"].contains(&&*name);
        assert!(
            is_apart || main.contains(&format!("\nmod {name};\n")),
            "{name}"
        );
    }
}
