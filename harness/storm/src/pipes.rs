//! Sends more bytes through a pipe than it holds, between two threads.

use std::io::{Read, Write, pipe};
use std::thread;

use crate::Error;
use crate::options::Options;

const BYTES: usize = 256 << 10;

pub fn round(_: &Options) -> Result<(), Error> {
    let (mut reader, mut writer) = pipe()?;
    let sent: Vec<u8> = (0..=250).cycle().take(BYTES).collect();
    let mut got = Vec::with_capacity(BYTES);
    thread::scope(|scope| {
        let sent = &sent;
        let writing = scope.spawn(move || writer.write_all(sent));
        reader.read_to_end(&mut got)?;
        writing.join().unwrap_or(Ok(()))
    })?;
    if got == sent {
        return Ok(());
    }
    Err(Error::Wrong(format!(
        "a pipe returned {} of {BYTES} bytes, or wrong ones",
        got.len()
    )))
}
