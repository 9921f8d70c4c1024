//! Types by their content: two that are written alike are one node.
//!
//! A node is written as a type of BTF is (`format.rs`): its words, with numbers of names and of
//! nodes instead of the file's. Named structs, unions and enumerations can lead back to themselves,
//! and different units can mean different things by one name; so whatever refers to one refers to
//! a *leaf*, which stands for its name. Everything else is a graph without cycles, and equal
//! content means an equal type but for what the leaves stand for.

use std::collections::HashMap;
use std::rc::Rc;

use crate::dwarf::hash::FastHash;
use crate::dwarf::strings::Name;
use crate::format::{Code, Info, Word, row_of};
use crate::words::meanings;

/// The number of a node.
pub type Node = u32;

/// `void`.
pub const VOID: Node = 0;
/// The kind of a leaf, which no type of BTF has.
const LEAF: u32 = 31;

/// What a leaf stands for: a struct, a union or an enumeration by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    pub code: Code,
    pub name: Name,
}

/// All nodes.
#[derive(Debug)]
pub struct Graph {
    nodes: Vec<Rc<[u32]>>,
    /// Of each node, the most references to follow from it; a leaf has none.
    depths: Vec<u32>,
    known: HashMap<Rc<[u32]>, Node, FastHash>,
}

impl Graph {
    pub fn new() -> Self {
        let mut graph = Self {
            nodes: Vec::new(),
            depths: Vec::new(),
            known: HashMap::default(),
        };
        graph.add(&[0, 0, 0]);
        graph
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node with these words.
    pub fn add(&mut self, words: &[u32]) -> Node {
        if let Some(node) = self.known.get(words) {
            return *node;
        }
        let (node, words) = (self.nodes.len() as Node, Rc::<[u32]>::from(words));
        self.nodes.push(words.clone());
        let targets = self.references(node).filter(|target| *target < node);
        let depth = targets.map(|target| self.depth(target) + 1).max();
        self.depths.push(depth.unwrap_or(0));
        self.known.insert(words, node);
        node
    }

    /// The leaf of a name; `nth` tells apart several types that one unit has for it.
    pub fn leaf(&mut self, leaf: Leaf, nth: u32) -> Node {
        self.add(&[leaf.name, LEAF << 24 | leaf.code as u32, nth])
    }

    /// A type that consists of another one.
    pub fn of(&mut self, code: Code, name: Name, target: Node) -> Node {
        self.add(&[name, Info::new(code, 0, false).0, target])
    }

    /// The most references to follow from a node: whatever walks the graph recurses as deeply.
    pub fn depth(&self, node: Node) -> u32 {
        self.depths[node as usize]
    }

    /// The words of a node.
    pub fn words(&self, node: Node) -> &[u32] {
        &self.nodes[node as usize]
    }

    /// What a node stands for, if it is a leaf.
    pub fn as_leaf(&self, node: Node) -> Option<Leaf> {
        let words = self.words(node);
        let info = Info(words[1]);
        if info.kind() != LEAF {
            return None;
        }
        let code = row_of(info.count() as u32)?.code;
        Some(Leaf {
            code,
            name: words[0],
        })
    }

    /// The nodes that a node refers to.
    pub fn references(&self, node: Node) -> impl Iterator<Item = Node> {
        let words = self.words(node).iter().zip(meanings(self.words(node)));
        words.filter_map(|(word, meaning)| (meaning == Word::Type).then_some(*word))
    }
}

/// The number of elements behind the first three words; there is room for 65535.
pub fn counted(words: &mut Vec<u32>, each: usize) -> u16 {
    words.truncate(3 + each * usize::from(u16::MAX));
    ((words.len() - 3) / each) as u16
}
