//! The names that an object answers to in a probe description.

/// What an object is to its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The program that the process executed.
    Program,
    /// The program's interpreter: the dynamic linker.
    Interpreter,
    /// Any other object.
    Library,
    /// What the kernel maps into each process.
    Vdso,
}

/// All names of an object: those of its file, its `DT_SONAME`, and those of its role.
pub fn names(base: &str, soname: Option<&str>, role: Role) -> Vec<String> {
    let mut names = Vec::new();
    for name in [Some(base), soname].into_iter().flatten() {
        names.push(name);
        names.extend(stems(name));
    }
    names.extend(match role {
        Role::Program => &["a.out"][..],
        Role::Interpreter => &["ld.so", "ld"],
        Role::Vdso => &["vdso"],
        Role::Library => &[],
    });
    let mut owned: Vec<String> = Vec::new();
    for name in names {
        if !owned.iter().any(|known| known == name) {
            owned.push(name.to_owned());
        }
    }
    owned
}

/// `libc` of `libc.so.6`; of `libc-2.31.so` both `libc-2.31` and `libc`.
fn stems(name: &str) -> impl Iterator<Item = &str> {
    let so = name.match_indices(".so").find(|(at, so)| {
        let behind = &name[at + so.len()..];
        *at > 0 && (behind.is_empty() || behind.starts_with('.'))
    });
    let stem = so.map(|(at, _)| &name[..at]);
    let bare = stem.and_then(|stem| {
        let (bare, version) = stem.rsplit_once('-')?;
        let is_version = version.contains('.')
            && version.starts_with(|c: char| c.is_ascii_digit())
            && version.chars().all(|c| c.is_ascii_digit() || c == '.');
        (is_version && !bare.is_empty()).then_some(bare)
    });
    stem.into_iter().chain(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_file_and_role() {
        let cases: [(&str, Option<&str>, Role, &[&str]); 7] = [
            (
                "libc.so.6",
                Some("libc.so.6"),
                Role::Library,
                &["libc.so.6", "libc"],
            ),
            (
                "libc-2.31.so",
                Some("libc.so.6"),
                Role::Library,
                &["libc-2.31.so", "libc-2.31", "libc", "libc.so.6"],
            ),
            ("bash", None, Role::Program, &["bash", "a.out"]),
            (
                "ld-linux.so.2",
                None,
                Role::Interpreter,
                &["ld-linux.so.2", "ld-linux", "ld.so", "ld"],
            ),
            ("[vdso]", None, Role::Vdso, &["[vdso]", "vdso"]),
            (
                "libfoo-2.0.so.0.1",
                None,
                Role::Library,
                &["libfoo-2.0.so.0.1", "libfoo-2.0", "libfoo"],
            ),
            ("x.sock", None, Role::Library, &["x.sock"]),
        ];
        for (base, soname, role, expected) in cases {
            assert_eq!(names(base, soname, role), expected);
        }
    }

    #[test]
    fn odd_names_have_no_empty_stem() {
        for name in [".so", "-1.so", ".so.1", ""] {
            assert!(
                names(name, None, Role::Library)
                    .iter()
                    .skip(1)
                    .all(|stem| !stem.is_empty())
            );
        }
    }
}
