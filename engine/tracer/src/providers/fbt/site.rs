//! A site: an instruction that a trap can displace.

use super::Role;
use super::function::Function;

/// How an instruction leaves a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaves {
    /// It returns.
    Return,
    /// It goes on in another function, which then returns in its place.
    Tail,
}

/// A site.
#[derive(Debug)]
pub struct Site<T> {
    /// Where the trap goes.
    pub address: usize,
    /// The number of its function.
    pub function: u32,
    /// Whether it is the function's entry.
    pub is_entry: bool,
    /// Whether it leaves the function.
    pub leaves: Option<Leaves>,
    /// The text that its plan was made for; while it is armed, what the trap displaced.
    pub text: T,
    /// Whether the trap is in place.
    pub armed: bool,
    /// Where a copy of the displaced instruction stands, if it has one.
    pub slot: Option<usize>,
    /// How often it was hit while it was in a live table that is not there any more.
    pub hits: u64,
}

impl<T> Site<T> {
    /// What it is there for.
    pub fn roles(&self) -> impl Iterator<Item = Role> {
        let entry = self.is_entry.then_some(Role::Entry);
        let exit = self.leaves.map(|_| Role::Return);
        entry.into_iter().chain(exit)
    }

    /// Whether somebody has enabled a probe that it is of.
    pub fn is_wanted(&self, functions: &[Function]) -> bool {
        let function = functions.get(self.function as usize);
        function.is_some_and(|function| self.roles().any(|role| function.wanted(role) > 0))
    }
}
