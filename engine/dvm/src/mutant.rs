//! Seeded defects in this crate and in the compiler, to show that their tests detect them. Built in
//! only with `--cfg trapline_mutants`, and only on a hosted target: the environment variable
//! `TRAPLINE_MUTANT` names the active one.

#[cfg(all(trapline_mutants, not(target_os = "none")))]
extern crate std;

/// The environment variable that names the active defect.
pub const VARIABLE: &str = "TRAPLINE_MUTANT";

/// Whether the defect of this name is active.
#[cfg(all(trapline_mutants, not(target_os = "none")))]
pub fn is_active(name: &str) -> bool {
    static ACTIVE: std::sync::OnceLock<Option<std::string::String>> = std::sync::OnceLock::new();
    let active = ACTIVE.get_or_init(|| std::env::var(VARIABLE).ok());
    active.as_deref() == Some(name)
}

/// No defects are built in.
#[cfg(not(all(trapline_mutants, not(target_os = "none"))))]
pub const fn is_active(_: &str) -> bool {
    false
}
