//! Where functions are in the program's file, as a uprobe is told it.

use std::fs;

use crate::calls::{frames_call, frames_nest};
use crate::counts::Counts;
use crate::{Error, arch};

/// Prints the file offset of one of its functions, and no counts.
pub fn print(function: &str) -> Result<Counts, Error> {
    let address = match (function, arch::SPECIAL) {
        ("frames_call", _) => frames_call as *const (),
        ("frames_nest", _) => frames_nest as *const (),
        ("frames_dive", _) => arch::frames_dive as *const (),
        ("frames_special", Some((function, _))) => function as *const (),
        _ => return Err(Error::Wrong(format!("no place is known of {function}"))),
    };
    let maps = fs::read_to_string("/proc/self/maps")?;
    let mut lines = maps.lines();
    let place = lines.find_map(|line| place_in(line, address.addr()));
    let place = place.ok_or_else(|| Error::Wrong(format!("{function} is not mapped")))?;
    println!("{place}");
    Ok(Counts::default())
}

/// The file offset of an address, if it is in the mapping that a line of `/proc/self/maps` is for.
fn place_in(line: &str, address: usize) -> Option<usize> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let number = |word| usize::from_str_radix(word, 16).ok();
    let (start, end, offset) = (number(start)?, number(end)?, number(words.nth(1)?)?);
    (start..end)
        .contains(&address)
        .then(|| address - start + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_relative_to_the_file() {
        let line = "56300000-56302000 r-xp 00012000 fe:00 1047 /sbin/trapline-frames";
        assert_eq!(place_in(line, 0x5630_1234), Some(0x13234));
        assert_eq!(place_in(line, 0x5630_2000), None);
    }
}
