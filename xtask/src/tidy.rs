//! Checks that architectures are named only where `doc/porting.md` allows it, and that no crate's
//! files import one another in a cycle.

use std::path::Path;

use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::imports;

/// The cfg that only the seam may test.
const CFG: &str = "target_arch";
/// The seams of the kernel and of processes, the judge that executes instructions on the host's
/// processor, functions that only an assembler makes, and the frames of signals.
const SEAMS: [&str; 7] = [
    "engine/kernel/src/arch/",
    "engine/kernel/src/mutant/arch/",
    "engine/isa-judge/src/x86/",
    "engine/local/agent/src/arch/",
    "harness/frames/src/arch/",
    "harness/native/src/process/arch/",
    "harness/random/src/arch/",
];
/// Architecture-specific symbols, which a scenario must take from the guest's `names:`.
const ARCH_SYMBOLS: [&str; 4] = ["__arm64_sys_", "__x64_sys_", "do_undefinstr", "brk_handler"];

/// Returns an error that lists every forbidden mention of an architecture.
pub fn check() -> Result<()> {
    let root = workspace_root();
    let mut found = Vec::new();
    for folder in ["engine", "harness", "xtask", "scenarios"] {
        for path in files::walk(&root.join(folder), &["target"])? {
            let Ok(name) = path.strip_prefix(root) else {
                continue;
            };
            let text = String::from_utf8_lossy(&files::read(&path)?).into_owned();
            found.extend(named_in(name, &text));
        }
    }
    check_imports(root)?;
    if found.is_empty() {
        return Ok(());
    }
    Err(Error::Stages(format!(
        "architecture names outside the permitted files (doc/porting.md):\n{}",
        found.join("\n")
    )))
}

/// Returns an error that lists every file on an import cycle.
fn check_imports(root: &Path) -> Result<()> {
    let mut found = Vec::new();
    for path in files::walk(root, &["target", ".git"])? {
        let folder = path.with_file_name("src");
        if path.file_name().is_some_and(|name| name == "Cargo.toml") && folder.is_dir() {
            let name = folder.strip_prefix(root).unwrap_or(&folder).display();
            let cycles = imports::cycles(&folder)?;
            found.extend(cycles.iter().map(|line| format!("  {name}: {line}")));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    Err(Error::Stages(format!(
        "import cycle between files:\n{}",
        found.join("\n")
    )))
}

/// The lines of a file that name an architecture where that is forbidden.
fn named_in(name: &Path, text: &str) -> Vec<String> {
    let words: &[&str] = if name.starts_with("scenarios") {
        &ARCH_SYMBOLS
    } else if SEAMS.iter().any(|seam| name.starts_with(seam)) || name == Path::new(file!()) {
        &[]
    } else {
        &[CFG]
    };
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| words.iter().any(|word| line.contains(word)))
        .map(|(number, line)| format!("  {}:{number}: {}", name.display(), line.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        check().unwrap();
    }

    #[test]
    fn only_the_seam_may_test_the_architecture() {
        let text = format!("if {CFG} is arm");
        let found = |name: &str| named_in(Path::new(name), &text);
        assert_eq!(found("engine/kernel/src/arch/mod.rs"), [""; 0]);
        assert_eq!(
            found("engine/isa/src/lib.rs"),
            [format!("  engine/isa/src/lib.rs:1: {text}")]
        );
    }

    #[test]
    fn a_scenario_uses_the_guests_names() {
        let found = |text: &str| named_in(Path::new("scenarios/fbt/x.yaml"), text).len();
        assert_eq!(found("trace: dtrace -n fbt::__x64_sys_chdir:entry"), 1);
        assert_eq!(found("trace: dtrace -n 'fbt::${syscall.chdir}:entry'"), 0);
    }
}
