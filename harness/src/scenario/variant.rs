//! A guest's name, and what scenarios state for it.
//!
//! `x86_64@6.12` is the guest `x86_64` with another kernel than its default one. What a scenario
//! states for `x86_64` holds for it as well, unless the scenario states something for
//! `x86_64@6.12`.

use std::collections::BTreeMap;

/// The guest without its kernel.
pub fn base(guest: &str) -> &str {
    guest.split_once('@').map_or(guest, |(base, _)| base)
}

/// The most specific name under which something is stated for `guest`, and what that is.
pub fn stated<'m, T>(map: &'m BTreeMap<String, T>, guest: &str) -> Option<(&'m str, &'m T)> {
    let found = map.get_key_value(guest);
    let found = found.or_else(|| map.get_key_value(base(guest)));
    found.map(|(name, value)| (name.as_str(), value))
}

/// Whether a list of guests has `guest`, with this kernel or any.
pub fn is_listed(list: &[String], guest: &str) -> bool {
    list.iter().any(|name| name == guest || name == base(guest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stated_for_a_guest_holds_for_its_other_kernels() {
        let names = ["x86_64", "x86_64@6.12"].map(|name| (name.to_owned(), name.len()));
        let both = BTreeMap::from(names.clone());
        let one = BTreeMap::from([names[0].clone()]);
        assert_eq!(stated(&both, "x86_64@6.12"), Some(("x86_64@6.12", &11)));
        assert_eq!(stated(&both, "x86_64"), Some(("x86_64", &6)));
        assert_eq!(stated(&one, "x86_64@6.12"), Some(("x86_64", &6)));
        assert_eq!(stated(&one, "arm64@6.12"), None);
        let list = ["x86_64", "arm64@6.12"].map(str::to_owned);
        let listed = ["x86_64", "x86_64@6.12", "arm64@6.12", "arm64"];
        assert_eq!(
            listed.map(|guest| is_listed(&list, guest)),
            [true, true, true, false]
        );
    }
}
