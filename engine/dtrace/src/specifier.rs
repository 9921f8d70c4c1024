//! From the argument of `-n` to probe descriptions.

use engine_abi::{Description, TextTooLong};

use crate::error::Error;

/// The descriptions in `specifier`, which are separated by commas.
pub fn parse(specifier: &str) -> Result<Vec<Description>, Error> {
    specifier
        .split(',')
        .map(|one| describe(specifier, one.trim()))
        .collect()
}

/// One description: up to four fields with colons between, the last being the probe's name.
fn describe(specifier: &str, text: &str) -> Result<Description, Error> {
    let invalid = |why: String| Error::Specifier {
        specifier: specifier.into(),
        why,
    };
    if text.is_empty() {
        return Err(invalid("probe description is empty".into()));
    }
    if let Some(place) = text.find(['{', '/']) {
        let why = format!(
            "predicates and actions are not supported by this version, but {} begins one",
            &text[place..]
        );
        return Err(invalid(why));
    }
    let fields: Vec<&[u8]> = text
        .split(':')
        .map(|field| field.trim().as_bytes())
        .collect();
    let described = match fields[..] {
        [name] => Description::new(b"", b"", b"", name),
        [function, name] => Description::new(b"", b"", function, name),
        [module, function, name] => Description::new(b"", module, function, name),
        [provider, module, function, name] => Description::new(provider, module, function, name),
        _ => {
            return Err(invalid(format!(
                "probe description {text} has more than four fields"
            )));
        }
    };
    described.map_err(|TextTooLong| invalid(format!("probe description {text} is too long")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(specifier: &str) -> String {
        parse(specifier).unwrap()[0].to_string()
    }

    #[test]
    fn fields_are_counted_from_the_right() {
        assert_eq!(
            one("fbt:vmlinux:sys_chdir:entry"),
            "fbt:vmlinux:sys_chdir:entry"
        );
        assert_eq!(one("fbt::sys_chdir:"), "fbt::sys_chdir:");
        assert_eq!(one("vmlinux:sys_chdir:entry"), ":vmlinux:sys_chdir:entry");
        assert_eq!(one("sys_chdir:entry"), "::sys_chdir:entry");
        assert_eq!(one("entry"), ":::entry");
    }

    #[test]
    fn commas_separate_descriptions() {
        assert_eq!(parse("a:b, c").unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_description_is_said_with_its_place() {
        let long = "f".repeat(200) + ":entry";
        for (specifier, word) in [
            ("", "empty"),
            ("a,,b", "empty"),
            ("a:b:c:d:e", "more than four"),
            ("fbt:::entry{trace(1)}", "{trace(1)}"),
            (long.as_str(), "too long"),
        ] {
            let why = parse(specifier).unwrap_err().to_string();
            assert!(why.starts_with("invalid probe specifier "), "{why}");
            assert!(why.contains(word), "{why}");
        }
    }
}
