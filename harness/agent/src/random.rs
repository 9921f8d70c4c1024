//! The kernel's random numbers, which every guest that comes of one saved state would share.
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

/// What `ADD_ENTROPY` reads: the kernel's `rand_pool_info` with room for one seed.
#[repr(C)]
struct PoolInfo {
    entropy_bits: c_int,
    size: c_int,
    seed: [u8; 32],
}

/// The generator.
#[derive(Debug)]
pub struct Random(File);

impl Random {
    /// Opens it, to have it at hand.
    pub fn open() -> io::Result<Self> {
        Ok(Self(File::open("/dev/urandom")?))
    }

    /// Mixes a seed in that nobody else knows, and makes all that is drawn from now on depend on it.
    pub fn reseed(&self, seed: &[u8; 32]) -> Result<(), Errno> {
        let info = PoolInfo {
            entropy_bits: 8 * seed.len() as c_int,
            size: seed.len() as c_int,
            seed: *seed,
        };
        // SAFETY: the request reads two numbers and as many bytes behind them as the second says,
        // and that is a `PoolInfo`.
        let request = unsafe { Setter::<ADD_ENTROPY, PoolInfo>::new(info) };
        // SAFETY: the file is the generator's, whose request this is.
        unsafe { ioctl(&self.0, request) }?;
        // SAFETY: the number is that of a request without an argument.
        let request = unsafe { NoArg::<RESEED>::new() };
        // SAFETY: the file is the generator's, whose request this is.
        unsafe { ioctl(&self.0, request) }
    }
}
