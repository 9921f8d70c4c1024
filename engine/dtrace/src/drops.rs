//! Messages about drops, in DTrace's wording.

use engine_abi::Status;

/// A message about drops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drops {
    /// Their kind.
    tag: &'static str,
    message: String,
}

impl Drops {
    /// The message, after the kind if `tagged` (the option `droptags`).
    pub fn text(&self, tagged: bool) -> String {
        match tagged {
            true => format!("[DTRACEDROP_{}] {}", self.tag, self.message),
            false => self.message.clone(),
        }
    }
}

/// The message for records or values dropped on a CPU; `kind` is empty for a principal buffer.
pub fn of_buffer(drops: u64, kind: &str, cpu: u32) -> Option<Drops> {
    let (space, tag) = match kind {
        "" => ("", "PRINCIPAL"),
        _ => (" ", "AGGREGATION"),
    };
    (drops > 0).then(|| Drops {
        tag,
        message: format!("{drops} {kind}{space}drop{} on CPU {cpu}", plural(drops)),
    })
}

/// The messages for drops counted since the last status.
pub fn of_status(before: &Status, now: &Status) -> Vec<Drops> {
    let kinds = [
        (
            now.dynamic_drops,
            before.dynamic_drops,
            "DYNAMIC",
            "dynamic variable drop",
            "",
        ),
        (
            now.speculation_drops,
            before.speculation_drops,
            "SPEC",
            "speculative drop",
            "",
        ),
        (
            now.speculations_busy,
            before.speculations_busy,
            "SPECBUSY",
            "failed speculation",
            " (available buffer(s) still busy)",
        ),
        (
            now.speculations_unavailable,
            before.speculations_unavailable,
            "SPECUNAVAIL",
            "failed speculation",
            " (no speculative buffer available)",
        ),
        (
            now.stack_drops,
            before.stack_drops,
            "STACK",
            "drop",
            " (insufficient kernel stack)",
        ),
        (
            now.error_drops,
            before.error_drops,
            "DBLERROR",
            "error",
            " in ERROR probe enabling",
        ),
    ];
    let messages = kinds
        .into_iter()
        .filter_map(|(now, before, tag, what, why)| {
            let drops = now.checked_sub(before).filter(|&it| it > 0)?;
            let message = format!("{drops} {what}{}{why}", plural(drops));
            Some(Drops { tag, message })
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
        let text = |drops, kind, cpu, tagged| of_buffer(drops, kind, cpu).unwrap().text(tagged);
        assert_eq!(text(12, "", 0, false), "12 drops on CPU 0");
        assert_eq!(
            text(12, "", 0, true),
            "[DTRACEDROP_PRINCIPAL] 12 drops on CPU 0"
        );
        assert_eq!(
            text(1, "aggregation", 3, false),
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
        let drops = of_status(&before, &now);
        assert_eq!(
            drops.iter().map(|it| it.text(false)).collect::<Vec<_>>(),
            [
                "1 dynamic variable drop",
                "2 failed speculations (available buffer(s) still busy)",
                "3 drops (insufficient kernel stack)",
                "1 error in ERROR probe enabling",
            ]
        );
    }
}
