//! `guest.json`: all that the harness must know to boot a guest and log in to it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::boot::Boot;
use crate::error::Result;
use crate::files;
use crate::guest::Guest;
use crate::keys::Keys;

/// Where our module lies inside a guest.
pub const MODULE: &str = "/lib/trapline/trapline.ko";
/// Where the module with seeded defects lies inside a guest.
pub const MUTANTS_MODULE: &str = "/lib/trapline/trapline-mutants.ko";

const SCHEMA: u32 = 2;

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
}

#[derive(Serialize)]
struct Ssh<'a> {
    user: &'static str,
    private_key: &'a Path,
    public_key: &'a Path,
    host_key: &'a str,
}

/// Writes the manifest if it would say something else than it does.
pub fn write(
    guest: &Guest,
    boot: &Boot,
    initrd: &Path,
    keys: &Keys,
    kernel_release: &str,
) -> Result<()> {
    let ssh = Ssh {
        user: "root",
        private_key: &keys.private,
        public_key: &keys.public,
        host_key: &keys.host_public,
    };
    let manifest = Manifest {
        schema: SCHEMA,
        guest: &guest.name,
        machine: &guest.machine,
        memory: &guest.memory,
        cpus: guest.cpus,
        kernel: &boot.kernel,
        initrd,
        dtb: boot.dtb.as_deref(),
        append: &guest.kernel.append,
        kernel_release,
        ssh,
        module: MODULE,
        mutants_module: MUTANTS_MODULE,
        names: &guest.names,
        capabilities: &guest.capabilities,
        mutants: &guest.mutants,
    };
    let text =
        serde_json::to_vec_pretty(&manifest).expect("strings and maps of strings are always JSON");
    let path = guest.dir().join("guest.json");
    if files::read(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    files::write(&path, &text)
}
