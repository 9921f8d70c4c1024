//! Source lines of an object, by its DWARF.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::io::Read;
use std::path::Path;
use std::rc::Rc;

use addr2line::Context;
use flate2::read::ZlibDecoder;
use gimli::{Dwarf, EndianRcSlice, RunTimeEndian, SectionId};
use object::{CompressionFormat, File, Object, ObjectSection};
use rustc_hash::FxHashMap;

/// The most bytes of a section, or of a source.
const LARGEST: u64 = 1 << 30;

/// The lines of an object.
pub struct Lines(Context<EndianRcSlice<RunTimeEndian>>);

/// A line of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub file: &'a str,
    pub number: u32,
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.number)
    }
}

impl Lines {
    /// Those of a file, if it has any that can be read.
    pub fn read(data: &[u8]) -> Option<Self> {
        let file = File::parse(data).ok()?;
        file.section_by_name(SectionId::DebugLine.name())?;
        let endian = match file.is_little_endian() {
            true => RunTimeEndian::Little,
            false => RunTimeEndian::Big,
        };
        let dwarf = Dwarf::load(|id| {
            let section = contents(&file, id.name()).unwrap_or_default();
            Ok::<_, gimli::Error>(EndianRcSlice::new(Rc::from(section), endian))
        });
        Context::from_dwarf(dwarf.ok()?).ok().map(Self)
    }

    /// That of an address, as the object is linked.
    pub fn at(&self, address: u64) -> Option<Line<'_>> {
        let location = self.0.find_location(address).ok()??;
        let number = location.line.filter(|number| *number != 0)?;
        let file = location.file?;
        Some(Line { file, number })
    }
}

/// What a section has, which may be compressed.
fn contents<'d>(file: &File<'d>, name: &str) -> Option<Cow<'d, [u8]>> {
    let section = file.section_by_name(name)?.compressed_data().ok()?;
    match section.format {
        CompressionFormat::None => Some(section.data.into()),
        CompressionFormat::Zlib if section.uncompressed_size <= LARGEST => {
            let mut bytes = Vec::new();
            let decoder = ZlibDecoder::new(section.data);
            let mut decoder = decoder.take(section.uncompressed_size);
            decoder.read_to_end(&mut bytes).ok()?;
            Some(bytes.into())
        }
        _ => None,
    }
}

/// The sources themselves, as they are now.
#[derive(Default)]
pub struct Sources(FxHashMap<String, Vec<String>>);

impl Sources {
    /// The text of a line, without the space around it; empty if there is none.
    pub fn text(&mut self, line: Line<'_>) -> &str {
        if !self.0.contains_key(line.file) {
            self.0.insert(
                line.file.to_owned(),
                lines_of(line.file).unwrap_or_default(),
            );
        }
        let lines = self.0.get(line.file);
        let text = lines.and_then(|lines| lines.get(line.number.checked_sub(1)? as usize));
        text.map_or("", |text| text)
    }
}

fn lines_of(path: &str) -> Option<Vec<String>> {
    let metadata = std::fs::metadata(path)
        .ok()
        .filter(|_| Path::new(path).is_absolute());
    metadata.filter(|it| it.is_file() && it.len() <= LARGEST)?;
    let text = std::fs::read(path).ok()?;
    let lines = String::from_utf8_lossy(&text);
    Some(lines.lines().map(|line| line.trim().to_owned()).collect())
}
