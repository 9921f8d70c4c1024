//! Writes the guest's root as a cpio archive in newc format: reproducible, parents before children.

use std::collections::BTreeMap;
use std::io;

use cpio::newc::{Builder, ModeFileType, trailer};

use crate::image::deb::Kind;

/// An archive under construction. Archives may be concatenated; the kernel unpacks them in order.
#[derive(Default)]
pub struct Archive {
    nodes: BTreeMap<String, Node>,
}

enum Node {
    Directory { mode: u32 },
    File { mode: u32, data: Vec<u8> },
    Symlink(String),
    Character { mode: u32, major: u32, minor: u32 },
}

impl Archive {
    /// Adds a directory. Only needed for empty ones and for modes other than 0755.
    pub fn directory(&mut self, path: &str, mode: u32) {
        self.add(path, Node::Directory { mode });
    }

    /// Adds a regular file.
    pub fn file(&mut self, path: &str, mode: u32, data: impl Into<Vec<u8>>) {
        self.add(
            path,
            Node::File {
                mode,
                data: data.into(),
            },
        );
    }

    /// Adds a character device.
    pub fn character_device(&mut self, path: &str, mode: u32, major: u32, minor: u32) {
        self.add(path, Node::Character { mode, major, minor });
    }

    /// Adds a file of a package.
    pub fn member(&mut self, path: &str, kind: Kind) {
        match kind {
            Kind::File { mode, data } => self.file(path, mode, data),
            Kind::Symlink(target) => self.add(path, Node::Symlink(target)),
        }
    }

    /// Adds a node, and its missing parents with mode 0755.
    fn add(&mut self, path: &str, node: Node) {
        let name = path.trim_start_matches('/');
        for (end, _) in name.match_indices('/') {
            let parent = self.nodes.entry(name[..end].into());
            parent.or_insert(Node::Directory { mode: 0o755 });
        }
        self.nodes.insert(name.into(), node);
    }

    /// The archive, padded to 512 bytes so that another can follow.
    pub fn into_bytes(self) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        // Sorted by name, a directory precedes its contents.
        for (inode, (name, node)) in (1..).zip(self.nodes) {
            write(&mut out, &name, inode, node)?;
        }
        let mut out = trailer(out)?;
        out.resize(out.len().next_multiple_of(512), 0);
        Ok(out)
    }
}

fn write(out: &mut Vec<u8>, name: &str, inode: u32, node: Node) -> io::Result<()> {
    let entry = Builder::new(name).ino(inode).uid(0).gid(0);
    let (entry, data) = match node {
        Node::Directory { mode } => (
            entry.mode(mode).set_mode_file_type(ModeFileType::Directory),
            Vec::new(),
        ),
        Node::File { mode, data } => (
            entry.mode(mode).set_mode_file_type(ModeFileType::Regular),
            data,
        ),
        Node::Symlink(to) => (
            entry.mode(0o777).set_mode_file_type(ModeFileType::Symlink),
            to.into_bytes(),
        ),
        Node::Character { mode, major, minor } => {
            let entry = entry.mode(mode).rdev_major(major).rdev_minor(minor);
            (entry.set_mode_file_type(ModeFileType::Char), Vec::new())
        }
    };
    let size = u32::try_from(data.len()).map_err(io::Error::other)?;
    let mut writer = entry.write(out, size);
    io::Write::write_all(&mut writer, &data)?;
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpio::newc::Reader;
    use std::io::Read;

    fn entries(mut bytes: &[u8]) -> Vec<(String, u32, String)> {
        let mut found = Vec::new();
        loop {
            let mut reader = Reader::new(bytes).unwrap();
            if reader.entry().is_trailer() {
                return found;
            }
            let mut data = String::new();
            reader.read_to_string(&mut data).unwrap();
            found.push((reader.entry().name().into(), reader.entry().mode(), data));
            bytes = reader.finish().unwrap();
        }
    }

    #[test]
    fn parents_come_first_and_kinds_and_modes_are_kept() {
        let mut archive = Archive::default();
        archive.file("/root/.ssh/keys", 0o600, "k");
        archive.directory("/root", 0o700);
        archive.member("/bin/sh", Kind::Symlink("busybox".into()));
        let got = entries(&archive.into_bytes().unwrap());
        let want = [
            ("bin", 0o040755, ""),
            ("bin/sh", 0o120777, "busybox"),
            ("root", 0o040700, ""),
            ("root/.ssh", 0o040755, ""),
            ("root/.ssh/keys", 0o100600, "k"),
        ];
        assert_eq!(got, want.map(|(n, m, d)| (n.to_string(), m, d.to_string())));
    }

    #[test]
    fn a_device_has_its_numbers() {
        let mut archive = Archive::default();
        archive.character_device("console", 0o600, 5, 1);
        let bytes = archive.into_bytes().unwrap();
        let reader = Reader::new(&bytes[..]).unwrap();
        let entry = reader.entry();
        assert_eq!(
            (entry.mode(), entry.rdev_major(), entry.rdev_minor()),
            (0o020600, 5, 1)
        );
        assert_eq!(bytes.len() % 512, 0);
    }
}
