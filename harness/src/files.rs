//! What a scenario brings into its guest: files of the checkout, each under the path that it has here,
//! from the folder on that commands start in.

use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, HeaderMode};

use crate::error::HostError;
use crate::guest::{Guest, Stop};
use crate::tree::Tree;

/// How long it may take: a line that is slow moves 30 kB in a second.
const LIMIT: Duration = Duration::from_secs(60);

/// Brings them there.
pub fn bring(guest: &mut Guest, tree: &Tree, paths: &[String]) -> Result<(), Stop> {
    if paths.is_empty() {
        return Ok(());
    }
    guest
        .feed("tar -xzf -", &pack(tree, paths)?, LIMIT)
        .map(drop)
}

/// The files as one archive; headers are most of one with many small files, so it is compressed.
fn pack(tree: &Tree, paths: &[String]) -> Result<Vec<u8>, HostError> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    archive.mode(HeaderMode::Deterministic);
    // busybox does not know of holes.
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
    whole.map_err(HostError::file(
        "pack",
        Path::new("what the scenario brings"),
    ))
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
    fn what_is_not_there_is_named() {
        let error = pack(&Tree::own(), &["no/such".to_owned()]).expect_err("it is not there");
        assert!(error.to_string().contains("no/such"), "{error}");
    }
}
