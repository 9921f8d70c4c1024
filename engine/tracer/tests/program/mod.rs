//! Builds program blocks for the engine, table by table, without the D compiler.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use engine_abi::{
    AggregateFunction, AggregationRow, ClauseRow, DESTRUCTIVE, FieldKind, FieldRow, Instruction,
    KeyRow, Scope, Span, ValueKind, VariableRow,
};
use engine_dvm::{Builtin, Op, Subroutine};
use engine_testkit::block::Tables;

/// A program under construction.
pub struct Program {
    tables: Tables,
}

/// Bytes of a string in every program.
pub const STRING: u32 = 32;

/// `op d, a, b, immediate`
pub fn op(op: Op, [d, a, b]: [u8; 3], immediate: u32) -> Instruction {
    Instruction {
        op: op.code(),
        d,
        a,
        b,
        immediate,
    }
}

pub fn ret() -> Instruction {
    op(Op::Ret, [0; 3], 0)
}

pub fn open_record() -> Instruction {
    op(Op::Open, [0; 3], 0)
}

pub fn exit() -> Instruction {
    op(Op::Exit, [0; 3], 0)
}

/// Sets register `d` to a constant.
pub fn set(d: u8, number: u32) -> Instruction {
    op(Op::Seti, [d, 0, 0], number)
}

/// Loads element `index` of a built-in variable into register `d`. Clobbers register 15.
pub fn builtin(d: u8, builtin: Builtin, index: u32) -> [Instruction; 2] {
    let a = if builtin.is_indexed() { 15 } else { 0 };
    [set(15, index), op(Op::Ldb, [d, a, 0], builtin.code())]
}

pub fn push(a: u8) -> Instruction {
    op(Op::Push, [0, a, 0], 0)
}

pub fn record(a: u8, field: u32) -> Instruction {
    op(Op::Rec, [0, a, 0], field)
}

pub fn load(d: u8, variable: u32) -> Instruction {
    op(Op::Ldv, [d, 0, 0], variable)
}

pub fn store(a: u8, variable: u32) -> Instruction {
    op(Op::Stv, [0, a, 0], variable)
}

pub fn call(d: u8, subroutine: Subroutine) -> Instruction {
    op(Op::Call, [d, 0, 0], subroutine.code())
}

/// Loads from address 0, which faults. Clobbers register 14.
pub fn fault() -> [Instruction; 2] {
    [set(14, 0), op(Op::Ldub, [14, 14, 0], 0)]
}

impl Program {
    pub fn new() -> Self {
        let mut tables = Tables::new(STRING);
        tables.header.scratch = 1024;
        tables.header.heap = 1024;
        tables.strings.push(0);
        Self { tables }
    }

    /// A program with one clause, which records only that it ran.
    pub fn firing() -> Self {
        let mut program = Self::new();
        program.clause(&[], |_| vec![open_record(), ret()]);
        program
    }

    /// A program with one clause, which records `arg0` to `arg5`.
    pub fn arguments() -> Self {
        let mut program = Self::new();
        program.numbers(6, |d| builtin(d, Builtin::Arg, u32::from(d) - 1).to_vec());
        program
    }

    /// Adds a clause that records `count` numbers: `code` leaves each in the register that it is
    /// passed. Returns the clause's number.
    pub fn numbers(&mut self, count: u8, code: impl Fn(u8) -> Vec<Instruction>) -> u32 {
        let fields = vec![(8, FieldKind::Scalar); count.into()];
        self.clause(&fields, |fields| {
            let made = (1..=count).flat_map(code);
            let recorded = (1..).zip(fields).map(|(a, field)| record(a, *field));
            made.chain([open_record()])
                .chain(recorded)
                .chain([ret()])
                .collect()
        })
    }

    /// Adds a clause whose record has fields of these sizes and kinds; `code` gets their row
    /// numbers. Returns the clause's number.
    pub fn clause(
        &mut self,
        fields: &[(u32, FieldKind)],
        code: impl FnOnce(&[u32]) -> Vec<Instruction>,
    ) -> u32 {
        let first = self.tables.fields.len() as u32;
        let mut offset = 0u32;
        for (size, kind) in fields {
            self.tables.fields.push(FieldRow {
                offset,
                size: *size,
                kind: kind.code(),
                reserved: [0; 7],
            });
            offset = (offset + size).next_multiple_of(8);
        }
        let rows: Vec<u32> = (first..self.tables.fields.len() as u32).collect();
        let code = code(&rows);
        let span = |first: usize, count: usize| Span {
            first: first as u32,
            count: count as u32,
        };
        self.tables.clauses.push(ClauseRow {
            code: span(self.tables.code.len(), code.len()),
            actions: span(self.tables.actions.len(), 1),
            fields: span(first as usize, rows.len()),
            record_size: offset,
            reserved: 0,
        });
        self.tables.actions.push(self.tables.code.len() as u32);
        self.tables.code.extend(code);
        self.tables.clauses.len() as u32 - 1
    }

    /// Adds a variable; `keys` are the sizes of its key's parts. Returns its number.
    pub fn variable(&mut self, scope: Scope, kind: ValueKind, size: u32, keys: &[u32]) -> u32 {
        let keys = self.keys(keys);
        self.tables.variables.push(VariableRow {
            name: 0,
            size,
            scope: scope.code(),
            kind: kind.code(),
            reserved: 0,
            keys,
        });
        self.tables.variables.len() as u32 - 1
    }

    /// Adds a scalar variable. Returns its number.
    pub fn scalar(&mut self, scope: Scope, keys: &[u32]) -> u32 {
        self.variable(scope, ValueKind::Scalar, 8, keys)
    }

    /// Adds an aggregation. Returns its number.
    pub fn aggregation(&mut self, function: AggregateFunction, keys: &[u32]) -> u32 {
        let keys = self.keys(keys);
        self.tables.aggregations.push(AggregationRow {
            name: 0,
            function: function.code(),
            reserved: [0; 3],
            keys,
            parameters: [0; 4],
        });
        self.tables.aggregations.len() as u32 - 1
    }

    fn keys(&mut self, sizes: &[u32]) -> Span {
        let first = self.tables.keys.len() as u32;
        self.tables.keys.extend(sizes.iter().map(|size| KeyRow {
            size: *size,
            kind: FieldKind::Scalar.code(),
            reserved: [0; 3],
        }));
        Span {
            first,
            count: sizes.len() as u32,
        }
    }

    /// Declares that it may change the system.
    pub fn destructive(&mut self) {
        self.tables.header.flags = DESTRUCTIVE;
    }

    /// The program block as `/dev/dtrace` takes it.
    pub fn block(&self) -> Vec<u64> {
        self.tables.block()
    }
}
