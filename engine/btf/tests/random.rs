//! Random types: what is written is what is read, here and by the other reader.

use engine_btf::write::Builder;
use engine_btf::{Btf, Int, Linkage, TypeId};
use fastrand::Rng;

use crate::all::{ORDERS, bits, parameter, value};
use crate::judge::compare;

const TYPES: u32 = 60;
const NAMES: [&str; 6] = ["", "a", "list_head", "struct_é", "x1", "long unsigned int"];

fn name(random: &mut Rng) -> &'static str {
    NAMES[random.usize(0..NAMES.len())]
}

/// Adds a type whose references go anywhere.
fn add(b: &mut Builder<'_>, random: &mut Rng) {
    let target = TypeId(random.u32(0..=TYPES));
    let other = TypeId(random.u32(0..=TYPES));
    let (name, count, number) = (name(random), random.usize(0..5), random.u32(..));
    let linkage = [Linkage::Static, Linkage::Global, Linkage::Extern][random.usize(0..3)];
    let members: Vec<_> = (0..count)
        .map(|_| {
            let size = if random.bool() { random.u8(..) } else { 0 };
            bits(
                NAMES[random.usize(0..6)],
                target,
                random.u32(..1 << 24),
                size,
            )
        })
        .collect();
    // The other reader does not look into integers for the bits of members.
    let size = 1 << random.u8(0..5);
    let int = Int {
        size: size.into(),
        bits: size * 8,
        offset: 0,
        is_signed: random.bool(),
        is_char: random.bool(),
        is_bool: random.bool(),
    };
    let parameters: Vec<_> = (0..count).map(|_| parameter("p", other)).collect();
    match random.u8(0..18) {
        0 => b.int(name, int),
        1 => b.pointer(target),
        2 => b.array(target, other, number),
        3 => b.structure(name, number, &members),
        4 => b.union(name, number, &members),
        5 => b.enumeration(
            name,
            4,
            random.bool(),
            &[value("v", random.i64(..)), value("w", 1)],
        ),
        6 => b.enumeration(name, 4, true, &[value("v", random.i32(..).into())]),
        7 => b.forward(name, random.bool()),
        8 => b.typedef(name, target),
        9 => b.volatile(target),
        10 => b.constant(target),
        11 => b.restrict(target),
        12 => b.function(name, target, linkage),
        13 => b.prototype(target, &parameters, random.bool()),
        14 => b.variable(name, target, linkage),
        15 => b.float(name, number),
        16 => b.decl_tag(name, target, random.bool().then_some(number >> 1)),
        _ => b.type_tag(name, target),
    };
}

#[test]
fn as_another_reader_sees_them() {
    for seed in 0..200 {
        let mut random = Rng::with_seed(seed);
        let mut b = Builder::new(ORDERS[random.usize(0..2)]);
        (0..TYPES).for_each(|_| add(&mut b, &mut random));
        let bytes = b.finish().unwrap();
        let btf = Btf::read(&bytes[..]).unwrap();
        assert_eq!(btf.count(), TYPES + 1, "seed {seed}");
        compare(&btf, &btf_rs::Btf::from_bytes(&bytes).unwrap());
    }
}
