//! An encoding in the notation of the manual's opcode column; the text *is* the test.
//!
//! `[LOCK] 80 /0-6 ib` reads from left to right:
//!
//! - Prefixes. `NP` excludes 66, F2 and F3; `NFx` excludes F2 and F3; `66`, `F3` and `F2` are
//!   required, where the last of F2 and F3 counts, and 66 only without either. Without any of these
//!   all are allowed: 66 is then the operand size, and the others are ignored or repeat. `REX.W`
//!   must be set, or clear for `W0`. `[LOCK]` allows LOCK if memory is written. Segment prefixes,
//!   67 and a REX are always allowed.
//! - Or `VEX`, `EVEX` or `XOP` and what replaces the prefixes, separated by dots: `NDS` for a
//!   register in vvvv, which must be empty otherwise; the lengths `128`, `256` and `512`; the
//!   prefix; the map; `W0` or `W1`. What is not written is ignored.
//! - The opcode, of which `+r` and `70-7F` are ranges. `i64` before it means invalid in 64-bit
//!   mode, `o64` valid only there.
//! - `/r`, a ModRM byte, or one with a digit in its middle (`/0`, `/0-3,7`). `mem` and `reg`
//!   restrict what it may refer to, `vsib` is memory with a vector of indices. Or the byte itself
//!   (`0F 01 C8`, `D9 E8-EE`).
//! - For EVEX, `{k}` is a mask, `{kz}` one that may also zero, `{k!}` a required one, `{bcst}` a
//!   broadcast memory element, `{er}` embedded rounding.
//! - Immediates: `ib`, `iw` or `id` of 1, 2 or 4 bytes; `iz` of the operand size but at most 4;
//!   `iv` of the operand size; `cb` and `cd` relative to the instruction pointer; `cp` a far
//!   pointer; `mo` an address.
//!
//! Texts are parsed at compile time only, and a malformed one is a build error.

use super::traits::Traits;

/// An encoding's text, and the test for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    pub(super) text: &'static str,
    pub(super) map: Map,
    pub(super) first: u8,
    pub(super) last: u8,
    pub(super) test: Test,
}

/// What an instruction of the right map and opcode must have, and its immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) ruled_out: Traits,
    pub(super) modrm: bool,
    pub(super) immediate: Immediate,
}

/// The opcode maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Map {
    /// No escape.
    One,
    /// 0F.
    Two,
    /// 0F 38.
    Three38,
    /// 0F 3A.
    Three3A,
    Vex1,
    Vex2,
    Vex3,
    Evex1,
    Evex2,
    Evex3,
    Evex5,
    Evex6,
    Xop8,
    Xop9,
    XopA,
}

impl Map {
    /// How many maps there are.
    pub(super) const COUNT: usize = 15;
}

/// The immediate, by size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Immediate {
    None,
    /// `ib`, `cb`.
    One,
    /// `iw`.
    Two,
    /// `iw ib`.
    Three,
    /// `id`.
    Four,
    /// `cd`.
    Near,
    /// `iz`.
    UpToFour,
    /// `iv`.
    Full,
    /// `mo`.
    Address,
    /// `cp`.
    Far,
}

impl Test {
    /// Whether an instruction with these traits passes.
    #[inline]
    pub(super) const fn passes(self, traits: Traits) -> bool {
        !self.ruled_out.has_any(traits)
    }
}

impl Encoding {
    /// The encoding of the row for the remainder.
    pub(super) const ANY: Self = Self {
        text: "any",
        map: Map::XopA,
        first: 0xff,
        last: 0,
        test: Test {
            ruled_out: Traits::NONE,
            modrm: false,
            immediate: Immediate::None,
        },
    };

    /// Whether every instruction that matches `other` also matches this.
    pub(super) const fn covers(&self, other: &Self) -> bool {
        self.map as u8 == other.map as u8
            && self.first <= other.first
            && self.last >= other.last
            && other.test.ruled_out.has_all(self.test.ruled_out)
    }

    /// The text.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, Map};
    use crate::x86::LONGEST;
    use crate::x86::opening::{Mode, Opening};

    fn matches_in(mode: Mode, encoding: &'static str, bytes: &[u8]) -> bool {
        let mut text = [0; LONGEST];
        text[..bytes.len()].copy_from_slice(bytes);
        let encoding = Encoding::new(encoding);
        let Some(opening) = Opening::read(mode, &text) else {
            return false;
        };
        opening.map == encoding.map
            && (encoding.first..=encoding.last).contains(&opening.opcode)
            && encoding.test.passes(opening.traits())
    }

    fn matches(encoding: &'static str, bytes: &[u8]) -> bool {
        matches_in(Mode::Long, encoding, bytes)
    }

    #[test]
    fn opcode_bytes_digits_and_registers_decide() {
        assert!(matches("F3 0F 1E FA", &[0xf3, 0x0f, 0x1e, 0xfa]));
        assert!(!matches("F3 0F 1E FA", &[0xf3, 0x0f, 0x1e, 0xfb]));
        assert!(matches("50+r", &[0x57]) && !matches("50+r", &[0x58]));
        assert!(matches("70-7F cb", &[0x7f]) && !matches("70-7F cb", &[0x80]));
        assert!(matches("C7 /0 iz", &[0xc7, 0xc7]) && !matches("C7 /0 iz", &[0xc7, 0xcf]));
        assert!(matches("80 /0-6 ib", &[0x80, 0xf0]) && !matches("80 /0-6 ib", &[0x80, 0xf8]));
        assert!(matches("D0 /0-5,7", &[0xd0, 0xf8]) && !matches("D0 /0-5,7", &[0xd0, 0xf0]));
        assert!(matches("D9 E8-EE", &[0xd9, 0xee]) && !matches("D9 E8-EE", &[0xd9, 0xef]));
        assert!(!matches("D9 E8-EE", &[0xd9, 0x28]));
    }

    #[test]
    fn memory_and_registers_are_told_apart() {
        assert!(matches("8D /r mem", &[0x8d, 0x07]) && !matches("8D /r mem", &[0x8d, 0xc7]));
        assert!(!matches("0F AE /0 reg", &[0x0f, 0xae, 0x07]));
        assert!(matches("[LOCK] 00 /r", &[0xf0, 0x00, 0x07]));
        assert!(!matches("[LOCK] 00 /r", &[0xf0, 0x00, 0xc7]));
        assert!(!matches("00 /r", &[0xf0, 0x00, 0x07]));
    }

    #[test]
    fn the_last_of_f2_and_f3_counts_and_66_only_without_them() {
        assert!(matches("NP 0F 10 /r", &[0x0f, 0x10]));
        for (prefixes, which) in [
            (&[0x66][..], "66 0F 10 /r"),
            (&[0xf3, 0x66], "F3 0F 10 /r"),
            (&[0xf2, 0xf3], "F3 0F 10 /r"),
            (&[0xf3, 0x66, 0xf2], "F2 0F 10 /r"),
        ] {
            let text = [prefixes, &[0x0f, 0x10]].concat();
            for encoding in ["NP 0F 10 /r", "66 0F 10 /r", "F3 0F 10 /r", "F2 0F 10 /r"] {
                assert_eq!(matches(encoding, &text), encoding == which, "{text:02x?}");
            }
            assert!(matches("0F 10 /r", &text));
        }
    }

    #[test]
    fn vex_and_evex_say_what_prefixes_say() {
        // vaddps ymm0, ymm1, ymm2; vaddpd zmm0{k1}{z}, zmm1, zmm2; the latter with rounding.
        let vex = &[0xc5, 0xf4, 0x58, 0xc2];
        assert!(matches("VEX.NDS.NP.0F 58 /r", vex) && matches("VEX.NDS.256.NP.0F 58 /r", vex));
        assert!(!matches("VEX.NP.0F 58 /r", vex) && !matches("VEX.NDS.128.NP.0F 58 /r", vex));
        let evex = &[0x62, 0xf1, 0xf5, 0xc9, 0x58, 0xc2];
        assert!(matches("EVEX.NDS.66.0F.W1 58 /r {kz}", evex));
        assert!(!matches("EVEX.NDS.66.0F.W1 58 /r {k}", evex));
        assert!(!matches("EVEX.NDS.66.0F.W0 58 /r {kz}", evex));
        let rounded = &[0x62, 0xf1, 0xf5, 0x78, 0x58, 0xc2];
        assert!(matches("EVEX.NDS.512.66.0F.W1 58 /r {kz} {er}", rounded));
        assert!(!matches("EVEX.NDS.66.0F.W1 58 /r {kz} {bcst}", rounded));
    }

    #[test]
    fn the_modes_differ() {
        assert!(matches_in(Mode::Compat, "i64 40-4F", &[0x48]));
        assert!(!matches("i64 40-4F", &[0x48]));
        assert!(matches_in(Mode::Compat, "i64 C5 /r mem", &[0xc5, 0x07]));
        assert!(matches_in(
            Mode::Compat,
            "VEX.NP.0F 77",
            &[0xc5, 0xf8, 0x77]
        ));
    }

    #[test]
    fn special_is_not_general() {
        let (all, some) = (Encoding::new("0F BC /r"), Encoding::new("F3 0F BC /r"));
        assert!(all.covers(&some) && !some.covers(&all) && all.covers(&all));
        assert_eq!(all.map, Map::Two);
    }
}
