//! pahole makes the same types of the same file.

use std::process::Command;

use engine_btf::{Btf, Class, Kind};

use super::build::linked;
use super::show::{converted, members};

const SOURCE: &str = "
    typedef unsigned int u32; struct page; enum state { RUNNING, STOPPED = 4 };
    struct task { volatile long state; struct task *parent; char comm[16]; u32 a : 1, b : 5, : 3, c : 20;
        union { struct { int x, y; }; long both; }; struct page *page; const struct ops *ops;
        enum state s; u32 last : 31; };
    struct ops { int (*open)(struct task *, int); void (*close)(struct task *); };
    union value { u32 number; void *pointer; double d; };
    struct task task; union value value; struct ops ops;
    int open(struct task *t, int mode) { return mode; }";

#[test]
fn the_same_members() {
    let file = linked(&[SOURCE]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, &file).unwrap();
    let output = folder.path().join("btf");
    let encode = format!("--btf_encode_detached={}", output.display());
    let status = Command::new("pahole")
        .arg(encode)
        .arg("--btf_gen_floats")
        .arg(&path)
        .status();
    let status = status.expect("pahole runs; Debian has a package of that name");
    assert!(status.success());
    let (ours, theirs) = (
        converted(&file),
        Btf::read(std::fs::read(output).unwrap()).unwrap(),
    );
    for (class, name) in [
        (Class::Struct, "task"),
        (Class::Struct, "ops"),
        (Class::Union, "value"),
    ] {
        assert_eq!(members(&ours, class, name), members(&theirs, class, name));
        let size = |btf: &Btf<'_>| btf.size_of(btf.named(class, name).unwrap(), 8).unwrap();
        assert_eq!(size(&ours), size(&theirs));
    }
    let named = |btf: &Btf<'_>| {
        btf.own_ids()
            .filter(|id| {
                matches!(
                    btf.get(*id).unwrap().kind,
                    Kind::Struct { .. } | Kind::Union { .. } | Kind::Function { .. }
                )
            })
            .count()
    };
    assert_eq!(named(&ours), named(&theirs));
}
