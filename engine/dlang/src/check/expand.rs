//! Expands inlines: their values are checked where they are used, with their parameters bound to
//! the keys.

use std::rc::Rc;

use super::name::misused;
use super::{Checker, expression};
use crate::ast::{DEPTH_MAX, Definition, Node};
use crate::error::Mistake;
use crate::stability::DEFAULT;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::TypeId;

/// The maximum number of expressions that the inlines and translators of a clause expand to: a
/// clause cannot have as many instructions.
const EXPANDED_MAX: u32 = 1 << 16;

impl Checker<'_> {
    /// The expression that a parameter stands for.
    pub(super) fn bound(&mut self, name: &str, line: u32) -> Result<Option<Expression>, Mistake> {
        let mut bindings = self.bindings.iter();
        let Some((_, found)) = bindings.find(|(bound, _)| **bound == *name) else {
            return Ok(None);
        };
        let found = found.clone();
        let (count, depth) = found.extent();
        self.check_depth(depth, line)?;
        self.charge(count, line)?;
        Ok(Some(found))
    }

    /// Counts expressions that an inline or a translator expands to.
    pub(super) fn charge(&mut self, count: u32, line: u32) -> Result<(), Mistake> {
        self.expanded = self.expanded.saturating_add(count);
        if self.expanded <= EXPANDED_MAX {
            return Ok(());
        }
        let message = format!(
            "inlines and translators expand to more than {EXPANDED_MAX} expressions; use an \
             intermediate variable"
        );
        Err(Mistake::new(Tag::Limit, line, message))
    }

    /// Checks that an expression of depth `below` may be here.
    pub(super) fn check_depth(&self, below: u32, line: u32) -> Result<(), Mistake> {
        if self.depth + below <= DEPTH_MAX {
            return Ok(());
        }
        let message =
            format!("nested more than {DEPTH_MAX} levels deep; use an intermediate variable");
        Err(Mistake::new(Tag::Syntax, line, message))
    }

    /// Checks `node` with these parameters, and no others, for a use on this line.
    pub(super) fn bind(
        &mut self,
        bindings: Vec<(Rc<str>, Expression)>,
        node: &Node,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let outer = std::mem::replace(&mut self.bindings, bindings);
        self.expansions += 1;
        let found = self.unbuilt(node);
        self.expansions -= 1;
        self.bindings = outer;
        // The node may be in another text.
        found.map_err(|mistake| Mistake { line, ..mistake })
    }

    /// `name`, or `name[keys]`
    pub(super) fn inline(
        &mut self,
        definition: &Definition,
        keys: Option<&[Node]>,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let name = &*definition.name;
        let bindings = match (&definition.parameters, keys) {
            (None, None) => Vec::new(),
            (Some(parameters), Some(keys)) => {
                let types: Vec<TypeId> = parameters.iter().map(|it| it.1).collect();
                let keys = self.expressions(keys)?;
                self.check_key(name, &types, &keys, line)?;
                let named = parameters.iter().zip(keys);
                named
                    .map(|((name, type_), key)| (name.clone(), self.exactly(key, *type_)))
                    .collect()
            }
            _ => return Err(misused("associative array", name, "scalar", line)),
        };
        let own = self.names.levels.named(name);
        self.rely_on(own.unwrap_or(DEFAULT), format_args!("inline {name}"), line)?;
        let value = self.vouched(own.is_some(), |checker| {
            checker.bind(bindings, &definition.value, line)
        })?;
        self.inlined(definition, value)
    }

    /// The value of an inline as its type.
    fn inlined(&self, definition: &Definition, value: Expression) -> Result<Expression, Mistake> {
        let type_ = definition.type_;
        if !self.accepts(type_, &value) {
            let message = format!(
                "inline {} definition uses incompatible types: \"{}\" = \"{}\"",
                definition.name,
                self.types.name(type_),
                self.types.name(value.type_)
            );
            return Err(Mistake::new(Tag::OpIncompat, value.line, message));
        }
        Ok(self.exactly(value, type_))
    }

    /// Ignores an error that a use need not have: a variable may get its type later, and arguments
    /// have the types of a clause's probes.
    pub(super) fn unless_later(&self, checked: Result<Expression, Mistake>) -> Result<(), Mistake> {
        match checked {
            Err(mistake) if self.is_without_probes || mistake.tag == Tag::VarUndef => Ok(()),
            other => other.map(|_| ()),
        }
    }

    /// Checks an inline where it is defined.
    pub(crate) fn definition(&mut self, definition: &Definition) -> Result<(), Mistake> {
        let parameters = definition.parameters.iter().flatten();
        let line = definition.value.line;
        let bindings = parameters
            .map(|(name, type_)| (name.clone(), opaque(*type_, line)))
            .collect();
        let value = self.vouched(true, |checker| {
            checker.bind(bindings, &definition.value, line)
        });
        let checked = value.and_then(|value| self.inlined(definition, value));
        self.unless_later(checked)
    }
}

/// A value of this type about which nothing else is known.
pub(super) fn opaque(type_: TypeId, line: u32) -> Expression {
    expression(ExpressionKind::Old, type_, line)
}
