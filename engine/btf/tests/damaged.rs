//! Damaged BTF: an error, or types that keep their promises.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine_btf::{Btf, Class, Endian, Kind, TypeId};

use crate::all::all;
use crate::split;

/// How many, unless `PROPTEST_CASES` scales it (256 stands for this).
const CASES: u64 = 20_000;
/// Numbers that are limits of something.
const LIMITS: [u32; 8] = [
    0,
    1,
    0x7f,
    0xffff,
    0x00ff_ffff,
    0x7fff_ffff,
    1 << 31,
    u32::MAX,
];
/// No damaged BTF may take longer, by far.
const SLOWEST: Duration = Duration::from_secs(2);

pub fn cases() -> u64 {
    if std::env::var_os("TRAPLINE_SCALE").is_some_and(|scale| scale == "full") {
        return 1_000_000;
    }
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases = cases.and_then(|cases| cases.parse::<u64>().ok());
    cases.map_or(CASES, |cases| cases * CASES / 256)
}

/// Replaces a few words or bytes, and sometimes cuts the end.
fn damage(seed: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.usize(1..4) {
        let at = match random.u8(0..8) {
            0 => random.usize(0..24),
            _ => random.usize(24..bytes.len() - 4),
        };
        let word = match random.u8(0..5) {
            0 => random.u32(..),
            1 => random.u32(0..64),
            // The kinds, with counts.
            2 => random.u32(0..24) << 24 | random.u32(0..8),
            3 => bytes.len() as u32 + random.u32(0..16) - 8,
            _ => LIMITS[random.usize(0..LIMITS.len())],
        };
        let width = [1, 4, 4][random.usize(0..3)];
        let word = if random.bool() {
            word.to_le_bytes()
        } else {
            word.to_be_bytes()
        };
        let at = at / width * width;
        bytes[at..at + width].copy_from_slice(&word[..width]);
    }
    if random.u8(0..16) == 0 {
        bytes.truncate(random.usize(0..bytes.len()));
    }
    bytes
}

/// Asks everything of each type.
fn check(btf: &Btf<'_>, bytes: &[u8]) {
    let own = btf.own_ids().count();
    assert!(
        own * 12 <= bytes.len(),
        "more types than there are bytes for"
    );
    for id in (0..=btf.count()).map(TypeId) {
        let found = btf.get(id);
        assert_eq!(found.is_ok(), id.0 < btf.count());
        let Ok(found) = found else { continue };
        let _ = (btf.resolve(id).is_ok(), btf.size_of(id, 8).is_ok());
        let _ = (
            btf.member(id, "half").is_ok(),
            btf.member(id, "absent").is_ok(),
        );
        let targets: Vec<_> = match found.kind {
            Kind::Struct { members, .. } | Kind::Union { members, .. } => {
                members.map(|member| member.target).collect()
            }
            Kind::Prototype { parameters, .. } => parameters.map(|found| found.target).collect(),
            Kind::Section { entries, .. } => entries.map(|entry| entry.variable).collect(),
            Kind::Enum { values, .. } | Kind::Enum64 { values, .. } => {
                assert!(values.map(|value| value.name.len()).sum::<usize>() < 1 << 20);
                Vec::new()
            }
            Kind::Pointer(target) | Kind::Typedef(target) => vec![target],
            _ => Vec::new(),
        };
        assert!(targets.iter().all(|target| btf.get(*target).is_ok()));
    }
    for name in ["node", "walk", "first", "mine", "", "absent"] {
        let _ = (
            btf.named(Class::Struct, name),
            btf.function(name),
            btf.variable(name),
        );
    }
    let _ = (btf.enumerator("BLUE"), btf.pointer_size());
}

/// Reads one damaged BTF; whether it was accepted.
fn is_read(number: u64, seeds: &[(Vec<u8>, Option<Arc<Btf<'static>>>)]) -> bool {
    let mut random = fastrand::Rng::with_seed(number);
    let (seed, base) = &seeds[random.usize(0..seeds.len())];
    let bytes = damage(seed, &mut random);
    let begun = Instant::now();
    let result = std::panic::catch_unwind(|| {
        let btf = match base {
            Some(base) => Btf::read_split(bytes.clone(), base.clone()),
            None => Btf::read(bytes.clone()),
        };
        btf.map(|btf| check(&btf, &bytes))
    });
    let result = result.unwrap_or_else(|_| panic!("case {number}"));
    assert!(begun.elapsed() < SLOWEST, "case {number} takes too long");
    if let Err(error) = &result {
        assert!(!error.to_string().is_empty());
    }
    result.is_ok()
}

#[test]
fn damaged() {
    let base = Arc::new(Btf::read(all(Endian::Little)).unwrap());
    let module = split::module(&base);
    let seeds = [
        (all(Endian::Little), None),
        (all(Endian::Big), None),
        (module, Some(base)),
    ];
    let (cases, start) = (cases(), Instant::now());
    let read = (0..cases).filter(|number| is_read(*number, &seeds)).count() as u64;
    println!("{read} of {cases} were read, in {:?}", start.elapsed());
    assert!((cases / 50..cases * 49 / 50).contains(&read));
}

#[test]
fn each_length() {
    let bytes = all(Endian::Little);
    for length in 0..bytes.len() {
        assert!(Btf::read(&bytes[..length]).is_err());
    }
}
