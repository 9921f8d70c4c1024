//! The options of a kernel's configuration that decide whether the module can be built and loaded.
//!
//! The module's own build refuses the same ones (`engine/kmod`); a test compares them.

use std::io::Read;

use flate2::read::GzDecoder;

use super::{Finding, System};

const SUBJECT: &str = "configuration";

/// An option, or several of which one is as good as another.
struct Row {
    options: Texts,
    /// Whether it must be set, or must not be.
    wanted: bool,
    /// Machines that it matters on, as `uname -m` names them, by what they begin with.
    machines: Texts,
    why: &'static str,
}

const ALL: &[&str] = &["aarch64", "arm", "x86_64"];
const ARM: &[&str] = &["arm"];
const ARM64: &[&str] = &["aarch64"];
const X86: &[&str] = &["x86_64"];

/// The options, and the machines.
type Texts = &'static [&'static str];

const fn wants(options: Texts, machines: Texts, why: &'static str) -> Row {
    Row {
        options,
        wanted: true,
        machines,
        why,
    }
}

const fn refuses(options: Texts, machines: Texts, why: &'static str) -> Row {
    Row {
        wanted: false,
        ..wants(options, machines, why)
    }
}

const ROWS: [Row; 26] = [
    wants(&["CONFIG_MODULES"], ALL, "no module can be loaded"),
    wants(
        &["CONFIG_KPROBES"],
        ALL,
        "the module finds the kernel's symbols by a kprobe",
    ),
    wants(
        &["CONFIG_KALLSYMS"],
        ALL,
        "the kernel's functions have no names",
    ),
    wants(
        &["CONFIG_KALLSYMS_ALL"],
        X86,
        "variables have no names, some of which the module needs",
    ),
    wants(
        &["CONFIG_STACKPROTECTOR"],
        ALL,
        "a thread is known by its stack's canary",
    ),
    wants(
        &["CONFIG_VMAP_STACK"],
        &["aarch64", "arm"],
        "stacks are expected to be mapped",
    ),
    wants(
        &["CONFIG_STRICT_KERNEL_RWX"],
        ARM,
        "no page may be writable and executable",
    ),
    wants(
        &["CONFIG_STRICT_MODULE_RWX"],
        ARM,
        "no page may be writable and executable",
    ),
    wants(
        &["CONFIG_SMP"],
        X86,
        "a thread's stack is found through data of its CPU",
    ),
    wants(
        &["CONFIG_RETPOLINE", "CONFIG_MITIGATION_RETPOLINE"],
        X86,
        "without it a jump inside a function looks like a return from it",
    ),
    refuses(
        &["CONFIG_IRQ_TIME_ACCOUNTING"],
        ALL,
        "vtimestamp expects that the scheduler's clock includes interrupts",
    ),
    refuses(
        &["CONFIG_PARAVIRT_TIME_ACCOUNTING"],
        ALL,
        "vtimestamp expects that the scheduler's clock includes time taken by the host",
    ),
    refuses(&["CONFIG_RCU_TRACE"], &["aarch64", "x86_64"], TRACED),
    refuses(&["CONFIG_TRACE_IRQFLAGS"], &["aarch64", "x86_64"], TRACED),
    refuses(
        &["CONFIG_SMP"],
        &["armv6"],
        "caches of several processors are maintained from ARMv7 on",
    ),
    refuses(
        &["CONFIG_THUMB2_KERNEL"],
        ARM,
        "the kernel's functions are in Thumb state",
    ),
    refuses(&["CONFIG_ARM_LPAE"], ARM, "page tables have another format"),
    refuses(
        &["CONFIG_FRAME_POINTER"],
        ARM,
        "a trap handler would return into the module",
    ),
    refuses(
        &["CONFIG_SHADOW_CALL_STACK"],
        ALL,
        "the way from a trap was never run with one",
    ),
    refuses(
        &["CONFIG_ARM64_BTI_KERNEL"],
        ARM64,
        "calls by address may have no landing pad",
    ),
    refuses(
        &["CONFIG_CFI_CLANG", "CONFIG_CFI"],
        ALL,
        "the module's Rust functions have no type hash",
    ),
    refuses(
        &["CONFIG_PREEMPT_RT"],
        ALL,
        "memory is allocated where nothing may sleep",
    ),
    refuses(
        &["CONFIG_KASAN_GENERIC", "CONFIG_KASAN_SW_TAGS"],
        ALL,
        SANITIZED,
    ),
    refuses(&["CONFIG_KMSAN"], ALL, SANITIZED),
    refuses(&["CONFIG_KCSAN"], ALL, SANITIZED),
    refuses(&["CONFIG_KCOV_INSTRUMENT_ALL"], ALL, SANITIZED),
];

const TRACED: &str = "it adds calls of what can be traced between a trap and its handler";
const SANITIZED: &str = "it adds calls of what can be traced to each access";

/// The text of a kernel's configuration.
pub struct Configuration(String);

impl Configuration {
    /// The running kernel's: its own copy, or the one that was installed with it.
    pub fn read(system: &System) -> Option<Self> {
        let packed = system.bytes("proc/config.gz");
        let own = packed.and_then(|bytes| {
            let mut text = String::new();
            GzDecoder::new(&*bytes).read_to_string(&mut text).ok()?;
            Some(text)
        });
        let release = &system.release;
        let installed = [
            format!("boot/config-{release}"),
            format!("lib/modules/{release}/config"),
            format!("lib/modules/{release}/build/.config"),
        ];
        let installed = || {
            installed
                .iter()
                .map(|it| system.text(it))
                .find(|it| !it.is_empty())
        };
        own.or_else(installed).map(Self)
    }

    /// Whether an option is `y`.
    pub fn has(&self, option: &str) -> bool {
        let mut lines = self.0.lines();
        lines.any(|line| line.strip_prefix(option) == Some("=y"))
    }
}

/// What the configuration rules out.
pub fn findings(system: &System, configuration: Option<&Configuration>) -> Vec<Finding> {
    let Some(configuration) = configuration else {
        let what =
            "this kernel's configuration cannot be read, neither from /proc/config.gz nor /boot";
        return vec![Finding::limit(
            SUBJECT,
            what,
            "doc/kernels.md lists what must not be set",
        )];
    };
    let matters = |row: &&Row| row.machines.iter().any(|it| system.machine.starts_with(it));
    let is_wrong = |row: &&Row| {
        let is_set = row.options.iter().any(|option| configuration.has(option));
        is_set != row.wanted
    };
    if !ALL.iter().any(|it| system.machine.starts_with(it)) {
        let what = format!("the module is not for this processor ({})", system.machine);
        return vec![Finding::bad(
            SUBJECT,
            what,
            "processes of your own cannot be traced either",
        )];
    }
    let wrong = ROWS.iter().filter(matters).filter(is_wrong);
    let found: Vec<_> = wrong
        .map(|row| {
            let set = if row.wanted { "is not set" } else { "is set" };
            let with = if row.wanted { "with" } else { "without" };
            let is_set = |option: &&&str| configuration.has(option);
            let option = row.options.iter().find(is_set).unwrap_or(&row.options[0]);
            Finding::bad(
                SUBJECT,
                format!("{option} {set}: {}", row.why),
                format!("use a kernel built {with} it"),
            )
        })
        .collect();
    if found.is_empty() {
        return vec![Finding::good(SUBJECT, "no option rules the module out")];
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::super::tests::system;
    use super::*;

    fn options(text: &str) -> BTreeSet<String> {
        let words = text.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        let named = words.filter(|word| word.starts_with("CONFIG_"));
        named.map(str::to_owned).collect()
    }

    /// The options in the conditions of the module's refusals.
    fn refused_by_the_build() -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kmod");
        let mut found = BTreeSet::new();
        for part in ["", "arch"] {
            for file in fs::read_dir(folder.join(part)).unwrap() {
                let path = file.unwrap().path();
                if !path.is_file() {
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                let is_header = path.ends_with("kernel.h");
                let conditions = text.lines().filter(|line| {
                    line.starts_with("static_assert(") || is_header && line.starts_with("#if")
                });
                found.extend(conditions.flat_map(options));
            }
        }
        found
    }

    #[test]
    fn the_options_are_those_that_the_modules_build_refuses() {
        let named = |row: &Row| row.options.iter().map(|it| (*it).to_owned());
        let listed: BTreeSet<String> = ROWS.iter().flat_map(named).collect();
        // Without these there are no names or modules: a build from headers does not ask.
        let not_asked = ["MODULES", "KPROBES", "KALLSYMS", "KALLSYMS_ALL"];
        let not_asked = not_asked.map(|it| format!("CONFIG_{it}"));
        let mut refused = refused_by_the_build();
        refused.extend(not_asked);
        assert_eq!(listed, refused);
    }

    #[test]
    fn an_option_is_named_with_its_reason() {
        let good = "CONFIG_MODULES=y\nCONFIG_KPROBES=y\nCONFIG_KALLSYMS=y\nCONFIG_KALLSYMS_ALL=y\n\
                    CONFIG_STACKPROTECTOR=y\nCONFIG_SMP=y\nCONFIG_MITIGATION_RETPOLINE=y\n";
        let config = "boot/config-6.1.0-1-amd64";
        let found = |text: &str| {
            let (_folder, system) = system(&[(config, text)]);
            findings(&system, Configuration::read(&system).as_ref())
        };
        assert_eq!(
            found(good),
            [Finding::good(SUBJECT, "no option rules the module out")]
        );
        let bad = found(&(good.to_owned() + "CONFIG_PREEMPT_RT=y\n# CONFIG_KMSAN is not set\n"));
        assert_eq!(bad.len(), 1);
        assert!(
            bad[0].what.starts_with("CONFIG_PREEMPT_RT is set"),
            "{bad:?}"
        );
        let bad = found(&good.replace("CONFIG_SMP=y\n", ""));
        assert!(bad[0].what.starts_with("CONFIG_SMP is not set"), "{bad:?}");
    }
}
