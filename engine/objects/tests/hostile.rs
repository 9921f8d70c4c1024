//! Damaged ELF files: each is an error or a list of functions that keeps its promises.

use std::time::{Duration, Instant};

use engine_objects::{Fault, Functions};

use crate::build::{Build, xz};
use crate::made::{made, symtab, word};

/// How many files, unless `PROPTEST_CASES` scales it (256 stands for this).
const FILES: u64 = 100_000;
/// Numbers that are limits of something.
const LIMITS: [u64; 12] = [
    0,
    1,
    2,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 32,
    1 << 60,
    1 << 63,
    u64::MAX,
];
/// No damaged file may take longer, by far.
const SLOWEST: Duration = Duration::from_secs(2);

pub fn files() -> u64 {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse::<u64>().ok());
    cases.map_or(FILES, |cases| cases * FILES / 256)
}

/// Files of every kind, all small; the last one has compressed symbols.
fn seeds() -> Vec<Vec<u8>> {
    let build = Build::new();
    build.library(&["-Wl,-soname,libseed.so.1"]);
    build.with_mini("libmade.so.1", "mini.so");
    build.tool(
        "objcopy",
        &["--only-keep-debug", "libmade.so.1", "made.debug"],
    );
    let link = "--add-gnu-debuglink=made.debug";
    build.tool(
        "objcopy",
        &["--strip-all", link, "libmade.so.1", "stripped.so"],
    );
    build.compile(("program.c", crate::processes::PROGRAM), "program", &[]);
    build.compile(
        ("main.c", "void _start(void) { for (;;); }"),
        "static",
        &["-static", "-nostdlib"],
    );
    let names = [
        "libmade.so.1",
        "mini.so",
        "made.debug",
        "stripped.so",
        "program",
        "static",
    ];
    names
        .map(|name| std::fs::read(build.path(name)).unwrap())
        .into()
}

/// Damages a copy of a seed: a few numbers of any width, mostly where headers are, and sometimes the
/// end is missing.
pub fn damage(seed: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.usize(1..6) {
        let at = match random.u8(0..8) {
            0..3 => random.usize(0..64),
            3 => random.usize(0..bytes.len().min(1024)),
            // Section headers and symbols are at the end of the file.
            4..7 => bytes.len() - 1 - random.usize(0..bytes.len().min(4096)),
            _ => random.usize(0..bytes.len()),
        };
        let value = match random.u8(0..4) {
            0 => random.u64(..),
            1 => bytes.len() as u64 + random.u64(0..32) - 16,
            _ => LIMITS[random.usize(0..LIMITS.len())],
        };
        let width = [1, 2, 4, 8][random.usize(0..4)];
        let at = at / width * width;
        let place = at..(at + width).min(bytes.len());
        let length = place.len();
        bytes[place].copy_from_slice(&value.to_le_bytes()[..length]);
    }
    if random.u8(0..16) == 0 {
        bytes.truncate(random.usize(0..bytes.len()));
    }
    bytes
}

/// Checks what any list promises.
fn check(functions: &Functions) {
    let mut last = 0;
    for function in functions.iter() {
        assert!(last <= function.address, "sorted");
        last = function.address;
        assert!(
            function.address.checked_add(function.size).is_some(),
            "no overflow"
        );
        assert!(!function.name().is_empty());
    }
    for function in functions.iter().take(8) {
        let _ = (function.demangled(), function.version());
        if function.size > 0 {
            let (found, offset) = functions.at(function.address).unwrap();
            assert_eq!((found.address, offset), (function.address, 0));
        }
    }
    let _ = functions.at(u64::MAX);
    functions
        .faults()
        .iter()
        .for_each(|fault| assert!(!fault.to_string().is_empty()));
}

/// Reads one damaged file; whether it was accepted.
fn is_read(number: u64, seeds: &[Vec<u8>]) -> bool {
    let mut random = fastrand::Rng::with_seed(number);
    // The last one is decompressed, which needs ten times as long.
    let all = seeds.len() - usize::from(random.u8(0..8) > 0);
    let bytes = damage(&seeds[random.usize(0..all)], &mut random);
    let begun = Instant::now();
    let result =
        std::panic::catch_unwind(|| Functions::of_bytes(&bytes).map(|(_, found)| check(&found)));
    let is_read = result.unwrap_or_else(|_| panic!("file {number}")).is_ok();
    assert!(begun.elapsed() < SLOWEST, "file {number} takes too long");
    is_read
}

#[test]
fn damaged_files() {
    let (seeds, start) = (seeds(), Instant::now());
    let (files, threads) = (files(), 2);
    let count = |first: u64| {
        let numbers = (first..files).step_by(threads);
        numbers.filter(|number| is_read(*number, &seeds)).count() as u64
    };
    let read: u64 = std::thread::scope(|scope| {
        let counts = (0..threads as u64).map(|first| scope.spawn(move || count(first)));
        let counts: Vec<_> = counts.collect();
        counts.into_iter().map(|count| count.join().unwrap()).sum()
    });
    println!("{read} of {files} were read, in {:?}", start.elapsed());
    assert!((files / 4..files * 49 / 50).contains(&read));
}

#[test]
fn each_length_of_a_file() {
    for seed in seeds() {
        for length in (0..seed.len()).step_by(61) {
            if let Ok((_, functions)) = Functions::of_bytes(&seed[..length]) {
                check(&functions);
            }
        }
    }
}

#[test]
fn compressed_symbols_that_expand_without_end() {
    let build = Build::new();
    build.library(&[]);
    std::fs::write(build.path("bomb.xz"), xz(&vec![0; 8 << 20])).unwrap();
    let add = "--add-section=.gnu_debugdata=bomb.xz";
    build.tool("objcopy", &["--strip-all", add, "libmade.so.1", "bomb.so"]);
    let bytes = std::fs::read(build.path("bomb.so")).unwrap();
    let found = Functions::of_bytes(&bytes).unwrap().1;
    assert!(
        matches!(found.faults(), [Fault::XzLimit(_)]),
        "{:?}",
        found.faults()
    );
    assert!(!found.is_empty(), "the exported functions are there");
}

/// Without a limit this would be two thousand comparisons of a megabyte, and as many copies.
#[test]
fn all_functions_share_a_long_name() {
    use object::{Architecture, Endianness, SymbolKind};
    let name = "x".repeat(1 << 20);
    let mut rows = vec![("short", 0, 1, SymbolKind::Text); 2000];
    rows[0].0 = &name;
    let mut bytes = made(Architecture::X86_64, Endianness::Little, &rows);
    let header = symtab(&bytes);
    let (table, size) = (word(&bytes, header + 24), word(&bytes, header + 32));
    let mut names = bytes.windows(name.len()).enumerate();
    let (long, _) = names.find(|(_, bytes)| *bytes == name.as_bytes()).unwrap();
    let strings = word(&bytes, 40) + 64 * usize::from(bytes[header + 40]);
    let shared = u32::try_from(long - word(&bytes, strings + 24)).unwrap();
    for symbol in bytes[table..table + size].chunks_exact_mut(24) {
        symbol[..4].copy_from_slice(&shared.to_le_bytes());
    }
    let begun = Instant::now();
    let found = Functions::of_bytes(&bytes).unwrap().1;
    let message = found.faults()[0].to_string();
    assert_eq!(message, ".symtab: 2000 functions have no valid name");
    assert!(begun.elapsed() < SLOWEST);
}

#[test]
fn damaged_names() {
    let names = [
        "_ZNSt6vectorIiSaIiEE9push_backERKi",
        "_ZNK5space5ThingIXadL_Z1fvEEE6methodIJDpT_EEEvv",
        "_ZN4core3fmt5write17h0123456789abcdefE",
        "_RNvMs_NtCs123_4core3numj3pow",
        "_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
    ];
    let letters = b"_SZNRKEITDpsJXL0123456789abcdefv";
    for number in 0..files() / 10 {
        let mut random = fastrand::Rng::with_seed(number);
        let mut name = names[random.usize(0..names.len())].as_bytes().to_vec();
        for _ in 0..random.usize(1..5) {
            let at = random.usize(2..name.len());
            name[at] = letters[random.usize(0..letters.len())];
            let copied = name[random.usize(2..=at)..=at].to_vec();
            name.splice(at..at, copied);
        }
        let rows = [(
            String::from_utf8(name).unwrap(),
            0,
            4,
            object::SymbolKind::Text,
        )];
        let rows = rows
            .each_ref()
            .map(|row| (row.0.as_str(), row.1, row.2, row.3));
        let bytes = made(
            object::Architecture::X86_64,
            object::Endianness::Little,
            &rows,
        );
        check(&Functions::of_bytes(&bytes).unwrap().1);
    }
}
