//! What a kernel's configuration demands of all code, such as mitigations, for the Rust half: the
//! compiler flags, and a check of the finished code that the mitigations took effect.

use std::collections::BTreeMap;
use std::path::Path;

use xshell::cmd;

use crate::error::{Error, Result};
use crate::files;
use crate::guest::Guest;
use crate::run;

/// Options and the flag each requires. Linux 6.9 renamed the x86 ones to `CONFIG_MITIGATION_*`.
const FLAGS: &[(&str, &str)] = &[
    // With or without a shadow call stack in this kernel: the engine does without the register.
    ("CONFIG_ARM64", "-Zfixed-x18"),
    ("CONFIG_RETPOLINE", RETPOLINE),
    ("CONFIG_MITIGATION_RETPOLINE", RETPOLINE),
    ("CONFIG_RETHUNK", RETURN_THUNK),
    ("CONFIG_MITIGATION_RETHUNK", RETURN_THUNK),
    ("CONFIG_X86_KERNEL_IBT", LANDING_PADS),
    ("CONFIG_UNWINDER_FRAME_POINTER", FRAME_POINTERS),
];
const RETPOLINE: &str = "-Zretpoline-external-thunk";
const RETURN_THUNK: &str = "-Zfunction-return=thunk-extern";
const LANDING_PADS: &str = "-Zcf-protection=branch";
/// Where the kernel unwinds by them, objtool checks that there are any.
const FRAME_POINTERS: &str = "-Cforce-frame-pointers=yes";

/// A kernel's configuration, the text of its `auto.conf`.
pub struct Config(String);

impl Config {
    /// Reads it from the kernel's headers.
    pub fn read(headers: &Path) -> Result<Self> {
        let bytes = files::read(&headers.join("include/config/auto.conf"))?;
        Ok(Self(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// What kernels of an architecture may have: code with all mitigations runs on those, too, that
    /// ask for fewer.
    pub fn of_any_kernel(kernel_arch: &str) -> Self {
        let options: &[&str] = match kernel_arch {
            "arm64" => &["CONFIG_ARM64=y"],
            "x86" => &[
                "CONFIG_RETPOLINE=y",
                "CONFIG_RETHUNK=y",
                "CONFIG_X86_KERNEL_IBT=y",
                "CONFIG_UNWINDER_FRAME_POINTER=y",
                "CONFIG_CALL_PADDING=y",
                "CONFIG_FUNCTION_PADDING_BYTES=16",
            ],
            _ => &[],
        };
        Self(options.join("\n"))
    }

    fn has(&self, option: &str) -> bool {
        self.0
            .lines()
            .any(|line| line.strip_prefix(option) == Some("=y"))
    }

    fn value(&self, option: &str) -> Option<&str> {
        let mut values = self.0.lines().filter_map(|line| line.strip_prefix(option));
        values.find_map(|rest| rest.strip_prefix('='))
    }

    /// Bytes before each function that the kernel may write code to.
    fn padding(&self) -> Option<&str> {
        let bytes = self.value("CONFIG_FUNCTION_PADDING_BYTES")?;
        self.has("CONFIG_CALL_PADDING").then_some(bytes)
    }

    /// Whether the compiler may list where it has left space at functions: with padding before them
    /// it does, and the function tracer does not use that list then.
    pub fn lists_padding(&self) -> bool {
        self.padding().is_some()
    }

    /// rustc's flags for the Rust half.
    pub fn rustflags(&self) -> String {
        let flags = FLAGS.iter().filter(|(option, _)| self.has(option));
        let padding = self.padding();
        let padding = padding.map(|bytes| format!("-Zpatchable-function-entry={bytes},{bytes}"));
        let flags = flags.map(|(_, flag)| (*flag).to_owned()).chain(padding);
        flags.collect::<Vec<_>>().join(" ")
    }

    fn wants(&self, flag: &str) -> bool {
        FLAGS.iter().any(|(o, f)| *f == flag && self.has(o))
    }

    /// Rejects an instruction that this kernel's mitigations forbid, in the Rust half alone
    /// (`engine`, the linked object) for x18, else in the finished `module`.
    pub fn check(&self, guest: &Guest, engine: &Path, module: &Path) -> Result<()> {
        type Forbidden = fn(&Instruction<'_>) -> bool;
        let rules: [(&str, &Path, Forbidden, &str); 4] = [
            ("-Zfixed-x18", engine, uses_x18, "use x18"),
            (RETPOLINE, module, is_indirect, "branch without a retpoline"),
            (RETURN_THUNK, module, is_return, "return without a thunk"),
            (
                LANDING_PADS,
                engine,
                is_entry_without_pad,
                "begin an entry point without a landing pad",
            ),
        ];
        for (flag, object, is_forbidden, what) in rules {
            if self.wants(flag) {
                refuse(object, &disassemble(guest, object)?, is_forbidden, what)?;
            }
        }
        if self.wants(LANDING_PADS) {
            let excess = calls_through_pointers(&disassemble(guest, module)?);
            if let Some(function) = excess {
                let path = module.into();
                let why = format!(
                    "{function} calls through a pointer, which may lead to a function of the kernel \
                     without its landing pad; CALLERS in xtask/src/image/hardening.rs lists what may"
                );
                return Err(Error::Content { path, why });
            }
        }
        Ok(())
    }
}

fn disassemble(guest: &Guest, object: &Path) -> Result<String> {
    let sh = run::shell()?;
    let objdump = format!("{}objdump", guest.build.cross_compile);
    run::read(cmd!(sh, "{objdump} -dr --no-show-raw-insn {object}"))
}

fn refuse(
    object: &Path,
    listing: &str,
    is_forbidden: fn(&Instruction<'_>) -> bool,
    what: &str,
) -> Result<()> {
    let all = instructions(listing);
    let found: Vec<_> = all.iter().filter(|i| is_forbidden(i)).collect();
    let bad = |why| {
        let path = object.into();
        Err(Error::Content { path, why })
    };
    let Some(first) = found.first() else {
        if all.is_empty() {
            return bad("objdump finds no instruction in it".into());
        }
        return Ok(());
    };
    bad(format!(
        "{} of its {} instructions {what}, the first in {}: {}",
        found.len(),
        all.len(),
        first.function,
        first.text
    ))
}

/// An instruction of objdump's listing.
struct Instruction<'a> {
    /// The nearest symbol before it.
    function: &'a str,
    /// Whether it is the first one there.
    is_first: bool,
    text: &'a str,
    /// The symbol of its relocation, with addend; empty if it has none.
    relocation: &'a str,
}

impl Instruction<'_> {
    /// Mnemonic and operands, without prefixes.
    fn words(&self) -> impl Iterator<Item = &str> {
        const PREFIXES: [&str; 6] = ["bnd", "cs", "ds", "notrack", "rep", "repz"];
        let words = self.text.split([' ', '\t', ',']);
        words
            .filter(|word| !word.is_empty())
            .skip_while(|word| PREFIXES.contains(word))
    }
}

fn instructions(listing: &str) -> Vec<Instruction<'_>> {
    let (mut found, mut function) = (Vec::<Instruction<'_>>::new(), "");
    let mut is_first = false;
    for line in listing.lines() {
        if let Some((_, name)) = line.split_once(" <").filter(|_| line.ends_with(">:")) {
            function = name.trim_end_matches(">:");
            is_first = true;
        } else if let Some((_, relocation)) = line.split_once(": R_") {
            if let (Some(last), Some(name)) = (found.last_mut(), relocation.split('\t').nth(1)) {
                last.relocation = name;
            }
        } else if let Some((_, text)) = line.split_once(":\t") {
            let relocation = "";
            found.push(Instruction {
                function,
                is_first,
                text,
                relocation,
            });
            is_first = false;
        }
    }
    found
}

fn uses_x18(instruction: &Instruction<'_>) -> bool {
    let mut names = instruction.text.split(|c: char| !c.is_ascii_alphanumeric());
    names.any(|name| name == "x18" || name == "w18")
}

/// Calls through `pv_ops` are allowed: the kernel patches them into direct ones.
fn is_indirect(instruction: &Instruction<'_>) -> bool {
    let mut words = instruction.words();
    let branches = words
        .next()
        .is_some_and(|mnemonic| ["call", "callq", "jmp", "jmpq"].contains(&mnemonic));
    let through = words.next().unwrap_or_default();
    branches && through.starts_with('*') && !instruction.relocation.starts_with("pv_ops")
}

fn is_return(instruction: &Instruction<'_>) -> bool {
    let mnemonic = instruction.words().next();
    mnemonic.is_some_and(|m| ["ret", "retq", "lret", "lretq"].contains(&m))
}

/// C may call an entry point through a pointer, and is passed the functions that visit.
fn is_entry_without_pad(instruction: &Instruction<'_>) -> bool {
    let name = instruction.function;
    let is_passed = name.starts_with("_R") && name.contains("visit_");
    let is_entry = instruction.is_first && (is_passed || name.starts_with("trapline_"));
    is_entry && !instruction.text.starts_with("endbr64")
}

/// Functions of the C half that call through a pointer, and in how many places at most: all of
/// them lead to the module, but for that in `rings`, the kernel's own pointer to its clock.
const CALLERS: [(&str, usize); 16] = [
    ("cleanup_module", 1),
    ("init_module", 2),
    ("native_open", 1),
    ("native_release", 1),
    ("request", 1),
    ("rings", 1),
    ("shim_each_function", 1),
    ("shim_each_module", 1),
    ("shim_each_syscall", 1),
    ("show", 1),
    ("table_show", 1),
    ("table_start", 1),
    ("tl_each_function_of", 1),
    ("tl_selftest_prepare", 1),
    ("undo", 1),
    ("visit_symbol", 1),
];

/// The first function of the C half that calls through a pointer more often than it may. The Rust
/// half has no pointers to functions of C or the kernel: it calls the C half by name.
fn calls_through_pointers(listing: &str) -> Option<String> {
    let mut calls = BTreeMap::<&str, usize>::new();
    for instruction in instructions(listing) {
        let is_rust = ["_R", "trapline_"].map(|start| instruction.function.starts_with(start));
        let is_call = instruction.relocation.starts_with("__x86_indirect_thunk_");
        if is_call && !is_rust.contains(&true) {
            *calls.entry(instruction.function).or_default() += 1;
        }
    }
    let allowed = |name| CALLERS.iter().find(|(caller, _)| *caller == name);
    let is_excess = |name, count| allowed(name).is_none_or(|(_, most)| count > *most);
    let excess = calls
        .iter()
        .find(|(name, count)| is_excess(**name, **count));
    excess.map(|(name, _)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::files::workspace_root;

    fn config(text: &str) -> Config {
        Config(text.into())
    }

    #[test]
    fn flags_follow_the_configuration_under_both_names() {
        assert_eq!(config("CONFIG_ARM64=y\n").rustflags(), "-Zfixed-x18");
        let old = config("CONFIG_RETPOLINE=y\nCONFIG_RETHUNK=y\n").rustflags();
        assert_eq!(old, format!("{RETPOLINE} {RETURN_THUNK}"));
        let new = config("CONFIG_MITIGATION_RETPOLINE=y\n").rustflags();
        assert_eq!(new, RETPOLINE);
        assert_eq!(config("CONFIG_RETPOLINE_X=y\n").rustflags(), "");
        let padded = config("CONFIG_FUNCTION_PADDING_BYTES=16\nCONFIG_CALL_PADDING=y\n");
        assert_eq!(padded.rustflags(), "-Zpatchable-function-entry=16,16");
        let unpadded = config("CONFIG_FUNCTION_PADDING_BYTES=16\n");
        assert_eq!(unpadded.rustflags(), "");
    }

    #[test]
    fn code_for_any_kernel_has_every_flag_of_its_architecture() {
        let any = Config::of_any_kernel("x86").rustflags();
        for flag in [
            RETPOLINE,
            RETURN_THUNK,
            LANDING_PADS,
            FRAME_POINTERS,
            "-Zpatchable-function-entry=16,16",
        ] {
            assert!(any.contains(flag), "{flag}: {any}");
        }
        assert_eq!(Config::of_any_kernel("arm64").rustflags(), "-Zfixed-x18");
    }

    const REFUSALS: &str = "engine/kmod/kernel.h";

    /// Preprocesses the header of refusals with these options defined; fails with cc's output.
    fn preprocessed(options: &[&str]) -> std::result::Result<(), String> {
        let header = workspace_root().join(REFUSALS);
        let defined = options.iter().map(|option| format!("-D{option}"));
        let sh = run::shell().unwrap();
        let cc = cmd!(sh, "cc -E -o /dev/null {defined...} {header}");
        run::read(cc).map(|_| ()).map_err(|e| e.to_string())
    }

    fn options(text: &str) -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let named = words.filter(|word| word.starts_with("CONFIG_"));
        named.map(str::to_owned).collect()
    }

    /// The `#if`s of the header of refusals, each with the options that it names.
    fn refusals() -> Vec<Vec<String>> {
        let text = files::read(&workspace_root().join(REFUSALS)).unwrap();
        let text = String::from_utf8(text).unwrap();
        let conditions = text.lines().filter(|line| line.starts_with("#if"));
        let named = conditions.map(|line| options(line).into_iter().collect::<Vec<_>>());
        named.filter(|options| !options.is_empty()).collect()
    }

    #[test]
    fn each_refused_option_stops_the_build_with_an_error_that_names_it() {
        preprocessed(&[]).unwrap();
        let refusals = refusals();
        assert!(refusals.len() > 5);
        for options in refusals {
            let set: Vec<_> = options.iter().map(String::as_str).collect();
            let text = preprocessed(&set).unwrap_err();
            let sentence = text
                .lines()
                .find(|l| l.contains("#error CONFIG_"))
                .unwrap_or_default();
            assert!(
                options.iter().all(|o| sentence.contains(o)),
                "{options:?}: {text}"
            );
            assert!(sentence.contains(" Support needs "), "{sentence}");
        }
    }

    #[test]
    fn the_documentation_lists_every_refused_option() {
        let text = files::read(&workspace_root().join("doc/kernels.md")).unwrap();
        let text = String::from_utf8(text).unwrap();
        let (_, section) = text.split_once("## What is not built").unwrap();
        let rows = section
            .lines()
            .filter(|line| line.starts_with("| `CONFIG_"));
        let listed: BTreeSet<_> = rows.flat_map(options).collect();
        assert_eq!(listed, refusals().into_iter().flatten().collect());
    }

    /// The forbidden instructions of a listing.
    fn found(listing: &str, is_forbidden: fn(&Instruction<'_>) -> bool) -> Vec<String> {
        let all = instructions(listing);
        let found = all.iter().filter(|i| is_forbidden(i));
        found
            .map(|i| format!("{}: {}", i.function, i.text))
            .collect()
    }

    #[test]
    fn branches_through_registers_and_tables_are_found() {
        let listing = "
0000000000000000 <f>:
       0:\tcall   *%r14
       3:\tnotrack jmp *0x0(,%rax,8)
\t\t\t7: R_X86_64_32S\t.rodata+0x10
       b:\tcall   *0x0(%rip)        # 11 <f+0x11>
\t\t\td: R_X86_64_PC32\tpv_ops+0xfc
      11:\tcall   16 <f+0x16>
\t\t\t12: R_X86_64_PLT32\t__x86_indirect_thunk_r11-0x4
";
        let expected = ["f: call   *%r14", "f: notrack jmp *0x0(,%rax,8)"];
        assert_eq!(found(listing, is_indirect), expected);
    }

    #[test]
    fn entry_points_without_a_landing_pad_are_found() {
        let listing = "
0000000000000010 <trapline_a>:
      10:\tendbr64
      14:\tpush   %rbx
0000000000000020 <trapline_b>:
      20:\tpush   %rbx
0000000000000030 <own>:
      30:\tpush   %rbx
";
        let expected = ["trapline_b: push   %rbx"];
        assert_eq!(found(listing, is_entry_without_pad), expected);
    }

    #[test]
    fn bare_returns_are_found() {
        let listing = "
0000000000000010 <g>:
      10:\tjmp    15 <g+0x5>
\t\t\t11: R_X86_64_PLT32\t__x86_return_thunk-0x4
      15:\trepz ret
      17:\tret    $0x8
";
        assert_eq!(found(listing, is_return), ["g: repz ret", "g: ret    $0x8"]);
    }

    #[test]
    fn x18_is_found_under_both_names() {
        let listing = "
0000000000000000 <h>:
   0:\tstr\tx30, [x18], #8
   4:\tmov\tw18, w1
   8:\tadd\tx1, x2, #0x18
   c:\tbl\t18 <h+0x18>
";
        let expected = ["h: str\tx30, [x18], #8", "h: mov\tw18, w1"];
        assert_eq!(found(listing, uses_x18), expected);
    }

    #[test]
    fn an_empty_disassembly_is_an_error() {
        let refused = |listing| refuse(Path::new("x.ko"), listing, is_return, "return");
        assert!(refused("").is_err());
        refused("0 <f>:\n 0:\tnop\n").unwrap();
        let text = refused("0 <f>:\n 0:\tret\n").unwrap_err().to_string();
        assert!(
            text.contains("1 of its 1 instructions return, the first in f: ret"),
            "{text}"
        );
    }

    #[test]
    fn a_call_through_a_pointer_is_found_where_none_is_expected() {
        let call =
            "      10:\tcall   15 <f>\n\t\t\t11: R_X86_64_PLT32\t__x86_indirect_thunk_rax-0x4\n";
        let known = format!("0000000000000000 <rings>:\n{call}");
        assert_eq!(calls_through_pointers(&known), None);
        let twice = calls_through_pointers(&format!("{known}{call}"));
        assert_eq!(twice.as_deref(), Some("rings"));
        let rust = format!("0000000000000000 <_RNvCs1_6engine4call>:\n{call}");
        assert_eq!(calls_through_pointers(&rust), None);
        let fixed = call.replace("__x86_indirect_thunk_rax", "__SCT__tl_get_kprobe");
        let other = format!("0000000000000000 <shim_has_kprobe>:\n{fixed}");
        assert_eq!(calls_through_pointers(&other), None);
        let other = calls_through_pointers(&format!("{other}{call}"));
        assert_eq!(other.as_deref(), Some("shim_has_kprobe"));
    }

    /// What is behind `word` and in parentheses, in the sources of the C half.
    fn named(word: &str) -> BTreeSet<String> {
        let sources = files::walk(&workspace_root().join("engine/kmod"), &[]).unwrap();
        let c = sources
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == "c"));
        let texts = c.map(|path| String::from_utf8(files::read(path).unwrap()).unwrap());
        let found = texts.flat_map(|text| {
            let behind = text.split(word).skip(1);
            let names = behind.filter_map(|rest| rest.split_once(')'));
            names.map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        });
        found.collect()
    }

    /// A static call that nobody has set does nothing, and returns whatever there is.
    #[test]
    fn each_function_that_is_not_exported_is_resolved() {
        let mut resolved = named("tl_resolve(");
        // By a kprobe, as there is no other way.
        resolved.insert("kallsyms_lookup_name".into());
        assert_eq!(named("UNEXPORTED("), resolved);
    }
}
