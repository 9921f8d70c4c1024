//! Where the types of a kernel are.
//!
//! The order of the search, of which the first file that is of the kernel is used:
//!
//! 1. the file that the user names (`-xbtfpath`): BTF, or an ELF file with BTF or debug
//!    information. It is used or refused, and nothing else is looked for;
//! 2. `/sys/kernel/btf/vmlinux`, which is the running kernel's own;
//! 3. `/usr/lib/dtrace/btf/RELEASE.btf`, which somebody converted;
//! 4. `/var/cache/dtrace/RELEASE.btf`, which this search did;
//! 5. `vmlinux` where debuggers look. Its debug information is converted and cached, if this build
//!    can do that.
//!
//! Files other than the kernel's own must be of the same kernel: of the same build-id or, where one
//! of them is not known, with a `struct module` as large as in the kernel's modules. A file of
//! another kernel has other offsets, and a wrong offset reads other memory: it is refused with a
//! sentence that says why.
//!
//! BTF of modules is beside the kernel's own, or in `/usr/lib/dtrace/btf/RELEASE/MODULE.btf` if the
//! installed file is used, which it has to be split from.
//!
//! Where the kernel's own BTF is used, `/usr/lib/dtrace/btf/RELEASE-variables.btf` adds what it has
//! not: types and addresses of variables, split from it.

mod candidate;
mod fault;
mod files;
mod kernel;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::btf::Btf;
use candidate::{Candidate, check, hexadecimal};
pub use fault::{Fault, FindError};
pub use files::{Files, Host};
pub use kernel::Kernel;

/// The running kernel's own BTF, and that of its modules.
const OWN: &str = "/sys/kernel/btf";
/// Where BTF is installed.
const INSTALLED: &str = "/usr/lib/dtrace/btf";
/// Where converted BTF is kept.
const CACHE: &str = "/var/cache/dtrace";

/// The types of a kernel.
#[derive(Debug, Clone)]
pub struct Types {
    /// Types and functions. Modules are split from it.
    pub kernel: Arc<Btf<'static>>,
    /// The file that they are from.
    pub path: PathBuf,
    /// Variables that `kernel` has not, split from it.
    pub variables: Option<Arc<Btf<'static>>>,
    /// Files that exist but were not used.
    pub refused: Vec<(PathBuf, String)>,
}

/// Finds the types of a kernel; `asked` is the file that the user named.
///
/// # Errors
/// That file is not of the kernel, or no file is.
pub fn types(
    kernel: &Kernel,
    asked: Option<&Path>,
    files: &impl Files,
) -> Result<Types, FindError> {
    if let Some(path) = asked {
        let read = files.read(path).map_err(Fault::from);
        let used = read.and_then(|bytes| Candidate::of(bytes, kernel)?.read(kernel));
        let path = path.to_owned();
        return match used {
            Ok(btf) => Ok(found(btf, path, &[])),
            Err(why) => Err(FindError::Asked { path, why }),
        };
    }
    let mut tried = Vec::new();
    for path in places(kernel) {
        match used(&path, kernel, files) {
            Ok(Some(btf)) => {
                let mut types = found(btf, path, &tried);
                types.add_variables(kernel, files);
                return Ok(types);
            }
            Ok(None) => {}
            Err(why) => tried.push((path, why)),
        }
    }
    let release = kernel.release.clone();
    Err(FindError::Nowhere { release, tried })
}

impl Types {
    /// All that is known without modules. Its IDs are the kernel's, and go on; those of a module go
    /// on from the kernel's, too, so whoever uses both has to know which an ID is of.
    pub fn all(&self) -> &Arc<Btf<'static>> {
        self.variables.as_ref().unwrap_or(&self.kernel)
    }

    /// The types of a module, split from the kernel's; none if there is no file of it.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn module(&self, name: &str, files: &impl Files) -> Result<Option<Btf<'static>>, Fault> {
        // The kernel's files have the underscores of names.
        let file = name.replace('-', "_");
        let path = match self.modules() {
            Some(_) if name.contains('/') => return Ok(None),
            Some((folder, suffix)) => folder.join(file + suffix),
            None => return Ok(None),
        };
        let bytes = existing(&path, files)?;
        let read = bytes.map(|bytes| Btf::read_split(bytes, self.kernel.clone()));
        Ok(read.transpose()?)
    }

    /// The folder of modules that are split from this BTF, and how their names end.
    fn modules(&self) -> Option<(PathBuf, &'static str)> {
        if self.path == own() {
            return Some((OWN.into(), ""));
        }
        let is_installed = self.path.starts_with(INSTALLED);
        is_installed.then(|| (self.path.with_extension(""), ".btf"))
    }

    fn add_variables(&mut self, kernel: &Kernel, files: &impl Files) {
        let path = Path::new(INSTALLED).join(format!("{}-variables.btf", kernel.release));
        let read = || {
            let Some(bytes) = existing(&path, files)? else {
                return Ok(None);
            };
            let btf = Btf::read_split(bytes, self.kernel.clone())?;
            check(&btf, None, kernel)?;
            Ok::<_, Fault>(Some(Arc::new(btf)))
        };
        if self.path != own() {
            return;
        }
        match read() {
            Ok(variables) => self.variables = variables,
            Err(why) => self.refused.push((path, why.to_string())),
        }
    }
}

fn own() -> PathBuf {
    Path::new(OWN).join("vmlinux")
}

fn found(btf: Arc<Btf<'static>>, path: PathBuf, tried: &[(PathBuf, Fault)]) -> Types {
    let refused = tried.iter();
    let refused = refused.map(|(path, why)| (path.clone(), why.to_string()));
    Types {
        kernel: btf,
        path,
        variables: None,
        refused: refused.collect(),
    }
}

/// The places from the second on.
fn places(kernel: &Kernel) -> Vec<PathBuf> {
    let release = &kernel.release;
    let mut places = vec![
        own(),
        format!("{INSTALLED}/{release}.btf").into(),
        cached(kernel),
    ];
    if let Some(id) = kernel.build_id.as_deref().map(hexadecimal)
        && let Some((first, rest)) = id.split_at_checked(2)
    {
        places.push(format!("/usr/lib/debug/.build-id/{first}/{rest}.debug").into());
    }
    places.extend([
        format!("/usr/lib/debug/boot/vmlinux-{release}").into(),
        format!("/usr/lib/debug/lib/modules/{release}/vmlinux").into(),
        format!("/usr/lib/debug/boot/vmlinux-{release}.debug").into(),
        format!("/boot/vmlinux-{release}").into(),
        format!("/lib/modules/{release}/build/vmlinux").into(),
    ]);
    places
}

fn cached(kernel: &Kernel) -> PathBuf {
    format!("{CACHE}/{}.btf", kernel.release).into()
}

/// The BTF of a file, if the file exists; converted BTF is kept for the next time.
fn used(
    path: &Path,
    kernel: &Kernel,
    files: &impl Files,
) -> Result<Option<Arc<Btf<'static>>>, Fault> {
    let Some(bytes) = existing(path, files)? else {
        return Ok(None);
    };
    if path == own() {
        return Ok(Some(Arc::new(Btf::read(bytes)?)));
    }
    let candidate = Candidate::of(bytes, kernel)?;
    let kept = candidate.is_converted.then(|| candidate.bytes.clone());
    let btf = candidate.read(kernel)?;
    if let Some(bytes) = kept {
        // Whoever may not write there converts each time.
        let _ = files.replace(&cached(kernel), &bytes);
    }
    Ok(Some(btf))
}

fn existing(path: &Path, files: &impl Files) -> io::Result<Option<Vec<u8>>> {
    match files.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
