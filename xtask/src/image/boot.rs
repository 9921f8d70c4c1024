//! Extracts from the kernel package what QEMU and /init need: the kernel in the form that QEMU
//! takes, the device tree, and the modules in load order.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use liblzma::read::XzDecoder;

use crate::error::{Error, Result};
use crate::files;
use crate::guest::Guest;
use crate::image::deb::{self, Kind, Member};
use crate::image::dtb;
use crate::image::elf;
use crate::image::inputs::Inputs;
use crate::image::kernel;
use crate::image::stamp::unless_current;
use crate::progress::Step;

/// The list of what is part of the kernel, as `make modules_install` writes it.
const BUILTIN: &str = "/modules.builtin";

/// The ending of a module that CONFIG_MODULE_COMPRESS_XZ packs.
const PACKED: &str = ".xz";

/// A guest's boot files.
pub struct Boot {
    /// The kernel, in the form that QEMU takes.
    pub kernel: PathBuf,
    /// The device tree blob, for machines that need one.
    pub dtb: Option<PathBuf>,
    /// A file that lists the modules' names without `.ko`, in load order: on its first line those
    /// to load at boot, on the second those for the network, on the third those that only lie there.
    /// The modules lie beside it.
    pub module_order: PathBuf,
}

/// Makes the boot files from the kernel's packages.
pub fn make(guest: &Guest, debs: &[PathBuf]) -> Result<Boot> {
    let dir = guest.dir();
    let boot = Boot {
        kernel: dir.join("kernel"),
        dtb: guest.kernel.dtb.as_ref().map(|_| dir.join("board.dtb")),
        module_order: dir.join("modules/order"),
    };
    let outputs: Vec<_> = [&boot.kernel, &boot.module_order]
        .into_iter()
        .chain(&boot.dtb)
        .cloned()
        .collect();
    let mut inputs = Inputs::of_step("image::boot");
    inputs
        .add_named(debs)
        .add(format!("{:?} {:?}", guest.kernel, guest.network));
    unless_current(&dir, "boot", inputs, &outputs, || {
        let step = Step::begin(format!("{}: kernel", guest.name));
        extract(guest, debs, &boot)?;
        step.done();
        Ok(())
    })?;
    Ok(boot)
}

fn extract(guest: &Guest, debs: &[PathBuf], boot: &Boot) -> Result<()> {
    let wanted = |path: &str| {
        is_kernel(path)
            || module_name(path).is_some()
            || path.ends_with(BUILTIN)
            || is_dtb(path, guest.kernel.dtb.as_deref())
    };
    let found: Result<Vec<_>> = debs.iter().map(|deb| deb::members(deb, wanted)).collect();
    let members = found?.concat();
    let packaged = contents(&members, guest, "vmlinuz", is_kernel)?;
    let prepared = kernel::prepare(packaged, &guest.kernel).ok_or_else(|| Error::Content {
        path: debs.last().cloned().unwrap_or_default(),
        why: "no kernel packed by xz or zstd in its vmlinuz; for any other kernel, set `image: packaged` in the guest's file".into(),
    })?;
    files::write(&boot.kernel, &prepared)?;
    if let (Some(name), Some(path)) = (&guest.kernel.dtb, &boot.dtb) {
        let packaged = contents(&members, guest, name, |p| is_dtb(p, Some(name)))?;
        let enabled = dtb::enable(packaged, &guest.kernel.dtb_enable);
        let enabled = enabled.map_err(|why| Error::Package(format!("{name}: {why}")))?;
        files::write(path, &enabled)?;
    }
    write_modules(guest, &members, &boot.module_order)
}

/// Its own folder has been that of the modules since Linux 6.19.
fn is_kernel(path: &str) -> bool {
    path.starts_with("/boot/vmlinuz") || path.ends_with("/vmlinuz")
}

fn is_dtb(path: &str, name: Option<&str>) -> bool {
    name.is_some_and(|n| path.strip_suffix(n).is_some_and(|dir| dir.ends_with('/')))
}

fn contents<'a>(
    members: &'a [Member],
    guest: &Guest,
    what: &str,
    fits: impl Fn(&str) -> bool,
) -> Result<&'a [u8]> {
    let mut found = members.iter().filter(|m| fits(&m.path));
    match found.next().map(|m| &m.kind) {
        Some(Kind::File { data, .. }) => Ok(data),
        _ => Err(Error::Package(format!(
            "{}: no {what} in the kernel's packages",
            guest.name
        ))),
    }
}

fn write_modules(guest: &Guest, members: &[Member], order_file: &Path) -> Result<()> {
    let modules: BTreeMap<String, &Member> = members
        .iter()
        .filter_map(|m| Some((module_name(&m.path)?, m)))
        .collect();
    let depends = |name: &str| elf::module_depends(&module(modules.get(name)?)?).ok();
    let builtin = builtin(members);
    let separate = |list: &[String]| -> Vec<String> {
        let names = list.iter().map(|name| canonical(name));
        names.filter(|name| !builtin.contains(name)).collect()
    };
    let wanted = [
        &guest.kernel.modules,
        &guest.network.modules,
        &guest.kernel.spare_modules,
    ]
    .map(|list| separate(list));
    let wanted = wanted.each_ref();
    let mut order = String::new();
    for group in load_order(wanted, depends)? {
        let members = group.iter().map(|name| modules[name]);
        let names: Result<Vec<&str>> = members.map(|m| write_module(m, order_file)).collect();
        order.push_str(&names?.join(" "));
        order.push('\n');
    }
    files::write(order_file, order.as_bytes())
}

/// The canonical names of what is a module in other kernels and is part of this one.
fn builtin(members: &[Member]) -> BTreeSet<String> {
    let mut lists = members
        .iter()
        .filter(|member| member.path.ends_with(BUILTIN));
    let Some(Kind::File { data, .. }) = lists.next().map(|member| &member.kind) else {
        return BTreeSet::new();
    };
    let text = String::from_utf8_lossy(data);
    text.lines().filter_map(module_name).collect()
}

/// Writes a module beside the list; returns its file name without `.ko`.
fn write_module<'a>(member: &'a Member, order_file: &Path) -> Result<&'a str> {
    let file = member.path.rsplit('/').next().unwrap_or_default();
    let name = stem(file).unwrap_or(file);
    if let Some(data) = module(member) {
        files::write(&order_file.with_file_name(format!("{name}.ko")), &data)?;
    }
    Ok(name)
}

/// A module, unpacked where the kernel's package has it packed: init's insmod does not unpack.
fn module(member: &Member) -> Option<Cow<'_, [u8]>> {
    let Kind::File { data, .. } = &member.kind else {
        return None;
    };
    if !member.path.ends_with(PACKED) {
        return Some(Cow::Borrowed(data));
    }
    let mut unpacked = Vec::new();
    let mut decoder = XzDecoder::new(data.as_slice());
    decoder.read_to_end(&mut unpacked).ok()?;
    Some(Cow::Owned(unpacked))
}

/// A module's file name without its ending; none of another file.
fn stem(path: &str) -> Option<&str> {
    let file = path.rsplit('/').next()?;
    let file = file.strip_suffix(PACKED).unwrap_or(file);
    file.strip_suffix(".ko")
}

/// A module's canonical name: the kernel treats `-` and `_` alike.
fn module_name(path: &str) -> Option<String> {
    stem(path).map(canonical)
}

fn canonical(name: &str) -> String {
    name.replace('-', "_")
}

/// For each group its modules and their dependencies, dependencies first, without those of an
/// earlier group.
fn load_order<const N: usize>(
    groups: [&Vec<String>; N],
    depends: impl Fn(&str) -> Option<Vec<String>>,
) -> Result<Vec<Vec<String>>> {
    let mut order = Vec::new();
    let ordered = groups.map(|group| {
        let before = order.len();
        for name in group {
            visit(&canonical(name), &depends, &mut order)?;
        }
        Ok(order[before..].to_vec())
    });
    ordered.into_iter().collect()
}

fn visit(
    name: &str,
    depends: &impl Fn(&str) -> Option<Vec<String>>,
    order: &mut Vec<String>,
) -> Result<()> {
    if order.iter().any(|o| o == name) {
        return Ok(());
    }
    let before = depends(name)
        .ok_or_else(|| Error::Package(format!("the kernel's package has no module {name}")))?;
    for other in before {
        visit(&canonical(&other), depends, order)?;
    }
    order.push(name.into());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depends(name: &str) -> Option<Vec<String>> {
        let list: &[&str] = match name {
            "rndis_host" => &["cdc-ether", "usbnet"],
            "cdc_ether" => &["usbnet"],
            "usbnet" => &["mii"],
            "mii" => &[],
            _ => return None,
        };
        Some(list.iter().map(|s| s.to_string()).collect())
    }

    #[test]
    fn modules_load_once_and_after_their_dependencies() {
        let first = vec!["mii".to_string()];
        let second = ["rndis-host", "usbnet"].map(str::to_string).to_vec();
        assert_eq!(
            load_order([&first, &second], depends).unwrap(),
            [vec!["mii"], vec!["usbnet", "cdc_ether", "rndis_host"]]
        );
    }

    #[test]
    fn a_packed_module_has_the_same_name_and_contents() {
        use std::io::Write;
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
        encoder.write_all(b"code").unwrap();
        let file = |path: &str, data: Vec<u8>| Member {
            path: path.into(),
            kind: Kind::File { mode: 0o644, data },
        };
        let plain = file("/lib/modules/1/a/virtio-net.ko", b"code".into());
        let packed = file(
            "/lib/modules/1/a/virtio-net.ko.xz",
            encoder.finish().unwrap(),
        );
        let dir = tempfile::tempdir().unwrap();
        for member in [plain, packed] {
            assert_eq!(module_name(&member.path).as_deref(), Some("virtio_net"));
            let name = write_module(&member, &dir.path().join("order")).unwrap();
            assert_eq!(name, "virtio-net");
            let written = std::fs::read(dir.path().join("virtio-net.ko")).unwrap();
            assert_eq!(written, b"code");
        }
        assert_eq!(module_name("/lib/modules/1/modules.dep"), None);
    }

    #[test]
    fn what_is_part_of_the_kernel_is_no_module() {
        let list = Member {
            path: "/lib/modules/1/modules.builtin".into(),
            kind: Kind::File {
                mode: 0o644,
                data: b"kernel/drivers/virtio/virtio-pci.ko\nkernel/fs/x.ko\n".into(),
            },
        };
        let names = ["virtio_pci", "x"].map(str::to_owned);
        assert_eq!(builtin(&[list]), BTreeSet::from(names));
        assert_eq!(builtin(&[]), BTreeSet::new());
    }

    #[test]
    fn a_missing_module_is_named() {
        let text = load_order([&vec!["usbnat".into()]], depends)
            .unwrap_err()
            .to_string();
        assert!(text.contains("usbnat"), "{text}");
    }

    #[test]
    fn a_device_tree_is_found_by_its_whole_name() {
        assert!(is_dtb("/usr/lib/linux/zero.dtb", Some("zero.dtb")));
        assert!(!is_dtb("/usr/lib/linux/not-zero.dtb", Some("zero.dtb")));
        assert!(!is_dtb("/usr/lib/linux/zero.dtb", None));
    }
}
