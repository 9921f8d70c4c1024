//! All of a path, an object of JSON a line.

use std::ops::Range;

use serde_json::{Value, json};

use super::symbols::Symbols;
use super::{Stream, Streamed};
use crate::error::Error;
use crate::output::Output;
use crate::path::file::record::{Begin, Kind, Map};
use crate::path::replay::{At, Visitor};

/// Prints lines.
pub struct Lines<'a> {
    symbols: Symbols,
    stream: Stream<'a>,
}

impl<'a> Lines<'a> {
    pub fn new(output: &'a mut Output) -> Self {
        Self {
            symbols: Symbols::default(),
            stream: Stream::new(output),
        }
    }

    fn line(&mut self, value: &Value) {
        self.stream.line(format_args!("{value}"));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Visitor for Lines<'_> {
    fn begin(&mut self, begin: Begin) {
        let command: Vec<String> = begin.command.iter().map(|it| text(it)).collect();
        let architecture = text(&begin.architecture);
        self.line(&json!({"begin": begin.time, "command": command, "architecture": architecture}));
    }

    fn map(&mut self, map: Map) {
        self.line(&json!({
            "map": text(&map.name), "start": map.start, "end": map.end, "offset": map.offset,
            "changes": map.changes,
        }));
        self.symbols.map(map);
    }

    fn executed(&mut self, at: At<'_>, block: u32, instructions: Range<u32>, depth: u64) {
        let address = at.blocks.get(block).address_of(instructions.start);
        let function = self.symbols.function(address);
        let name = function.name.as_deref();
        let mut value = json!({
            "thread": at.thread, "address": address, "instructions": instructions.len(),
            "depth": depth, "module": *function.module, "function": name,
            "offset": address.wrapping_sub(function.start),
        });
        if let Some(line) = self.symbols.line(address) {
            value["file"] = line.file.into();
            value["line"] = line.number.into();
        }
        self.line(&value);
    }

    fn branched(&mut self, at: At<'_>, block: u32, stop: u32, taken: bool) {
        let block = at.blocks.get(block);
        let address = block.address_of(block.stops[stop as usize].index);
        self.line(&json!({"thread": at.thread, "branch": address, "taken": taken}));
    }

    fn went(&mut self, at: At<'_>, block: u32, stop: u32, target: u64) {
        let block = at.blocks.get(block);
        let address = block.address_of(block.stops[stop as usize].index);
        self.line(&json!({"thread": at.thread, "indirect": address, "target": target}));
    }

    fn mark(&mut self, at: At<'_>, _next: u64, mark: &Kind) {
        let mut value = match mark {
            Kind::Start { at, id } => json!({"mark": "start", "at": at, "id": id}),
            Kind::Generation { at, generation } => {
                json!({"mark": "generation", "at": at, "generation": generation})
            }
            Kind::Signal {
                signal,
                at,
                handler,
            } => json!({"mark": "signal", "signal": signal, "at": at, "handler": handler}),
            Kind::SignalReturn { at, to } => json!({"mark": "signal-return", "at": at, "to": to}),
            Kind::End { at } => json!({"mark": "end", "at": at}),
            Kind::Left { at, why } => json!({"mark": "left", "at": at, "why": why}),
            Kind::Clone { at, child } => json!({"mark": "clone", "at": at, "child": child}),
            Kind::Exec { at } => json!({"mark": "exec", "at": at}),
            Kind::Lost { at, why } => json!({"mark": "lost", "at": at, "why": text(why)}),
        };
        value["thread"] = at.thread.into();
        self.line(&value);
    }
}

impl Streamed for Lines<'_> {
    fn finish(self) -> Result<(), Error> {
        self.stream.finish()
    }
}
