//! The table of all DTrace options: what each sets, or why it is refused.

use std::ops::RangeInclusive;
use std::time::Duration;

use engine_abi::{BufferPolicy, Mechanism, SPECULATIONS_MAX};
use engine_dvm::limits::{RECORD_MAX, SCRATCH_MAX, STRING_SIZE, USER_FRAMES_MAX};

use super::{ProcessMechanism, Refusal, Settings, parse, preprocessor};
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
    /// Without effect here, but the value must be valid.
    Ignored(fn(Option<&str>) -> bool),
    /// Without effect for the values that say what is done anyway; not supported for others, for this
    /// reason.
    Choice(fn(Option<&str>) -> bool, &'static str),
    /// Not supported, for this reason.
    Unsupported(&'static str),
}

use Kind::{Choice, Ignored, Number, On, Place, Rate, Size, Switch, Unsupported, Word};

const NO_DUMPS: Kind = Unsupported("types are not dumped");
const NO_LINKING: Kind = Unsupported("linking D programs is not supported yet");
const NO_ANONYMOUS: Kind = Unsupported("anonymous tracing is not supported");
const NO_BPF: Kind = Unsupported("this engine does not use BPF");
const FOR_DEVELOPERS: Kind = Unsupported("it is a debugging aid for DTrace developers");
const FIXED: Kind = Unsupported("its value is fixed");

const ANY: RangeInclusive<u64> = 0..=u64::MAX;
/// At least 1.
const SOME: RangeInclusive<u64> = 1..=u64::MAX;
/// The NUL does not count.
const STRINGS: RangeInclusive<u64> =
    *STRING_SIZE.start() as u64 - 1..=*STRING_SIZE.end() as u64 - 1;
const SCRATCH: RangeInclusive<u64> = 0..=SCRATCH_MAX as u64;
/// As many frames as fit a record.
const FRAMES: RangeInclusive<u64> = 1..=FRAMES_MAX;
pub const FRAMES_MAX: u64 = RECORD_MAX as u64 / 8;

/// The process's ID takes the place of one.
const USER_FRAMES: RangeInclusive<u64> = 1..=USER_FRAMES_MAX as u64;

const ROWS: &[Row] = &[
    Row("agghist", On(|it| &mut it.aggregation_options.as_bars)),
    Row("aggpack", On(|it| &mut it.aggregation_options.packed)),
    Row("aggpercpu", Ignored(nothing)),
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
    Row("amin", Word(minimum)),
    Row("argref", Switch(|it| &mut it.unreferenced_arguments)),
    Row("bpflog", NO_BPF),
    Row("bpflogsize", NO_BPF),
    Row("btfpath", Word(types)),
    Row("bufpolicy", Word(policy)),
    Row("bufresize", Word(resizing)),
    Row("bufsize", Size(|it| &mut it.buffer_size, SOME)),
    Row("cleanrate", Rate(|it| &mut it.clean_rate)),
    Row("core", FOR_DEVELOPERS),
    Row("cpp", Switch(|it| &mut it.preprocessor.is_on)),
    Row("cppargs", Word(preprocessor::arguments)),
    Row("cpphdrs", Switch(|it| &mut it.preprocessor.prints_headers)),
    Row("cpppath", Word(preprocessor::path)),
    Row(
        "cpu",
        Unsupported("all CPUs are traced: use the predicate /cpu == N/ instead"),
    ),
    Row(
        "ctfpath",
        Unsupported("kernel types are read from BTF: use btfpath"),
    ),
    Row("ctypes", NO_DUMPS),
    Row("debug", Unsupported("there is no debug output")),
    Row("debugassert", FOR_DEVELOPERS),
    Row("defaultargs", Switch(|it| &mut it.default_arguments)),
    Row("define", Word(preprocessor::define)),
    Row("destructive", On(|it| &mut it.destructive)),
    Row("disasm", Unsupported("-S has a single output format")),
    Row("droptags", On(|it| &mut it.drop_tags)),
    Row("dtypes", NO_DUMPS),
    Row("dynvarsize", Size(|it| &mut it.dynamic_size, ANY)),
    Row("empty", Switch(|it| &mut it.empty_programs)),
    Row("encoding", Word(encoding)),
    Row("errtags", Switch(|it| &mut it.error_tags)),
    Row(
        "evaltime",
        Choice(
            |it| is_one_of(it, &["exec"]),
            "the command is always stopped before its first instruction, as for exec",
        ),
    ),
    Row("fbtmech", Word(mechanism)),
    Row("flowindent", On(|it| &mut it.flow_indent)),
    Row("grabanon", NO_ANONYMOUS),
    Row("incdir", Word(preprocessor::include)),
    Row("iregs", Ignored(positive)),
    Row(
        "jstackframes",
        Number(|it| &mut it.java_stack_frames, USER_FRAMES),
    ),
    Row("jstackstrsize", Ignored(bytes)),
    Row("kdefs", Ignored(|it| it.is_none())),
    Row(
        "knodefs",
        Unsupported("a symbol that the kernel does not have is an error"),
    ),
    Row(
        "late",
        Unsupported("translators are bound when a program is compiled"),
    ),
    Row("lazyload", NO_LINKING),
    Row("ldpath", Ignored(word)),
    Row("libdir", Word(preprocessor::libraries)),
    Row(
        "linkmode",
        Ignored(|it| is_one_of(it, &["kernel", "dynamic", "static"])),
    ),
    Row("linknommap", NO_LINKING),
    Row("linktype", Ignored(|it| is_one_of(it, &["elf", "dof"]))),
    Row("lockmem", Ignored(locked)),
    Row("maxframes", Number(|it| &mut it.frames_max, FRAMES)),
    Row(
        "modpath",
        Unsupported("types of modules are read from the kernel"),
    ),
    Row("nolibs", Switch(|it| &mut it.libraries.are_off)),
    Row("noresolve", On(|it| &mut it.no_user_symbols)),
    Row(
        "nspec",
        Number(|it| &mut it.speculations, 1..=SPECULATIONS_MAX as u64),
    ),
    Row("pcapsize", Unsupported("pcap() is not supported yet")),
    Row("pgmax", FIXED),
    Row("pidmech", Word(process_mechanism)),
    Row("preallocate", FOR_DEVELOPERS),
    Row("printsize", Unsupported("print() prints all of a value")),
    Row("procfspath", Unsupported("procfs is always at /proc")),
    Row("pspec", Switch(|it| &mut it.plain_specifiers)),
    Row("quiet", On(|it| &mut it.quiet)),
    Row("quietresize", On(|it| &mut it.quiet_resize)),
    Row("rawbytes", On(|it| &mut it.raw_bytes)),
    Row("scratchsize", Size(|it| &mut it.scratch_size, SCRATCH)),
    Row(
        "setenv",
        Unsupported("set it in the command: -c 'env NAME=value command'"),
    ),
    Row("specsize", Size(|it| &mut it.speculation_size, ANY)),
    Row("stackframes", Number(|it| &mut it.stack_frames, FRAMES)),
    Row("stackindent", Number(|it| &mut it.stack_indent, ANY)),
    Row("statusrate", Rate(|it| &mut it.status_rate)),
    Row("stdc", Ignored(|it| is_one_of(it, &["a", "c", "s", "t"]))),
    Row("strip", NO_LINKING),
    Row("strsize", Size(|it| &mut it.string_size, STRINGS)),
    Row("switchrate", Rate(|it| &mut it.switch_rate)),
    Row("syslibdir", Word(preprocessor::system_libraries)),
    Row(
        "sysslice",
        Unsupported("processes are traced in every slice"),
    ),
    Row(
        "temporal",
        Unsupported("records are printed in order for each CPU"),
    ),
    Row("tree", FOR_DEVELOPERS),
    Row("tregs", Ignored(positive)),
    Row("udefs", NO_LINKING),
    Row("undef", Word(preprocessor::undefine)),
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
    Row("version", Ignored(version)),
    Row("zdefs", Switch(|it| &mut it.zero_matches)),
];

/// The option of this name.
pub fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.0 == name)
}

/// The names of those that are not refused.
pub fn supported() -> impl Iterator<Item = &'static str> {
    let rows = ROWS.iter();
    rows.filter(|row| !matches!(row.1, Unsupported(_)))
        .map(|row| row.0)
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
            Ignored(is_valid) => is_valid(value).then_some(()).ok_or(Refusal::Value)?,
            Choice(is_done, _) if is_done(value) => {}
            Choice(_, why) | Unsupported(why) => return Err(Refusal::Unsupported(why)),
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

fn types(settings: &mut Settings, path: &str) -> Option<()> {
    settings.types = Some(path.into());
    (!path.is_empty()).then_some(())
}

fn minimum(settings: &mut Settings, word: &str) -> Option<()> {
    settings.minimum = Some(word.parse().ok()?);
    Some(())
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

fn process_mechanism(settings: &mut Settings, word: &str) -> Option<()> {
    settings.process_mechanism = match word {
        "auto" => ProcessMechanism::Auto,
        "inline" => ProcessMechanism::Inline,
        "trap" => ProcessMechanism::Trap,
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

fn resizing(settings: &mut Settings, word: &str) -> Option<()> {
    settings.resizes = match word {
        "auto" => true,
        "manual" => false,
        _ => return None,
    };
    Some(())
}

/// Whether an option of this name decides how programs are read.
pub fn decides_reading(name: &str) -> bool {
    READING.contains(&name)
}

const READING: [&str; 11] = [
    "cpp",
    "cppargs",
    "cpphdrs",
    "cpppath",
    "define",
    "incdir",
    "libdir",
    "nolibs",
    "stdc",
    "syslibdir",
    "undef",
];

/// Whether an option of this name may change while tracing.
pub fn may_change(name: &str) -> bool {
    CHANGEABLE.contains(&name)
}

const CHANGEABLE: [&str; 14] = [
    "agghist",
    "aggpack",
    "aggrate",
    "aggsortkey",
    "aggsortkeypos",
    "aggsortpos",
    "aggsortrev",
    "aggzoom",
    "flowindent",
    "quiet",
    "rawbytes",
    "stackindent",
    "statusrate",
    "switchrate",
];

fn is_one_of(value: Option<&str>, words: &[&str]) -> bool {
    value.is_some_and(|it| words.iter().any(|word| word.eq_ignore_ascii_case(it)))
}

fn nothing(value: Option<&str>) -> bool {
    value.is_none()
}

fn word(value: Option<&str>) -> bool {
    value.is_some_and(|it| !it.is_empty())
}

fn positive(value: Option<&str>) -> bool {
    value.and_then(parse::plain).is_some_and(|it| it > 0)
}

fn bytes(value: Option<&str>) -> bool {
    value.and_then(parse::size).is_some()
}

/// `lockmem`: a size, or all that there is.
fn locked(value: Option<&str>) -> bool {
    value.is_some_and(|it| it == "unlimited" || parse::size(it).is_some())
}

/// `version`: two or three numbers, of which the first is that of a DTrace that there has been.
fn version(value: Option<&str>) -> bool {
    let parts = value.unwrap_or_default().split('.').map(parse::plain);
    let parts: Option<Vec<u64>> = parts.collect();
    matches!(parts.as_deref(), Some([1 | 2, _] | [1 | 2, _, _]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_kind_are_there() {
        let all = names().filter(|it| may_change(it) || decides_reading(it));
        assert_eq!(all.count(), CHANGEABLE.len() + READING.len());
    }

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
            Some("manual"),
            Some("static"),
            Some("elf"),
            Some("1.0"),
            Some("Stable/Stable/Common"),
        ];
        for row in ROWS {
            let outcomes = values.map(|it| row.set(&mut Settings::default(), it));
            let good =
                |it: &Result<(), Refusal>| matches!(it, Ok(()) | Err(Refusal::Unsupported(_)));
            assert!(outcomes.into_iter().any(|it| good(&it)), "{}", row.0);
        }
    }
}
