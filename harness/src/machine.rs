//! The machines that guests boot on: one row each, and the QEMU command line that follows from it.

use std::ffi::OsString;
use std::path::Path;

use crate::image::Image;

/// What QEMU must be told for one machine, and what the harness must know of it.
#[derive(Debug)]
pub struct Machine {
    /// The key in `guest.json`.
    pub name: &'static str,
    /// The emulator.
    pub program: &'static str,
    /// The command that installs it.
    pub remedy: &'static str,
    /// The board and its CPU.
    board: &'static [&'static str],
    /// The device on which the guest's network arrives.
    network: &'static str,
    /// What its kernel does to its own text.
    pub own_changes: &'static [OwnChange],
    /// What is taken from a virtual address of the kernel's text to get the physical one.
    text_offset: u64,
}

/// A word of text that the kernel changes on its own, whoever traces it.
#[derive(Debug)]
pub struct OwnChange {
    /// The function it lies in.
    pub function: &'static str,
    /// Why the kernel does it.
    pub why: &'static str,
    /// The bits that tell what was there before, and their value.
    before: (u32, u32),
    /// What is there afterwards.
    after: u32,
}

/// The branch of a `static_branch_true` on ARM that becomes a no-op, for good.
const fn arm_once(function: &'static str) -> OwnChange {
    OwnChange {
        function,
        why: "net_get_random_once: the branch to its first use is taken out after it",
        before: (0xff00_0000, 0xea00_0000),
        after: 0xe1a0_0000,
    }
}

const MACHINES: &[Machine] = &[Machine {
    name: "raspi0",
    program: "qemu-system-arm",
    remedy: "apt-get install qemu-system-arm",
    board: &["-M", "raspi0"],
    network: "usb-net,netdev=n0",
    own_changes: &[
        arm_once("flow_hash_from_keys"),
        arm_once("__skb_get_hash"),
        arm_once("__skb_get_hash_symmetric"),
    ],
    text_offset: 0xc000_0000,
}];

/// The machine of that name.
pub fn find(name: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|machine| machine.name == name)
}

impl Machine {
    /// The physical address of an address in the kernel's text.
    pub fn physical(&self, address: u64) -> Option<u64> {
        address.checked_sub(self.text_offset)
    }

    /// The row that explains a changed word, if there is one.
    pub fn own_change(&self, function: &str, before: u32, after: u32) -> Option<&OwnChange> {
        self.own_changes.iter().find(|own| {
            let (mask, value) = own.before;
            own.function == function && before & mask == value && own.after == after
        })
    }

    /// The emulator's arguments: its monitor on standard input, the console in a file, and port 22
    /// behind a port of the loopback device that QEMU chooses.
    pub fn arguments(&self, image: &Image, console: &Path) -> Vec<OsString> {
        let mut serial = OsString::from("file:");
        serial.push(console);
        let mut arguments: Vec<OsString> = self.board.iter().map(OsString::from).collect();
        let mut add = |flag: &str, value: OsString| arguments.extend([flag.into(), value]);
        add("-accel", "tcg".into());
        add("-m", image.memory.clone().into());
        add("-display", "none".into());
        add("-serial", serial);
        add("-chardev", "socket,id=monitor,fd=0".into());
        add("-mon", "chardev=monitor,mode=control".into());
        add("-kernel", image.kernel.clone().into());
        if let Some(dtb) = &image.dtb {
            add("-dtb", dtb.clone().into());
        }
        add("-initrd", image.initrd.clone().into());
        add("-append", image.append.clone().into());
        add(
            "-netdev",
            "user,id=n0,restrict=on,hostfwd=tcp:127.0.0.1:0-:22".into(),
        );
        add("-device", self.network.into());
        arguments.extend(["-nodefaults".into(), "-no-reboot".into()]);
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_lies_where_the_row_says() {
        let machine = find("raspi0").expect("a row");
        assert_eq!(machine.physical(0xc000_8000), Some(0x8000));
        assert_eq!(machine.physical(0x1000), None);
        assert!(find("RASPI0").is_none());
    }

    #[test]
    fn names_are_unique() {
        for (row, machine) in MACHINES.iter().enumerate() {
            assert!(
                MACHINES[..row]
                    .iter()
                    .all(|other| other.name != machine.name)
            );
        }
    }
}
