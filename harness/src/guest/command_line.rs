//! The QEMU command line of a guest on its machine.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::guest::image::{Clockwork, Image};
use crate::guest::machine::{Machine, Timer};
use crate::guest::tape::Tape;
use crate::scenario::Processor;

/// How a guest is started.
#[derive(Debug, Clone, Copy)]
pub enum Launch<'a> {
    /// Cold.
    Cold,
    /// Cold, with a network and its ssh server behind it.
    Networked,
    /// Cold, with its memory in this file, so that it can be saved.
    Saving(&'a Path),
    /// From what was saved, with a copy of the memory in this file.
    Restored(&'a Path),
}

/// The file descriptors that QEMU is given.
pub mod fd {
    /// Its monitor.
    pub const MONITOR: i32 = 3;
    /// The line to the guest's agent.
    pub const LINE: i32 = 4;
    /// Where registers are read and written from outside.
    pub const REGISTERS: i32 = 5;
}

/// One thread for each CPU, where the host's order of loads and stores allows it.
const TCG: &str = "tcg";
/// One thread for all CPUs, which run by turns.
const TAKING_TURNS: &str = "tcg,thread=single";
impl Machine {
    /// Where instructions are counted, CPUs take turns as it is; told so besides, QEMU 7.2 counts more of them.
    fn accelerator(&self, image: &Image) -> &'static str {
        match image.clockwork.is_counting() || self.is_parallel(image) {
            true => TCG,
            false => TAKING_TURNS,
        }
    }

    /// Whether the CPUs of `image` run at the same time.
    pub fn is_parallel(&self, image: &Image) -> bool {
        !image.clockwork.is_counting() && image.emulator >= self.parallel_since
    }

    /// The emulator's arguments: its monitor and the line on file descriptors, the console in a file.
    pub fn arguments(&self, image: &Image, launch: Launch<'_>, console: &Path) -> Vec<OsString> {
        let mut arguments = Arguments::default();
        let mut serial = OsString::from("file:");
        serial.push(console);
        self.board(&mut arguments, image, launch);
        arguments.add("-accel", self.accelerator(image));
        arguments.add("-smp", image.cpus.to_string());
        arguments.clockwork(&image.clockwork);
        arguments.add("-display", "none");
        arguments.add("-serial", serial);
        arguments.socket("monitor", fd::MONITOR);
        arguments.add("-mon", "chardev=monitor,mode=control");
        arguments.socket("line", fd::LINE);
        arguments.extend(self.line);
        if image.clockwork.tape.is_some() {
            arguments.extend(self.taped);
        }
        if self.forgetful_timer(image).is_some() {
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

    /// Its timer, where that may have to be reminded: what is done to it from outside would be in no
    /// recording, and a recorded guest's clock does not run away from it.
    pub fn forgetful_timer(&self, image: &Image) -> Option<Timer> {
        self.timer.filter(|_| image.clockwork.tape.is_none())
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

/// The word that has the guest bring up its network.
const NETWORK_WORD: &str = " trapline.network";
/// Port 22 behind a port of the loopback device that QEMU chooses.
const FORWARDED: &str = "user,id=n0,restrict=on,hostfwd=tcp:127.0.0.1:0-:22";

/// A path inside an option: a comma would end it, so it is doubled.
fn doubled(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
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
        match &clockwork.tape {
            None => {
                if let Some(shift) = shift {
                    self.add("-icount", format!("shift={shift}"));
                }
            }
            Some(tape) => {
                let (mode, file) = tape.option();
                let (shift, file) = (shift.unwrap_or(Tape::SHIFT), doubled(file));
                self.add("-icount", format!("shift={shift},rr={mode},rrfile={file}"));
                if matches!(tape, Tape::Replay { is_held: true, .. }) {
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
