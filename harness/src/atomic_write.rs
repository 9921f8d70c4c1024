//! Atomic file replacement: a reader sees the old contents or the new ones, never a part.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Replaces `path` with `text`, by a rename within the same directory. Anything but a regular file,
/// such as a pipe or the link `/dev/stdout`, is written through and stays in place.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    if path.symlink_metadata().is_ok_and(|about| !about.is_file()) {
        return fs::write(path, text);
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new()
        .prefix(".partial-")
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn replaces_the_file_and_leaves_no_temporary() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/report");
        for text in ["a long one", "short"] {
            replace(&path, text).expect("writable");
            assert_eq!(fs::read_to_string(&path).expect("readable"), text);
        }
        let names = fs::read_dir(folder.path().join("new")).expect("a folder");
        assert_eq!(names.count(), 1);
    }

    #[test]
    fn a_link_or_directory_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let (link, behind) = (folder.path().join("link"), folder.path().join("behind"));
        symlink(&behind, &link).expect("writable");
        replace(&link, "text").expect("writable");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&behind).expect("readable"), "text");
        assert!(replace(folder.path(), "text").is_err() && folder.path().is_dir());
    }
}
