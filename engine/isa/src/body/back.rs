//! Whether a function comes back to one of its instructions: a probe there fires for each time that it does.

use core::ops::Range;

use super::window::Window;
use super::{Set, Text};
use crate::{Away, Control};

/// Whether an instruction of `function` that can be read branches to `to`. Text is taken as it comes, from
/// the begin on, and data for instructions: so it can be wrong where there are both.
pub fn comes_back<S: Set>(text: &Text<'_>, function: Range<u64>, to: u64) -> bool {
    let mut window = Window::new(text);
    let mut at = function.start;
    while at < function.end {
        let left = function.end.wrapping_sub(at);
        let Some(code) = window.code(at, left) else {
            return false;
        };
        let step = S::step(&code, at);
        if matches!(step.control, Control { away: Some(Away::To(target)), .. } if target == to) {
            return true;
        }
        at = at.saturating_add(step.length);
    }
    false
}
