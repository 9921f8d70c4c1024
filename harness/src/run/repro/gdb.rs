//! gdb on a guest: symbols, a script that stops where a probe fires, and the wait for gdb to
//! attach.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::symbols::{self, Section};
use crate::error::HostError;
use crate::guest::emulator;
use crate::guest::image::Image;
use crate::guest::machine::Machine;
use crate::guest::overrides::Hold;
use crate::guest::quote::quote;
use crate::guest::{Guest, Stop};
use crate::report::evidence::Evidence;
use crate::tree::Tree;

/// A gdb for every architecture.
pub const PROGRAM: &str = "gdb-multiarch";
/// The command that installs it.
pub const REMEDY: &str = "apt-get install gdb-multiarch";
/// The script to start gdb with.
pub const SCRIPT: &str = "gdb.cmd";
/// Printed when the script is written and the guest waits for gdb.
pub const STOPPED: &str = "stopped; attach gdb in another terminal:";
/// The part of it with symbols and addresses.
const SYMBOLS: &str = "symbols.gdb";
const KERNEL: &str = "kernel.elf";
/// Prints the address at which the engine gets each trap from its hook, with the saved registers.
/// It comes from the guest: debug information also has functions that the linker dropped.
const HIT: &str = "grep -w 'trapline_trap' /proc/kallsyms | cut -d' ' -f1";
/// Lists the kernel's functions. Without data, which makes the transfer long, and without modules,
/// which gdb reads from their files, and without the padding before functions.
const FUNCTIONS: &str = "grep -v '\\[' /proc/kallsyms | grep -i ' [tw] ' | grep -v ' __pfx_'";
const SECTIONS: &str = "cd /sys/module/trapline/sections && grep -H . .*";
/// Time for the list of functions.
const LISTING_LIMIT: Duration = Duration::from_secs(180);
const TICK: Duration = Duration::from_millis(20);

/// The hook that prepares a guest for gdb.
#[derive(Debug)]
pub struct Debugger {
    machine: &'static Machine,
    /// The host's copy of the module that the guest loads.
    module: PathBuf,
    /// Whether the guest waits for gdb; if not, only the symbols are written.
    pub waits: bool,
}

impl Debugger {
    /// For a guest of `image` that loads the mutants' module, or the plain one.
    pub fn new(tree: &Tree, image: &Image, machine: &'static Machine, with_mutant: bool) -> Self {
        let module = match with_mutant {
            true => &image.mutants_module,
            false => &image.module,
        };
        let name = Path::new(module).file_name().unwrap_or_default();
        Self {
            machine,
            module: tree.guest_dir(&image.guest).join(name),
            waits: true,
        }
    }

    /// Writes the guest's symbols and addresses for gdb, as the running guest lists them.
    fn write_symbols(&self, guest: &mut Guest, folder: &Path) -> Result<(), Stop> {
        let listed = guest.run(FUNCTIONS, LISTING_LIMIT)?.stdout;
        let module = fs::read(&self.module).map_err(HostError::file("read", &self.module))?;
        let kernel = symbols::elf(&module, &symbols::parse(&listed));
        let kernel = kernel.map_err(|what| HostError::Symbols {
            path: self.module.clone(),
            what,
        })?;
        write(&folder.join(KERNEL), &kernel)?;
        let sections = symbols::sections(&guest.ask(SECTIONS)?);
        let hit = guest.ask(HIT)?;
        let script = symbols_script(&folder.join(KERNEL), &self.module, &sections, hit.trim());
        Ok(write(&folder.join(SYMBOLS), script.as_bytes())?)
    }

    /// Writes the script for a gdb server at `address` and prints how to start gdb;
    /// `symbols_folder` is the folder with the symbols.
    pub fn write_script(
        &self,
        address: &str,
        symbols_folder: &Path,
        folder: &Path,
    ) -> Result<(), HostError> {
        let script = script(
            &symbols_folder.join(SYMBOLS),
            address,
            self.machine.argument,
        );
        let path = folder.join(SCRIPT);
        write(&path, script.as_bytes())?;
        println!("{STOPPED}");
        println!("  {PROGRAM} -x {}", word(&path));
        if emulator::find(PROGRAM, REMEDY).is_err() {
            println!("  (`{REMEDY}` installs it)");
        }
        Ok(())
    }
}

impl Hold for Debugger {
    fn before_go(&self, guest: &mut Guest, evidence: &Evidence) -> Result<(), Stop> {
        self.write_symbols(guest, evidence.folder())?;
        if !self.waits {
            return Ok(());
        }
        let address = guest.watch().debug()?;
        self.write_script(&address, evidence.folder(), evidence.folder())?;
        println!("or press Enter to continue without it");
        guest.lift_limits();
        wait(guest)
    }
}

/// Waits until gdb has stopped the guest, which gdb then continues, or Enter is pressed.
fn wait(guest: &mut Guest) -> Result<(), Stop> {
    let mut can_press = true;
    loop {
        guest.turn()?;
        if guest.watch().was_stopped()? {
            println!("gdb is there");
            return Ok(());
        }
        match can_press.then(pressed).flatten() {
            Some(Pressed::Enter) => return Ok(()),
            Some(Pressed::Never) => can_press = false,
            None => std::thread::sleep(TICK),
        }
    }
}

enum Pressed {
    Enter,
    /// Standard input is closed.
    Never,
}

fn pressed() -> Option<Pressed> {
    let stdin = io::stdin();
    let mut wanted = [PollFd::new(&stdin, PollFlags::IN)];
    // A signal means no input.
    poll(&mut wanted, Some(&Timespec::default())).ok();
    if wanted[0].revents().is_empty() {
        return None;
    }
    let mut byte = [0];
    match stdin.lock().read(&mut byte) {
        Ok(1) if byte == *b"\n" => Some(Pressed::Enter),
        Ok(1) => None,
        _ => Some(Pressed::Never),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), HostError> {
    fs::write(path, bytes).map_err(HostError::file("write", path))
}

fn word(path: &Path) -> String {
    quote(&path.display().to_string())
}

fn symbols_script(kernel: &Path, module: &Path, sections: &[Section], hit: &str) -> String {
    let text = |section: &&Section| section.name == ".text";
    let start = sections.iter().find(text).map_or("0", |s| &s.address);
    let others = sections.iter().filter(|section| !text(section));
    let others = others.map(|s| format!(" -s {} {}", s.name, s.address));
    format!(
        "# The kernel's functions by its own list, and the module where it was loaded.\n\
         set confirm off\n\
         file {}\n\
         set logging file /dev/null\n\
         set logging redirect on\n\
         set logging enabled on\n\
         add-symbol-file {} {start}{}\n\
         set logging enabled off\n\
         set language c\n\
         set $hit = 0x{hit}\n",
        word(kernel),
        word(module),
        others.collect::<String>()
    )
}

fn script(symbols: &Path, address: &str, argument: &str) -> String {
    format!(
        "# Stops where a probe is hit: at the engine's entry from the trap. $frame is what the trap saved.\n\
         set pagination off\n\
         source {}\n\
         target remote {address}\n\
         break *$hit\n\
         continue\n\
         set $frame = (unsigned long *) {argument}\n",
        symbols.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_script_has_all_addresses() {
        let section = |name: &str, address: &str| Section {
            name: name.to_owned(),
            address: address.to_owned(),
        };
        let sections = [section(".bss", "0x30"), section(".text", "0x10")];
        let text = symbols_script(
            Path::new("/a b/kernel.elf"),
            Path::new("/m.ko"),
            &sections,
            "bf00",
        );
        insta::assert_snapshot!(text, @r"
        # The kernel's functions by its own list, and the module where it was loaded.
        set confirm off
        file '/a b/kernel.elf'
        set logging file /dev/null
        set logging redirect on
        set logging enabled on
        add-symbol-file /m.ko 0x10 -s .bss 0x30
        set logging enabled off
        set language c
        set $hit = 0xbf00
        ");
    }

    #[test]
    fn script_stops_at_a_hit_and_sets_frame() {
        insta::assert_snapshot!(script(Path::new("/a/symbols.gdb"), "127.0.0.1:4711", "$r0"), @r"
        # Stops where a probe is hit: at the engine's entry from the trap. $frame is what the trap saved.
        set pagination off
        source /a/symbols.gdb
        target remote 127.0.0.1:4711
        break *$hit
        continue
        set $frame = (unsigned long *) $r0
        ");
    }
}
