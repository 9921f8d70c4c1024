//! Reads the file.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use thiserror::Error;

use super::fields::Fields;
use super::record::Record;
use super::{CHUNK_MAX, MAGIC};

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum Error {
    #[error("{0}")]
    Read(#[from] io::Error),
    #[error("not a path of dtrace")]
    Magic,
    #[error("a path of version {0} of the format, this is version {version}", version = MAGIC[7])]
    Version(u8),
    /// At an offset in the file.
    #[error("offset {0:#x}: a chunk of impossible size")]
    Size(u64),
    /// At an offset in the file.
    #[error("offset {0:#x}: a damaged chunk")]
    Damaged(u64),
    /// The offset of its chunk in the file, and its own one in there.
    #[error("chunk at offset {0:#x}: a malformed record at {1:#x}")]
    Record(u64, usize),
    /// The same for a record that does not fit to those before it.
    #[error("chunk at offset {0:#x}: the record at {1:#x} does not fit: {2}")]
    Unfit(u64, usize, String),
}

/// A file that is read.
pub struct Reader {
    from: Box<dyn Read>,
    /// The offset of the chunk, and of the next one.
    chunk: u64,
    next: u64,
    contents: Vec<u8>,
    /// The offsets of the last record and the next one.
    last: usize,
    at: usize,
    is_complete: bool,
}

impl Reader {
    /// Reads the begin of a file.
    pub fn new(from: impl Read + 'static) -> Result<Self, Error> {
        let mut from: Box<dyn Read> = Box::new(from);
        let mut magic = Vec::new();
        (&mut from)
            .take(MAGIC.len() as u64)
            .read_to_end(&mut magic)?;
        match magic.split_last() {
            Some((version, name)) if *name == MAGIC[..7] => match *version {
                version if version == MAGIC[7] => {}
                version => return Err(Error::Version(version)),
            },
            _ => return Err(Error::Magic),
        }
        Ok(Self {
            from,
            chunk: 0,
            next: MAGIC.len() as u64,
            contents: Vec::new(),
            last: 0,
            at: 0,
            is_complete: false,
        })
    }

    /// Whether the end of a complete file was read.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The next record.
    pub fn next(&mut self) -> Result<Option<Record>, Error> {
        if self.is_complete || self.at == self.contents.len() && !self.next_chunk()? {
            return Ok(None);
        }
        self.last = self.at;
        let mut fields = Fields::new(&self.contents, self.at);
        let record = Record::read(&mut fields);
        self.at = fields.at();
        match record {
            Ok(Record::Finish) => {
                self.is_complete = true;
                Ok(None)
            }
            Ok(record) => Ok(Some(record)),
            Err(_) => Err(Error::Record(self.chunk, self.last)),
        }
    }

    /// The last record does not fit.
    pub fn unfit(&self, why: impl ToString) -> Error {
        Error::Unfit(self.chunk, self.last, why.to_string())
    }

    /// Reads a chunk; false if there is no whole one.
    fn next_chunk(&mut self) -> Result<bool, Error> {
        let header = self.bytes(12)?;
        let words: Vec<u32> = header
            .as_chunks()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it))
            .collect();
        let [length, compressed, sum] = words[..] else {
            return Ok(false);
        };
        let most = CHUNK_MAX as u32;
        if length == 0 || length > most || compressed > most + (most >> 4) {
            return Err(Error::Size(self.next));
        }
        let bytes = self.bytes(compressed.into())?;
        if bytes.len() < compressed as usize {
            return Ok(false);
        }
        let mut contents = Vec::new();
        let mut decoder = DeflateDecoder::new(&bytes[..]).take(u64::from(length) + 1);
        let decoded = decoder.read_to_end(&mut contents);
        let is_whole = decoded.is_ok() && contents.len() == length as usize;
        if !is_whole || crc32fast::hash(&contents) != sum {
            return Err(Error::Damaged(self.next));
        }
        self.chunk = self.next;
        self.next += 12 + u64::from(compressed);
        self.contents = contents;
        self.at = 0;
        Ok(true)
    }

    /// So many bytes, or what there is.
    fn bytes(&mut self, count: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        (&mut self.from).take(count).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
