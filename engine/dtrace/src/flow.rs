//! `flowindent`: indents output between a function's entry and return.

use crate::engine::Enabled;
use crate::output::texts;

/// The indentation of the CPU whose records are being printed.
#[derive(Debug, Default)]
pub struct Flow {
    indent: usize,
    /// EPID and probe ID of the last record, of any CPU.
    last: Option<(u32, u32)>,
}

/// How a probe changes the indentation, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Entry,
    Return,
}

impl Flow {
    /// Resets the indentation for the records of another CPU.
    pub fn begin(&mut self) {
        self.indent = 0;
    }

    /// Notes a record, printed or not, as the last one.
    pub fn pass(&mut self, epid: u32, enabled: &Enabled) {
        self.last = Some((epid, enabled.probe.id));
    }

    /// The indented text for a record; `next` is EPID and probe ID of the next one. If several
    /// clauses of one probe fire, only one of them counts as entry or return.
    pub fn place(&mut self, epid: u32, enabled: &Enabled, next: Option<(u32, u32)>) -> String {
        let [provider, _, function, name] = texts(&enabled.probe.description);
        let id = enabled.probe.id;
        let again = |other: Option<(u32, u32)>| other.is_some_and(|it| it.0 != epid && it.1 == id);
        let kind = match kind(&name) {
            Some(Kind::Entry) if again(self.last) => None,
            Some(Kind::Return) if again(next) => None,
            kind => kind,
        };
        if kind == Some(Kind::Return) {
            self.indent = self.indent.saturating_sub(2);
        }
        let indent = self.indent;
        if kind == Some(Kind::Entry) {
            self.indent += 2;
        }
        match (kind, provider == "syscall") {
            (Some(Kind::Entry), false) => format!("{:indent$} -> {function}", ""),
            (Some(Kind::Entry), true) => format!("{:indent$} => {function}", ""),
            (Some(Kind::Return), false) => format!("{:indent$} <- {function}", ""),
            (Some(Kind::Return), true) => format!("{:indent$} <= {function}", ""),
            (None, _) => format!("{:indent$}| {function}:{name}", ""),
        }
    }
}

/// `entry` or `...-entry` is an entry; likewise `return`.
fn kind(name: &str) -> Option<Kind> {
    let is = |word: &str| {
        name.strip_suffix(word)
            .is_some_and(|it| it.is_empty() || it.ends_with('-'))
    };
    if is("entry") {
        Some(Kind::Entry)
    } else if is("return") {
        Some(Kind::Return)
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
    fn callees_are_indented() {
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
    fn several_clauses_of_a_probe_count_once() {
        let mut flow = Flow::default();
        let (entry, exit) = (
            enabled(1, "fbt", "f", "entry"),
            enabled(2, "fbt", "f", "return"),
        );
        assert_eq!(placed(&mut flow, 10, &entry, Some((11, 1))), " -> f");
        assert_eq!(placed(&mut flow, 11, &entry, Some((20, 2))), "  | f:entry");
        assert_eq!(placed(&mut flow, 20, &exit, Some((21, 2))), "  | f:return");
        assert_eq!(placed(&mut flow, 21, &exit, None), " <- f");
        // The same clause again is a recursion.
        assert_eq!(placed(&mut flow, 10, &entry, Some((10, 1))), " -> f");
        assert_eq!(placed(&mut flow, 10, &entry, None), "   -> f");
    }

    #[test]
    fn only_whole_words_count() {
        assert_eq!(kind("entry"), Some(Kind::Entry));
        assert_eq!(kind("method-return"), Some(Kind::Return));
        for name in ["carpentry", "entry-point", "", "returned"] {
            assert_eq!(kind(name), None, "{name}");
        }
    }
}
