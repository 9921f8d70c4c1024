//! x86-64 as its judges see it.

#[cfg(all(feature = "unicorn", target_arch = "x86_64"))]
pub mod child;
#[cfg(feature = "unicorn")]
pub mod guest;
#[cfg(all(feature = "unicorn", target_arch = "x86_64"))]
pub mod host;
#[cfg(feature = "unicorn")]
pub mod judged;
pub mod registers;
#[cfg(feature = "unicorn")]
pub mod set;
pub mod shape;
pub mod spelling;
#[cfg(all(feature = "unicorn", target_arch = "x86_64"))]
pub mod vectors;
