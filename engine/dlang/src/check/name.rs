//! Name resolution.

use engine_abi::Scope;
use engine_dvm::Builtin;

use super::{Checker, expression};
use crate::builtin;
use crate::error::Mistake;
use crate::fold::Constant;
use crate::functions::Function;
use crate::missing;
use crate::names::{Variable, VariableId};
use crate::stability::{KERNEL, of_builtin};
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{AGGREGATION, Type};

impl Checker<'_> {
    /// A global or built-in variable.
    pub(super) fn name(&mut self, name: &str, line: u32) -> Result<Expression, Mistake> {
        if let Some(found) = self.built_in(name, line)? {
            return Ok(found);
        }
        if let Some(variable) = self.names.variable(Scope::Global, self.number, name) {
            self.rely_on_variable("scalar", name, line)?;
            return self.variable(variable, line);
        }
        if self.descriptions.is_empty() && self.names.assigned.contains(name) {
            let message = format!("{name} has no type yet");
            return Err(Mistake::new(Tag::VarUndef, line, message));
        }
        if self.types.named(name).is_some() {
            return Err(misused("type", name, "scalar", line));
        }
        let unknown = unresolved(name, line);
        if self.names.want(name) {
            return Err(unknown);
        }
        match self.types.kernel_enumerator(name) {
            Some((value, type_)) if unknown.tag == Tag::IdentUndef => {
                let value = value.cast_unsigned();
                self.rely_on(KERNEL, format_args!("enumerator {name}"), line)?;
                Ok(self.constant(Constant { value, type_ }, line))
            }
            _ => Err(unknown),
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
            Variable { name, .. } if *self.types.kind(place.type_) == Type::Function => {
                Err(misused("function", name, "scalar", line))
            }
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

    /// The global variable with this name; created if it does not exist. A type's name is none.
    pub(super) fn global(
        &mut self,
        kind: &str,
        name: &str,
        line: u32,
    ) -> Result<VariableId, Mistake> {
        self.rely_on_variable(kind, name, line)?;
        let is_known = self
            .names
            .variable(Scope::Global, self.number, name)
            .is_some();
        if !is_known && self.types.named(name).is_some() {
            return Err(misused("type", name, kind, line));
        }
        Ok(self.variable_or_new(Scope::Global, name))
    }

    /// A built-in variable, if the name is one.
    pub(super) fn built_in(
        &mut self,
        name: &str,
        line: u32,
    ) -> Result<Option<Expression>, Mistake> {
        if name.contains('`') {
            return self.symbol(name, line).map(Some);
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
                self.rely_on(of_builtin(builtin), format_args!("scalar {name}"), line)?;
                let kind = ExpressionKind::Builtin(builtin, index.unwrap_or(0));
                let type_ = match builtin {
                    Builtin::Curthread => self.task_pointer(),
                    _ => builtin::type_of(builtin),
                };
                Ok(Some(expression(kind, type_, line)))
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
        if is_missing {
            self.names.want(&known.name);
        }
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
