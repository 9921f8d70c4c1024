//! `--type`: how types of the kernel are laid out.

use std::fmt::Write as _;
use std::sync::Arc;

use engine_btf::{Btf, Class, Enumerator, Kind, Member, TypeId};
use engine_dlang::kernel::Kernel;
use engine_dlang::nearest;

/// The kernel's own name among its modules.
const VMLINUX: &str = "vmlinux";

/// The deepest nesting of anonymous members.
const DEPTH_MAX: usize = 32;

/// The most members that are listed. Types from a file may contain themselves.
const ROWS_MAX: usize = 1 << 14;

/// Which names each keyword is for; without one, a name is a typedef's or a number's.
const KEYWORDS: [(&str, &[Class]); 4] = [
    ("struct ", &[Class::Struct]),
    ("union ", &[Class::Union]),
    ("enum ", &[Class::Enum]),
    ("", &[Class::Typedef, Class::Base]),
];

/// A type as it is written: ``struct module`tag.member.member``.
struct Spelt<'s> {
    keyword: &'static str,
    classes: &'static [Class],
    module: Option<&'s str>,
    name: &'s str,
    /// The names of members.
    path: Option<&'s str>,
}

impl<'s> Spelt<'s> {
    fn read(text: &'s str) -> Self {
        let text = text.trim();
        let mut keywords = KEYWORDS.iter();
        let found = keywords.find_map(|row| Some((row, text.strip_prefix(row.0)?)));
        // The last keyword is empty.
        let ((keyword, classes), rest) = found.unwrap_or((&KEYWORDS[3], text));
        let (scoped, path) = match rest.split_once('.') {
            Some((scoped, path)) => (scoped, Some(path)),
            None => (rest, None),
        };
        let (module, name) = match scoped.split_once('`') {
            Some((module, name)) => (Some(module), name),
            None => (None, scoped),
        };
        Self {
            keyword,
            classes,
            module: module
                .map(str::trim)
                .filter(|it| ![VMLINUX, ""].contains(it)),
            name: name.trim(),
            path,
        }
    }

    /// The type in these types.
    fn named(&self, btf: &Btf<'_>) -> Option<TypeId> {
        let mut classes = self.classes.iter();
        classes.find_map(|class| btf.named(*class, self.name))
    }
}

/// The lines that describe a type, or a member of it.
pub fn describe(kernel: &dyn Kernel, text: &str) -> Result<String, String> {
    let spelt = Spelt::read(text);
    if spelt.name.is_empty() {
        return Err("the name of a type is missing".into());
    }
    let types = kernel.types(spelt.module)?;
    let (btf, id) = find(kernel, types, &spelt)?;
    let layout = Layout {
        pointer: btf.pointer_size().unwrap_or(size_of::<usize>() as u32),
        btf: &btf,
    };
    match spelt.path {
        None => Ok(layout.whole(text.trim(), id)),
        Some(path) => layout.member(id, path),
    }
}

/// As in D, a tag that the kernel itself does not have is looked for in its modules.
fn find(
    kernel: &dyn Kernel,
    types: Arc<Btf<'static>>,
    spelt: &Spelt<'_>,
) -> Result<(Arc<Btf<'static>>, TypeId), String> {
    if let Some(id) = spelt.named(&types) {
        return Ok((types, id));
    }
    if spelt.module.is_none() && !spelt.keyword.is_empty() {
        for module in kernel.modules() {
            if let Ok(own) = kernel.types(Some(&module))
                && let Some(id) = spelt.named(&own)
            {
                return Ok((own, id));
            }
        }
    }
    let known = format!("there is no type {}{}", spelt.keyword, spelt.name);
    Err(match alike(&types, spelt) {
        Some(alike) => format!("{known}: did you mean {alike}?"),
        None => known,
    })
}

/// The type that may be meant: of this name with another keyword, or one with a name like it.
fn alike(btf: &Btf<'_>, spelt: &Spelt<'_>) -> Option<String> {
    let others = KEYWORDS.iter().find(|(_, classes)| {
        let mut classes = classes.iter();
        classes.any(|class| btf.named(*class, spelt.name).is_some())
    });
    if let Some((keyword, _)) = others {
        return Some(format!("{keyword}{}", spelt.name));
    }
    let bases = std::iter::successors(Some(btf), |btf| btf.base().map(|base| &**base));
    let types = bases.flat_map(|btf| btf.own_ids().filter_map(|id| btf.get(id).ok()));
    let names = types.filter_map(|it| {
        let is_alike = match it.kind {
            Kind::Struct { .. } => spelt.classes.contains(&Class::Struct),
            Kind::Union { .. } => spelt.classes.contains(&Class::Union),
            Kind::Enum { .. } | Kind::Enum64 { .. } => spelt.classes.contains(&Class::Enum),
            Kind::Typedef(_) => spelt.classes.contains(&Class::Typedef),
            _ => false,
        };
        is_alike.then_some(it.name)
    });
    let name = nearest(spelt.name, names)?;
    Some(format!("{}{name}", spelt.keyword))
}

/// Types with the size of their pointers.
struct Layout<'b> {
    btf: &'b Btf<'static>,
    pointer: u32,
}

/// A line about a member.
struct Row {
    bit_offset: u64,
    bit_size: u8,
    /// Its name, behind two spaces for each anonymous member that it is in.
    name: String,
    target: TypeId,
}

impl Layout<'_> {
    /// A type with all that it consists of.
    fn whole(&self, name: &str, id: TypeId) -> String {
        let mut text = format!("{name}: {}", self.size(id));
        let behind = self.btf.resolve(id).ok();
        if let Some(behind) = behind.filter(|it| it.id != id) {
            let _ = write!(text, ", {}", self.btf.declaration(behind.id, ""));
        }
        text.push('\n');
        match behind.map(|it| it.kind) {
            Some(Kind::Struct { members, .. } | Kind::Union { members, .. }) => {
                let mut rows = Vec::new();
                self.rows(members, 0, 0, &mut rows);
                text += &self.table(&rows);
            }
            Some(Kind::Enum { values, .. } | Kind::Enum64 { values, .. }) => {
                for Enumerator { name, value } in values {
                    let _ = writeln!(text, "{value:>9} {name}");
                }
            }
            _ => {}
        }
        text
    }

    /// The members, and those of anonymous ones below them.
    fn rows<'m>(
        &self,
        members: impl Iterator<Item = Member<'m>>,
        outer: u64,
        depth: usize,
        rows: &mut Vec<Row>,
    ) {
        for member in members {
            if rows.len() == ROWS_MAX {
                return;
            }
            let inner = self.btf.members(member.target);
            let is_anonymous = member.name.is_empty() && inner.is_ok();
            let bit_offset = outer + u64::from(member.bit_offset);
            let name = if is_anonymous { "-" } else { member.name };
            rows.push(Row {
                bit_offset,
                bit_size: member.bit_size,
                name: format!("{:1$}{name}", "", 2 * depth),
                target: member.target,
            });
            if let (true, Ok(inner)) = (is_anonymous && depth < DEPTH_MAX, inner) {
                self.rows(inner, bit_offset, depth + 1, rows);
            }
        }
    }

    /// A member by its path.
    fn member(&self, id: TypeId, path: &str) -> Result<String, String> {
        let (mut outer, mut offset, mut bit_size) = (id, 0, 0);
        for name in path.split('.').map(str::trim) {
            let spelt = self.btf.declaration(outer, "");
            let found = self.btf.member(outer, name);
            let found = found.map_err(|_| format!("{spelt} has no members"))?;
            let found = found.ok_or_else(|| self.no_member(outer, &spelt, name))?;
            offset += found.bit_offset;
            (outer, bit_size) = (found.target, found.bit_size);
        }
        Ok(self.table(&[Row {
            bit_offset: offset,
            bit_size,
            name: path.to_owned(),
            target: outer,
        }]))
    }

    fn no_member(&self, id: TypeId, spelt: &str, name: &str) -> String {
        if name.is_empty() {
            return "the name of a member is missing".into();
        }
        let mut rows = Vec::new();
        if let Ok(members) = self.btf.members(id) {
            self.rows(members, 0, 0, &mut rows);
        }
        let known = format!("{name} is not a member of {spelt}");
        match nearest(name, rows.iter().map(|row| row.name.trim_start())) {
            Some(alike) => format!("{known}: did you mean {alike}?"),
            None => known,
        }
    }

    fn table(&self, rows: &[Row]) -> String {
        let width = rows.iter().map(|row| row.name.len()).max();
        let width = width.unwrap_or(0).max(4);
        let mut text = format!("   OFFSET       SIZE {:<width$} TYPE\n", "NAME");
        for row in rows {
            let (byte, bit) = (row.bit_offset / 8, row.bit_offset % 8);
            let (offset, size) = match row.bit_size {
                0 => (byte.to_string(), self.size(row.target)),
                bits => (format!("{byte}:{bit}"), counted(bits.into(), "bit")),
            };
            let type_ = self.btf.declaration(row.target, "");
            let name = &row.name;
            let _ = writeln!(text, "{offset:>9} {size:>10} {name:<width$} {type_}");
        }
        text
    }

    fn size(&self, id: TypeId) -> String {
        match self.btf.size_of(id, self.pointer) {
            Ok(bytes) => counted(bytes, "byte"),
            Err(_) => "no size".to_owned(),
        }
    }
}

fn counted(number: u64, unit: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

#[cfg(test)]
mod tests;
