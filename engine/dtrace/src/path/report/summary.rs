//! What was recorded, in a few lines.

use super::counts::Counts;
use crate::output::Output;
use crate::path::file::record::Kind;
use crate::path::replay::Replay;

/// Prints it.
pub fn print(replay: &Replay, counts: &Counts, output: &mut Output) {
    let command = counts.begin.command.iter();
    let command: Vec<_> = command.map(|it| String::from_utf8_lossy(it)).collect();
    let architecture = String::from_utf8_lossy(&counts.begin.architecture);
    let [not_taken, taken] = counts.branches;
    let bits = counts.packed.bits();
    output.line(format_args!("command       {}", command.join(" ")));
    output.line(format_args!("time          {}", time(counts.begin.time)));
    output.line(format_args!("architecture  {architecture}"));
    output.line(format_args!("threads       {}", counts.threads));
    output.line(format_args!("instructions  {}", counts.instructions));
    output.line(format_args!(
        "branches      {} ({:.1}% taken)",
        not_taken + taken,
        percent(taken, not_taken + taken)
    ));
    output.line(format_args!(
        "indirect      {} ({:.1}% predicted)",
        counts.indirect,
        100.0 - percent(counts.values, counts.indirect.max(counts.values))
    ));
    output.line(format_args!(
        "bits          {bits} ({:.3} per instruction)",
        percent(bits, counts.instructions) / 100.0
    ));
    for what in counts.unrecorded.told() {
        output.line(format_args!("not recorded  {what}"));
    }
    let changed = counts.symbols.changed(&replay.blocks);
    for object in &counts.objects {
        let note = match changed.contains(object) {
            true => " (the file is not the one that was executed)",
            false => "",
        };
        output.line(format_args!("object        {object}{note}"));
    }
    for (thread, mark) in &counts.marks {
        output.line(format_args!(
            "thread {thread:<6} {}",
            mark_text(mark, counts)
        ));
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        whole => part as f64 * 100.0 / whole as f64,
    }
}

fn time(nanoseconds: u64) -> String {
    let time = i64::try_from(nanoseconds)
        .ok()
        .and_then(|it| jiff::Timestamp::from_nanosecond(it.into()).ok());
    time.map_or_else(|| "unknown".to_owned(), |time| time.to_string())
}

fn mark_text(mark: &Kind, counts: &Counts) -> String {
    let name = |at: u64| counts.symbols.function(at).at(at);
    match mark {
        Kind::Start { at, id: 0 } => format!("begins at {}", name(*at)),
        Kind::Start { at, id } => format!("begins at {}, its ID is {id}", name(*at)),
        Kind::Clone { child, .. } if counts.unrecorded.has(*child) => {
            format!("{}, not recorded", describe(mark, name))
        }
        other => describe(other, name),
    }
}

/// A mark as text.
pub fn describe(mark: &Kind, name: impl Fn(u64) -> String) -> String {
    match mark {
        Kind::Start { at, .. } => format!("begins at {}", name(*at)),
        Kind::Generation { at, generation } => {
            format!("generation {generation} from {} on", name(*at))
        }
        Kind::Signal {
            signal,
            at,
            handler,
        } => format!(
            "signal {signal} at {}, handler {}",
            name(*at),
            name(*handler)
        ),
        Kind::SignalReturn { to, .. } => format!("handler returns to {}", name(*to)),
        Kind::End { at } => format!("ends at {}", name(*at)),
        Kind::Left { at, why } => format!("not recorded from {} on: {}", name(*at), left(*why)),
        Kind::Clone { at, child } => format!("makes {child} at {}", name(*at)),
        Kind::Exec { at } => format!("executes a program at {}", name(*at)),
        Kind::Lost { at, why } => {
            let why = String::from_utf8_lossy(why);
            format!("lost at {}: {why}", name(*at))
        }
    }
}

fn left(why: u8) -> &'static str {
    use engine_abi::path::Left;
    const INSTRUCTION: u8 = Left::Instruction as u8;
    const SEGMENT: u8 = Left::Segment as u8;
    const MEMORY: u8 = Left::Memory as u8;
    match why {
        INSTRUCTION => "an instruction that cannot be recorded",
        SEGMENT => "it uses the segment register of the recorder",
        MEMORY => "no memory",
        _ => "for an unknown reason",
    }
}
