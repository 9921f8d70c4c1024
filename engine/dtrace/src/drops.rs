//! Messages about drops, in DTrace's wording.

use engine_abi::Status;

/// The message for records or values dropped on a CPU; `kind` is empty for a principal buffer.
pub fn of_buffer(drops: u64, kind: &str, cpu: u32) -> Option<String> {
    let space = if kind.is_empty() { "" } else { " " };
    (drops > 0).then(|| format!("{drops} {kind}{space}drop{} on CPU {cpu}", plural(drops)))
}

/// The messages for drops counted since the last status.
pub fn of_status(before: &Status, now: &Status) -> Vec<String> {
    let kinds = [
        (
            now.dynamic_drops,
            before.dynamic_drops,
            "dynamic variable drop",
            "",
        ),
        (
            now.speculation_drops,
            before.speculation_drops,
            "speculative drop",
            "",
        ),
        (
            now.speculations_busy,
            before.speculations_busy,
            "failed speculation",
            " (available buffer(s) still busy)",
        ),
        (
            now.speculations_unavailable,
            before.speculations_unavailable,
            "failed speculation",
            " (no speculative buffer available)",
        ),
        (
            now.stack_drops,
            before.stack_drops,
            "drop",
            " (insufficient kernel stack)",
        ),
        (
            now.error_drops,
            before.error_drops,
            "error",
            " in ERROR probe enabling",
        ),
    ];
    let messages = kinds.into_iter().filter_map(|(now, before, what, why)| {
        let drops = now.checked_sub(before).filter(|&it| it > 0)?;
        Some(format!("{drops} {what}{}{why}", plural(drops)))
    });
    messages.collect()
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_drops_name_the_cpu() {
        assert_eq!(of_buffer(0, "", 0), None);
        assert_eq!(of_buffer(12, "", 0).unwrap(), "12 drops on CPU 0");
        assert_eq!(
            of_buffer(1, "aggregation", 3).unwrap(),
            "1 aggregation drop on CPU 3"
        );
    }

    #[test]
    fn only_new_drops_are_reported() {
        let before = Status {
            dynamic_drops: 2,
            speculation_drops: 1,
            ..Status::default()
        };
        let now = Status {
            dynamic_drops: 3,
            speculation_drops: 1,
            speculations_busy: 2,
            stack_drops: 3,
            error_drops: 1,
            ..before
        };
        assert_eq!(
            of_status(&before, &now),
            [
                "1 dynamic variable drop",
                "2 failed speculations (available buffer(s) still busy)",
                "3 drops (insufficient kernel stack)",
                "1 error in ERROR probe enabling",
            ]
        );
    }
}
