//! Reads Debian packages: `ar` archives whose member `data.tar.xz` holds the files.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use liblzma::read::XzDecoder;
use tar::{Archive, EntryType};

use crate::error::{At, Error, Result};

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Absolute path on the system that the package is for.
    pub path: String,
    /// The kind, with its contents.
    pub kind: Kind,
}

/// The kind of a member; there is none for directories, which are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// Permission bits.
        mode: u32,
        /// Contents.
        data: Vec<u8>,
    },
    /// A symbolic link to this target.
    Symlink(String),
}

/// The members whose absolute path satisfies `wanted`.
pub fn members(deb: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<Member>> {
    with_data(deb, |archive| {
        let mut found = Vec::new();
        for entry in archive.entries()? {
            let mut entry = entry?;
            let path = format!("/{}", entry.path()?.display()).replace("/./", "/");
            if !wanted(&path) {
                continue;
            }
            let kind = match entry.header().entry_type() {
                EntryType::Regular => Kind::File {
                    mode: entry.header().mode()? & 0o7777,
                    data: contents(&mut entry)?,
                },
                EntryType::Symlink => Kind::Symlink(link_target(&entry)?),
                _ => continue,
            };
            found.push(Member { path, kind });
        }
        Ok(found)
    })
}

/// The contents of the first file whose path ends with `end`. What is behind it stays packed.
pub fn file(deb: &Path, end: &str) -> Result<Vec<u8>> {
    let found = with_data(deb, |archive| {
        for entry in archive.entries()? {
            let mut entry = entry?;
            let path = format!("/{}", entry.path()?.display());
            if path.ends_with(end) && entry.header().entry_type() == EntryType::Regular {
                return contents(&mut entry).map(Some);
            }
        }
        Ok(None)
    })?;
    found.ok_or_else(|| Error::Content {
        path: deb.into(),
        why: format!("it has no {end}"),
    })
}

/// Unpacks a whole package below a directory, with modification times.
pub fn unpack(deb: &Path, into: &Path) -> Result<()> {
    with_data(deb, |archive| {
        archive.set_preserve_mtime(true);
        archive.unpack(into)
    })
}

fn contents(entry: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut data = Vec::new();
    entry.read_to_end(&mut data)?;
    Ok(data)
}

fn link_target(entry: &tar::Entry<'_, impl Read>) -> std::io::Result<String> {
    let target = entry.link_name()?;
    Ok(target.map(|t| t.display().to_string()).unwrap_or_default())
}

fn with_data<T>(
    deb: &Path,
    use_it: impl FnOnce(
        &mut Archive<XzDecoder<&mut ar::Entry<'_, BufReader<File>>>>,
    ) -> std::io::Result<T>,
) -> Result<T> {
    let file = File::open(deb).at("read", deb)?;
    let mut parts = ar::Archive::new(BufReader::new(file));
    while let Some(part) = parts.next_entry() {
        let mut part = part.at("read the package", deb)?;
        if part.header().identifier() == b"data.tar.xz" {
            return use_it(&mut Archive::new(XzDecoder::new(&mut part))).at("unpack", deb);
        }
    }
    Err(Error::Content {
        path: deb.into(),
        why: "a package without data.tar.xz".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use liblzma::write::XzEncoder;

    fn package(dir: &Path) -> std::path::PathBuf {
        let mut tree = tar::Builder::new(XzEncoder::new(Vec::new(), 1));
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o755);
        header.set_size(3);
        tree.append_data(&mut header, "./bin/a", &b"abc"[..])
            .unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        tree.append_link(&mut header, "./bin/b", "a").unwrap();
        let data = tree.into_inner().unwrap().finish().unwrap();
        let path = dir.join("x.deb");
        let mut deb = ar::Builder::new(File::create(&path).unwrap());
        for (name, data) in [("debian-binary", &b"2.0\n"[..]), ("data.tar.xz", &data)] {
            deb.append(&ar::Header::new(name.into(), data.len() as u64), data)
                .unwrap();
        }
        path
    }

    #[test]
    fn files_and_links_come_out_under_absolute_paths() {
        let dir = tempfile::tempdir().unwrap();
        let found = members(&package(dir.path()), |_| true).unwrap();
        let file = Kind::File {
            mode: 0o755,
            data: b"abc".to_vec(),
        };
        assert_eq!(
            found,
            [
                Member {
                    path: "/bin/a".into(),
                    kind: file
                },
                Member {
                    path: "/bin/b".into(),
                    kind: Kind::Symlink("a".into())
                },
            ]
        );
    }

    #[test]
    fn a_file_is_found_by_the_end_of_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let deb = package(dir.path());
        assert_eq!(file(&deb, "/bin/a").unwrap(), b"abc");
        // A link is no file.
        for absent in ["/bin/b", "/bin/c"] {
            let text = file(&deb, absent).unwrap_err().to_string();
            assert!(text.contains(absent), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_no_package_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("y.deb");
        std::fs::write(&path, "hello").unwrap();
        assert!(
            unpack(&path, dir.path())
                .unwrap_err()
                .to_string()
                .contains("y.deb")
        );
    }
}
