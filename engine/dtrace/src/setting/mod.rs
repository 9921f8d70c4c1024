//! The options of `-x`, `#pragma D option` and the environment.
//!
//! [`table`] has a row for every option of DTrace's: what it sets in [`Settings`], or why it is
//! refused. [`parse`] parses values, [`refusal`] has the reasons.

mod parse;
mod preprocessor;
pub mod refusal;
mod table;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use engine_abi::{BUFFER_SIZE, BufferPolicy, Mechanism};
use engine_dlang::stability::Attributes;

pub use preprocessor::{Libraries, Preprocessor};
use refusal::Refusal;

use crate::aggregation::AggregationOptions;

/// How processes are traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessMechanism {
    /// By the module if it is there, otherwise by an engine in the process.
    Auto,
    /// By an engine in the process, with jumps in place of traps where that is possible.
    Inline,
    /// By traps alone: the module's, or those of an engine in the process.
    Trap,
}

/// The values of all options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `bufsize`: bytes of each CPU's principal buffer.
    pub buffer_size: u64,
    /// `aggsize`: bytes of each CPU's aggregation buffer.
    pub aggregation_size: u64,
    /// `dynvarsize`: bytes for dynamic variables.
    pub dynamic_size: u64,
    /// `strsize`: bytes of a string without its NUL.
    pub string_size: u64,
    /// `scratchsize`: bytes for `alloca` and `copyin` in one run of a clause.
    pub scratch_size: u64,
    /// `btfpath`: the file that has the kernel's types.
    pub types: Option<PathBuf>,
    /// `nspec`: number of speculations.
    pub speculations: u64,
    /// `specsize`: bytes of each speculation's buffer on each CPU.
    pub speculation_size: u64,
    /// `bufpolicy`: what a full principal buffer does.
    pub policy: BufferPolicy,
    /// `fbtmech`: how function entries are traced.
    pub mechanism: Mechanism,
    /// `pidmech`: how processes are traced.
    pub process_mechanism: ProcessMechanism,
    /// `switchrate`: interval of draining principal buffers.
    pub switch_rate: Duration,
    /// `aggrate`: interval of draining aggregations.
    pub aggregation_rate: Duration,
    /// `statusrate`: interval of reading the status.
    pub status_rate: Duration,
    /// `cleanrate`: accepted without effect, since nothing needs periodic cleaning here.
    pub clean_rate: Duration,
    /// `quiet`: prints only what actions print.
    pub quiet: bool,
    /// `flowindent`: indents between entry and return.
    pub flow_indent: bool,
    /// `destructive`: allows actions that change the system.
    pub destructive: bool,
    /// `rawbytes`: dumps strings.
    pub raw_bytes: bool,
    /// `stackframes`: frames of `stack()`.
    pub stack_frames: u64,
    /// `ustackframes`: frames of `ustack()`.
    pub user_stack_frames: u64,
    /// `jstackframes`: frames of `jstack()`.
    pub java_stack_frames: u64,
    /// `stackindent`: columns in front of a frame.
    pub stack_indent: u64,
    /// How aggregations are printed.
    pub aggregation_options: AggregationOptions,
    /// `errtags`: prefixes the compiler's errors with their tags.
    pub error_tags: bool,
    /// `defaultargs`: a missing macro argument is 0 or empty.
    pub default_arguments: bool,
    /// `argref`: the last macro argument may be unreferenced.
    pub unreferenced_arguments: bool,
    /// `zdefs`: a description may match no probe.
    pub zero_matches: bool,
    /// `verbose`: lists the code.
    pub disassemble: bool,
    /// `maxframes`: the most frames of `stack()`.
    pub frames_max: u64,
    /// `amin`: the least stability attributes of what programs may use.
    pub minimum: Option<Attributes>,
    /// `droptags`: prefixes messages about drops with their kind.
    pub drop_tags: bool,
    /// `bufresize`: makes buffers smaller until they can be allocated.
    pub resizes: bool,
    /// `quietresize`: does not say so.
    pub quiet_resize: bool,
    /// `empty`: a text may have no clauses.
    pub empty_programs: bool,
    /// `pspec`: a script's clauses may have no actions.
    pub plain_specifiers: bool,
    /// `noresolve`: addresses of processes get no names.
    pub no_user_symbols: bool,
    /// How scripts are preprocessed.
    pub preprocessor: Preprocessor,
    /// Where libraries are.
    pub libraries: Libraries,
}

impl Default for Settings {
    /// DTrace's defaults.
    fn default() -> Self {
        let second = Duration::from_secs(1);
        Self {
            buffer_size: BUFFER_SIZE.into(),
            aggregation_size: BUFFER_SIZE.into(),
            dynamic_size: 1 << 20,
            string_size: 256,
            scratch_size: 64 << 10,
            types: None,
            speculations: 1,
            speculation_size: 32 << 10,
            policy: BufferPolicy::Switch,
            mechanism: Mechanism::Trap,
            process_mechanism: ProcessMechanism::Auto,
            switch_rate: second,
            aggregation_rate: second,
            status_rate: second,
            clean_rate: second / 101,
            quiet: false,
            flow_indent: false,
            destructive: false,
            raw_bytes: false,
            stack_frames: 20,
            user_stack_frames: 100,
            java_stack_frames: 50,
            stack_indent: 14,
            aggregation_options: AggregationOptions::default(),
            error_tags: false,
            default_arguments: false,
            unreferenced_arguments: false,
            zero_matches: false,
            disassemble: false,
            frames_max: table::FRAMES_MAX,
            minimum: None,
            drop_tags: false,
            resizes: false,
            quiet_resize: false,
            empty_programs: false,
            plain_specifiers: false,
            no_user_symbols: false,
            preprocessor: Preprocessor::default(),
            libraries: Libraries::default(),
        }
    }
}

impl Settings {
    /// Sets an option by name.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), Refusal> {
        row(name)?.set(self, value)
    }

    /// Sets an option in a program, which has been read by then.
    pub fn set_in_program(&mut self, name: &str, value: Option<&str>) -> Result<(), Refusal> {
        if table::decides_reading(name) {
            return Err(Refusal::Context);
        }
        self.set(name, value)
    }

    /// Sets an option while tracing, as `setopt` does.
    pub fn set_while_tracing(&mut self, name: &str, value: Option<&str>) -> Result<(), Refusal> {
        let row = row(name)?;
        if !table::may_change(name) {
            return Err(Refusal::Active);
        }
        row.set(self, value)
    }

    /// Sets options from environment variables named `DTRACE_OPT_` and the option in capitals. As
    /// in DTrace, invalid values are ignored.
    pub fn set_from(&mut self, environment: impl Iterator<Item = (OsString, OsString)>) {
        for (variable, value) in environment {
            let name = variable
                .to_str()
                .and_then(|it| it.strip_prefix("DTRACE_OPT_"));
            let name = name.filter(|name| !name.contains(|it: char| it.is_ascii_lowercase()));
            if let (Some(name), Some(value)) = (name, value.to_str()) {
                let _ = self.set(&name.to_ascii_lowercase(), Some(value));
            }
        }
    }
}

/// The names of all options that do something.
pub fn names() -> impl Iterator<Item = &'static str> {
    table::supported()
}

fn row(name: &str) -> Result<&'static table::Row, Refusal> {
    let meant = || engine_dlang::nearest(name, table::names());
    table::find(name).ok_or_else(|| Refusal::Name(meant()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: Option<&str>) -> Result<Settings, Refusal> {
        let mut settings = Settings::default();
        settings.set(name, value).map(|()| settings)
    }

    #[test]
    fn options_set_their_fields() {
        assert_eq!(set("bufsize", Some("16k")).unwrap().buffer_size, 16384);
        assert_eq!(set("nspec", Some("0x10")).unwrap().speculations, 16);
        assert_eq!(
            set("switchrate", Some("10hz")).unwrap().switch_rate,
            Duration::from_millis(100)
        );
        assert_eq!(
            set("bufpolicy", Some("ring")).unwrap().policy,
            BufferPolicy::Ring
        );
        assert!(set("quiet", None).unwrap().quiet);
        assert!(set("quiet", Some("1")).unwrap().quiet);
        assert!(
            set("aggsortkey", None)
                .unwrap()
                .aggregation_options
                .order
                .by_key
        );
        assert_eq!(
            set("aggsortpos", Some("2"))
                .unwrap()
                .aggregation_options
                .order
                .position,
            2
        );
    }

    #[test]
    fn a_later_value_overrides_an_earlier_one() {
        for (value, is_on) in [
            ("1", true),
            ("0", true),
            ("yes", true),
            ("enabled", true),
            ("enable", true),
            ("TRUE", true),
            ("on", true),
            ("set", true),
            ("no", false),
            ("disable", false),
            ("Disabled", false),
            ("false", false),
            ("off", false),
            ("unset", false),
            ("", false),
        ] {
            let mut settings = Settings {
                quiet: !is_on,
                ..Settings::default()
            };
            assert_eq!(settings.set("quiet", Some(value)), Ok(()), "{value}");
            assert_eq!(settings.quiet, is_on, "{value}");
        }
    }

    #[test]
    fn invalid_options_are_refused_with_a_reason() {
        assert_eq!(set("nonsense", None), Err(Refusal::Name(None)));
        assert_eq!(set("bufsiz", None), Err(Refusal::Name(Some("bufsize"))));
        assert_eq!(
            Refusal::Name(Some("bufsize")).to_string(),
            "Invalid option name: did you mean bufsize?"
        );
        for (name, value) in [
            ("bufsize", Some("4q")),
            ("bufsize", Some("")),
            ("bufsize", Some("0")),
            ("bufsize", None),
            ("nspec", Some("0")),
            ("nspec", None),
            ("nspec", Some("x")),
            ("quiet", Some("maybe")),
            ("quiet", Some("-1")),
            ("errtags", Some("on")),
            ("errtags", Some("")),
            ("bufpolicy", Some("none")),
            ("bufpolicy", None),
            ("switchrate", Some("1fortnight")),
            ("errtags", Some("1")),
            ("strsize", Some("0")),
            ("strsize", Some("64k")),
            ("scratchsize", Some("2m")),
            ("strsize", Some("1t")),
            ("stackframes", None),
            ("stackframes", Some("0")),
            ("stackframes", Some("8193")),
            ("jstackframes", Some("0")),
            ("amin", None),
            ("amin", Some("Stable/Stable")),
        ] {
            assert_eq!(set(name, value), Err(Refusal::Value), "{name}={value:?}");
        }
        assert!(matches!(
            set("grabanon", None),
            Err(Refusal::Unsupported(_))
        ));
    }

    #[test]
    fn options_without_effect_have_valid_values() {
        for (name, good, bad) in [
            ("aggpercpu", None, Some("1")),
            ("bufresize", Some("manual"), Some("maybe")),
            ("evaltime", Some("exec"), None),
            ("iregs", Some("8"), Some("0")),
            ("jstackstrsize", Some("1k"), Some("x")),
            ("ldpath", Some("/usr/bin/ld"), Some("")),
            ("linkmode", Some("static"), Some("never")),
            ("linktype", Some("ELF"), Some("coff")),
            ("lockmem", Some("unlimited"), Some("all")),
            ("lockmem", Some("64m"), None),
            ("maxframes", Some("5"), Some("0")),
            ("scratchsize", Some("1m"), Some("2m")),
            ("tregs", Some("8"), Some("x")),
            ("version", Some("1.6"), Some("2")),
            ("version", Some("2.0.1"), Some("2.0.0.1")),
            ("version", Some("2.0"), Some("3.0")),
        ] {
            assert!(set(name, good).is_ok(), "{name}={good:?}");
            let refused = set(name, bad);
            let is_refused = matches!(refused, Err(Refusal::Value | Refusal::Unsupported(_)));
            assert!(is_refused, "{name}={bad:?}");
        }
        assert!(matches!(
            set("evaltime", Some("main")),
            Err(Refusal::Unsupported(_))
        ));
    }

    #[test]
    fn programs_do_not_decide_how_they_are_read() {
        let mut settings = Settings::default();
        for (name, value) in [
            ("cpp", None),
            ("define", Some("X")),
            ("libdir", Some("lib")),
        ] {
            assert_eq!(settings.set_in_program(name, value), Err(Refusal::Context));
        }
        assert_eq!(settings.set_in_program("quiet", None), Ok(()));
    }

    #[test]
    fn the_environment_sets_options_and_its_errors_are_ignored() {
        let mut settings = Settings::default();
        let variables = [
            ("DTRACE_OPT_STRSIZE", "64"),
            ("DTRACE_OPT_QUIET", "1"),
            ("DTRACE_OPT_DESTRUCTIVE", ""),
            ("DTRACE_OPT_ZDEFS", ""),
            ("DTRACE_OPT_NSPEC", "many"),
            ("DTRACE_OPT_bufsize", "1m"),
            ("STRSIZE", "32"),
        ];
        settings.set_from(
            variables
                .map(|(name, value)| (name.into(), value.into()))
                .into_iter(),
        );
        assert_eq!(
            settings,
            Settings {
                string_size: 64,
                quiet: true,
                ..Settings::default()
            }
        );
    }
}
