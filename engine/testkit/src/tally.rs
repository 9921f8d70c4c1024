//! Property tests that apply only to accepted input. The number of accepted cases is counted,
//! printed, and must not be too small. `PROPTEST_CASES` sets the number of cases.

use std::cell::Cell;
use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// A property, by its test's file and name.
pub struct Property {
    /// The test's file, for proptest's regressions.
    pub file: &'static str,
    /// The name of its test.
    pub name: &'static str,
    /// The minimum percentage of accepted cases: so far below the mean that 256 random cases miss
    /// it less than once in a million runs.
    pub accepted: u32,
}

impl Property {
    /// Generates inputs with `strategy`. `judge` returns whether it accepts one, or an error if the
    /// property fails.
    pub fn hold<S: Strategy<Value: Debug>>(
        &self,
        strategy: S,
        judge: impl Fn(S::Value) -> Result<bool, TestCaseError>,
    ) -> Result<(), String> {
        let config = Config {
            source_file: Some(self.file),
            test_name: Some(self.name),
            ..Config::default()
        };
        let (all, accepted) = (Cell::new(0_u64), Cell::new(0_u64));
        let held = TestRunner::new(config).run(&strategy, |made| {
            let is_accepted = judge(made)?;
            all.set(all.get() + 1);
            accepted.set(accepted.get() + u64::from(is_accepted));
            Ok(())
        });
        held.map_err(|error| error.to_string())?;
        let said = format!(
            "{}: {} of {} were accepted",
            self.name,
            accepted.get(),
            all.get()
        );
        println!("{said}");
        let is_enough = accepted.get() * 100 >= all.get() * u64::from(self.accepted);
        is_enough.then_some(()).ok_or(said)
    }
}
