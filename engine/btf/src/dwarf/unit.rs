//! The types, functions and variables of one unit, as nodes of the graph.

use gimli::constants as dw;

use crate::dwarf::definitions::{Nth, code_of, is_definition, number_definitions};
use crate::dwarf::die::{Die, Dies, NONE};
use crate::dwarf::error::Fault;
use crate::dwarf::graph::{Graph, Leaf, Node, VOID, counted};
use crate::dwarf::strings::Name;
use crate::format::{Code, Info};
use crate::kind::Linkage;

/// The deepest nesting of types. Real ones have about ten levels; one that leads back to itself
/// has no end.
const DEEPEST: u32 = 100;
/// The most origins that are followed from one entry to the one that has a name.
const MOST_ORIGINS: usize = 8;

/// What a unit has.
#[derive(Debug, Default)]
pub struct UnitTypes {
    /// Leaves, and what they stand for here.
    pub definitions: Vec<(Node, Node)>,
    /// Typedefs, the compiler's own types, and enumerations without a name.
    pub roots: Vec<Node>,
    pub functions: Vec<Function>,
    pub variables: Vec<Variable>,
}

/// How much of a function a unit has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// A declaration.
    Declared,
    /// A definition without an address: inlined, or its code is another function's, too.
    Defined,
    /// A definition with an address.
    Placed,
}

/// A function.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    pub name: Name,
    pub prototype: Node,
    pub extent: Extent,
    pub address: Option<u64>,
}

/// A variable of the file.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    pub name: Name,
    pub target: Node,
    pub linkage: Linkage,
    /// None if it is defined elsewhere, perhaps by no unit at all.
    pub address: Option<u64>,
    pub size: u64,
}

/// Makes nodes of entries.
#[derive(Debug)]
pub struct Maker<'a> {
    pub(super) dies: &'a Dies,
    pub(super) graph: &'a mut Graph,
    /// The node of each entry, once it is known.
    made: Vec<Option<Node>>,
    nth: Nth,
    depth: u32,
    /// The size of an address, and so of a pointer.
    pub(super) address_size: u8,
    pub(super) is_big: bool,
}

impl<'a> Maker<'a> {
    pub fn new(dies: &'a Dies, graph: &'a mut Graph, address_size: u8, is_big: bool) -> Self {
        Self {
            made: vec![None; dies.all.len()],
            nth: number_definitions(dies),
            dies,
            graph,
            depth: 0,
            address_size,
            is_big,
        }
    }

    /// Everything of the unit.
    pub fn make(mut self) -> Result<UnitTypes, Fault> {
        let mut unit = UnitTypes::default();
        for (index, die) in (0..).zip(&self.dies.all) {
            match die.tag {
                dw::DW_TAG_typedef | dw::DW_TAG_base_type => unit.roots.push(self.node(index)?),
                dw::DW_TAG_enumeration_type if die.name == 0 => unit.roots.push(self.node(index)?),
                dw::DW_TAG_subprogram => unit.functions.extend(self.function(die)?),
                dw::DW_TAG_variable => unit.variables.extend(self.variable(die)?),
                _ => {}
            }
            if is_definition(die) {
                let leaf = self.node(index)?;
                unit.definitions.push((leaf, self.definition(die)?));
            }
        }
        // Lookups go by leaf.
        unit.definitions.sort_unstable();
        unit.definitions.dedup_by_key(|(leaf, _)| *leaf);
        Ok(unit)
    }

    /// The node of the type at an offset of the unit; 0 is `void`'s.
    pub(super) fn target(&mut self, offset: u32) -> Result<Node, Fault> {
        if offset == 0 {
            return Ok(VOID);
        }
        let index = self.dies.at(offset);
        self.node(index.ok_or((offset, "refers to no type of its unit"))?)
    }

    fn node(&mut self, index: u32) -> Result<Node, Fault> {
        if let Some(node) = self.made[index as usize] {
            return Ok(node);
        }
        let dies = self.dies;
        let die = &dies.all[index as usize];
        let too_deep = (die.offset, "is nested too deeply, or in itself");
        if self.depth == DEEPEST {
            return Err(too_deep);
        }
        self.depth += 1;
        let node = self.fresh(index, die)?;
        self.depth -= 1;
        // What it consists of may have been made one by one, each no deeper than the one before.
        if self.graph.depth(node) > DEEPEST {
            return Err(too_deep);
        }
        self.made[index as usize] = Some(node);
        Ok(node)
    }

    fn fresh(&mut self, index: u32, die: &Die) -> Result<Node, Fault> {
        let of = |maker: &mut Self, code| {
            let target = maker.target(die.target)?;
            Ok(maker.graph.of(code, 0, target))
        };
        match die.tag {
            dw::DW_TAG_base_type => Ok(self.base(die)),
            dw::DW_TAG_unspecified_type => Ok(VOID),
            dw::DW_TAG_pointer_type
            | dw::DW_TAG_reference_type
            | dw::DW_TAG_rvalue_reference_type => of(self, Code::Pointer),
            dw::DW_TAG_const_type => of(self, Code::Const),
            dw::DW_TAG_volatile_type => of(self, Code::Volatile),
            dw::DW_TAG_restrict_type => of(self, Code::Restrict),
            dw::DW_TAG_atomic_type => self.target(die.target),
            dw::DW_TAG_typedef => {
                let target = self.target(die.target)?;
                Ok(self.graph.of(Code::Typedef, die.name, target))
            }
            dw::DW_TAG_array_type => self.array(die),
            dw::DW_TAG_subroutine_type => self.prototype(die, die.target),
            _ => {
                let Some(code) = code_of(die) else {
                    return Err((die.offset, "is used as a type, and is none"));
                };
                let name = die.name;
                match (name, die.is_declaration) {
                    (0, true) => Ok(VOID),
                    (0, false) => self.definition(die),
                    _ => {
                        let nth = self.nth.get(&index).copied().unwrap_or(0);
                        Ok(self.graph.leaf(Leaf { code, name }, nth))
                    }
                }
            }
        }
    }

    fn function(&mut self, die: &Die) -> Result<Option<Function>, Fault> {
        let extent = match (die.has_code, die.is_declaration) {
            (true, _) => Extent::Placed,
            (false, false) => Extent::Defined,
            (false, true) if die.is_external => Extent::Declared,
            _ => return Ok(None),
        };
        let dies = self.dies;
        let named = self.named(die);
        // An inlined function's own entry has all parameters; the code made of it need not.
        let has_all = [named, die].into_iter().find(|die| die.first != NONE);
        let has_all = has_all.filter(|die| dies.children(die).next().is_some());
        let prototype = self.prototype(has_all.unwrap_or(die), named.target)?;
        Ok((named.name != 0).then_some(Function {
            name: named.name,
            prototype,
            extent,
            address: die.address,
        }))
    }

    fn variable(&mut self, die: &Die) -> Result<Option<Variable>, Fault> {
        let named = self.named(die);
        let is_placed = die.address.is_some();
        if named.name == 0 || !(is_placed || die.is_declaration && die.is_external) {
            return Ok(None);
        }
        // The size of an array is in the definition, if in any of both.
        let target = if die.target == 0 {
            named.target
        } else {
            die.target
        };
        Ok(Some(Variable {
            name: named.name,
            target: self.target(target)?,
            linkage: linkage(named.is_external || die.is_external),
            address: die.address,
            size: self.size_at(target, 0),
        }))
    }

    /// The entry that has the name.
    fn named(&self, die: &'a Die) -> &'a Die {
        let dies = self.dies;
        let origin = |die: &&Die| dies.get(dies.at(die.origin)?);
        let chain = std::iter::successors(Some(die), origin).take(MOST_ORIGINS);
        chain.clone().find(|die| die.name != 0).unwrap_or(die)
    }

    fn prototype(&mut self, die: &Die, returns: u32) -> Result<Node, Fault> {
        let dies = self.dies;
        let mut words = vec![0, 0, self.target(returns)?];
        for child in dies.children(die) {
            match child.tag {
                dw::DW_TAG_formal_parameter => {
                    let named = self.named(child);
                    words.extend([named.name, self.target(named.target)?]);
                }
                // The sign of a variadic function is a parameter without name and type.
                dw::DW_TAG_unspecified_parameters => words.extend([0, VOID]),
                _ => {}
            }
        }
        let count = counted(&mut words, 2);
        words[1] = Info::new(Code::Prototype, count, false).0;
        Ok(self.graph.add(&words))
    }

    /// Arrays of arrays, the last dimension innermost.
    fn array(&mut self, die: &Die) -> Result<Node, Fault> {
        let dies = self.dies;
        let mut node = self.target(die.target)?;
        let ranges: Vec<&Die> = ranges(dies, die).collect();
        for range in ranges.iter().rev() {
            let index = self.target(range.target)?;
            let count = u32::try_from(range.count.unwrap_or(0)).unwrap_or(0);
            let info = Info::new(Code::Array, 0, false).0;
            node = self.graph.add(&[0, info, 0, node, index, count]);
        }
        Ok(node)
    }

    /// The size of the type at an offset, as far as entries tell it.
    pub(super) fn size_at(&self, offset: u32, depth: u32) -> u64 {
        let found = self.dies.at(offset).and_then(|index| self.dies.get(index));
        let Some(die) = found.filter(|_| depth < DEEPEST) else {
            return 0;
        };
        match die.tag {
            _ if die.size != 0 => die.size,
            dw::DW_TAG_pointer_type => self.address_size.into(),
            dw::DW_TAG_array_type => {
                let ranges = ranges(self.dies, die).map(|range| range.count.unwrap_or(0));
                let count = ranges.fold(1, u64::saturating_mul);
                count.saturating_mul(self.size_at(die.target, depth + 1))
            }
            _ => self.size_at(die.target, depth + 1),
        }
    }
}

/// The dimensions of an array.
fn ranges<'a>(dies: &'a Dies, array: &Die) -> impl Iterator<Item = &'a Die> {
    let children = dies.children(array);
    children.filter(|child| child.tag == dw::DW_TAG_subrange_type)
}

fn linkage(is_external: bool) -> Linkage {
    if is_external {
        Linkage::Global
    } else {
        Linkage::Static
    }
}
