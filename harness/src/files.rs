//! Copies a scenario's `files` into its guest: each keeps its path relative to the checkout, below
//! the directory in which the guest runs commands.

use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, HeaderMode};

use crate::error::HostError;
use crate::guest::{Guest, Stop};
use crate::tree::Tree;

/// Time for the whole transfer; the slowest line moves 30 kB/s.
const LIMIT: Duration = Duration::from_secs(60);

/// Copies `paths` into the guest as one compressed tar archive, extracted by the guest's `tar`.
pub fn copy_in(guest: &mut Guest, tree: &Tree, paths: &[String]) -> Result<(), Stop> {
    if paths.is_empty() {
        return Ok(());
    }
    guest
        .feed("tar -xzf -", &pack(tree, paths)?, LIMIT)
        .map(drop)
}

/// Packs the files into one archive. Compressed, since with many small files most of it is headers.
fn pack(tree: &Tree, paths: &[String]) -> Result<Vec<u8>, HostError> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    archive.mode(HeaderMode::Deterministic);
    // busybox tar does not support sparse files.
    archive.sparse(false);
    for path in paths {
        let here = tree.absolute(Path::new(path));
        let packed = if here.is_dir() {
            archive.append_dir_all(path, &here)
        } else {
            archive.append_path_with_name(&here, path)
        };
        packed.map_err(HostError::file("read", &here))?;
    }
    let whole = archive.into_inner().and_then(GzEncoder::finish);
    whole.map_err(HostError::file("pack", Path::new("the scenario's files")))
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn files_and_folders_keep_their_paths() {
        let paths = ["harness/Cargo.toml", "harness/src/report"].map(str::to_owned);
        let packed = pack(&Tree::own(), &paths).expect("they are there");
        let mut archive = tar::Archive::new(GzDecoder::new(&*packed));
        let names: Vec<String> = archive
            .entries()
            .expect("an archive")
            .map(|entry| {
                entry
                    .expect("one")
                    .path()
                    .expect("a path")
                    .display()
                    .to_string()
            })
            .collect();
        assert!(
            names.contains(&"harness/Cargo.toml".to_owned()),
            "{names:?}"
        );
        let deep = "harness/src/report/junit.rs".to_owned();
        assert!(names.contains(&deep), "{names:?}");
    }

    #[test]
    fn missing_file_is_named() {
        let error = pack(&Tree::own(), &["no/such".to_owned()]).expect_err("it is not there");
        assert!(error.to_string().contains("no/such"), "{error}");
    }
}
