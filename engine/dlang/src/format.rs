//! A format of `printf` or `printa`, parsed and checked against its arguments.

/// A format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format(pub Vec<Piece>);

/// A part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// A conversion.
    Conversion(Conversion),
}

/// How an argument is printed: `%[flags][width][.precision][size]specifier`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    /// Its flags.
    pub flags: Flags,
    /// The minimum width.
    pub width: Option<Extent>,
    /// The precision.
    pub precision: Option<Extent>,
    /// The conversion specifier.
    pub specifier: Specifier,
}

/// The flags of a conversion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// `-`: left-justified.
    pub left: bool,
    /// `0`: padded with zeros.
    pub zero: bool,
    /// `+`: a sign for nonnegative numbers.
    pub plus: bool,
    /// ` `: a space in place of that sign.
    pub space: bool,
    /// `#`: the alternate form.
    pub alternate: bool,
    /// `'`: grouped digits.
    pub group: bool,
    /// `@`: in `printa`, the aggregation's value instead of the next component of its key.
    pub aggregation: bool,
}

/// A width or a precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A constant.
    Fixed(u32),
    /// `*`: the next argument.
    Argument,
}

/// A conversion specifier. Those that consume no argument are parsed to text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Specifier {
    /// `%a`: a kernel address as symbol plus offset.
    Address,
    /// `%A`: an address of a process, likewise.
    UserAddress,
    /// `%c`: a character.
    Character,
    /// `%C`: a character, escaped if it is not printable.
    PrintableCharacter,
    /// `%d`, `%i`: a number, signed according to its type.
    Decimal,
    /// `%u`: an unsigned number.
    Unsigned,
    /// `%o`: in octal.
    Octal,
    /// `%x`: in hexadecimal.
    LowerHex,
    /// `%X`: in upper-case hexadecimal.
    UpperHex,
    /// `%p`: an address, as `%x`.
    Pointer,
    /// `%s`: a string.
    Text,
    /// `%S`: a string, with unprintable characters escaped.
    EscapedText,
    /// `%e`, `%E`, `%f`, `%g`, `%G`: a floating-point number.
    Float(char),
    /// `%k`: a stack.
    Stack,
    /// `%Y`: nanoseconds since 1970 as a date.
    Date,
    /// `%T`: nanoseconds since 1970 as a date, in mail format.
    MailDate,
}
