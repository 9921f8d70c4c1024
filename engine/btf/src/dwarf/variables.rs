//! Functions, and variables with their places.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::dwarf::counts::Counts;
use crate::dwarf::elf::Image;
use crate::dwarf::emit::Emitter;
use crate::dwarf::strings::{Name, Strings};
use crate::dwarf::unit::{Extent, UnitTypes};
use crate::format::{Code, Info};
use crate::id::TypeId;
use crate::kind::Linkage;
use crate::tags::BUILD_ID;

/// The most entries of one section. Several may have one name.
const MOST_ENTRIES: usize = u16::MAX as usize;

/// What `EXPORT_SYMBOL` makes: three fifths of a kernel's variables, which no program reads.
const EXPORTS: [&str; 2] = ["__ksymtab_", "__kstrtab"];

/// Offset, variable, size: sorted as sections have to be.
type Entry = (u32, TypeId, u32);

/// Adds them, and the build-id.
pub fn add<'d>(
    emitter: &mut Emitter<'_>,
    units: &[UnitTypes],
    image: &Image<'d>,
    strings: &mut Strings<'d>,
    counts: &mut Counts,
) {
    add_functions(emitter, units, image, strings, counts);
    for (name, mut entries) in variables(emitter, units, image, strings, counts) {
        entries.sort_unstable();
        let name = strings.own(name);
        for entries in entries.chunks(MOST_ENTRIES) {
            emitter.push(section(name, entries));
        }
    }
    if let Some(id) = image.build_id() {
        let digits = id.iter().map(|byte| format!("{byte:02x}"));
        let text = strings.own(format!("{BUILD_ID}{}", digits.collect::<String>()));
        if let Some(target) = emitter.taggable() {
            let info = Info::new(Code::DeclTag, 0, false).0;
            emitter.push(Box::new([text, info, target.0, u32::MAX]));
        }
    }
}

fn add_functions<'d>(
    emitter: &mut Emitter<'_>,
    units: &[UnitTypes],
    image: &Image<'d>,
    strings: &Strings<'d>,
    counts: &mut Counts,
) {
    let functions = || units.iter().map(|unit| unit.functions.iter());
    let mut best: HashMap<Name, Extent> = HashMap::new();
    for function in functions().flatten() {
        let extent = best.entry(function.name).or_insert(function.extent);
        *extent = function.extent.max(*extent);
    }
    let mut seen = HashSet::new();
    for (number, functions) in functions().enumerate() {
        for function in functions {
            let name = strings.text(function.name).as_bytes();
            // Less than the best is for other functions of the name, or is not there at all.
            let is_there = best.get(&function.name) == Some(&function.extent)
                && match function.extent {
                    Extent::Placed => image.has_function(name, function.address),
                    Extent::Defined | Extent::Declared => image.has_symbol(name),
                };
            if is_there {
                let prototype = emitter.id(function.prototype, number);
                // Kernels' own BTF has no linkage either, so that equal functions are equal.
                let info = Info::new(Code::Function, 0, false).0;
                let id = emitter.record(Box::new([function.name, info, prototype.0]));
                counts.functions += usize::from(seen.insert(id));
            }
        }
    }
}

/// All variables, by what their offsets count from.
fn variables<'d>(
    emitter: &mut Emitter<'_>,
    units: &[UnitTypes],
    image: &Image<'d>,
    strings: &Strings<'d>,
    counts: &mut Counts,
) -> BTreeMap<String, Vec<Entry>> {
    let mut sections: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    let mut seen = HashSet::new();
    let defined = defined(units);
    for (number, unit) in units.iter().enumerate() {
        for variable in &unit.variables {
            let name = strings.text(variable.name);
            // A declaration is for what no unit defines: assembly, and the linker's symbols.
            let is_elsewhere = variable.address.is_none() && defined.contains(&variable.name);
            if is_elsewhere || EXPORTS.iter().any(|prefix| name.starts_with(prefix)) {
                continue;
            }
            let address = image.address_of_data(name.as_bytes(), variable.address);
            if !seen.insert((variable.name, address)) {
                continue;
            }
            let Some((origin, offset)) = address.and_then(|address| image.place(address)) else {
                counts.lost += 1;
                continue;
            };
            let target = emitter.id(variable.target, number);
            let info = Info::new(Code::Variable, 0, false).0;
            let words = [variable.name, info, target.0, variable.linkage.number()];
            let id = emitter.push(Box::new(words));
            let size = u32::try_from(variable.size).unwrap_or(0);
            let entries = sections.entry(origin.to_owned()).or_default();
            entries.push((offset, id, size));
            counts.variables += 1;
        }
    }
    sections
}

/// The names of global variables that some unit defines.
fn defined(units: &[UnitTypes]) -> HashSet<Name> {
    let variables = units.iter().flat_map(|unit| &unit.variables);
    let defined = variables.filter(|variable| variable.address.is_some());
    let defined = defined.filter(|variable| variable.linkage == Linkage::Global);
    defined.map(|variable| variable.name).collect()
}

/// A section with sorted entries.
fn section(name: Name, entries: &[Entry]) -> Box<[u32]> {
    let ends = entries.iter();
    let ends = ends.map(|(offset, _, size)| offset.saturating_add(*size));
    let info = Info::new(Code::Section, entries.len() as u16, false).0;
    let head = [name, info, ends.max().unwrap_or(0)];
    let entries = entries.iter();
    let words = entries.flat_map(|(offset, id, size)| [id.0, *offset, *size]);
    head.into_iter().chain(words).collect()
}
