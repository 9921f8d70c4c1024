//! Tokens.

use std::ops::Range;
use std::rc::Rc;

/// A token, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    /// The line that it ends on.
    pub line: u32,
    /// Its range in the source, in bytes.
    pub span: Range<usize>,
}

/// The kind of a token. Macro arguments and inline strings may occur often, so their text is
/// shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// End of input.
    End,
    Integer(Integer),
    Text(Rc<[u8]>),
    Word(Rc<str>),
    /// `@name`, without the `@`.
    Aggregation(String),
    /// A probe description, as written.
    Description(String),
    Keyword(Keyword),
    Symbol(Symbol),
    /// The `/` after a predicate.
    EndPredicate,
}

/// An integer constant, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Integer {
    pub value: u64,
    pub is_decimal: bool,
    pub is_unsigned: bool,
    /// The number of `l` suffixes.
    pub longs: u8,
    /// Whether a macro argument has a minus sign.
    pub is_negative: bool,
}

impl Integer {
    /// A constant without a suffix.
    pub(crate) fn plain(value: u64) -> Self {
        Self {
            value,
            is_decimal: true,
            is_unsigned: false,
            longs: 0,
            is_negative: false,
        }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $name { $($variant,)* }

        impl $name {
            /// The spellings.
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),*];

            /// Its spelling.
            pub(crate) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// A reserved word.
    Keyword {
        Auto "auto",
        Break "break",
        Case "case",
        Char "char",
        Const "const",
        Continue "continue",
        Counter "counter",
        Default "default",
        Do "do",
        Double "double",
        Else "else",
        Enum "enum",
        Extern "extern",
        Float "float",
        For "for",
        Goto "goto",
        If "if",
        Import "import",
        Inline "inline",
        Int "int",
        Long "long",
        Offsetof "offsetof",
        Probe "probe",
        Provider "provider",
        Register "register",
        Restrict "restrict",
        Return "return",
        Self_ "self",
        Short "short",
        Signed "signed",
        Sizeof "sizeof",
        Static "static",
        String "string",
        Stringof "stringof",
        Struct "struct",
        Switch "switch",
        This "this",
        Translator "translator",
        Typedef "typedef",
        Union "union",
        Unsigned "unsigned",
        Void "void",
        Volatile "volatile",
        While "while",
        Xlate "xlate",
    }
}

impl Keyword {
    /// The reserved word with this spelling.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let found = Self::WORDS.iter().find(|(spelt, _)| *spelt == word);
        found.map(|(_, keyword)| *keyword)
    }

    /// Whether a declaration may begin with it; between clauses, other reserved words are probe
    /// descriptions.
    pub(crate) fn declares(self) -> bool {
        self.is_type()
            || matches!(
                self,
                Self::Auto
                    | Self::Counter
                    | Self::Extern
                    | Self::Import
                    | Self::Inline
                    | Self::Provider
                    | Self::Register
                    | Self::Self_
                    | Self::Static
                    | Self::This
                    | Self::Translator
                    | Self::Typedef
            )
    }

    /// Whether a type name may begin with it.
    pub(crate) fn is_type(self) -> bool {
        matches!(
            self,
            Self::Char
                | Self::Const
                | Self::Double
                | Self::Enum
                | Self::Float
                | Self::Int
                | Self::Long
                | Self::Restrict
                | Self::Short
                | Self::Signed
                | Self::String
                | Self::Struct
                | Self::Union
                | Self::Unsigned
                | Self::Void
                | Self::Volatile
        )
    }
}

words! {
    /// A punctuator. Longer ones come first: the longest match counts.
    Symbol {
        LeftEqual "<<=",
        RightEqual ">>=",
        Ellipsis "...",
        AddEqual "+=",
        SubEqual "-=",
        MulEqual "*=",
        DivEqual "/=",
        ModEqual "%=",
        AndEqual "&=",
        XorEqual "^=",
        OrEqual "|=",
        Both "&&",
        Either "||",
        OneOf "^^",
        Equal "==",
        Unequal "!=",
        AtMost "<=",
        AtLeast ">=",
        Left "<<",
        Right ">>",
        Increment "++",
        Decrement "--",
        Arrow "->",
        Or "|",
        Xor "^",
        And "&",
        Less "<",
        Greater ">",
        Add "+",
        Sub "-",
        Mul "*",
        Div "/",
        Mod "%",
        Complement "~",
        Not "!",
        Question "?",
        Colon ":",
        Dot ".",
        Assign "=",
        Comma ",",
        Semicolon ";",
        Open "(",
        Close ")",
        OpenBracket "[",
        CloseBracket "]",
        OpenBrace "{",
        CloseBrace "}",
    }
}

impl Symbol {
    /// The longest punctuator that `bytes` begin with.
    pub(crate) fn at(bytes: &[u8]) -> Option<Self> {
        let found = Self::WORDS
            .iter()
            .find(|(spelt, _)| bytes.starts_with(spelt.as_bytes()));
        found.map(|(_, symbol)| *symbol)
    }
}
