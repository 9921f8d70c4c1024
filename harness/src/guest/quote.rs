//! Shell quoting.

/// `text` as one word of a POSIX shell.
pub fn quote(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_words_are_quoted() {
        assert_eq!(quote("raspi0"), "raspi0");
        assert_eq!(quote("tcp:127.0.0.1:0-:22"), "tcp:127.0.0.1:0-:22");
        assert_eq!(quote("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quote(""), "''");
    }
}
