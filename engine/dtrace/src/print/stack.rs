//! Stack traces, with a frame on each line.

use super::Style;
use super::layout::{Layout, spaces};
use super::text::text;

/// Appends a stack of `stack()`, or one in a key, with the indentation of `stackindent`.
pub fn stack(out: &mut Vec<u8>, style: &Style, data: &[u8]) {
    frames(out, style, style.stack_indent, &Layout::default(), data);
}

/// `%k`: a negative width indents each frame by that much, a positive one pads each frame.
pub fn formatted(out: &mut Vec<u8>, style: &Style, layout: &Layout, data: &[u8]) {
    if layout.flags.left {
        frames(out, style, layout.width, &Layout::default(), data);
    } else {
        frames(out, style, 0, layout, data);
    }
}

fn frames(out: &mut Vec<u8>, style: &Style, indent: usize, layout: &Layout, data: &[u8]) {
    out.push(b'\n');
    let counters = data.chunks_exact(8).map(super::unsigned_of);
    for counter in counters.take_while(|&it| it != 0) {
        spaces(out, indent);
        text(out, layout, style.symbols.name(counter).as_bytes());
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::Symbols;

    const SYMBOLS: &str = "1000 T sys_chdir\n2000 t helper\t[snd]\n3000 T end\n";

    fn put(layout: Option<&Layout>) -> String {
        let style = Style {
            quiet: false,
            raw_bytes: false,
            stack_indent: 14,
            symbols: Symbols::parse(SYMBOLS, "snd 256 0 - Live 0x2000\n"),
        };
        let counters = [0x1000u64, 0x201c, 0, 0x1000];
        let data: Vec<u8> = counters.iter().flat_map(|it| it.to_ne_bytes()).collect();
        let mut out = Vec::new();
        match layout {
            None => stack(&mut out, &style, &data),
            Some(layout) => formatted(&mut out, &style, layout, &data),
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
