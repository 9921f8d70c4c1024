//! `cleanpath`: a path without what does not change where it leads, symbolic links aside.

/// Cleans a path in place: removes `.`, empty components, and `..` with the component before it.
/// Returns its length.
pub(crate) fn clean(path: &mut [u8]) -> usize {
    let is_absolute = path.first() == Some(&b'/');
    let root = usize::from(is_absolute);
    // `path` up to `end` is clean; a `..` removes nothing before `floor`.
    let (mut at, mut end, mut floor) = (root, root, root);
    while at < path.len() {
        let rest = path.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'/');
        let length = length.unwrap_or(rest.len());
        match rest.get(..length).unwrap_or_default() {
            b"" | b"." => {}
            b".." if end > floor => end = parent(path, end, floor),
            b".." if is_absolute => {}
            b".." => {
                end = append(path, at..at.wrapping_add(length), end, root);
                floor = end;
            }
            _ => end = append(path, at..at.wrapping_add(length), end, root),
        }
        at = at.wrapping_add(length).wrapping_add(1);
    }
    match path.first_mut() {
        Some(first) if end == 0 => {
            *first = b'.';
            1
        }
        _ => end,
    }
}

/// The end of `path[..end]` without its last component.
fn parent(path: &[u8], end: usize, floor: usize) -> usize {
    let clean = path.get(floor..end).unwrap_or_default();
    let slash = clean.iter().rposition(|byte| *byte == b'/');
    floor.wrapping_add(slash.unwrap_or(0))
}

/// Moves a component behind the clean part, after a slash unless it is the first.
fn append(path: &mut [u8], part: core::ops::Range<usize>, end: usize, root: usize) -> usize {
    let mut to = end;
    if end > root {
        put(path, to, Some(b'/'));
        to = to.wrapping_add(1);
    }
    for from in part {
        put(path, to, path.get(from).copied());
        to = to.wrapping_add(1);
    }
    to
}

fn put(path: &mut [u8], at: usize, byte: Option<u8>) {
    if let (Some(place), Some(byte)) = (path.get_mut(at), byte) {
        *place = byte;
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use super::*;

    fn cleaned(path: &str) -> String {
        let mut path = Vec::from(path);
        let length = clean(&mut path);
        path.truncate(length);
        String::from_utf8(path).unwrap()
    }

    #[test]
    fn paths_are_cleaned() {
        for (path, expected) in [
            ("", ""),
            ("/", "/"),
            ("////", "/"),
            (".", "."),
            ("./", "."),
            ("/.", "/"),
            ("/..", "/"),
            ("..", ".."),
            ("../..", "../.."),
            ("./../x", "../x"),
            ("../../a/../b", "../../b"),
            ("a/..", "."),
            ("a/../..", ".."),
            ("a/../../b", "../b"),
            ("usr//lib/", "usr/lib"),
            ("/usr/./lib/./", "/usr/lib"),
            ("/usr/lib/../share", "/usr/share"),
            ("/usr/lib/../../share/..", "/"),
            ("/../usr", "/usr"),
            ("...", "..."),
            ("/.a/..b/c.", "/.a/..b/c."),
        ] {
            assert_eq!(cleaned(path), expected, "{path}");
            assert_eq!(cleaned(expected), expected, "{expected}");
        }
    }

    /// The same by way of a list of components.
    fn model(path: &str) -> String {
        let root = if path.starts_with('/') { "/" } else { "" };
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|it| *it != "..") => {
                    parts.pop();
                }
                ".." if root == "/" => {}
                _ => parts.push(part),
            }
        }
        let clean = String::from(root) + &parts.join("/");
        let is_lost = clean.is_empty() && !path.is_empty();
        if is_lost { String::from(".") } else { clean }
    }

    #[test]
    fn every_short_path_is_cleaned() {
        for bits in 0..3_u32.pow(9) {
            let sign = |place: u32| ['/', '.', 'a'][(bits / 3_u32.pow(place) % 3) as usize];
            let path: String = (0..9).map(sign).collect();
            for length in 0..=path.len() {
                let path = &path[..length];
                assert_eq!(cleaned(path), model(path), "{path}");
            }
        }
    }
}
