//! Why an instruction is refused: one list, from which the type, the word in
//! `/proc/dtrace/refused` and the sentence for the user all come.

macro_rules! reasons {
    ($($variant:ident, $word:literal, $sentence:literal;)+) => {
        /// The reason for a refusal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Why {
            $(#[doc = concat!("`", $word, "`: ", $sentence, ".")] $variant,)+
        }

        impl Why {
            /// Every reason that there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The reason as one lower-case word, fit for a table's column.
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
        "it may change the byte order of data, and the jump back from its copy loads an address as data";
    Exclusive, "exclusive",
        "it needs an exclusive access that a trap would end";
    Far, "far",
        "its copy would stand too far from what it names, or from the way back";
    Implementation, "implementation",
        "processors are free to differ in what this instruction does";
    Keys, "keys",
        "it calls what it authenticates, with keys that a trap's handler does not have";
    Literal, "literal",
        "it loads or stores registers that a trap does not save, at an address counted from its own";
    Mapping, "mapping",
        "it may change where memory is or what it holds, so that its copy, or what the trap has written, is lost";
    Order, "order",
        "it returns from an exception, or reads what the last one has left: a trap is one more";
    Shadow, "shadow",
        "it and an instruction beside it are one to interrupts, which a trap would let in between";
    Spsr, "spsr",
        "the registers that it works on have been overwritten by the trap";
    Trap, "trap",
        "it calls whoever handles exceptions, and not from its copy";
    Undefined, "undefined",
        "this word is no instruction, or exists in order to trap: it marks a BUG, or another tool's probe";
    Unpredictable, "unpredictable",
        "the architecture does not say what this encoding does";
    Unported, "unported",
        "the tracer does not yet know how to do this instruction elsewhere";
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
