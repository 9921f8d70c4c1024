//! Builds the tables of a program, and the block.

use std::collections::HashMap;
use std::rc::Rc;

use engine_abi::{
    AggregateFunction, AggregationRow, ClauseRow, DESTRUCTIVE, FieldKind, FieldRow, Instruction,
    KeyRow, MAGIC, PROGRAM_MAX, ProgramHeader, Span, ValueKind, VariableRow,
};
use engine_dvm::limits;
use zerocopy::{FromBytes, IntoBytes};

use crate::conversion::Formats;
use crate::error::Mistake;
use crate::names::{Aggregation, Key, Names, Variable};
use crate::tag::Tag;
use crate::types::{Type, TypeId, Types};

/// The tables.
#[derive(Default)]
pub(crate) struct Tables {
    pub clauses: Vec<ClauseRow>,
    pub code: Vec<Instruction>,
    pub actions: Vec<u32>,
    pub fields: Vec<FieldRow>,
    /// The maximum of the clauses' scratch memory, in bytes.
    pub scratch: u32,
    /// The same for `alloca` and `copyin`.
    pub heap: u32,
    /// Whether a clause changes the system.
    pub is_destructive: bool,
    /// The formats parsed so far.
    pub formats: Formats,
    strings: Vec<u8>,
    places: HashMap<Vec<u8>, u32>,
    /// Offsets of strings that several expressions share, by their address; the strings are kept
    /// alive so that their addresses stay unique.
    shared: HashMap<*const u8, (Rc<[u8]>, u32)>,
    variables: Vec<VariableRow>,
    aggregations: Vec<AggregationRow>,
    keys: Vec<KeyRow>,
}

impl Tables {
    /// The offset of a string, which is added if it is new.
    pub(crate) fn text(&mut self, text: &[u8]) -> u32 {
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let place = length(&self.strings);
        self.strings.extend_from_slice(text);
        self.strings.push(0);
        self.places.insert(text.to_owned(), place);
        place
    }

    /// The same for a shared string, which is compared by content only once.
    pub(crate) fn shared_text(&mut self, text: &Rc<[u8]>) -> u32 {
        let address = text.as_ptr();
        if let Some((_, place)) = self.shared.get(&address) {
            return *place;
        }
        let place = self.text(text);
        self.shared.insert(address, (text.clone(), place));
        place
    }

    /// The block; `None` if it exceeds the maximum size.
    pub(crate) fn block(mut self, names: &Names, types: &Types) -> Option<Vec<u64>> {
        for variable in &names.variables {
            self.variable(variable, types);
        }
        for aggregation in &names.aggregations {
            self.aggregation(aggregation, types);
        }
        let header = ProgramHeader {
            magic: MAGIC,
            string_size: types.string,
            clauses: length(&self.clauses),
            code: length(&self.code),
            actions: length(&self.actions),
            fields: length(&self.fields),
            variables: length(&self.variables),
            aggregations: length(&self.aggregations),
            keys: length(&self.keys),
            strings: length(&self.strings),
            scratch: self.scratch,
            heap: self.heap,
            flags: if self.is_destructive { DESTRUCTIVE } else { 0 },
            reserved: 0,
        };
        let mut bytes = header.as_bytes().to_vec();
        for table in [
            self.clauses.as_bytes(),
            self.code.as_bytes(),
            self.actions.as_bytes(),
            self.fields.as_bytes(),
            self.variables.as_bytes(),
            self.aggregations.as_bytes(),
            self.keys.as_bytes(),
            &self.strings,
        ] {
            bytes.extend_from_slice(table);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        (bytes.len() <= PROGRAM_MAX as usize).then(|| words(&bytes))
    }

    fn variable(&mut self, variable: &Variable, types: &Types) {
        let (kind, size) = match variable.type_.map(|it| (types.kind(it), types.size(it))) {
            Some((Type::Text, size)) => (ValueKind::Text, size),
            Some((Type::Array(..) | Type::Structure(_), size)) => (ValueKind::Bytes, size),
            _ => (ValueKind::Scalar, 8),
        };
        let keys = variable.keys.iter().flatten();
        let keys = keys.map(|key| (*key, 0)).collect::<Vec<_>>();
        let row = VariableRow {
            name: self.text(variable.name.as_bytes()),
            size,
            scope: variable.scope.code(),
            kind: kind.code(),
            reserved: 0,
            keys: self.key(&keys, types),
        };
        self.variables.push(row);
    }

    fn aggregation(&mut self, aggregation: &Aggregation, types: &Types) {
        let keys = aggregation.keys.iter().flatten();
        let keys = keys.map(|key| (key.type_, key.frames)).collect::<Vec<_>>();
        let function = aggregation.function.map(|(function, _)| function);
        let row = AggregationRow {
            name: self.text(aggregation.printed_name().as_bytes()),
            function: function.unwrap_or(AggregateFunction::Count).code(),
            reserved: [0; 3],
            keys: self.key(&keys, types),
            parameters: aggregation.parameters.unwrap_or_default(),
        };
        self.aggregations.push(row);
    }

    fn key(&mut self, parts: &[(TypeId, u32)], types: &Types) -> Span {
        let first = length(&self.keys);
        let rows = parts.iter().map(|(type_, frames)| {
            let part = part(types, *type_, *frames);
            KeyRow {
                size: part.size.next_multiple_of(8),
                kind: part.kind.code(),
                reserved: [0; 3],
            }
        });
        self.keys.extend(rows);
        Span {
            first,
            count: parts.len() as u32,
        }
    }
}

/// A component of a key, or a field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub kind: FieldKind,
    /// Its size in bytes, rounded up to a multiple of 8 in a key.
    pub size: u32,
}

/// Bytes of a user address: the ID of its process, and the address.
pub(crate) const USER_ADDRESS: u32 = 16;

/// The component or field for a value of this type; a stack has `frames` frames.
pub(crate) fn part(types: &Types, type_: TypeId, frames: u32) -> Part {
    let size = types.size(type_);
    let (kind, size) = match types.kind(type_) {
        Type::Text => (FieldKind::Text, size),
        Type::Array(..) | Type::Structure(_) => (FieldKind::Bytes, size),
        Type::Stack => (FieldKind::Stack, frames.saturating_mul(8)),
        Type::UserStack => {
            let words = frames.saturating_add(1);
            (FieldKind::UserStack, words.saturating_mul(8))
        }
        Type::UserAddress(_) => (FieldKind::Bytes, USER_ADDRESS),
        Type::KernelAddress(_) => (FieldKind::Scalar, 8),
        _ => (FieldKind::Scalar, size.clamp(1, 8)),
    };
    Part { kind, size }
}

/// Checks a key of these types against the machine's limits.
pub(crate) fn check_key(
    types: &Types,
    parts: impl IntoIterator<Item = TypeId>,
    line: u32,
) -> Result<(), Mistake> {
    let keys = parts.into_iter().map(|type_| Key { type_, frames: 0 });
    check_parts(types, keys, line)
}

/// Checks a key of these components against the machine's limits.
pub(crate) fn check_parts(
    types: &Types,
    parts: impl IntoIterator<Item = Key>,
    line: u32,
) -> Result<(), Mistake> {
    let (mut count, mut size, mut largest) = (0, 0u64, None);
    for key in parts {
        let part = part(types, key.type_, key.frames);
        count += 1;
        size += u64::from(part.size).next_multiple_of(8);
        largest = largest.max(Some((part.size, part.kind.code())));
    }
    if count <= limits::KEY_PARTS_MAX && size <= limits::KEY_MAX.into() {
        return Ok(());
    }
    let message = format!(
        "key of {size} bytes in {count} parts is too long: the limit is {} bytes in {} parts; use {}",
        limits::KEY_MAX,
        limits::KEY_PARTS_MAX,
        smaller(largest)
    );
    Err(Mistake::new(Tag::Limit, line, message))
}

/// The advice to reduce a total whose largest component has this size and kind.
pub(crate) fn smaller(largest: Option<(u32, u8)>) -> &'static str {
    match largest.and_then(|(_, kind)| FieldKind::from_code(kind)) {
        Some(FieldKind::Text) => "a smaller strsize",
        Some(FieldKind::Stack) => "fewer stack( ) frames",
        Some(FieldKind::UserStack) => "fewer ustack( ) frames",
        _ => "fewer parts",
    }
}

/// The block's counts have 32 bits; a longer table saturates, and the block is rejected.
pub(crate) fn length<T>(table: &[T]) -> u32 {
    u32::try_from(table.len()).unwrap_or(u32::MAX)
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let chunks = bytes.chunks(8);
    chunks
        .filter_map(|chunk| u64::read_from_bytes(chunk).ok())
        .collect()
}
