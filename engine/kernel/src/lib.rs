//! The probe engine bound to a Linux kernel: the one engine crate that may be unsafe.
//!
//! `engine/kmod/shim.h` is the contract with C, and [`ffi`] is its Rust side. Nothing is decided
//! here: [`entry`] and [`rows`] turn C's calls into calls of the [`Tracer`](engine_tracer::Tracer), and
//! [`platform`] turns the tracer's wishes into calls of C.
//!
//! Built for a `*-none` target and linked as a static library into `trapline.ko`; for any other
//! target it is an ordinary library, so that every host checks it.

#![no_std]
#![expect(
    unsafe_code,
    reason = "this crate is where the engine meets the kernel's C"
)]
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic
)]

extern crate alloc;

mod arch;
mod cell;
mod chance;
mod device;
pub mod entry;
mod ffi;
#[cfg_attr(
    not(target_os = "none"),
    expect(dead_code, reason = "it is the heap of a kernel only")
)]
mod heap;
mod memory;
#[cfg(trapline_mutants)]
mod mutant;
mod platform;
pub mod rows;
mod sync;
