//! Decompression of MiniDebugInfo, with limits.

use std::io::Read;

use lzma_rust2::XzReader;

use crate::error::Fault;

/// The most that is decompressed, and how many times the compressed size. Symbol tables shrink to a
/// quarter or a tenth.
const LARGEST: u64 = 64 << 20;
const RATIO: u64 = 64;
/// Memory for the decoder in KiB: a dictionary as large as the largest result, and its tables. Its
/// size is in a header; with `xz -6`, which build systems use, it is 8 MiB.
const DECODER: u32 = (66 << 20) >> 10;

/// Decompresses all streams.
pub fn decompress(packed: &[u8]) -> Result<Vec<u8>, Fault> {
    let limit = (packed.len() as u64).saturating_mul(RATIO).min(LARGEST);
    let reader = XzReader::new_mem_limit(packed, true, DECODER);
    let mut bytes = Vec::new();
    let read = reader.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| Fault::Xz(error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(Fault::XzLimit(limit));
    }
    Ok(bytes)
}
