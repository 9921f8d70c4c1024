//! `base.cpio`, the part of a guest's root that does not change with the engine: programs,
//! libraries, kernel modules, keys and /init.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{At, Result};
use crate::files::{self, workspace_root};
use crate::guest::Guest;
use crate::image::boot::Boot;
use crate::image::deb::{self, Kind};
use crate::image::elf;
use crate::image::initramfs::Archive;
use crate::image::inputs::Inputs;
use crate::image::keys::Keys;
use crate::image::rootfs::Pool;
use crate::image::stamp::unless_current;
use crate::progress::Step;

/// Makes the archive and returns its path.
pub fn make(guest: &Guest, debs: &[PathBuf], boot: &Boot, keys: &Keys) -> Result<PathBuf> {
    let dir = guest.dir();
    let archive = dir.join("base.cpio");
    let init = workspace_root().join("images/init");
    let mut inputs = Inputs::of_step("image::base");
    inputs.add_file(&init)?.add_file(&boot.module_order)?;
    inputs.add(format!(
        "{:?} {:?} {} {} {}",
        guest.programs, guest.files, guest.name, guest.line, guest.network.interface
    ));
    inputs.add_named(debs).add_stamp(&dir, "boot");
    inputs.add(&keys.authorized).add(&keys.host_private);
    unless_current(&dir, "base", inputs, std::slice::from_ref(&archive), || {
        let step = Step::begin(format!("{}: programs", guest.name));
        let bytes = collect(guest, debs, boot, keys, &init)?
            .into_bytes()
            .at("write", &archive)?;
        files::write(&archive, &bytes)?;
        step.done();
        Ok(())
    })?;
    Ok(archive)
}

fn collect(
    guest: &Guest,
    debs: &[PathBuf],
    boot: &Boot,
    keys: &Keys,
    init: &Path,
) -> Result<Archive> {
    let mut archive = Archive::default();
    for (path, kind) in choose(debs, &guest.programs, &guest.files)? {
        archive.member(&path, kind);
    }
    let [modules, network_modules] = add_modules(&mut archive, boot)?;
    add_login(&mut archive, keys);
    // The kernel opens /dev/console for /init before anything can mount a /dev.
    archive.character_device("/dev/console", 0o600, 5, 1);
    archive.character_device("/dev/null", 0o666, 1, 3);
    for empty in [
        "/proc",
        "/sys",
        "/run",
        "/sbin",
        "/usr/bin",
        "/usr/sbin",
        "/var/log",
    ] {
        archive.directory(empty, 0o755);
    }
    archive.directory("/tmp", 0o1777);
    let about = format!(
        "name={}\nline={}\nmodules='{modules}'\ninterface={}\nnetwork_modules='{network_modules}'\n",
        guest.name, guest.line, guest.network.interface
    );
    archive.file("/etc/guest", 0o644, about);
    archive.file("/init", 0o755, files::read(init)?);
    Ok(archive)
}

/// The programs of the packages with what they need, and the other files.
pub fn choose(
    debs: &[PathBuf],
    programs: &[String],
    others: &[String],
) -> Result<BTreeMap<String, Kind>> {
    let is_wanted =
        |path: &str| !path.starts_with("/usr/share/") || others.iter().any(|it| it == path);
    let mut members = Vec::new();
    for deb in debs {
        members.extend(deb::members(deb, is_wanted)?);
    }
    let pool = Pool::new(members);
    let mut chosen = pool.closure(programs, elf::linkage)?;
    chosen.extend(pool.files(others)?);
    Ok(chosen)
}

/// Adds the modules. Returns their names in load order, separated by spaces: those to load at boot,
/// and those for the network.
fn add_modules(archive: &mut Archive, boot: &Boot) -> Result<[String; 2]> {
    let order = String::from_utf8_lossy(&files::read(&boot.module_order)?).into_owned();
    for name in order.split_whitespace() {
        let file = format!("{name}.ko");
        let data = files::read(&boot.module_order.with_file_name(&file))?;
        archive.file(&format!("/lib/modules/{file}"), 0o644, data);
    }
    let mut groups = order.lines().map(str::to_owned);
    Ok([(); 2].map(|()| groups.next().unwrap_or_default()))
}

fn add_login(archive: &mut Archive, keys: &Keys) {
    archive.file("/etc/passwd", 0o644, "root:x:0:0:root:/root:/bin/bash\n");
    archive.file("/etc/group", 0o644, "root:x:0:\n");
    archive.file("/etc/shells", 0o644, "/bin/bash\n/bin/sh\n");
    archive.directory("/root", 0o700);
    archive.directory("/root/.ssh", 0o700);
    archive.file(
        "/root/.ssh/authorized_keys",
        0o600,
        format!("{}\n", keys.authorized),
    );
    archive.file("/etc/dropbear/host_key", 0o600, keys.host_private.clone());
}
