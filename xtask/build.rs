//! Embeds xtask's own sources, so that the stamp of a build step can cover the code of that step.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("src");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("sources.rs");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut text = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root).expect("collected below it");
        let _ = writeln!(text, "({name:?}, include_str!({file:?})),");
    }
    text.push(']');
    println!("cargo::rerun-if-changed=src");
    fs::write(out, text)
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
