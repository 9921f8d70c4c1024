//! Types of the kernel: read from its BTF when a program names them.
//!
//! A structure is imported without its members, which are read when one of them is looked up; so
//! the types that a program does not use cost nothing.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use engine_btf::{Btf, Class, Int, Kind, List, Member as KernelMember, TypeId as KernelId};

use super::alignment;
use super::structure::{Definition, Layout, Member, Origin, Values};
use super::{
    CHAR, DOUBLE, FLOAT, FUNCTION, Family, INT, LONG, LONGLONG, Type, TypeId, Types, UCHAR, UINT,
    ULONG, ULONGLONG, USHORT, VOID,
};
use crate::kernel::Kernel;
use crate::types::{Bits, SCHAR, SHORT};

/// The deepest nesting of pointers, arrays and typedefs. The kernel's own is below ten.
const DEPTH_MAX: u32 = 64;

/// The name of the kernel's own types in `vmlinux`type`.
pub(crate) const VMLINUX: &str = "vmlinux";

/// The source of variables that the kernel's own types do not have. No module has this name.
const VARIABLES: &str = "`";

/// The kernel's types that have been imported.
#[derive(Default)]
pub(super) struct Imported {
    kernel: Option<Rc<dyn Kernel>>,
    sources: Vec<Source>,
    types: HashMap<Origin, TypeId>,
}

/// The types of the kernel, or of a module.
struct Source {
    module: Option<String>,
    /// Why there are none, otherwise.
    types: Result<Arc<Btf<'static>>, String>,
}

impl Imported {
    pub(super) fn new(kernel: Option<Rc<dyn Kernel>>) -> Self {
        Self {
            kernel,
            ..Self::default()
        }
    }

    /// The types of this module, read now if they are needed for the first time.
    fn source(&mut self, module: Option<&str>) -> Option<usize> {
        let module = module.filter(|name| *name != VMLINUX);
        let mut known = self.sources.iter();
        if let Some(found) = known.position(|it| it.module.as_deref() == module) {
            return Some(found);
        }
        let types = self.kernel.as_ref()?.types(module);
        self.sources.push(Source {
            module: module.map(str::to_owned),
            types,
        });
        Some(self.sources.len() - 1)
    }

    /// The types of the kernel's variables, if they are in a file of their own.
    fn variables(&mut self) -> Option<usize> {
        let mut known = self.sources.iter();
        if let Some(found) = known.position(|it| it.module.as_deref() == Some(VARIABLES)) {
            return Some(found);
        }
        let types = self.kernel.as_ref()?.variables()?;
        self.sources.push(Source {
            module: Some(VARIABLES.to_owned()),
            types: Ok(types),
        });
        Some(self.sources.len() - 1)
    }

    fn btf(&self, source: usize) -> Option<Arc<Btf<'static>>> {
        self.sources.get(source)?.types.as_ref().ok().cloned()
    }
}

impl Types {
    /// The traced kernel.
    pub(crate) fn kernel(&self) -> Option<Rc<dyn Kernel>> {
        self.imported.kernel.clone()
    }

    /// Why the kernel that is traced has no types, if that is so.
    pub(crate) fn why_no_kernel_types(&mut self) -> Option<String> {
        self.why_no_types_of(VMLINUX)
    }

    /// Why a module, or the kernel itself (`vmlinux`), has no types, if that is so.
    pub(crate) fn why_no_types_of(&mut self, module: &str) -> Option<String> {
        let source = self.imported.source(Some(module))?;
        self.imported.sources.get(source)?.types.clone().err()
    }

    /// The structure or the union with this tag, which need not be defined. The kernel's types are
    /// not read for it: its definition is looked up when it is needed.
    pub(crate) fn tag(&mut self, family: Family, name: &str) -> TypeId {
        let mut known = self.tagged(family, name);
        if known.is_none() && !self.imported.sources.is_empty() {
            known = self.kernel_tag(family, name);
        }
        known.unwrap_or_else(|| self.declare_tag(family, Some(name.into())))
    }

    /// The kernel's type with this name, which may be within a module's: `module`name`.
    pub(crate) fn kernel_typedef(&mut self, name: &str) -> Option<TypeId> {
        self.kernel_type(Class::Typedef, name)
            .or_else(|| self.kernel_type(Class::Base, name))
    }

    /// Whether it is, or leads to, a structure, a union or an enumeration of the kernel: what the
    /// program neither defines nor declares can be no other's. Nothing is read for that.
    pub(crate) fn is_of_kernel(&self, id: TypeId) -> bool {
        let mut id = self.base(id);
        while let Some(to) = self.pointee(id) {
            id = self.base(to);
        }
        let is_unread = || self.is_incomplete(id) && !self.is_own(id);
        let is_tagged = matches!(self.get(id), Type::Structure(_) | Type::Enumeration(_));
        is_tagged && (is_unread() || self.imported.types.values().any(|it| *it == id))
    }

    /// The kernel's structure, union or enumeration with this tag.
    pub(crate) fn kernel_tag(&mut self, family: Family, name: &str) -> Option<TypeId> {
        let class = match family {
            Family::Struct => Class::Struct,
            Family::Union => Class::Union,
            Family::Enum => Class::Enum,
        };
        self.kernel_type(class, name)
            .or_else(|| self.module_type(class, name))
    }

    fn kernel_type(&mut self, class: Class, name: &str) -> Option<TypeId> {
        let (module, name) = scoped(name);
        let source = self.imported.source(module)?;
        let btf = self.imported.btf(source)?;
        let id = btf.named(class, name)?;
        Some(self.import(source, id))
    }

    /// A type of any module.
    fn module_type(&mut self, class: Class, name: &str) -> Option<TypeId> {
        if name.contains('`') {
            return None;
        }
        let modules = self.imported.kernel.as_ref()?.modules();
        modules.iter().find_map(|module| {
            let source = self.imported.source(Some(module))?;
            let btf = self.imported.btf(source)?;
            let id = btf.named(class, name)?;
            Some(self.import(source, id))
        })
    }

    /// The value and the type of an enumerator of the kernel's.
    pub(crate) fn kernel_enumerator(&mut self, name: &str) -> Option<(i64, TypeId)> {
        let (module, name) = scoped(name);
        let source = self.imported.source(module)?;
        let btf = self.imported.btf(source)?;
        let (id, found) = btf.enumerator(name)?;
        Some((found.value, self.import(source, id)))
    }

    /// The types of a module, and their number.
    pub(crate) fn kernel_types(&mut self, module: &str) -> Option<(usize, Arc<Btf<'static>>)> {
        let source = self.imported.source(Some(module))?;
        Some((source, self.imported.btf(source)?))
    }

    pub(super) fn kernel_btf(&self, source: usize) -> Option<Arc<Btf<'static>>> {
        self.imported.btf(source)
    }

    /// The type of a variable or a function of this module.
    pub(crate) fn kernel_object(&mut self, module: &str, name: &str) -> Option<TypeId> {
        let source = self.imported.source(Some(module))?;
        let btf = self.imported.btf(source)?;
        let found = btf.variable(name).map(|it| it.target);
        if let Some(id) = found.or_else(|| btf.function(name)) {
            return Some(self.import(source, id));
        }
        let source = self.imported.variables().filter(|_| module == VMLINUX)?;
        let id = self.imported.btf(source)?.variable(name)?.target;
        Some(self.import(source, id))
    }

    /// Whether the types say that each CPU has a copy of a variable of this module.
    pub(crate) fn is_per_cpu(&mut self, module: &str, name: &str) -> bool {
        let types = self.kernel_types(module);
        let variable = types.as_ref().and_then(|(_, btf)| btf.variable(name));
        let place = variable.and_then(|it| it.place);
        place.is_some_and(|place| place.is_per_cpu())
    }

    /// A type of the kernel as one of D's.
    pub(super) fn import(&mut self, source: usize, id: KernelId) -> TypeId {
        self.import_at(source, id, 0)
    }

    fn import_at(&mut self, source: usize, id: KernelId, depth: u32) -> TypeId {
        let Some(btf) = self.imported.btf(source).filter(|_| depth < DEPTH_MAX) else {
            return VOID;
        };
        let origin = self.origin(source, &btf, id);
        if let Some(&known) = self.imported.types.get(&origin) {
            return known;
        }
        let Ok(found) = btf.get(id) else {
            return VOID;
        };
        let below = |types: &mut Self, id| types.import_at(source, id, depth + 1);
        let type_ = match found.kind {
            Kind::Int(int) => self.import_integer(found.name, int),
            Kind::Float { size } => self.import_float(size),
            Kind::Pointer(to) => {
                let to = below(self, to);
                self.pointer_to(to)
            }
            Kind::Array { element, count, .. } => {
                let element = below(self, element);
                self.number(Type::Array(element, count))
            }
            Kind::Struct { size, .. } => self.import_tag(Family::Struct, found.name, size, origin),
            Kind::Union { size, .. } => self.import_tag(Family::Union, found.name, size, origin),
            Kind::Enum {
                size, is_signed, ..
            }
            | Kind::Enum64 {
                size, is_signed, ..
            } => self.import_enumeration(found.name, size, is_signed, origin),
            Kind::Forward { is_union } => return self.import_forward(source, found.name, is_union),
            Kind::Typedef(to) => {
                let to = below(self, to);
                self.number(Type::Typedef(found.name.to_owned(), to))
            }
            Kind::Volatile(to) | Kind::Const(to) | Kind::Restrict(to) | Kind::TypeTag(to) => {
                below(self, to)
            }
            Kind::Variable { target, .. } => below(self, target),
            Kind::Function { .. } | Kind::Prototype { .. } => FUNCTION,
            Kind::Void | Kind::Section { .. } | Kind::DeclTag { .. } => VOID,
        };
        self.imported.types.insert(origin, type_);
        type_
    }

    /// A type that a module shares with the kernel is the kernel's.
    fn origin(&mut self, source: usize, btf: &Btf<'_>, id: KernelId) -> Origin {
        let is_shared = btf.own_ids().next().is_none_or(|first| id < first);
        let source = match self.imported.source(None) {
            Some(kernel) if is_shared => kernel,
            _ => source,
        };
        Origin { source, id }
    }

    fn import_integer(&mut self, name: &str, int: Int) -> TypeId {
        let known = match name {
            "char" => Some(CHAR),
            "signed char" => Some(SCHAR),
            "long int" | "long" => Some(LONG),
            "long unsigned int" | "unsigned long" => Some(ULONG),
            "long long int" | "long long" => Some(LONGLONG),
            "long long unsigned int" | "unsigned long long" => Some(ULONGLONG),
            _ => None,
        };
        if let Some(known) = known.filter(|it| self.size(*it) == int.size) {
            return known;
        }
        let plain = match (int.size, int.is_signed) {
            (1, true) => SCHAR,
            (1, false) => UCHAR,
            (2, true) => SHORT,
            (2, false) => USHORT,
            (4, true) => INT,
            (4, false) => UINT,
            (8, true) => LONGLONG,
            (8, false) => ULONGLONG,
            (size, _) => return self.number(Type::Array(UCHAR, size)),
        };
        match name {
            "_Bool" | "bool" => self.number(Type::Typedef(name.to_owned(), plain)),
            _ => plain,
        }
    }

    fn import_float(&mut self, size: u32) -> TypeId {
        match size {
            4 => FLOAT,
            8 => DOUBLE,
            _ => self.number(Type::Array(UCHAR, size)),
        }
    }

    fn import_tag(&mut self, family: Family, name: &str, size: u32, origin: Origin) -> TypeId {
        let declared = self.tagged(family, name);
        let id = match declared.filter(|it| self.is_incomplete(*it)) {
            Some(declared) => declared,
            None => self.new_tag(family, Some(name).filter(|it| !it.is_empty()).map(Rc::from)),
        };
        self.set_definition(id, Definition::Members(Layout::unread(size, origin)));
        id
    }

    fn import_enumeration(
        &mut self,
        name: &str,
        size: u32,
        is_signed: bool,
        origin: Origin,
    ) -> TypeId {
        let name = Some(name).filter(|it| !it.is_empty()).map(Rc::from);
        let id = self.new_tag(Family::Enum, name);
        let base = match (size, is_signed) {
            (1, true) => SCHAR,
            (1, false) => UCHAR,
            (2, true) => SHORT,
            (2, false) => USHORT,
            (8, true) => LONGLONG,
            (8, false) => ULONGLONG,
            (_, true) => INT,
            (_, false) => UINT,
        };
        if let Some(integer) = self.integer(base) {
            let values = Values::Imported(origin);
            self.set_definition(id, Definition::Enumerators(integer, values));
        }
        id
    }

    pub(super) fn imported_values(&self, origin: Origin) -> Option<Vec<(i64, Rc<str>)>> {
        let btf = self.imported.btf(origin.source)?;
        let (Kind::Enum { values, .. } | Kind::Enum64 { values, .. }) =
            btf.get(origin.id).ok()?.kind
        else {
            return None;
        };
        Some(values.map(|it| (it.value, Rc::from(it.name))).collect())
    }

    /// What is only declared in one file is often defined in another.
    fn import_forward(&mut self, source: usize, name: &str, is_union: bool) -> TypeId {
        let (family, class) = match is_union {
            false => (Family::Struct, Class::Struct),
            true => (Family::Union, Class::Union),
        };
        let found = self
            .imported
            .btf(source)
            .and_then(|btf| btf.named(class, name));
        match found {
            Some(id) => self.import_at(source, id, 0),
            None => self.new_tag(family, Some(name.into())),
        }
    }

    /// The type itself; of an array, that of its elements.
    fn innermost(&self, id: TypeId) -> TypeId {
        let mut id = self.base(id);
        while let Type::Array(of, _) = *self.kind(id) {
            id = self.base(of);
        }
        id
    }

    /// Looks a structure without a definition up in the kernel's types; of an array, its elements.
    pub(crate) fn find_definition(&mut self, id: TypeId) {
        let id = self.innermost(id);
        if let Some((family, name)) = self.missing_definition(id) {
            self.kernel_tag(family, &name);
        }
    }

    /// Reads the members of an imported structure, and of those that are anonymous in it.
    pub(crate) fn complete(&mut self, id: TypeId) {
        self.find_definition(id);
        let id = self.innermost(id);
        let Some(origin) = self.layout(id).and_then(Layout::unread_origin) else {
            return;
        };
        let Some(btf) = self.imported.btf(origin.source) else {
            return;
        };
        let size = self.size(id);
        // Marked first, so that a structure that contains itself is not read again.
        self.set_definition(id, Definition::Members(Layout::empty(size)));
        let Ok(members) = btf.members(origin.id) else {
            return;
        };
        let mut layout = self.import_members(origin.source, members, size);
        layout.alignment = alignment::of(&btf, origin.id, self.pointer);
        self.set_definition(id, Definition::Members(layout));
    }

    fn import_members(
        &mut self,
        source: usize,
        members: List<'_, KernelMember<'_>>,
        size: u32,
    ) -> Layout {
        let mut layout = Layout::empty(size);
        for member in members {
            let type_ = self.import(source, member.target);
            let name = Some(member.name).filter(|it| !it.is_empty());
            if name.is_none() && !self.is_anonymous(type_) {
                continue;
            }
            if name.is_none() {
                self.complete(type_);
            }
            if let Some((offset, bits)) = self.place(&member, type_) {
                layout.push(Member {
                    name: name.map(Rc::from),
                    type_,
                    offset,
                    bits,
                });
            }
        }
        layout
    }

    /// The offset of a member in bytes; for a bit-field that of its unit, and its bits in it.
    fn place(&self, member: &KernelMember<'_>, type_: TypeId) -> Option<(u32, Option<Bits>)> {
        let start = member.bit_offset;
        if member.bit_size == 0 {
            return Some((start / 8, None));
        }
        let width = u32::from(member.bit_size);
        let unit = 8 * self.size(type_).clamp(1, 8);
        let first = start % unit;
        // One that crosses its unit, in a packed structure, cannot be loaded at once.
        let bits = Bits { first, width };
        (first + width <= unit).then_some((start / unit * (unit / 8), Some(bits)))
    }
}

/// `module`name` in its parts.
fn scoped(name: &str) -> (Option<&str>, &str) {
    match name.split_once('`') {
        Some(("", name)) => (None, name),
        Some((module, name)) => (Some(module), name),
        None => (None, name),
    }
}
