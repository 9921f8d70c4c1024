//! A flame graph: instructions by stack of functions.

use std::fmt::Write;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::symbols::{Function, Symbols};
use crate::output::Output;
use crate::path::file::record::{Begin, Kind, Map};
use crate::path::replay::{At, Visitor};

/// The most functions of a stack that are told apart.
const DEEPEST: usize = 256;

/// Sizes in the picture.
const WIDTH: f64 = 1600.0;
const HEIGHT: usize = 18;
/// The narrowest box.
const NARROWEST: f64 = 0.3;

/// A function in a stack.
#[derive(Default)]
struct Node {
    name: usize,
    children: FxHashMap<usize, usize>,
    own: u64,
}

/// Counts instructions by stack.
pub struct Flames {
    symbols: Symbols,
    title: String,
    names: Vec<String>,
    numbers: FxHashMap<String, usize>,
    /// The name of each block.
    blocks: FxHashMap<u32, usize>,
    nodes: Vec<Node>,
    /// The nodes of each thread's stack.
    stacks: FxHashMap<u32, Vec<usize>>,
}

impl Default for Flames {
    fn default() -> Self {
        Self {
            symbols: Symbols::default(),
            title: String::new(),
            names: vec!["all".to_owned()],
            numbers: FxHashMap::default(),
            blocks: FxHashMap::default(),
            nodes: vec![Node::default()],
            stacks: FxHashMap::default(),
        }
    }
}

fn name(function: &Function) -> String {
    let module = &function.module;
    match &function.name {
        Some(name) => format!("{module}`{name}"),
        None if module.is_empty() => "unknown".to_owned(),
        None => module.to_string(),
    }
}

impl Flames {
    fn name_of(&mut self, at: At<'_>, block: u32) -> usize {
        if let Some(number) = self.blocks.get(&block) {
            return *number;
        }
        let name = name(&self.symbols.function(at.blocks.get(block).address));
        let names = &mut self.names;
        let number = *self.numbers.entry(name.clone()).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        });
        self.blocks.insert(block, number);
        number
    }

    fn child(&mut self, parent: usize, name: usize) -> usize {
        if let Some(child) = self.nodes[parent].children.get(&name) {
            return *child;
        }
        let child = self.nodes.len();
        self.nodes[parent].children.insert(name, child);
        self.nodes.push(Node {
            name,
            ..Node::default()
        });
        child
    }

    /// Prints the page.
    pub fn print(&self, output: &mut Output) {
        let (totals, depth) = self.totals();
        let height = HEIGHT * (depth + 1);
        let title = escaped(&self.title);
        let mut page = format!(
            "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>\n\
             text {{ font: 12px monospace; pointer-events: none }}\n\
             rect:hover {{ stroke: black }}\n</style></head>\n<body><h1>{title}</h1>\n\
             <svg viewBox=\"0 0 {WIDTH} {height}\" width=\"100%\">\n"
        );
        // Not recursive: each with its depth, and where it begins.
        let mut left = vec![(0, 0, 0.0)];
        while let Some((node, depth, x)) = left.pop() {
            let scale = WIDTH / totals[0].max(1) as f64;
            self.put(
                &mut page,
                node,
                [depth * HEIGHT, totals[node] as usize],
                [x, scale],
            );
            let mut children: Vec<usize> = self.nodes[node].children.values().copied().collect();
            children.sort_by_key(|child| &self.names[self.nodes[*child].name]);
            let mut x = x;
            for child in children {
                let width = totals[child] as f64 * scale;
                if width >= NARROWEST {
                    left.push((child, depth + 1, x));
                }
                x += width;
            }
        }
        page.push_str("</svg></body></html>\n");
        output.buffer().extend_from_slice(page.as_bytes());
    }

    /// The instructions of each node with its children, and the depth of the deepest one.
    fn totals(&self) -> (Vec<u64>, usize) {
        let mut totals: Vec<u64> = self.nodes.iter().map(|node| node.own).collect();
        let mut depths = vec![0; totals.len()];
        // Children have larger numbers than their parents.
        for (number, node) in self.nodes.iter().enumerate() {
            node.children
                .values()
                .for_each(|child| depths[*child] = depths[number] + 1);
        }
        for (number, node) in self.nodes.iter().enumerate().rev() {
            totals[number] += node
                .children
                .values()
                .map(|child| totals[*child])
                .sum::<u64>();
        }
        let depth = depths.into_iter().max().unwrap_or_default();
        (totals, depth)
    }

    fn put(&self, page: &mut String, node: usize, [y, total]: [usize; 2], [x, scale]: [f64; 2]) {
        const PER_LETTER: f64 = 7.3;
        let name = &self.names[self.nodes[node].name];
        let (own, width) = (self.nodes[node].own, total as f64 * scale);
        let hue = name
            .bytes()
            .fold(7u32, |sum, it| sum.wrapping_mul(31) + u32::from(it))
            % 60;
        let letters: String = name.chars().take((width / PER_LETTER) as usize).collect();
        // Writing to a string does not fail.
        let _ = writeln!(
            page,
            "<g><rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{HEIGHT}\" \
             fill=\"hsl({hue} 80% 65%)\"><title>{}: {total} instructions, {own} of its own\
             </title></rect><text x=\"{:.2}\" y=\"{}\">{}</text></g>",
            escaped(name),
            x + 2.0,
            y + 13,
            escaped(&letters)
        );
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

impl Visitor for Flames {
    fn begin(&mut self, begin: Begin) {
        let words = begin.command.iter();
        let words: Vec<_> = words.map(|it| String::from_utf8_lossy(it)).collect();
        self.title = words.join(" ");
    }

    fn map(&mut self, map: Map) {
        self.symbols.map(map);
    }

    fn executed(&mut self, at: At<'_>, block: u32, instructions: Range<u32>, depth: u64) {
        let name = self.name_of(at, block);
        let mut stack = self.stacks.remove(&at.thread).unwrap_or_default();
        let depth = usize::try_from(depth).unwrap_or(DEEPEST).min(DEEPEST);
        stack.truncate(depth + 1);
        // A function that is left by a jump makes room for the one that is entered.
        if stack.len() == depth + 1
            && stack
                .last()
                .is_some_and(|top| self.nodes[*top].name != name)
        {
            stack.pop();
        }
        while stack.len() <= depth {
            let parent = stack.last().copied().unwrap_or_default();
            stack.push(self.child(parent, name));
        }
        if let Some(top) = stack.last() {
            self.nodes[*top].own += instructions.len() as u64;
        }
        self.stacks.insert(at.thread, stack);
    }

    fn mark(&mut self, at: At<'_>, _next: u64, mark: &Kind) {
        if matches!(mark, Kind::Start { .. }) {
            self.stacks.remove(&at.thread);
        }
    }
}
