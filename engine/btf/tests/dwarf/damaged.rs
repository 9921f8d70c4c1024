//! Damaged debug information: an error, or BTF that can be read.

use std::time::{Duration, Instant};

use engine_btf::{Btf, dwarf};
use object::{Object, ObjectSection};

use super::build::{built, object};
use crate::damaged::cases;

const SOURCE: &str = "struct s { struct s *next; int bits : 3; union { long l; char c[2][3]; }; };
    enum e { A, B = -5 }; typedef struct s s_t; s_t s; extern int x;
    int f(s_t *a, enum e b, ...) { return a->bits + b + x; }";

/// None of them may take longer, by far.
const SLOWEST: Duration = Duration::from_secs(5);

/// Replaces a few bytes of debug information.
fn damaged(seed: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let file = object::File::parse(seed).unwrap();
    let names = [
        ".debug_info",
        ".debug_abbrev",
        ".debug_info",
        ".debug_str_offsets",
        ".symtab",
    ];
    let ranges: Vec<_> = names
        .iter()
        .filter_map(|name| file.section_by_name(name)?.file_range())
        .collect();
    let mut bytes = seed.to_vec();
    for _ in 0..random.usize(1..4) {
        let (start, size) = ranges[random.usize(0..ranges.len())];
        let at = (start + random.u64(0..size.max(1))) as usize;
        bytes[at] = match random.u8(0..3) {
            0 => random.u8(..),
            1 => bytes[at].wrapping_add(random.u8(0..5)),
            _ => [0, 1, 0x7f, 0x80, 0xff][random.usize(0..5)],
        };
    }
    bytes
}

#[test]
fn damaged_files() {
    let seeds = [
        object(SOURCE),
        built(
            &[SOURCE, "struct s { int other; } t; int x;"],
            &["-gdwarf-3"],
            Some(&[]),
        ),
    ];
    let mut read = 0;
    let cases = cases() / 10;
    for number in 0..cases {
        let mut random = fastrand::Rng::with_seed(number);
        let bytes = damaged(&seeds[random.usize(0..2)], &mut random);
        let begun = Instant::now();
        let result = std::panic::catch_unwind(|| dwarf::convert(&bytes));
        let result = result.unwrap_or_else(|_| panic!("case {number}"));
        assert!(begun.elapsed() < SLOWEST, "case {number} takes too long");
        match result {
            Ok((bytes, _)) => {
                Btf::read(bytes).unwrap();
                read += 1;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    println!("{read} of {cases} were converted");
    assert!(read > cases / 20 && read < cases);
}

#[test]
fn no_debug_information() {
    let fault = |file: &[u8]| dwarf::convert(file).unwrap_err().to_string();
    let none = built(&["int x;"], &["-g0"], None);
    assert_eq!(
        fault(&none),
        "the file has no debug information (.debug_info)"
    );
    let compressed = built(&[SOURCE], &["-gz=zlib"], None);
    assert!(
        fault(&compressed).contains("is compressed"),
        "{}",
        fault(&compressed)
    );
    assert!(fault(b"nothing").starts_with("no usable ELF file: "));
    let file = object(SOURCE);
    (0..file.len())
        .step_by(97)
        .for_each(|length| drop(dwarf::convert(&file[..length])));
}

/// Types that a unit has in their order, so that each finds the one before it made.
#[test]
fn types_that_nest_too_deeply_are_refused() {
    let chain = |length: u32| {
        let names: String = (1..length)
            .map(|n| format!("typedef t{} t{n};", n - 1))
            .collect();
        let last = length - 1;
        let source = format!("typedef int t0; {names} struct s {{ t{last} *member; }} s;");
        dwarf::convert(&object(&source)).map(drop)
    };
    assert!(chain(90).is_ok());
    let error = chain(120).unwrap_err().to_string();
    assert!(
        error.ends_with("is nested too deeply, or in itself"),
        "{error}"
    );
}
