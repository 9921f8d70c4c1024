//! Seeded defects in this crate, to show that its tests detect them: built in only with `--cfg
//! trapline_mutants`, and at most one active at a time.

#[cfg(trapline_mutants)]
use core::sync::atomic::{AtomicUsize, Ordering};

macro_rules! mutants {
    ($($set:ident, $of:literal { $($variant:ident, $name:literal, $defect:literal;)+ })+) => {
        /// A defect that can be activated.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mutant {
            $($(#[doc = concat!("`", $name, "`: ", $defect, ".")] $variant,)+)+
        }

        #[cfg(trapline_mutants)]
        impl Mutant {
            $(
                #[doc = concat!("Every defect of ", $of, ".")]
                pub const $set: &'static [Self] = &[$(Self::$variant),+];
            )+

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$variant => $name,)+)+
                }
            }
        }
    };
}

mutants! {
    ARM, "A32" {
        WrongCarry, "wrong-carry", "the carry out of an operand's shift is the opposite of what it is";
        PcPlus4, "pc-plus-4", "the pc is read as its address plus 4";
        WriteBackFirst, "write-back-first", "a base is written back before the address is made of it";
        UpIgnored, "up-ignored", "an offset in a register is added even where it is to be subtracted";
        NegativeLiteral, "negative-literal", "a negative offset from the pc is taken for a positive one";
        ConditionIgnored, "condition-ignored", "an emulated instruction is done whether its condition holds or not";
        BaseInList, "base-in-list", "a load multiple that writes back to a register of its list is accepted";
        ExclusiveAccepted, "exclusive-accepted", "exclusive stores are relocated";
        InterworkingLost, "interworking-lost", "the lowest bit of a branch's target does not change to Thumb";
        LinkPlus8, "link-plus-8", "a call's return address is one instruction too far";
        SignIgnored, "sign-ignored", "a signed byte or halfword is extended with zeros";
        BaseBeforeLoad, "base-before-load", "a load multiple has written its base back when a load of it faults";
        DownByList, "down-by-list", "a decrementing load multiple begins one word too low";
    }
    T32, "T16 and T32" {
        PcPlus8, "pc-plus-8", "the pc is read as its address plus 8";
        BaseUnaligned, "base-unaligned", "an address counts from the pc as it is, not from a multiple of 4";
        BlockIgnored, "block-ignored", "an emulated instruction is done whether the condition of its IT block holds or not";
        BlockStands, "block-stands", "an emulated instruction does not advance its IT block";
        LinkEven, "link-even", "a call's return address is not one of Thumb";
        ThumbForEver, "thumb-for-ever", "a branch to an even address does not change to ARM";
        ZeroTaken, "zero-taken", "`cbz` and `cbnz` branch when they are not to";
        TableOfBytes, "table-of-bytes", "the index into a table of halfwords counts bytes";
        SignOfBranch, "sign-of-branch", "two bits of a far branch's distance are not inverted by its sign";
        BlockBase, "block-base", "a load multiple that writes back to a register of its list is accepted";
        StackOperand, "stack-operand", "sp is accepted as an operand wherever the manual leaves it unpredictable";
        ExclusiveKept, "exclusive-kept", "exclusive stores are relocated";
        ShortSteps, "short-steps", "the instruction after an emulated one of 32 bits is 2 bytes on";
    }
    ARM64, "A64" {
        AdrpFromWord, "adrp-from-word", "`adrp` counts from the instruction, not from its page";
        BackIsForth, "back-is-forth", "a branch back is taken for one far ahead";
        BitBelow32, "bit-below-32", "`tbz` and `tbnz` look at the lower half of a register only";
        BranchForgotten, "branch-forgotten", "what a branch to a register's address leaves in the processor state is lost";
        CallPlus8, "call-plus-8", "`bl` and `blr` leave an address one instruction too far";
        ConditionInverted, "condition-inverted", "a conditional branch is taken where it is not to be";
        HighHalfKept, "high-half-kept", "what is written to a 32-bit register leaves the upper half as it was";
        LinkFirst, "link-first", "`blr x30` goes to the address that it leaves";
        LiteralAhead, "literal-ahead", "a literal is loaded from one word too far";
        MovedBase, "moved-base", "loads and stores of a register that is their base, and is written back, are accepted";
        NothingKept, "nothing-kept", "`movk` clears what it is to keep";
        PairOnce, "pair-once", "a load of two into the same register is accepted";
        ReturnToLink, "return-to-link", "`ret` goes to x30, whichever register it names";
        StoreExclusive, "store-exclusive", "exclusive stores are relocated";
        WidthIgnored, "width-ignored", "`cbz` and `cbnz` look at 64 bits where they are to look at 32";
        WordUnsigned, "word-unsigned", "`ldrsw` extends with zeros";
        ZeroIsSp, "zero-is-sp", "a move from the register that is none is one from the stack pointer";
    }
    X86, "x86" {
        AddressesWide, "addresses-wide", "67 does not make addresses those of 32 bits";
        AnyAddress, "any-address", "a branch goes to an address that is none";
        CallLate, "call-late", "a call finds its target when it has pushed already";
        CarryForOverflow, "carry-for-overflow", "branches on the carry ask for the overflow";
        CopyAsIs, "copy-as-is", "a copy names what is as far from it as it was from the original";
        CountKept, "count-kept", "`loop` does not count";
        DistanceFromStart, "distance-from-start", "conditional branches count from their first byte";
        FarWraps, "far-wraps", "what is out of a copy's reach is looked for at the wrong end of memory";
        ImmediateOfFour, "immediate-of-four", "no immediate has eight bytes";
        LockAnywhere, "lock-anywhere", "LOCK is accepted where no memory is written";
        LowRegister, "low-register", "the register of a push or a branch is one of the lower eight";
        OneByteBack, "one-byte-back", "the way back from a copy leads into what was displaced";
        ReleaseIgnored, "release-ignored", "a return gives none of the arguments' stack back";
        ReturnPlus1, "return-plus-1", "a call's return address is one byte too far";
        SegmentIgnored, "segment-ignored", "a branch by memory in a segment is emulated as if it had none";
        ShadowIgnored, "shadow-ignored", "interrupts that are allowed right before waiting for one may come before";
        SibWithoutBase, "sib-without-base", "an index without a base has no displacement";
    }
    WALK, "walks over functions" {
        AddressIsData, "address-is-data", "where an address and an index are jumped to are data";
        BoundIsCount, "bound-is-count", "a switch has no entry for the highest index that it lets through";
        LinkReturns, "link-returns", "a switch that branches to lr is a return";
        LiteralUnaligned, "literal-unaligned", "a literal of Thumb counts from the pc as it is, not from a multiple of 4";
        PaddingIsCode, "padding-is-code", "the byte behind a table of an odd number of bytes is an instruction's";
        PartIsElsewhere, "part-is-elsewhere", "a jump to a part of a function is a way out of it";
        PlaceForgotten, "place-forgotten", "an instruction in an IT block is taken for one outside";
        PoolIsCode, "pool-is-code", "what instructions load from are instructions";
        SwitchIsTail, "switch-is-tail", "a switch is a way out";
        VeneerIsThumb, "veneer-is-thumb", "what follows a change to A32 is Thumb";
    }
}

/// The index of the active defect.
#[cfg(trapline_mutants)]
static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Activates a defect, or none.
#[cfg(trapline_mutants)]
pub fn choose(mutant: Option<Mutant>) {
    let index = mutant.map_or(usize::MAX, |mutant| mutant as usize);
    CHOSEN.store(index, Ordering::Relaxed);
}

/// Whether this defect is active.
#[cfg(trapline_mutants)]
pub(crate) fn is_chosen(mutant: Mutant) -> bool {
    CHOSEN.load(Ordering::Relaxed) == mutant as usize
}

/// No defects are built in.
#[cfg(not(trapline_mutants))]
pub(crate) const fn is_chosen(_: Mutant) -> bool {
    false
}
