//! Finds import cycles between the files of a crate.
//!
//! Works on the text: `use` of `crate`, `super` and `self`, and paths that begin with `crate::`.
//! The imports of a file's tests are ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::Result;
use crate::files;

/// A module by its path in the crate, `a::b`; the crate root is the empty string.
type Module = String;

/// Every module of a crate with the modules it imports.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The modules on import cycles of the crate below `src`, a line each with its imports.
pub fn cycles(src: &Path) -> Result<Vec<String>> {
    let mut texts = BTreeMap::new();
    for path in files::walk(src, &[])? {
        let name = path.strip_prefix(src).unwrap_or(&path).with_extension("");
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = String::from_utf8_lossy(&files::read(&path)?).into_owned();
            texts.insert(module(&name), text);
        }
    }
    Ok(lines(&prune_acyclic(graph(&texts))))
}

fn module(file: &Path) -> Module {
    let names = file.iter().map(|name| name.to_string_lossy());
    let names: Vec<_> = names.collect();
    let is_folders = names
        .last()
        .is_some_and(|last| ["lib", "main", "mod"].contains(&&**last));
    names[..names.len() - usize::from(is_folders)].join("::")
}

fn graph(texts: &BTreeMap<Module, String>) -> Graph {
    let imports = |(name, text): (&Module, &String)| {
        let paths = paths(&code(text));
        let known = paths.iter().filter_map(|path| resolve(name, path, texts));
        let others = known.filter(|other| other != name && !other.is_empty());
        (name.clone(), others.collect())
    };
    texts.iter().map(imports).collect()
}

/// The code of a file, without its tests and its comments, whose links are no imports.
fn code(text: &str) -> String {
    let tests = "#[cfg(test)]\nmod tests";
    let lines = text.split(tests).next().unwrap_or(text).lines();
    let code = lines.filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// The paths that a text imports, or names in full from `crate::`.
fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for (number, piece) in text.split("use ").enumerate() {
        let (import, behind) = match piece.split_once(';') {
            Some((import, behind)) if number > 0 && is_own(import) => (import, behind),
            _ => ("", piece),
        };
        expand("", import, &mut found);
        rest.push_str(behind);
    }
    let is_outside = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':');
    for path in rest.split("crate::").skip(1) {
        let path = path.split(is_outside).next().unwrap_or_default();
        // The last component is an item, not a module.
        if let Some((path, _)) = path.rsplit_once("::") {
            found.push(format!("crate::{path}"));
        }
    }
    found
}

fn is_own(import: &str) -> bool {
    ["crate::", "super::", "self::"]
        .iter()
        .any(|root| import.starts_with(root))
}

/// Flattens a `use` tree into paths.
fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    match tree.split_once('{') {
        None if tree.is_empty() => {}
        None => found.push(format!("{prefix}{tree}")),
        Some((path, branches)) => {
            let branches = branches.trim_end().trim_end_matches('}');
            let prefix = format!("{prefix}{path}");
            let (mut depth, mut start) = (0, 0);
            for (at, c) in branches.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        expand(&prefix, &branches[start..at], found);
                        start = at + 1;
                    }
                    _ => {}
                }
            }
            expand(&prefix, &branches[start..], found);
        }
    }
}

/// The module that contains or is `path`, relative to the module `from`.
fn resolve(from: &str, path: &str, texts: &BTreeMap<Module, String>) -> Option<Module> {
    let own: Vec<_> = from.split("::").filter(|name| !name.is_empty()).collect();
    let mut names: Vec<_> = Vec::new();
    for name in path.split("::") {
        match name.trim() {
            "crate" => names.clear(),
            "self" if names.is_empty() => names.clone_from(&own),
            "self" => {}
            "super" if names.is_empty() => names = own[..own.len().saturating_sub(1)].to_vec(),
            "super" => _ = names.pop(),
            name => names.push(name.split_whitespace().next().unwrap_or_default()),
        }
    }
    while !names.is_empty() {
        let module = names.join("::");
        if texts.contains_key(&module) {
            return Some(module);
        }
        names.pop();
    }
    None
}

/// Prunes modules without imports and modules nobody imports until none is left. What remains is
/// on a cycle or on a path between cycles.
fn prune_acyclic(mut graph: Graph) -> Graph {
    loop {
        let imported: BTreeSet<_> = graph.values().flatten().cloned().collect();
        let before = graph.len();
        graph.retain(|name, imports| !imports.is_empty() && imported.contains(name));
        let left: BTreeSet<_> = graph.keys().cloned().collect();
        for imports in graph.values_mut() {
            imports.retain(|name| left.contains(name));
        }
        if graph.len() == before {
            return graph;
        }
    }
}

fn lines(graph: &Graph) -> Vec<String> {
    let line = |(name, imports): (&Module, &BTreeSet<Module>)| {
        let imports: Vec<_> = imports.iter().map(String::as_str).collect();
        format!("{name} imports {}", imports.join(", "))
    };
    graph.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let own = |(name, text): &(&str, &str)| (module(Path::new(name)), (*text).to_owned());
        lines(&prune_acyclic(graph(&files.iter().map(own).collect())))
    }

    #[test]
    fn a_cycle_is_found_in_every_syntax() {
        let cycle = ["a imports b", "b imports c", "c imports a"];
        for [ab, bc, ca] in [
            ["use crate::b::B;", "use crate::c::C;", "use crate::a::A;"],
            [
                "use crate::{b::{self, B}};",
                "use super::c::{self, C};",
                "fn f(_: crate::a::A) {}",
            ],
            [
                "use crate::b::{X, y::{Z}};",
                "use crate::c as other;",
                "use crate::{\n    a::{A},\n};",
            ],
        ] {
            let files = [("a", ab), ("b", bc), ("c", ca), ("d", "use crate::a::A;")];
            assert_eq!(found(&files), cycle, "{files:?}");
        }
    }

    #[test]
    fn paths_into_a_cycle_and_tests_do_not_count() {
        assert_eq!(
            found(&[("a", "use crate::b::B;"), ("b", "use core::fmt;")]),
            [""; 0]
        );
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n";
        assert_eq!(found(&[("a", "use crate::b::B;"), ("b", tests)]), [""; 0]);
        assert_eq!(
            found(&[("a/mod", "mod b;"), ("a/b", "use super::A;")]),
            [""; 0]
        );
    }

    #[test]
    fn a_module_and_its_parent_can_form_a_cycle() {
        let files = [
            ("a/mod", "use b::B;\nuse self::b::C;"),
            ("a/b", "use super::A;"),
        ];
        assert_eq!(found(&files), ["a imports a::b", "a::b imports a"]);
    }
}
