//! Which definitions of a name are the same type.
//!
//! Two units can have a `struct a` each that are written alike, but contain a `struct b` that is
//! not. Then there are two of `struct a`, too. This is found by refinement: at first, definitions
//! are one *class* if they are the same node. Then each class is split by what the leaves in it
//! stand for, as long as there is something to split. Only leaves with several classes matter, of
//! which a kernel has about twenty among ten thousand.
//!
//! A unit that only declares `struct b` does not say which of several it means. Its `struct a` is
//! then taken for the first class that it can be: one that differs at most in what it does not say.

use std::collections::HashMap;

use crate::dwarf::graph::{Graph, Node};
use crate::dwarf::hash::FastHash;
use crate::dwarf::unit::UnitTypes;

/// The number of a class.
pub type Class = u32;

/// The classes of all definitions.
#[derive(Debug)]
pub struct Classes {
    /// Of each unit, the class of each definition.
    units: Vec<Vec<Class>>,
    /// Of each class, its unit and the number of its definition there.
    pub members: Vec<(usize, usize)>,
    /// Of each leaf, its first class.
    first: HashMap<Node, Class, FastHash>,
    /// Leaves with several classes.
    ambiguous: HashMap<Node, (), FastHash>,
    /// The ambiguous leaves that a node refers to, directly or through others.
    reached: HashMap<Node, Box<[Node]>, FastHash>,
}

/// The most rounds of refinement, each of which goes one reference further.
const MOST_ROUNDS: usize = 64;

/// One of the types that a definition is, by the classes of its ambiguous leaves as far as its
/// units tell.
#[derive(Debug)]
struct Variant {
    key: Vec<Option<Class>>,
    class: Option<Class>,
}

/// By leaf and definition.
type Variants = HashMap<(Node, Node), Vec<Variant>, FastHash>;

impl Classes {
    /// Finds them.
    pub fn find(graph: &Graph, units: &[UnitTypes]) -> Self {
        let mut classes = Self {
            units: Vec::new(),
            members: Vec::new(),
            first: HashMap::default(),
            ambiguous: HashMap::default(),
            reached: HashMap::default(),
        };
        for _ in 0..MOST_ROUNDS {
            let before = classes.members.len();
            classes.refine(graph, units);
            if classes.members.len() == before {
                break;
            }
        }
        classes
    }

    /// The class of a leaf in a unit; the second is whether the unit itself defines it.
    pub fn of(&self, units: &[UnitTypes], unit: usize, leaf: Node) -> Option<(Class, bool)> {
        let definitions = &units[unit].definitions;
        let own = definitions.binary_search_by_key(&leaf, |(leaf, _)| *leaf);
        let classes = self.units.get(unit);
        match (own, classes) {
            (Ok(at), Some(classes)) => Some((classes[at], true)),
            _ => self.first.get(&leaf).map(|class| (*class, false)),
        }
    }

    /// Whether a leaf has several classes.
    pub fn is_ambiguous(&self, leaf: Node) -> bool {
        self.ambiguous.contains_key(&leaf)
    }

    /// Whether a node means different things in different units.
    pub fn depends(&mut self, graph: &Graph, node: Node) -> bool {
        !self.reach(graph, node).is_empty()
    }

    /// Splits each class by the classes of what it refers to.
    fn refine(&mut self, graph: &Graph, units: &[UnitTypes]) {
        let mut variants = self.whole_variants(graph, units);
        let (mut members, mut told) = (Vec::new(), Vec::new());
        let mut refined = Vec::with_capacity(units.len());
        for (number, unit) in units.iter().enumerate() {
            let definitions = unit.definitions.iter().enumerate();
            let classes = definitions.map(|(at, (leaf, shape))| {
                let key = self.key(graph, units, number, *shape);
                let own = key.iter().flatten().count();
                let next = members.len() as Class;
                let class = class_of(variants.entry((*leaf, *shape)).or_default(), key, next);
                // The unit that defines most of them itself says best what they are.
                if class == next {
                    members.push((number, at));
                    told.push(own);
                } else if told[class as usize] < own {
                    members[class as usize] = (number, at);
                    told[class as usize] = own;
                }
                class
            });
            refined.push(classes.collect());
        }
        self.units = refined;
        self.members = members;
        self.name(units);
    }

    /// The variants of which some unit tells everything.
    fn whole_variants(&mut self, graph: &Graph, units: &[UnitTypes]) -> Variants {
        let mut variants = Variants::default();
        for (number, unit) in units.iter().enumerate() {
            for (leaf, shape) in &unit.definitions {
                let key = self.key(graph, units, number, *shape);
                let known = variants.entry((*leaf, *shape)).or_default();
                if key.iter().all(Option::is_some) && known.iter().all(|known| known.key != key) {
                    known.push(Variant { key, class: None });
                }
            }
        }
        variants
    }

    /// The classes that the ambiguous leaves in a definition have in a unit.
    fn key(
        &mut self,
        graph: &Graph,
        units: &[UnitTypes],
        unit: usize,
        shape: Node,
    ) -> Vec<Option<Class>> {
        let reached = self.reach(graph, shape);
        let own = |(class, is_own): (Class, bool)| is_own.then_some(class);
        let classes = reached.iter().map(|leaf| self.of(units, unit, *leaf));
        classes.map(|found| found.and_then(own)).collect()
    }

    /// Notes the first class of each leaf, and the leaves with several.
    fn name(&mut self, units: &[UnitTypes]) {
        let before = self.ambiguous.len();
        self.first.clear();
        for (unit, classes) in units.iter().zip(&self.units) {
            for ((leaf, _), class) in unit.definitions.iter().zip(classes) {
                if self.first.entry(*leaf).or_insert(*class) != class {
                    self.ambiguous.insert(*leaf, ());
                }
            }
        }
        if self.ambiguous.len() != before {
            self.reached.clear();
        }
    }

    fn reach(&mut self, graph: &Graph, node: Node) -> Box<[Node]> {
        if let Some(found) = self.reached.get(&node) {
            return found.clone();
        }
        let mut found = Vec::new();
        if graph.as_leaf(node).is_some() {
            found.extend(self.is_ambiguous(node).then_some(node));
        } else {
            for target in graph.references(node).collect::<Vec<_>>() {
                found.extend(self.reach(graph, target));
            }
            found.sort_unstable();
            found.dedup();
        }
        let found = found.into_boxed_slice();
        self.reached.insert(node, found.clone());
        found
    }
}

/// The class of the first variant that a key fits to, or a new one.
fn class_of(variants: &mut Vec<Variant>, key: Vec<Option<Class>>, next: Class) -> Class {
    let fits = |variant: &&mut Variant| {
        let mut pairs = variant.key.iter().zip(&key);
        pairs.all(|(one, other)| one.is_none() || other.is_none() || one == other)
    };
    if let Some(variant) = variants.iter_mut().find(fits) {
        let pairs = variant.key.iter_mut().zip(key);
        pairs.for_each(|(known, told)| *known = known.or(told));
        return *variant.class.get_or_insert(next);
    }
    variants.push(Variant {
        key,
        class: Some(next),
    });
    next
}
