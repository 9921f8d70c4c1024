//! `fuzz`: pseudo-random cases for the judges of the instruction tables. Only builds and starts the
//! programs of `engine-isa-judge`, which find and print the disagreements.

use clap::{Args, Subcommand, ValueEnum, value_parser};
use xshell::{Cmd, Shell};

use crate::error::Result;
use crate::files::workspace_root;
use crate::host;
use crate::needs;
use crate::run;

/// What to fuzz.
#[derive(Subcommand)]
pub enum Fuzz {
    /// The instruction tables, against another disassembler and another processor
    Isa(FuzzIsa),
}

/// An instruction set that has judges.
#[derive(Clone, Copy, ValueEnum)]
pub enum Judged {
    /// A32
    Arm,
    /// T16 and T32
    T32,
    /// A64
    Arm64,
    /// x86-64
    X86,
    /// 32-bit programs on x86
    Ia32,
}

impl Judged {
    const fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::T32 => "t32",
            Self::Arm64 => "arm64",
            Self::X86 => "x86",
            Self::Ia32 => "ia32",
        }
    }
}

/// Options of `fuzz isa`, passed on to `isa-fuzz`.
#[derive(Args, Default)]
pub struct FuzzIsa {
    /// The instruction sets [default: all, each for the same time]
    #[arg(value_name = "SET")]
    sets: Vec<Judged>,
    /// Stop after this many minutes [default: 1, unless --cases is given]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Stop after this many executions; half as many words are disassembled
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    cases: Option<u64>,
    /// Seed of the cases, as an earlier run has printed it
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Derive x86's cases also from the text of these programs, libraries or kernels [default: a
    /// few files of the host, where present]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    text: Vec<String>,
}

impl Fuzz {
    /// Runs the fuzzer; a disagreement is an error.
    pub fn exec(&self) -> Result<()> {
        let Self::Isa(isa) = self;
        isa.exec()
    }
}

impl FuzzIsa {
    /// The cases for judging a change: the same ones each time, from a fixed seed.
    pub fn of_changes() -> Self {
        Self {
            sets: Vec::new(),
            minutes: None,
            cases: Some(500_000),
            seed: Some(1),
            text: Vec::new(),
        }
    }

    /// Runs the fuzzer; a disagreement is an error.
    pub fn exec(&self) -> Result<()> {
        host::ensure(&needs::of_judges())?;
        let sh = run::shell()?;
        sh.change_dir(workspace_root());
        let fuzz = program(&sh, "isa-fuzz").args(["--features", "unicorn", "--"]);
        run::openly(fuzz.args(self.words()))
    }

    /// The given options as `isa-fuzz`'s command line.
    fn words(&self) -> Vec<String> {
        let numbers = [
            ("--minutes", self.minutes.map(u64::from)),
            ("--cases", self.cases),
            ("--seed", self.seed),
        ];
        let given = numbers
            .into_iter()
            .filter_map(|(name, number)| Some((name, number?)));
        let sets = self.sets.iter().map(|set| set.name().to_owned());
        let numbers = given.flat_map(|(name, number)| [name.to_owned(), number.to_string()]);
        let text = self.text.iter().cloned();
        let option = (!self.text.is_empty()).then(|| "--text".to_owned());
        sets.chain(numbers).chain(option).chain(text).collect()
    }
}

/// A program of `engine-isa-judge`, built with optimizations.
pub fn program<'a>(sh: &'a Shell, name: &str) -> Cmd<'a> {
    let run = [
        "run",
        "--quiet",
        "--release",
        "--package",
        "engine-isa-judge",
    ];
    run::cargo(sh).args(run).args(["--bin", name])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_given_options_are_passed_on() {
        let task = FuzzIsa {
            sets: vec![Judged::Arm64],
            minutes: Some(2),
            cases: None,
            seed: Some(7),
            text: vec!["a".to_owned(), "b".to_owned()],
        };
        let words = task.words().join(" ");
        assert_eq!(words, "arm64 --minutes 2 --seed 7 --text a b");
        assert_eq!(FuzzIsa::default().words(), [""; 0]);
    }
}
