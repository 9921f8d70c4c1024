//! Programs written as text.
//!
//! A line is a declaration, a label, or an instruction as listings write it; names and strings may
//! stand where a listing has a row's number:
//!
//! ```text
//! size 16                        # of strings
//! scratch 100
//! heap 100
//! destructive                    # it may change the system
//! var x scalar                   # global; self->x, this->x
//! var a[scalar, text] bytes 12
//! aggregation @n[stack 2] lquantize 0 100 10
//! field text 16
//! action                         # one begins here
//!     sets "hello", %r1
//!     bz   %r1, end
//!     stv  %r1, x
//! end:
//!     ret
//! ```

use std::collections::HashMap;

use engine_abi::{
    AggregateFunction, AggregationRow, DESTRUCTIVE, FieldKind, FieldRow, Instruction, KeyRow,
    Scope, Span, ValueKind, VariableRow,
};
use engine_dvm::{Builtin, Immediate, Op, Subroutine};

use engine_testkit::block::Tables;

/// A program, and the names of its rows.
pub struct Assembly {
    pub tables: Tables,
    pub variables: Vec<String>,
    pub aggregations: Vec<String>,
}

/// Assembles a program of one clause. Panics with the line that it cannot parse.
pub fn assemble(lines: &[&str]) -> Assembly {
    let mut assembler = Assembler {
        assembly: Assembly {
            tables: Tables::new(64),
            variables: Vec::new(),
            aggregations: Vec::new(),
        },
        labels: labels(lines),
        record_size: 0,
    };
    for line in lines {
        let done = assembler.line(line);
        done.unwrap_or_else(|| panic!("`{line}` is no line of a program"));
    }
    let record_size = assembler.record_size.next_multiple_of(8);
    assembler.assembly.tables.clause(record_size);
    assembler.assembly
}

/// The number of instructions before each label.
fn labels<'a>(lines: &[&'a str]) -> HashMap<&'a str, u32> {
    let mut labels = HashMap::new();
    let mut at = 0;
    for line in lines {
        if let Some(label) = line.trim().strip_suffix(':') {
            labels.insert(label, at);
        } else if is_instruction(line) {
            at += 1;
        }
    }
    labels
}

fn is_instruction(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    Op::ALL.iter().any(|op| op.word() == word)
}

struct Assembler<'a> {
    assembly: Assembly,
    labels: HashMap<&'a str, u32>,
    record_size: u32,
}

impl Assembler<'_> {
    fn line(&mut self, line: &str) -> Option<()> {
        let line = line.trim();
        if is_instruction(line) {
            let instruction = self.instruction(line)?;
            self.assembly.tables.code.push(instruction);
            return Some(());
        }
        if line.ends_with(':') {
            return Some(());
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let tables = &mut self.assembly.tables;
        match word {
            "destructive" => tables.header.flags = DESTRUCTIVE,
            "action" => tables.actions.push(tables.code.len() as u32),
            "size" => tables.header.string_size = rest.parse().ok()?,
            "scratch" => tables.header.scratch = rest.parse().ok()?,
            "heap" => tables.header.heap = rest.parse().ok()?,
            "var" => self.variable(rest)?,
            "aggregation" => self.aggregation(rest)?,
            "field" => self.field(rest)?,
            _ => return None,
        }
        Some(())
    }

    /// `name[keys] kind size`
    fn variable(&mut self, text: &str) -> Option<()> {
        let (name, keys, rest) = self.keyed(text)?;
        let scopes = [Scope::Thread, Scope::Clause];
        let scoped = scopes.iter().find_map(|scope| {
            let name = name.strip_prefix(scope.word())?.strip_prefix("->")?;
            Some((*scope, name))
        });
        let (scope, plain) = scoped.unwrap_or((Scope::Global, name));
        let (kind, size) = rest.split_once(' ').unwrap_or((rest, ""));
        let kind = *ValueKind::ALL.iter().find(|known| known.word() == kind)?;
        let string_size = self.assembly.tables.header.string_size;
        let size = match kind {
            ValueKind::Scalar => 8,
            ValueKind::Text => string_size,
            ValueKind::Bytes => size.parse().ok()?,
        };
        let row = VariableRow {
            name: self.assembly.tables.string(plain.as_bytes()),
            size,
            scope: scope.code(),
            kind: kind.code(),
            reserved: 0,
            keys,
        };
        self.assembly.tables.variables.push(row);
        self.assembly.variables.push(name.to_owned());
        Some(())
    }

    /// `@name[keys] function parameters`
    fn aggregation(&mut self, text: &str) -> Option<()> {
        let (name, keys, rest) = self.keyed(text)?;
        let mut words = rest.split(' ');
        let function = words.next()?;
        let mut functions = AggregateFunction::ALL.iter();
        let function = functions.find(|known| known.word() == function)?;
        let mut parameters = [0; 4];
        for (parameter, word) in parameters.iter_mut().zip(words) {
            *parameter = word.parse().ok()?;
        }
        let row = AggregationRow {
            name: self
                .assembly
                .tables
                .string(name.strip_prefix('@')?.as_bytes()),
            function: function.code(),
            reserved: [0; 3],
            keys,
            parameters,
        };
        self.assembly.tables.aggregations.push(row);
        self.assembly.aggregations.push(name.to_owned());
        Some(())
    }

    /// A name, its key, and the rest.
    fn keyed<'t>(&mut self, text: &'t str) -> Option<(&'t str, Span, &'t str)> {
        let (head, rest) = match text.split_once("] ") {
            Some(split) => split,
            None => text.split_once(' ')?,
        };
        let (name, parts) = head.split_once('[').unwrap_or((head, ""));
        let first = self.assembly.tables.keys.len() as u32;
        for part in parts.split(", ").filter(|part| !part.is_empty()) {
            let part = self.part(part)?;
            self.assembly.tables.keys.push(part);
        }
        let count = self.assembly.tables.keys.len() as u32 - first;
        Some((name, Span { first, count }, rest))
    }

    fn part(&self, text: &str) -> Option<KeyRow> {
        let (kind, size) = text.split_once(' ').unwrap_or((text, ""));
        let kind = field_kind(kind)?;
        let size = match kind {
            FieldKind::Scalar => 8,
            FieldKind::Text => self.assembly.tables.header.string_size,
            FieldKind::Bytes => size.parse().ok()?,
            FieldKind::Stack => size.parse::<u32>().ok()? * 8,
            FieldKind::UserStack => size.parse::<u32>().ok()? * 8 + 8,
        };
        Some(KeyRow {
            size: size.next_multiple_of(8),
            kind: kind.code(),
            reserved: [0; 3],
        })
    }

    /// `kind size`: an aligned field after the previous ones.
    fn field(&mut self, text: &str) -> Option<()> {
        let (kind, size) = text.split_once(' ')?;
        let (kind, size): (_, u32) = (field_kind(kind)?, size.parse().ok()?);
        let offset = match kind {
            FieldKind::Scalar => self.record_size.next_multiple_of(size),
            FieldKind::Stack | FieldKind::UserStack => self.record_size.next_multiple_of(8),
            FieldKind::Text | FieldKind::Bytes => self.record_size,
        };
        self.record_size = offset + size;
        self.assembly.tables.fields.push(FieldRow {
            offset,
            size,
            kind: kind.code(),
            reserved: [0; 7],
        });
        Some(())
    }

    fn instruction(&mut self, line: &str) -> Option<Instruction> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let op = *Op::ALL.iter().find(|op| op.word() == word)?;
        let mut instruction = Instruction {
            op: op.code(),
            ..Instruction::default()
        };
        let mut registers = Vec::new();
        for operand in operands(rest) {
            let register = operand.trim_matches(['[', ']']).strip_prefix("%r");
            match register {
                Some(number) => registers.push(number.parse().ok()?),
                None => instruction.immediate = self.immediate(op, operand)?,
            }
        }
        place(op, &registers, &mut instruction)?;
        Some(instruction)
    }

    fn immediate(&mut self, op: Op, text: &str) -> Option<u32> {
        if let Some(string) = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
        {
            return Some(self.assembly.tables.string(&unescaped(string)));
        }
        let bare = [
            "DT_STRING[",
            "DT_VAR(",
            "DT_AGG(",
            "DT_FIELD(",
            "DT_BUILTIN(",
            "DIF_SUBR(",
        ];
        let numbered = bare.iter().find_map(|bare| text.strip_prefix(bare));
        if let Some(number) = numbered {
            return number.trim_end_matches([')', ']']).parse().ok();
        }
        if let Some(number) = number(text) {
            return Some(number);
        }
        let assembly = &self.assembly;
        let position = |names: &[String]| names.iter().position(|name| name == text);
        match op.shape().immediate {
            Immediate::Target => self.labels.get(text).copied(),
            Immediate::Variable | Immediate::Bytes | Immediate::Array => {
                position(&assembly.variables).map(|at| at as u32)
            }
            Immediate::Aggregation => position(&assembly.aggregations).map(|at| at as u32),
            Immediate::Builtin => {
                let found = Builtin::ALL.iter().find(|known| known.word() == text);
                found.map(|builtin| builtin.code())
            }
            Immediate::Subroutine => {
                let found = Subroutine::ALL.iter().find(|known| known.word() == text);
                found.map(|subroutine| subroutine.code())
            }
            _ => None,
        }
    }
}

/// Comma-separated operands, ignoring commas in strings; a comment ends them.
fn operands(text: &str) -> Vec<&str> {
    let mut operands = Vec::new();
    let (mut begin, mut quoted) = (0, false);
    let text = text.split_once("\t!").map_or(text, |(text, _)| text);
    for (at, character) in text.char_indices().chain([(text.len(), ',')]) {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                operands.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    operands.retain(|operand| !operand.is_empty());
    operands
}

/// Assigns registers to the fields that an op uses, in the order of listings.
fn place(op: Op, registers: &[u8], instruction: &mut Instruction) -> Option<()> {
    let shape = op.shape();
    let Instruction { d, a, b, .. } = instruction;
    let stores = matches!(op, Op::Stb | Op::Sth | Op::Stw | Op::Stx);
    let mut places = Vec::new();
    if stores {
        places = vec![b, a];
    } else {
        let used = [(shape.reads_a, a), (shape.reads_b, b), (shape.writes_d, d)];
        places.extend(
            used.into_iter()
                .filter(|(used, _)| *used)
                .map(|(_, place)| place),
        );
    }
    if places.len() != registers.len() {
        return None;
    }
    places
        .into_iter()
        .zip(registers)
        .for_each(|(place, register)| *place = *register);
    Some(())
}

/// A number: decimal, or hexadecimal after `0x`; a negative one has 32 bits.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse::<i64>().ok().map(|number| number as u32),
    }
}

fn field_kind(word: &str) -> Option<FieldKind> {
    FieldKind::ALL
        .iter()
        .copied()
        .find(|kind| kind.word() == word)
}

/// A string with its escapes replaced: `\n`, `\0`, `\\`, and `\xNN`.
pub fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b'0') => bytes.push(0),
            Some(b'x') => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            other => bytes.extend(other),
        }
    }
    bytes
}
