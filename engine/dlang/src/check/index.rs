//! Checks `base[keys]`: elements of associative arrays and of arrays, and pointer subscripts.

use engine_abi::Scope;
use engine_dvm::Builtin;

use super::name::spelt;
use super::{Checker, expression};
use crate::ast::{Node, NodeKind};
use crate::builtin;
use crate::error::Mistake;
use crate::names::VariableId;
use crate::tables;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{AGGREGATION, Type, TypeId};

impl Checker<'_> {
    /// The element's value.
    pub(super) fn index(
        &mut self,
        base: &Node,
        keys: &[Node],
        line: u32,
    ) -> Result<Expression, Mistake> {
        let place = self.index_place(base, keys, line)?;
        match place.kind {
            ExpressionKind::Element(variable, _)
                if self.names.variables[variable].type_.is_none() =>
            {
                Err(self.undefined(variable, line))
            }
            _ => Ok(place),
        }
    }

    /// The element as the target of an assignment; its type may not be known yet.
    pub(super) fn index_place(
        &mut self,
        base: &Node,
        keys: &[Node],
        line: u32,
    ) -> Result<Expression, Mistake> {
        match &base.kind {
            NodeKind::Aggregation(name) => {
                let number = self.names.aggregation_or_new(spelt(name));
                let kind = ExpressionKind::Aggregation(number);
                Ok(expression(kind, AGGREGATION, line))
            }
            NodeKind::Name(name) => self.named_place(base, name, keys, line),
            NodeKind::Scoped(scope, name) if !self.is_plain(*scope, name) => {
                let variable = self.variable_or_new(*scope, name);
                if *scope == Scope::Clause {
                    let message =
                        format!("local variables may not be used as associative arrays: {name}");
                    return Err(Mistake::new(Tag::ArrLocal, line, message));
                }
                self.element_of(variable, keys, line)
            }
            _ => {
                let base = self.expression(base)?;
                self.subscript(base, keys, line)
            }
        }
    }

    /// `name[keys]`
    fn named_place(
        &mut self,
        base: &Node,
        name: &str,
        keys: &[Node],
        line: u32,
    ) -> Result<Expression, Mistake> {
        if let Some(found) = self.bound(name, line)? {
            return self.subscript(found, keys, line);
        }
        if let Some((builtin, None)) = builtin::of(name).filter(|it| it.0.is_indexed()) {
            return self.indexed(builtin, name, keys, line);
        }
        if builtin::of(name).is_some() || self.is_plain(Scope::Global, name) {
            let base = self.expression(base)?;
            return self.subscript(base, keys, line);
        }
        if let Some(found) = self.built_in(name, line)? {
            return self.subscript(found, keys, line);
        }
        let variable = self.global("associative array", name, line)?;
        self.element_of(variable, keys, line)
    }

    /// Whether there is a typed variable with this name that is not an associative array.
    fn is_plain(&self, scope: Scope, name: &str) -> bool {
        let known = self.names.variable(scope, self.number, name);
        let known = known.and_then(|number| self.names.variables.get(number));
        known.is_some_and(|known| known.keys.is_none() && known.type_.is_some())
    }

    /// An element of an associative array; the first use determines the types of the key.
    fn element_of(
        &mut self,
        variable: VariableId,
        keys: &[Node],
        line: u32,
    ) -> Result<Expression, Mistake> {
        let keys = self.expressions(keys)?;
        let known = &self.names.variables[variable];
        let name = known.name.clone();
        let keys = match known.keys.clone() {
            Some(signature) => {
                self.check_key(&name, &signature, &keys, line)?;
                self.converted_keys(keys, &signature)
            }
            None => {
                self.check_keys(&keys, "associative array", line)?;
                let types: Vec<TypeId> = keys.iter().map(|key| key.type_).collect();
                tables::check_key(self.types, types.iter().copied(), line)?;
                let keys = self.converted_keys(keys, &types);
                self.names.variables[variable].keys = Some(types);
                keys
            }
        };
        let type_ = self.names.variables[variable].type_;
        let kind = ExpressionKind::Element(variable, keys);
        Ok(expression(kind, type_.unwrap_or(crate::types::VOID), line))
    }

    /// Converts the numbers of a key to the key's types.
    fn converted_keys(&self, keys: Vec<Expression>, signature: &[TypeId]) -> Vec<Expression> {
        let pairs = keys.into_iter().zip(signature);
        pairs
            .map(|(key, to)| {
                if self.types.is_scalar(*to) && self.types.is_scalar(key.type_) {
                    self.exactly(key, *to)
                } else {
                    key
                }
            })
            .collect()
    }

    /// Checks that the expressions can be components of a key.
    pub(super) fn check_keys(
        &self,
        keys: &[Expression],
        of: &str,
        line: u32,
    ) -> Result<(), Mistake> {
        for (position, key) in keys.iter().enumerate() {
            let types = &self.types;
            if key.type_ == AGGREGATION || types.is_void(key.type_) || types.is_float(key.type_) {
                let message = format!(
                    "{} expression may not be used as {of} index: key #{}",
                    types.name(key.type_),
                    position + 1
                );
                return Err(Mistake::new(Tag::KeyType, line, message));
            }
        }
        Ok(())
    }

    /// `args[n]`, `uregs[n]`
    fn indexed(
        &mut self,
        builtin: Builtin,
        name: &str,
        keys: &[Node],
        line: u32,
    ) -> Result<Expression, Mistake> {
        let [key] = keys else {
            let message = format!(
                "{name}[ ] prototype mismatch: {} args passed, 1 expected",
                keys.len()
            );
            return Err(Mistake::new(Tag::ProtoLen, line, message));
        };
        let key = self.expression(key)?;
        let Some(constant) = key.constant() else {
            let message = format!(
                "{name}[ ] argument #1 is incompatible with prototype:\n\tprototype: integer \
                 constant\n\t argument: {}",
                self.types.name(key.type_)
            );
            return Err(Mistake::new(Tag::ProtoArg, line, message));
        };
        if let (Builtin::Arg, Some(probe)) = (builtin, self.without_arguments) {
            let message = format!(
                "index {} is out of range for {probe} {name}[ ]",
                constant.signed()
            );
            return Err(Mistake::new(Tag::ArgsIdx, line, message));
        }
        let count = match builtin {
            Builtin::Arg => 10,
            _ => self.names.registers,
        };
        if constant.value >= count {
            let message = format!(
                "index {} is out of range for array {name}",
                constant.signed()
            );
            return Err(Mistake::new(Tag::RegsIdx, line, message));
        }
        if builtin == Builtin::Arg {
            return self.argument(constant.value, line);
        }
        let kind = ExpressionKind::Builtin(builtin, constant.value);
        Ok(expression(kind, builtin::type_of(builtin), line))
    }

    /// An element of an array, or through a pointer.
    fn subscript(
        &mut self,
        base: Expression,
        keys: &[Node],
        line: u32,
    ) -> Result<Expression, Mistake> {
        let [index] = keys else {
            let what = self.described(&base);
            let message = format!("cannot access {what} as an associative array");
            return Err(Mistake::new(Tag::ArrBadref, line, message));
        };
        let index = self.expression(index)?;
        let element = self.element(base.type_);
        if let (Some(to), true) = (element, self.types.is_integer(index.type_)) {
            self.check_target(to, line)?;
            if self.types.is_array(base.type_) {
                self.check_bounds(&base, &index, line)?;
                let kind = ExpressionKind::Subscript(Box::new(base), Box::new(index));
                return Ok(expression(kind, to, line));
            }
            if let Some(scale) = self.scale(base.type_) {
                let address = self.moved(base, index, scale, false, line);
                let kind = ExpressionKind::Load(Box::new(address));
                return Ok(expression(kind, to, line));
            }
        }
        Err(self.incompatible(base.type_, "+", index.type_, line))
    }

    /// Checks the constant index of an array. A member of at most one element is what structures of
    /// the kernel end with, and has as many as there is memory for.
    fn check_bounds(
        &self,
        array: &Expression,
        index: &Expression,
        line: u32,
    ) -> Result<(), Mistake> {
        let (ExpressionKind::Constant(at), Type::Array(_, count)) =
            (&index.kind, self.types.kind(array.type_))
        else {
            return Ok(());
        };
        let is_open = *count <= 1 && matches!(array.kind, ExpressionKind::Member { .. });
        if is_open || *at < u64::from(*count) {
            return Ok(());
        }
        let message = format!(
            "index {} is outside of an array of {count}",
            at.cast_signed()
        );
        Err(Mistake::new(Tag::ArrBounds, line, message))
    }

    /// How DTrace describes an expression.
    fn described(&self, expression: &Expression) -> String {
        match &expression.kind {
            ExpressionKind::Constant(value) => format!("integer constant 0x{value:x}"),
            ExpressionKind::Text(text) => {
                format!(
                    "string constant \"{}\"",
                    String::from_utf8_lossy(text).escape_debug()
                )
            }
            ExpressionKind::Builtin(builtin, _) => format!("scalar {}", builtin.word()),
            ExpressionKind::Variable(variable) => {
                format!("scalar {}", self.names.variables[*variable].name)
            }
            ExpressionKind::Element(variable, _) => {
                format!("associative array {}", self.names.variables[*variable].name)
            }
            ExpressionKind::Call(subroutine, _) => format!("function {}( )", subroutine.word()),
            _ => "operator".to_owned(),
        }
    }
}
