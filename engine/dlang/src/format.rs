//! A format of `printf` or `printa`, taken apart and checked against its arguments.

/// A format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format(pub Vec<Piece>);

/// A part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// What is printed as it is.
    Text(String),
    /// What an argument is printed as.
    Conversion(Conversion),
}

/// How an argument is printed: `%[flags][width][.precision][size]specifier`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    /// Its flags.
    pub flags: Flags,
    /// The least width.
    pub width: Option<Extent>,
    /// The precision.
    pub precision: Option<Extent>,
    /// What the argument is printed as.
    pub specifier: Specifier,
}

/// The flags of a conversion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// `-`: to the left of its width.
    pub left: bool,
    /// `0`: zeros in front.
    pub zero: bool,
    /// `+`: the sign of what is not negative.
    pub plus: bool,
    /// ` `: a space for it.
    pub space: bool,
    /// `#`: the alternate form.
    pub alternate: bool,
    /// `'`: digits in groups.
    pub group: bool,
    /// `@`: of `printa`, the aggregation's value instead of the next part of its key.
    pub aggregation: bool,
}

/// A width or a precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// So much.
    Fixed(u32),
    /// `*`: what the next argument says.
    Argument,
}

/// What an argument is printed as. What consumes no argument is text, and not here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Specifier {
    /// `%a`, `%A`: the name of the symbol at a kernel address, and how far behind it.
    Address,
    /// `%c`: a character.
    Character,
    /// `%C`: a character, if it can be printed; otherwise its escape.
    PrintableCharacter,
    /// `%d`, `%i`: a number, signed or not as its type is.
    Decimal,
    /// `%u`: an unsigned number.
    Unsigned,
    /// `%o`: in octal.
    Octal,
    /// `%x`: in hexadecimal.
    LowerHex,
    /// `%X`: in hexadecimal, with capitals.
    UpperHex,
    /// `%p`: an address, as `%x`.
    Pointer,
    /// `%s`: a string.
    Text,
    /// `%S`: a string, with escapes for what cannot be printed.
    EscapedText,
    /// `%e`, `%E`, `%f`, `%g`, `%G`: a number with a fraction.
    Float(char),
    /// `%k`: a stack.
    Stack,
    /// `%Y`: nanoseconds since 1970 as a date.
    Date,
    /// `%T`: nanoseconds since 1970 as a date, in the form that mail uses.
    MailDate,
}
