//! The names that the source has for a symbol.

use std::fmt::{self, Write};

use cpp_demangle::{BorrowedSymbol, DemangleOptions};

/// How much of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// With its parameters.
    Full,
    /// Without parameters and return type.
    Plain,
}

/// The longest demangled name. A few bytes of references back into a mangled name can stand for
/// gigabytes.
const LONGEST: usize = 16 << 10;

/// Demangles a C++ or a Rust name; `None` for any other, and for one that is too long.
pub fn demangle(name: &str, form: Form) -> Option<String> {
    let mut text = Limited(String::new());
    if let Ok(demangled) = rustc_demangle::try_demangle(name) {
        write!(text, "{demangled:#}").ok()?;
    } else if name.starts_with("_Z") {
        let options = DemangleOptions::new();
        let options = match form {
            Form::Full => options,
            Form::Plain => options.no_params().no_return_type(),
        };
        let symbol = BorrowedSymbol::new(name.as_bytes()).ok()?;
        symbol.structured_demangle(&mut text, &options).ok()?;
    }
    Some(text.0).filter(|text| !text.is_empty())
}

/// The name that the source has for a C++ or a Rust symbol, with parameters.
pub fn demangled(name: &str) -> Option<String> {
    demangle(name, Form::Full)
}

/// A string that refuses to grow beyond [`LONGEST`].
struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.0.len().saturating_add(piece.len()) > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(name: &str) -> [Option<String>; 2] {
        [Form::Full, Form::Plain].map(|form| demangle(name, form))
    }

    #[test]
    fn names_of_three_manglings() {
        let cases = [
            ("_ZN3foo3barEi", "foo::bar(int)", "foo::bar"),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
                "std::vector<int, std::allocator<int> >::push_back",
            ),
            (
                "_ZN4core3fmt5write17h0123456789abcdefE",
                "core::fmt::write",
                "core::fmt::write",
            ),
            ("_RNvC6_123foo3bar", "123foo::bar", "123foo::bar"),
        ];
        for (name, full, plain) in cases {
            assert_eq!(both(name), [Some(full.to_owned()), Some(plain.to_owned())]);
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in ["malloc", "_Z", "_ZN", "_R", "", "_Zé"] {
            assert_eq!(both(name), [None, None], "{name}");
        }
    }

    #[test]
    fn a_name_that_explodes_is_refused() {
        let mut name = "_Z1fPFvi".to_owned();
        for number in 0..40 {
            let digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
            let back = &digits[number % 36..=number % 36];
            write!(name, "PFvS{back}_S{back}_S{back}_E").unwrap();
        }
        let demangled = demangle(&name, Form::Full);
        assert!(demangled.is_none_or(|text| text.len() <= LONGEST));
    }
}
