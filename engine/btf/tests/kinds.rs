//! What was written is read, in both byte orders.

use engine_btf::{Kind, Linkage, TypeId};

use crate::all::{INT, LONG, ORDERS, all, bits, id, member, read};

#[test]
fn integers_and_what_is_made_of_them() {
    for order in ORDERS {
        let bytes = all(order);
        let btf = read(&bytes);
        assert_eq!(btf.endian(), order);
        assert_eq!(btf.count(), 28);
        let kind = |number| btf.get(TypeId(number)).unwrap().kind;
        assert!(matches!(kind(0), Kind::Void));
        assert!(matches!(kind(1), Kind::Int(int) if int == LONG));
        assert!(matches!(kind(2), Kind::Int(int) if int == INT));
        let array = kind(3);
        assert!(matches!(array, Kind::Array { element, index, count: 5 }
            if (element, index) == (id::INT, id::LONG)));
        assert!(matches!(kind(4), Kind::Pointer(id::NODE)));
        assert!(matches!(kind(15), Kind::Float { size: 8 }));
    }
}

#[test]
fn members() {
    for order in ORDERS {
        let bytes = all(order);
        let btf = read(&bytes);
        let Kind::Struct { size, members } = btf.get(id::NODE).unwrap().kind else {
            panic!("no struct");
        };
        let expected = [
            member("next", TypeId(4), 0),
            member("numbers", TypeId(3), 8),
            member("", TypeId(6), 32),
        ];
        assert_eq!((size, members.len()), (40, 3));
        assert_eq!(members.collect::<Vec<_>>(), expected);
        let Kind::Struct { size: 4, members } = btf.get(id::FLAGS).unwrap().kind else {
            panic!("no struct");
        };
        let expected = [bits("low", id::INT, 0, 3), bits("high", id::INT, 3, 29)];
        assert_eq!(members.collect::<Vec<_>>(), expected);
        let union = btf.get(TypeId(6)).unwrap();
        assert!(matches!(union.kind, Kind::Union { size: 8, .. }));
    }
}

#[test]
fn values() {
    for order in ORDERS {
        let bytes = all(order);
        let btf = read(&bytes);
        let Kind::Enum {
            size: 4,
            is_signed: true,
            values,
        } = btf.get(TypeId(9)).unwrap().kind
        else {
            panic!("no enumeration");
        };
        let values: Vec<_> = values.map(|value| (value.name, value.value)).collect();
        assert_eq!(values, [("RED", -1), ("BLUE", 7)]);
        let Kind::Enum64 {
            size: 8,
            is_signed: false,
            values,
        } = btf.get(TypeId(10)).unwrap().kind
        else {
            panic!("no wide enumeration");
        };
        let values: Vec<_> = values
            .map(|value| (value.name, value.value as u64))
            .collect();
        assert_eq!(values, [("TOP", 1 << 63), ("ONE", 1)]);
    }
}

#[test]
fn functions_variables_and_tags() {
    for order in ORDERS {
        let bytes = all(order);
        let btf = read(&bytes);
        let kind = |number| btf.get(TypeId(number)).unwrap().kind;
        let Kind::Prototype {
            returns: id::INT,
            parameters,
            is_variadic: true,
        } = kind(16)
        else {
            panic!("no prototype");
        };
        let parameters: Vec<_> = parameters.map(|found| (found.name, found.target)).collect();
        assert_eq!(parameters, [("node", TypeId(4)), ("", id::LONG)]);
        assert!(
            matches!(kind(17), Kind::Prototype { returns: TypeId::VOID, is_variadic: false, parameters }
            if parameters.len() == 0)
        );
        assert!(matches!(
            kind(18),
            Kind::Function {
                prototype: TypeId(16),
                linkage: Linkage::Global
            }
        ));
        assert!(matches!(
            kind(20),
            Kind::Variable {
                target: id::NODE,
                linkage: Linkage::Global
            }
        ));
        assert!(matches!(kind(22), Kind::Section { size: 64, entries } if entries.len() == 1));
        assert!(matches!(
            kind(24),
            Kind::DeclTag {
                target: id::NODE,
                component: Some(1)
            }
        ));
        assert!(matches!(
            kind(27),
            Kind::DeclTag {
                component: None,
                ..
            }
        ));
        assert!(matches!(kind(25), Kind::TypeTag(id::NODE)));
        assert_eq!(btf.get(TypeId(24)).unwrap().name, "tagged");
        assert!(matches!(kind(7), Kind::Forward { is_union: true }));
    }
}
