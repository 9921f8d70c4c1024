//! Matching of probe descriptions.
//!
//! The patterns are DTrace's (dtrace(1), "Probe descriptions"): `*` matches any run of characters,
//! `?` any one, `[a-z]` one of a set, `[!a-z]` one outside it, and `\` quotes the next character.
//! An empty pattern matches every name.

use engine_abi::Description;

/// A preprocessed description. It is matched against some hundred thousand probes, so each field is
/// classified once.
#[derive(Debug, Clone, Copy)]
pub struct Pattern<'d> {
    description: &'d Description,
    provider: Field<'d>,
    module: Field<'d>,
    function: Field<'d>,
    name: Field<'d>,
}

/// How one field matches.
#[derive(Debug, Clone, Copy)]
enum Field<'d> {
    Every,
    Only(&'d [u8]),
    Glob(&'d [u8]),
}

impl<'d> Pattern<'d> {
    /// Classifies the fields of `description`.
    pub fn new(description: &'d Description) -> Self {
        Self {
            description,
            provider: Field::new(description.provider()),
            module: Field::new(description.module()),
            function: Field::new(description.function()),
            name: Field::new(description.name()),
        }
    }

    /// The description's name field, as written.
    pub fn name(&self) -> &'d [u8] {
        self.description.name()
    }

    /// Whether the description matches a probe of these names.
    pub fn describes(&self, [provider, module, function, name]: [&[u8]; 4]) -> bool {
        self.has_function(function) && self.has_module(module) && self.has_kind(provider, name)
    }

    /// Whether the function field matches, so that a probe of that function may match.
    pub fn has_function(&self, name: &[u8]) -> bool {
        self.function.matches(name)
    }

    /// Whether the module field matches, so that a probe in that module may match.
    pub fn has_module(&self, name: &[u8]) -> bool {
        self.module.matches(name)
    }

    /// Whether the provider and name fields match, so that such a probe may match.
    pub fn has_kind(&self, provider: &[u8], name: &[u8]) -> bool {
        self.provider.matches(provider) && self.name.matches(name)
    }
}

impl<'d> Field<'d> {
    fn new(pattern: &'d [u8]) -> Self {
        let is_special = |character: &u8| b"*?[\\".contains(character);
        match pattern {
            [] => Self::Every,
            _ if pattern.iter().any(is_special) => Self::Glob(pattern),
            _ => Self::Only(pattern),
        }
    }

    fn matches(self, name: &[u8]) -> bool {
        match self {
            Self::Every => true,
            Self::Only(pattern) => pattern == name,
            Self::Glob(pattern) => matches(pattern, name),
        }
    }
}

/// Whether `pattern` matches all of `name`. Takes at most `pattern.len() * name.len()` steps, as
/// only the last `*` is retried.
pub fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // The last `*`: the pattern after it, and the part of the name to retry it at.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        if let [b'*', behind @ ..] = pattern {
            retry = Some((behind, name));
            pattern = behind;
            continue;
        }
        match (one(pattern, name), name, retry) {
            (Step::Matched(behind), [_, rest @ ..], _) => (pattern, name) = (behind, rest),
            (Step::End, [], _) => return true,
            (_, _, Some((behind, [_, rest @ ..]))) => {
                retry = Some((behind, rest));
                (pattern, name) = (behind, rest);
            }
            _ => return false,
        }
    }
}

/// How the pattern's first element compares with the name's first character.
enum Step<'a> {
    /// It matches; the rest of the pattern follows.
    Matched(&'a [u8]),
    /// It does not match.
    Differs,
    /// The pattern is exhausted.
    End,
}

fn one<'a>(pattern: &'a [u8], name: &[u8]) -> Step<'a> {
    let (literal, behind) = match pattern {
        [] => return Step::End,
        [b'[', set @ ..] => return one_of(set, name),
        [b'?', behind @ ..] => (None, behind),
        [b'\\', literal, behind @ ..] | [literal, behind @ ..] => (Some(literal), behind),
    };
    match name.first() {
        Some(character) if literal.is_none_or(|literal| literal == character) => {
            Step::Matched(behind)
        }
        _ => Step::Differs,
    }
}

/// Matches a set, of which `set` starts after the `[`. An unterminated set matches nothing.
fn one_of<'a>(set: &'a [u8], name: &[u8]) -> Step<'a> {
    let Some(&character) = name.first() else {
        return Step::Differs;
    };
    let (mut rest, inverted) = match set {
        [b'!', rest @ ..] => (rest, true),
        _ => (set, false),
    };
    let mut found = false;
    let mut first = true;
    loop {
        rest = match rest {
            [b']', behind @ ..] if !first => {
                return if found == inverted {
                    Step::Differs
                } else {
                    Step::Matched(behind)
                };
            }
            [low, b'-', high, behind @ ..] if *high != b']' => {
                found |= (*low..=*high).contains(&character);
                behind
            }
            [b'\\', literal, behind @ ..] | [literal, behind @ ..] => {
                found |= character == *literal;
                behind
            }
            [] => return Step::Differs,
        };
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, name: &str) -> bool {
        matches(pattern.as_bytes(), name.as_bytes())
    }

    #[test]
    fn each_element() {
        let cases = [
            ("sys_chdir", "sys_chdir", true),
            ("sys_chdir", "sys_chdi", false),
            ("sys_chdi", "sys_chdir", false),
            ("sys_*", "sys_", true),
            ("*dir", "sys_chdir", true),
            ("s*_*r", "sys_chdir", true),
            ("*", "", true),
            ("**", "a", true),
            ("s?s_*", "sys_chdir", true),
            ("s?s", "sys", true),
            ("?", "", false),
            ("sys_[cd]*", "sys_dup", true),
            ("sys_[a-c]*", "sys_dup", false),
            ("sys_[!a-c]*", "sys_dup", true),
            ("[]]", "]", true),
            ("[!]]", "]", false),
            ("[a-]", "-", true),
            ("[a", "a", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("\\a", "a", true),
            ("[\\]]", "]", true),
            ("\\", "\\", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(check(pattern, name), expected, "{pattern} on {name}");
            let field = Field::new(pattern.as_bytes()).matches(name.as_bytes());
            assert_eq!(field, expected, "a field of {pattern} on {name}");
        }
    }

    #[test]
    fn an_empty_field_describes_every_name() {
        let description = Description::new(b"", b"", b"sys_*", b"").unwrap();
        let pattern = Pattern::new(&description);
        assert!(pattern.describes([b"fbt", b"vmlinux", b"sys_chdir", b"entry"]));
        assert!(!pattern.describes([b"fbt", b"vmlinux", b"vfs_read", b"entry"]));
    }

    #[test]
    fn each_field_counts() {
        let names: [&[u8]; 4] = [b"fbt", b"vmlinux", b"sys_chdir", b"entry"];
        let is_described = |fields: [&[u8]; 4]| {
            let [provider, module, function, name] = fields;
            let description = Description::new(provider, module, function, name).unwrap();
            Pattern::new(&description).describes(names)
        };
        assert!(is_described(names));
        for field in 0..names.len() {
            for (other, expected) in [
                (&b"x"[..], false),
                (b"x*", false),
                (b"", true),
                (b"*", true),
            ] {
                let mut fields = names;
                fields[field] = other;
                assert_eq!(is_described(fields), expected, "{field}");
            }
        }
    }

    #[test]
    fn many_stars_take_polynomial_time() {
        let name = std::vec![b'a'; 191];
        let pattern = "*a".repeat(90) + "b";
        assert!(!matches(pattern.as_bytes(), &name));
    }

    proptest::proptest! {
        #[test]
        fn a_name_matches_itself_and_its_cuttings(name in "[a-z_.0-9]{1,40}", cut in 0usize..40) {
            let cut = cut.min(name.len());
            proptest::prop_assert!(check(&name, &name));
            let starred = std::format!("{}*{}", &name[..cut], &name[cut..]);
            let prefix = std::format!("{}*", &name[..cut]);
            proptest::prop_assert!(check(&starred, &name));
            proptest::prop_assert!(check(&prefix, &name));
        }

        #[test]
        fn no_pattern_hangs_or_panics(pattern: std::vec::Vec<u8>, name: std::vec::Vec<u8>) {
            matches(&pattern, &name);
        }
    }
}
