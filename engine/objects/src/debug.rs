//! Separate debug files: where they are looked for, and which of them belong to an object.

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::elf::Elf;
use crate::error::{Fault, Table};
use crate::file::{Parts, Root};
use crate::functions::Collector;

/// Where distributions install debug files.
const DIRECTORY: &str = "/usr/lib/debug";
/// The largest file whose checksum is computed.
const LARGEST: u64 = 4 << 30;

/// A place for a debug file, and how it is known to belong to the object.
#[derive(Debug, PartialEq, Eq)]
struct Candidate {
    path: PathBuf,
    proof: Proof,
}

#[derive(Debug, PartialEq, Eq)]
enum Proof {
    BuildId,
    Crc(u32),
}

/// Adds the functions of the object's debug file, if there is one below one of the roots.
pub fn add(collector: &mut Collector<'_>, elf: &Elf, path: &Path, roots: &[Root]) {
    let candidates = candidates(elf, path);
    for root in roots {
        for candidate in &candidates {
            // Missing is the rule; what is there and cannot be used is a fault.
            let found = match root.file(&candidate.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found.map_err(|error| error.to_string()),
            };
            let added = found.and_then(|file| add_file(collector, elf, candidate, &file));
            match added {
                Ok(()) if !collector.is_empty() => return,
                Ok(()) => {}
                Err(why) => {
                    let path = candidate.path.clone();
                    collector.report(Fault::DebugFile { path, why });
                }
            }
        }
    }
}

fn candidates(elf: &Elf, path: &Path) -> Vec<Candidate> {
    let by_id = elf.build_id.as_deref().and_then(build_id_path);
    let by_id = by_id.map(|path| Candidate {
        path,
        proof: Proof::BuildId,
    });
    let link = elf.debug_link.as_ref();
    let folder = path.parent().unwrap_or(Path::new("/"));
    let by_link = link.into_iter().flat_map(|link| {
        let name = OsStr::from_bytes(&link.name);
        let installed = folder.strip_prefix("/").unwrap_or(folder);
        let installed = Path::new(DIRECTORY).join(installed);
        let folders = [folder.to_owned(), folder.join(".debug"), installed];
        folders.map(|folder| Candidate {
            path: folder.join(name),
            proof: Proof::Crc(link.crc),
        })
    });
    by_id.into_iter().chain(by_link).collect()
}

/// `/usr/lib/debug/.build-id/xx/yyyy.debug`
fn build_id_path(id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = id.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let mut path = format!("{DIRECTORY}/.build-id/{first:02x}/");
    for byte in rest {
        write!(path, "{byte:02x}").ok()?;
    }
    Some((path + ".debug").into())
}

fn add_file(
    collector: &mut Collector<'_>,
    elf: &Elf,
    candidate: &Candidate,
    file: &File,
) -> Result<(), String> {
    let data = Parts::of(file);
    let debug = Elf::read(&data).map_err(|fault| fault.to_string())?;
    let set = |elf: &Elf| (elf.class, elf.endian, elf.machine);
    if set(&debug) != set(elf) {
        return Err("of another instruction set".to_owned());
    }
    match candidate.proof {
        Proof::BuildId if debug.build_id != elf.build_id => {
            return Err("its build-id is another one".to_owned());
        }
        Proof::Crc(stated) => {
            let found = checksum(file).map_err(|error| error.to_string())?;
            if found != stated {
                return Err(format!(
                    "its CRC is {found:08x}, .gnu_debuglink says {stated:08x}"
                ));
            }
        }
        Proof::BuildId => {}
    }
    collector.add(&debug, &data, Table::Debug);
    Ok(())
}

/// The CRC-32 of a file, from its beginning.
fn checksum(file: &File) -> io::Result<u32> {
    if file.metadata()?.len() > LARGEST {
        return Err(io::Error::other("too large"));
    }
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    let mut rest = file.take(LARGEST);
    loop {
        let read = rest.read(&mut buffer)?;
        match buffer.get(..read) {
            Some([]) | None => return Ok(hasher.finalize()),
            Some(bytes) => hasher.update(bytes),
        }
    }
}
