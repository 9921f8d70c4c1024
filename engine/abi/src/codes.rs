//! Enums with wire codes: one list defines the variants, their codes and their names.

/// Defines an enum whose variants have a code and a text. The head is `Name: type of the codes,
/// method that returns the text`.
#[macro_export]
macro_rules! codes {
    ($(#[$doc:meta])* $name:ident: $type:ty, $text:ident {
        $($(#[$row:meta])* $variant:ident = $code:literal $what:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$row])* $variant,)*
        }

        impl $name {
            /// Every variant, in the order of the codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The variant with this code.
            pub const fn from_code(code: $type) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Its code.
            pub const fn code(self) -> $type {
                match self { $(Self::$variant => $code,)* }
            }

            /// Its text.
            pub const fn $text(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }
        }
    };
}
