//! The alignment of the kernel's types. BTF does not have it: it is that of the members, as far as
//! they are where it puts them. Those of a packed structure need not be.

use engine_btf::{Btf, Kind, TypeId};

/// The deepest nesting that is looked at. The kernel's own is below twenty.
const DEPTH_MAX: u32 = 32;

/// The most members that are looked at.
const MEMBERS_MAX: u32 = 1 << 14;

/// The alignment of a type in bytes, for pointers of this size.
pub(super) fn of(btf: &Btf<'_>, id: TypeId, pointer: u32) -> u32 {
    let mut left = MEMBERS_MAX;
    within(btf, id, (pointer, 0), &mut left)
}

fn within(btf: &Btf<'_>, id: TypeId, (pointer, depth): (u32, u32), left: &mut u32) -> u32 {
    let Ok(found) = btf.resolve(id) else {
        return 1;
    };
    let (size, members) = match found.kind {
        _ if depth == DEPTH_MAX => return 1,
        Kind::Array { element, .. } => return within(btf, element, (pointer, depth + 1), left),
        Kind::Struct { size, members } | Kind::Union { size, members } => (size, members),
        _ => {
            let size = btf.size_of(id, pointer).unwrap_or(1);
            return 1 << size.trailing_zeros().min(3);
        }
    };
    let mut most = 1;
    for member in members {
        let Some(rest) = left.checked_sub(1) else {
            break;
        };
        *left = rest;
        let alignment = within(btf, member.target, (pointer, depth + 1), left);
        let is_placed = member.bit_size != 0 || member.bit_offset.is_multiple_of(8 * alignment);
        if is_placed && size.is_multiple_of(alignment) {
            most = most.max(alignment);
        }
    }
    most
}
