//! Arguments of probes as listings tell them.

use std::rc::Rc;
use std::sync::Arc;

use engine_abi::Description;
use engine_btf::Btf;
use engine_dlang::kernel::{Kernel, Symbol};
use engine_dlang::signature::{Arguments, Signatures};

use crate::kernel::{Small, described, small};

fn probe(text: &str) -> Description {
    let parts: Vec<&str> = text.split(':').collect();
    described(parts[0], parts[1], parts[2], parts[3])
}

fn arguments(signatures: &mut Signatures, text: &str) -> Vec<String> {
    match signatures.arguments(&probe(text)) {
        Arguments::Typed(types) => types,
        Arguments::Unknown(why) => vec![format!("unknown: {why}")],
    }
}

#[test]
fn arguments_have_types() {
    let mut signatures = Signatures::new(8, Rc::new(small()));
    let task = "struct task_struct *";
    for (text, expected) in [
        (
            "fbt:vmlinux:wake_up:entry",
            &[task, "unsigned int", "unsigned long long"][..],
        ),
        ("fbt:vmlinux:wake_up:return", &["int64_t", "int"]),
        ("fbt:vmlinux:schedule:entry", &[]),
        ("fbt:vmlinux:schedule:return", &["int64_t"]),
        ("fbt:toy:toy_open:entry", &["int", task]),
        (
            "fbt:toy:by_value:entry",
            &[
                "int",
                "(cannot be read: by value, or behind one)",
                "(cannot be read: by value, or behind one)",
            ],
        ),
        ("sdt:vmlinux::sched_wakeup", &[task]),
        (
            "syscall:x86_64:read:entry",
            &["unsigned int", "char *", "size_t"],
        ),
        ("syscall:x86_64:getpid:entry", &[]),
        ("syscall:x86_64:read:return", &["int64_t", "int64_t"]),
        ("proc:::create", &["psinfo_t *"]),
        ("proc:::exec", &["string"]),
        ("proc:::start", &[]),
        ("proc:::signal-send", &["lwpsinfo_t *", "psinfo_t *", "int"]),
        (
            "proc:::signal-handle",
            &["int", "struct kernel_siginfo *", "void *"],
        ),
        ("dtrace:::BEGIN", &[]),
        ("profile:::tick-1s", &[]),
        ("pid42:libc:malloc:entry", &[]),
        (
            "fbt:vmlinux:wake_up.constprop.0:entry",
            &["unknown: the types of vmlinux have no function wake_up.constprop.0"],
        ),
        (
            "sdt:vmlinux::nothing",
            &["unknown: the kernel's types have no tracepoint nothing"],
        ),
        (
            "syscall:x86_64:nothing:entry",
            &["unknown: the parameters of nothing are not known"],
        ),
        ("fbt:other:open:entry", &["unknown: no module other"]),
    ] {
        assert_eq!(arguments(&mut signatures, text), expected, "{text}");
    }
}

#[test]
fn functions_and_calls_have_declarations() {
    let mut signatures = Signatures::new(8, Rc::new(small()));
    for (text, expected) in [
        (
            "fbt:vmlinux:wake_up:return",
            Some(
                "int wake_up(struct task_struct *task, unsigned int flags, \
                 long long unsigned int offset)",
            ),
        ),
        ("fbt:vmlinux:schedule:entry", Some("void schedule(void)")),
        (
            "fbt:toy:toy_open:entry",
            Some("void toy_open(int n, struct task_struct *task)"),
        ),
        ("fbt:vmlinux:wake_up.part.1:entry", None),
        (
            "syscall:x86_64:read:return",
            Some("long read(unsigned int, char *, size_t)"),
        ),
        ("syscall:ia32:setuid:entry", Some("long setuid(uint16_t)")),
        ("syscall:x86_64:getpid:entry", Some("long getpid(void)")),
        ("syscall:x86_64:nothing:entry", None),
        ("proc:::create", None),
        ("dtrace:::BEGIN", None),
    ] {
        let found = signatures.declaration(&probe(text));
        assert_eq!(found.as_deref(), expected, "{text}");
    }
}

#[test]
fn without_types_the_reason_is_told() {
    let kernel = Small {
        types: Err("/sys/kernel/btf/vmlinux: it does not exist".into()),
        module: None,
    };
    let mut signatures = Signatures::new(8, Rc::new(kernel));
    let expected = "unknown: /sys/kernel/btf/vmlinux: it does not exist";
    for text in [
        "fbt:vmlinux:wake_up:entry",
        "fbt:vmlinux:wake_up:return",
        "sdt:vmlinux::sched_wakeup",
    ] {
        assert_eq!(arguments(&mut signatures, text), [expected], "{text}");
        assert_eq!(signatures.declaration(&probe(text)), None);
    }
    let found = arguments(&mut signatures, "syscall:x86_64:close:entry");
    assert_eq!(found, ["unsigned int"], "calls have a table");
}

/// A kernel of which nothing may be read.
#[derive(Debug)]
struct Untouched;

impl Kernel for Untouched {
    fn types(&self, module: Option<&str>) -> Result<Arc<Btf<'static>>, String> {
        panic!("{module:?}");
    }

    fn modules(&self) -> Vec<String> {
        panic!("modules");
    }

    fn symbol(&self, _: Option<&str>, name: &str) -> Option<Symbol> {
        panic!("{name}");
    }

    fn probes(&self, description: &Description) -> Vec<Description> {
        panic!("{description}");
    }
}

#[test]
fn types_are_read_for_what_has_them_only() {
    let mut signatures = Signatures::new(8, Rc::new(Untouched));
    for text in [
        "dtrace:::BEGIN",
        "profile:::profile-97",
        "proc:::signal-handle",
        "syscall:x86_64:recvmsg:entry",
        "pid42:libc:malloc:entry",
    ] {
        arguments(&mut signatures, text);
        signatures.declaration(&probe(text));
    }
}
