//! `flowindent`: entries and returns move what lies between them to the right.

use crate::engine::Enabled;
use crate::output::texts;

/// Where a CPU's records are.
#[derive(Debug, Default)]
pub struct Flow {
    indent: usize,
    /// The enabled probe ID and the probe's of the last record, of whichever CPU.
    last: Option<(u32, u32)>,
}

/// What a probe's name says of the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Entry,
    Return,
}

impl Flow {
    /// The records of another CPU begin at the left.
    pub fn begin(&mut self) {
        self.indent = 0;
    }

    /// A record has passed, whether it was printed or not.
    pub fn pass(&mut self, epid: u32, enabled: &Enabled) {
        self.last = Some((epid, enabled.probe.id));
    }

    /// What is printed of a firing; `next` is the enabled probe ID and the probe's of the record behind.
    /// Several clauses of a probe enter or return once.
    pub fn place(&mut self, epid: u32, enabled: &Enabled, next: Option<(u32, u32)>) -> String {
        let [provider, _, function, name] = texts(&enabled.probe.description);
        let id = enabled.probe.id;
        let again = |other: Option<(u32, u32)>| other.is_some_and(|it| it.0 != epid && it.1 == id);
        let turn = match turn(&name) {
            Some(Turn::Entry) if again(self.last) => None,
            Some(Turn::Return) if again(next) => None,
            turn => turn,
        };
        if turn == Some(Turn::Return) {
            self.indent = self.indent.saturating_sub(2);
        }
        let indent = self.indent;
        if turn == Some(Turn::Entry) {
            self.indent += 2;
        }
        match (turn, provider == "syscall") {
            (Some(Turn::Entry), false) => format!("{:indent$} -> {function}", ""),
            (Some(Turn::Entry), true) => format!("{:indent$} => {function}", ""),
            (Some(Turn::Return), false) => format!("{:indent$} <- {function}", ""),
            (Some(Turn::Return), true) => format!("{:indent$} <= {function}", ""),
            (None, _) => format!("{:indent$}| {function}:{name}", ""),
        }
    }
}

/// A name that is `entry` or ends in `-entry` enters; likewise `return`.
fn turn(name: &str) -> Option<Turn> {
    let is = |word: &str| {
        name.strip_suffix(word)
            .is_some_and(|it| it.is_empty() || it.ends_with('-'))
    };
    if is("entry") {
        Some(Turn::Entry)
    } else if is("return") {
        Some(Turn::Return)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use engine_abi::Description;

    use super::*;
    use crate::engine::Probe;

    fn enabled(id: u32, provider: &str, function: &str, name: &str) -> Enabled {
        let [provider, function, name] = [provider, function, name].map(str::as_bytes);
        let description = Description::new(provider, b"", function, name).unwrap();
        Enabled {
            probe: Probe { id, description },
            clause: 0,
        }
    }

    fn placed(flow: &mut Flow, epid: u32, enabled: &Enabled, next: Option<(u32, u32)>) -> String {
        let place = flow.place(epid, enabled, next);
        flow.pass(epid, enabled);
        place
    }

    #[test]
    fn what_is_called_stands_to_the_right() {
        let mut flow = Flow::default();
        let mut lines = Vec::new();
        for (epid, provider, function, name) in [
            (1, "syscall", "chdir", "entry"),
            (2, "fbt", "lookup", "entry"),
            (3, "sdt", "", "here"),
            (4, "fbt", "lookup", "return"),
            (5, "syscall", "chdir", "return"),
            (6, "fbt", "stray", "return"),
        ] {
            let enabled = enabled(epid, provider, function, name);
            lines.push(placed(&mut flow, epid, &enabled, None));
        }
        assert_eq!(
            lines,
            [
                " => chdir",
                "   -> lookup",
                "    | :here",
                "   <- lookup",
                " <= chdir",
                " <- stray"
            ]
        );
    }

    #[test]
    fn clauses_of_one_probe_enter_and_return_once() {
        let mut flow = Flow::default();
        let (entry, exit) = (
            enabled(1, "fbt", "f", "entry"),
            enabled(2, "fbt", "f", "return"),
        );
        assert_eq!(placed(&mut flow, 10, &entry, Some((11, 1))), " -> f");
        assert_eq!(placed(&mut flow, 11, &entry, Some((20, 2))), "  | f:entry");
        assert_eq!(placed(&mut flow, 20, &exit, Some((21, 2))), "  | f:return");
        assert_eq!(placed(&mut flow, 21, &exit, None), " <- f");
        // The same clause twice is a recursion.
        assert_eq!(placed(&mut flow, 10, &entry, Some((10, 1))), " -> f");
        assert_eq!(placed(&mut flow, 10, &entry, None), "   -> f");
    }

    #[test]
    fn only_whole_words_are_turns() {
        assert_eq!(turn("entry"), Some(Turn::Entry));
        assert_eq!(turn("method-return"), Some(Turn::Return));
        for name in ["carpentry", "entry-point", "", "returned"] {
            assert_eq!(turn(name), None, "{name}");
        }
    }
}
