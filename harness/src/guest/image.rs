//! A built guest: `guest.json`, parsed and checked.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::error::HostError;
use crate::guest::emulator::{self, Version};
use crate::guest::execution_log::ExecutionLog;
use crate::guest::lock::{self, Share};
use crate::guest::machine::{self, Machine};
use crate::guest::recording::Recording;
use crate::judge::normalise::Facts;
use crate::run::plan::Target;
use crate::scenario::{Clock, Cpus, Names, Processor, Scenario};
use crate::tree::Tree;

const SCHEMA: u32 = 4;

/// A built guest.
#[derive(Debug, Clone, Deserialize)]
pub struct Image {
    schema: u32,
    /// The guest's name.
    pub guest: String,
    /// The key in the machine table.
    pub machine: String,
    /// Memory size, in the syntax of QEMU's `-m`.
    pub memory: String,
    /// Number of CPUs.
    pub cpus: u8,
    /// The kernel, as QEMU loads it.
    pub kernel: PathBuf,
    /// The initramfs.
    pub initrd: PathBuf,
    /// The device tree blob, if the machine needs one.
    pub dtb: Option<PathBuf>,
    /// The kernel command line.
    pub append: String,
    /// `uname -r`.
    pub kernel_release: String,
    /// The login, for `shell`.
    pub ssh: Keys,
    /// Path of the module in the guest.
    pub module: String,
    /// Path of the module with seeded defects in the guest.
    pub mutants_module: String,
    /// This guest's names for functions and the like, as scenarios refer to them.
    pub names: Names,
    /// Capabilities, which scenarios may require.
    pub capabilities: Vec<String>,
    /// The seeded defects compiled into the mutants' module.
    pub mutants: Vec<String>,
    /// The text of `images/<guest>.yaml` at build time.
    #[serde(default)]
    pub description: String,
    /// Checksums of the kernel, the initramfs and the device tree.
    pub content: String,
    /// The CPU model; chosen by the job, not by the build.
    #[serde(skip)]
    pub processor: Processor,
    /// Whether text is replaced while another CPU may execute it; chosen by the job, not by the build.
    #[serde(skip)]
    pub cross_modifying: bool,
    /// Virtual clock, seed and recording; chosen by the job, not by the build.
    #[serde(skip)]
    pub clockwork: Clockwork,
    /// QEMU's record of what processes execute; chosen by the job, not by the build.
    #[serde(skip)]
    pub execution_log: Option<ExecutionLog>,
    /// The version of the host's QEMU.
    #[serde(skip)]
    pub emulator: Version,
    /// Shared lock that keeps `cargo xtask` from replacing the image while it is in use.
    #[serde(skip)]
    _lock: Option<Arc<File>>,
}

/// What makes a guest's timing reproducible.
#[derive(Debug, Clone, Default)]
pub struct Clockwork {
    /// `-icount shift=N`.
    pub shift: Option<u8>,
    /// `-seed N`, and the seed of the guest's entropy pool.
    pub seed: Option<u64>,
    /// The recording that is made or replayed.
    pub recording: Option<Recording>,
}

impl Clockwork {
    /// Whether virtual time counts instructions (`-icount`).
    pub fn is_counting(&self) -> bool {
        self.shift.is_some() || self.recording.is_some()
    }
}

/// The credentials of an ssh connection.
#[derive(Debug, Clone, Deserialize)]
pub struct Keys {
    /// The user.
    pub user: String,
    /// The private key of the client.
    pub private_key: PathBuf,
    /// Its public half.
    pub public_key: PathBuf,
    /// The guest's host key: `ssh-ed25519 AAAA...`.
    pub host_key: String,
}

impl Image {
    /// Reads `guest.json` and takes a shared lock, so that no build replaces the image while the
    /// result or a clone lives.
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

    /// Makes paths absolute: `guest.json` has them relative to its own folder, so that a built
    /// guest can be moved.
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
            return Err(format!("schema {}, expected {SCHEMA}", image.schema));
        }
        match image.machine() {
            Some(_) => Ok(image),
            None => Err(format!("unknown machine `{}`", image.machine)),
        }
    }

    /// The machine table's row; present for every image that was read.
    pub fn machine(&self) -> Option<&'static Machine> {
        machine::find(&self.machine)
    }

    /// Checks that QEMU, setpriv and the image's files exist.
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

    /// Applies what a scenario wants of the machine.
    pub fn with_wishes(self, scenario: &Scenario) -> Self {
        let image = Self {
            cross_modifying: scenario.cross_modifying,
            ..self
        };
        image
            .with_cpus(scenario.cpus, scenario.processor)
            .with_append(scenario.append.as_deref())
            .with_clock(scenario.clock.unwrap_or_default())
    }

    /// Applies a scenario's number of CPUs and CPU model.
    pub fn with_cpus(self, wanted: Option<Cpus>, processor: Processor) -> Self {
        let cpus = wanted.map_or(self.cpus, Cpus::count);
        Self {
            cpus,
            processor,
            ..self
        }
    }

    /// Appends a scenario's words to the kernel command line.
    pub fn with_append(mut self, words: Option<&str>) -> Self {
        if let Some(words) = words {
            self.append.push(' ');
            self.append.push_str(words);
        }
        self
    }

    /// Applies a scenario's clock.
    pub fn with_clock(mut self, wanted: Clock) -> Self {
        self.clockwork.shift = wanted.shift();
        self
    }

    /// The part that planning needs.
    pub fn target(&self) -> Target {
        Target {
            guest: self.guest.clone(),
            names: self.names.clone(),
            capabilities: self.capabilities.clone(),
            mutants: self.mutants.clone(),
        }
    }

    /// The part that normalisation needs.
    pub fn facts(&self) -> Facts {
        Facts {
            kernel_release: self.kernel_release.clone(),
            names: self.names.clone(),
            disassembler: self.machine().and_then(|machine| machine.disassembler),
        }
    }
}

/// Takes the lock that a build of the guest takes exclusively.
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
    /// For tests: an image that plans like `target` and cannot be booted.
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
    fn description_is_parsed() {
        let image = Image::parse(&described(4, "raspi0")).expect("valid");
        assert_eq!(image.target().names.expand("${a}").as_deref(), Ok("b"));
        assert_eq!(image.facts().kernel_release, "6.1.0");
        let cpus = |wanted| image.clone().with_cpus(wanted, Processor::Usual).cpus;
        assert_eq!((cpus(None), cpus(serde_yaml::from_str("4").ok())), (1, 4));
    }

    #[test]
    fn paths_are_relative_to_the_description() {
        let image = Image::parse(&described(4, "raspi0")).expect("valid");
        let image = image.in_folder(Path::new("/moved/here"));
        assert_eq!(image.kernel, Path::new("/moved/here/k"));
        assert_eq!(image.initrd, Path::new("/moved/here/i"));
        assert_eq!(image.dtb.as_deref(), Some(Path::new("/moved/here/d")));
        assert_eq!(image.ssh.private_key, Path::new("/moved/here/p"));
        assert_eq!(image.ssh.public_key, Path::new("/q"));
    }

    #[test]
    fn unknown_schema_or_machine_is_refused() {
        let refused = |text: &str| Image::parse(text).expect_err("refused");
        assert_eq!(refused(&described(2, "raspi0")), "schema 2, expected 4");
        assert_eq!(refused(&described(4, "vax")), "unknown machine `vax`");
        assert!(refused("{}").contains("missing field `schema`"));
    }
}
