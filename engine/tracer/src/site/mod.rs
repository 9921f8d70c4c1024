//! Sites: instructions that a trap can displace.

pub mod blacklist;
