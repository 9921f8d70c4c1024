//! Numbers and addresses as assemblers write them: `-8`, `0x10`, `NBuffers`, `40+CheckpointStats`.

/// The sum of a number and at most one symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum<'d> {
    /// A name with what the linker is to do with it, as in `x@GOTPCREL`.
    pub symbol: Option<&'d str>,
    pub number: i64,
}

impl<'d> Sum<'d> {
    pub const ZERO: Self = Self {
        symbol: None,
        number: 0,
    };

    /// Reads terms with signs between them.
    pub fn parse(text: &'d str) -> Option<Self> {
        let mut sum = Self::ZERO;
        let mut rest = text;
        let mut is_first = true;
        while is_first || !rest.is_empty() {
            let (is_negative, unsigned) = match rest.as_bytes().first()? {
                b'-' => (true, rest.get(1..)?),
                b'+' => (false, rest.get(1..)?),
                _ if is_first => (false, rest),
                _ => return None,
            };
            let end = unsigned.find(['+', '-']).unwrap_or(unsigned.len());
            let (term, behind) = unsigned.split_at(end);
            match number(term) {
                Some(value) if is_negative => sum.number = sum.number.wrapping_sub(value),
                Some(value) => sum.number = sum.number.wrapping_add(value),
                None if is_symbol(term) && !is_negative && sum.symbol.is_none() => {
                    sum.symbol = Some(term);
                }
                None => return None,
            }
            (rest, is_first) = (behind, false);
        }
        Some(sum)
    }

    /// Its value if it has no symbol.
    pub fn constant(self) -> Option<i64> {
        self.symbol.is_none().then_some(self.number)
    }
}

/// A number without a sign, decimal or hexadecimal. One of 64 bits is taken for what it is modulo
/// 2^64.
fn number(text: &str) -> Option<i64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None if is_plain => text.parse::<u64>(),
        None => return None,
    };
    parsed.ok().map(u64::cast_signed)
}

fn is_symbol(text: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_.$@".contains(&byte) || byte >= 0x80;
    text.bytes().all(is_letter)
        && text
            .bytes()
            .next()
            .is_some_and(|first| !first.is_ascii_digit() && first != b'@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        let sum = |symbol, number| Some(Sum { symbol, number });
        assert_eq!(Sum::parse("-8"), sum(None, -8));
        assert_eq!(Sum::parse("0x10-1+2"), sum(None, 17));
        assert_eq!(Sum::parse("18446744073709551615"), sum(None, -1));
        assert_eq!(Sum::parse("NBuffers"), sum(Some("NBuffers"), 0));
        assert_eq!(Sum::parse("40+Stats"), sum(Some("Stats"), 40));
        assert_eq!(Sum::parse("-4+a.1-4"), sum(Some("a.1"), -8));
        for bad in [
            "",
            "-",
            "+",
            "1+",
            "a+b",
            "-a",
            "1 ",
            "1x",
            "0x",
            "0x+1",
            "99999999999999999999",
            "--1",
            "@x",
        ] {
            assert_eq!(Sum::parse(bad), None, "{bad}");
        }
    }
}
