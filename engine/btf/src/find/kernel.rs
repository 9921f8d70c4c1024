//! The kernel whose types are looked for.

use std::io;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};

use crate::find::files::Files;

/// The note that has the build-id.
const NT_GNU_BUILD_ID: u32 = 3;
/// The section of a module that is its `struct module`.
const THIS_MODULE: &str = ".gnu.linkonce.this_module";
/// Folders that are looked at for a module.
const MOST_FOLDERS: usize = 1000;

/// What is known of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Its release: `6.1.0-50-rpi`.
    pub release: String,
    /// Its build-id.
    pub build_id: Option<Vec<u8>>,
    /// The size of its `struct module`, by a module's file.
    pub module_size: Option<u64>,
}

impl Kernel {
    /// The running kernel.
    ///
    /// # Errors
    /// The kernel does not say its release.
    pub fn running(files: &impl Files) -> io::Result<Self> {
        let release = files.read(Path::new("/proc/sys/kernel/osrelease"))?;
        let release = String::from_utf8_lossy(&release).trim().to_owned();
        let notes = files.read(Path::new("/sys/kernel/notes"));
        let folder = Path::new("/lib/modules").join(&release);
        Ok(Self {
            build_id: notes.ok().as_deref().and_then(build_id),
            module_size: module_size(files, folder),
            release,
        })
    }
}

/// The build-id among notes, in the host's byte order.
fn build_id(notes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = notes;
    loop {
        let (head, behind) = rest.split_first_chunk::<12>()?;
        let (words, _) = head.as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_ne_bytes(*word));
        let (name_size, size, kind) = (words.next()?, words.next()?, words.next()?);
        let (name, behind) = aligned(behind, name_size)?;
        let (content, behind) = aligned(behind, size)?;
        if kind == NT_GNU_BUILD_ID && name == b"GNU\0" {
            return Some(content.to_vec());
        }
        rest = behind;
    }
}

/// So many bytes, and what is behind them and their padding.
fn aligned(bytes: &[u8], size: u32) -> Option<(&[u8], &[u8])> {
    let size = usize::try_from(size).ok()?;
    let content = bytes.get(..size)?;
    let padded = size.checked_next_multiple_of(4)?;
    Some((content, bytes.get(padded..).unwrap_or_default()))
}

/// The size of `struct module`, by the first module that is not compressed.
fn module_size(files: &impl Files, folder: PathBuf) -> Option<u64> {
    let mut folders = vec![folder];
    for _ in 0..MOST_FOLDERS {
        let mut entries = files.list(&folders.pop()?).unwrap_or_default();
        entries.sort_unstable();
        for path in entries {
            match path.extension() {
                Some(kind) if kind == "ko" => {
                    if let Some(size) = size_in(&files.read(&path).ok()?) {
                        return Some(size);
                    }
                }
                // Links lead to the kernel's source, which is large.
                None if !path.ends_with("build") && !path.ends_with("source") => folders.push(path),
                _ => {}
            }
        }
    }
    None
}

fn size_in(module: &[u8]) -> Option<u64> {
    let file = object::File::parse(module).ok()?;
    Some(file.section_by_name(THIS_MODULE)?.size())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: u32, name: &[u8], content: &[u8]) -> Vec<u8> {
        let mut note = Vec::new();
        for word in [name.len() as u32, content.len() as u32, kind] {
            note.extend(word.to_ne_bytes());
        }
        for part in [name, content] {
            note.extend(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    #[test]
    fn the_build_id_is_found_among_other_notes() {
        let notes = [
            note(6, b"Linux\0", &[1, 2, 3]),
            note(3, b"Xen\0", &[9]),
            note(3, b"GNU\0", &[0xab, 0xcd, 0xef]),
        ];
        assert_eq!(build_id(&notes.concat()), Some(vec![0xab, 0xcd, 0xef]));
        assert_eq!(build_id(&notes[..2].concat()), None);
        let all = notes.concat();
        (0..all.len() - 2).for_each(|length| assert_eq!(build_id(&all[..length]), None));
    }

    #[test]
    fn sizes_that_overflow() {
        let mut huge = note(3, b"GNU\0", &[1]);
        huge[..4].copy_from_slice(&u32::MAX.to_ne_bytes());
        assert_eq!(build_id(&huge), None);
    }
}
