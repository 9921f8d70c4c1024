//! The tables of a program.

use engine_abi::{
    AggregationRow, ClauseRow, FieldRow, Instruction, KeyRow, ProgramHeader, VariableRow,
};

/// A table of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// [`ClauseRow`]s.
    Clauses,
    /// [`Instruction`]s.
    Code,
    /// First instructions of actions.
    Actions,
    /// [`FieldRow`]s.
    Fields,
    /// [`VariableRow`]s.
    Variables,
    /// [`AggregationRow`]s.
    Aggregations,
    /// [`KeyRow`]s.
    Keys,
    /// Bytes of strings.
    Strings,
}

impl Table {
    /// Every table, in the order of the block.
    pub const ALL: [Self; 8] = [
        Self::Clauses,
        Self::Code,
        Self::Actions,
        Self::Fields,
        Self::Variables,
        Self::Aggregations,
        Self::Keys,
        Self::Strings,
    ];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Clauses => "clause",
            Self::Code => "instruction",
            Self::Actions => "action",
            Self::Fields => "field",
            Self::Variables => "variable",
            Self::Aggregations => "aggregation",
            Self::Keys => "key part",
            Self::Strings => "string",
        }
    }

    /// The number of rows according to the header.
    pub const fn count(self, header: &ProgramHeader) -> u32 {
        match self {
            Self::Clauses => header.clauses,
            Self::Code => header.code,
            Self::Actions => header.actions,
            Self::Fields => header.fields,
            Self::Variables => header.variables,
            Self::Aggregations => header.aggregations,
            Self::Keys => header.keys,
            Self::Strings => header.strings,
        }
    }

    /// Size of a row in bytes.
    pub const fn row_size(self) -> usize {
        match self {
            Self::Clauses => size_of::<ClauseRow>(),
            Self::Code => size_of::<Instruction>(),
            Self::Actions => size_of::<u32>(),
            Self::Fields => size_of::<FieldRow>(),
            Self::Variables => size_of::<VariableRow>(),
            Self::Aggregations => size_of::<AggregationRow>(),
            Self::Keys => size_of::<KeyRow>(),
            Self::Strings => 1,
        }
    }
}
