//! Name resolution.

use engine_abi::Scope;
use engine_dvm::Builtin;

use super::{Checker, expression};
use crate::builtin;
use crate::error::Mistake;
use crate::functions::Function;
use crate::missing;
use crate::names::{Variable, VariableId};
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::AGGREGATION;

impl Checker<'_> {
    /// A global or built-in variable.
    pub(super) fn name(&mut self, name: &str, line: u32) -> Result<Expression, Mistake> {
        if let Some(found) = self.built_in(name, line)? {
            return Ok(found);
        }
        match self.names.variable(Scope::Global, self.number, name) {
            Some(variable) => self.variable(variable, line),
            None => Err(unresolved(name, line)),
        }
    }

    /// `self->name`, `this->name`
    pub(super) fn scoped(
        &mut self,
        scope: Scope,
        name: &str,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let variable = self.variable_or_new(scope, name);
        self.variable(variable, line)
    }

    /// A variable's value.
    fn variable(&mut self, variable: VariableId, line: u32) -> Result<Expression, Mistake> {
        let place = self.variable_place(variable, line)?;
        match &self.names.variables[variable] {
            Variable { type_: None, .. } => Err(self.undefined(variable, line)),
            _ => Ok(place),
        }
    }

    /// A variable as the target of an assignment; it may not have a type yet.
    pub(super) fn variable_place(
        &self,
        variable: VariableId,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let known = &self.names.variables[variable];
        if known.keys.is_some() {
            return Err(misused(known.kind(), &known.name, "scalar", line));
        }
        let type_ = known.type_.unwrap_or(crate::types::VOID);
        Ok(expression(ExpressionKind::Variable(variable), type_, line))
    }

    /// The variable with this name; created if it does not exist.
    pub(super) fn variable_or_new(&mut self, scope: Scope, name: &str) -> VariableId {
        if let Some(known) = self.names.variable(scope, self.number, name) {
            return known;
        }
        let variable = Variable {
            name: name.to_owned(),
            scope,
            type_: None,
            keys: None,
        };
        self.names.declare(self.number, variable)
    }

    /// A built-in variable, if the name is one.
    pub(super) fn built_in(&self, name: &str, line: u32) -> Result<Option<Expression>, Mistake> {
        if name.contains('`') {
            return Err(unresolved(name, line));
        }
        if name == "self" || name == "this" {
            return Err(misused("pointer", name, "scalar", line));
        }
        if let Some(function) = Function::of(name) {
            return Err(misused(function.kind(), name, "scalar", line));
        }
        match builtin::of(name) {
            None => Ok(None),
            Some((Builtin::Arg | Builtin::Uregs, None)) => {
                Err(misused("associative array", name, "scalar", line))
            }
            Some((builtin, index)) => {
                let kind = ExpressionKind::Builtin(builtin, index.unwrap_or(0));
                Ok(Some(expression(kind, builtin::type_of(builtin), line)))
            }
        }
    }

    /// An aggregation that has been assigned to.
    pub(super) fn aggregation(&mut self, name: &str, line: u32) -> Result<Expression, Mistake> {
        match self.names.aggregation(spelt(name)) {
            Some(number) => {
                let kind = ExpressionKind::Aggregation(number);
                Ok(expression(kind, AGGREGATION, line))
            }
            None => Err(unresolved(&format!("@{}", spelt(name)), line)),
        }
    }

    /// An error about a variable that is read before it has a type.
    pub(super) fn undefined(&self, variable: VariableId, line: u32) -> Mistake {
        let known = &self.names.variables[variable];
        let is_missing = known.scope == Scope::Global;
        if let Some(mistake) = missing::name(&known.name, line).filter(|_| is_missing) {
            return mistake;
        }
        let written = known.written();
        let message = format!("{written} has not yet been declared or assigned");
        Mistake::new(Tag::VarUndef, line, message)
    }
}

/// The name of an aggregation in messages: that of `@` is `_`.
pub(super) fn spelt(name: &str) -> &str {
    if name.is_empty() { "_" } else { name }
}

/// An error about an undefined name.
pub(super) fn unresolved(name: &str, line: u32) -> Mistake {
    missing::name(name, line).unwrap_or_else(|| {
        let message = format!("failed to resolve {name}: Unknown variable name");
        Mistake::new(Tag::IdentUndef, line, message)
    })
}

/// An error about a name of the wrong kind.
pub(super) fn misused(kind: &str, name: &str, as_: &str, line: u32) -> Mistake {
    let message = format!("{kind} '{name}' may not be referenced as {as_}");
    Mistake::new(Tag::IdentBadref, line, message)
}
