//! The module: built, signed, loaded, and open to this user.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Finding, System};
use crate::device::Device;
use crate::engine::Absence;
use crate::error::Error;

const NAME: &str = "trapline";

/// What the kernel's build appends to a module that it signs.
const SIGNED: &[u8] = b"~Module signature appended~\n";

/// Findings about the module.
pub fn findings(system: &System) -> Vec<Finding> {
    let mut found = Vec::new();
    if system.has(format!("sys/module/{NAME}")) {
        let version = system.text(format!("sys/module/{NAME}/version"));
        found.push(Finding::good(
            "module",
            format!("loaded, version {}", version.trim()),
        ));
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
    found
}

/// What came of opening the device, for which root has the module loaded.
pub fn device(opened: Result<Result<Device, Absence>, Error>) -> Finding {
    const SUBJECT: &str = "device";
    match opened {
        Ok(Ok(_)) => Finding::good(SUBJECT, "/dev/dtrace is open to you"),
        Ok(Err(Absence::Forbidden)) => Finding::bad(
            SUBJECT,
            "/dev/dtrace is not open to you",
            "run dtrace as root; your own processes can be traced without it",
        ),
        Ok(Err(_)) => Finding::bad(
            SUBJECT,
            "there is no /dev/dtrace: the module is not loaded",
            "as root: modprobe trapline, and see what the kernel says: dmesg | grep trapline",
        ),
        Err(why) => Finding::bad(
            SUBJECT,
            why.to_string(),
            "if the command is newer than the loaded module: rmmod trapline, and try again",
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
    let what = "there is none for this kernel";
    let sources = Sources::find(system);
    let build = sources.as_ref().map(|it| it.build(system));
    if system.has(format!("lib/modules/{}/build", system.release)) {
        let remedy = build.unwrap_or_else(|| how_to_get(system).to_owned());
        return Finding::bad(SUBJECT, what, remedy);
    }
    let next = match build {
        Some(build) => format!("unless that builds it: {build}"),
        None => how_to_get(system).to_owned(),
    };
    Finding::bad(
        SUBJECT,
        format!("{what}, and it cannot be built: the kernel's headers are not installed"),
        format!("{}; then, {next}", headers(system)),
    )
}

/// Whether distributions' packages are Debian's, as ours are.
fn is_debian(system: &System) -> bool {
    system.has("etc/debian_version")
}

fn headers(system: &System) -> String {
    let release = &system.release;
    match is_debian(system) {
        true => format!("apt install linux-headers-{release}"),
        false => format!("install the headers of {release} (kernel-devel, linux-headers)"),
    }
}

fn how_to_get(system: &System) -> &'static str {
    match is_debian(system) {
        true => "install the package trapline-dkms, which builds it",
        false => {
            "run cargo xtask install in Trapline's repository, and the last line that it prints"
        }
    }
}

/// The installed sources of the module.
struct Sources {
    /// Whether DKMS has them, so that it knows them by name.
    are_of_dkms: bool,
    version: String,
}

impl Sources {
    fn find(system: &System) -> Option<Self> {
        let version = |folder: &str| {
            let entries = fs::read_dir(system.path(folder)).into_iter().flatten();
            let names = entries
                .flatten()
                .filter_map(|it| it.file_name().into_string().ok());
            let versions = names.filter_map(|it| Some(it.strip_prefix("trapline-")?.to_owned()));
            versions.max()
        };
        let found = |folder, are_of_dkms| {
            let version = version(folder)?;
            Some(Self {
                are_of_dkms,
                version,
            })
        };
        found("usr/src", true).or_else(|| found("usr/local/src", false))
    }

    /// How to build the module for the running kernel. Unlike `dkms autoinstall`, `dkms install` also
    /// knows a module that DKMS has forgotten with its last kernel, and says what rules it out.
    fn build(&self, system: &System) -> String {
        let (version, release) = (&self.version, &system.release);
        let log = format!("var/lib/dkms/{NAME}/{version}/build/make.log");
        if self.are_of_dkms && system.has(&log) {
            return format!(
                "see why in /{log}; dkms install {NAME}/{version} -k {release} tries again"
            );
        }
        if self.are_of_dkms {
            return format!("dkms install {NAME}/{version} -k {release}");
        }
        let folder = format!("/usr/local/src/{NAME}-{version}");
        if system.has("usr/sbin/dkms") || system.has("usr/bin/dkms") {
            return format!("dkms install {folder} -k {release}");
        }
        format!(
            "make -C /lib/modules/{release}/build M={folder} KCFLAGS=-DTRAPLINE_VERSION={version} \
             INSTALL_MOD_DIR=updates clean modules modules_install && depmod"
        )
    }
}

/// Whether the kernel will take the module if it wants signatures.
fn signature(system: &System, file: &Path) -> Option<Finding> {
    const SUBJECT: &str = "signature";
    let lockdown = system.text("sys/kernel/security/lockdown");
    let enforced = system.text("sys/module/module/parameters/sig_enforce");
    if !lockdown.contains("[integrity]") && enforced.trim() != "Y" {
        return None;
    }
    let is_packed = file.extension().is_some_and(|it| it != "ko");
    let bytes = fs::read(file).unwrap_or_default();
    if !is_packed && !bytes.ends_with(SIGNED) {
        return Some(Finding::bad(
            SUBJECT,
            "this kernel takes signed modules only, and this one is not signed",
            "dkms signs what it builds if openssl is installed: apt install openssl, then \
             dkms remove and install",
        ));
    }
    Some(Finding::limit(
        SUBJECT,
        "this kernel takes the module only if the key that signed it is enrolled",
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
        let debian = ("etc/debian_version", "12.0");
        let headers = ("lib/modules/6.1.0-1-amd64/build/Makefile", "");
        let source = ("usr/src/trapline-0.1.0/dkms.conf", "");
        let log = ("var/lib/dkms/trapline/0.1.0/build/make.log", "");
        assert_eq!(
            remedy(&[debian]),
            "apt install linux-headers-6.1.0-1-amd64; then, install the package trapline-dkms, which builds it"
        );
        assert_eq!(
            remedy(&[debian, source]),
            "apt install linux-headers-6.1.0-1-amd64; then, unless that builds it: \
             dkms install trapline/0.1.0 -k 6.1.0-1-amd64"
        );
        assert!(remedy(&[debian, headers]).contains("trapline-dkms"));
        assert_eq!(
            remedy(&[debian, headers, source]),
            "dkms install trapline/0.1.0 -k 6.1.0-1-amd64"
        );
        assert!(remedy(&[headers, source, log]).contains("make.log"));
        assert_eq!(found(&[(MODULE, "")])[0].1, Verdict::Good);
    }

    #[test]
    fn where_there_are_no_packages_none_is_named() {
        let remedy = |files: &[(&str, &str)]| found(files)[0].2.clone();
        let headers = ("lib/modules/6.1.0-1-amd64/build/Makefile", "");
        let source = ("usr/local/src/trapline-0.1.0/dkms.conf", "");
        for files in [&[][..], &[headers], &[source], &[headers, source]] {
            let said = remedy(files);
            assert!(
                !said.contains("apt ") && !said.contains("trapline-dkms"),
                "{said}"
            );
        }
        assert!(remedy(&[headers]).contains("cargo xtask install"));
        assert!(remedy(&[headers, source]).contains("M=/usr/local/src/trapline-0.1.0 "));
        assert_eq!(
            remedy(&[headers, source, ("usr/bin/dkms", "")]),
            "dkms install /usr/local/src/trapline-0.1.0 -k 6.1.0-1-amd64"
        );
    }

    #[test]
    fn a_module_must_be_signed_where_the_kernel_says_so() {
        let signature = |lockdown: &str, module: &str| {
            let files = [(MODULE, module), ("sys/kernel/security/lockdown", lockdown)];
            let all = found(&files);
            let of_it = all.iter().find(|it| it.0 == "signature");
            of_it.map(|it| it.1)
        };
        let signed = "code~Module signature appended~\n";
        assert_eq!(signature("none [integrity]", "code"), Some(Verdict::Bad));
        assert_eq!(signature("none [integrity]", signed), Some(Verdict::Limit));
        assert_eq!(signature("[none] integrity", "code"), None);
    }
}
