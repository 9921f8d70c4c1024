//! The driver: from texts to a program.

use engine_dvm::{Verified, limits};

use crate::ast;
use crate::check::Checker;
use crate::emit::{self, Emitter};
use crate::error::{Error, Mistake, Region};
use crate::lex::Lexer;
use crate::names::{self, Names};
use crate::parse::Parser;
use crate::program::{Aggregation, Clause, Field, Program, Setting};
use crate::size::size;
use crate::tables::{self, Tables};
use crate::tag::Tag;
use crate::tree::{Expression, Statement};
use crate::types::Types;
use crate::{Kind, Settings, Text};

/// Compiles texts, in order, as one program.
pub fn compile(texts: &[Text], settings: &Settings) -> Result<Program, Error> {
    let mut compiler = Compiler::new(settings);
    let compiled = compiler.program(texts);
    match string_size(&compiler.options) {
        // The errors may depend on the string size.
        Some(string_size) if string_size != settings.string_size => {
            let settings = Settings {
                string_size,
                ..settings.clone()
            };
            Compiler::new(&settings).program(texts)
        }
        _ => compiled,
    }
}

/// The string size set by a pragma, if it is valid.
fn string_size(options: &[Setting]) -> Option<u32> {
    let last = options.iter().rfind(|option| option.name == "strsize")?;
    let size = u32::try_from(size(last.value.as_deref()?)?).ok()?;
    limits::STRING_SIZE.contains(&size).then_some(size)
}

/// The state of a compilation.
struct Compiler<'s> {
    settings: &'s Settings,
    types: Types,
    names: Names,
    tables: Tables,
    clauses: Vec<Clause>,
    options: Vec<Setting>,
}

impl<'s> Compiler<'s> {
    fn new(settings: &'s Settings) -> Self {
        Self {
            settings,
            types: Types::new(settings.pointer, settings.string_size),
            names: Names::new(&settings.constants),
            tables: Tables::default(),
            clauses: Vec::new(),
            options: Vec::new(),
        }
    }

    fn program(&mut self, texts: &[Text]) -> Result<Program, Error> {
        for (number, text) in texts.iter().enumerate() {
            self.text(number, text)?;
        }
        let aggregations = self.names.aggregations.iter();
        let aggregations = aggregations
            .map(|it| aggregation(it, &self.types))
            .collect();
        let tables = std::mem::take(&mut self.tables);
        let block = tables.block(&self.names, &self.types);
        let block = block.ok_or_else(|| {
            let message = "program is too long";
            self.settings.refused(texts, Tag::Limit, message.to_owned())
        })?;
        self.settings.check(&block, texts)?;
        Ok(Program {
            block,
            clauses: std::mem::take(&mut self.clauses),
            aggregations,
            options: self.options.clone(),
        })
    }

    fn text(&mut self, number: usize, text: &Text) -> Result<(), Error> {
        let is_file = matches!(text.kind, Kind::File { .. });
        let lexer = Lexer::new(text, number, self.settings);
        let mut parser = Parser::new(lexer, number, is_file, &mut self.types, &mut self.names);
        let parsed = parser.program();
        let mut lexer = parser.lexer;
        let done = parsed.and_then(|clauses| {
            self.check_arguments(&lexer)?;
            clauses
                .iter()
                .try_for_each(|clause| self.clause(number, clause))
        });
        self.options.append(&mut lexer.options);
        let tagged = lexer.flags.error_tags;
        done.map_err(|mistake| Error::new(mistake, number, text, lexer.file, tagged))
    }

    /// An unreferenced macro argument is an error.
    fn check_arguments(&self, lexer: &Lexer<'_>) -> Result<(), Mistake> {
        match lexer.unreferenced() {
            Some((number, text)) if !lexer.flags.unreferenced_arguments => {
                let message = format!("extraneous argument '{text}' (${number} is not referenced)");
                Err(Mistake::new(Tag::MacroUnused, lexer.line(), message))
            }
            _ => Ok(()),
        }
    }

    fn clause(&mut self, number: usize, clause: &ast::Clause) -> Result<(), Mistake> {
        let (predicate, statements) = self.checked(number, clause)?;
        let emitter = Emitter::new(
            &self.types,
            &mut self.names,
            &mut self.tables,
            self.settings,
            clause.line,
        );
        let actions = emitter.clause(predicate.as_ref(), &statements)?;
        self.clauses.push(Clause {
            text: number,
            line: clause.line,
            descriptions: clause.descriptions.clone(),
            actions,
            is_empty: clause.statements.is_empty(),
        });
        Ok(())
    }

    /// Checks a clause. Its actions are checked before its predicate, unless they need a variable
    /// that only the predicate creates.
    fn checked(
        &mut self,
        number: usize,
        clause: &ast::Clause,
    ) -> Result<(Option<Expression>, Vec<Statement>), Mistake> {
        let mut checker = Checker {
            types: &mut self.types,
            names: &mut self.names,
            number,
        };
        let first = statements(&mut checker, clause);
        let is_unknown = |mistake: &Mistake| {
            matches!(mistake.tag, Tag::IdentUndef | Tag::VarUndef | Tag::Unknown)
        };
        let known = match first {
            Err(mistake) if clause.predicate.is_none() || !is_unknown(&mistake) => {
                return Err(mistake);
            }
            other => other.ok(),
        };
        let predicate = clause.predicate.as_ref().map(|predicate| {
            let checked = checker.predicate(predicate);
            checked.map_err(|mistake| mistake.within(Region::Predicate))
        });
        let predicate = predicate.transpose()?;
        let known = match known {
            Some(known) => known,
            None => statements(&mut checker, clause)?,
        };
        Ok((predicate, known))
    }
}

fn statements(checker: &mut Checker<'_>, clause: &ast::Clause) -> Result<Vec<Statement>, Mistake> {
    let checked = clause.statements.iter().map(|it| checker.statement(it));
    let checked = checked.collect::<Result<_, Mistake>>();
    checked.map_err(|mistake| mistake.within(Region::Actions))
}

impl Settings {
    /// Verifies the compiled block. This never fails unless the compiler has a bug; then it is
    /// reported here, since the engine only has an error number.
    fn check(&self, block: &[u64], texts: &[Text]) -> Result<(), Error> {
        let verified = Verified::new(block).map(|_| ());
        verified.map_err(|invalid| {
            let message =
                format!("the compiled program is invalid: {invalid}: this is a compiler bug");
            self.refused(texts, Tag::Unknown, message)
        })
    }

    /// An error about a program as a whole.
    fn refused(&self, texts: &[Text], tag: Tag, message: String) -> Error {
        let mistake = Mistake::new(tag, 1, message);
        let number = texts.len().saturating_sub(1);
        let last = texts.last().cloned().unwrap_or_default();
        Error::new(mistake, number, &last, None, self.error_tags)
    }
}

/// An aggregation, as the command needs it.
fn aggregation(known: &names::Aggregation, types: &Types) -> Aggregation {
    let mut end = 0;
    let keys = known.keys.iter().flatten().map(|key| {
        let part = tables::part(types, key.type_, key.frames);
        let offset = end;
        end += part.size.next_multiple_of(8);
        Field {
            offset,
            size: part.size,
            kind: emit::field_type(types, key.type_),
        }
    });
    let keys = keys.collect();
    let function = known.function.map(|(function, _)| function);
    let function = function.unwrap_or(engine_abi::AggregateFunction::Count);
    Aggregation {
        name: known.printed_name().to_owned(),
        function,
        parameters: known.parameters.unwrap_or_default(),
        keys,
        key_size: end,
        is_signed: function != engine_abi::AggregateFunction::Count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_would_refuse_is_told() {
        let text = Text {
            source: "BEGIN".into(),
            ..Text::default()
        };
        let refused = Settings::default().check(&[0], &[text]);
        assert_eq!(
            refused.map_err(|error| error.to_string()),
            Err(
                "invalid probe specifier BEGIN: the compiled program is invalid: the \
                 program is shorter than the program header: this is a compiler bug"
                    .to_owned()
            )
        );
    }
}
