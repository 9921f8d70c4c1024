//! Writes the file.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::record::{Record, write_text};
use super::{CHUNK_MAX, MAGIC};

/// The number of bytes at which a chunk is written.
const CHUNK: usize = 1 << 20;

/// A file that is written.
pub struct Writer {
    to: Box<dyn Write>,
    /// The contents of the next chunk.
    chunk: Vec<u8>,
    written: u64,
}

impl Writer {
    /// Begins a file.
    pub fn new(to: impl Write + 'static) -> io::Result<Self> {
        let mut to = Box::new(to);
        to.write_all(&MAGIC)?;
        Ok(Self {
            to,
            chunk: Vec::new(),
            written: MAGIC.len() as u64,
        })
    }

    /// Appends a record.
    pub fn put(&mut self, record: &Record) -> io::Result<()> {
        record.write(&mut self.chunk);
        self.write_if_full()
    }

    /// Appends a record of text.
    pub fn put_text(&mut self, numbers: [u32; 2], address: u64, text: &[u8]) -> io::Result<()> {
        write_text(&mut self.chunk, numbers, address, text);
        self.write_if_full()
    }

    fn write_if_full(&mut self) -> io::Result<()> {
        match self.chunk.len() {
            CHUNK.. => self.flush(),
            _ => Ok(()),
        }
    }

    /// Writes what there is as a chunk.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        // Records are much shorter than the difference of the two bounds.
        assert!(self.chunk.len() <= CHUNK_MAX, "a record is too long");
        let mut encoder = DeflateEncoder::new(vec![0; 12], Compression::default());
        encoder.write_all(&self.chunk)?;
        let mut bytes = encoder.finish()?;
        let compressed = bytes.len() - 12;
        let sum = crc32fast::hash(&self.chunk);
        let header = [self.chunk.len() as u32, compressed as u32, sum];
        for (place, value) in bytes.chunks_exact_mut(4).zip(header) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        self.chunk.clear();
        self.written += bytes.len() as u64;
        self.to.write_all(&bytes)?;
        self.to.flush()
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<u64> {
        self.put(&Record::Finish)?;
        self.flush()?;
        Ok(self.written)
    }
}
