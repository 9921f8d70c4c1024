use super::*;

#[test]
fn machine_name_must_match_exactly() {
    assert_eq!(find("q35").map(|machine| machine.unit), Some(Unit::Byte));
    assert!(find("RASPI0").is_none());
}

#[test]
fn physical_address_uses_the_rows_offset() {
    let physical = |name, address| find(name).and_then(|machine| machine.physical(address));
    assert_eq!(physical("raspi0", 0xc000_8000), Some(0x8000));
    assert_eq!(physical("raspi0", 0x1000), None);
    assert_eq!(physical("virt", 0xffff_8000_0801_0000), Some(0x4021_0000));
    assert_eq!(physical("virt", 0xffff_8000_8001_0000), Some(0x4021_0000));
    assert_eq!(physical("q35", 0xffff_ffff_8100_0000), Some(0x100_0000));
}

#[test]
fn own_change_applies_only_in_its_function() {
    let machine = find("raspi0").expect("a row");
    let pair = Pair {
        unit: machine.unit,
        before: &0xea00_0033_u32.to_le_bytes(),
        after: &0xe1a0_0000_u32.to_le_bytes(),
    };
    let change = &(0..4);
    assert!(
        machine
            .own_change("__skb_get_hash", &pair, change)
            .is_some()
    );
    assert!(machine.own_change("sys_chdir", &pair, change).is_none());
}

#[test]
fn own_change_patterns_are_well_formed() {
    for machine in MACHINES {
        let width = match machine.unit {
            Unit::Word => 8,
            Unit::Byte => 2,
        };
        for own in machine.own_changes {
            let words = own.before.split(' ').chain(own.after.split(' '));
            assert!(words.clone().all(|word| word.len() == width), "{own:?}");
            assert_eq!(own.before.len(), own.after.len(), "{own:?}");
        }
    }
}

#[test]
fn names_are_unique() {
    for (row, machine) in MACHINES.iter().enumerate() {
        assert!(
            MACHINES[..row]
                .iter()
                .all(|other| other.name != machine.name)
        );
    }
}
