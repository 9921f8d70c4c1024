//! The machine table: one row for each QEMU board that guests boot on.

use std::ops::Range;
use std::time::Duration;

use capstone::Capstone;
use capstone::arch::arm64::ArchMode;
use capstone::prelude::*;

use crate::guest::emulator::Version;
use crate::judge::changes::{OwnChange, Pair, Unit};
use crate::judge::normalise::Disassembler;

/// One board: QEMU's arguments for it, and what the judges need to know of its kernel.
#[derive(Debug)]
pub struct Machine {
    /// The key in `guest.json`.
    pub name: &'static str,
    /// The QEMU binary.
    pub program: &'static str,
    /// The command that installs it.
    pub remedy: &'static str,
    /// QEMU's `-M`.
    pub board: &'static str,
    /// Further arguments of the board.
    pub extras: &'static [&'static str],
    /// The first QEMU version in which multi-threaded TCG is reliable for this board.
    pub parallel_since: Version,
    /// QEMU's `-cpu` for [`Processor::Usual`](crate::scenario::Processor), `Full`, `Plain` and
    /// `Flawed`, in this order. None if the board fixes its CPU.
    pub processors: Option<[&'static str; 4]>,
    /// Devices that connect the chardev `line` to the guest's agent.
    pub line: &'static [&'static str],
    /// Further arguments when recording: QEMU records a chardev's input only if it is a `-serial`,
    /// even if the board has no such port.
    pub record_arguments: &'static [&'static str],
    /// Bytes to send before the guest must have read them, when recording: QEMU then writes to
    /// this UART without regard to its FIFO, and what does not fit is lost.
    pub burst: Option<usize>,
    /// The network device, for guests that get a network.
    pub network: &'static str,
    /// The registers of its timer, if QEMU's model loses the programmed compare value.
    pub timer: Option<Timer>,
    /// Alternative memory sizes, in MiB, for variations.
    pub memory: &'static [u32],
    /// The register of a function's first argument, in gdb's syntax.
    pub argument: &'static str,
    /// CPU time that a boot takes on the reference host.
    pub boots_in: Duration,
    /// Where the kernel maps what a process maps, and the dynamic linker as a program, if its stack
    /// is unlimited and nothing is random: upwards from the lower end, or on x86-64 downwards from
    /// the upper one. Of a process with a limited stack there is nothing.
    pub with_unlimited_stack: Range<u64>,
    /// The first of these that is not greater is subtracted from a virtual address of kernel text to get
    /// the physical one.
    text_offsets: &'static [u64],
    /// The unit in which changes of text are shown.
    pub unit: Unit,
    /// The disassembler for [`Pass::Instructions`](crate::scenario::Pass), if there is one.
    pub disassembler: Option<Disassembler>,
    /// Changes that the kernel makes to its own text while it runs.
    pub own_changes: &'static [OwnChange],
}

/// The registers of a timer that counts microseconds; physical addresses.
#[derive(Debug, Clone, Copy)]
pub struct Timer {
    /// The counter.
    pub now: u64,
    /// The compare register: the count at which the next interrupt is raised.
    pub next: u64,
}

/// QEMU before 8.1 translates an instruction before it write-protects its page, so a store from
/// another CPU in between goes unnoticed. x86 Linux patches live text by way of INT3: a CPU that
/// keeps the stale INT3 traps, the kernel finds none there and retries, for ever. arm64 replaces an
/// instruction at once, so a CPU that executes it meanwhile may only miss the change: scenarios do
/// not start tracing what spins, or say that they do (`cross-modifying`).
pub(super) const CROSS_MODIFYING_CODE: Version = Version(8, 1);

pub(super) const MACHINES: &[Machine] = &[
    Machine {
        name: "raspi0",
        program: "qemu-system-arm",
        remedy: "apt-get install qemu-system-arm",
        board: "raspi0",
        extras: &[],
        parallel_since: Version(0, 0),
        processors: None,
        // The second UART; the first one is the console.
        line: &["-serial", "chardev:line"],
        record_arguments: &[],
        burst: Some(4),
        network: "usb-net,netdev=n0",
        timer: Some(Timer {
            now: 0x2000_3004,
            next: 0x2000_3018,
        }),
        // The board's memory size is fixed.
        memory: &[],
        argument: "$r0",
        boots_in: Duration::from_millis(2000),
        with_unlimited_stack: 0x4000_0000..0x4100_0000,
        text_offsets: &[0xc000_0000],
        unit: Unit::Word,
        disassembler: None,
        own_changes: ARM_CHANGES,
    },
    Machine {
        name: "virt32",
        program: "qemu-system-arm",
        remedy: "apt-get install qemu-system-arm",
        // The kernel has no LPAE: everything must be below 4 GiB.
        board: "virt,highmem=off",
        extras: &[],
        parallel_since: Version(0, 0),
        processors: Some(["cortex-a15", "cortex-a15", "cortex-a15", "cortex-a15"]),
        line: VIRTIO_LINE,
        record_arguments: &["-serial", "chardev:line"],
        burst: None,
        network: VIRTIO,
        timer: None,
        memory: MEMORY,
        argument: "$r0",
        boots_in: Duration::from_millis(2500),
        with_unlimited_stack: 0x4000_0000..0x4100_0000,
        // The kernel's page offset, 0xc000_0000, less the address of RAM.
        text_offsets: &[0x8000_0000],
        unit: Unit::Word,
        disassembler: None,
        own_changes: ARM_CHANGES,
    },
    Machine {
        name: "virt",
        program: "qemu-system-aarch64",
        remedy: "apt-get install qemu-system-arm",
        board: "virt",
        extras: &[],
        parallel_since: Version(0, 0),
        // QEMU's own pointer-authentication algorithm is faster than the architected one, and as
        // valid.
        processors: Some([
            "cortex-a53",
            "max,pauth-impdef=on",
            "cortex-a53",
            "cortex-a53",
        ]),
        line: VIRTIO_LINE,
        record_arguments: &["-serial", "chardev:line"],
        burst: None,
        network: VIRTIO,
        timer: None,
        memory: MEMORY,
        argument: "$x0",
        boots_in: Duration::from_millis(2500),
        with_unlimited_stack: 0x4000_0000_0000..0x4000_0100_0000,
        // Linux 6.12, and 6.1.
        text_offsets: &[
            0xffff_8000_8000_0000 - 0x4020_0000,
            0xffff_8000_0800_0000 - 0x4020_0000,
        ],
        unit: Unit::Word,
        disassembler: Some(|| Capstone::new().arm64().mode(ArchMode::Arm).build()),
        own_changes: &[OwnChange {
            functions: &[
                "flow_hash_from_keys",
                "__skb_get_hash_net",
                "__skb_get_hash_symmetric",
                "__inet_hash_connect",
                "inet6_init_ehash_secret",
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
        // qboot boots an uncompressed kernel through its PVH entry, which saves the decompression.
        board: "q35",
        extras: &["-bios", "qboot.rom", "-vga", "none"],
        parallel_since: CROSS_MODIFYING_CODE,
        processors: Some(["max", "max", "qemu64", "EPYC-Rome"]),
        line: VIRTIO_LINE,
        record_arguments: &[
            "-serial",
            "null",
            "-serial",
            "null",
            "-serial",
            "null",
            "-serial",
            "chardev:line",
        ],
        burst: None,
        network: VIRTIO,
        timer: None,
        memory: MEMORY,
        argument: "$rdi",
        boots_in: Duration::from_millis(3300),
        with_unlimited_stack: 0x1555_5455_6000..0x1555_5555_6000,
        text_offsets: &[0xffff_ffff_8000_0000],
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
                // Two branches, one behind the other.
                functions: &["inet6_init_ehash_secret"],
                why: RANDOM_ONCE,
                before: "eb .. eb ..",
                after: "66 90 66 90",
            },
            OwnChange {
                functions: &["apic_send_IPI_allbutself", "native_send_call_func_ipi"],
                why: "a second CPU is online: IPIs can be sent to all other CPUs at once",
                before: "eb ..",
                after: "66 90",
            },
            OwnChange {
                functions: &[],
                why: "a second CPU is online: the kernel restores the LOCK prefixes that it had patched out",
                before: "3e",
                after: "f0",
            },
        ],
    },
];

const ARM_CHANGES: &[OwnChange] = &[
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
        why: "a tracepoint that a tracer had enabled: the restored no-op has another encoding than the compiler's",
        before: "e320f000",
        after: "e1a00000",
    },
];

const RANDOM_ONCE: &str = "net_get_random_once: its static branch is disabled after the first use";

const VIRTIO_LINE: &[&str] = &[
    "-device",
    "virtio-serial-pci",
    "-device",
    "virtserialport,chardev=line,name=trapline",
];

const MEMORY: &[u32] = &[256, 384, 768, 1024];

/// No guest boots from the network, so the option ROM need not be installed.
const VIRTIO: &str = "virtio-net-pci,netdev=n0,romfile=";

/// The row with this name.
pub fn find(name: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|machine| machine.name == name)
}

impl Machine {
    /// The physical address of a virtual address of kernel text; `None` below all offsets.
    pub fn physical(&self, address: u64) -> Option<u64> {
        let mut offsets = self.text_offsets.iter();
        offsets.find_map(|offset| address.checked_sub(*offset))
    }

    /// The row that explains `change` in `function` as the kernel's own, if there is one.
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
