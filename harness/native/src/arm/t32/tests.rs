use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::*;
use crate::cases::{REFUSED, fit, starts};
use crate::places::{DATA, STACK};
use crate::vectors;

/// Addresses like those of a process.
const PLACES: Places = Places {
    number: 0,
    site: 0xb6f0_1800,
    page: 0xb6f0_1000,
    stack: 0xb6f8_0400,
    stack_size: STACK as u64,
    data: 0xb6f7_0000,
    data_size: DATA as u64,
};

fn vectors() -> Vec<Vector> {
    let files = fs::read_dir("../../engine/isa/vectors/t32").unwrap();
    let mut vectors: Vec<_> = files
        .flat_map(|file| vectors::read::<T32>(&file.unwrap().path()).unwrap())
        .collect();
    vectors.sort_by_key(|vector| *vector.text.padded());
    vectors
}

/// Whether there is a state that the instruction is executed in; or why it is not run.
fn has_state(vector: &Vector) -> Result<bool, &'static str> {
    let (text, page) = fit::<T32>(vector, &PLACES)?;
    let is_executed = |state: &State| T32::is_executed(&text, state);
    let states = starts::<T32>(&text, &page, &PLACES, vector.seed(1), 1, is_executed);
    Ok(!states.is_empty())
}

#[test]
fn each_row_that_is_not_refused_has_a_vector_that_is_run() {
    let mut run = BTreeSet::new();
    let mut not_run = BTreeMap::new();
    for vector in vectors().into_iter().flat_map(T32::variants) {
        let row = T32::row(&vector.text);
        if run.contains(&row) {
            continue;
        }
        match has_state(&vector) {
            Ok(true) => _ = run.insert(row),
            Ok(false) => _ = not_run.insert(row, vector.disassembly),
            Err(why) => assert_eq!(why, REFUSED),
        }
    }
    not_run.retain(|row, _| !run.contains(row));
    assert!(not_run.is_empty(), "{not_run:#?}");
    assert!(run.len() > 500, "{}", run.len());
}
