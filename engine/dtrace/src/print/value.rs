//! Values by their types, as `print` prints them: in the notation of C's initializers, with every
//! member and its type.

use std::io::Write;

use engine_dlang::shape::{Kind, Member, Shape};

use super::{signed_of, unsigned_of, until_nul};

/// Elements of an array that are printed; how many more there are is told.
const ELEMENTS_MAX: usize = 64;

/// Appends a value and a newline; of a pointer, the address and what is there.
pub fn value(out: &mut Vec<u8>, shape: &Shape, data: &[u8], address: Option<u64>) {
    if let Some(address) = address {
        put(out, format_args!("{address:#x} = *"));
    }
    typed(out, shape, data, 0);
    out.push(b'\n');
}

/// Appends `(type)value`.
fn typed(out: &mut Vec<u8>, shape: &Shape, data: &[u8], indent: usize) {
    put(out, format_args!("({})", shape.name));
    match &shape.kind {
        Kind::Members(_) => out.push(b' '),
        Kind::Array(_) if text_of(shape, data).is_none() => out.push(b' '),
        _ => {}
    }
    plain(out, shape, data, indent);
}

/// Appends a value without its type.
fn plain(out: &mut Vec<u8>, shape: &Shape, data: &[u8], indent: usize) {
    match &shape.kind {
        Kind::Signed => put(out, format_args!("{}", signed_of(data))),
        Kind::Unsigned => put(out, format_args!("{}", unsigned_of(data))),
        Kind::Pointer => put(out, format_args!("{:#x}", unsigned_of(data))),
        Kind::Text => quoted(out, until_nul(data)),
        Kind::Opaque => bytes(out, data),
        Kind::Enumeration(values) => {
            // An unsigned value of 32 bits is not sign-extended where its name is kept.
            let (signed, unsigned) = (signed_of(data), unsigned_of(data).cast_signed());
            let is_it = |value: i64| value == signed || value == unsigned;
            match values.iter().find(|it| is_it(it.0)) {
                Some((_, name)) => put(out, format_args!("{name}")),
                None => put(out, format_args!("{signed}")),
            }
        }
        Kind::Array(element) => match text_of(shape, data) {
            Some(text) => quoted(out, text),
            None => elements(out, element, data, indent),
        },
        Kind::Members(all) => members(out, all, data, indent),
    }
}

fn members(out: &mut Vec<u8>, all: &[Member], data: &[u8], indent: usize) {
    out.extend_from_slice(b"{\n");
    for member in all {
        line(out, indent + 1);
        if let Some(name) = &member.name {
            put(out, format_args!(".{name} = "));
        }
        let rest = data.get(member.offset as usize..).unwrap_or_default();
        let own = rest.get(..member.shape.size as usize).unwrap_or(rest);
        match member.bits {
            None => typed(out, &member.shape, own, indent + 1),
            Some(bits) => typed(
                out,
                &member.shape,
                &extracted(own, bits, &member.shape),
                indent,
            ),
        }
        out.extend_from_slice(b",\n");
    }
    line(out, indent);
    out.push(b'}');
}

/// The value of a bit-field, in as many bytes as its unit has.
fn extracted(unit: &[u8], (first, width): (u32, u32), shape: &Shape) -> Vec<u8> {
    let above = 64_u32.saturating_sub(first + width);
    let high = unsigned_of(unit) << above.min(63);
    let by = 64_u32.saturating_sub(width).min(63);
    let is_signed = match &shape.kind {
        Kind::Signed => true,
        Kind::Enumeration(values) => values.iter().any(|it| it.0 < 0),
        _ => false,
    };
    let value = if is_signed {
        (high.cast_signed() >> by).cast_unsigned()
    } else {
        high >> by
    };
    let mut bytes = value.to_le_bytes().to_vec();
    bytes.truncate(unit.len());
    bytes
}

fn elements(out: &mut Vec<u8>, element: &Shape, data: &[u8], indent: usize) {
    let size = (element.size as usize).max(1);
    let all = data.chunks_exact(size);
    let more = all.len().saturating_sub(ELEMENTS_MAX);
    let is_flat = !matches!(element.kind, Kind::Members(_) | Kind::Array(_));
    out.push(b'[');
    for (number, data) in all.take(ELEMENTS_MAX).enumerate() {
        match is_flat {
            true => out.extend_from_slice(if number == 0 { b" " } else { b", " }),
            false => {
                out.push(b'\n');
                line(out, indent + 1);
            }
        }
        plain(out, element, data, indent + 1);
        if !is_flat {
            out.push(b',');
        }
    }
    if more > 0 {
        put(out, format_args!(", and {more} more"));
    }
    if is_flat {
        out.extend_from_slice(b" ]");
    } else {
        out.push(b'\n');
        line(out, indent);
        out.push(b']');
    }
}

/// The text in an array of characters, if it is one: printable up to a NUL.
fn text_of<'d>(shape: &Shape, data: &'d [u8]) -> Option<&'d [u8]> {
    let Kind::Array(element) = &shape.kind else {
        return None;
    };
    let is_character = element.size == 1 && element.name.ends_with("char");
    let text = until_nul(data);
    let is_printable = text.iter().all(|it| it.is_ascii_graphic() || *it == b' ');
    (is_character && is_printable && text.len() < data.len()).then_some(text)
}

fn quoted(out: &mut Vec<u8>, text: &[u8]) {
    put(out, format_args!("\"{}\"", text.escape_ascii()));
}

fn bytes(out: &mut Vec<u8>, data: &[u8]) {
    out.push(b'{');
    data.iter()
        .for_each(|it| put(out, format_args!(" {it:02x}")));
    out.extend_from_slice(b" }");
}

fn line(out: &mut Vec<u8>, indent: usize) {
    out.resize(out.len() + indent, b'\t');
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to memory does not fail.
    let _ = out.write_fmt(text);
}
