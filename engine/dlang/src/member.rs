//! Members by their names, and the errors about those that do not exist.

use crate::error::Mistake;
use crate::tag::Tag;
use crate::types::{Member, TypeId, Types};

/// The member of a structure or a union with this name, for this operator.
pub(crate) fn find(
    types: &mut Types,
    type_: TypeId,
    name: &str,
    operator: &str,
    line: u32,
) -> Result<Member, Mistake> {
    types.complete(type_);
    if let Some(member) = types.member(type_, name) {
        return Ok(member);
    }
    let spelt = types.name(type_);
    if types.is_incomplete(type_) {
        let why = match types.is_own(type_) {
            true => None,
            false => types.why_no_kernel_types(),
        };
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        let message = format!(
            "{operator} cannot be applied to a forward declaration: no {spelt} definition is \
             available{why}"
        );
        return Err(Mistake::new(Tag::OpIncomplete, line, message));
    }
    let message = format!("{name} is not a member of {spelt}");
    Err(Mistake::new(Tag::TypeMember, line, message))
}
