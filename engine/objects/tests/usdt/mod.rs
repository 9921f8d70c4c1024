//! USDT probes: notes of any machine, of the host's compiler, damaged ones, and those of files that
//! `readelf` reads too.

mod compiled;
mod hostile;
mod image;
mod operands;
mod readelf;
mod sites;
