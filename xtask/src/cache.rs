//! The package cache. Packages are named by the SHA-256 of their contents, which is checked again at
//! every use; types, which are made of packages, by that of their inputs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{At, Error, Result};
use crate::files;
use crate::progress::say;

/// The cache directory, shared between runs and between checkouts.
pub struct Cache {
    dir: PathBuf,
}

impl Cache {
    /// `$TRAPLINE_CACHE`, else `$XDG_CACHE_HOME/trapline`, else `~/.cache/trapline`.
    pub fn locate() -> Result<Self> {
        let named = |var: &str| {
            env::var_os(var)
                .filter(|v| !v.is_empty())
                .map(PathBuf::from)
        };
        let dir = named("TRAPLINE_CACHE")
            .or_else(|| named("XDG_CACHE_HOME").map(|d| d.join("trapline")))
            .or_else(|| named("HOME").map(|d| d.join(".cache/trapline")))
            .ok_or_else(|| Error::Host {
                missing:
                    "a place for a cache: none of TRAPLINE_CACHE, XDG_CACHE_HOME and HOME is set"
                        .into(),
                fix: "export TRAPLINE_CACHE=<directory>".into(),
            })?;
        Self::at(std::path::absolute(&dir).at("find", &dir)?)
    }

    fn at(dir: PathBuf) -> Result<Self> {
        files::create_dir(&dir)?;
        Ok(Self { dir })
    }

    /// The cache directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Path of the package with this hash, cached or not.
    pub fn path(&self, sha256: &str) -> PathBuf {
        self.dir.join("packages").join(format!("{sha256}.deb"))
    }

    /// The package with this hash, if cached. A damaged one is reported and removed.
    pub fn get(&self, sha256: &str) -> Result<Option<PathBuf>> {
        let path = self.path(sha256);
        if !path.exists() {
            return Ok(None);
        }
        if files::sha256(&path)? == sha256 {
            return Ok(Some(path));
        }
        say!("{} is damaged and will be fetched again", path.display());
        fs::remove_file(&path).at("remove", &path)?;
        Ok(None)
    }

    /// Path of the types that are converted from these inputs, converted or not.
    pub fn types(&self, sum: &str) -> PathBuf {
        self.dir.join("types").join(format!("{sum}.btf"))
    }

    /// A download directory on the cache's file system, so that [`Self::put`] can rename.
    pub fn scratch(&self) -> Result<tempfile::TempDir> {
        files::scratch_dir(&self.dir.join("packages"))
    }

    /// Moves a downloaded file into the cache and returns its hash.
    pub fn put(&self, file: &Path) -> Result<String> {
        let sha256 = files::sha256(file)?;
        files::rename(file, &self.path(&sha256))?;
        Ok(sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_returned_unless_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path().join("cache")).unwrap();
        let scratch = cache.scratch().unwrap();
        let file = scratch.path().join("a.deb");
        fs::write(&file, "contents").unwrap();
        let hash = cache.put(&file).unwrap();

        let kept = cache.get(&hash).unwrap().expect("it was just put in");
        assert_eq!(fs::read(&kept).unwrap(), b"contents");

        fs::write(&kept, "cont").unwrap();
        assert_eq!(cache.get(&hash).unwrap(), None);
        assert!(!kept.exists());
    }
}
