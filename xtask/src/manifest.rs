//! `guest.json`: everything that the harness needs to boot a guest and log in to it. Its paths are
//! relative to its own directory, so that a built guest can be moved to another machine.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::error::Result;
use crate::files;
use crate::guest::Guest;
use crate::image::boot::Boot;
use crate::image::keys::Keys;
use crate::image::users::{MANIFEST, withdraw};

/// Path of the module inside a guest.
pub const MODULE: &str = "/lib/trapline/trapline.ko";
/// Path of the mutants module inside a guest.
pub const MUTANTS_MODULE: &str = "/lib/trapline/trapline-mutants.ko";

const SCHEMA: u32 = 4;

#[derive(Serialize)]
struct Manifest<'a> {
    schema: u32,
    guest: &'a str,
    machine: &'a str,
    memory: &'a str,
    cpus: u32,
    kernel: &'a Path,
    initrd: &'a Path,
    dtb: Option<&'a Path>,
    append: &'a str,
    kernel_release: &'a str,
    ssh: Ssh<'a>,
    module: &'static str,
    mutants_module: &'static str,
    names: &'a BTreeMap<String, String>,
    capabilities: &'a [String],
    mutants: &'a [String],
    description: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct Ssh<'a> {
    user: &'static str,
    private_key: &'a Path,
    public_key: &'a Path,
    host_key: &'a str,
}

/// Writes the manifest if it differs from the one on disk, after waiting for the guest's users.
pub fn write(
    guest: &Guest,
    boot: &Boot,
    initrd: &Path,
    keys: &Keys,
    kernel_release: &str,
) -> Result<()> {
    let files = [boot.kernel.as_path(), initrd].into_iter();
    let sums: Result<Vec<_>> = files
        .chain(boot.dtb.as_deref())
        .map(files::sha256)
        .collect();
    let text = text(guest, boot, initrd, keys, kernel_release, &sums?.join(" "));
    let path = guest.dir().join(MANIFEST);
    if files::read(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let _lock = withdraw(&guest.dir())?;
    files::write(&path, &text)
}

/// `content` holds the sums of the files that QEMU loads.
fn text(
    guest: &Guest,
    boot: &Boot,
    initrd: &Path,
    keys: &Keys,
    kernel_release: &str,
    content: &str,
) -> Vec<u8> {
    let dir = guest.dir();
    let ssh = Ssh {
        user: "root",
        private_key: beside(&dir, &keys.private),
        public_key: beside(&dir, &keys.public),
        host_key: &keys.host_public,
    };
    let manifest = Manifest {
        schema: SCHEMA,
        guest: &guest.name,
        machine: &guest.machine,
        memory: &guest.memory,
        cpus: guest.cpus,
        kernel: beside(&dir, &boot.kernel),
        initrd: beside(&dir, initrd),
        dtb: boot.dtb.as_deref().map(|dtb| beside(&dir, dtb)),
        append: &guest.kernel.append,
        kernel_release,
        ssh,
        module: MODULE,
        mutants_module: MUTANTS_MODULE,
        names: &guest.names,
        capabilities: &guest.capabilities,
        mutants: &guest.mutants,
        description: &guest.text,
        content,
    };
    serde_json::to_vec_pretty(&manifest).expect("strings and maps of strings are always JSON")
}

/// A path relative to the manifest.
fn beside<'p>(dir: &Path, path: &'p Path) -> &'p Path {
    path.strip_prefix(dir).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::workspace_root;
    use crate::guest;

    #[test]
    fn no_manifest_says_where_it_was_built() {
        for guest in guest::select("all").unwrap() {
            let dir = guest.dir();
            let boot = Boot {
                kernel: dir.join("kernel"),
                dtb: Some(dir.join("board.dtb")),
                module_order: dir.join("modules/order"),
            };
            let keys = Keys {
                private: dir.join("id"),
                public: dir.join("id.pub"),
                authorized: String::new(),
                host_public: String::new(),
                host_private: Vec::new(),
            };
            let text = text(
                &guest,
                &boot,
                &dir.join("initrd.cpio"),
                &keys,
                "6.1.0",
                "ab",
            );
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains("\"initrd.cpio\""), "{text}");
            assert!(
                !text.contains(&*workspace_root().to_string_lossy()),
                "{text}"
            );
        }
    }
}
