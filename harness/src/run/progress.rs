//! What goes on right now, in lines that are drawn over: on a terminal only, and gone when it is
//! over.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

const TICK: Duration = Duration::from_millis(120);

/// The lines of all jobs under way, and below them how many of all are done.
#[derive(Debug)]
pub struct Board {
    lines: MultiProgress,
    sum: ProgressBar,
}

impl Board {
    /// For so many jobs; indicatif draws nothing where stderr is no terminal.
    pub fn new(jobs: usize) -> Self {
        let lines = MultiProgress::new();
        let sum = ProgressBar::new(u64::try_from(jobs).unwrap_or(u64::MAX));
        let sum = lines.add(style(sum, "{pos}/{len} {elapsed}"));
        sum.enable_steady_tick(TICK);
        Self { lines, sum }
    }

    /// A line for the job of this name.
    pub fn line(&self, job: &str) -> Progress {
        let bar = ProgressBar::new_spinner();
        Progress::drawn(self.lines.insert_before(&self.sum, bar), job)
    }

    /// A job has ended, and `say` prints so: above the lines, which step aside for it.
    pub fn above(&self, say: impl FnOnce()) {
        self.lines.suspend(say);
        self.sum.inc(1);
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.sum.finish_and_clear();
    }
}

/// A job's line.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Whether each thing gets a line of its own instead, which stays.
    is_told: bool,
}

impl Progress {
    /// A line alone, for the guest of this name.
    pub fn begin(guest: &str) -> Self {
        Self::drawn(ProgressBar::new_spinner(), guest)
    }

    /// No line, where somebody else tells what goes on.
    pub fn hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            is_told: false,
        }
    }

    /// Lines that stay, between others that a user wants to see.
    pub fn told() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            is_told: true,
        }
    }

    fn drawn(bar: ProgressBar, name: &str) -> Self {
        let bar = style(bar, "{spinner} {prefix} {elapsed} {msg:.dim}");
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(TICK);
        Self {
            bar,
            is_told: false,
        }
    }

    /// Says what the job does from now on.
    pub fn now(&self, doing: &'static str) {
        self.bar.set_message(doing);
        if self.is_told {
            println!("-- {doing}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
