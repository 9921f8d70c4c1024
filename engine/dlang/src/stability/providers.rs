//! The attributes of the providers' probes, which are those of DTrace's guide.

use engine_abi::Description;

use super::{Attributes, Class, DEFAULT, KERNEL as PRIVATE, Stability};

/// The parts of a provider that have attributes, as `#pragma D attributes` names them.
pub(crate) const PARTS: [&str; 5] = ["provider", "module", "function", "name", "args"];

/// A provider's attributes: of its own name, and of its probes' modules, functions, names and
/// arguments.
pub type Parts = [Attributes; 5];

const STABLE: Attributes = DEFAULT;
const EVOLVING: Attributes = Attributes::both(Stability::Evolving, Class::Common);
const EVOLVING_ISA: Attributes = Attributes::both(Stability::Evolving, Class::Isa);
const UNSTABLE: Attributes = Attributes::both(Stability::Unstable, Class::Unknown);
const UNSTABLE_COMMON: Attributes = Attributes::both(Stability::Unstable, Class::Common);
const UNSTABLE_ISA: Attributes = Attributes::both(Stability::Unstable, Class::Isa);
const PRIVATE_ISA: Attributes = Attributes::both(Stability::Private, Class::Isa);

/// The attributes of a provider; of one that is not known, those of any.
pub(super) fn of_provider(provider: &[u8]) -> Parts {
    match provider {
        b"dtrace" => [STABLE, PRIVATE, PRIVATE, STABLE, STABLE],
        b"profile" => [EVOLVING, UNSTABLE, PRIVATE, EVOLVING, EVOLVING],
        b"syscall" => [EVOLVING, PRIVATE, UNSTABLE_ISA, EVOLVING, UNSTABLE_ISA],
        b"fbt" => [EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, PRIVATE_ISA],
        b"sdt" => [EVOLVING_ISA, PRIVATE, PRIVATE, PRIVATE_ISA, PRIVATE_ISA],
        b"proc" => [EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, EVOLVING_ISA],
        other if is_of_process(other) => [EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, PRIVATE],
        _ => [UNSTABLE_COMMON; 5],
    }
}

/// Whether the name is `pid` and a number.
fn is_of_process(provider: &[u8]) -> bool {
    let digits = provider.strip_prefix(b"pid");
    digits.is_some_and(|it| !it.is_empty() && it.iter().all(u8::is_ascii_digit))
}

/// Whether a provider of this name has attributes of its own.
pub(crate) fn is_known(provider: &str) -> bool {
    of_provider(provider.as_bytes()) != [UNSTABLE_COMMON; 5]
}

/// The attributes of a description, which are those of its least stable part, and of the arguments,
/// with these of its provider. A part that is left out does not count.
pub(super) fn of_parts(probe: &Description, attributes: Parts) -> (Attributes, Attributes) {
    let [provider, module, function, name, arguments] = attributes;
    let parts = [
        (probe.module(), module),
        (probe.function(), function),
        (probe.name(), name),
    ];
    let there = parts.iter().filter(|(part, _)| !part.is_empty());
    let description = there.fold(provider, |least, (_, attributes)| least.least(*attributes));
    (description, arguments)
}

/// The attributes of a description and of the arguments.
pub fn of(probe: &Description) -> (Attributes, Attributes) {
    of_parts(probe, of_provider(probe.provider()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_as_stable_as_its_least_part() {
        for (parts, expected) in [
            (["dtrace", "", "", "BEGIN"], (STABLE, STABLE)),
            (["", "", "", "BEGIN"], (UNSTABLE_COMMON, UNSTABLE_COMMON)),
            (["pr*", "", "", "exec"], (UNSTABLE_COMMON, UNSTABLE_COMMON)),
            (["profile", "", "", "tick-1s"], (EVOLVING, EVOLVING)),
            (["proc", "", "", "exec"], (EVOLVING_ISA, EVOLVING_ISA)),
            (["syscall", "", "", "entry"], (EVOLVING, UNSTABLE_ISA)),
            (
                ["syscall", "", "read", "entry"],
                (UNSTABLE_ISA, UNSTABLE_ISA),
            ),
            (["fbt", "", "", "entry"], (EVOLVING_ISA, PRIVATE_ISA)),
            (["fbt", "vmlinux", "open", "entry"], (PRIVATE, PRIVATE_ISA)),
            (["sdt", "vmlinux", "", "open"], (PRIVATE, PRIVATE_ISA)),
            (["pid42", "a.out", "main", "entry"], (PRIVATE, PRIVATE)),
            (["pid42", "", "", "entry"], (EVOLVING_ISA, PRIVATE)),
        ] {
            let [provider, module, function, name] = parts.map(str::as_bytes);
            let probe = Description::new(provider, module, function, name).unwrap();
            assert_eq!(of(&probe), expected, "{probe}");
        }
    }
}
