//! Runs a kernel's build tools with the C library of their own release: the host's may be too old.

use std::path::Path;

use crate::error::{Error, Result};
use crate::files;
use crate::image::elf;

/// Where packages have libraries, and the build tools.
const LIBRARIES: &str = "usr/lib";

/// Replaces each of the build tools in `tree` that is a dynamically linked program by a script, which
/// runs it with the C library in `tree`, if that has one. `tree` will be moved to `place`.
pub fn use_own_libraries(tree: &Path, place: &Path) -> Result<()> {
    let folders = files::folders(&tree.join(LIBRARIES))?;
    let Some(libraries) = folders.iter().find(|dir| dir.join("libc.so.6").exists()) else {
        return Ok(());
    };
    let there = |path: &Path| {
        let path = path.strip_prefix(tree).unwrap_or(path);
        place.join(path).display().to_string()
    };
    let is_tools = |dir: &&Path| {
        dir.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("linux-kbuild-"))
    };
    for dir in folders.iter().map(|dir| dir.as_path()).filter(is_tools) {
        for program in files::walk(dir, &[])? {
            let linkage = elf::linkage(&files::read(&program)?).map_err(|why| Error::Content {
                path: program.clone(),
                why: why.to_string(),
            })?;
            let Some(loader) = linkage.interpreter else {
                continue;
            };
            let linked = program.with_extension("linked");
            files::rename(&program, &linked)?;
            let script = format!(
                "#!/bin/sh\nexec '{}' --library-path '{}' '{}' \"$@\"\n",
                there(&tree.join(format!("usr{loader}"))),
                there(libraries),
                there(&linked),
            );
            files::write_with_mode(&program, script.as_bytes(), 0o755)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;

    use super::*;

    #[test]
    fn linked_programs_become_scripts_only_beside_a_c_library() {
        let dir = tempfile::tempdir().unwrap();
        let tools = dir.path().join("usr/lib/linux-kbuild-1/scripts");
        let program = fs::read(env::current_exe().unwrap()).unwrap();
        files::write(&tools.join("modpost"), &program).unwrap();
        files::write(&tools.join("check.sh"), b"#!/bin/sh\n").unwrap();
        let place = Path::new("/some/place");
        use_own_libraries(dir.path(), place).unwrap();
        assert_eq!(fs::read(tools.join("modpost")).unwrap(), program);

        files::write(&dir.path().join("usr/lib/a-b-c/libc.so.6"), b"").unwrap();
        use_own_libraries(dir.path(), place).unwrap();
        let script = fs::read_to_string(tools.join("modpost")).unwrap();
        let end = " --library-path '/some/place/usr/lib/a-b-c' \
                   '/some/place/usr/lib/linux-kbuild-1/scripts/modpost.linked' \"$@\"\n";
        assert!(
            script.starts_with("#!/bin/sh\nexec '/some/place/usr/lib"),
            "{script}"
        );
        assert!(script.ends_with(end), "{script}");
        assert_eq!(fs::read(tools.join("modpost.linked")).unwrap(), program);
        assert_eq!(fs::read(tools.join("check.sh")).unwrap(), b"#!/bin/sh\n");
    }
}
