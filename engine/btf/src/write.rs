//! Writing BTF.
//!
//! A [`Builder`] appends types in the order of their IDs. A type may refer to one that comes later:
//! [`Builder::next_id`] tells what the next one's ID will be. What does not fit into the format is
//! an error of [`Builder::finish`], which checks what it made as if it had been read.

use std::collections::HashMap;

use crate::btf::Btf;
pub use crate::error::WriteError;
use crate::format::{Code, Info};
use crate::header::{Endian, MAGIC, SIZE};
use crate::id::TypeId;
use crate::kind::{Int, Linkage};
use crate::list::{Enumerator, Member, Parameter, SectionEntry};

/// Makes BTF.
#[derive(Debug)]
pub struct Builder<'b> {
    order: Endian,
    base: Option<&'b Btf<'b>>,
    next: u32,
    types: Vec<u8>,
    first_string: usize,
    strings: Vec<u8>,
    known: HashMap<Box<[u8]>, u32>,
    fault: Option<WriteError>,
}

impl<'b> Builder<'b> {
    /// Begins the BTF of a kernel.
    pub fn new(order: Endian) -> Self {
        Self {
            order,
            base: None,
            next: 1,
            types: Vec::new(),
            first_string: 0,
            strings: vec![0],
            known: HashMap::new(),
            fault: None,
        }
    }

    /// Begins split BTF, whose types can refer to those of `base`.
    pub fn split(base: &'b Btf<'_>) -> Self {
        Self {
            base: Some(base),
            next: base.count(),
            first_string: base.end_of_strings() as usize,
            strings: Vec::new(),
            known: base.all_strings(),
            ..Self::new(base.endian())
        }
    }

    /// The ID that the next type will have.
    pub fn next_id(&self) -> TypeId {
        TypeId(self.next)
    }

    /// The bytes of the BTF.
    ///
    /// # Errors
    /// The first type that cannot be written, or a reference to a type that was not.
    pub fn finish(self) -> Result<Vec<u8>, WriteError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let size = |part: &[u8]| u32::try_from(part.len()).map_err(|_| WriteError::Huge);
        let (types, strings) = (size(&self.types)?, size(&self.strings)?);
        let magic = match self.order {
            Endian::Little => MAGIC.to_le_bytes(),
            Endian::Big => MAGIC.to_be_bytes(),
        };
        let mut bytes = vec![magic[0], magic[1], 1, 0];
        for word in [SIZE as u32, 0, types, types, strings] {
            bytes.extend(self.order.bytes(word));
        }
        bytes.extend(self.types);
        bytes.extend(self.strings);
        Btf::check(&bytes, self.base)?;
        Ok(bytes)
    }

    /// An integer.
    pub fn int(&mut self, name: &str, int: Int) -> TypeId {
        let flags =
            u8::from(int.is_signed) | u8::from(int.is_char) << 1 | u8::from(int.is_bool) << 2;
        let word = u32::from_be_bytes([flags, int.offset, 0, int.bits]);
        self.add(name, Info::new(Code::Int, 0, false), &[int.size, word])
    }

    /// A pointer.
    pub fn pointer(&mut self, target: TypeId) -> TypeId {
        self.of("", Code::Pointer, target)
    }

    /// An array.
    pub fn array(&mut self, element: TypeId, index: TypeId, count: u32) -> TypeId {
        let words = [0, element.0, index.0, count];
        self.add("", Info::new(Code::Array, 0, false), &words)
    }

    /// A struct.
    pub fn structure(&mut self, name: &str, size: u32, members: &[Member<'_>]) -> TypeId {
        self.composite(name, Code::Struct, size, members)
    }

    /// A union.
    pub fn union(&mut self, name: &str, size: u32, members: &[Member<'_>]) -> TypeId {
        self.composite(name, Code::Union, size, members)
    }

    /// An enumeration, of 64 bits per value if one of them needs that.
    pub fn enumeration(
        &mut self,
        name: &str,
        size: u32,
        is_signed: bool,
        values: &[Enumerator<'_>],
    ) -> TypeId {
        let fits = |value: i64| {
            i32::try_from(value).is_ok_and(|_| is_signed)
                || u32::try_from(value).is_ok_and(|_| !is_signed)
        };
        let is_wide = !values.iter().all(|value| fits(value.value));
        let mut words = vec![size];
        for value in values {
            words.push(self.string(value.name));
            words.push(value.value as u32);
            if is_wide {
                words.push((value.value >> 32) as u32);
            }
        }
        let code = if is_wide { Code::Enum64 } else { Code::Enum };
        let info = self.info(name, code, values.len(), is_signed);
        self.add(name, info, &words)
    }

    /// A declaration of a struct or a union.
    pub fn forward(&mut self, name: &str, is_union: bool) -> TypeId {
        self.add(name, Info::new(Code::Forward, 0, is_union), &[0])
    }

    /// Another name of a type.
    pub fn typedef(&mut self, name: &str, target: TypeId) -> TypeId {
        self.of(name, Code::Typedef, target)
    }

    /// `volatile`.
    pub fn volatile(&mut self, target: TypeId) -> TypeId {
        self.of("", Code::Volatile, target)
    }

    /// `const`.
    pub fn constant(&mut self, target: TypeId) -> TypeId {
        self.of("", Code::Const, target)
    }

    /// `restrict`.
    pub fn restrict(&mut self, target: TypeId) -> TypeId {
        self.of("", Code::Restrict, target)
    }

    /// A function.
    pub fn function(&mut self, name: &str, prototype: TypeId, linkage: Linkage) -> TypeId {
        let count = u16::try_from(linkage.number()).unwrap_or(u16::MAX);
        let info = Info::new(Code::Function, count, false);
        self.add(name, info, &[prototype.0])
    }

    /// What a function returns and takes.
    pub fn prototype(
        &mut self,
        returns: TypeId,
        parameters: &[Parameter<'_>],
        is_variadic: bool,
    ) -> TypeId {
        let mut words = vec![returns.0];
        for parameter in parameters {
            words.extend([self.string(parameter.name), parameter.target.0]);
        }
        if is_variadic {
            words.extend([0, 0]);
        }
        let count = parameters.len() + usize::from(is_variadic);
        let info = self.info("", Code::Prototype, count, false);
        self.add("", info, &words)
    }

    /// A variable.
    pub fn variable(&mut self, name: &str, target: TypeId, linkage: Linkage) -> TypeId {
        let info = Info::new(Code::Variable, 0, false);
        self.add(name, info, &[target.0, linkage.number()])
    }

    /// A section with the places of variables.
    pub fn section(&mut self, name: &str, size: u32, entries: &[SectionEntry]) -> TypeId {
        let mut words = vec![size];
        for entry in entries {
            words.extend([entry.variable.0, entry.offset, entry.size]);
        }
        let info = self.info(name, Code::Section, entries.len(), false);
        self.add(name, info, &words)
    }

    /// A number with a fraction.
    pub fn float(&mut self, name: &str, size: u32) -> TypeId {
        self.add(name, Info::new(Code::Float, 0, false), &[size])
    }

    /// A tag of a declaration, or of one of its components.
    pub fn decl_tag(&mut self, text: &str, target: TypeId, component: Option<u32>) -> TypeId {
        let info = Info::new(Code::DeclTag, 0, false);
        self.add(text, info, &[target.0, component.unwrap_or(u32::MAX)])
    }

    /// A tag of a type.
    pub fn type_tag(&mut self, text: &str, target: TypeId) -> TypeId {
        self.of(text, Code::TypeTag, target)
    }

    fn of(&mut self, name: &str, code: Code, target: TypeId) -> TypeId {
        self.add(name, Info::new(code, 0, false), &[target.0])
    }

    fn composite(&mut self, name: &str, code: Code, size: u32, members: &[Member<'_>]) -> TypeId {
        let has_bits = members.iter().any(|member| member.bit_size != 0);
        let mut words = vec![size];
        for member in members {
            if has_bits && member.bit_offset > 0xff_ffff {
                self.fail(WriteError::FarBits(name.to_owned()));
            }
            let place = u32::from(member.bit_size) << 24 | member.bit_offset;
            words.extend([self.string(member.name), member.target.0, place]);
        }
        let info = self.info(name, code, members.len(), has_bits);
        self.add(name, info, &words)
    }

    fn info(&mut self, name: &str, code: Code, count: usize, flag: bool) -> Info {
        let name = || name.to_owned();
        let counted = u16::try_from(count);
        let counted = counted.unwrap_or_else(|_| {
            let name = name();
            self.fail(WriteError::Elements { name, count });
            0
        });
        Info::new(code, counted, flag)
    }

    /// Appends a type: its name, its info, and all other words.
    fn add(&mut self, name: &str, info: Info, words: &[u32]) -> TypeId {
        let head = [self.string(name), info.0];
        self.append(head.iter().chain(words).copied())
    }

    /// Appends a type by its words.
    pub(crate) fn append(&mut self, words: impl Iterator<Item = u32>) -> TypeId {
        let id = self.next_id();
        for word in words {
            self.types.extend(self.order.bytes(word));
        }
        self.next = self.next.saturating_add(1);
        id
    }

    pub(crate) fn string(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        if let Some(offset) = self.known.get(text.as_bytes()) {
            return *offset;
        }
        if text.contains('\0') {
            self.fail(WriteError::Nul(text.to_owned()));
        }
        let Ok(offset) = u32::try_from(self.first_string + self.strings.len()) else {
            self.fail(WriteError::Huge);
            return 0;
        };
        self.strings.extend(text.bytes().chain([0]));
        self.known.insert(text.as_bytes().into(), offset);
        offset
    }

    fn fail(&mut self, fault: WriteError) {
        self.fault.get_or_insert(fault);
    }
}
