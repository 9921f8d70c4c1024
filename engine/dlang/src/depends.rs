//! What a text says it needs: `#pragma D depends_on library|module|provider NAME`.

use std::str::FromStr;

/// The kind of a thing that a text needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Another library: a file of this name.
    Library,
    /// A module of the kernel.
    Module,
    /// A provider of probes.
    Provider,
}

impl FromStr for Kind {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "library" => Ok(Self::Library),
            "module" => Ok(Self::Module),
            "provider" => Ok(Self::Provider),
            _ => Err(()),
        }
    }
}

/// A thing that a text needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
}

/// What a library needs, in order, without reading more of it than control lines: its order among
/// the others must be known before it is compiled.
pub fn dependencies(source: &[u8]) -> Vec<Dependency> {
    let lines = source.split(|byte| *byte == b'\n');
    let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
    lines.filter_map(dependency).collect()
}

fn dependency(line: &str) -> Option<Dependency> {
    let mut words = line.trim_start().strip_prefix('#')?.split_whitespace();
    for expected in ["pragma", "D", "depends_on"] {
        words.next().filter(|word| *word == expected)?;
    }
    let kind = words.next()?.parse().ok()?;
    let name = words.next()?.to_owned();
    Some(Dependency { kind, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_read_from_control_lines() {
        let source = b"/* \xff */\n#pragma D depends_on library net.d\n  # pragma\tD depends_on \
                       module vmlinux\r\n#pragma D option quiet\n#pragma D depends_on provider \
                       io\n#pragma D depends_on nothing\n#pragma D depends_on nosuch x\n";
        let found = dependencies(source);
        let found: Vec<_> = found.iter().map(|it| (it.kind, &*it.name)).collect();
        assert_eq!(
            found,
            [
                (Kind::Library, "net.d"),
                (Kind::Module, "vmlinux"),
                (Kind::Provider, "io")
            ]
        );
    }
}
