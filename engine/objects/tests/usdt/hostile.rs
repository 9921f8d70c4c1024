//! Damaged notes and files: each is an error, a fault, or a site that keeps its promises.

use std::time::{Duration, Instant};

use engine_objects::{Operand, Sites};
use object::elf;

use super::image::{CODE, DATA, Image};
use crate::hostile::{damage, files};

/// No file may take longer, by far.
const SLOWEST: Duration = Duration::from_secs(5);

/// Texts of arguments, by machine.
const ARGUMENTS: [(elf::Machine, &[&str]); 3] = [
    (
        elf::EM_X86_64,
        &[
            "8@%rax -4@%edi 2@%r15w -1@%ah",
            "-4@$-1 8@-8(%rbp,%rcx,4) 1@(%rsp)",
            "-4@40+NBuffers(%rip) 8@%fs:own@tpoff 8f@%xmm0",
            "",
        ],
    ),
    (
        elf::EM_AARCH64,
        &[
            "8@x0 -4@w30 8@[sp, 152] -4@5",
            "8@[x0, x1, lsl #3] 4@[x0, w2, sxtw 2] 8f@d0",
            "4@[x1, #:lo12:NBuffers+4] 8@xzr",
        ],
    ),
    (
        elf::EM_ARM,
        &[
            "4@r6 8@r4 -4@#-1 4@[r4, #-32]",
            "4@[r3, r2, lsl #2] 4@.L4+8 4@fp -4@NBuffers",
        ],
    ),
];

/// A file of each machine.
fn seeds() -> Vec<Vec<u8>> {
    let seeds = ARGUMENTS.iter().map(|(machine, texts)| {
        let mut image = Image::new(*machine);
        image.symbols = vec![
            ("NBuffers", DATA, elf::STT_OBJECT),
            ("around", CODE, elf::STT_FUNC),
        ];
        for text in *texts {
            image.probe(CODE + 4, DATA + 2, text);
        }
        image.made()
    });
    seeds.collect()
}

/// Reads a file, and checks what all sites promise; their number and that of faults.
fn check(bytes: &[u8]) -> Option<(usize, usize)> {
    let begun = Instant::now();
    let (_, sites) = Sites::of_bytes(bytes).ok()?;
    for site in &sites.list {
        assert!(!site.provider.is_empty() && !site.name.is_empty());
        assert!(usize::try_from(site.offset).unwrap() < bytes.len());
        assert!(site.arguments.len() <= 32);
        for argument in &site.arguments {
            let is_size = [1, 2, 4, 8].contains(&argument.size);
            assert!(is_size || matches!(argument.at, Operand::Unreadable(_)));
        }
    }
    for fault in &sites.faults {
        assert!(!fault.to_string().is_empty());
    }
    assert!(begun.elapsed() < SLOWEST);
    Some((sites.list.len(), sites.faults.len()))
}

#[test]
fn damaged_files() {
    let seeds = seeds();
    let (mut read, mut with_sites, mut with_faults) = (0, 0, 0);
    let all = files();
    for number in 0..all {
        let mut random = fastrand::Rng::with_seed(number);
        let bytes = damage(&seeds[random.usize(0..seeds.len())], &mut random);
        let result = std::panic::catch_unwind(|| check(&bytes));
        if let Some((sites, faults)) = result.unwrap_or_else(|_| panic!("file {number}")) {
            read += 1;
            with_sites += u64::from(sites > 0);
            with_faults += u64::from(faults > 0);
        }
    }
    println!("{read} of {all} were read, {with_sites} have sites, {with_faults} have faults");
    assert!(read > all / 4 && with_sites > all / 8 && with_faults > all / 50);
}

/// Damages the text of arguments only, with the characters that mean something in it.
#[test]
fn damaged_arguments() {
    let letters = b"0123456789@$%#-+()[],: .rxwsdfqlaip\0";
    let (mut with_site, all) = (0, files());
    for number in 0..all {
        let mut random = fastrand::Rng::with_seed(number);
        let (machine, texts) = ARGUMENTS[random.usize(0..ARGUMENTS.len())];
        let mut text = texts[random.usize(0..texts.len())].as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..=text.len());
            let letter = letters[random.usize(0..letters.len())];
            match random.u8(0..3) {
                0 if at < text.len() => text[at] = letter,
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.insert(at, letter),
            }
        }
        let mut image = Image::new(machine);
        image.symbols = vec![("NBuffers", DATA, elf::STT_OBJECT)];
        image.probe(CODE, 0, str::from_utf8(&text).unwrap());
        let result = std::panic::catch_unwind(|| check(&image.made()).unwrap());
        let (sites, faults) = result.unwrap_or_else(|_| panic!("{number}: {text:?}"));
        assert_eq!(sites + faults, 1, "{text:?}");
        with_site += sites as u64;
    }
    println!("{with_site} of {all} are still sites");
    assert!((all / 20..all * 19 / 20).contains(&with_site));
}

/// Without limits each would cost the square of its size.
#[test]
fn many_and_long_ones_take_no_time() {
    let mut image = Image::new(elf::EM_X86_64);
    for _ in 0..20_000 {
        image.probe(CODE, 0, "8@%rax -4@NBuffers(%rip)");
    }
    image.probe(CODE, 0, &format!("8@{}(%rip)", "x".repeat(1 << 18)));
    image.probe(CODE, 0, &format!("8@{}1(%rip)", "1+".repeat(1 << 17)));
    image.probe(CODE, 0, &"8@%rax ".repeat(1 << 16));
    image.symbols = vec![("NBuffers", DATA, elf::STT_OBJECT); 20_000];
    let (sites, faults) = check(&image.made()).unwrap();
    assert_eq!((sites, faults), (20_002, 1));
    for _ in 0..20_000 {
        image.probe(CODE, 0, "");
    }
    assert_eq!(check(&image.made()), Some(((1 << 15), 2)));
    let mut image = Image::new(elf::EM_X86_64);
    image.notes = vec![0; 17 << 20];
    assert_eq!(check(&image.made()), Some((0, 1)));
}
