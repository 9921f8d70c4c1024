//! The values of `${name}` on each guest.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Values with fewer characters are never replaced by their name.
const SHORTEST: usize = 4;

/// One guest's names, for what differs between guests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(transparent)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    /// Replaces every `${name}` in `text`; `$${` is an escaped `${`.
    ///
    /// The error is the unknown name, or the rest after an unclosed `${`.
    pub fn expand(&self, text: &str) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            if let Some(literal) = before.strip_suffix('$') {
                out.push_str(literal);
                out.push_str("${");
                rest = after;
                continue;
            }
            let (name, after) = after.split_once('}').ok_or(after)?;
            out.push_str(before);
            out.push_str(self.0.get(name).ok_or(name)?);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }

    /// Adds further names, those that have a value.
    pub fn with<const N: usize>(&self, others: [(&str, Option<String>); N]) -> Self {
        let mut names = self.0.clone();
        let others = others.into_iter();
        names.extend(others.filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Self(names)
    }

    /// These, replaced or added to by `others`.
    pub fn merged(&self, others: &Self) -> Self {
        let mut names = self.0.clone();
        names.extend(others.0.clone());
        Self(names)
    }

    /// The name for `value`, the first one if there are several.
    ///
    /// Short values and numbers are ambiguous, and a value that ends in `_` is only a prefix: all
    /// of these have none.
    pub fn name_of(&self, value: &str) -> Option<&str> {
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        if value.len() < SHORTEST || is_number || value.ends_with('_') {
            return None;
        }
        let mut all = self.0.iter();
        all.find_map(|(name, own)| (own == value).then_some(name.as_str()))
    }

    /// The known names, for a message.
    pub fn known(&self) -> String {
        if self.0.is_empty() {
            return "none".to_owned();
        }
        let names: Vec<_> = self.0.keys().map(String::as_str).collect();
        names.join(", ")
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Names {
    fn from(pairs: [(&str, &str); N]) -> Self {
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self(pairs.into_iter().map(own).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::from([("syscall.chdir", "sys_chdir"), ("empty", "")])
    }

    #[test]
    fn every_name_is_replaced() {
        let got = names().expand("fbt::${syscall.chdir}:entry,${syscall.chdir}${empty}");
        assert_eq!(got.as_deref(), Ok("fbt::sys_chdir:entry,sys_chdir"));
    }

    #[test]
    fn shell_variables_are_not_expanded() {
        let got = names().expand("echo $HOME $$ $${PATH} {1..3}");
        assert_eq!(got.as_deref(), Ok("echo $HOME $$ ${PATH} {1..3}"));
    }

    #[test]
    fn ambiguous_values_have_no_name() {
        let names = Names::from([
            ("b", "sys_chdir"),
            ("a", "sys_chdir"),
            ("p", "sys_"),
            ("s", "brk"),
            ("n", "47242"),
        ]);
        let found = ["sys_chdir", "sys_", "brk", "sys_chdi", "47242", ""];
        let found = found.map(|value| names.name_of(value));
        assert_eq!(found, [Some("a"), None, None, None, None, None]);
    }

    #[test]
    fn unknown_and_unclosed_names_are_errors() {
        assert_eq!(names().expand("a ${nosuch} b"), Err("nosuch".to_owned()));
        assert_eq!(names().expand("a ${open"), Err("open".to_owned()));
        assert_eq!(names().known(), "empty, syscall.chdir");
    }
}
