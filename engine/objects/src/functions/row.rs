//! One function: where it is, what it is called, and how its symbol describes it.

use std::borrow::Cow;

use super::demangle::{self, Form};
use crate::error::Table;

/// How a symbol is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binding {
    /// Visible in its compilation unit only.
    Local,
    /// Visible everywhere, and replaced by a global one.
    Weak,
    /// Visible everywhere.
    Global,
    /// Another binding, such as `STB_GNU_UNIQUE`.
    Other(u8),
}

/// The instruction set of a function, where a file can have two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// The only one of its machine.
    Native,
    /// A32, of 32-bit ARM.
    Arm,
    /// T32, of 32-bit ARM.
    Thumb,
}

/// Where a function's size comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// Its symbol states it.
    Stated,
    /// Its symbol states none, but another one of the same address does.
    Alias,
    /// No symbol states it: up to the next function, or to the end of the section.
    UntilNext,
    /// Its symbol states more than its section has.
    Cut,
}

/// A function as it is stored.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub address: u64,
    pub size: u64,
    /// Where its name begins in the names.
    pub name: u32,
    /// The length of the name without its version.
    pub length: u32,
    /// The length of `@VERSION` behind it.
    pub version: u32,
    pub extent: Extent,
    pub binding: Binding,
    pub mode: Mode,
    pub is_ifunc: bool,
    pub is_hidden: bool,
    pub table: Table,
}

impl Row {
    /// Its name without the version. The range was checked when the row was made.
    pub fn name_in<'a>(&self, names: &'a [u8]) -> &'a [u8] {
        range(names, self.name, self.length)
    }

    pub fn function<'a>(&self, names: &'a [u8]) -> Function<'a> {
        let version = range(names, self.name.saturating_add(self.length), self.version);
        Function {
            address: self.address,
            size: self.size,
            extent: self.extent,
            binding: self.binding,
            mode: self.mode,
            is_ifunc: self.is_ifunc,
            is_hidden: self.is_hidden,
            table: self.table,
            name: self.name_in(names),
            version,
        }
    }
}

fn range(names: &[u8], from: u32, length: u32) -> &[u8] {
    let from = from as usize;
    let end = from.saturating_add(length as usize);
    names.get(from..end).unwrap_or_default()
}

/// A function of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function<'a> {
    /// Its address in the file, without the Thumb bit.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Where the size comes from.
    pub extent: Extent,
    /// How its symbol is bound.
    pub binding: Binding,
    /// Its instruction set.
    pub mode: Mode,
    /// Whether this is the resolver of an indirect function: it returns the address of the function
    /// that callers of this name reach.
    pub is_ifunc: bool,
    /// Whether other objects cannot link to it: its visibility is hidden or internal.
    pub is_hidden: bool,
    /// The table that it was found in, the first one in the order of [`Table`].
    pub table: Table,
    name: &'a [u8],
    version: &'a [u8],
}

impl<'a> Function<'a> {
    /// The symbol's name, without a version. Bytes that are not UTF-8 are replaced.
    pub fn name(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.name)
    }

    /// The bytes of the symbol's name, without a version.
    pub fn raw_name(&self) -> &'a [u8] {
        self.name
    }

    /// The symbol's version, if its table has it in the name: `GLIBC_2.2.5`.
    pub fn version(&self) -> Option<Cow<'a, str>> {
        let start = self.version.iter().position(|byte| *byte != b'@')?;
        self.version.get(start..).map(String::from_utf8_lossy)
    }

    /// The name as in the source, with parameters, if the symbol's is a C++ or a Rust one.
    pub fn demangled(&self) -> Option<String> {
        demangle::demangle(&self.name(), Form::Full)
    }

    /// The name as in the source, without parameters and return type.
    pub fn demangled_plain(&self) -> Option<String> {
        demangle::demangle(&self.name(), Form::Plain)
    }

    /// Whether `matches` accepts its name: the symbol's, the demangled one, or that without its
    /// parameters.
    pub fn answers_to(&self, mut matches: impl FnMut(&str) -> bool) -> bool {
        let name = self.name();
        matches(&name)
            || [Form::Full, Form::Plain].into_iter().any(|form| {
                demangle::demangle(&name, form).is_some_and(|demangled| matches(&demangled))
            })
    }

    /// Whether an address is in it.
    pub fn contains(&self, address: u64) -> bool {
        address
            .checked_sub(self.address)
            .is_some_and(|offset| offset < self.size)
    }
}
