//! The modules that scenarios load and trace: a folder each in `harness/modules`, whose `Kbuild`
//! makes `trapline-<folder>.ko`.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files::{self, workspace_root};
use crate::guest::Guest;
use crate::image::inputs::Inputs;
use crate::image::kbuild;
use crate::image::stamp::unless_current;
use crate::progress::Step;

const FOLDER: &str = "harness/modules";

/// Builds all of them for a guest. Returns each path inside the guest with the file to put there.
pub fn make_all(guest: &Guest, headers: &Path) -> Result<Vec<(String, PathBuf)>> {
    let folders = files::folders(&workspace_root().join(FOLDER))?;
    folders.iter().map(|f| make(guest, headers, f)).collect()
}

fn make(guest: &Guest, headers: &Path, sources: &Path) -> Result<(String, PathBuf)> {
    let folder = sources.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("trapline-{folder}");
    let file = format!("{name}.ko");
    let dir = guest.dir();
    let module = dir.join(&file);
    let mut inputs = Inputs::of_step("image::test_module");
    inputs.add(format!("{:?}", guest.build));
    inputs.add_stamp(&dir, "headers");
    for source in files::walk(sources, &[])? {
        inputs.add_file(&source)?;
    }
    unless_current(&dir, &name, inputs, std::slice::from_ref(&module), || {
        let step = Step::begin(format!("{}: {file}", guest.name));
        let build = dir.join("build").join(&name);
        kbuild::copy(sources, &build)?;
        kbuild::compile(&step, guest, headers, &build, "")?;
        files::write(&module, &files::read(&build.join(&file))?)?;
        step.done();
        Ok(())
    })?;
    Ok((format!("/lib/trapline/{file}"), module))
}
