//! `fuzz`: cases by chance for the judges of the instruction tables, which are programs of
//! `engine-isa-judge`. What they find and print is theirs; here they are built and started.

use clap::{Args, Subcommand, ValueEnum, value_parser};
use xshell::{Cmd, Shell};

use crate::error::Result;
use crate::files::workspace_root;
use crate::host;
use crate::needs;
use crate::run;

/// What to throw cases at.
#[derive(Subcommand)]
pub enum Fuzz {
    /// The instruction tables, judged by another disassembler and another processor
    Isa(FuzzIsa),
}

/// An instruction set that is judged.
#[derive(Clone, Copy, ValueEnum)]
pub enum Judged {
    /// A32
    Arm,
    /// A64
    Arm64,
    /// x86-64
    X86,
    /// Programs of 32 bits on x86
    Ia32,
}

impl Judged {
    const fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Arm64 => "arm64",
            Self::X86 => "x86",
            Self::Ia32 => "ia32",
        }
    }
}

/// Which sets, for how long, and from which number.
#[derive(Args, Default)]
pub struct FuzzIsa {
    /// The instruction sets [default: all of them, each for as long]
    #[arg(value_name = "SET")]
    sets: Vec<Judged>,
    /// Stop after so many minutes [default: 1, if no number of cases is given]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Stop after so many executions; half as many words are read
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    cases: Option<u64>,
    /// Make the cases from this number, as an earlier run has said
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Make x86's cases of the text of these programs, libraries or kernels, too [default: what the host has
    /// of a few]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    text: Vec<String>,
}

impl Fuzz {
    /// Does it; an error if there is a disagreement.
    pub fn exec(&self) -> Result<()> {
        let Self::Isa(isa) = self;
        isa.exec()
    }
}

impl FuzzIsa {
    /// The same cases of each set each time, for changes to be judged by; others are for nights.
    pub fn of_changes() -> Self {
        Self {
            sets: Vec::new(),
            minutes: None,
            cases: Some(500_000),
            seed: Some(1),
            text: Vec::new(),
        }
    }

    /// Does it; an error if there is a disagreement.
    pub fn exec(&self) -> Result<()> {
        host::ensure(&needs::of_judges())?;
        let sh = run::shell()?;
        sh.change_dir(workspace_root());
        let fuzz = program(&sh, "isa-fuzz").args(["--features", "unicorn", "--"]);
        run::openly(fuzz.args(self.words()))
    }

    /// The options that were given, as the program takes them.
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

/// A program of the judges, built to be quick.
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
    fn what_was_given_is_passed_on() {
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
