//! The file of a path.
//!
//! It begins with [`MAGIC`], which ends with the version of the format. Chunks follow: the length of the
//! chunk's contents, the length that they have when compressed, and their CRC-32, each as a little-endian
//! `u32`; and then the contents, compressed by deflate. They are whole [`record`]s. The last record of the
//! last chunk is [`Record::Finish`](record::Record::Finish); a file without it is incomplete.

mod fields;
mod read;
pub mod record;
mod write;

pub use read::{Error, Reader};
pub use write::Writer;

/// What files begin with.
pub const MAGIC: [u8; 8] = *b"dtpath\0\x02";

/// The most bytes of a chunk's contents.
const CHUNK_MAX: usize = 16 << 20;

#[cfg(test)]
mod tests;
