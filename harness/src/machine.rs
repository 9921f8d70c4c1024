//! The machines that guests boot on: one row each, and the QEMU command line that follows from it.

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use crate::changes::{OwnChange, Pair, Unit};
use crate::image::Image;
use crate::scenario::Processor;

/// What QEMU must be told for one machine, and what the harness must know of it.
#[derive(Debug)]
pub struct Machine {
    /// The key in `guest.json`.
    pub name: &'static str,
    /// The emulator.
    pub program: &'static str,
    /// The command that installs it.
    pub remedy: &'static str,
    /// The board.
    board: &'static [&'static str],
    /// Its processors: the usual one, and the one with everything that QEMU can do. None where the
    /// board has but one.
    processors: Option<[&'static str; 2]>,
    /// The device on which the guest's network arrives.
    network: &'static str,
    /// What is taken from a virtual address of the kernel's text to get the physical one.
    text_offset: u64,
    /// In what its text is read.
    pub unit: Unit,
    /// What its kernel does to its own text.
    pub own_changes: &'static [OwnChange],
}

const MACHINES: &[Machine] = &[
    Machine {
        name: "raspi0",
        program: "qemu-system-arm",
        remedy: "apt-get install qemu-system-arm",
        board: &["-M", "raspi0"],
        processors: None,
        network: "usb-net,netdev=n0",
        text_offset: 0xc000_0000,
        unit: Unit::Word,
        own_changes: &[
            OwnChange {
                functions: &[
                    "flow_hash_from_keys",
                    "__skb_get_hash",
                    "__skb_get_hash_symmetric",
                    "secure_tcp_ts_off",
                    "secure_tcpv6_ts_off",
                    "__inet_hash_connect",
                ],
                why: RANDOM_ONCE,
                before: "ea......",
                after: "e1a00000",
            },
            OwnChange {
                functions: &["__schedule", "try_to_wake_up", "wake_up_new_task"],
                why: "a tracepoint that a tracer had switched on: the no-op that comes back is not the compiler's",
                before: "e320f000",
                after: "e1a00000",
            },
        ],
    },
    Machine {
        name: "virt",
        program: "qemu-system-aarch64",
        remedy: "apt-get install qemu-system-arm",
        board: &["-M", "virt"],
        // QEMU's own way of signing is quicker than the architecture's, and signs as well.
        processors: Some(["cortex-a53", "max,pauth-impdef=on"]),
        network: VIRTIO,
        text_offset: 0xffff_8000_0800_0000 - 0x4020_0000,
        unit: Unit::Word,
        own_changes: &[OwnChange {
            functions: &[
                "flow_hash_from_keys",
                "__skb_get_hash_net",
                "__skb_get_hash_symmetric",
                "__inet_hash_connect",
            ],
            why: RANDOM_ONCE,
            before: "14......",
            after: "d503201f",
        }],
    },
    Machine {
        name: "q35",
        program: "qemu-system-x86_64",
        remedy: "apt-get install qemu-system-x86",
        // qboot starts an uncompressed kernel that has a PVH entry, which spares unpacking it.
        board: &["-M", "q35", "-bios", "qboot.rom", "-vga", "none"],
        processors: Some(["max", "max"]),
        network: VIRTIO,
        text_offset: 0xffff_ffff_8000_0000,
        unit: Unit::Byte,
        own_changes: &[
            OwnChange {
                functions: &["flow_hash_from_keys"],
                why: RANDOM_ONCE,
                before: "eb ..",
                after: "66 90",
            },
            OwnChange {
                functions: &[
                    "__skb_get_hash_net",
                    "__skb_get_hash_symmetric",
                    "__inet_hash_connect",
                ],
                why: RANDOM_ONCE,
                before: "e9 .. .. .. ..",
                after: "0f 1f 44 00 00",
            },
        ],
    },
];

const RANDOM_ONCE: &str = "net_get_random_once: the branch to its first use is taken out after it";

/// Nobody boots from the network, so its option ROM need not be there.
const VIRTIO: &str = "virtio-net-pci,netdev=n0,romfile=";

/// The machine of that name.
pub fn find(name: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|machine| machine.name == name)
}

impl Machine {
    /// The physical address of an address in the kernel's text.
    pub fn physical(&self, address: u64) -> Option<u64> {
        address.checked_sub(self.text_offset)
    }

    /// The row that says why the kernel itself made `change` in `function`, if there is one.
    pub fn own_change(
        &self,
        function: &str,
        pair: &Pair<'_>,
        change: &Range<usize>,
    ) -> Option<&'static OwnChange> {
        let mut rows = self.own_changes.iter();
        rows.find(|own| own.functions.contains(&function) && pair.is(change, own))
    }

    /// The emulator's arguments: its monitor on standard input, the console in a file, and port 22
    /// behind a port of the loopback device that QEMU chooses.
    pub fn arguments(&self, image: &Image, console: &Path) -> Vec<OsString> {
        let mut serial = OsString::from("file:");
        serial.push(console);
        let mut arguments: Vec<OsString> = self.board.iter().map(OsString::from).collect();
        let mut add = |flag: &str, value: OsString| arguments.extend([flag.into(), value]);
        if let Some([usual, full]) = self.processors {
            let processor = match image.processor {
                Processor::Usual => usual,
                Processor::Full => full,
            };
            add("-cpu", processor.into());
        }
        add("-accel", "tcg".into());
        add("-m", image.memory.clone().into());
        add("-smp", image.cpus.to_string().into());
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
    fn a_machine_is_found_by_its_very_name() {
        assert_eq!(find("q35").map(|machine| machine.unit), Some(Unit::Byte));
        assert!(find("RASPI0").is_none());
    }

    #[test]
    fn text_lies_where_the_row_says() {
        let physical = |name, address| find(name).and_then(|machine| machine.physical(address));
        assert_eq!(physical("raspi0", 0xc000_8000), Some(0x8000));
        assert_eq!(physical("raspi0", 0x1000), None);
        assert_eq!(physical("virt", 0xffff_8000_0801_0000), Some(0x4021_0000));
        assert_eq!(physical("q35", 0xffff_ffff_8100_0000), Some(0x100_0000));
    }

    #[test]
    fn an_own_change_is_one_only_in_its_function() {
        let machine = find("raspi0").expect("a row");
        let pair = Pair {
            unit: machine.unit,
            before: &0xea00_0033_u32.to_le_bytes(),
            after: &0xe1a0_0000_u32.to_le_bytes(),
        };
        let change = &(0..4);
        assert!(
            machine
                .own_change("__skb_get_hash", &pair, change)
                .is_some()
        );
        assert!(machine.own_change("sys_chdir", &pair, change).is_none());
    }

    #[test]
    fn own_changes_are_written_as_a_change_is_shown() {
        for machine in MACHINES {
            let width = match machine.unit {
                Unit::Word => 8,
                Unit::Byte => 2,
            };
            for own in machine.own_changes {
                let words = own.before.split(' ').chain(own.after.split(' '));
                assert!(words.clone().all(|word| word.len() == width), "{own:?}");
                assert_eq!(own.before.len(), own.after.len(), "{own:?}");
            }
        }
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
