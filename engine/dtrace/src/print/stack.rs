//! Stack traces, with a frame on each line.

use engine_dlang::program::{Detail, FieldType};

use super::layout::{Layout, spaces};
use super::text::text;
use super::{Style, user};

/// Appends a stack of this kind, an action's or one in a key, with the indentation of `stackindent`.
pub fn stack(out: &mut Vec<u8>, style: &Style, kind: FieldType, data: &[u8]) {
    let names = names(style, kind, data);
    frames(out, style.stack_indent, &Layout::default(), names);
}

/// `%k`: a negative width indents each frame by that much, a positive one pads each frame.
pub fn formatted(
    out: &mut Vec<u8>,
    style: &Style,
    layout: &Layout,
    (kind, data): (FieldType, &[u8]),
) {
    let names = names(style, kind, data);
    if layout.flags.left {
        frames(out, layout.width, &Layout::default(), names);
    } else {
        frames(out, 0, layout, names);
    }
}

/// The names of the frames.
fn names(style: &Style, kind: FieldType, data: &[u8]) -> Vec<String> {
    let is_frame = |counter: &u64| *counter != 0;
    if kind == FieldType::UserStack {
        let (pid, counters) = user::parts(data);
        let name = |counter| style.users.name(pid, counter, Detail::Offset);
        return counters.take_while(is_frame).map(name).collect();
    }
    let counters = data.chunks_exact(8).map(super::unsigned_of);
    let name = |counter| style.symbols.name(counter);
    counters.take_while(is_frame).map(name).collect()
}

fn frames(out: &mut Vec<u8>, indent: usize, layout: &Layout, names: Vec<String>) {
    out.push(b'\n');
    for name in names {
        spaces(out, indent);
        text(out, layout, name.as_bytes());
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::Symbols;
    use crate::user_symbols::UserSymbols;

    const SYMBOLS: &str = "1000 T sys_chdir\n2000 t helper\t[snd]\n3000 T end\n";

    fn put(layout: Option<&Layout>) -> String {
        let style = Style {
            quiet: false,
            raw_bytes: false,
            stack_indent: 14,
            symbols: Symbols::parse(SYMBOLS, "snd 256 0 - Live 0x2000\n"),
            users: UserSymbols::default(),
        };
        let kind = FieldType::Stack;
        let counters = [0x1000u64, 0x201c, 0, 0x1000];
        let data: Vec<u8> = counters.iter().flat_map(|it| it.to_ne_bytes()).collect();
        let mut out = Vec::new();
        match layout {
            None => stack(&mut out, &style, kind, &data),
            Some(layout) => formatted(&mut out, &style, layout, (kind, &data)),
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn frames_are_indented_until_the_first_zero() {
        let indent = " ".repeat(14);
        assert_eq!(
            put(None),
            format!("\n{indent}vmlinux`sys_chdir\n{indent}snd`helper+0x1c\n")
        );
    }

    /// No process has an ID beyond 2 to the 22nd.
    #[test]
    fn a_process_that_nobody_saw_has_addresses_only() {
        let words = [0x7000_0000u64, 0x1000, 0x201c, 0, 0];
        let data: Vec<u8> = words.iter().flat_map(|it| it.to_ne_bytes()).collect();
        let style = Style {
            quiet: false,
            raw_bytes: false,
            stack_indent: 2,
            symbols: Symbols::parse(SYMBOLS, ""),
            users: UserSymbols::default(),
        };
        let mut out = Vec::new();
        stack(&mut out, &style, FieldType::UserStack, &data);
        assert_eq!(out, b"\n  0x1000\n  0x201c\n");
    }

    #[test]
    fn a_negative_width_indents_a_stack() {
        assert_eq!(
            put(Some(&Layout::default())),
            "\nvmlinux`sys_chdir\nsnd`helper+0x1c\n"
        );
        assert_eq!(
            put(Some(&Layout::of_width(-3))),
            "\n   vmlinux`sys_chdir\n   snd`helper+0x1c\n"
        );
        assert_eq!(
            put(Some(&Layout::of_width(18))),
            "\n vmlinux`sys_chdir\n   snd`helper+0x1c\n"
        );
    }
}
