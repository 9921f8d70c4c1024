//! The running kernel: what it allows, and what it tells.

use super::configuration::{self, Configuration};
use super::{Finding, System, Verdict};

/// Findings about the kernel.
pub fn findings(system: &System) -> Vec<Finding> {
    let configuration = Configuration::read(system);
    let mut found = vec![Finding::good(
        "kernel",
        format!("{} {}", system.machine, system.release),
    )];
    found.extend(configuration::findings(system, configuration.as_ref()));
    found.extend(branch_tracking(system, configuration.as_ref()));
    found.push(lockdown(system));
    found.push(types(system));
    found.extend(ptrace(system));
    found
}

/// Indirect Branch Tracking, which no guest has: said, so that a report of trouble says it too.
fn branch_tracking(system: &System, configuration: Option<&Configuration>) -> Option<Finding> {
    let is_built = configuration.is_none_or(|it| it.has("CONFIG_X86_KERNEL_IBT"));
    let info = system.text("proc/cpuinfo");
    let mut flags = info.lines().filter(|line| line.starts_with("flags"));
    let has = flags.any(|line| line.split_whitespace().any(|flag| flag == "ibt"));
    let command_line = system.text("proc/cmdline");
    let is_off = command_line
        .split_whitespace()
        .any(|word| word == "ibt=off");
    if !(is_built && has) || is_off {
        return None;
    }
    Some(Finding::limit(
        "branches",
        "this kernel tracks indirect branches (IBT); the module makes none that it forbids, but has \
         been tried on no such processor yet",
        "boot with ibt=off if the kernel ever reports a missing ENDBR",
    ))
}

fn lockdown(system: &System) -> Finding {
    let text = system.text("sys/kernel/security/lockdown");
    match text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
    {
        Some(("confidentiality", _)) => Finding::bad(
            "lockdown",
            "confidentiality: the kernel's memory may not be read",
            "boot with lockdown=integrity, or without",
        ),
        Some(("integrity", _)) => Finding::good("lockdown", "integrity: the module must be signed"),
        Some(_) => Finding::good("lockdown", "none"),
        None => Finding::good("lockdown", "not known: securityfs is not mounted"),
    }
}

fn types(system: &System) -> Finding {
    let packaged = format!("usr/lib/dtrace/btf/{}.btf", system.release);
    if system.has("sys/kernel/btf/vmlinux") || system.has(packaged) {
        return Finding::good("types", "the kernel's types are known");
    }
    Finding::limit(
        "types",
        "this kernel tells no types (CONFIG_DEBUG_INFO_BTF): args[] and its structs have none",
        "-x btfpath=FILE takes them from a file, which pahole --btf_encode_detached makes",
    )
}

/// Whether a process that is not a child can be traced without the module.
fn ptrace(system: &System) -> Option<Finding> {
    let scope = system.text("proc/sys/kernel/yama/ptrace_scope");
    let (verdict, what) = match scope.trim() {
        "" | "0" => return None,
        "1" if system.is_superuser => return None,
        "1" => (
            Verdict::Limit,
            "only a command's own processes: -c, and not -p",
        ),
        "2" if system.is_superuser => return None,
        "2" => (Verdict::Limit, "no process, but by root"),
        _ => (Verdict::Limit, "no process"),
    };
    let what = format!("without the module, {what} can be traced (ptrace_scope)");
    let remedy = "sysctl kernel.yama.ptrace_scope=0 allows it; 3 stays until the next boot";
    Some(Finding::new("processes", verdict, what, remedy))
}

#[cfg(test)]
mod tests {
    use super::super::tests::system;
    use super::*;

    #[test]
    fn tracking_of_branches_is_said_unless_it_is_off() {
        let config = ("boot/config-6.1.0-1-amd64", "CONFIG_X86_KERNEL_IBT=y\n");
        let found = |cpu, command_line| {
            let files = [
                config,
                ("proc/cpuinfo", cpu),
                ("proc/cmdline", command_line),
            ];
            let (_folder, system) = system(&files);
            branch_tracking(&system, Configuration::read(&system).as_ref()).is_some()
        };
        assert!(found("flags\t: fpu ibt\n", "quiet"));
        assert!(!found("flags\t: fpu\n", "quiet"));
        assert!(!found("flags\t: fpu ibt\n", "quiet ibt=off"));
    }

    #[test]
    fn lockdown_is_told_by_its_level() {
        let verdict = |text| {
            let (_folder, system) = system(&[("sys/kernel/security/lockdown", text)]);
            lockdown(&system).verdict
        };
        assert_eq!(verdict("none integrity [confidentiality]\n"), Verdict::Bad);
        assert_eq!(verdict("none [integrity] confidentiality\n"), Verdict::Good);
        assert_eq!(verdict(""), Verdict::Good);
    }
}
