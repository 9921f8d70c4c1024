//! The machines that guests boot on: one row each.

use std::ops::Range;
use std::time::Duration;

use capstone::Capstone;
use capstone::arch::arm64::ArchMode;
use capstone::prelude::*;

use crate::guest::emulator::Version;
use crate::judge::changes::{OwnChange, Pair, Unit};
use crate::judge::normalise::Disassembler;

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
    pub board: &'static str,
    /// What else the board wants to be told.
    pub extras: &'static [&'static str],
    /// The first QEMU whose threads for its CPUs can be relied on.
    pub parallel_since: Version,
    /// Its processors: the usual one, the one with everything that QEMU can do, one with little, and one
    /// with flaws. None where the board has but one.
    pub processors: Option<[&'static str; 4]>,
    /// The devices at whose other end the guest's agent listens.
    pub line: &'static [&'static str],
    /// What else has QEMU record what comes over the line: it does so only for what is `-serial`, even
    /// one for which the board has no place.
    pub taped: &'static [&'static str],
    /// How many bytes may come over the line at once, where a recording QEMU loses what its model of the
    /// device has no room for.
    pub sip: Option<usize>,
    /// The device on which the guest's network arrives, where it gets one.
    pub network: &'static str,
    /// Where its timer is to be found, if QEMU's model of it forgets what it was set to.
    pub timer: Option<Timer>,
    /// The sizes of memory that it can have beside the usual, in MiB.
    pub memory: &'static [u32],
    /// The register in which a function gets its first argument, as gdb calls it.
    pub argument: &'static str,
    /// How much of a host's time it takes to boot on the host that all limits were chosen on.
    pub boots_in: Duration,
    /// What is taken from a virtual address of the kernel's text to get the physical one.
    text_offset: u64,
    /// In what its text is read.
    pub unit: Unit,
    /// What reads its instructions, where a scenario wants them read.
    pub disassembler: Option<Disassembler>,
    /// What its kernel does to its own text.
    pub own_changes: &'static [OwnChange],
}

/// The registers of a timer that counts microseconds.
#[derive(Debug, Clone, Copy)]
pub struct Timer {
    /// The count.
    pub now: u64,
    /// The count at which the next interrupt comes.
    pub next: u64,
}

/// QEMU before 8.1 reads an instruction before it watches its page, so what another CPU writes between the two is lost
/// to it. x86's kernel rewrites its text while others run it, by way of an INT3: a CPU that keeps that takes the trap, is
/// told that nothing is there, and tries again for ever.
const WATCHES_PAGES: Version = Version(8, 1);

pub(super) const MACHINES: &[Machine] = &[
    Machine {
        name: "raspi0",
        program: "qemu-system-arm",
        remedy: "apt-get install qemu-system-arm",
        board: "raspi0",
        extras: &[],
        parallel_since: Version(0, 0),
        processors: None,
        // The second of its serial ports; the console is the first.
        line: &["-serial", "chardev:line"],
        taped: &[],
        sip: Some(4),
        network: "usb-net,netdev=n0",
        timer: Some(Timer {
            now: 0x2000_3004,
            next: 0x2000_3018,
        }),
        // The board has what it has.
        memory: &[],
        argument: "$r0",
        boots_in: Duration::from_millis(2000),
        text_offset: 0xc000_0000,
        unit: Unit::Word,
        disassembler: None,
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
                // A no-op takes another's place, so it may be anywhere that a tracepoint is.
                functions: &[],
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
        board: "virt",
        extras: &[],
        parallel_since: Version(0, 0),
        // QEMU's own way of signing is quicker than the architecture's, and signs as well.
        processors: Some([
            "cortex-a53",
            "max,pauth-impdef=on",
            "cortex-a53",
            "cortex-a53",
        ]),
        line: VIRTIO_LINE,
        taped: &["-serial", "chardev:line"],
        sip: None,
        network: VIRTIO,
        timer: None,
        memory: MEMORY,
        argument: "$x0",
        boots_in: Duration::from_millis(2500),
        text_offset: 0xffff_8000_0800_0000 - 0x4020_0000,
        unit: Unit::Word,
        disassembler: Some(|| Capstone::new().arm64().mode(ArchMode::Arm).build()),
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
        board: "q35",
        extras: &["-bios", "qboot.rom", "-vga", "none"],
        parallel_since: WATCHES_PAGES,
        processors: Some(["max", "max", "qemu64", "EPYC-Rome"]),
        line: VIRTIO_LINE,
        taped: &[
            "-serial",
            "null",
            "-serial",
            "null",
            "-serial",
            "null",
            "-serial",
            "chardev:line",
        ],
        sip: None,
        network: VIRTIO,
        timer: None,
        memory: MEMORY,
        argument: "$rdi",
        boots_in: Duration::from_millis(3300),
        text_offset: 0xffff_ffff_8000_0000,
        unit: Unit::Byte,
        disassembler: None,
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
            OwnChange {
                functions: &["apic_send_IPI_allbutself", "native_send_call_func_ipi"],
                why: "a second CPU: from now on an interrupt can be sent to all others at once",
                before: "eb ..",
                after: "66 90",
            },
            OwnChange {
                functions: &[],
                why: "a second CPU: the LOCK prefixes are put back that a kernel with one CPU has taken out",
                before: "3e",
                after: "f0",
            },
        ],
    },
];

const RANDOM_ONCE: &str = "net_get_random_once: the branch to its first use is taken out after it";

const VIRTIO_LINE: &[&str] = &[
    "-device",
    "virtio-serial-pci",
    "-device",
    "virtserialport,chardev=line,name=trapline",
];

const MEMORY: &[u32] = &[256, 384, 768, 1024];

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
        rows.find(|own| own.is_in(function) && pair.is(change, own))
    }
}

#[cfg(test)]
mod tests;
