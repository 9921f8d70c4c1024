//! A kernel that has a process, and its memory.

use std::sync::Arc;

use engine_abi::Description;
use engine_btf::write::Builder;
use engine_btf::{Btf, Endian, Enumerator, Int, Member, TypeId};
use engine_dlang::kernel::{Kernel, Symbol};

use crate::machine::{KERNEL, USER};

/// A kernel that has processes.
#[derive(Debug)]
pub struct Small(Arc<Btf<'static>>);

const PROBES: [[&str; 4]; 13] = [
    ["proc", "vmlinux", "", "create"],
    ["proc", "vmlinux", "", "start"],
    ["proc", "vmlinux", "", "exec"],
    ["proc", "vmlinux", "", "exit"],
    ["proc", "vmlinux", "", "exec-failure"],
    ["proc", "vmlinux", "", "signal-send"],
    ["proc", "vmlinux", "", "signal-handle"],
    ["syscall", "x86_64", "read", "entry"],
    ["syscall", "ia32", "read", "entry"],
    ["syscall", "x86_64", "read", "return"],
    ["syscall", "x86_64", "pread64", "entry"],
    ["syscall", "ia32", "pread64", "entry"],
    ["syscall", "x86_64", "nosuch", "entry"],
];

impl Kernel for Small {
    fn types(&self, _: Option<&str>) -> Result<Arc<Btf<'static>>, String> {
        Ok(self.0.clone())
    }

    fn modules(&self) -> Vec<String> {
        Vec::new()
    }

    fn symbol(&self, _: Option<&str>, _: &str) -> Option<Symbol> {
        None
    }

    fn probes(&self, wanted: &Description) -> Vec<Description> {
        let all = PROBES.map(|names| {
            let [provider, module, function, name] = names.map(str::as_bytes);
            Description::new(provider, module, function, name).expect("it fits")
        });
        let is_like = |wanted: &[u8], found: &[u8]| wanted.is_empty() || wanted == found;
        let matching = all.into_iter().filter(|it| {
            is_like(wanted.provider(), it.provider())
                && is_like(wanted.module(), it.module())
                && is_like(wanted.function(), it.function())
                && is_like(wanted.name(), it.name())
        });
        matching.collect()
    }
}

/// The kernel's memory: a thread, and what it refers to.
struct Image {
    builder: Builder<'static>,
    bytes: Vec<u8>,
}

/// A member, at the next place: its name, its type and its value.
type Filled<'a> = (&'a str, TypeId, u64);

impl Image {
    fn int(&mut self, name: &str, size: u32, is_signed: bool) -> TypeId {
        let bits = (size * 8) as u8;
        let int = Int {
            size,
            bits,
            is_signed,
            ..Int::default()
        };
        self.builder.int(name, int)
    }

    /// Declares a structure of words, and puts one at this offset in memory.
    fn words(&mut self, name: &str, at: u32, members: &[Filled<'_>]) -> TypeId {
        let mut offset = 0;
        let mut declared = Vec::new();
        for (member, target, value) in members {
            declared.push(Member {
                name: member,
                target: *target,
                bit_offset: offset * 8,
                bit_size: 0,
            });
            let place = (at + offset) as usize;
            self.bytes[place..place + 8].copy_from_slice(&value.to_le_bytes());
            offset += 8;
        }
        self.builder.structure(name, offset, &declared)
    }
}

const SIGNAL: u64 = KERNEL + 0x200;
const GROUP: u64 = KERNEL + 0x300;
const SESSION: u64 = KERNEL + 0x320;
const CRED: u64 = KERNEL + 0x400;
const MM: u64 = KERNEL + 0x500;
const FILES: u64 = KERNEL + 0x7c0;

/// A table of two files, of which the second is open, and a pointer to its type.
fn open_file(image: &mut Image, [int, char_, long]: [TypeId; 3]) -> TypeId {
    let text = image.builder.pointer(char_);
    let at = |offset: u32| KERNEL + u64::from(offset);
    image.bytes[0x980..0x98a].copy_from_slice(b"notes\0ext4");
    let name = image.words(
        "qstr",
        0x900,
        &[("hash", long, 0), ("name", text, at(0x980))],
    );
    let dentry = image.words("dentry", 0x900, &[("d_name", name, 0)]);
    image.bytes[0x908..0x910].copy_from_slice(&at(0x980).to_le_bytes());
    let kind = image.words("file_system_type", 0x920, &[("name", text, at(0x986))]);
    let kind = image.builder.pointer(kind);
    let block = image.words("super_block", 0x930, &[("s_type", kind, at(0x920))]);
    let block = image.builder.pointer(block);
    let mount = image.words("vfsmount", 0x940, &[("mnt_sb", block, at(0x930))]);
    let [mount, dentry] = [mount, dentry].map(|it| image.builder.pointer(it));
    let members = [("mnt", mount, at(0x940)), ("dentry", dentry, at(0x900))];
    let path = image.words("path", 0x800, &members);
    let members = [("f_pos", long, 70), ("f_flags", int, 2)];
    image.words("position", 0x810, &members);
    let member = |name, target, offset: u32| Member {
        name,
        target,
        bit_offset: offset * 8,
        bit_size: 0,
    };
    let members = [
        member("f_path", path, 0),
        member("f_pos", long, 16),
        member("f_flags", int, 24),
    ];
    let file = image.builder.structure("file", 32, &members);
    let file = image.builder.pointer(file);
    let list = image.builder.pointer(file);
    image.bytes[0x7f8..0x800].copy_from_slice(&at(0x800).to_le_bytes());
    let table = [("max_fds", int, 2), ("fd", list, at(0x7f0))];
    let table = image.words("fdtable", 0x7d0, &table);
    let table = image.builder.pointer(table);
    let files = image.words("files_struct", 0x7c0, &[("fdt", table, at(0x7d0))]);
    image.builder.pointer(files)
}

/// A kernel whose thread at [`KERNEL`] has number 8, of process 7.
pub fn kernel() -> (Small, Vec<u8>) {
    let mut image = Image {
        builder: Builder::new(Endian::Little),
        bytes: vec![0; 4096],
    };
    let int = image.int("int", 4, true);
    let word = image.int("unsigned int", 4, false);
    let char_ = image.int("char", 1, true);
    let long = image.int("long unsigned int", 8, false);
    let number = image.words("upid", 0x308, &[("nr", int, 5)]);
    image.bytes[0x328] = 4;
    let numbers = image.builder.array(number, long, 1);
    let pid = image.words("pid", 0x300, &[("count", int, 1), ("numbers", numbers, 5)]);
    let pid = image.builder.pointer(pid);
    let pids = image.builder.array(pid, long, 4);
    let signal = image.words(
        "signal_struct",
        0x200,
        &[("nr_threads", int, 3), ("pids", pids, 0)],
    );
    for (at, to) in [(0x218, GROUP), (0x220, SESSION)] {
        image.bytes[at..at + 8].copy_from_slice(&to.to_le_bytes());
    }
    let kuid = image.words("kuid", 0x600, &[("val", word, 0)]);
    let ids = [
        ("uid", kuid, 1000),
        ("euid", kuid, 1001),
        ("gid", kuid, 100),
        ("egid", kuid, 101),
    ];
    let cred = image.words("cred", 0x400, &ids);
    let args = [
        ("arg_start", long, USER),
        ("arg_end", long, USER + 23),
        ("start_stack", long, USER),
    ];
    let mm = image.words("mm_struct", 0x500, &args);
    let values = [("PIDTYPE_PGID", 2), ("PIDTYPE_SID", 3)];
    let values = values.map(|(name, value)| Enumerator { name, value });
    image.builder.enumeration("pid_type", 4, true, &values);
    let files = open_file(&mut image, [int, char_, long]);
    let forward = image.builder.next_id();
    assert_eq!(forward, image.builder.forward("task_struct", false));
    let [task, signal, cred, mm] = [forward, signal, cred, mm].map(|it| image.builder.pointer(it));
    let name = image.builder.array(char_, long, 8);
    let members = [
        ("pid", int, 8),
        ("tgid", int, 7),
        ("real_parent", task, KERNEL),
        ("group_leader", task, KERNEL),
        ("signal", signal, SIGNAL),
        ("cred", cred, CRED),
        ("mm", mm, MM),
        ("comm", name, u64::from_le_bytes(*b"init\0\0\0\0")),
        ("__state", word, 4),
        ("exit_state", int, 0),
        ("flags", word, 0x0020_0000),
        ("prio", int, 120),
        ("policy", word, 1),
        ("files", files, FILES),
    ];
    image.words("task_struct", 0, &members);
    let bytes = image.builder.finish().expect("it is valid");
    let types = Btf::read(bytes).expect("it is valid");
    (Small(Arc::new(types)), image.bytes)
}
