//! Progress lines on a terminal, redrawn in place and cleared at the end.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

const TICK: Duration = Duration::from_millis(120);

/// One line for each running job, and a counter below them.
#[derive(Debug)]
pub struct Board {
    lines: MultiProgress,
    sum: ProgressBar,
}

impl Board {
    /// For `jobs` jobs; indicatif draws nothing if stderr is no terminal.
    pub fn new(jobs: usize) -> Self {
        let lines = MultiProgress::new();
        let sum = ProgressBar::new(u64::try_from(jobs).unwrap_or(u64::MAX));
        let sum = lines.add(style(sum, "{pos}/{len} {elapsed}"));
        sum.enable_steady_tick(TICK);
        Self { lines, sum }
    }

    /// Adds a line for a job.
    pub fn line(&self, job: &str) -> Progress {
        let bar = ProgressBar::new_spinner();
        Progress::drawn(self.lines.insert_before(&self.sum, bar), job)
    }

    /// Counts a finished job; `say` prints about it above the lines.
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
    /// Whether to print each step as a line of its own instead.
    is_plain: bool,
}

impl Progress {
    /// A single line, for a guest.
    pub fn begin(guest: &str) -> Self {
        Self::drawn(ProgressBar::new_spinner(), guest)
    }

    /// No output.
    pub fn hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            is_plain: false,
        }
    }

    /// Prints steps as permanent lines, amid other output.
    pub fn plain() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            is_plain: true,
        }
    }

    fn drawn(bar: ProgressBar, name: &str) -> Self {
        let bar = style(bar, "{spinner} {prefix} {elapsed} {msg:.dim}");
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(TICK);
        Self {
            bar,
            is_plain: false,
        }
    }

    /// Sets the current step.
    pub fn now(&self, doing: &'static str) {
        self.bar.set_message(doing);
        if self.is_plain {
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
