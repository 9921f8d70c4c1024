//! One list, many products: an enum, its codes and what each of its variants is called.

/// Makes an enum whose variants have a code and a text: `Name: code's type, text's method { ... }`.
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
            /// Every one, in the order of their codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The one of this code.
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

            /// What it is called.
            pub const fn $text(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }
        }
    };
}
