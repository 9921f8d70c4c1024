//! Progress on stderr: a live line per step on a terminal, one plain line per finished step
//! elsewhere.

/// Prints a line to stderr, above the live ones. `eprintln!` would panic where none can be written, as to a pipe that is
/// closed, or that some program has made non-blocking and that is full.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        $crate::progress::LIVE.suspend(|| {
            let _ = writeln!(std::io::stderr(), $($argument)*);
        });
    }};
}
pub(crate) use say;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The live lines: two guests are built at once.
pub static LIVE: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// One step of a task. Dropped unfinished it prints nothing: the error that follows does.
pub struct Step {
    label: String,
    started: Instant,
    bar: ProgressBar,
}

impl Step {
    /// Starts a step. indicatif draws nothing if stderr is not a terminal.
    pub fn begin(label: impl Into<String>) -> Self {
        let label = label.into();
        let bar = LIVE.add(ProgressBar::new_spinner());
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg:.dim}")
        {
            bar.set_style(style);
        }
        bar.set_prefix(label.clone());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self {
            label,
            started: Instant::now(),
            bar,
        }
    }

    /// Shows a progress message, on a terminal only.
    pub fn note(&self, text: impl Into<String>) {
        self.bar.set_message(text.into());
    }

    /// Finishes the step and prints its line.
    pub fn done(self) {
        self.bar.finish_and_clear();
        say!("{} ({})", self.label, seconds(self.started.elapsed()));
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A duration for people, in seconds.
pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
