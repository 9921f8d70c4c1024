//! Reseeds the kernel's random number generator, whose state all guests restored from one saved
//! state share.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask the random number generator by ioctl(2)"
)]

use std::ffi::c_int;
use std::fs::File;
use std::io;

use rustix::io::Errno;
use rustix::ioctl::{NoArg, Opcode, Setter, ioctl, opcode};

const ADD_ENTROPY: Opcode = opcode::write::<[c_int; 2]>(b'R', 3);
const RESEED: Opcode = opcode::none(b'R', 7);

/// Argument of `RNDADDENTROPY`: `struct rand_pool_info` with a buffer of one seed.
#[repr(C)]
struct PoolInfo {
    entropy_bits: c_int,
    size: c_int,
    seed: [u8; 32],
}

/// The open /dev/urandom.
#[derive(Debug)]
pub struct Random(File);

impl Random {
    /// Opens it at start, before a restore needs it.
    pub fn open() -> io::Result<Self> {
        Ok(Self(File::open("/dev/urandom")?))
    }

    /// Mixes in a seed and reseeds, so that all later output depends on it. Needs CAP_SYS_ADMIN.
    pub fn reseed(&self, seed: &[u8; 32]) -> Result<(), Errno> {
        let info = PoolInfo {
            entropy_bits: 8 * seed.len() as c_int,
            size: seed.len() as c_int,
            seed: *seed,
        };
        // SAFETY: RNDADDENTROPY reads two ints and then `size` bytes, which is the layout of
        // `PoolInfo`: `size` is the length of `seed`.
        let request = unsafe { Setter::<ADD_ENTROPY, PoolInfo>::new(info) };
        // SAFETY: `request` matches its opcode, and the file is the device that defines it.
        unsafe { ioctl(&self.0, request) }?;
        // SAFETY: RNDRESEEDCRNG takes no argument.
        let request = unsafe { NoArg::<RESEED>::new() };
        // SAFETY: `request` matches its opcode, and the file is the device that defines it.
        unsafe { ioctl(&self.0, request) }
    }
}
