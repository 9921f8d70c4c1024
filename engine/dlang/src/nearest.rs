//! What a misspelt name may have meant.

/// How alike two names must be, from 0 to 1: one wrong letter of four.
const LIKENESS: f64 = 0.7;

/// The longest name that is compared, in bytes.
const LONGEST: usize = 64;

/// The name of these that is most like the one that was written, if any is.
pub fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The comparison takes time and memory for each pair of letters.
    if written.len() > LONGEST {
        return None;
    }
    let alike = names.into_iter().map(|name| {
        let likeness = strsim::normalized_damerau_levenshtein(written, name);
        (likeness, name)
    });
    let best = alike.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 >= LIKENESS).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_is_meant() {
        let names = ["bufsize", "aggsize", "quiet", "bufpolicy"];
        for (written, expected) in [
            ("bufsiz", Some("bufsize")),
            ("bufszie", Some("bufsize")),
            ("agsize", Some("aggsize")),
            ("silent", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, names), expected, "{written}");
        }
    }
}
