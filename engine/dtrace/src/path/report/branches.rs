//! How often each conditional branch was taken.

use std::collections::BTreeMap;

use super::counts::Counts;
use crate::output::Output;
use crate::path::block::Kind;
use crate::path::replay::Replay;

/// Prints them, by address.
pub fn print(replay: &Replay, counts: &Counts, output: &mut Output) {
    let mut all: BTreeMap<u64, ([u64; 2], u64)> = BTreeMap::new();
    for number in 0..replay.blocks.count() {
        let block = replay.blocks.get(number);
        for (index, stop) in block.stops.iter().enumerate() {
            let (Kind::Branch(target), [not_taken, taken]) =
                (stop.kind, counts.stop(number, index))
            else {
                continue;
            };
            if not_taken + taken > 0 {
                let address = block.address_of(stop.index);
                let (counts, to) = all.entry(address).or_default();
                *counts = [counts[0] + not_taken, counts[1] + taken];
                *to = target;
            }
        }
    }
    output.line(format_args!(
        "{:>14} {:>14}   BRANCH -> TARGET",
        "TAKEN", "NOT TAKEN"
    ));
    for (address, ([not_taken, taken], target)) in all {
        let name = |at: u64| counts.symbols.function(at).at(at);
        output.line(format_args!(
            "{taken:>14} {not_taken:>14}   {} -> {}",
            name(address),
            name(target)
        ));
    }
}
