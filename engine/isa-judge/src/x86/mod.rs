//! x86-64 as its judges see it.

#[cfg(feature = "unicorn")]
pub mod child;
#[cfg(feature = "unicorn")]
pub mod guest;
#[cfg(feature = "unicorn")]
pub mod host;
#[cfg(feature = "unicorn")]
pub mod judged;
pub mod registers;
#[cfg(feature = "unicorn")]
pub mod set;
pub mod shape;
pub mod spelling;
#[cfg(feature = "unicorn")]
pub mod vectors;
