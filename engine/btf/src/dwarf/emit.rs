//! From nodes and classes to the types of a BTF.
//!
//! The IDs of classes come first, in the order of units, so that each type can refer to them at
//! once. All other types are made when they are first referred to, and again interned by their
//! content: what depends on the unit (`classes.rs`) becomes one type for each meaning.

use std::collections::HashMap;

use crate::btf::Btf;
use crate::dwarf::classes::{Class, Classes};
use crate::dwarf::graph::{Graph, Leaf, Node, VOID};
use crate::dwarf::hash::FastHash;
use crate::dwarf::strings::Strings;
use crate::dwarf::unit::UnitTypes;
use crate::format::{Code, Info, Word, row_of};
use crate::id::TypeId;
use crate::words::meanings;
use crate::write::Builder;

type Known = HashMap<Box<[u32]>, TypeId, FastHash>;

/// Makes types, in the order of their IDs.
#[derive(Debug)]
pub struct Emitter<'a> {
    graph: &'a Graph,
    units: &'a [UnitTypes],
    classes: Classes,
    class_ids: Vec<TypeId>,
    /// The types of nodes that mean the same in each unit.
    ids: Vec<Option<TypeId>>,
    known: Known,
    /// The words of types, with numbers of names.
    records: Vec<Box<[u32]>>,
    first: u32,
}

impl<'a> Emitter<'a> {
    /// Reserves the IDs of classes. What `base` has already is not made again.
    pub fn new<'d>(
        graph: &'a Graph,
        units: &'a [UnitTypes],
        base: Option<&'d Btf<'d>>,
        strings: &mut Strings<'d>,
    ) -> Self {
        let classes = Classes::find(graph, units);
        let mut emitter = Self {
            graph,
            units,
            classes,
            class_ids: Vec::new(),
            ids: vec![None; graph.len()],
            known: Known::default(),
            records: Vec::new(),
            first: base.map_or(1, |base| base.count()),
        };
        let outlines = base.map(|base| emitter.know(base, strings));
        emitter.reserve(&outlines.unwrap_or_default());
        emitter
    }

    /// Makes the types of all definitions.
    pub fn definitions(&mut self) {
        for (class, (unit, at)) in self.classes.members.clone().into_iter().enumerate() {
            let own = self.class_ids[class].0.checked_sub(self.first);
            if let Some(own) = own {
                let (_, shape) = self.units[unit].definitions[at];
                self.records[own as usize] = self.mapped(shape, unit);
            }
        }
    }

    /// The type of a node, as a unit means it.
    pub fn id(&mut self, node: Node, unit: usize) -> TypeId {
        if node == VOID {
            return TypeId::VOID;
        }
        if let Some(leaf) = self.graph.as_leaf(node) {
            return self.leaf(node, leaf, unit);
        }
        if let Some(id) = self.ids[node as usize] {
            return id;
        }
        let words = self.mapped(node, unit);
        let id = self.record(words);
        if !self.classes.depends(self.graph, node) {
            self.ids[node as usize] = Some(id);
        }
        id
    }

    /// The type with these words, made if there is none.
    pub fn record(&mut self, words: Box<[u32]>) -> TypeId {
        if let Some(id) = self.known.get(&words) {
            return *id;
        }
        let id = self.push(words.clone());
        self.known.insert(words, id);
        id
    }

    /// A type of its own, though there may be another with the same words.
    pub fn push(&mut self, words: Box<[u32]>) -> TypeId {
        let id = TypeId(self.first.saturating_add(self.records.len() as u32));
        self.records.push(words);
        id
    }

    /// The first type that a tag can be attached to.
    pub fn taggable(&self) -> Option<TypeId> {
        let is_taggable = |words: &[u32]| {
            let row = row_of(Info(words[1]).kind());
            let code = row.map(|row| row.code);
            matches!(
                code,
                Some(Code::Struct | Code::Union | Code::Typedef | Code::Variable)
            )
        };
        let found = self.records.iter().position(|words| is_taggable(words));
        found.map(|at| TypeId(self.first + at as u32))
    }

    /// Writes all of them.
    pub fn write(self, builder: &mut Builder<'_>, strings: &Strings<'_>) {
        for words in &self.records {
            builder.record(words, |name| strings.text(name));
        }
    }

    fn mapped(&mut self, node: Node, unit: usize) -> Box<[u32]> {
        let words = self.graph.words(node);
        let mapped = words.iter().zip(meanings(words));
        let mapped = mapped.map(|(word, meaning)| match meaning {
            Word::Type => self.id(*word, unit).0,
            Word::Name | Word::Plain => *word,
        });
        mapped.collect()
    }

    fn leaf(&mut self, node: Node, leaf: Leaf, unit: usize) -> TypeId {
        let found = self.classes.of(self.units, unit, node);
        if let Some((class, is_own)) = found
            && (is_own || !self.classes.is_ambiguous(node))
        {
            return self.class_ids[class as usize];
        }
        let (info, third) = match leaf.code {
            // There is no other declaration of one than one without values.
            Code::Enum => (Info::new(Code::Enum, 0, false), 4),
            code => (Info::new(Code::Forward, 0, code == Code::Union), 0),
        };
        self.record(Box::new([leaf.name, info.0, third]))
    }

    fn reserve(&mut self, outlines: &Known) {
        for class in 0..self.classes.members.len() as Class {
            let (unit, at) = self.classes.members[class as usize];
            let (_, shape) = self.units[unit].definitions[at];
            let known = if outlines.is_empty() {
                None
            } else {
                outlines.get(&outline(self.graph.words(shape)))
            };
            let id = known.copied().unwrap_or_else(|| self.push(Box::default()));
            self.class_ids.push(id);
        }
    }

    /// Notes all types of another BTF, and returns the outlines of its structs.
    fn know<'d>(&mut self, base: &'d Btf<'d>, strings: &mut Strings<'d>) -> Known {
        let mut outlines = Known::default();
        for id in (1..base.count()).map(TypeId) {
            let Some(words) = base.record(id, |name| strings.number(name)) else {
                continue;
            };
            if matches!(Info(words[1]).kind(), 4..=6 | 19) && words[0] != 0 {
                outlines.entry(outline(&words)).or_insert(id);
            }
            self.known.entry(words).or_insert(id);
        }
        outlines
    }
}

/// A type without the types in it.
fn outline(words: &[u32]) -> Box<[u32]> {
    let words = words.iter().zip(meanings(words));
    let words = words.map(|(word, meaning)| match meaning {
        Word::Type => 0,
        Word::Name | Word::Plain => *word,
    });
    words.collect()
}
