//! QEMU's command line for a guest on its machine.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::guest::execution_log::ExecutionLog;
use crate::guest::image::{Clockwork, Image};
use crate::guest::machine::{CROSS_MODIFYING_CODE, Machine, Timer};
use crate::guest::recording::Recording;
use crate::scenario::Processor;

/// How a guest is started.
#[derive(Debug, Clone, Copy)]
pub enum Launch<'a> {
    /// Boot.
    Cold,
    /// Boot, with a network and an ssh server.
    Networked,
    /// Boot, with its memory in this file, shared, so that the guest can be saved.
    Saving(&'a Path),
    /// Resume a saved guest, with this file mapped privately as its memory.
    Restored(&'a Path),
}

/// File descriptors that QEMU inherits.
pub mod fd {
    /// QMP monitor.
    pub const MONITOR: i32 = 3;
    /// Line to the agent.
    pub const LINE: i32 = 4;
    /// qtest, for device registers.
    pub const REGISTERS: i32 = 5;
}

/// Multi-threaded TCG, if QEMU supports it for this pair of guest and host memory models.
const TCG: &str = "tcg";
/// Round-robin TCG: one thread runs all CPUs in turn.
const ROUND_ROBIN: &str = "tcg,thread=single";
impl Machine {
    /// `-icount` implies round-robin; naming `thread=single` as well makes QEMU 7.2 count more
    /// instructions.
    fn accelerator(&self, image: &Image) -> &'static str {
        match image.clockwork.is_counting() || self.is_parallel(image) {
            true => TCG,
            false => ROUND_ROBIN,
        }
    }

    /// Whether the CPUs of `image` run in parallel.
    pub fn is_parallel(&self, image: &Image) -> bool {
        let since = match image.cross_modifying {
            true => self.parallel_since.max(CROSS_MODIFYING_CODE),
            false => self.parallel_since,
        };
        !image.clockwork.is_counting() && image.emulator >= since
    }

    /// All of QEMU's arguments: monitor and line on inherited descriptors, the console in a file.
    pub fn arguments(&self, image: &Image, launch: Launch<'_>, console: &Path) -> Vec<OsString> {
        let mut arguments = Arguments::default();
        let mut serial = OsString::from("file:");
        serial.push(console);
        self.board(&mut arguments, image, launch);
        arguments.add("-accel", self.accelerator(image));
        arguments.add("-smp", image.cpus.to_string());
        arguments.clockwork(&image.clockwork);
        // A guest that is saved is the same for jobs with and without a record.
        if let Some(log) = &image.execution_log
            && !matches!(launch, Launch::Saving(_))
        {
            arguments.add("-plugin", option_of(log));
        }
        arguments.add("-display", "none");
        arguments.add("-serial", serial);
        arguments.socket("monitor", fd::MONITOR);
        arguments.add("-mon", "chardev=monitor,mode=control");
        arguments.socket("line", fd::LINE);
        arguments.extend(self.line);
        if image.clockwork.recording.is_some() {
            arguments.extend(self.record_arguments);
        }
        if self.nudged_timer(image).is_some() {
            arguments.socket("qtest", fd::REGISTERS);
            arguments.extend(&["-qtest", "chardev:qtest", "-qtest-log", "none"]);
        }
        arguments.add("-kernel", &image.kernel);
        if let Some(dtb) = &image.dtb {
            arguments.add("-dtb", dtb);
        }
        arguments.add("-initrd", &image.initrd);
        let network = match launch {
            Launch::Networked => {
                arguments.add("-netdev", FORWARDED);
                arguments.add("-device", self.network);
                NETWORK_WORD
            }
            _ => "",
        };
        arguments.add("-append", format!("{}{network}", image.append));
        if let Launch::Restored(_) = launch {
            arguments.add("-incoming", "defer");
        }
        arguments.extend(&["-nodefaults", "-no-reboot"]);
        arguments.0
    }

    /// The timer, if it must be nudged. Not in a recording: register writes over qtest are not
    /// recorded, and with `-icount` the counter cannot run past the compare value.
    pub fn nudged_timer(&self, image: &Image) -> Option<Timer> {
        self.timer.filter(|_| image.clockwork.recording.is_none())
    }

    fn board(&self, arguments: &mut Arguments, image: &Image, launch: Launch<'_>) {
        let (file, share) = match launch {
            Launch::Saving(file) => (Some(file), "on"),
            Launch::Restored(file) => (Some(file), "off"),
            Launch::Cold | Launch::Networked => (None, ""),
        };
        let backend = file.map_or("", |_| ",memory-backend=memory");
        arguments.add("-M", format!("{}{backend}", self.board));
        arguments.extend(self.extras);
        if let Some([usual, full, plain, flawed]) = self.processors {
            let processor = match image.processor {
                Processor::Usual => usual,
                Processor::Full => full,
                Processor::Plain => plain,
                Processor::Flawed => flawed,
            };
            arguments.add("-cpu", processor);
        }
        arguments.add("-m", &image.memory);
        if let Some(file) = file {
            let path = doubled(file);
            let size = &image.memory;
            let object =
                format!("memory-backend-file,id=memory,size={size},share={share},mem-path={path}");
            arguments.add("-object", object);
        }
    }
}

/// Kernel command-line word that has the guest bring up its network.
const NETWORK_WORD: &str = " trapline.network";
/// Forwards a loopback port that QEMU chooses to the guest's port 22.
const FORWARDED: &str = "user,id=n0,restrict=on,hostfwd=tcp:127.0.0.1:0-:22";

/// Escapes a path inside an option, where a comma is written twice.
fn doubled(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

/// The plugin that makes `log`, with its arguments.
fn option_of(log: &ExecutionLog) -> String {
    let [plugin, file] = [&log.plugin, &log.file].map(|path| doubled(path));
    let (start, end) = (log.range.start, log.range.end);
    format!("file={plugin},start={start:#x},end={end:#x},record={file}")
}

#[derive(Default)]
struct Arguments(Vec<OsString>);

impl Arguments {
    fn add(&mut self, flag: &str, value: impl AsRef<OsStr>) {
        self.0.extend([flag.into(), value.as_ref().to_owned()]);
    }

    fn extend(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn clockwork(&mut self, clockwork: &Clockwork) {
        let shift = clockwork.shift;
        match &clockwork.recording {
            None => {
                if let Some(shift) = shift {
                    self.add("-icount", format!("shift={shift}"));
                }
            }
            Some(recording) => {
                let (mode, file) = recording.option();
                let (shift, file) = (shift.unwrap_or(Recording::SHIFT), doubled(file));
                self.add("-icount", format!("shift={shift},rr={mode},rrfile={file}"));
                if matches!(recording, Recording::Replay { is_held: true, .. }) {
                    self.extend(&["-S"]);
                }
            }
        }
        if let Some(seed) = clockwork.seed {
            self.add("-seed", seed.to_string());
        }
    }

    fn socket(&mut self, id: &str, fd: i32) {
        self.add("-chardev", format!("socket,id={id},fd={fd}"));
    }
}

#[cfg(test)]
mod tests;
