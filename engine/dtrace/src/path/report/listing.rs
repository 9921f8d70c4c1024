//! How often each instruction was executed.

use std::collections::BTreeMap;
use std::rc::Rc;

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};

use super::counts::Counts;
use super::lines::{Line, Sources};
use super::symbols::Function;
use crate::output::Output;
use crate::path::replay::Replay;

/// A line: how often, and the instruction's bytes. Text that has changed has several.
type Lines = BTreeMap<(u64, Rc<[u8]>), u64>;

/// Prints them, by function, with the source lines that are known; only one function, if it is named.
pub fn print(replay: &Replay, counts: &Counts, name: Option<&str>, output: &mut Output) {
    let mut functions: BTreeMap<u64, (Function, Lines)> = BTreeMap::new();
    counts.each(&replay.blocks, |block, index, count, function| {
        if name.is_none_or(|name| function.is_called(name)) {
            let entry = functions.entry(function.start);
            let (_, lines) = entry.or_insert_with(|| (function.clone(), Lines::new()));
            let key = (block.address_of(index), block.bytes_of(index).into());
            *lines.entry(key).or_default() += count;
        }
    });
    let mut sources = Sources::default();
    for (function, lines) in functions.values() {
        let (module, text) = (&function.module, function.text());
        output.line(format_args!("{module}`{text}:"));
        let mut last: Option<Line<'_>> = None;
        for ((address, bytes), count) in lines {
            let line = counts.symbols.line(*address);
            if let Some(line) = line.filter(|line| last != Some(*line)) {
                let text = sources.text(line);
                output.line(format_args!("  {line}  {text}"));
            }
            last = line.or(last);
            output.line(format_args!(
                "{count:>14} {address:>16x}  {}",
                disassembled(*address, bytes)
            ));
        }
        output.line(format_args!(""));
    }
}

fn disassembled(address: u64, bytes: &[u8]) -> String {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let mut text = String::new();
    IntelFormatter::new().format(&decoder.decode(), &mut text);
    text
}
