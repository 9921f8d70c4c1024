//! D libraries: the `.d` files of some directories, which are compiled before the programs.
//!
//! A library says what it needs: `#pragma D depends_on library NAME.d` (which then comes first),
//! `module NAME` and `provider NAME`. One whose needs are not met is left out without a word, as in
//! DTrace: it is for another kernel.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use engine_dlang::depends::{Dependency, Kind, dependencies};
use engine_dlang::library;

/// A library that has been read.
pub struct Library {
    /// Its file.
    pub path: PathBuf,
    /// Its text.
    pub source: Vec<u8>,
}

/// Reads the libraries of these directories, in an order in which each comes after those that it
/// needs. `is_met` is whether there is a module or provider of this name.
pub fn read<'a>(
    folders: impl Iterator<Item = &'a Path>,
    is_met: impl Fn(Kind, &str) -> bool,
) -> Result<Vec<Library>, (PathBuf, io::Error)> {
    let mut found = Vec::new();
    for folder in folders {
        let files = files(folder).map_err(|why| (folder.to_owned(), why))?;
        for path in files {
            let source = fs::read(&path).map_err(|why| (path.clone(), why))?;
            found.push(Library { path, source });
        }
    }
    Ok(ordered(found, is_met))
}

/// The libraries of a directory, by name; none if there is no such directory.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let paths = entries.map(|entry| entry.map(|it| it.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|it| it == "d") && path.is_file());
    paths.sort();
    Ok(paths)
}

/// Whether a library has its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not looked at yet.
    New,
    /// Its dependencies are being looked at.
    Begun,
    /// It comes at its place.
    Placed,
    /// Something that it needs is not there.
    Unmet,
}

/// Puts libraries in order and drops those whose needs are not met.
fn ordered(found: Vec<Library>, is_met: impl Fn(Kind, &str) -> bool) -> Vec<Library> {
    let name = |it: &Library| it.path.file_name().unwrap_or_default().to_os_string();
    let names: BTreeMap<_, usize> = found.iter().map(name).zip(0..).collect();
    let needs: Vec<Vec<Dependency>> = found.iter().map(|it| dependencies(&it.source)).collect();
    let mut states = vec![State::New; found.len()];
    let mut order = Vec::new();
    for first in 0..found.len() {
        // A stack instead of recursion: each library, and how many of its needs are met.
        let mut open = vec![(first, 0)];
        open.retain(|_| states[first] == State::New);
        while let Some((at, seen)) = open.pop() {
            states[at] = State::Begun;
            let Some(need) = needs[at].get(seen) else {
                states[at] = State::Placed;
                order.push(at);
                continue;
            };
            let other = names.get(std::ffi::OsStr::new(&need.name)).copied();
            match (need.kind, other) {
                (Kind::Library, Some(other)) => match states[other] {
                    State::New => open.extend([(at, seen), (other, 0)]),
                    State::Placed => open.push((at, seen + 1)),
                    // Unmet, or each needs the other.
                    State::Unmet | State::Begun => states[at] = State::Unmet,
                },
                (Kind::Library, None) if library::is_there(&need.name) => {
                    open.push((at, seen + 1));
                }
                (Kind::Library, None) => states[at] = State::Unmet,
                (kind, _) if is_met(kind, &need.name) => open.push((at, seen + 1)),
                _ => states[at] = State::Unmet,
            }
        }
    }
    let mut found: Vec<Option<Library>> = found.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|at| found[at].take())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(libraries: &[(&str, &str)]) -> Vec<String> {
        let found = libraries.iter().map(|(name, needs)| Library {
            path: Path::new("/lib").join(name),
            source: needs
                .split_terminator(',')
                .map(|need| format!("#pragma D depends_on {need}\n"))
                .collect::<String>()
                .into_bytes(),
        });
        let is_met = |kind, name: &str| match kind {
            Kind::Provider => name == "profile",
            _ => name == "ext4",
        };
        let ordered = ordered(found.collect(), is_met);
        let name = |it: Library| it.path.file_name().unwrap().to_string_lossy().into_owned();
        ordered.into_iter().map(name).collect()
    }

    #[test]
    fn a_library_comes_after_what_it_needs() {
        let libraries = [
            ("a.d", "library c.d,library b.d"),
            ("b.d", "library c.d"),
            ("c.d", ""),
            ("d.d", ""),
        ];
        assert_eq!(order(&libraries), ["c.d", "b.d", "a.d", "d.d"]);
    }

    #[test]
    fn a_library_whose_needs_are_not_met_is_left_out() {
        let libraries = [
            ("a.d", "module ext4,provider profile"),
            ("b.d", "module nosuch"),
            ("c.d", "provider io"),
            ("d.d", "library b.d"),
            ("e.d", "library nosuch.d"),
            ("f.d", "library g.d"),
            ("g.d", "library f.d"),
            ("h.d", "library a.d,library h.d"),
            ("i.d", "library a.d"),
            ("j.d", "library procfs.d"),
        ];
        assert_eq!(order(&libraries), ["a.d", "i.d", "j.d"]);
    }

    #[test]
    fn a_folder_need_not_exist() {
        let none = files(Path::new("/nonexistent/of/libraries")).unwrap();
        assert!(none.is_empty());
    }
}
