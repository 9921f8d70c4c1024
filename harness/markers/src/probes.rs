//! The functions of C that fire probes. They print by C's standard output, which is written when the
//! program exits.
#![expect(unsafe_code, reason = "the functions are in C")]

use std::ffi::{c_int, c_ulong};
use std::io;

unsafe extern "C" {
    safe fn markers_forms();
    safe fn markers_arguments();
    safe fn markers_sites(count: c_ulong);
    safe fn markers_enabled(rounds: c_ulong);
    safe fn markers_watch(milliseconds: c_ulong, seals: c_int) -> c_int;
    safe fn markers_forks(count: c_ulong) -> c_int;
    safe fn markers_fire(count: c_ulong);
    safe fn markers_idle(count: c_ulong);
}

pub fn forms() {
    markers_forms();
}

pub fn arguments() {
    markers_arguments();
}

pub fn sites(count: c_ulong) {
    markers_sites(count);
}

pub fn enabled(rounds: c_ulong) {
    markers_enabled(rounds);
}

pub fn watch(milliseconds: c_ulong, seals: bool) -> io::Result<()> {
    checked(markers_watch(milliseconds, seals.into()))
}

/// The process must have one thread.
pub fn forks(count: c_ulong) -> io::Result<()> {
    checked(markers_forks(count))
}

pub fn fire(count: c_ulong) {
    markers_fire(count);
}

pub fn idle(count: c_ulong) {
    markers_idle(count);
}

fn checked(status: c_int) -> io::Result<()> {
    match status {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
