//! `trial`: installs, uses and removes the packages in a guest with a whole userland of Debian or Ubuntu, as
//! its owner would. The guest has no network: what apt installs there is in apt's cache.

use std::fs;
use std::path::PathBuf;

use clap::ValueEnum;
use xshell::cmd;

use crate::deb;
use crate::error::{Error, Result};
use crate::files::{self, Lock, workspace_root};
use crate::guest::Guest;
use crate::host;
use crate::image::archive::Archive;
use crate::needs;
use crate::progress::{Step, say};
use crate::run;

/// What runs in the guest. Its last line on the console is `trial: passed` or `trial: failed`.
const SCRIPT: &str = include_str!("trial/guest.sh");

/// Starts [`SCRIPT`] when the guest is up, and ends the guest.
const SERVICE: &str = include_str!("trial/trial.service");

/// Packages that an installed system has before the trial.
const SYSTEM: &str = "apt,systemd-sysv,udev,dbus,kmod,procps,zstd,initramfs-tools,man-db";

/// The hook that puts into apt's cache what the script installs, and the names of both further kernels into
/// a file for it. The arguments are those of [`Kernels`]. It calls the host's apt, as mmdebstrap has set it up: the
/// guest's does not know the certificates of the host's mirrors.
const FETCH: &str = concat!("sh -ec '", include_str!("trial/fetch.sh"), "' fetch \"$1\"");

/// The kernels of a distribution, each without `linux-image-` in front.
struct Kernels {
    running: &'static str,
    /// Another that the module is built for.
    another: &'static str,
    /// One that the module refuses.
    refused: &'static str,
}

/// The packages' files.
const PACKAGES: [&str; 2] = ["trapline.deb", "trapline-dkms.deb"];

/// The guest's disk.
const DISK: &str = "10G";

/// Boots the guest; the kernel's own command line is to follow. QEMU ends with timeout(1), and that with
/// xtask. Without KVM, the module's two builds take half an hour on an idle host.
const BOOT: &str = "setpriv --pdeathsig TERM timeout --foreground 100m setpriv --pdeathsig KILL \
    qemu-system-x86_64 -accel tcg,thread=multi -machine q35 -cpu max -smp 2 -m 2G \
    -nodefaults -display none -no-reboot -serial file:console.log \
    -drive file=disk.ext2,format=raw,if=virtio,cache=unsafe \
    -kernel vmlinuz -initrd initrd.img -append";

/// The release, and where its kernel is from.
#[derive(Clone, Copy, ValueEnum)]
pub enum Suite {
    /// Debian 12
    Bookworm,
    /// Debian 12 with the kernel of its backports
    BookwormBackports,
    /// Debian 13
    Trixie,
    /// Debian 13 with the kernel of its backports
    TrixieBackports,
    /// Ubuntu 24.04
    Noble,
    /// Ubuntu 24.04 with the kernel of a later release
    NobleHwe,
}

impl Suite {
    fn name(self) -> &'static str {
        match self {
            Self::Bookworm => "bookworm",
            Self::BookwormBackports => "bookworm-backports",
            Self::Trixie => "trixie",
            Self::TrixieBackports => "trixie-backports",
            Self::Noble => "noble",
            Self::NobleHwe => "noble-hwe",
        }
    }

    fn release(self) -> &'static str {
        let name = self.name();
        name.split_once('-').map_or(name, |(release, _)| release)
    }

    fn backports(self) -> Option<&'static str> {
        self.name().ends_with("-backports").then(|| self.name())
    }

    fn kernels(self) -> Kernels {
        let (running, another, refused) = match self {
            Self::Noble => ("virtual", "aws", "realtime"),
            Self::NobleHwe => ("virtual-hwe-24.04", "aws", "realtime"),
            _ => ("amd64", "cloud-amd64", "rt-amd64"),
        };
        Kernels {
            running,
            another,
            refused,
        }
    }
}

/// Makes the packages and the guest, and runs the trial in it.
pub fn run(suite: Suite) -> Result<()> {
    let guest = Guest::load("x86_64")?;
    let mut needs = needs::of_trial(suite.release());
    needs.extend(needs::of_guest(&guest));
    host::ensure(&needs)?;
    let dir = workspace_root().join("target/trial").join(suite.name());
    files::create_dir(&dir)?;
    let _lock = Lock::take(&dir)?;
    let trial = Trial { suite, dir };
    deb::build_both(&guest, |packages| trial.take_packages(packages))?;
    trial.make_disk()?;
    trial.boot()
}

/// A trial, with the folder of its files.
struct Trial {
    suite: Suite,
    dir: PathBuf,
}

impl Trial {
    /// Copies both packages, whose names have the version.
    fn take_packages(&self, packages: &[PathBuf; 2]) -> Result<()> {
        for (package, name) in packages.iter().zip(PACKAGES) {
            files::write(&self.dir.join(name), &files::read(package)?)?;
        }
        Ok(())
    }

    /// The guest's disk, with the packages in `/root` and with what they depend on in apt's cache.
    fn make_disk(&self) -> Result<()> {
        let name = self.suite.name();
        let step = Step::begin(format!("{name}: the guest's system"));
        files::write_with_mode(&self.dir.join("trial"), SCRIPT.as_bytes(), 0o755)?;
        files::write(&self.dir.join("trial.service"), SERVICE.as_bytes())?;
        let release = self.suite.release();
        let backports = self.suite.backports();
        let archive = Archive::require(release)?.with_suites(backports.as_slice());
        files::write(
            &self.dir.join("sources.list"),
            archive.source_list().as_bytes(),
        )?;
        files::write(
            &self.dir.join("preferences"),
            archive.preferences().as_bytes(),
        )?;
        let Kernels {
            running,
            another,
            refused,
        } = self.suite.kernels();
        let kernel = format!("linux-image-{running}");
        let kernel = match backports {
            Some(suite) => format!("{kernel}/{suite}"),
            None => kernel,
        };
        let hooks = [
            "copy-in trapline.deb trapline-dkms.deb /root".into(),
            "copy-in trial /usr/local/sbin".into(),
            "copy-in trial.service /etc/systemd/system".into(),
            in_guest("systemctl enable trial.service"),
            // A login prompt is printed between the lines of the trial.
            in_guest("systemctl mask serial-getty@ttyS0.service getty@tty1.service"),
            // The default level takes minutes in the guest.
            in_guest("echo COMPRESSLEVEL=1 >/etc/initramfs-tools/conf.d/trial"),
            format!("{FETCH} {another} {refused}"),
            in_guest("ln -sf boot/vmlinuz-* /vmlinuz; ln -sf boot/initrd.img-* /initrd.img"),
            "download /vmlinuz vmlinuz".into(),
            "download /initrd.img initrd.img".into(),
        ]
        .map(|hook| format!("--customize-hook={hook}"));
        let sh = run::shell()?;
        sh.change_dir(&self.dir);
        let options = [
            "--variant=minbase",
            "--architectures=amd64",
            "--skip=cleanup/apt",
            "--setup-hook=mkdir -p \"$1/etc/apt/preferences.d\"",
            "--setup-hook=copy-in preferences /etc/apt/preferences.d",
        ];
        let disk = cmd!(
            sh,
            "mmdebstrap {options...} --include={SYSTEM},{kernel} {hooks...} {release} disk.ext2 sources.list"
        );
        run::quietly(&step, disk)?;
        run::quietly(&step, cmd!(sh, "truncate -s {DISK} disk.ext2"))?;
        run::quietly(&step, cmd!(sh, "/usr/sbin/resize2fs disk.ext2"))?;
        step.done();
        Ok(())
    }

    /// Boots the guest, which ends with the trial.
    fn boot(&self) -> Result<()> {
        let step = Step::begin(format!("{}: the trial", self.suite.name()));
        let console = self.dir.join("console.log");
        // What an earlier trial printed is not this one's.
        let _ = fs::remove_file(&console);
        let sh = run::shell()?;
        sh.change_dir(&self.dir);
        let append = "root=/dev/vda rw console=ttyS0 loglevel=1 panic=-1 systemd.show_status=false";
        let mut words = BOOT.split_whitespace();
        let qemu = sh.cmd(words.next().unwrap_or_default());
        let qemu = qemu.args(words).arg(append);
        let ran = run::quietly(&step, qemu);
        let text = fs::read(&console).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines = reports(&text);
        for line in &lines {
            say!("{line}");
        }
        ran?;
        if lines.last() != Some(&"trial: passed") {
            return Err(Error::Content {
                path: console,
                why: "the trial did not pass; it precedes the line of each step that failed with \
                      what that printed"
                    .into(),
            });
        }
        step.done();
        Ok(())
    }
}

/// The hook that runs a command in the guest's system.
fn in_guest(command: &str) -> String {
    format!("chroot \"$1\" sh -c '{command}'")
}

/// The lines that the script prints of its steps; that a step begins only if it is the last to.
fn reports(console: &str) -> Vec<&str> {
    let lines = console.lines().map(str::trim_end);
    let mut lines: Vec<_> = lines.filter(|line| line.starts_with("trial: ")).collect();
    let last = lines.pop();
    lines.retain(|line| !line.starts_with("trial: begins "));
    lines.extend(last);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_the_lines_that_begin_as_such() {
        let console = "[ 1.0] booted\r\ntrial: begins it loads\r\ntrial: ok it loads\r\nnoise trial: x\r\n\
            trial: begins it ends\r\n";
        let hangs = ["trial: ok it loads", "trial: begins it ends"];
        assert_eq!(reports(console), hangs);
        let ended = format!("{console}trial: FAILED it ends\ntrial: failed\n");
        let ended_as = [
            "trial: ok it loads",
            "trial: FAILED it ends",
            "trial: failed",
        ];
        assert_eq!(reports(&ended), ended_as);
        assert!(reports("").is_empty());
    }
}
