//! Selects from the packages the files that a guest needs: its programs, and the transitive closure
//! of what those need.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};
use crate::image::deb::{Kind, Member};
use crate::image::elf::Linkage;

/// Every file of every package, by absolute path.
pub struct Pool {
    files: BTreeMap<String, Kind>,
}

impl Pool {
    /// Pools the members of packages.
    pub fn new(members: impl IntoIterator<Item = Member>) -> Self {
        Self {
            files: members.into_iter().map(|m| (m.path, m.kind)).collect(),
        }
    }

    /// The programs, their loaders and libraries, and the symbolic links on the way. `linkage`
    /// reads what a file needs.
    pub fn closure<E: std::fmt::Display>(
        &self,
        programs: &[String],
        linkage: impl Fn(&[u8]) -> std::result::Result<Linkage, E>,
    ) -> Result<BTreeMap<String, Kind>> {
        let mut chosen = BTreeMap::new();
        let mut open: Vec<Request> = programs
            .iter()
            .map(|p| Request::path(p, "images/*.yaml"))
            .collect();
        let mut seen = BTreeSet::new();
        while let Some(request) = open.pop() {
            let path = self.find(&request)?;
            if !seen.insert(path.clone()) {
                continue;
            }
            let kind = &self.files[&path];
            open.extend(requests_of(&path, kind, &linkage)?);
            chosen.insert(path, kind.clone());
        }
        Ok(chosen)
    }

    /// Files that need no others.
    pub fn files(&self, paths: &[String]) -> Result<BTreeMap<String, Kind>> {
        let mut chosen = BTreeMap::new();
        for path in paths {
            let path = self.find(&Request::path(path, "images/*.yaml"))?;
            chosen.insert(path.clone(), self.files[&path].clone());
        }
        Ok(chosen)
    }

    /// The path of a file: an absolute name as it is, a bare name in the library directory with the
    /// shortest path.
    fn find(&self, request: &Request) -> Result<String> {
        let suffix = format!("/{}", request.name);
        let in_library = |path: &&String| path.ends_with(&suffix) && path.contains("/lib/");
        let found = if request.name.starts_with('/') {
            self.files
                .contains_key(&request.name)
                .then_some(&request.name)
        } else {
            self.files.keys().filter(in_library).min_by_key(|p| p.len())
        };
        found.cloned().ok_or_else(|| {
            let Request { name, by } = request;
            Error::Package(format!(
                "{by} needs {name}, which is in none of the guest's packages; add its package under `packages`"
            ))
        })
    }
}

/// A needed file, and the file that needs it.
struct Request {
    name: String,
    by: String,
}

impl Request {
    fn path(name: &str, by: &str) -> Self {
        Self {
            name: name.into(),
            by: by.into(),
        }
    }
}

fn requests_of<E: std::fmt::Display>(
    path: &str,
    kind: &Kind,
    linkage: impl Fn(&[u8]) -> std::result::Result<Linkage, E>,
) -> Result<Vec<Request>> {
    let names = match kind {
        Kind::Symlink(target) => vec![resolve(path, target)],
        Kind::File { data, .. } => {
            let linkage =
                linkage(data).map_err(|e| Error::Package(format!("{path} cannot be read: {e}")))?;
            linkage
                .interpreter
                .into_iter()
                .chain(linkage.needed)
                .collect()
        }
    };
    Ok(names.iter().map(|n| Request::path(n, path)).collect())
}

/// The absolute path that a link at `path` points to.
fn resolve(path: &str, target: &str) -> String {
    let start = if target.starts_with('/') {
        ""
    } else {
        path.rsplit_once('/').map_or("", |(dir, _)| dir)
    };
    let mut parts: Vec<&str> = start.split('/').filter(|p| !p.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stub of `linkage`: a file's contents are the names it needs.
    fn needs(data: &[u8]) -> std::result::Result<Linkage, String> {
        let text = String::from_utf8_lossy(data).into_owned();
        Ok(Linkage {
            interpreter: None,
            needed: text.split_whitespace().map(str::to_owned).collect(),
        })
    }

    fn file(path: &str, needs: &str) -> Member {
        Member {
            path: path.into(),
            kind: Kind::File {
                mode: 0o755,
                data: needs.into(),
            },
        }
    }

    fn link(path: &str, target: &str) -> Member {
        Member {
            path: path.into(),
            kind: Kind::Symlink(target.into()),
        }
    }

    fn pool() -> Pool {
        Pool::new([
            file("/bin/a", "libx.so.1 ld.so"),
            file("/bin/unused", "libnot.so"),
            link("/usr/lib/arm/libx.so.1", "libx.so.1.2"),
            file("/usr/lib/arm/libx.so.1.2", "libc.so"),
            file("/lib/arm/libc.so", "ld.so"),
            file("/lib/arm/ld.so", ""),
            link("/lib/ld.so", "arm/ld.so"),
            file("/bin/broken", "libgone.so"),
        ])
    }

    #[test]
    fn a_closure_holds_what_is_needed_links_included_and_no_more() {
        let chosen = pool().closure(&["/bin/a".into()], needs).unwrap();
        let paths: Vec<_> = chosen.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                "/bin/a",
                "/lib/arm/ld.so",
                "/lib/arm/libc.so",
                "/lib/ld.so",
                "/usr/lib/arm/libx.so.1",
                "/usr/lib/arm/libx.so.1.2"
            ]
        );
    }

    #[test]
    fn a_missing_library_is_named_with_its_user() {
        let text = pool()
            .closure(&["/bin/broken".into()], needs)
            .unwrap_err()
            .to_string();
        assert!(text.contains("/bin/broken needs libgone.so"), "{text}");
    }

    #[test]
    fn links_are_resolved_relative_and_absolute() {
        assert_eq!(resolve("/usr/lib/a", "../../lib/b"), "/lib/b");
        assert_eq!(resolve("/usr/lib/a", "/x/y"), "/x/y");
    }
}
