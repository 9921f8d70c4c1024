//! Why an instruction is refused: one list defines the type, the word in `/proc/dtrace/refused`,
//! and the sentence for the user.

macro_rules! reasons {
    ($($variant:ident, $word:literal, $sentence:literal;)+) => {
        /// The reason for a refusal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Why {
            $(#[doc = concat!("`", $word, "`: ", $sentence, ".")] $variant,)+
        }

        impl Why {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The reason as one lower-case word, for a table's column.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The reason as a sentence without its full stop.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$variant => $sentence,)+
                }
            }
        }
    };
}

reasons! {
    Endian, "endian",
        "it may change the data endianness, and the jump back from the slot loads its target as data";
    Exclusive, "exclusive",
        "it needs an exclusive monitor state that a trap would clear";
    Far, "far",
        "a slot would be out of range of its operand or of the resume address";
    Implementation, "implementation",
        "its behavior is implementation defined";
    Keys, "keys",
        "it authenticates its call target, with keys that the trap handler does not have";
    Literal, "literal",
        "it loads or stores registers that the trap frame does not save, at a PC-relative address";
    Mapping, "mapping",
        "it may change the memory mapping or memory contents, so that the slot or the trap is lost";
    Order, "order",
        "it returns from an exception or reads its state, which a trap would overwrite";
    Shadow, "shadow",
        "no interrupt can occur between it and an adjacent instruction, but a trap would allow one";
    Spsr, "spsr",
        "the registers that it uses are overwritten by the trap";
    Trap, "trap",
        "it raises an exception, which must not come from a slot";
    Undefined, "undefined",
        "it is not an instruction, or a trap: a BUG marker or another tool's probe";
    Unpredictable, "unpredictable",
        "its encoding is unpredictable: the architecture does not define it";
    Unported, "unported",
        "the tracer cannot yet emulate or relocate this instruction";
}

#[cfg(test)]
mod tests {
    use super::Why;

    #[test]
    fn every_word_is_one_lower_case_word() {
        for why in Why::ALL {
            let word = why.word();
            assert!(!word.is_empty(), "{why:?}");
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
        }
    }

    #[test]
    fn no_two_reasons_share_a_word_or_a_sentence() {
        for (index, why) in Why::ALL.iter().enumerate() {
            for other in &Why::ALL[..index] {
                assert_ne!(why.word(), other.word());
                assert_ne!(why.sentence(), other.sentence());
            }
        }
    }
}
