//! Creates, writes, renames, links, stats, reads and removes files.

use std::{env, fs, process};

use crate::Error;
use crate::options::Options;

pub fn round(_: &Options) -> Result<(), Error> {
    let folder = env::temp_dir().join(format!("trapline-storm.{}", process::id()));
    let (old, new, link) = (folder.join("old"), folder.join("new"), folder.join("link"));
    fs::create_dir_all(&folder)?;
    let text: Vec<u8> = (0..=250).cycle().take(20_000).collect();
    fs::write(&old, &text)?;
    fs::rename(&old, &new)?;
    fs::hard_link(&new, &link)?;
    let length = fs::metadata(&link)?.len();
    let read = fs::read(&new)?;
    for file in [&new, &link] {
        fs::remove_file(file)?;
    }
    fs::remove_dir(&folder)?;
    if read == text && length == text.len() as u64 {
        return Ok(());
    }
    Err(Error::Wrong(
        "a file's contents differ from what was written".into(),
    ))
}
