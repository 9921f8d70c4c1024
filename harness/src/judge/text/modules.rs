//! The text ranges of loaded modules, from their sections in sysfs and their symbols. Pure.

use std::collections::BTreeMap;

/// Lists the sections. Without modules, or without hidden names among the sections, a glob matches
/// nothing and grep fails, which is no error.
pub const COMMAND: &str = "grep -s 0x /sys/module/*/sections/* /sys/module/*/sections/.[!.]*; true";

/// Lists the last function of each module, which takes a while. awk takes some addresses for numbers, if
/// nothing is in front of them.
pub const FUNCTIONS: &str = r#"awk '$4 && tolower($2) == "t" && "0x" $1 > last[$4] { last[$4] = "0x" $1 }
END { for (module in last) print module ":" last[module] }' /proc/kallsyms"#;

/// Text is mapped by pages.
const PAGE: u64 = 4096;

/// The text of one module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleText {
    /// The module's name.
    pub name: String,
    /// Its first address.
    pub start: u64,
    /// Its size in bytes, including padding to the next section or page.
    pub size: u64,
}

/// A module's sections: address, and whether it is text.
type Sections = Vec<(u64, bool)>;

/// Parses lines such as `/sys/module/virtio/sections/.text:0xbf000000`, and for the last function
/// `[virtio]:0xbf001234`.
pub fn parse(said: &str) -> Vec<ModuleText> {
    let last: BTreeMap<&str, u64> = said.lines().filter_map(last_function).collect();
    let modules = modules(said);
    let texts = modules
        .iter()
        .map(|(name, sections)| text(name, sections, last.get(name).copied()));
    texts.flatten().collect()
}

/// Whether some text has no end without the last functions.
pub fn is_open(said: &str) -> bool {
    let modules = modules(said);
    modules.iter().any(|(name, sections)| {
        let has_text = sections.iter().any(|(_, is_text)| *is_text);
        has_text && text(name, sections, None).is_none()
    })
}

fn modules(said: &str) -> BTreeMap<&str, Sections> {
    let mut modules: BTreeMap<&str, Sections> = BTreeMap::new();
    for (module, section, address) in said.lines().filter_map(row) {
        let sections = modules.entry(module).or_default();
        sections.push((address, is_text(section)));
    }
    modules
}

fn last_function(line: &str) -> Option<(&str, u64)> {
    let (module, address) = line.strip_prefix('[')?.split_once("]:0x")?;
    let address = u64::from_str_radix(address.trim_end(), 16).ok()?;
    Some((module, address))
}

fn row(line: &str) -> Option<(&str, &str, u64)> {
    let (module, rest) = line.strip_prefix("/sys/module/")?.split_once('/')?;
    let (section, address) = rest.strip_prefix("sections/")?.split_once(":0x")?;
    let address = u64::from_str_radix(address.trim_end(), 16).ok()?;
    // Init sections are freed once the module is live, and their memory may have been reused.
    (!section.starts_with(".init")).then_some((module, section, address))
}

/// Sections with code, besides those that start with `.text`.
const TEXTS: &[&str] = &[
    ".altinstr_aux",
    ".altinstr_replacement",
    ".exit.text",
    ".fixup",
    ".kprobes.text",
    ".noinstr.text",
    ".plt",
    ".static_call.text",
];

fn is_text(section: &str) -> bool {
    section.starts_with(".text") || TEXTS.contains(&section)
}

/// Text comes first in a module's core memory, and is followed by another section; unless the kernel keeps
/// the text of modules apart, as Linux 7.3 does on x86: then it ends with the page of its last function.
fn text(name: &str, sections: &Sections, last_function: Option<u64>) -> Option<ModuleText> {
    let texts = sections.iter().filter(|(_, is_text)| *is_text);
    let start = texts.map(|(address, _)| *address).min()?;
    let others = sections.iter().filter(|(_, is_text)| !is_text);
    let behind = others.map(|(address, _)| *address);
    let next = behind.filter(|address| *address > start).min();
    let last = last_function.filter(|address| *address >= start);
    let end = next.or(last.map(|address| (address / PAGE + 1) * PAGE))?;
    Some(ModuleText {
        name: name.to_owned(),
        start,
        size: end - start,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_text_ends_at_the_next_section() {
        let said = "/sys/module/rng/sections/.data:0xbf004000\n\
                    /sys/module/rng/sections/.exit.text:0xbf000100\n\
                    /sys/module/rng/sections/.init.text:0xbf001000\n\
                    /sys/module/rng/sections/.rodata:0xbf002000\n\
                    /sys/module/rng/sections/.text:0xbf000000\n\
                    /sys/module/virtio/sections/.plt:0xbf010000\n\
                    /sys/module/virtio/sections/__ex_table:0xbf012000\n";
        let module = |name: &str, start, size| ModuleText {
            name: name.to_owned(),
            start,
            size,
        };
        let expected = [
            module("rng", 0xbf00_0000, 0x2000),
            module("virtio", 0xbf01_0000, 0x2000),
        ];
        assert_eq!(parse(said), expected);
    }

    #[test]
    fn module_text_behind_all_sections_ends_with_the_page_of_its_last_function() {
        let said = "/sys/module/balloon/sections/.data:0xffffffffc0201000\n\
                    /sys/module/balloon/sections/.exit.text:0xffffffffc0402260\n\
                    /sys/module/balloon/sections/.text:0xffffffffc0400000\n\
                    [balloon]:0xffffffffc0402260\n\
                    [bpf]:0xffffffffc0500000\n";
        let expected = [ModuleText {
            name: "balloon".into(),
            start: 0xffff_ffff_c040_0000,
            size: 0x3000,
        }];
        assert_eq!(parse(said), expected);
        assert!(is_open(said));
    }

    #[test]
    fn modules_without_text_are_skipped() {
        let said = "/sys/module/empty/sections/.data:0xbf004000\n[empty]:0x1000\nnonsense\n";
        assert_eq!(parse(said), []);
        assert!(!is_open(said));
    }
}
