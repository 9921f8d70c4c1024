//! The jobs over time: a lane per worker, a bar per attempt, lighter until the guest was ready.

use maud::{Markup, html};

use super::{Row, Text, seconds};
use crate::report::{Entry, Span};

const LANE: u64 = 30;
const BAR: u64 = 22;
/// Width of the lane numbers, in pixels.
const LEFT: u64 = 30;
const LETTER: u64 = 7;
/// Pixels of an average bar, so that it can be pointed at.
const AVERAGE: u64 = 36;
const LEAST_WIDTH: u64 = 1100;
const MOST_WIDTH: u64 = 12_000;
/// Least distance of time marks, in pixels.
const MARKS: u64 = 90;
const STEPS: [u64; 12] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];

/// The time axis; the whole run is `width` pixels wide.
#[derive(Debug, Clone, Copy)]
struct Axis {
    wall_ms: u64,
    width: u64,
}

impl Axis {
    fn x(self, ms: u64) -> u64 {
        LEFT + ms.min(self.wall_ms) * self.width / self.wall_ms
    }

    /// The time between two marks.
    fn step_ms(self) -> u64 {
        let is_wide = |step: &&u64| *step * 1000 * self.width / self.wall_ms >= MARKS;
        STEPS
            .iter()
            .find(is_wide)
            .map_or(self.wall_ms, |step| step * 1000)
    }
}

/// Renders the chart; `None` if no job ran.
pub fn picture(span: &Span, jobs: &[Row<'_>]) -> Option<Markup> {
    let tries = jobs
        .iter()
        .flat_map(|row| row.entry.tries().map(|one| (*row, one)));
    let tries: Vec<_> = tries.filter(|(_, one)| one.job.total_ms() > 0).collect();
    let lanes = tries.iter().map(|(_, one)| one.worker).max()?;
    let ends = tries
        .iter()
        .map(|(_, one)| one.started_ms + one.job.total_ms());
    let in_lane = u64::try_from(tries.len().div_ceil(lanes)).unwrap_or(MOST_WIDTH);
    let axis = Axis {
        wall_ms: ends.max()?.max(span.wall_ms).max(1),
        width: in_lane
            .saturating_mul(AVERAGE)
            .clamp(LEAST_WIDTH, MOST_WIDTH),
    };
    let lanes = u64::try_from(lanes).ok()?;
    let (width, height) = (LEFT + axis.width + 10, lanes * LANE + 24);
    Some(html! {
        p.quiet { "The lighter part is the time until the guest was ready. Each bar links to its job." }
        div.wide {
            svg width=(width) height=(height) role="img" aria-label="Jobs over time, a lane for each worker" {
                (marks(axis, lanes * LANE))
                @for lane in 0..lanes {
                    text x="0" y=(lane * LANE + 16) { (lane + 1) }
                }
                @for (row, one) in &tries { (bar(axis, *row, one)) }
            }
        }
    })
}

fn marks(axis: Axis, height: u64) -> Markup {
    let step = axis.step_ms();
    html! {
        @for at in (0..=axis.wall_ms / step).map(|count| count * step) {
            line.mark x1=(axis.x(at)) x2=(axis.x(at)) y1="0" y2=(height + 4) {}
            text.mark x=(axis.x(at)) y=(height + 18) { (clock(at)) }
        }
    }
}

/// Formats as `40s` or `2:05`.
fn clock(ms: u64) -> String {
    match ms / 1000 {
        short @ 0..60 => format!("{short}s"),
        long => format!("{}:{:02}", long / 60, long % 60),
    }
}

fn bar(axis: Axis, row: Row<'_>, one: &Entry) -> Markup {
    let job = &one.job;
    let lane = u64::try_from(one.worker.saturating_sub(1)).unwrap_or_default();
    let start = one.started_ms + job.waited_ms;
    let end = start + job.total_ms();
    let (waits, from, ready, to) = (
        axis.x(one.started_ms),
        axis.x(start),
        axis.x(start + job.ready_ms),
        axis.x(end),
    );
    let width = to.saturating_sub(from).max(2);
    let y = lane * LANE;
    html! {
        a href=(row.link()) class={ "bar " (job.verdict) } {
            title { (tooltip(one)) }
            @if from > waits {
                rect.wait x=(waits) y=(y) width=(from - waits) height=(BAR) {}
            }
            rect.ready x=(from) y=(y) width=(width) height=(BAR) {}
            rect.run x=(ready) y=(y) width=(width.saturating_sub(ready - from)) height=(BAR) {}
            text x=(from + 4) y=(y + 16) { (Text(fitting(&job.id.scenario_and_mutant(), width))) }
        }
    }
}

fn tooltip(one: &Entry) -> Text<String> {
    let job = &one.job;
    let (ready, run) = (seconds(job.ready_ms), seconds(job.run_ms));
    let start = clock(one.started_ms);
    let waited = match job.waited_ms {
        0..100 => String::new(),
        ms => format!("waited {}, ", seconds(ms)),
    };
    Text(format!(
        "{} {}: from {start}, {waited}ready {ready}, run {run}",
        job.verdict, job.id
    ))
}

/// Cuts a name to a bar's width; the provider is dropped first.
fn fitting(name: &str, width: u64) -> String {
    let claim = name.rsplit_once('/').map_or(name, |(_, claim)| claim);
    let room = usize::try_from(width.saturating_sub(6) / LETTER).unwrap_or_default();
    match room {
        0..3 => String::new(),
        _ if claim.chars().count() <= room => claim.to_owned(),
        _ => claim.chars().take(room - 1).chain(['\u{2026}']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_far_enough_apart() {
        let step = |wall_ms, width| Axis { wall_ms, width }.step_ms();
        assert_eq!(step(5_000, 900), 1_000);
        assert_eq!(step(60_000, 900), 10_000);
        assert_eq!(step(3_600_000, 900), 600_000);
        assert_eq!(step(10, 900), 1_000);
        assert_eq!(step(360_000_000, 900), 360_000_000);
    }

    #[test]
    fn labels_are_cut_to_the_bar() {
        assert_eq!(fitting("fbt/three-chdir+m#2", 300), "three-chdir+m#2");
        assert_eq!(fitting("fbt/three-chdir", 6 + 7 * 6), "three\u{2026}");
        assert_eq!(fitting("fbt/three-chdir", 20), "");
    }

    #[test]
    fn coordinates_are_clamped_to_the_axis() {
        let axis = Axis {
            wall_ms: 1_000,
            width: 500,
        };
        assert_eq!([axis.x(0), axis.x(1_000), axis.x(9_000)], [30, 530, 530]);
    }
}
