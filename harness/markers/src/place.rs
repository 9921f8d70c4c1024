//! Where sites are in the program's file, as a uprobe is told it.

use std::fs;

use engine_objects::Sites;

use crate::Error;

/// The file offset of the only site of a probe.
pub fn of(probe: &str) -> Result<u64, Error> {
    let path = "/proc/self/exe";
    let file = fs::read(path).map_err(|why| Error::Place(format!("{path}: {why}")))?;
    let read = Sites::of_bytes(&file);
    let (_, sites) = read.map_err(|why| Error::Place(format!("{path}: {why}")))?;
    let mut own = sites.list.iter().filter(|it| it.probe_name() == probe);
    match (own.next(), own.next()) {
        (Some(site), None) => Ok(site.offset),
        _ => Err(Error::Place(format!("{probe} has not one site"))),
    }
}
