//! A32 as its judges see it.

#[cfg(feature = "unicorn")]
pub mod case;
#[cfg(feature = "unicorn")]
pub mod execution;
pub mod kprobes;
#[cfg(feature = "unicorn")]
pub mod machine;
#[cfg(feature = "unicorn")]
pub mod regression;
#[cfg(feature = "unicorn")]
pub mod shrink;
pub mod spelling;
#[cfg(feature = "unicorn")]
pub mod state;
pub mod words;
