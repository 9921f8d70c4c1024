//! The module: built, signed, loaded, and open to this user.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use super::{Finding, System};

const NAME: &str = "trapline";

/// What the kernel's build appends to a module that it signs.
const SIGNED: &[u8] = b"~Module signature appended~\n";

/// Whether Secure Boot is on: four bytes of attributes, then the value.
const SECURE_BOOT: &str =
    "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

/// Findings about the module.
pub fn findings(system: &System) -> Vec<Finding> {
    let mut found = Vec::new();
    if system.has(format!("sys/module/{NAME}")) {
        let version = system.text(format!("sys/module/{NAME}/version"));
        found.push(Finding::good(
            "module",
            format!("loaded, version {}", version.trim()),
        ));
        found.push(device(system));
        return found;
    }
    let release = &system.release;
    let file = find(&system.path(format!("lib/modules/{release}")));
    let Some(file) = file else {
        found.push(not_built(system));
        return found;
    };
    found.push(Finding::good(
        "module",
        format!("built for this kernel: {}", file.display()),
    ));
    found.extend(signature(system, &file));
    let how = "modprobe trapline; dtrace does so itself if root runs it";
    found.push(Finding::limit("loaded", "it is not loaded yet", how));
    found
}

/// The device of a loaded module.
fn device(system: &System) -> Finding {
    const SUBJECT: &str = "device";
    let path = system.path("dev/dtrace");
    match OpenOptions::new().read(true).write(true).open(&path) {
        Ok(_) => Finding::good(SUBJECT, "/dev/dtrace can be opened"),
        Err(why) => Finding::bad(
            SUBJECT,
            format!("/dev/dtrace: {why}"),
            "run dtrace as root; a user's own processes can be traced without",
        ),
    }
}

/// The module's file, which DKMS and distributions put in different folders.
fn find(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let mut folders = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders.push(path);
        } else if name
            .strip_prefix(NAME)
            .is_some_and(|rest| rest.starts_with(".ko"))
        {
            return Some(path);
        }
    }
    folders.iter().find_map(|it| find(it))
}

fn not_built(system: &System) -> Finding {
    const SUBJECT: &str = "module";
    let release = &system.release;
    let what = "there is none for this kernel";
    if !system.has(format!("lib/modules/{release}/build")) {
        return Finding::bad(
            SUBJECT,
            format!("{what}, and it cannot be built: the kernel's headers are not installed"),
            format!("apt install linux-headers-{release}; trapline-dkms builds it then"),
        );
    }
    let sources = fs::read_dir(system.path("usr/src")).into_iter().flatten();
    let is_ours = |name: &str| name.starts_with("trapline-");
    let mut names = sources.flatten().map(|it| it.file_name());
    let Some(source) = names.find(|name| name.to_str().is_some_and(is_ours)) else {
        return Finding::bad(SUBJECT, what, "apt install trapline-dkms builds it");
    };
    let version = source.to_string_lossy().replace("trapline-", "");
    let log = format!("var/lib/dkms/{NAME}/{version}/build/make.log");
    let remedy = if system.has(&log) {
        format!("see why in /{log}; dkms autoinstall -k {release} tries again")
    } else {
        format!("dkms autoinstall -k {release} builds it")
    };
    Finding::bad(SUBJECT, what, remedy)
}

/// Whether the kernel will take the module under Secure Boot.
fn signature(system: &System, file: &Path) -> Option<Finding> {
    const SUBJECT: &str = "signature";
    let is_on = system
        .bytes(SECURE_BOOT)
        .is_some_and(|it| it.get(4) == Some(&1));
    if !is_on {
        return None;
    }
    let is_packed = file.extension().is_some_and(|it| it != "ko");
    let bytes = fs::read(file).unwrap_or_default();
    if !is_packed && !bytes.ends_with(SIGNED) {
        return Some(Finding::bad(
            SUBJECT,
            "Secure Boot is on, and the module is not signed",
            "dkms signs what it builds if openssl is installed: apt install openssl, then \
             dkms remove and install",
        ));
    }
    Some(Finding::limit(
        SUBJECT,
        "Secure Boot is on: the kernel takes the module if its key is enrolled",
        "once: mokutil --import /var/lib/dkms/mok.pub, and confirm at the next boot",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::super::tests::system;
    use super::*;

    const MODULE: &str = "lib/modules/6.1.0-1-amd64/updates/dkms/trapline.ko";

    fn found(files: &[(&str, &str)]) -> Vec<(&'static str, Verdict, String)> {
        let (_folder, system) = system(files);
        let all = findings(&system).into_iter();
        all.map(|it| (it.subject, it.verdict, it.remedy)).collect()
    }

    #[test]
    fn what_a_module_lacks_is_named_with_the_next_step() {
        let remedy = |files: &[(&str, &str)]| found(files)[0].2.clone();
        assert!(remedy(&[]).contains("linux-headers-6.1.0-1-amd64"));
        let headers = ("lib/modules/6.1.0-1-amd64/build/Makefile", "");
        assert!(remedy(&[headers]).contains("trapline-dkms"));
        let source = ("usr/src/trapline-0.1.0/dkms.conf", "");
        assert!(remedy(&[headers, source]).starts_with("dkms autoinstall"));
        let log = ("var/lib/dkms/trapline/0.1.0/build/make.log", "");
        assert!(remedy(&[headers, source, log]).contains("make.log"));
        assert_eq!(found(&[(MODULE, "")])[1].1, Verdict::Limit);
    }

    #[test]
    fn a_module_must_be_signed_under_secure_boot() {
        let signature = |is_on: &str, module: &str| {
            let all = found(&[(MODULE, module), (SECURE_BOOT, is_on)]);
            let of_it = all.iter().find(|it| it.0 == "signature");
            of_it.map(|it| it.1)
        };
        let signed = "code~Module signature appended~\n";
        assert_eq!(signature("....\u{1}", "code"), Some(Verdict::Bad));
        assert_eq!(signature("....\u{1}", signed), Some(Verdict::Limit));
        assert_eq!(signature("....\0", "code"), None);
    }
}
