//! Builds the tables of a program and writes them as a block.

use engine_abi::{
    AggregationRow, ClauseRow, FieldRow, Instruction, KeyRow, MAGIC, ProgramHeader, VariableRow,
};
use zerocopy::{Immutable, IntoBytes};

/// A program's tables.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// The header; [`counted`](Self::counted) fills in its counts.
    pub header: ProgramHeader,
    /// The clauses.
    pub clauses: Vec<ClauseRow>,
    /// The instructions of all clauses, in order.
    pub code: Vec<Instruction>,
    /// The first instruction of each action.
    pub actions: Vec<u32>,
    /// The fields of the clauses' records.
    pub fields: Vec<FieldRow>,
    /// The variables.
    pub variables: Vec<VariableRow>,
    /// The aggregations.
    pub aggregations: Vec<AggregationRow>,
    /// The parts of keys.
    pub keys: Vec<KeyRow>,
    /// Strings, each with its NUL.
    pub strings: Vec<u8>,
}

impl Tables {
    /// Empty tables; strings have this size in bytes.
    pub fn new(string_size: u32) -> Self {
        Self {
            header: ProgramHeader {
                magic: MAGIC,
                string_size,
                ..ProgramHeader::default()
            },
            ..Self::default()
        }
    }

    /// Adds a clause of all rows that no clause has yet.
    pub fn clause(&mut self, record_size: u32) {
        let mut row = ClauseRow {
            record_size,
            ..ClauseRow::default()
        };
        if let Some(last) = self.clauses.last() {
            row.code.first = last.code.first + last.code.count;
            row.actions.first = last.actions.first + last.actions.count;
            row.fields.first = last.fields.first + last.fields.count;
        }
        row.code.count = self.code.len() as u32 - row.code.first;
        row.actions.count = self.actions.len() as u32 - row.actions.first;
        row.fields.count = self.fields.len() as u32 - row.fields.first;
        self.clauses.push(row);
    }

    /// The offset of a string, which is added if it is new.
    pub fn string(&mut self, string: &[u8]) -> u32 {
        let with_nul = [string, &[0]].concat();
        let mut begins = (0..self.strings.len()).filter(|at| *at == 0 || self.strings[at - 1] == 0);
        let found = begins.find(|at| self.strings[*at..].starts_with(&with_nul));
        found.unwrap_or_else(|| {
            self.strings.extend(&with_nul);
            self.strings.len() - with_nul.len()
        }) as u32
    }

    /// The header with the current counts.
    pub fn counted(&self) -> ProgramHeader {
        ProgramHeader {
            clauses: self.clauses.len() as u32,
            code: self.code.len() as u32,
            actions: self.actions.len() as u32,
            fields: self.fields.len() as u32,
            variables: self.variables.len() as u32,
            aggregations: self.aggregations.len() as u32,
            keys: self.keys.len() as u32,
            strings: self.strings.len() as u32,
            ..self.header
        }
    }

    /// The block.
    pub fn block(&self) -> Vec<u64> {
        let mut bytes = self.counted().as_bytes().to_vec();
        table(&mut bytes, &self.clauses);
        table(&mut bytes, &self.code);
        table(&mut bytes, &self.actions);
        table(&mut bytes, &self.fields);
        table(&mut bytes, &self.variables);
        table(&mut bytes, &self.aggregations);
        table(&mut bytes, &self.keys);
        table(&mut bytes, &self.strings);
        let words = bytes.chunks_exact(8);
        words
            .map(|word| u64::from_ne_bytes(word.try_into().unwrap()))
            .collect()
    }
}

fn table<T: IntoBytes + Immutable>(bytes: &mut Vec<u8>, rows: &[T]) {
    bytes.extend(rows.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(8), 0);
}
