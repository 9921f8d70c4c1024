//! A fake environment that logs what a program asks of it.

use std::collections::BTreeMap;

use engine_abi::{FieldKind, ValueKind};
use engine_dvm::{Builtin, Destructive, Env, Held, KeyPart, Refused, Unreadable, Verified};

/// An address, and the bytes there.
pub type Region = (u64, Vec<u8>);

/// The environment.
#[derive(Default)]
pub struct Fake {
    /// The log of calls, in order.
    pub log: Vec<String>,
    /// Kernel memory.
    pub kernel: Vec<Region>,
    /// User memory.
    pub user: Vec<Region>,
    /// How many more records fit.
    pub room: u32,
    values: BTreeMap<(u32, Vec<u8>), Vec<u8>>,
    variables: Vec<Keyed>,
    aggregations: Vec<Keyed>,
    speculations: u64,
}

/// A variable or an aggregation.
struct Keyed {
    name: String,
    parts: Vec<KeyPart>,
    /// The type of the value under a key.
    kind: FieldKind,
}

impl Keyed {
    /// Its name with a key.
    fn at(&self, key: &[u8]) -> String {
        let mut rest = key;
        let parts = self.parts.iter().map(|part| {
            let (bytes, behind) = rest.split_at(part.size as usize);
            rest = behind;
            shown(part.kind, bytes)
        });
        let parts: Vec<String> = parts.collect();
        assert!(
            rest.is_empty(),
            "{}: {} bytes too many",
            self.name,
            rest.len()
        );
        match parts.as_slice() {
            [] => self.name.clone(),
            parts => format!("{}[{}]", self.name, parts.join(", ")),
        }
    }
}

impl Fake {
    /// An environment for a program, with the names of its rows.
    pub fn new<B: AsRef<[u64]>>(
        program: &Verified<B>,
        variables: &[String],
        aggregations: &[String],
    ) -> Self {
        let keyed = |name: &String, keys, kind| Keyed {
            name: name.clone(),
            parts: program.keys(keys).collect(),
            kind,
        };
        let variables = (0..).zip(variables).map(|(number, name)| {
            let variable = program.variable(number).unwrap();
            let kind = match variable.kind {
                ValueKind::Scalar => FieldKind::Scalar,
                ValueKind::Text => FieldKind::Text,
                ValueKind::Bytes => FieldKind::Bytes,
            };
            keyed(name, variable.keys, kind)
        });
        let aggregations = (0..).zip(aggregations).map(|(number, name)| {
            let aggregation = program.aggregation(number).unwrap();
            keyed(name, aggregation.keys, FieldKind::Scalar)
        });
        Self {
            variables: variables.collect(),
            aggregations: aggregations.collect(),
            room: 1,
            ..Self::default()
        }
    }
}

/// Bytes in readable form.
fn shown(kind: FieldKind, bytes: &[u8]) -> String {
    match kind {
        FieldKind::Scalar => scalar(bytes),
        FieldKind::Text => {
            let length = bytes.iter().position(|byte| *byte == 0).unwrap();
            assert!(bytes[length..].iter().all(|byte| *byte == 0), "{bytes:?}");
            format!("\"{}\"", bytes[..length].escape_ascii())
        }
        FieldKind::Bytes => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        FieldKind::Stack | FieldKind::UserStack => {
            let frames = bytes.chunks_exact(8).map(scalar);
            frames.collect::<Vec<_>>().join(" ")
        }
    }
}

/// A number: decimal below 2 to the 16th, hexadecimal from there on.
fn scalar(bytes: &[u8]) -> String {
    let number = i64::from_ne_bytes(bytes.try_into().unwrap());
    if number.unsigned_abs() < 1 << 16 {
        number.to_string()
    } else {
        format!("{number:#x}")
    }
}

fn read(regions: &[Region], address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
    // Only the regions are readable, not the rest of their pages.
    for (byte, at) in bytes.iter_mut().zip(address..) {
        let found = regions
            .iter()
            .find_map(|(begin, region)| region.get(usize::try_from(at.checked_sub(*begin)?).ok()?));
        *byte = *found.ok_or(Unreadable)?;
    }
    Ok(())
}

impl Env for Fake {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        read(&self.kernel, address, bytes)
    }

    fn load_user(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        read(&self.user, address, bytes)
    }

    fn builtin(&mut self, builtin: Builtin, index: u64) -> u64 {
        assert!(!builtin.is_text());
        u64::from(builtin.code()) * 100 + index
    }

    fn builtin_text(&mut self, builtin: Builtin, text: &mut [u8]) -> usize {
        assert!(builtin.is_text());
        let word = builtin.word().as_bytes();
        let length = word.len().min(text.len());
        text[..length].copy_from_slice(&word[..length]);
        length
    }

    fn stack(&mut self, frames: &mut [u8]) {
        frames.fill(0);
        for (frame, pc) in frames.chunks_exact_mut(8).zip([0x100_u64, 0x200, 0x300]) {
            frame.copy_from_slice(&pc.to_ne_bytes());
        }
    }

    fn user_stack(&mut self, words: &mut [u8]) {
        words.fill(0);
        for (word, value) in words.chunks_exact_mut(8).zip([77_u64, 0x100, 0x200]) {
            word.copy_from_slice(&value.to_ne_bytes());
        }
    }

    fn get(&mut self, variable: u32, key: &[u8]) -> u64 {
        let value = self.values.get(&(variable, key.to_vec()));
        value.map_or(0, |value| u64::from_ne_bytes(value[..].try_into().unwrap()))
    }

    fn set(&mut self, variable: u32, key: &[u8], value: u64) {
        let name = self.variables[variable as usize].at(key);
        let bytes = value.to_ne_bytes();
        self.log.push(format!("{name} = {}", scalar(&bytes)));
        self.values.insert((variable, key.to_vec()), bytes.to_vec());
    }

    fn get_bytes(&mut self, variable: u32, key: &[u8], value: &mut [u8]) -> Held {
        match self.values.get(&(variable, key.to_vec())) {
            None => Held::Nothing,
            Some(found) if found.is_empty() => Held::Null,
            Some(found) => {
                value.fill(0);
                value[..found.len()].copy_from_slice(found);
                Held::Value
            }
        }
    }

    fn set_bytes(&mut self, variable: u32, key: &[u8], value: Option<&[u8]>) {
        let keyed = &self.variables[variable as usize];
        let name = keyed.at(key);
        let shown = value.map_or("null".to_owned(), |value| shown(keyed.kind, value));
        self.log.push(format!("{name} = {shown}"));
        let value = value.unwrap_or_default();
        self.values.insert((variable, key.to_vec()), value.to_vec());
    }

    fn load_part(&mut self, variable: u32, offset: u32, bytes: &mut [u8]) {
        bytes.fill(0);
        if let Some(found) = self.values.get(&(variable, Vec::new())) {
            let there = found[offset as usize..].iter();
            bytes
                .iter_mut()
                .zip(there)
                .for_each(|(to, from)| *to = *from);
        }
    }

    fn store_part(&mut self, variable: u32, offset: u32, bytes: &[u8]) {
        let name = &self.variables[variable as usize].name;
        let shown = shown(FieldKind::Bytes, bytes);
        self.log.push(format!("{name} + {offset} = {shown}"));
        let value = self.values.entry((variable, Vec::new())).or_default();
        let end = offset as usize + bytes.len();
        value.resize(end.max(value.len()), 0);
        value[offset as usize..end].copy_from_slice(bytes);
    }

    fn open(&mut self, speculation: Option<u64>) -> bool {
        self.log.push(match speculation {
            Some(speculation) => format!("open in speculation {speculation}"),
            None => "open".to_owned(),
        });
        self.room = self.room.wrapping_sub(1);
        self.room != u32::MAX
    }

    fn record(&mut self, offset: u32, bytes: &[u8]) {
        self.log.push(format!(
            "record {offset}: {}",
            shown(FieldKind::Bytes, bytes)
        ));
    }

    fn aggregate(&mut self, aggregation: u32, key: &[u8], value: u64, increment: u64) {
        let name = self.aggregations[aggregation as usize].at(key);
        let (value, increment) = (value.to_ne_bytes(), increment.to_ne_bytes());
        self.log.push(format!(
            "{name} gets {} by {}",
            scalar(&value),
            scalar(&increment)
        ));
    }

    fn random(&mut self) -> u64 {
        u64::MAX
    }

    fn descends_from(&mut self, pid: u64) -> bool {
        pid <= 77
    }

    fn speculation(&mut self) -> u64 {
        self.speculations += 1;
        self.speculations
    }

    fn has_speculation(&self, speculation: u64) -> bool {
        speculation <= 9
    }

    fn commit(&mut self, speculation: u64) {
        self.log.push(format!("commit {speculation}"));
    }

    fn discard(&mut self, speculation: u64) {
        self.log.push(format!("discard {speculation}"));
    }

    fn exit(&mut self) {
        self.log.push("exit".to_owned());
    }

    /// Signals are below 65, and this kernel has no debugger.
    fn perform(&mut self, action: Destructive) -> Result<(), Refused> {
        self.log.push(format!("{action:?}"));
        match action {
            Destructive::Raise(1..65) | Destructive::Stop | Destructive::Panic => Ok(()),
            Destructive::Chill(0..=500_000_000) => Ok(()),
            _ => Err(Refused),
        }
    }

    fn store_user(&mut self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
        let shown = bytes.escape_ascii();
        self.log.push(format!("user {address:#x} = \"{shown}\""));
        let room = |(begin, region): &&mut Region| {
            (*begin..begin + region.len() as u64).contains(&address)
        };
        let (begin, region) = self.user.iter_mut().find(room).ok_or(Refused)?;
        let at = (address - *begin) as usize;
        let place = region.get_mut(at..at + bytes.len()).ok_or(Refused)?;
        place.copy_from_slice(bytes);
        Ok(())
    }
}
