//! `install`: what the packages consist of, below a prefix, for distributions without packages.

use std::env;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::Args;
use rustix::fs::Mode;
use rustix::process::geteuid;

use crate::dist;
use crate::error::{At, Error, Result};
use crate::files::{self, Lock, workspace_root};
use crate::guest::Guest;
use crate::image;
use crate::progress::say;

/// Options of the installation.
#[derive(Args)]
pub struct Install {
    /// The guest for whose architecture it is [default: one of this host's]
    guest: Option<String>,
    /// Where it will be used
    #[arg(long, value_name = "FOLDER", default_value = "/usr/local")]
    prefix: PathBuf,
    /// Write below this folder, which is to be copied to `/` later
    #[arg(long, value_name = "FOLDER", default_value = "/")]
    root: PathBuf,
}

/// The places, below the prefix, of what [`dist::lay_out`] makes. `@` is the version.
const PLACES: [(&str, &str); 8] = [
    ("dtrace", "sbin/dtrace"),
    ("dtrace.8", "share/man/man8/dtrace.8"),
    (
        "completions/dtrace",
        "share/bash-completion/completions/dtrace",
    ),
    ("completions/_dtrace", "share/zsh/site-functions/_dtrace"),
    (
        "completions/dtrace.fish",
        "share/fish/vendor_completions.d/dtrace.fish",
    ),
    ("doc", "share/doc/trapline/doc"),
    ("examples", "share/doc/trapline/examples"),
    ("module", "src/trapline-@"),
];

impl Install {
    /// Builds everything and installs it; says how to build the module.
    pub fn exec(&self) -> Result<()> {
        if !self.prefix.is_absolute() {
            let prefix = self.prefix.display();
            return Err(Error::Usage(format!(
                "--prefix {prefix}: not an absolute path"
            )));
        }
        let root_is_hosts = self.root == Path::new("/");
        let guest = Guest::load(self.guest.as_deref().unwrap_or(OF_HOST))?;
        if root_is_hosts && guest.build.kernel_arch != kernel_arch() {
            let name = &guest.name;
            let why = format!("{name} is of another architecture than this host: give --root");
            return Err(Error::Usage(why));
        }
        // Everybody may read what root installs, whatever root's umask is for other files.
        rustix::process::umask(Mode::from_raw_mode(0o022));
        if !root_is_hosts {
            refuse_others(&self.root)?;
        }
        let probe = below(&self.root, &self.prefix);
        files::create_dir(&probe)?;
        files::scratch_dir(&probe)?;
        // The command is the guest's.
        image::build(&guest, false)?;
        let folder = workspace_root().join("target/install");
        let _lock = Lock::take(&folder)?;
        let version = dist::version()?;
        let made = folder.join(format!("trapline-{version}"));
        files::remove_dir(&made)?;
        dist::lay_out(&guest, &version, &made)?;
        self.redirect_examples(&made.join("examples"))?;
        for (from, to) in PLACES {
            let place = self.prefix.join(to.replace('@', &version));
            copy(&made.join(from), &below(&self.root, &place))?;
            say!("{}", below(&self.root, &place).display());
        }
        let sources = self.prefix.join(format!("src/trapline-{version}"));
        let sources = sources.display();
        say!("the module, with DKMS: dkms install {sources}");
        say!(
            "or, for the running kernel alone: make -C /lib/modules/$(uname -r)/build M={sources} \
             KCFLAGS=-DTRAPLINE_VERSION={version} INSTALL_MOD_DIR=updates clean modules modules_install && depmod"
        );
        Ok(())
    }

    /// Has the examples, which name the packages' command, name the installed one.
    fn redirect_examples(&self, examples: &Path) -> Result<()> {
        let command = self.prefix.join("sbin/dtrace");
        for file in files::walk(examples, &[])? {
            let text = String::from_utf8_lossy(&files::read(&file)?).into_owned();
            let text = text.replacen("#!/usr/sbin/dtrace", &format!("#!{}", command.display()), 1);
            files::write_with_mode(&file, text.as_bytes(), 0o755)?;
        }
        Ok(())
    }
}

/// The guest of this host's architecture; armv7's programs run on 32-bit ARM hosts of today.
const OF_HOST: &str = match env::consts::ARCH.as_bytes() {
    b"aarch64" => "arm64",
    b"arm" => "armv7",
    _ => "x86_64",
};

/// This host's architecture as the kernel's build has it.
fn kernel_arch() -> &'static str {
    match env::consts::ARCH {
        "aarch64" => "arm64",
        "x86_64" => "x86",
        other => other,
    }
}

/// Refuses a folder that others can write to, as all that it has will become root's.
fn refuse_others(root: &Path) -> Result<()> {
    let found = match root.symlink_metadata() {
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(()),
        found => found.at("read", root)?,
    };
    if found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    let root = root.display();
    let why = format!("--root {root}: give a new folder, or one that only you can write to");
    Err(Error::Usage(why))
}

/// An absolute path below another root.
fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// Copies a file, or a folder with its files; keeps what is executable so.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        return copy_file(from, to);
    }
    // Of an earlier installation there may be files that are gone.
    files::remove_dir(to)?;
    for file in files::walk(from, &[])? {
        copy_file(&file, &to.join(file.strip_prefix(from).unwrap_or(&file)))?;
    }
    Ok(())
}

/// Copies a file; it is executable if the original is.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    let is_executable = from.metadata().at("read", from)?.mode() & 0o111 != 0;
    let mode = if is_executable { 0o755 } else { 0o644 };
    files::write_with_mode(to, &files::read(from)?, mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_lies_below_the_other_root() {
        let place = below(Path::new("/tmp/root"), Path::new("/usr/local/sbin/dtrace"));
        assert_eq!(place, Path::new("/tmp/root/usr/local/sbin/dtrace"));
        assert_eq!(below(Path::new("/"), Path::new("/usr")), Path::new("/usr"));
    }

    #[test]
    fn a_root_is_ones_own() {
        let dir = tempfile::tempdir().unwrap();
        let [new, own, open, link] = ["new", "own", "open", "link"].map(|it| dir.path().join(it));
        assert!(refuse_others(&new).is_ok());
        for folder in [&own, &open] {
            files::create_dir(folder).unwrap();
        }
        rustix::fs::chmod(&own, Mode::from_raw_mode(0o755)).unwrap();
        assert!(refuse_others(&own).is_ok());
        rustix::fs::chmod(&open, Mode::from_raw_mode(0o777)).unwrap();
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert!(refuse_others(&link).is_err());
        let why = refuse_others(&open).unwrap_err().to_string();
        assert!(why.contains("open: give a new folder"), "{why}");
    }

    #[test]
    fn an_example_names_the_installed_command() {
        let dir = tempfile::tempdir().unwrap();
        let example = dir.path().join("a.d");
        files::write(&example, b"#!/usr/sbin/dtrace -s\nBEGIN {}\n").unwrap();
        let install = Install {
            guest: None,
            prefix: "/opt".into(),
            root: "/".into(),
        };
        install.redirect_examples(dir.path()).unwrap();
        let text = files::read(&example).unwrap();
        assert_eq!(text, b"#!/opt/sbin/dtrace -s\nBEGIN {}\n");
    }

    #[test]
    fn a_folder_replaces_what_was_there_and_keeps_what_is_executable() {
        let dir = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| dir.path().join(name));
        files::write_with_mode(&from.join("a/run"), b"x", 0o755).unwrap();
        files::write(&from.join("text"), b"y").unwrap();
        files::write(&to.join("gone"), b"z").unwrap();
        copy(&from, &to).unwrap();
        let mode = |name: &str| to.join(name).metadata().unwrap().mode() & 0o777;
        assert_eq!((mode("a/run"), mode("text")), (0o755, 0o644));
        assert!(!to.join("gone").exists());
    }
}
