//! A real kernel's debug information: our BTF has the members that the kernel's own has, or pahole's
//! if that was added to the file as its section.

use engine_btf::{Btf, Class, Kind};
use object::{Object, ObjectSection};

use super::show::{converted, members};

/// How many structures are drawn.
const DRAWN: usize = 500;

#[test]
#[ignore = "needs a vmlinux with debug information and BTF, named by TRAPLINE_VMLINUX"]
fn as_its_own() {
    let path = std::env::var_os("TRAPLINE_VMLINUX").expect("TRAPLINE_VMLINUX names a file");
    let bytes = std::fs::read(path).unwrap();
    let ours = converted(&bytes);
    let file = object::File::parse(&bytes[..]).unwrap();
    let own = file.section_by_name(".BTF").expect("the file has BTF");
    let own = Btf::read(own.data().unwrap()).unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    let mut compared = 0;
    let mut ids: Vec<_> = own.own_ids().collect();
    random.shuffle(&mut ids);
    for id in ids {
        let found = own.get(id).unwrap();
        let is_struct = matches!(found.kind, Kind::Struct { .. }) && !found.name.is_empty();
        if !is_struct || own.all_named(Class::Struct, found.name).count() > 1 {
            continue;
        }
        let (expected, got) = (
            members(&own, Class::Struct, found.name),
            members(&ours, Class::Struct, found.name),
        );
        // Other converters lose the dimensions of arrays.
        if !got.contains("][") {
            assert_eq!(got, expected, "{}", found.name);
            compared += 1;
        }
        if compared == DRAWN {
            return;
        }
    }
    panic!("only {compared} structures could be compared");
}
