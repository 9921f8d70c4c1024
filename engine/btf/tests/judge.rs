//! Another reader sees the same types.

use btf_rs::{BtfType, Type as Theirs};
use engine_btf::{Btf, Endian, Kind, Linkage, TypeId};

use crate::all::{ORDERS, all, read};

/// One type as text, by this crate's reader.
fn ours(btf: &Btf<'_>, id: TypeId) -> String {
    let found = btf.get(id).unwrap();
    let what = match found.kind {
        Kind::Void => "void".into(),
        Kind::Int(i) => format!("int {} {} {} {}", i.size, i.is_signed, i.is_char, i.is_bool),
        Kind::Pointer(t) => format!("pointer {t}"),
        Kind::Array { element, count, .. } => format!("array {element} {count}"),
        Kind::Struct { size, members } => format!("struct {size} {}", fields(members)),
        Kind::Union { size, members } => format!("union {size} {}", fields(members)),
        Kind::Enum { size, values, .. } => {
            let values = values.map(|v| format!("{}={:x} ", v.name, v.value as u32));
            format!("enum {size} {}", values.collect::<String>())
        }
        Kind::Enum64 { size, values, .. } => {
            let values = values.map(|v| format!("{}={:x} ", v.name, v.value));
            format!("enum64 {size} {}", values.collect::<String>())
        }
        Kind::Forward { is_union } => format!("forward {is_union}"),
        Kind::Typedef(t) => format!("typedef {t}"),
        Kind::Volatile(t) => format!("volatile {t}"),
        Kind::Const(t) => format!("const {t}"),
        Kind::Restrict(t) => format!("restrict {t}"),
        Kind::Function { prototype, linkage } => format!("function {prototype} {linkage:?}"),
        Kind::Prototype {
            returns,
            parameters,
            is_variadic,
        } => {
            let all = parameters.map(|p| format!("{} {},", p.name, p.target));
            let dots = if is_variadic { " 0," } else { "" };
            format!("prototype {returns} {}{dots}", all.collect::<String>())
        }
        Kind::Variable { target, linkage } => format!("variable {target} {linkage:?}"),
        Kind::Section { size, entries } => {
            let all = entries.map(|e| format!("{} {},", e.offset, e.size));
            format!("section {size} {}", all.collect::<String>())
        }
        Kind::Float { size } => format!("float {size}"),
        Kind::DeclTag { target, component } => format!("tag {target} {component:?}"),
        Kind::TypeTag(t) => format!("type tag {t}"),
    };
    format!("{} {what}", found.name)
}

fn fields(members: engine_btf::List<'_, engine_btf::Member<'_>>) -> String {
    let all = members.map(|m| format!("{} {} {}:{}, ", m.name, m.target, m.bit_offset, m.bit_size));
    all.collect()
}

fn their_fields(btf: &btf_rs::Btf, found: &btf_rs::Struct) -> String {
    let field = |member: &btf_rs::Member| {
        let name = btf.resolve_name(member).unwrap_or_default();
        let target = member.get_type_id().unwrap();
        let size = member.bitfield_size().unwrap_or(0);
        format!("{name} {target} {}:{size}, ", member.bit_offset())
    };
    found.members.iter().map(field).collect()
}

fn linkage(is_static: bool, is_global: bool) -> Linkage {
    match (is_static, is_global) {
        (true, _) => Linkage::Static,
        (_, true) => Linkage::Global,
        _ => Linkage::Extern,
    }
}

/// One type as text, by the other reader.
fn theirs(btf: &btf_rs::Btf, id: TypeId) -> String {
    let found = btf.resolve_type_by_id(id.0).unwrap();
    let named = found.as_btf_type();
    let name = named.and_then(|found| btf.resolve_name(found).ok());
    let target = || named.unwrap().get_type_id().unwrap();
    let what = match &found {
        Theirs::Void => "void".into(),
        Theirs::Int(i) => {
            let flags = (i.is_signed(), i.is_char(), i.is_bool());
            format!("int {} {} {} {}", i.size(), flags.0, flags.1, flags.2)
        }
        Theirs::Ptr(_) => format!("pointer {}", target()),
        Theirs::Array(a) => format!("array {} {}", target(), a.len()),
        Theirs::Struct(s) => format!("struct {} {}", s.size(), their_fields(btf, s)),
        Theirs::Union(s) => format!("union {} {}", s.size(), their_fields(btf, s)),
        Theirs::Enum(e) => {
            let values = e.members.iter();
            let values = values.map(|v| format!("{}={:x} ", btf.resolve_name(v).unwrap(), v.val()));
            format!("enum {} {}", e.size(), values.collect::<String>())
        }
        Theirs::Enum64(e) => {
            let values = e.members.iter();
            let values = values.map(|v| format!("{}={:x} ", btf.resolve_name(v).unwrap(), v.val()));
            format!("enum64 {} {}", e.size(), values.collect::<String>())
        }
        Theirs::Fwd(f) => format!("forward {}", f.is_union()),
        Theirs::Typedef(_) => format!("typedef {}", target()),
        Theirs::Volatile(_) => format!("volatile {}", target()),
        Theirs::Const(_) => format!("const {}", target()),
        Theirs::Restrict(_) => format!("restrict {}", target()),
        Theirs::Func(f) => {
            let linkage = linkage(f.is_static(), f.is_global());
            format!("function {} {linkage:?}", target())
        }
        Theirs::FuncProto(p) => {
            let all = p.parameters.iter().map(|p| {
                let name = btf.resolve_name(p).unwrap_or_default();
                format!("{name} {},", p.get_type_id().unwrap())
            });
            let all: String = all.collect();
            format!("prototype {} {all}", p.return_type_id())
        }
        Theirs::Var(v) => {
            let linkage = linkage(v.is_static(), v.is_global());
            format!("variable {} {linkage:?}", target())
        }
        Theirs::Datasec(s) => {
            let all = s.variables.iter();
            let all = all.map(|e| format!("{} {},", e.offset(), e.size()));
            format!("section {} {}", s.size(), all.collect::<String>())
        }
        Theirs::Float(f) => format!("float {}", f.size()),
        Theirs::DeclTag(t) => format!("tag {} {:?}", target(), t.component_index()),
        Theirs::TypeTag(_) => format!("type tag {}", target()),
        _ => panic!("a kind of its own"),
    };
    format!("{} {what}", name.unwrap_or_default())
}

/// Compares all types of two readings.
pub fn compare(own: &Btf<'_>, other: &btf_rs::Btf) {
    for id in (0..own.count()).map(TypeId) {
        assert_eq!(ours(own, id), theirs(other, id), "type {id}");
    }
    assert!(other.resolve_type_by_id(own.count()).is_err());
}

#[test]
fn all_kinds() {
    for order in ORDERS {
        let bytes = all(order);
        compare(&read(&bytes), &btf_rs::Btf::from_bytes(&bytes).unwrap());
    }
}

/// Of the host's own kernel and its modules, if it has any.
#[test]
fn the_hosts_kernel() {
    let Ok(bytes) = std::fs::read("/sys/kernel/btf/vmlinux") else {
        return;
    };
    let base = std::sync::Arc::new(Btf::read(&bytes[..]).unwrap());
    let other = btf_rs::Btf::from_bytes(&bytes).unwrap();
    compare(&base, &other);
    let modules = std::fs::read_dir("/sys/kernel/btf").unwrap();
    for module in modules.map(|entry| entry.unwrap().path()) {
        if module.ends_with("vmlinux") {
            continue;
        }
        let bytes = std::fs::read(module).unwrap();
        let split = Btf::read_split(bytes.clone(), base.clone()).unwrap();
        let other = btf_rs::Btf::from_split_bytes(&bytes, &other).unwrap();
        compare(&split, &other);
    }
    assert_eq!(base.endian(), Endian::Little);
}
