//! A guest as its build left it: `guest.json`, read and checked.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::error::HostError;
use crate::guest::emulator::{self, Version};
use crate::guest::lock::{self, Share};
use crate::guest::machine::{self, Machine};
use crate::guest::tape::Tape;
use crate::judge::normalise::Facts;
use crate::run::plan::Target;
use crate::scenario::{Clock, Cpus, Names, Processor};
use crate::tree::Tree;

const SCHEMA: u32 = 4;

/// A built guest.
#[derive(Debug, Clone, Deserialize)]
pub struct Image {
    schema: u32,
    /// Its name.
    pub guest: String,
    /// The machine table's key.
    pub machine: String,
    /// As QEMU's `-m` takes it.
    pub memory: String,
    /// How many CPUs it boots with.
    pub cpus: u8,
    /// The kernel, as QEMU loads it.
    pub kernel: PathBuf,
    /// The initial file system.
    pub initrd: PathBuf,
    /// The device tree, where the machine wants one.
    pub dtb: Option<PathBuf>,
    /// The kernel's command line.
    pub append: String,
    /// `uname -r`.
    pub kernel_release: String,
    /// How to get in.
    pub ssh: Keys,
    /// The module, in the guest.
    pub module: String,
    /// The module with seeded defects, in the guest.
    pub mutants_module: String,
    /// What this guest calls things.
    pub names: Names,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// The seeded defects that its mutants' module knows.
    pub mutants: Vec<String>,
    /// What `images/<guest>.yaml` said when it was built.
    #[serde(default)]
    pub description: String,
    /// The sums of the kernel, the initial file system and the device tree.
    pub content: String,
    /// Which of the machine's processors it boots with; not a thing of the build.
    #[serde(skip)]
    pub processor: Processor,
    /// How its time is counted and its randomness made; not a thing of the build either.
    #[serde(skip)]
    pub clockwork: Clockwork,
    /// The QEMU that this host boots it with.
    #[serde(skip)]
    pub emulator: Version,
    /// Keeps `cargo xtask` from building another one under whoever uses this one.
    #[serde(skip)]
    _lock: Option<Arc<File>>,
}

/// What makes the moments of a guest come back.
#[derive(Debug, Clone, Default)]
pub struct Clockwork {
    /// `-icount shift=N`.
    pub shift: Option<u8>,
    /// `-seed N`.
    pub seed: Option<u64>,
    /// What is recorded or replayed.
    pub tape: Option<Tape>,
}

impl Clockwork {
    /// Whether its time is a count of instructions.
    pub fn is_counting(&self) -> bool {
        self.shift.is_some() || self.tape.is_some()
    }
}

/// What an ssh connection to the guest needs.
#[derive(Debug, Clone, Deserialize)]
pub struct Keys {
    /// Whom to log in as.
    pub user: String,
    /// The key that the guest lets in.
    pub private_key: PathBuf,
    /// Its public half.
    pub public_key: PathBuf,
    /// The key that the guest must prove to have: `ssh-ed25519 AAAA...`.
    pub host_key: String,
}

impl Image {
    /// Reads what the build of `guest` says; no other build takes its place while this is kept.
    pub fn read(tree: &Tree, guest: &str) -> Result<Self, HostError> {
        let path = tree.guest_json(guest);
        let none = || HostError::NoImage {
            guest: guest.to_owned(),
            path: path.clone(),
        };
        if !path.exists() {
            return Err(none());
        }
        let lock = lock_of(&tree.guest_dir(guest))?;
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => none(),
            _ => HostError::file("read", &path)(error),
        })?;
        let image = Self::parse(&text).map_err(|what| HostError::BadImage {
            guest: guest.to_owned(),
            path,
            what,
        })?;
        let _lock = Some(Arc::new(lock));
        let machine = image.machine();
        let emulator = machine.map_or(Version::default(), |machine| {
            emulator::version(machine.program)
        });
        let image = Self {
            emulator,
            _lock,
            ..image
        };
        Ok(image.in_folder(&tree.guest_dir(guest)))
    }

    /// The same with its files where they are; they are written as seen from their description,
    /// so that a guest can be moved.
    fn in_folder(mut self, folder: &Path) -> Self {
        let ssh = &mut self.ssh;
        let keys = [&mut ssh.private_key, &mut ssh.public_key];
        let files = [&mut self.kernel, &mut self.initrd].into_iter().chain(keys);
        for path in files.chain(&mut self.dtb) {
            *path = folder.join(&*path);
        }
        self
    }

    fn parse(text: &str) -> Result<Self, String> {
        let image: Self = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if image.schema != SCHEMA {
            return Err(format!("schema {} where {SCHEMA} is known", image.schema));
        }
        match image.machine() {
            Some(_) => Ok(image),
            None => Err(format!("no machine `{}` is known", image.machine)),
        }
    }

    /// The machine that it boots on; there is one once it was read.
    pub fn machine(&self) -> Option<&'static Machine> {
        machine::find(&self.machine)
    }

    /// An error unless the host has what it takes to boot it.
    pub fn check_host(&self, guest: &str) -> Result<(), HostError> {
        emulator::find("setpriv", "apt-get install util-linux")?;
        if let Some(machine) = self.machine() {
            emulator::find(machine.program, machine.remedy)?;
        }
        let ssh = &self.ssh;
        let files = [
            &self.kernel,
            &self.initrd,
            &ssh.private_key,
            &ssh.public_key,
        ];
        match files
            .into_iter()
            .chain(&self.dtb)
            .find(|path| !path.exists())
        {
            None => Ok(()),
            Some(path) => Err(HostError::NoImage {
                guest: guest.to_owned(),
                path: path.clone(),
            }),
        }
    }

    /// The same with the CPUs that a scenario wants.
    pub fn with_cpus(self, wanted: Option<Cpus>, processor: Processor) -> Self {
        let cpus = wanted.map_or(self.cpus, Cpus::count);
        Self {
            cpus,
            processor,
            ..self
        }
    }

    /// The same with the words that a scenario adds to the kernel's command line.
    pub fn with_append(mut self, words: Option<&str>) -> Self {
        if let Some(words) = words {
            self.append.push(' ');
            self.append.push_str(words);
        }
        self
    }

    /// The same with the clock that a scenario wants.
    pub fn with_clock(mut self, wanted: Clock) -> Self {
        self.clockwork.shift = wanted.shift();
        self
    }

    /// What a plan wants to know of it.
    pub fn target(&self) -> Target {
        Target {
            guest: self.guest.clone(),
            names: self.names.clone(),
            capabilities: self.capabilities.clone(),
            mutants: self.mutants.clone(),
        }
    }

    /// What normalisation wants to know of it.
    pub fn facts(&self) -> Facts {
        Facts {
            kernel_release: self.kernel_release.clone(),
            names: self.names.clone(),
            disassembler: self.machine().and_then(|machine| machine.disassembler),
        }
    }
}

/// The lock that the build of a guest takes for itself alone.
fn lock_of(folder: &Path) -> Result<File, HostError> {
    let path = folder.join("lock");
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .map_err(HostError::file("open", &path))?;
    lock::take(&file, Share::Readers, folder)?;
    Ok(file)
}

#[cfg(test)]
impl Image {
    /// One that a plan takes for `target`, and that nobody could boot.
    pub fn of(target: &Target) -> Self {
        let text = tests::described(SCHEMA, "raspi0");
        let image = Self::parse(&text).expect("valid");
        Self {
            guest: target.guest.clone(),
            names: target.names.clone(),
            capabilities: target.capabilities.clone(),
            mutants: target.mutants.clone(),
            ..image
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn described(schema: u32, machine: &str) -> String {
        format!(
            r#"{{"schema": {schema}, "guest": "armv6", "machine": "{machine}", "memory": "512M", "cpus": 1,
            "kernel": "k", "initrd": "i", "dtb": "d", "append": "console=x",
            "kernel_release": "6.1.0", "ssh": {{"user": "root", "private_key": "p",
            "public_key": "/q", "host_key": "ssh-ed25519 AAAA"}}, "module": "/m",
            "mutants_module": "/n", "names": {{"a": "b"}}, "capabilities": ["fbt"],
            "mutants": ["m"], "content": "ab"}}"#
        )
    }

    #[test]
    fn a_description_is_understood() {
        let image = Image::parse(&described(4, "raspi0")).expect("valid");
        assert_eq!(image.target().names.expand("${a}").as_deref(), Ok("b"));
        assert_eq!(image.facts().kernel_release, "6.1.0");
        let cpus = |wanted| image.clone().with_cpus(wanted, Processor::Usual).cpus;
        assert_eq!((cpus(None), cpus(serde_yaml::from_str("4").ok())), (1, 4));
    }

    #[test]
    fn files_lie_where_the_description_lies() {
        let image = Image::parse(&described(4, "raspi0")).expect("valid");
        let image = image.in_folder(Path::new("/moved/here"));
        assert_eq!(image.kernel, Path::new("/moved/here/k"));
        assert_eq!(image.initrd, Path::new("/moved/here/i"));
        assert_eq!(image.dtb.as_deref(), Some(Path::new("/moved/here/d")));
        assert_eq!(image.ssh.private_key, Path::new("/moved/here/p"));
        assert_eq!(image.ssh.public_key, Path::new("/q"));
    }

    #[test]
    fn another_schema_or_machine_is_refused_by_name() {
        let refused = |text: &str| Image::parse(text).expect_err("refused");
        assert_eq!(
            refused(&described(2, "raspi0")),
            "schema 2 where 4 is known"
        );
        assert_eq!(refused(&described(4, "vax")), "no machine `vax` is known");
        assert!(refused("{}").contains("missing field `schema`"));
    }
}
