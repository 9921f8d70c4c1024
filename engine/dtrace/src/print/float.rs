//! Floating-point numbers as C's printf prints them.

use super::layout::Layout;
use super::unsigned_of;

/// Appends a float or double as the conversion `letter` does: `e`, `f` or `g`, or uppercase.
pub fn float(out: &mut Vec<u8>, layout: &Layout, letter: char, data: &[u8]) {
    let value = match *data {
        [a, b, c, d] => f64::from(f32::from_ne_bytes([a, b, c, d])),
        _ => f64::from_bits(unsigned_of(data)),
    };
    let precision = layout.precision.unwrap_or(6);
    let magnitude = value.abs();
    let digits = match letter.to_ascii_lowercase() {
        _ if !value.is_finite() => magnitude.to_string().to_lowercase(),
        'e' => scientific(magnitude, precision),
        'f' => format!("{magnitude:.precision$}"),
        _ => shortest(magnitude, precision.max(1), layout.flags.alternate),
    };
    let sign = layout.sign(value.is_sign_negative());
    let zeros = match layout.flags.zero && !layout.flags.left && value.is_finite() {
        true => layout.width.saturating_sub(sign.len() + digits.len()),
        false => 0,
    };
    let mut text = [sign, &"0".repeat(zeros), &digits].concat();
    if letter.is_ascii_uppercase() {
        text.make_ascii_uppercase();
    }
    layout.put(out, text.as_bytes());
}

/// With at least two digits of exponent.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let sign = if exponent.starts_with('-') { '-' } else { '+' };
    let digits = exponent.trim_start_matches('-');
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// `%g`: `precision` significant digits in the shorter form, without trailing zeros unless
/// `keeps_zeros`.
fn shortest(value: f64, precision: usize, keeps_zeros: bool) -> String {
    let text = scientific(value, precision - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let decimal: i64 = exponent.parse().unwrap_or(0);
    let fits = (-4..precision as i64).contains(&decimal);
    let (digits, tail) = if fits {
        let places = (precision as i64 - 1 - decimal) as usize;
        (format!("{value:.places$}"), String::new())
    } else {
        (mantissa.to_owned(), format!("e{exponent}"))
    };
    match digits.contains('.') && !keeps_zeros {
        true => {
            digits
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned()
                + &tail
        }
        false => digits + &tail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(letter: char, value: f64) -> String {
        let mut out = Vec::new();
        float(&mut out, &Layout::default(), letter, &value.to_ne_bytes());
        String::from_utf8(out).unwrap()
    }

    /// The expectations are what glibc's printf(1) prints.
    #[test]
    fn floats_are_printed_as_in_c() {
        for (letter, value, printed) in [
            ('f', 1.5, "1.500000"),
            ('f', -0.0, "-0.000000"),
            ('e', 12345.678, "1.234568e+04"),
            ('E', 1e-7, "1.000000E-07"),
            ('e', 1e100, "1.000000e+100"),
            ('g', 0.0, "0"),
            ('g', 100000.0, "100000"),
            ('g', 1000000.0, "1e+06"),
            ('g', 0.0001, "0.0001"),
            ('g', 0.00001, "1e-05"),
            ('G', 1.25e-10, "1.25E-10"),
            ('g', 2.5, "2.5"),
            ('f', f64::INFINITY, "inf"),
            ('F', f64::NEG_INFINITY, "-INF"),
        ] {
            assert_eq!(put(letter, value), printed, "%{letter} of {value}");
        }
    }

    #[test]
    fn four_bytes_are_a_float() {
        let mut out = Vec::new();
        let layout = Layout::of_width(8).with_precision(2);
        float(&mut out, &layout, 'f', &2.25f32.to_ne_bytes());
        assert_eq!(out, b"    2.25");
    }
}
