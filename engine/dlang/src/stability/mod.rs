//! Stability attributes: how much of what a program uses can be relied on, as DTrace has them.

mod levels;
mod providers;

use std::fmt;
use std::str::FromStr;

pub(crate) use levels::{Levels, of_builtin, of_function};
pub(crate) use providers::{PARTS, is_known};
pub use providers::{Parts, of};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = $word] $variant,)*
        }

        impl $name {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(word: &str) -> Result<Self, ()> {
                let mut all = Self::ALL.iter();
                let found = all.find(|it| it.word().eq_ignore_ascii_case(word));
                found.copied().ok_or(())
            }
        }
    };
}

words! {
    /// How likely a name or the meaning of data is to change; the least stable first.
    Stability {
        Internal "Internal",
        Private "Private",
        Obsolete "Obsolete",
        External "External",
        Unstable "Unstable",
        Evolving "Evolving",
        Stable "Stable",
        Standard "Standard",
    }
}

words! {
    /// Which systems something is the same on; the fewest first.
    Class {
        Unknown "Unknown",
        Cpu "CPU",
        Platform "Platform",
        Group "Group",
        Isa "ISA",
        Common "Common",
    }
}

/// The attributes of something that a program uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// The stability of its name.
    pub name: Stability,
    /// The stability of its data.
    pub data: Stability,
    /// What it depends on.
    pub class: Class,
}

impl Attributes {
    /// Names and data of the same stability.
    pub(crate) const fn both(stability: Stability, class: Class) -> Self {
        Self {
            name: stability,
            data: stability,
            class,
        }
    }

    /// The lower one of each.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        Self {
            name: self.name.min(other.name),
            data: self.data.min(other.data),
            class: self.class.min(other.class),
        }
    }

    /// Whether one of them is lower than the minimum.
    pub(crate) fn is_below(self, minimum: Self) -> bool {
        self.least(minimum) != minimum
    }
}

/// What has no attributes of its own.
pub const DEFAULT: Attributes = Attributes::both(Stability::Stable, Class::Common);
/// What belongs to the kernel.
pub(crate) const KERNEL: Attributes = Attributes::both(Stability::Private, Class::Unknown);

impl fmt::Display for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, data, class } = self;
        write!(f, "{}/{}/{}", name.word(), data.word(), class.word())
    }
}

impl FromStr for Attributes {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.split('/').collect::<Vec<_>>()[..] {
            [name, data, class] => Ok(Self {
                name: name.parse()?,
                data: data.parse()?,
                class: class.parse()?,
            }),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_three_words() {
        let parsed: Attributes = "stable/PRIVATE/isa".parse().expect("it is valid");
        assert_eq!(parsed.to_string(), "Stable/Private/ISA");
        for wrong in [
            "",
            "Stable",
            "Stable/Stable",
            "a/b/c",
            "Stable/Stable/ISA/ISA",
        ] {
            assert_eq!(wrong.parse::<Attributes>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn each_attribute_must_reach_the_minimum() {
        let minimum: Attributes = "Evolving/Evolving/ISA".parse().expect("it is valid");
        for (text, is_below) in [
            ("Evolving/Evolving/ISA", false),
            ("Standard/Stable/Common", false),
            ("Unstable/Stable/Common", true),
            ("Stable/Private/Common", true),
            ("Stable/Stable/Platform", true),
        ] {
            let attributes: Attributes = text.parse().expect("it is valid");
            assert_eq!(attributes.is_below(minimum), is_below, "{text}");
        }
    }
}
