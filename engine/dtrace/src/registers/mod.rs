//! The constants that index `uregs[]`, as in DTrace's `regset.d`: the places of registers in the
//! kernel's `struct pt_regs`.
//!
//! The command runs on the kernel's own architecture, so its own is the kernel's.

mod arm;
mod arm64;
mod x86;

use std::env::consts::ARCH;

/// The constants of this architecture, for the compiler.
pub fn constants() -> Vec<(String, u64)> {
    let rows = match ARCH {
        "x86_64" => x86::ROWS,
        "aarch64" => arm64::ROWS,
        _ => arm::ROWS,
    };
    let rows = rows.iter().flat_map(|rows| rows.iter());
    rows.map(|(name, place)| ((*name).to_owned(), *place))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_architecture_has_what_scripts_use_everywhere() {
        for (all, places) in [(x86::ROWS, 21), (arm64::ROWS, 34), (arm::ROWS, 17)] {
            let rows = || all.iter().flat_map(|rows| rows.iter().copied());
            let known: BTreeMap<_, _> = rows().collect();
            assert_eq!(known.len(), rows().count(), "no name is there twice");
            for name in ["R_PC", "R_SP", "R_FP", "R_PS", "R_RETVAL"] {
                assert!(known.contains_key(name), "{name}");
            }
            assert!(known.values().all(|place| *place < places));
        }
    }
}
