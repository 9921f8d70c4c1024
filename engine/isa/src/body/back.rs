//! Whether a function branches back to one of its instructions: a probe there fires once for each
//! pass.

use core::ops::Range;

use super::window::Window;
use super::{Order, Set, Text};
use crate::{Away, Control};

/// Whether a readable instruction of `function` branches to `to`. Decodes linearly from the
/// beginning, without telling data from instructions, so the answer can be wrong if the function
/// contains data.
pub fn comes_back<S: Set>(text: &Text<'_>, function: Range<u64>, to: u64) -> bool {
    let mut window = Window::new(text);
    let mut order = Order::<S>::default();
    let mut at = function.start;
    while at < function.end {
        let left = function.end.wrapping_sub(at);
        let Some(code) = window.code(at, left) else {
            return false;
        };
        let step = order.step(&code, at);
        if matches!(step.control, Control { away: Some(Away::To(target)), .. } if target == to) {
            return true;
        }
        at = at.saturating_add(step.length);
    }
    false
}
