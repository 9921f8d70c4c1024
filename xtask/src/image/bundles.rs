//! `<bundle>.cpio`: programs that only some scenarios need. Those copy the archive into the guest and
//! unpack it, so that it costs the others neither memory nor time.

use std::path::PathBuf;

use crate::error::{At, Result};
use crate::files;
use crate::guest::{Bundle, Guest};
use crate::image::base;
use crate::image::initramfs::Archive;
use crate::image::inputs::Inputs;
use crate::image::stamp::unless_current;
use crate::progress::Step;

/// Makes the archives of all bundles.
pub fn make(guest: &Guest, debs: &[PathBuf]) -> Result<()> {
    for (name, bundle) in &guest.bundles {
        let archive = guest.dir().join(format!("{name}.cpio"));
        let mut inputs = Inputs::of_step("image::bundles");
        inputs.add(format!("{:?} {:?} {bundle:?}", guest.programs, guest.files));
        inputs.add_named(debs);
        unless_current(
            &guest.dir(),
            name,
            inputs,
            std::slice::from_ref(&archive),
            || {
                let step = Step::begin(format!("{}: {name}", guest.name));
                let bytes = collect(guest, bundle, debs)?
                    .into_bytes()
                    .at("write", &archive)?;
                files::write(&archive, &bytes)?;
                step.done();
                Ok(())
            },
        )?;
    }
    Ok(())
}

/// What the bundle has and the root has not: the libraries that the guest runs on stay as they are.
fn collect(guest: &Guest, bundle: &Bundle, debs: &[PathBuf]) -> Result<Archive> {
    let root = base::choose(debs, &guest.programs, &guest.files)?;
    let mut chosen = base::choose(debs, &bundle.programs, &bundle.files)?;
    chosen.retain(|path, _| !root.contains_key(path));
    let mut archive = Archive::default();
    for (path, kind) in chosen {
        archive.member(&path, kind);
    }
    Ok(archive)
}
