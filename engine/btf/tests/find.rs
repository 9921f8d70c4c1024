//! The order of the search, and what is refused.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use engine_btf::find::{Files, Host, Kernel, types};
use engine_btf::write::Builder;
use engine_btf::{Btf, Endian, Linkage, TypeId};
use object::write::{Object, StandardSegment};
use object::{Architecture, BinaryFormat, SectionKind};

use crate::all::{INT, member};

/// Files in memory.
#[derive(Default)]
struct Fake(RefCell<BTreeMap<PathBuf, Vec<u8>>>);

impl Fake {
    fn with<const N: usize>(files: [(&str, Vec<u8>); N]) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (path.into(), bytes));
        Self(RefCell::new(files.collect()))
    }
}

impl Files for Fake {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let found = self.0.borrow().get(path).cloned();
        found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.0.borrow_mut().insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let files = self.0.borrow();
        let below = files.keys().filter_map(|file| file.strip_prefix(path).ok());
        let first = below.filter_map(|rest| Some(path.join(rest.components().next()?)));
        Ok(first.collect())
    }
}

const OWN: &str = "/sys/kernel/btf/vmlinux";
const INSTALLED: &str = "/usr/lib/dtrace/btf/6.1.0.btf";
const CACHED: &str = "/var/cache/dtrace/6.1.0.btf";

fn kernel() -> Kernel {
    Kernel {
        release: "6.1.0".to_owned(),
        build_id: Some(vec![0xab, 0xcd]),
        module_size: Some(64),
    }
}

/// BTF with a `struct module` of a size, and perhaps a build-id.
fn btf(size: u32, build_id: Option<&str>) -> Vec<u8> {
    let mut b = Builder::new(Endian::Little);
    let int = b.int("int", INT);
    let module = b.structure("module", size, &[member("state", int, 0)]);
    if let Some(id) = build_id {
        b.decl_tag(&format!("build-id:{id}"), module, None);
    }
    b.finish().unwrap()
}

/// The path that is used, or the sentence.
fn search(files: &Fake, asked: Option<&str>) -> String {
    match types(&kernel(), asked.map(Path::new), files) {
        Ok(found) => found.path.display().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_kernels_own_comes_before_all_but_the_users() {
    let all = Fake::with([
        ("/tmp/my.btf", btf(64, None)),
        (OWN, btf(64, None)),
        (INSTALLED, btf(64, None)),
        (CACHED, btf(64, None)),
    ]);
    assert_eq!(search(&all, Some("/tmp/my.btf")), "/tmp/my.btf");
    for path in [OWN, INSTALLED, CACHED] {
        assert_eq!(search(&all, None), path);
        all.0.borrow_mut().remove(Path::new(path));
    }
    assert_eq!(search(&all, None), "no types of kernel 6.1.0");
    let missing = search(&all, Some("/tmp/other.btf"));
    assert!(missing.starts_with("/tmp/other.btf: "), "{missing}");
}

#[test]
fn a_file_of_another_kernel_is_refused() {
    let other =
        "/tmp/my.btf: is of another kernel: its build-id is 1234, the running kernel's is abcd";
    let files = Fake::with([("/tmp/my.btf", btf(64, Some("1234"))), (OWN, btf(64, None))]);
    assert_eq!(search(&files, Some("/tmp/my.btf")), other);
    let size = "/tmp/my.btf: is of another kernel: its `struct module` has 72 bytes, \
        the running kernel's modules have 64";
    let files = Fake::with([("/tmp/my.btf", btf(72, None))]);
    assert_eq!(search(&files, Some("/tmp/my.btf")), size);
    // The build-id says more than the size.
    let files = Fake::with([("/tmp/my.btf", btf(72, Some("abcd")))]);
    assert_eq!(search(&files, Some("/tmp/my.btf")), "/tmp/my.btf");
}

#[test]
fn what_is_refused_is_told_and_the_search_goes_on() {
    let files = Fake::with([(INSTALLED, btf(72, None)), (CACHED, btf(64, Some("abcd")))]);
    let found = types(&kernel(), None, &files).unwrap();
    assert_eq!(found.path, Path::new(CACHED));
    let (path, why) = &found.refused[0];
    assert_eq!(path, Path::new(INSTALLED));
    assert!(why.contains("72 bytes"), "{why}");
    let files = Fake::with([(OWN, b"nonsense".to_vec())]);
    let told = search(&files, None);
    let expected = format!("no types of kernel 6.1.0; {OWN}: not BTF: it begins with [6e, 6f]");
    assert_eq!(told, expected);
}

#[test]
fn debug_information_is_converted_once() {
    let source = ["struct module { long state[8]; } m;"];
    let link = ["-Wl,--build-id=0xabcd"];
    let vmlinux = crate::dwarf::build::built(&source, &[], Some(&link));
    let path = "/usr/lib/debug/boot/vmlinux-6.1.0";
    let files = Fake::with([(path, vmlinux)]);
    assert_eq!(search(&files, None), path);
    assert_eq!(search(&files, None), CACHED);
    let kept = files.read(Path::new(CACHED)).unwrap();
    assert_eq!(Btf::read(kept).unwrap().build_id(), Some(vec![0xab, 0xcd]));
    let other = crate::dwarf::build::built(&source, &[], Some(&["-Wl,--build-id=0x1234"]));
    let files = Fake::with([(path, other)]);
    assert!(search(&files, None).contains("its build-id is 1234"));
    assert!(files.read(Path::new(CACHED)).is_err());
}

#[test]
fn elf_files_have_btf_in_a_section() {
    let files = Fake::with([("/tmp/vmlinux", elf(".BTF", &btf(64, None)))]);
    assert_eq!(search(&files, Some("/tmp/vmlinux")), "/tmp/vmlinux");
    let files = Fake::with([("/tmp/vmlinux", elf(".text", &[0]))]);
    let told = search(&files, Some("/tmp/vmlinux"));
    assert_eq!(
        told,
        "/tmp/vmlinux: the file has no debug information (.debug_info)"
    );
}

#[test]
fn variables_and_modules_are_split_from_the_kernels() {
    let base = btf(64, None);
    let read = Btf::read(&base[..]).unwrap();
    let mut b = Builder::split(&read);
    let variable = b.variable("jiffies", TypeId(1), Linkage::Global);
    b.decl_tag("build-id:abcd", variable, None);
    let variables = b.finish().unwrap();
    let mut b = Builder::split(&read);
    b.structure("private", 4, &[]);
    let module = b.finish().unwrap();
    let supplement = "/usr/lib/dtrace/btf/6.1.0-variables.btf";
    let files = Fake::with([
        (OWN, base.clone()),
        (supplement, variables),
        ("/sys/kernel/btf/my_module", module),
    ]);
    let found = types(&kernel(), None, &files).unwrap();
    assert!(found.all().variable("jiffies").is_some());
    assert!(found.kernel.variable("jiffies").is_none());
    let module = found.module("my-module", &files).unwrap().unwrap();
    assert_eq!(module.own_ids().count(), 1);
    assert!(found.module("none", &files).unwrap().is_none());
    assert!(found.module("../vmlinux", &files).unwrap().is_none());
    files.replace(Path::new(supplement), b"damaged").unwrap();
    let found = types(&kernel(), None, &files).unwrap();
    assert!(found.variables.is_none());
    assert_eq!(found.refused[0].0, Path::new(supplement));
}

#[test]
fn modules_of_an_installed_file_are_in_its_folder() {
    let base = btf(64, None);
    let read = Btf::read(&base[..]).unwrap();
    let mut b = Builder::split(&read);
    b.structure("private", 4, &[]);
    let module = b.finish().unwrap();
    let files = Fake::with([
        (INSTALLED, base.clone()),
        ("/usr/lib/dtrace/btf/6.1.0/ext4.btf", module),
    ]);
    let found = types(&kernel(), None, &files).unwrap();
    assert!(found.module("ext4", &files).unwrap().is_some());
    assert!(found.module("xfs", &files).unwrap().is_none());
}

#[test]
fn the_running_kernel() {
    let mut notes = Vec::new();
    [4_u32, 2, 3]
        .iter()
        .for_each(|word| notes.extend(word.to_ne_bytes()));
    notes.extend(b"GNU\0\xab\xcd\0\0");
    let files = Fake::with([
        ("/proc/sys/kernel/osrelease", b"6.1.0\n".to_vec()),
        ("/sys/kernel/notes", notes),
        ("/lib/modules/6.1.0/kernel/fs/a.ko.xz", vec![1]),
        (
            "/lib/modules/6.1.0/kernel/fs/b.ko",
            elf(".gnu.linkonce.this_module", &[0; 64]),
        ),
    ]);
    assert_eq!(Kernel::running(&files).unwrap(), kernel());
    let files = Fake::with([("/proc/sys/kernel/osrelease", b"6.1.0\n".to_vec())]);
    let found = Kernel::running(&files).unwrap();
    assert_eq!((found.build_id, found.module_size), (None, None));
    assert!(Kernel::running(&Fake::default()).is_err());
}

fn elf(section: &str, content: &[u8]) -> Vec<u8> {
    let order = object::Endianness::Little;
    let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, order);
    let segment = file.segment_name(StandardSegment::Data).to_vec();
    let id = file.add_section(segment, section.into(), SectionKind::Data);
    file.append_section_data(id, content, 8);
    file.write().unwrap()
}

#[test]
fn the_hosts_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache/dtrace/6.1.0.btf");
    let missing = Host.read(&path).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    Host.replace(&path, b"one").unwrap();
    Host.replace(&path, b"two").unwrap();
    assert_eq!(Host.read(&path).unwrap(), b"two");
    assert_eq!(Host.list(path.parent().unwrap()).unwrap(), [path]);
    let device = Host.read(Path::new("/dev/zero")).unwrap_err();
    assert_eq!(device.to_string(), "not a regular file of at most 2 GiB");
    assert!(Host.read(folder.path()).is_err());
}
