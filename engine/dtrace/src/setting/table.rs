//! The table of all DTrace options: what each sets, or why it is refused.

use std::ops::RangeInclusive;
use std::time::Duration;

use engine_abi::{BufferPolicy, Mechanism, SPECULATIONS_MAX};
use engine_dvm::limits::{RECORD_MAX, STRING_SIZE, USER_FRAMES_MAX};

use super::{Refusal, Settings, parse};
use crate::aggregation::Encoding;

/// An option.
pub struct Row(&'static str, Kind);

/// What an option takes, and where it is stored.
enum Kind {
    /// A size in bytes within bounds; without a value, 0.
    Size(fn(&mut Settings) -> &mut u64, RangeInclusive<u64>),
    /// A number within bounds; without a value, 0.
    Number(fn(&mut Settings) -> &mut u64, RangeInclusive<u64>),
    /// An index; without a value, 0.
    Place(fn(&mut Settings) -> &mut usize),
    /// An interval; without a value, 0.
    Rate(fn(&mut Settings) -> &mut Duration),
    /// A flag: on without a value and, as in DTrace, with any number, even 0; words set it either
    /// way.
    On(fn(&mut Settings) -> &mut bool),
    /// A flag that takes no value.
    Switch(fn(&mut Settings) -> &mut bool),
    /// One of some words.
    Word(fn(&mut Settings, &str) -> Option<()>),
    /// Not supported, for this reason.
    Unsupported(&'static str),
}

use Kind::{Number, On, Place, Rate, Size, Switch, Unsupported, Word};

const NO_PREPROCESSOR: Kind = Unsupported("the C preprocessor is not supported yet");
const NO_KERNEL_TYPES: Kind = Unsupported("kernel types are not supported yet");
const NO_JAVA_STACKS: Kind =
    Unsupported("stacks of the Java virtual machine are not supported yet");
const NO_LINKING: Kind = Unsupported("linking D programs is not supported yet");
const NO_ANONYMOUS: Kind = Unsupported("anonymous tracing is not supported");
const NO_BPF: Kind = Unsupported("this engine does not use BPF");
const FOR_DEVELOPERS: Kind = Unsupported("it is a debugging aid for DTrace developers");
const FIXED: Kind = Unsupported("its value is fixed");

const ANY: RangeInclusive<u64> = 0..=u64::MAX;
/// At least 1.
const SOME: RangeInclusive<u64> = 1..=u64::MAX;
const STRINGS: RangeInclusive<u64> = *STRING_SIZE.start() as u64..=*STRING_SIZE.end() as u64;
/// As many frames as fit a record.
const FRAMES: RangeInclusive<u64> = 1..=RECORD_MAX as u64 / 8;

/// The process's ID takes the place of one.
const USER_FRAMES: RangeInclusive<u64> = 1..=USER_FRAMES_MAX as u64;

const ROWS: &[Row] = &[
    Row("agghist", On(|it| &mut it.aggregation_options.as_bars)),
    Row("aggpack", On(|it| &mut it.aggregation_options.packed)),
    Row(
        "aggpercpu",
        Unsupported("per-CPU aggregation values are not kept"),
    ),
    Row("aggrate", Rate(|it| &mut it.aggregation_rate)),
    Row("aggsize", Size(|it| &mut it.aggregation_size, ANY)),
    Row(
        "aggsortkey",
        On(|it| &mut it.aggregation_options.order.by_key),
    ),
    Row(
        "aggsortkeypos",
        Place(|it| &mut it.aggregation_options.order.key_position),
    ),
    Row(
        "aggsortpos",
        Place(|it| &mut it.aggregation_options.order.position),
    ),
    Row(
        "aggsortrev",
        On(|it| &mut it.aggregation_options.order.reversed),
    ),
    Row("aggzoom", On(|it| &mut it.aggregation_options.zooms)),
    Row("amin", Unsupported("stability attributes are not tracked")),
    Row("argref", Switch(|it| &mut it.unreferenced_arguments)),
    Row("bpflog", NO_BPF),
    Row("bpflogsize", NO_BPF),
    Row("bufpolicy", Word(policy)),
    Row(
        "bufresize",
        Unsupported("a buffer that cannot be allocated is an error"),
    ),
    Row("bufsize", Size(|it| &mut it.buffer_size, SOME)),
    Row("cleanrate", Rate(|it| &mut it.clean_rate)),
    Row("core", FOR_DEVELOPERS),
    Row("cpp", NO_PREPROCESSOR),
    Row("cppargs", NO_PREPROCESSOR),
    Row("cpphdrs", NO_PREPROCESSOR),
    Row("cpppath", NO_PREPROCESSOR),
    Row(
        "cpu",
        Unsupported("all CPUs are traced: use the predicate /cpu == N/ instead"),
    ),
    Row("ctfpath", NO_KERNEL_TYPES),
    Row("ctypes", NO_KERNEL_TYPES),
    Row("debug", Unsupported("there is no debug output")),
    Row("debugassert", FOR_DEVELOPERS),
    Row("defaultargs", Switch(|it| &mut it.default_arguments)),
    Row("define", NO_PREPROCESSOR),
    Row("destructive", On(|it| &mut it.destructive)),
    Row("disasm", Unsupported("-S has a single output format")),
    Row("droptags", Unsupported("drop messages have no tags")),
    Row("dtypes", NO_KERNEL_TYPES),
    Row("dynvarsize", Size(|it| &mut it.dynamic_size, ANY)),
    Row("empty", FIXED),
    Row("encoding", Word(encoding)),
    Row("errtags", Switch(|it| &mut it.error_tags)),
    Row(
        "evaltime",
        Unsupported("the command is always stopped before its first instruction"),
    ),
    Row("fbtmech", Word(mechanism)),
    Row("flowindent", On(|it| &mut it.flow_indent)),
    Row("grabanon", NO_ANONYMOUS),
    Row("incdir", NO_PREPROCESSOR),
    Row("iregs", FIXED),
    Row("jstackframes", NO_JAVA_STACKS),
    Row("jstackstrsize", NO_JAVA_STACKS),
    Row("kdefs", NO_KERNEL_TYPES),
    Row("knodefs", NO_KERNEL_TYPES),
    Row("late", Unsupported("translators are not supported yet")),
    Row("lazyload", NO_LINKING),
    Row("ldpath", NO_LINKING),
    Row("libdir", Unsupported("D libraries are not supported")),
    Row("linkmode", NO_LINKING),
    Row("linknommap", NO_LINKING),
    Row("linktype", NO_LINKING),
    Row("lockmem", Unsupported("no locked memory is needed")),
    Row("maxframes", FIXED),
    Row("modpath", NO_KERNEL_TYPES),
    Row("nolibs", Unsupported("D libraries are not supported")),
    Row(
        "noresolve",
        Unsupported("addresses of processes always get names"),
    ),
    Row(
        "nspec",
        Number(|it| &mut it.speculations, 1..=SPECULATIONS_MAX as u64),
    ),
    Row("pcapsize", Unsupported("pcap() is not supported yet")),
    Row("pgmax", FIXED),
    Row("preallocate", FOR_DEVELOPERS),
    Row("printsize", Unsupported("print() is not supported yet")),
    Row("procfspath", Unsupported("procfs is always at /proc")),
    Row("pspec", FIXED),
    Row("quiet", On(|it| &mut it.quiet)),
    Row("quietresize", Unsupported("buffers are not resized")),
    Row("rawbytes", On(|it| &mut it.raw_bytes)),
    Row("scratchsize", FIXED),
    Row(
        "setenv",
        Unsupported("set it in the command: -c 'env NAME=value command'"),
    ),
    Row("specsize", Size(|it| &mut it.speculation_size, ANY)),
    Row("stackframes", Number(|it| &mut it.stack_frames, FRAMES)),
    Row("stackindent", Number(|it| &mut it.stack_indent, ANY)),
    Row("statusrate", Rate(|it| &mut it.status_rate)),
    Row("stdc", Word(conformance)),
    Row("strip", NO_LINKING),
    Row("strsize", Size(|it| &mut it.string_size, STRINGS)),
    Row("switchrate", Rate(|it| &mut it.switch_rate)),
    Row("syslibdir", Unsupported("D libraries are not supported")),
    Row(
        "sysslice",
        Unsupported("processes are traced in every slice"),
    ),
    Row(
        "temporal",
        Unsupported("records are printed in order for each CPU"),
    ),
    Row("tree", FOR_DEVELOPERS),
    Row("tregs", FIXED),
    Row("udefs", NO_LINKING),
    Row("undef", NO_PREPROCESSOR),
    Row("unodefs", NO_LINKING),
    Row(
        "unsetenv",
        Unsupported("unset it in the command: -c 'env -u NAME command'"),
    ),
    Row("useruid", Unsupported("processes of all users are traced")),
    Row(
        "ustackframes",
        Number(|it| &mut it.user_stack_frames, USER_FRAMES),
    ),
    Row("verbose", Switch(|it| &mut it.disassemble)),
    Row("version", Unsupported("there is only one version")),
    Row("zdefs", Switch(|it| &mut it.zero_matches)),
];

/// The option of this name.
pub fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.0 == name)
}

/// The names of all options.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.0)
}

impl Row {
    /// Sets the option.
    pub fn set(&self, settings: &mut Settings, value: Option<&str>) -> Result<(), Refusal> {
        match &self.1 {
            Size(at, bounds) => *at(settings) = within(bounds, read(value, parse::size)?)?,
            Number(at, bounds) => *at(settings) = within(bounds, read(value, parse::plain)?)?,
            Place(at) => *at(settings) = read(value, |it| usize::try_from(parse::plain(it)?).ok())?,
            Rate(at) => *at(settings) = read(value, parse::rate)?,
            On(at) => {
                let is_on = value.map_or(Some(true), parse::flag);
                *at(settings) = is_on.ok_or(Refusal::Value)?;
            }
            Switch(at) => {
                value.map_or(Ok(()), |_| Err(Refusal::Value))?;
                *at(settings) = true;
            }
            Word(set) => {
                let word = value.ok_or(Refusal::Value)?;
                set(settings, word).ok_or(Refusal::Value)?;
            }
            Unsupported(why) => return Err(Refusal::Unsupported(why)),
        }
        Ok(())
    }
}

/// Parses a value; the default where there is none.
fn read<T: Default>(value: Option<&str>, parse: impl Fn(&str) -> Option<T>) -> Result<T, Refusal> {
    value.map_or(Ok(T::default()), |it| parse(it).ok_or(Refusal::Value))
}

fn within(bounds: &RangeInclusive<u64>, value: u64) -> Result<u64, Refusal> {
    let within = bounds.contains(&value).then_some(value);
    within.ok_or(Refusal::Value)
}

fn policy(settings: &mut Settings, word: &str) -> Option<()> {
    settings.policy = match word {
        "switch" => BufferPolicy::Switch,
        "fill" => BufferPolicy::Fill,
        "ring" => BufferPolicy::Ring,
        _ => return None,
    };
    Some(())
}

fn mechanism(settings: &mut Settings, word: &str) -> Option<()> {
    settings.mechanism = match word {
        "trap" => Mechanism::Trap,
        "ftrace" => Mechanism::Ftrace,
        "auto" => Mechanism::Auto,
        _ => return None,
    };
    Some(())
}

fn encoding(settings: &mut Settings, word: &str) -> Option<()> {
    settings.aggregation_options.encoding = match word {
        "ascii" => Encoding::Ascii,
        "utf8" => Encoding::Utf8,
        _ => return None,
    };
    Some(())
}

/// `stdc`, also `-X`: the preprocessor's ISO C conformance. Checked, but without effect yet.
fn conformance(_: &mut Settings, word: &str) -> Option<()> {
    ["a", "c", "s", "t"].contains(&word).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_unique() {
        assert!(ROWS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn all_options_of_dtrace_are_known() {
        let illumos = "setenv unsetenv";
        let linux = "bpflog bpflogsize debugassert disasm droptags late linknommap lockmem \
                     noresolve pcapsize preallocate printsize procfspath sysslice useruid";
        let names = illumos.split_whitespace().chain(linux.split_whitespace());
        assert_eq!(
            names.filter(|it| find(it).is_none()).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn options_that_can_be_set_are_documented() {
        let page = include_str!("../../../../doc/d.md");
        let can_be_set = |row: &&Row| !matches!(row.1, Unsupported(_));
        for row in ROWS.iter().filter(can_be_set) {
            assert!(page.contains(&format!("`{}`", row.0)), "{}", row.0);
        }
    }

    #[test]
    fn each_option_can_be_set_or_is_unsupported() {
        let values = [
            None,
            Some("64"),
            Some("switch"),
            Some("ascii"),
            Some("a"),
            Some("trap"),
        ];
        for row in ROWS {
            let outcomes = values.map(|it| row.set(&mut Settings::default(), it));
            let good =
                |it: &Result<(), Refusal>| matches!(it, Ok(()) | Err(Refusal::Unsupported(_)));
            assert!(outcomes.into_iter().any(|it| good(&it)), "{}", row.0);
        }
    }
}
