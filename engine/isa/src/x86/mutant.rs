//! Seeded defects of x86's decoder and emulations: see [`crate::mutant`].

crate::mutant::mutants! {
    ReturnPlus1, "return-plus-1", "a call's return address is one byte too far";
    CarryForOverflow, "carry-for-overflow", "branches on the carry ask for the overflow";
    ReleaseIgnored, "release-ignored", "a return gives none of the arguments' stack back";
    ShadowIgnored, "shadow-ignored", "interrupts that are allowed right before waiting for one may come before";
}
