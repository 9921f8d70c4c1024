//! Checks statements.

use super::{Checker, expression};
use crate::ast::{Node, NodeKind};
use crate::error::Mistake;
use crate::fold::Operator;
use crate::functions::Function;
use crate::names::Key;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind, Statement};
use crate::types::{AGGREGATION, TypeId};

use super::name::spelt;

impl Checker<'_> {
    /// Checks a statement.
    pub(crate) fn statement(&mut self, node: &Node) -> Result<Statement, Mistake> {
        if let NodeKind::Assign(None, place, value) = &node.kind
            && let Some((name, keys)) = aggregation_of(place)
        {
            return self.aggregate(name, keys, value, node.line);
        }
        let found = self.expression(node)?;
        let line = node.line;
        Ok(match found.kind {
            ExpressionKind::Aggregation(aggregation) => Statement::Mention { aggregation, line },
            ExpressionKind::Action(Function::Action(action), arguments) => Statement::Action {
                action,
                arguments,
                line,
            },
            _ => Statement::Expression(found),
        })
    }

    /// `@name[keys] = function(arguments)`
    fn aggregate(
        &mut self,
        name: &str,
        keys: &[Node],
        value: &Node,
        line: u32,
    ) -> Result<Statement, Mistake> {
        let name = spelt(name);
        let aggregation = self.names.aggregation_or_new(name);
        let value = self.expression(value)?;
        let ExpressionKind::Action(Function::Aggregate(function), arguments) = value.kind else {
            let message = format!("@{name} must be assigned the result of an aggregating function");
            return Err(Mistake::new(Tag::AggFunc, line, message));
        };
        let known = self.names.aggregations[aggregation].function;
        if let Some((previous, first)) = known.filter(|(known, _)| *known != function) {
            let message = format!(
                "aggregation redefined: @{name}\n\t current: @{name} = {}( )\n\tprevious: @{name} = \
                 {}( ) : line {first}",
                function.word(),
                previous.word()
            );
            return Err(Mistake::new(Tag::AggRedef, line, message));
        }
        self.names.aggregations[aggregation]
            .function
            .get_or_insert((function, self.lines.place(line).line));
        let keys = self.aggregation_keys(aggregation, keys, line)?;
        Ok(Statement::Aggregate {
            aggregation,
            keys,
            arguments,
            line,
        })
    }

    /// The key of an aggregation; the first use determines its types. A number takes 8 bytes of the
    /// key whatever its type, and is not converted; it is printed with a type that covers those of
    /// every use.
    fn aggregation_keys(
        &mut self,
        aggregation: usize,
        keys: &[Node],
        line: u32,
    ) -> Result<Vec<Expression>, Mistake> {
        let keys = self.expressions(keys)?.into_iter().map(|key| {
            let type_ = key.type_;
            self.exactly(key, type_)
        });
        let keys: Vec<Expression> = keys.collect();
        let known = &self.names.aggregations[aggregation];
        let Some(signature) = &known.keys else {
            self.check_keys(&keys, "aggregation", line)?;
            let parts = keys.iter().map(|key| Key {
                type_: key.type_,
                frames: 0,
            });
            let parts = parts.collect();
            self.names.aggregations[aggregation].keys = Some(parts);
            return Ok(keys);
        };
        let types: Vec<TypeId> = signature.iter().map(|key| key.type_).collect();
        let name = format!("@{}", known.name);
        self.check_key(&name, &types, &keys, line)?;
        let known = &mut self.names.aggregations[aggregation];
        for (part, key) in known.keys.iter_mut().flatten().zip(&keys) {
            part.type_ = self.types.spanning(part.type_, key.type_);
        }
        Ok(keys)
    }

    /// An assignment to an aggregation within an expression: it has no value.
    pub(super) fn aggregated(
        &mut self,
        operator: Option<Operator>,
        place: &Node,
        value: &Node,
        line: u32,
    ) -> Result<Option<Expression>, Mistake> {
        if is_matrix(place) {
            let message = format!(
                "improper attempt to reference @{} as a multi-dimensional array",
                matrix_name(place)
            );
            return Err(Mistake::new(Tag::AggMdim, line, message));
        }
        let Some((name, keys)) = aggregation_of(place) else {
            return Ok(None);
        };
        if let Some(operator) = operator {
            let word = operator.word();
            let message = format!("operator {word}= cannot be applied to @{}", spelt(name));
            return Err(Mistake::new(Tag::AggFunc, line, message));
        }
        self.aggregate(name, keys, value, line)?;
        let number = self.names.aggregation_or_new(spelt(name));
        let kind = ExpressionKind::Aggregation(number);
        Ok(Some(expression(kind, AGGREGATION, line)))
    }
}

/// The name and the key of an aggregation used as a target.
fn aggregation_of(place: &Node) -> Option<(&str, &[Node])> {
    match &place.kind {
        NodeKind::Aggregation(name) => Some((name, &[])),
        NodeKind::Index(base, keys) => match &base.kind {
            NodeKind::Aggregation(name) => Some((name, keys)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether it is an aggregation with two pairs of brackets.
fn is_matrix(place: &Node) -> bool {
    match &place.kind {
        NodeKind::Index(base, _) => {
            matches!(base.kind, NodeKind::Index(..)) && !matrix_name(base).is_empty()
        }
        _ => false,
    }
}

/// The name of such an aggregation.
fn matrix_name(place: &Node) -> &str {
    let mut node = place;
    while let NodeKind::Index(base, _) = &node.kind {
        node = base;
    }
    match &node.kind {
        NodeKind::Aggregation(name) => spelt(name),
        _ => "",
    }
}
