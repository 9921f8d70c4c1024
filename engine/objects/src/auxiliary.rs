//! The auxiliary vector: what the kernel passes to a program at its start.

/// What is read of it. Addresses; absent where it has no entry, or 0.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Auxiliary {
    /// The program's entry point.
    pub entry: Option<u64>,
    /// Where the interpreter was loaded.
    pub base: Option<u64>,
}

const AT_BASE: u64 = 7;
const AT_ENTRY: u64 = 9;
/// No type of an entry is as large. Pairs of short words that are read as long ones are.
const MOST_TYPES: u64 = 1024;

impl Auxiliary {
    /// Parses pairs of words, which are as long as the addresses of the process.
    pub fn parse(bytes: &[u8]) -> Self {
        Self {
            entry: value(bytes, AT_ENTRY),
            base: value(bytes, AT_BASE),
        }
    }
}

/// The value of a type in the auxiliary vector of a process (getauxval(3)), whose words are as long as
/// its addresses; none where it has no such entry, or 0.
pub fn value(bytes: &[u8], wanted: u64) -> Option<u64> {
    let long = words::<8>(bytes, u64::from_ne_bytes);
    let is_long = long.iter().step_by(2).all(|kind| *kind < MOST_TYPES);
    let words = match is_long {
        true => long,
        false => words::<4>(bytes, |word| u32::from_ne_bytes(word).into()),
    };
    let mut pairs = words.chunks_exact(2);
    let pair = pairs.find(|pair| pair.first() == Some(&wanted))?;
    pair.get(1).copied().filter(|value| *value != 0)
}

/// Words in this machine's byte order, which all of its processes have.
fn words<const N: usize>(bytes: &[u8], word: fn([u8; N]) -> u64) -> Vec<u64> {
    let (words, _) = bytes.as_chunks::<N>();
    words.iter().map(|bytes| word(*bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_sizes() {
        let expected = Auxiliary {
            entry: Some(0x1234),
            base: None,
        };
        let words = [6, 4096, 9, 0x1234, 7, 0, 0, 0];
        let long: Vec<u8> = words
            .iter()
            .flat_map(|word: &u64| word.to_ne_bytes())
            .collect();
        assert_eq!(Auxiliary::parse(&long), expected);
        let short = words.map(|word| u32::try_from(word).unwrap());
        let short: Vec<u8> = short.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(Auxiliary::parse(&short), expected);
        assert_eq!(Auxiliary::parse(&long[..17]), Auxiliary::default());
        assert_eq!(Auxiliary::parse(&[]), Auxiliary::default());
    }
}
