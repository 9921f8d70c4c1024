//! BTF with all nineteen kinds.

use engine_btf::write::Builder;
use engine_btf::{Btf, Endian, Enumerator, Int, Linkage, Member, Parameter, SectionEntry, TypeId};

pub const ORDERS: [Endian; 2] = [Endian::Little, Endian::Big];

pub const LONG: Int = Int {
    size: 8,
    bits: 64,
    offset: 0,
    is_signed: false,
    is_char: false,
    is_bool: false,
};

pub const INT: Int = Int {
    size: 4,
    bits: 32,
    is_signed: true,
    ..LONG
};

/// A member that is no bit-field, at an offset in bytes.
pub fn member(name: &str, target: TypeId, offset: u32) -> Member<'_> {
    Member {
        name,
        target,
        bit_offset: offset * 8,
        bit_size: 0,
    }
}

/// A bit-field.
pub fn bits(name: &str, target: TypeId, bit_offset: u32, bit_size: u8) -> Member<'_> {
    Member {
        name,
        target,
        bit_offset,
        bit_size,
    }
}

pub fn value(name: &str, value: i64) -> Enumerator<'_> {
    Enumerator { name, value }
}

pub fn parameter(name: &str, target: TypeId) -> Parameter<'_> {
    Parameter { name, target }
}

/// The IDs of [`all`], in their order.
pub mod id {
    use engine_btf::TypeId;

    pub const LONG: TypeId = TypeId(1);
    pub const INT: TypeId = TypeId(2);
    pub const NODE: TypeId = TypeId(5);
    pub const FLAGS: TypeId = TypeId(8);
    pub const FUNCTION: TypeId = TypeId(18);
    pub const VARIABLE: TypeId = TypeId(20);
    pub const RESTRICT: TypeId = TypeId(14);
    pub const TAGGED: TypeId = TypeId(25);
}

/// All kinds, each at least once.
pub fn all(order: Endian) -> Vec<u8> {
    let mut b = Builder::new(order);
    let long = b.int("long unsigned int", LONG);
    let int = b.int("int", INT);
    let array = b.array(int, long, 5);
    let pointer = b.pointer(TypeId(5));
    let members = [
        member("next", pointer, 0),
        member("numbers", array, 8),
        member("", TypeId(6), 32),
    ];
    let node = b.structure("node", 40, &members);
    b.union("", 8, &[member("word", long, 0), member("half", int, 0)]);
    b.forward("unknown", true);
    let fields = [bits("low", int, 0, 3), bits("high", int, 3, 29)];
    let flags = b.structure("flags", 4, &fields);
    b.enumeration("colour", 4, true, &[value("RED", -1), value("BLUE", 7)]);
    b.enumeration("wide", 8, false, &[value("TOP", i64::MIN), value("ONE", 1)]);
    let typedef = b.typedef("node_t", node);
    let constant = b.constant(typedef);
    let volatile = b.volatile(constant);
    b.restrict(volatile);
    b.float("double", 8);
    let prototype = b.prototype(
        int,
        &[parameter("node", pointer), parameter("", long)],
        true,
    );
    b.prototype(TypeId::VOID, &[], false);
    b.function("walk", prototype, Linkage::Global);
    b.function("hidden", prototype, Linkage::Static);
    let variable = b.variable("first", node, Linkage::Global);
    let per_cpu = b.variable("mine", flags, Linkage::Static);
    let entry = |variable, offset, size| SectionEntry {
        variable,
        offset,
        size,
    };
    b.section(".data..percpu", 64, &[entry(per_cpu, 16, 4)]);
    b.section("_stext", 1 << 20, &[entry(variable, 4096, 40)]);
    b.decl_tag("tagged", node, Some(1));
    let tagged = b.type_tag("user", node);
    b.pointer(tagged);
    b.decl_tag("whole", node, None);
    b.finish().unwrap()
}

pub fn read(bytes: &[u8]) -> Btf<'_> {
    Btf::read(bytes).unwrap()
}
