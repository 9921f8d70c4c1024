//! Blacklisted paths: functions called where no trap can be taken have no probes.

use engine_tracer::{Blacklist, Path, Tracer};

use crate::fake::*;

/// From `alpha` up to its call of `kept`, not following `moved`.
static FROM_ALPHA: Blacklist = blacklist(&[Path {
    roots: &[[b"alpha", b"alpha"], [b"nobody", b"nobody"]],
    ends: &[b"kept"],
    passes: &[b"moved"],
    why: "the test says so",
}]);

/// From `beta` through `gamma`.
static RANGE: Blacklist = blacklist(&[Path {
    roots: &[[b"beta", b"gamma"]],
    ends: &[],
    passes: &[],
    why: "the test says so",
}]);

static NOTHING: Blacklist = blacklist(&[]);

/// `bx lr`
const RETURN: u32 = 0xe12f_ff1e;

/// The encoding of a `bl`.
fn call(from: usize, to: usize) -> u32 {
    branch(from, to) | 1 << 24
}

/// A kernel in which `alpha` calls four functions, one of which, `beta`, tail-calls another.
fn kernel() -> &'static Fake {
    let fake: &'static Fake = Box::leak(Box::new(Fake::new()));
    fake.extend(ALPHA + 4, call(ALPHA + 4, BETA));
    fake.extend(ALPHA + 8, call(ALPHA + 8, MOVED));
    fake.extend(ALPHA + 12, call(ALPHA + 12, KEPT));
    fake.extend(ALPHA + 16, call(ALPHA + 16, GAMMA));
    fake.extend(ALPHA + 20, RETURN);
    fake.extend(BETA + 4, branch(BETA + 4, LEAVES));
    fake.extend(GAMMA + 4, RETURN);
    fake
}

/// A kernel in which `alpha` jumps behind the end of `beta`, to what has no symbol.
fn with_a_stub() -> &'static Fake {
    let fake: &'static Fake = Box::leak(Box::new(Fake::new()));
    fake.extend(ALPHA + 4, branch(ALPHA + 4, BETA + 12));
    fake.extend(BETA + 4, call(BETA + 4, GAMMA));
    fake.extend(BETA + 8, RETURN);
    fake.extend(BETA + 12, branch(BETA + 12, LEAVES));
    fake.extend(GAMMA + 4, RETURN);
    fake
}

/// The functions of a kernel that are refused because of this blacklist.
fn refused_in(kernel: &'static Fake, listed: &'static Blacklist) -> Vec<usize> {
    LISTED.set(listed);
    let engine = Tracer::<A32, _>::new(kernel).unwrap();
    let rows = (0..).map_while(|index| {
        engine.refused_row(index, |row| {
            let row = row.filter(|row| row.reason.sentence() == "the test says so");
            row.map(|row| row.address)
        })
    });
    let mut all: Vec<_> = rows.flatten().collect();
    all.dedup();
    all
}

fn refused(listed: &'static Blacklist) -> Vec<usize> {
    refused_in(kernel(), listed)
}

#[test]
fn callees_of_a_path_are_refused_up_to_its_end() {
    assert_eq!(refused(&FROM_ALPHA), [ALPHA, BETA, LEAVES]);
}

#[test]
fn a_range_is_refused_with_its_callees() {
    assert_eq!(refused(&RANGE), [BETA, GAMMA, LEAVES]);
}

#[test]
fn without_paths_nothing_is_refused() {
    assert_eq!(refused(&NOTHING), []);
}

#[test]
fn a_path_goes_on_where_it_leads_into_a_function() {
    assert_eq!(
        refused_in(with_a_stub(), &FROM_ALPHA),
        [ALPHA, BETA, LEAVES]
    );
}
