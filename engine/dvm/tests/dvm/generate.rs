//! Random programs, most of them valid. Every choice is a byte of a tape, so that a shorter tape
//! makes a smaller program.

use engine_abi::{
    AggregateFunction, AggregationRow, DESTRUCTIVE, FieldKind, FieldRow, Instruction, KeyRow,
    Scope, Span, ValueKind, VariableRow,
};
use engine_dvm::{Builtin, Immediate, Op, Segment, Subroutine};

use engine_testkit::block::Tables;

/// Readable kernel memory in `RandomEnv`.
pub const KERNEL: u64 = 0xffff_8000_0000_1000;

/// Readable user memory in `RandomEnv`.
pub const USER: u64 = 0x2000;

/// A sequence of choices; 0 after its end.
struct Tape<'a>(&'a [u8]);

impl Tape<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// True with a probability of one in `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }
}

/// Generates a program from a tape.
pub fn program(tape: &[u8]) -> Tables {
    let mut tape = Tape(tape);
    let string_size = tape.one_of(&[16, 8, 9, 64, 255]);
    let mut generator = Generator {
        tables: Tables::new(string_size),
        targets: Vec::new(),
        record_size: 0,
    };
    generator.tables.string(b"");
    generator.tables.string(b"/usr/bin/a string,of parts");
    generator.rows(&mut tape);
    for _ in 0..=tape.below(3) {
        generator.clause(&mut tape);
    }
    generator.tables.header.scratch = 64 * u32::from(tape.byte());
    generator.tables.header.flags = u32::from(!tape.once_in(4)) * DESTRUCTIVE;
    generator.tables.header.heap = 16 * u32::from(tape.byte());
    generator.tables
}

struct Generator {
    tables: Tables,
    /// Branch instructions, and the lines that they branch to.
    targets: Vec<(usize, usize)>,
    record_size: u32,
}

impl Generator {
    /// Variables and aggregations.
    fn rows(&mut self, tape: &mut Tape<'_>) {
        for _ in 0..tape.below(6) {
            let scope = tape.one_of(Scope::ALL);
            let kind = tape.one_of(ValueKind::ALL);
            let is_plain = scope == Scope::Clause || tape.once_in(2);
            let row = VariableRow {
                name: 0,
                size: self.value_size(kind, tape),
                scope: scope.code(),
                kind: kind.code(),
                reserved: 0,
                keys: self.keys(if is_plain { 0 } else { 1 + tape.below(3) }, tape),
            };
            self.tables.variables.push(row);
        }
        for _ in 0..tape.below(4) {
            let function = tape.one_of(AggregateFunction::ALL);
            let parameters = match function {
                AggregateFunction::Lquantize => [-10, 10, 2, 0],
                AggregateFunction::Llquantize => [10, 0, 3, 20],
                _ => [0; 4],
            };
            let row = AggregationRow {
                name: 0,
                function: function.code(),
                reserved: [0; 3],
                keys: self.keys(tape.below(4), tape),
                parameters,
            };
            self.tables.aggregations.push(row);
        }
    }

    fn value_size(&self, kind: ValueKind, tape: &mut Tape<'_>) -> u32 {
        match kind {
            ValueKind::Scalar => 8,
            ValueKind::Text => self.tables.header.string_size,
            ValueKind::Bytes => 1 + u32::from(tape.byte()),
        }
    }

    fn keys(&mut self, count: usize, tape: &mut Tape<'_>) -> Span {
        let first = self.tables.keys.len() as u32;
        for _ in 0..count {
            let kind = tape.one_of(FieldKind::ALL);
            let size = match kind {
                FieldKind::Scalar => 8,
                FieldKind::Text => self.tables.header.string_size.next_multiple_of(8),
                FieldKind::Bytes | FieldKind::Stack | FieldKind::UserStack => {
                    8 + 8 * tape.below(4) as u32
                }
            };
            self.tables.keys.push(KeyRow {
                size,
                kind: kind.code(),
                reserved: [0; 3],
            });
        }
        Span {
            first,
            count: count as u32,
        }
    }

    fn clause(&mut self, tape: &mut Tape<'_>) {
        let first = self.tables.code.len();
        self.record_size = 0;
        let first_field = self.tables.fields.len();
        for _ in 0..tape.below(5) {
            self.field(tape);
        }
        let is_recording = self.tables.fields.len() > first_field || tape.once_in(2);
        self.registers();
        let mut lines = Vec::new();
        if is_recording {
            self.instruction(Op::Open, 0, 0, 0, 0);
        }
        for _ in 0..tape.below(24) {
            lines.push(self.tables.code.len() - first);
            if tape.once_in(6) {
                self.tables.actions.push(self.tables.code.len() as u32);
            }
            self.line(first_field, lines.len(), tape);
        }
        lines.push(self.tables.code.len() - first);
        self.instruction(Op::Ret, 0, 0, 0, 0);
        for (branch, line) in self.targets.drain(..) {
            let line = line.min(lines.len() - 1);
            self.tables.code[branch].immediate = lines[line] as u32;
        }
        self.tables.clause(self.record_size.next_multiple_of(8));
    }

    fn field(&mut self, tape: &mut Tape<'_>) {
        let kind = tape.one_of(FieldKind::ALL);
        let size = match kind {
            FieldKind::Scalar => tape.one_of(&[8, 1, 2, 4]),
            FieldKind::Text => self.tables.header.string_size,
            FieldKind::Bytes => 1 + u32::from(tape.byte()),
            FieldKind::Stack | FieldKind::UserStack => 8 + 8 * tape.below(5) as u32,
        };
        let alignment = match kind {
            FieldKind::Scalar => size,
            FieldKind::Stack | FieldKind::UserStack => 8,
            _ => 1,
        };
        let offset = self.record_size.next_multiple_of(alignment);
        self.record_size = offset + size;
        self.tables.fields.push(FieldRow {
            offset,
            size,
            kind: kind.code(),
            reserved: [0; 7],
        });
    }

    /// Sets every register, most of them to addresses: `r1` to a string, `r2` to the heap,
    /// `r3` and `r4` to kernel memory, `r5` and `r6` to user memory; `r7` is small, `r8` negative.
    fn registers(&mut self) {
        self.instruction(Op::Sets, 1, 0, 0, 1);
        self.wide(3, KERNEL);
        self.wide(4, KERNEL + 0xf7d);
        self.wide(5, USER);
        self.wide(6, USER + 0x33);
        self.instruction(Op::Seti, 7, 0, 0, 24);
        self.instruction(Op::Seti, 8, 0, 0, -3_i32 as u32);
        self.instruction(Op::Push, 0, 7, 0, 0);
        self.instruction(Op::Call, 2, 0, 0, Subroutine::Alloca.code());
        self.wide(
            9,
            Segment::Heap.address(24, self.tables.header.heap as usize),
        );
        for register in 10..16 {
            self.instruction(Op::Mov, register, register - 9, 0, 0);
        }
    }

    fn wide(&mut self, register: u8, value: u64) {
        self.instruction(Op::Seti, register, 0, 0, value as u32);
        self.instruction(Op::Seth, register, register, 0, (value >> 32) as u32);
    }

    fn instruction(&mut self, op: Op, d: u8, a: u8, b: u8, immediate: u32) {
        self.tables.code.push(Instruction {
            op: op.code(),
            d,
            a,
            b,
            immediate,
        });
    }

    /// An op, preceded by what it needs. Rarely leaves something pushed.
    fn line(&mut self, first_field: usize, line: usize, tape: &mut Tape<'_>) {
        let op = tape.one_of(Op::ALL);
        let shape = op.shape();
        let mut register = |is_used: bool| if is_used { tape.byte() & 15 } else { 0 };
        let (d, b) = (register(shape.writes_d), register(shape.reads_b));
        let a = register(shape.reads_a);
        let is_push = matches!(op, Op::Push | Op::Pushs | Op::Pushb | Op::Pushk | Op::Pushu);
        let is_early = matches!(op, Op::Ret | Op::Open | Op::Opens) && !tape.once_in(8);
        let is_wanted = !is_push && !is_early || tape.once_in(64);
        let ahead = line + tape.below(4);
        let operands = match shape.immediate {
            Immediate::Unused => Some((a, 0)),
            Immediate::Number => Some((a, number(tape))),
            Immediate::Text => Some((a, tape.below(self.tables.strings.len()) as u32)),
            Immediate::Target => {
                self.targets.push((self.tables.code.len(), ahead));
                Some((a, 0))
            }
            Immediate::Field => self.field_operand(first_field, a, tape),
            Immediate::Builtin => {
                let builtin = tape.one_of(Builtin::ALL);
                Some((if builtin.is_indexed() { a } else { 0 }, builtin.code()))
            }
            kind => self.pushed_operand(kind, tape).map(|number| (a, number)),
        };
        // If this program lacks what an op needs, the op is left out.
        if let Some((a, immediate)) = operands.filter(|_| is_wanted) {
            self.instruction(op, d, a, b, immediate);
        }
    }

    /// A field of the clause, and the register to record in it.
    fn field_operand(&self, first: usize, a: u8, tape: &mut Tape<'_>) -> Option<(u8, u32)> {
        let fields = &self.tables.fields[first..];
        let number = tape.below(fields.len());
        let kind = FieldKind::from_code(fields.get(number)?.kind);
        let is_stack = kind.is_some_and(FieldKind::is_stack);
        Some((if is_stack { 0 } else { a }, (first + number) as u32))
    }

    /// An op that consumes what is pushed, and the pushes.
    fn pushed_operand(&mut self, kind: Immediate, tape: &mut Tape<'_>) -> Option<u32> {
        if kind == Immediate::Subroutine {
            return Some(self.subroutine(tape));
        }
        let (number, keys) = match kind {
            Immediate::Aggregation => {
                let number = tape.below(self.tables.aggregations.len());
                let aggregation = self.tables.aggregations.get(number)?;
                (number as u32, aggregation.keys)
            }
            _ => self.variable(kind, tape)?,
        };
        self.push_key(keys, tape);
        Some(number)
    }

    /// A subroutine, and the pushes of its arguments.
    fn subroutine(&mut self, tape: &mut Tape<'_>) -> u32 {
        let subroutine = tape.one_of(Subroutine::ALL);
        let (fewest, most) = subroutine.arguments();
        let more = tape.below(usize::from(most - fewest) + 1);
        for _ in 0..usize::from(fewest) + more {
            let argument = tape.byte() & 15;
            self.instruction(Op::Push, 0, argument, 0, 0);
        }
        subroutine.code()
    }

    /// A plain variable or an array, if there is one.
    fn variable(&self, kind: Immediate, tape: &mut Tape<'_>) -> Option<(u32, Span)> {
        let variables = (0..).zip(&self.tables.variables);
        let is_array = kind == Immediate::Array;
        let fits = |variable: &VariableRow| {
            kind != Immediate::Bytes || variable.kind == ValueKind::Bytes.code()
        };
        let fitting: Vec<(u32, Span)> = variables
            .filter(|(_, variable)| (variable.keys.count > 0) == is_array && fits(variable))
            .map(|(number, variable)| (number, variable.keys))
            .collect();
        fitting.get(tape.below(fitting.len())).copied()
    }

    fn push_key(&mut self, keys: Span, tape: &mut Tape<'_>) {
        for number in keys.first..keys.first + keys.count {
            let part = self.tables.keys[number as usize];
            let register = tape.byte() & 15;
            match FieldKind::from_code(part.kind).unwrap() {
                FieldKind::Scalar => self.instruction(Op::Push, 0, register, 0, 0),
                FieldKind::Text => self.instruction(Op::Pushs, 0, register, 0, 0),
                FieldKind::Bytes => {
                    let size = part.size - u32::from(tape.byte() & 7);
                    self.instruction(Op::Pushb, 0, register, 0, size);
                }
                FieldKind::Stack => self.instruction(Op::Pushk, 0, 0, 0, part.size / 8),
                FieldKind::UserStack => {
                    self.instruction(Op::Pushu, 0, 0, 0, part.size / 8 - 1);
                }
            }
        }
    }
}

/// A number: small, or any.
fn number(tape: &mut Tape<'_>) -> u32 {
    match tape.byte() {
        small @ 0..200 => u32::from(small),
        _ => u32::from_ne_bytes([tape.byte(), tape.byte(), tape.byte(), tape.byte()]),
    }
}
