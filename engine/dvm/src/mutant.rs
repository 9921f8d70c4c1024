//! Seeded defects of this crate and of the compiler, to show that their tests can see one. They are
//! built in only with `--cfg trapline_mutants`, and only where there is an operating system:
//! `TRAPLINE_MUTANT` in the environment names the one that is active.

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

/// None is built in.
#[cfg(not(all(trapline_mutants, not(target_os = "none"))))]
pub const fn is_active(_: &str) -> bool {
    false
}
