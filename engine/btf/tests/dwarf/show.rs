//! Types as text, by their names as far as they have any.

use engine_btf::{Btf, Class, Kind, List, Member, TypeId, dwarf};

/// Converts a file, and reads the result.
pub fn converted(file: &[u8]) -> Btf<'static> {
    let (bytes, counts) = dwarf::convert(file).unwrap();
    let btf = Btf::read(bytes).unwrap();
    assert_eq!(counts.types, btf.count() - 1);
    btf
}

/// A type by its name.
pub fn show(btf: &Btf<'_>, id: TypeId) -> String {
    let found = btf.get(id).unwrap();
    let to = |target| show(btf, target);
    match found.kind {
        Kind::Void => "void".to_owned(),
        Kind::Pointer(target) => format!("{} *", to(target)),
        Kind::Const(target) => format!("{} const", to(target)),
        Kind::Volatile(target) => format!("{} volatile", to(target)),
        Kind::Restrict(target) => format!("{} restrict", to(target)),
        Kind::Array { element, count, .. } => format!("[{count}]{}", to(element)),
        Kind::Struct { .. } if !found.name.is_empty() => format!("struct {}", found.name),
        Kind::Union { .. } if !found.name.is_empty() => format!("union {}", found.name),
        Kind::Struct { size, members } => format!("struct {size} {{ {}}}", all(btf, members)),
        Kind::Union { size, members } => format!("union {size} {{ {}}}", all(btf, members)),
        Kind::Forward { is_union: true } => format!("union {};", found.name),
        Kind::Forward { is_union: false } => format!("struct {};", found.name),
        Kind::Enum { values, .. } | Kind::Enum64 { values, .. } if found.name.is_empty() => {
            let values = values.map(|value| format!("{}={} ", value.name, value.value));
            format!("enum {{ {}}}", values.collect::<String>())
        }
        Kind::Enum { .. } | Kind::Enum64 { .. } => format!("enum {}", found.name),
        Kind::Prototype {
            returns,
            parameters,
            is_variadic,
        } => {
            let parameters = parameters.map(|found| {
                let space = if found.name.is_empty() { "" } else { " " };
                format!("{}{space}{}", to(found.target), found.name)
            });
            let mut parameters: Vec<_> = parameters.collect();
            parameters.extend(is_variadic.then(|| "...".to_owned()));
            format!("({}) {}", parameters.join(", "), to(returns))
        }
        Kind::Function { prototype, .. } => found.name.to_owned() + &to(prototype),
        _ => found.name.to_owned(),
    }
}

fn all(btf: &Btf<'_>, members: List<'_, Member<'_>>) -> String {
    members.map(|member| line(btf, &member) + "; ").collect()
}

fn line(btf: &Btf<'_>, member: &Member<'_>) -> String {
    let bits = match member.bit_size {
        0 => String::new(),
        size => format!(" :{size}"),
    };
    let (byte, bit) = (member.bit_offset / 8, member.bit_offset % 8);
    let bit = if bit == 0 {
        String::new()
    } else {
        format!(".{bit}")
    };
    format!(
        "{byte}{bit} {} {}{bits}",
        show(btf, member.target),
        member.name
    )
}

/// The members of a struct or union, one per line.
pub fn members(btf: &Btf<'_>, class: Class, name: &str) -> String {
    let id = btf.named(class, name).unwrap();
    let members = btf.members(id).unwrap();
    members.map(|member| line(btf, &member) + "\n").collect()
}

/// All functions of a name.
pub fn functions(btf: &Btf<'_>, name: &str) -> Vec<String> {
    let ids = btf.all_named(Class::Function, name);
    ids.map(|id| show(btf, id)).collect()
}
