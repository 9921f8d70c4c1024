//! Parameters of system calls.
//!
//! The kernel's own types tell little about them: on most architectures the functions behind the
//! calls take a `pt_regs`. So `syscalls.txt` has a row for each call: its name, with `/32` or `/64`
//! if it is for 32-bit or 64-bit programs only, and its parameters' types. A call without a row is
//! one whose parameters are not known.

use super::{Family, Parameter, Parameters, TypeId, Types, VOID};
use crate::ast::DEPTH_MAX;

const ROWS: &str = include_str!("syscalls.txt");

impl Types {
    /// The parameters of the system call of this name, for the programs of an ABI.
    pub(crate) fn syscall(&mut self, abi: &str, name: &str) -> Option<Parameters> {
        let is_foreign = is_foreign(abi);
        let row = row(name, is_foreign || self.pointer == 4)?;
        let count = row.clone().count() as u64;
        let mut words = Vec::new();
        let mut next = 0;
        for spelt in row {
            let type_ = self.spelt(spelt)?;
            // Its registers are those of another ABI than the kernel's.
            let is_split = is_foreign && ["int64_t", "uint64_t"].contains(&spelt);
            let Some(word) = self.next_word(type_, &mut next).filter(|_| !is_split) else {
                break;
            };
            words.push(Parameter { type_, word });
        }
        Some(Parameters {
            words,
            count,
            returns: VOID,
        })
    }

    /// The types of the parameters of a system call, as C spells them.
    pub(crate) fn syscall_parameters(&self, abi: &str, name: &str) -> Option<Vec<&'static str>> {
        Some(row(name, is_foreign(abi) || self.pointer == 4)?.collect())
    }

    /// A type as the rows spell it: a name or a tag, and stars.
    fn spelt(&mut self, text: &str) -> Option<TypeId> {
        let name = text.trim_end_matches(['*', ' ']);
        let stars = text.matches('*').count().min(DEPTH_MAX as usize);
        let mut type_ = match name.split_once(' ') {
            Some(("struct", tag)) => self.tag(Family::Struct, tag),
            Some(("union", tag)) => self.tag(Family::Union, tag),
            _ => self.number_named(name)?,
        };
        for _ in 0..stars {
            type_ = self.pointer_to(type_);
        }
        Some(type_)
    }

    fn number_named(&self, name: &str) -> Option<TypeId> {
        let known = match name {
            "void" => VOID,
            "char" => super::CHAR,
            "unsigned char" => super::UCHAR,
            "int" => super::INT,
            "unsigned int" => super::UINT,
            "long" => super::LONG,
            "unsigned long" => super::ULONG,
            _ => return self.named(name),
        };
        Some(known)
    }
}

/// Whether an ABI is that of 32-bit programs on a 64-bit kernel.
fn is_foreign(abi: &str) -> bool {
    ["compat", "ia32"].contains(&abi)
}

/// The types of the call's parameters.
fn row(name: &str, is_narrow: bool) -> Option<impl Iterator<Item = &'static str> + Clone> {
    let found = ROWS.lines().find_map(|line| {
        let (call, types) = line.split_once(' ').unwrap_or((line, ""));
        let (call, width) = call.split_once('/').unwrap_or((call, ""));
        let is_it = match width {
            "32" => is_narrow,
            "64" => !is_narrow,
            _ => true,
        };
        (call == name && is_it).then_some(types)
    });
    Some(found?.split(", ").filter(|it| !it.is_empty()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_row_is_of_known_types_and_there_once() {
        let mut types = Types::new(8, 256);
        let mut calls = HashSet::new();
        for line in ROWS.lines() {
            let (call, parameters) = line.split_once(' ').unwrap_or((line, ""));
            assert!(calls.insert(call), "{call}");
            for spelt in parameters.split(", ").filter(|it| !it.is_empty()) {
                let type_ = types.spelt(spelt);
                let type_ = type_.unwrap_or_else(|| panic!("{line}: {spelt}"));
                assert_eq!(types.name(type_), spelt, "{line}");
            }
        }
        for call in &calls {
            let (name, width) = call.split_once('/').unwrap_or((call, ""));
            assert!(width.is_empty() || !calls.contains(name), "{call}");
        }
    }

    fn words(pointer: u32, abi: &str, name: &str) -> Option<(Vec<u64>, u64)> {
        let mut types = Types::new(pointer, 256);
        let found = types.syscall(abi, name)?;
        Some((found.words.iter().map(|it| it.word).collect(), found.count))
    }

    #[test]
    fn a_number_of_64_bits_is_where_the_abi_has_it() {
        for (pointer, abi, expected) in [
            (8, "x86_64", vec![0, 1, 2, 3]),
            (8, "arm64", vec![0, 1, 2, 3]),
            (4, "arm", vec![0, 1, 2, 4]),
            (8, "ia32", vec![0, 1, 2]),
            (8, "compat", vec![0, 1, 2]),
        ] {
            assert_eq!(words(pointer, abi, "pread64"), Some((expected, 4)), "{abi}");
        }
        assert_eq!(words(8, "arm64", "getpid"), Some((vec![], 0)));
        assert_eq!(words(8, "arm64", "nosuch"), None);
    }

    #[test]
    fn programs_of_32_bits_have_their_own_types() {
        let mut types = Types::new(8, 256);
        for (abi, expected) in [("x86_64", 4), ("ia32", 2)] {
            let found = types.syscall(abi, "setuid").expect("it is there");
            assert_eq!(types.size(found.words[0].type_), expected, "{abi}");
        }
    }
}
