//! Notes become sites or faults.

use engine_objects::{Fault, Mode, Site, Sites};
use object::{Endianness, elf};

use super::image::{BASE, CODE, CODE_OFFSET, CODE_SIZE, DATA, DATA_SIZE, Image};

fn read(image: &Image) -> Sites {
    Sites::of_bytes(&image.made()).unwrap().1
}

/// The only site of a file without faults.
fn only(image: &Image) -> Site {
    let sites = read(image);
    assert_eq!(sites.faults, []);
    let [site] = &*sites.list else {
        panic!("{:?}", sites.list);
    };
    site.clone()
}

/// What is wrong with the notes, without their offsets, which must increase.
fn reasons(sites: &Sites) -> Vec<String> {
    let mut last = 0;
    let faults = sites.faults.iter().map(|fault| {
        let Fault::Probe { offset, reason } = fault else {
            panic!("{fault}");
        };
        assert!(*offset > last && *offset % 4 == 0);
        last = *offset;
        reason.to_string()
    });
    faults.collect()
}

#[test]
fn a_site_of_each_class_and_byte_order() {
    let machines = [elf::EM_X86_64, elf::EM_AARCH64, elf::EM_ARM, elf::EM_386];
    for machine in machines {
        for endian in [Endianness::Little, Endianness::Big] {
            let mut image = Image::new(machine);
            image.endian = endian;
            image.symbols = vec![("around", CODE + 4, elf::STT_FUNC)];
            image.note([CODE + 8, BASE, DATA + 2], b"some\0query__start\0\0");
            let site = only(&image);
            assert_eq!(
                (site.provider.as_str(), site.name.as_str()),
                ("some", "query__start")
            );
            assert_eq!(site.probe_name(), "query-start");
            assert_eq!((site.address, site.offset), (CODE + 8, CODE_OFFSET + 8));
            assert_eq!(site.semaphore, Some(DATA + 2));
            assert_eq!(site.function.as_deref(), Some("around"));
            assert_eq!(site.arguments, []);
        }
    }
}

#[test]
fn a_file_without_notes_has_no_sites() {
    let sites = read(&Image::new(elf::EM_X86_64));
    assert_eq!((sites.list, sites.faults), (vec![], vec![]));
    let error = Sites::of_bytes(b"#!/bin/sh\n").unwrap_err();
    assert_eq!(error, Fault::NotElf);
}

#[test]
fn addresses_move_with_the_base() {
    for machine in [elf::EM_X86_64, elf::EM_ARM] {
        let mut image = Image::new(machine);
        image.note(
            [CODE - 0x1_0000, BASE - 0x1_0000, DATA - 0x1_0000],
            b"p\0n\0\0",
        );
        let site = only(&image);
        assert_eq!((site.address, site.semaphore), (CODE, Some(DATA)));
        let mut image = Image::new(machine);
        image.note([CODE + 0x1_0000, BASE + 0x1_0000, 0], b"p\0n\0\0");
        let site = only(&image);
        assert_eq!((site.address, site.semaphore), (CODE, None));
        // Without a base nothing is known of a move.
        let mut image = Image::new(machine);
        image.note([CODE, 0, DATA], b"p\0n\0\0");
        let site = only(&image);
        assert_eq!((site.address, site.semaphore), (CODE, Some(DATA)));
    }
}

#[test]
fn the_instruction_set_of_a_site_on_arm() {
    let function = |address| vec![("around", address, elf::STT_FUNC)];
    let nops: [(&[u8], Vec<_>, Option<Mode>); 8] = [
        (&[0x00, 0xf0, 0x20, 0xe3], vec![], Some(Mode::Arm)),
        (&[0x00, 0x00, 0xa0, 0xe1], vec![], Some(Mode::Arm)),
        (&[0x00, 0xbf, 0x70, 0x47], vec![], Some(Mode::Thumb)),
        (&[0xc0, 0x46, 0xc0, 0x46], vec![], Some(Mode::Thumb)),
        // The instruction counts, not the symbol before it.
        (
            &[0x00, 0xf0, 0x20, 0xe3],
            function(CODE + 1),
            Some(Mode::Arm),
        ),
        (
            &[0x01, 0x20, 0x70, 0x47],
            function(CODE + 1),
            Some(Mode::Thumb),
        ),
        (&[0x01, 0x00, 0xa0, 0xe3], function(CODE), Some(Mode::Arm)),
        (&[0x01, 0x00, 0xa0, 0xe3], vec![], None),
    ];
    for (code, symbols, mode) in nops {
        let mut image = Image::new(elf::EM_ARM);
        (image.code, image.symbols) = (code.to_vec(), symbols);
        image.probe(CODE, 0, "");
        assert_eq!(only(&image).mode, mode, "{code:x?}");
    }
    let mut image = Image::new(elf::EM_ARM);
    image.probe(CODE + 1, 0, "");
    let site = only(&image);
    assert_eq!((site.address, site.mode), (CODE, Some(Mode::Thumb)));
    let mut image = Image::new(elf::EM_AARCH64);
    image.probe(CODE, 0, "");
    assert_eq!(only(&image).mode, Some(Mode::Native));
}

#[test]
fn notes_of_others_are_not_read() {
    let mut image = Image::new(elf::EM_X86_64);
    image.raw(b"GNU\0", 3, b"1234");
    image.raw(b"stapsdt\0", 2, b"1234");
    image.raw(b"stapsdt2\0", 3, b"1234");
    image.probe(CODE, 0, "8@%rax");
    assert_eq!(only(&image).arguments.len(), 1);
}

#[test]
fn a_malformed_note_leaves_the_others() {
    let mut image = Image::new(elf::EM_X86_64);
    let good = [CODE, BASE, 0];
    image.probe(CODE, 0, "");
    image.raw(b"stapsdt\0", 3, b"short");
    image.note(good, b"provider");
    image.note(good, b"provider\0name");
    image.note(good, b"provider\0name\0arguments");
    image.note(good, b"\0name\0\0");
    image.note(good, b"provider\0\0\0");
    image.note(good, b"provider\0n\x1bme\0\0");
    image.note(good, b"provider\0n\xffme\0\0");
    image.note([CODE - 1, BASE, 0], b"p\0n\0\0");
    image.note([CODE + CODE_SIZE, BASE, 0], b"p\0n\0\0");
    image.note([DATA, BASE, 0], b"p\0n\0\0");
    image.note([u64::MAX, BASE, 0], b"p\0n\0\0");
    image.note([CODE, BASE, CODE], b"p\0n\0\0");
    image.note([CODE, BASE, DATA + DATA_SIZE - 1], b"p\0n\0\0");
    image.probe(CODE, 0, "8@%rax 8@%rxx");
    image.probe(CODE, 0, "8@");
    image.probe(CODE, 0, "x8@%rax");
    image.probe(CODE, 0, "0@%rax");
    image.probe(CODE, 0, &"8@%rax ".repeat(33));
    image.probe(CODE + 1, 0, &"8@%rax ".repeat(32));
    let sites = read(&image);
    let addresses: Vec<_> = sites.list.iter().map(|site| site.address).collect();
    assert_eq!(addresses, [CODE, CODE + 1]);
    let expected = [
        "it has 5 bytes, too few for three addresses",
        "its provider does not end",
        "its name does not end",
        "its arguments does not end",
        "its provider is empty",
        "its name is empty",
        "its name has control characters",
        "its name is not UTF-8",
        "its address 0x10fff is in no executable segment of the file",
        "its address 0x11040 is in no executable segment of the file",
        "its address 0x22000 is in no executable segment of the file",
        "its address 0xffffffffffffffff is in no executable segment of the file",
        "its semaphore at 0x11000 is in no writable segment",
        "its semaphore at 0x2201f is in no writable segment",
        "arg1, \"8@%rxx\", has an operand that is none of the machine",
        "arg0, \"8@\", has an operand that is none of the machine",
        "arg0, \"x8@%rax\", has an operand that is none of the machine",
        "arg0, \"0@%rax\", is not SIZE@OPERAND",
        "it has more than 32 arguments",
    ];
    assert_eq!(reasons(&sites), expected);
    let text = sites.faults[0].to_string();
    let start = "the note of a probe at offset 0x";
    assert!(
        text.starts_with(start) && text.ends_with(expected[0]),
        "{text}"
    );
}

#[test]
fn what_follows_a_note_without_end_is_not_found() {
    let mut image = Image::new(elf::EM_X86_64);
    image.probe(CODE, 0, "");
    let at = image.notes.len();
    image.probe(CODE, 0, "");
    image.probe(CODE, 0, "");
    image.notes[at + 4..at + 8].copy_from_slice(&u32::MAX.to_le_bytes());
    let sites = read(&image);
    assert_eq!(sites.list.len(), 1);
    let expected = "it reaches beyond its section, and what follows is not read";
    assert_eq!(reasons(&sites), [expected]);
}

#[test]
fn arguments_of_other_machines_are_not_read() {
    let mut image = Image::new(elf::EM_S390);
    image.is_64 = true;
    image.endian = Endianness::Big;
    image.probe(CODE, 0, "");
    image.probe(CODE, 0, "8@%r2");
    let sites = read(&image);
    assert_eq!(sites.list.len(), 1);
    let expected = "it has arguments, and operands of s390 are not read";
    assert_eq!(reasons(&sites), [expected]);
}
