//! The ops of D's bytecode. One list defines the enum, its codes and names, and the operands of
//! each op, for the verifier, the interpreter and the disassembler.
//!
//! There are 16 registers of 64 bits, `r0` to `r15`; `r0` reads as 0, and writes to it are
//! discarded. Branches only go forward, so every program terminates. A clause's code is its
//! predicate, a branch to its `ret` if that is 0, then `open` if it records anything, and its
//! actions.
//!
//! Pushed values are consumed, all of them, by an `lda`, `sta`, `agg` or `call` in the same basic
//! block. So whatever a push needs is computed before the first push.

/// The number of registers.
pub const REGISTERS: u8 = 16;

/// The meaning of an instruction's immediate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Immediate {
    /// Unused: it must be 0.
    Unused,
    /// A number.
    Number,
    /// A later instruction of the same clause, relative to the clause's first.
    Target,
    /// An offset into the strings.
    Text,
    /// A plain variable.
    Variable,
    /// A plain variable that consists of bytes and has an address.
    Bytes,
    /// An associative array.
    Array,
    /// An aggregation.
    Aggregation,
    /// A field of the clause's record.
    Field,
    /// A [`Builtin`](crate::Builtin).
    Builtin,
    /// A [`Subroutine`](crate::Subroutine).
    Subroutine,
}

/// The fields that an op uses. An unused register must be 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Whether it writes `d`.
    pub writes_d: bool,
    /// Whether it reads `a`.
    pub reads_a: bool,
    /// Whether it reads `b`.
    pub reads_b: bool,
    /// The meaning of the immediate.
    pub immediate: Immediate,
}

macro_rules! ops {
    ($($(#[$doc:meta])* $variant:ident = $code:literal $word:literal ($($operand:ident)*);)*) => {
        /// The operation of an instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Op {
            $($(#[$doc])* $variant = $code,)*
        }

        impl Op {
            /// Every op, in the order of the codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The op with this code.
            #[inline]
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Its code.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Its name.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The fields that it uses.
            pub const fn shape(self) -> Shape {
                match self { $(Self::$variant => NONE$(.$operand())*,)* }
            }
        }
    };
}

const NONE: Shape = Shape {
    writes_d: false,
    reads_a: false,
    reads_b: false,
    immediate: Immediate::Unused,
};

macro_rules! immediates {
    ($($word:ident $kind:ident,)*) => {
        impl Shape {
            const fn d(self) -> Self {
                Self { writes_d: true, ..self }
            }

            const fn a(self) -> Self {
                Self { reads_a: true, ..self }
            }

            const fn b(self) -> Self {
                Self { reads_b: true, ..self }
            }

            $(const fn $word(self) -> Self {
                Self { immediate: Immediate::$kind, ..self }
            })*
        }
    };
}

impl Shape {
    /// Whether it has no operands.
    pub fn is_bare(self) -> bool {
        self == NONE
    }
}

immediates! {
    number Number,
    target Target,
    text Text,
    variable Variable,
    bytes Bytes,
    array Array,
    aggregation Aggregation,
    field Field,
    builtin Builtin,
    subroutine Subroutine,
}

ops! {
    /// Ends the clause; an open record is complete.
    Ret = 0x00 "ret" ();

    /// d = a | b
    Or = 0x01 "or" (d a b);
    /// d = a ^ b
    Xor = 0x02 "xor" (d a b);
    /// d = a & b
    And = 0x03 "and" (d a b);
    /// d = a shifted left by the low 6 bits of b
    Sll = 0x04 "sll" (d a b);
    /// d = a shifted right logically by the low 6 bits of b
    Srl = 0x05 "srl" (d a b);
    /// d = a shifted right arithmetically by the low 6 bits of b
    Sra = 0x06 "sra" (d a b);
    /// d = a - b
    Sub = 0x07 "sub" (d a b);
    /// d = a + b
    Add = 0x08 "add" (d a b);
    /// d = a * b
    Mul = 0x09 "mul" (d a b);
    /// d = a / b, signed; faults if b is 0
    Sdiv = 0x0a "sdiv" (d a b);
    /// d = a / b, unsigned; faults if b is 0
    Udiv = 0x0b "udiv" (d a b);
    /// d = a % b, signed; faults if b is 0
    Srem = 0x0c "srem" (d a b);
    /// d = a % b, unsigned; faults if b is 0
    Urem = 0x0d "urem" (d a b);
    /// d = ~a
    Not = 0x0e "not" (d a);
    /// d = a
    Mov = 0x0f "mov" (d a);

    /// d = the low 8 bits of a, sign-extended
    Sxtb = 0x10 "sxtb" (d a);
    /// d = the low 16 bits of a, sign-extended
    Sxth = 0x11 "sxth" (d a);
    /// d = the low 32 bits of a, sign-extended
    Sxtw = 0x12 "sxtw" (d a);
    /// d = the low 8 bits of a, zero-extended
    Zxtb = 0x13 "zxtb" (d a);
    /// d = the low 16 bits of a, zero-extended
    Zxth = 0x14 "zxth" (d a);
    /// d = the low 32 bits of a, zero-extended
    Zxtw = 0x15 "zxtw" (d a);

    /// d = the immediate, sign-extended
    Seti = 0x16 "seti" (d number);
    /// d = the low half of a, and the immediate as the high half
    Seth = 0x17 "seth" (d a number);
    /// d = the address of a string of the program
    Sets = 0x18 "sets" (d text);

    /// d = a == b
    Ceq = 0x20 "ceq" (d a b);
    /// d = a != b
    Cne = 0x21 "cne" (d a b);
    /// d = a < b, signed
    Clt = 0x22 "clt" (d a b);
    /// d = a <= b, signed
    Cle = 0x23 "cle" (d a b);
    /// d = a < b, unsigned
    Cltu = 0x24 "cltu" (d a b);
    /// d = a <= b, unsigned
    Cleu = 0x25 "cleu" (d a b);
    /// d = -1, 0 or 1 as the string at a is less than, equal to, or greater than that at b; address
    /// 0 is the empty string
    Scmp = 0x26 "scmp" (d a b);

    /// Branches.
    Ba = 0x28 "ba" (target);
    /// Branches if a is 0.
    Bz = 0x29 "bz" (a target);
    /// Branches if a is not 0.
    Bnz = 0x2a "bnz" (a target);

    /// d = the signed 8 bits at address a
    Ldsb = 0x30 "ldsb" (d a);
    /// d = the signed 16 bits at address a
    Ldsh = 0x31 "ldsh" (d a);
    /// d = the signed 32 bits at address a
    Ldsw = 0x32 "ldsw" (d a);
    /// d = the unsigned 8 bits at address a
    Ldub = 0x33 "ldub" (d a);
    /// d = the unsigned 16 bits at address a
    Lduh = 0x34 "lduh" (d a);
    /// d = the unsigned 32 bits at address a
    Lduw = 0x35 "lduw" (d a);
    /// d = the 64 bits at address a
    Ldx = 0x36 "ldx" (d a);
    /// Stores the low 8 bits of b at address a on the heap or in a variable.
    Stb = 0x38 "stb" (a b);
    /// Stores the low 16 bits of b at address a on the heap or in a variable.
    Sth = 0x39 "sth" (a b);
    /// Stores the low 32 bits of b at address a on the heap or in a variable.
    Stw = 0x3a "stw" (a b);
    /// Stores b at address a on the heap or in a variable.
    Stx = 0x3b "stx" (a b);

    /// d = a built-in variable; a is the index, if it takes one
    Ldb = 0x40 "ldb" (d a builtin);
    /// d = the variable: a scalar, or the address of a copy in scratch memory. A string that was
    /// never set is empty, but a thread's, and bytes, are at address 0.
    Ldv = 0x41 "ldv" (d variable);
    /// The variable = a: a scalar, or the data at that address; 0 makes a variable null that is not
    /// a scalar.
    Stv = 0x42 "stv" (a variable);
    /// d = the element with the pushed key, like `ldv`; 0 if it was never set
    Lda = 0x43 "lda" (d array);
    /// The element with the pushed key = a, like `stv`; 0 frees it.
    Sta = 0x44 "sta" (a array);

    /// d = the address of a variable that consists of bytes
    Lea = 0x45 "lea" (d bytes);

    /// Pushes the scalar a, as a key component or a subroutine's argument.
    Push = 0x48 "push" (a);
    /// Pushes the string at address a.
    Pushs = 0x49 "pushs" (a);
    /// Pushes the bytes at address a, as many as the immediate.
    Pushb = 0x4a "pushb" (a number);
    /// Pushes the kernel stack's program counters, as many as the immediate.
    Pushk = 0x4b "pushk" (number);
    /// Pushes the ID of the process, and its stack's program counters, as many as the immediate.
    Pushu = 0x4d "pushu" (number);
    /// d = the result of the subroutine with the pushed arguments
    Call = 0x4c "call" (d subroutine);

    /// Opens the clause's record; ends the clause if there is no space for it.
    Open = 0x50 "open" ();
    /// Opens it in speculation a; ends the clause if that is free or full; faults if there is none
    /// of that number.
    Opens = 0x51 "opens" (a);
    /// Writes a to a field of the open record: a scalar, or the data at that address. A stack's
    /// field needs no a.
    Rec = 0x52 "rec" (a field);
    /// Adds value a to the aggregation with the pushed key; b is the increment of a quantizing
    /// function's bucket.
    Agg = 0x53 "agg" (a b aggregation);
    /// Commits speculation a to the principal buffer; faults if there is none of that number.
    Commit = 0x54 "commit" (a);
    /// Discards speculation a; faults if there is none of that number.
    Discard = 0x55 "discard" (a);
    /// Requests the end of tracing after this firing.
    Exit = 0x56 "exit" ();
}
