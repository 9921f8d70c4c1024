//! Subroutines from numbers to numbers, and the number that a string begins with.

use crate::names::Subroutine;

/// The bits of a device number below the major number, as in the kernel's `dev_t`.
const MINOR_BITS: u32 = 20;

/// The result of a subroutine that only computes; `None` for any other.
pub(crate) fn of(subroutine: Subroutine, a: u64) -> Option<u64> {
    Some(match subroutine {
        Subroutine::Htons | Subroutine::Ntohs => (a as u16).to_be().into(),
        Subroutine::Htonl | Subroutine::Ntohl => (a as u32).to_be().into(),
        Subroutine::Htonll | Subroutine::Ntohll => a.to_be(),
        Subroutine::Getmajor => (a as u32).wrapping_shr(MINOR_BITS).into(),
        Subroutine::Getminor => a & 0xf_ffff,
        _ => return None,
    })
}

/// The number at the beginning of a string, in a base between 2 and 36: after white space and a
/// sign, and after `0x` in base 16. Digits beyond 64 bits wrap around, as in DTrace.
pub(crate) fn parsed(text: &[u8], base: u64) -> Option<i64> {
    if !(2..=36).contains(&base) {
        return None;
    }
    let text = text.trim_ascii_start();
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let digits = match digits {
        [b'0', b'x' | b'X', rest @ ..] if base == 16 => rest,
        rest => rest,
    };
    let worths = digits.iter().map(|digit| worth(*digit));
    let value = worths
        .take_while(|worth| *worth < base)
        .fold(0_u64, |value, worth| {
            value.wrapping_mul(base).wrapping_add(worth)
        }) as i64;
    Some(if is_negative {
        value.wrapping_neg()
    } else {
        value
    })
}

/// What a digit is worth; at least 36 for any other character.
fn worth(digit: u8) -> u64 {
    let worth = match digit {
        b'0'..=b'9' => digit.wrapping_sub(b'0'),
        b'a'..=b'z' => digit.wrapping_sub(b'a' - 10),
        b'A'..=b'Z' => digit.wrapping_sub(b'A' - 10),
        _ => u8::MAX,
    };
    worth.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_swapped_for_the_network() {
        for (subroutine, number, expected) in [
            (
                Subroutine::Htons,
                0x1_2345_u64,
                &0x2345_u16.to_be_bytes()[..],
            ),
            (Subroutine::Ntohs, 0xff01, &0xff01_u16.to_be_bytes()),
            (Subroutine::Htonl, 0x1_0203_0405, &[2, 3, 4, 5]),
            (Subroutine::Ntohl, 1, &[0, 0, 0, 1]),
            (Subroutine::Htonll, 1, &[0, 0, 0, 0, 0, 0, 0, 1]),
            (Subroutine::Ntohll, 1 << 56, &[1, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            let bytes = of(subroutine, number).unwrap().to_le_bytes();
            assert_eq!(&bytes[..expected.len()], expected, "{}", subroutine.word());
            assert!(bytes[expected.len()..].iter().all(|it| *it == 0));
        }
    }

    #[test]
    fn a_device_number_has_two_parts() {
        let device = 8 << 20 | 17;
        assert_eq!(of(Subroutine::Getmajor, device), Some(8));
        assert_eq!(of(Subroutine::Getminor, device), Some(17));
        assert_eq!(of(Subroutine::Getmajor, u64::MAX), Some(0xfff));
        assert_eq!(of(Subroutine::Strlen, 1), None);
    }

    #[test]
    fn numbers_are_parsed_as_strtoll_does() {
        let cases: [(&[u8], u64, i64); 14] = [
            (b"0", 10, 0),
            (b" \t\n42", 10, 42),
            (b"-42x", 10, -42),
            (b"+7", 10, 7),
            (b"", 10, 0),
            (b"x", 10, 0),
            (b"- 1", 10, 0),
            (b"0x1f", 16, 31),
            (b"-0XfF", 16, -255),
            (b"0x1f", 10, 0),
            (b"1010", 2, 10),
            (b"12", 2, 1),
            (b"zZ", 36, 35 * 36 + 35),
            (b"9223372036854775808", 10, i64::MIN),
        ];
        for (text, base, expected) in cases {
            assert_eq!(parsed(text, base), Some(expected), "{text:?} {base}");
        }
        for base in [0, 1, 37, u64::MAX] {
            assert_eq!(parsed(b"1", base), None);
        }
    }
}
