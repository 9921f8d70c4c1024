//! `dtrace(8)`, in the macros of man(7).

use std::fmt::Write;

use crate::options::{Flag, SYNOPSIS, flags};

/// The page around the options.
const PAGE: &str = include_str!("dtrace.8");

/// The page.
pub fn page() -> String {
    let forms = SYNOPSIS
        .split('\n')
        .take_while(|form| !form.contains("predicate ->"));
    let forms: String = forms
        .map(|form| form.trim_start().to_owned() + "\n")
        .collect();
    PAGE.replace("@version@", env!("CARGO_PKG_VERSION"))
        .replace("@synopsis@\n", &escaped(forms.trim_end()))
        .replace("@options@\n", &flags().map(entry).collect::<String>())
}

fn entry(flag: &Flag) -> String {
    let mut entry = format!(".TP\n\\fB{}\\fR", escaped(flag.name).trim_end());
    if let Some(name) = flag.takes.name() {
        let _ = write!(entry, " \\fI{}\\fR", escaped(name).trim_end());
    }
    let (first, rest) = flag.does.split_at(1);
    let _ = write!(entry, "\n{}", escaped(&(first.to_uppercase() + rest + ".")));
    entry
}

/// Text of which roff takes nothing for a request or an escape, with a newline.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with(['.', '\'']) {
            out.push_str("\\&");
        }
        for letter in line.chars() {
            match letter {
                '\\' => out.push_str("\\e"),
                '-' => out.push_str("\\-"),
                '`' => out.push_str("\\(ga"),
                '\'' => out.push_str("\\(aq"),
                other => out.push(other),
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_request_or_an_escape() {
        assert_eq!(
            escaped(".so x\n'b \\n -x `"),
            "\\&.so x\n\\&\\(aqb \\en \\-x \\(ga\n"
        );
    }

    #[test]
    fn the_page_has_each_option_and_no_placeholder() {
        let page = page();
        for flag in flags() {
            let name = format!(".TP\n\\fB{}\\fR", escaped(flag.name).trim_end());
            assert!(page.contains(&name), "{}", flag.name);
        }
        for placeholder in ["@version@", "@synopsis@", "@options@"] {
            assert!(!page.contains(placeholder), "{placeholder}");
        }
    }
}
