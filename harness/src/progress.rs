//! What goes on right now, in one line that is drawn over: on a terminal only, and gone when the
//! job is over.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A job's line.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A line for the job of this name; indicatif draws nothing where stderr is no terminal.
    pub fn begin(job: &str) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {msg:.dim}") {
            bar.set_style(style);
        }
        bar.set_prefix(job.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }

    /// No line, where many jobs run at once.
    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// Says what the job does from now on.
    pub fn now(&self, doing: &'static str) {
        self.0.set_message(doing);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
