//! Line and column in a scenario file.

/// A position in a text; both numbers count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Default for Place {
    fn default() -> Self {
        Self { line: 1, column: 1 }
    }
}

impl From<serde_yaml::Location> for Place {
    fn from(at: serde_yaml::Location) -> Self {
        Self {
            line: at.line().max(1),
            column: at.column().max(1),
        }
    }
}

impl Place {
    /// The first occurrence of `needle` outside comment lines; the top of the text if there is
    /// none.
    pub fn of(text: &str, needle: &str) -> Self {
        text.lines()
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with('#'))
            .find_map(|(row, line)| {
                let bytes = line.find(needle)?;
                let column = line.get(..bytes)?.chars().count() + 1;
                Some(Self {
                    line: row + 1,
                    column,
                })
            })
            .unwrap_or_default()
    }
}
