//! One pass: from texts to a program.

use engine_dvm::Verified;

use crate::ast;
use crate::check::{self, Checker};
use crate::emit::{self, Emitter};
use crate::error::{Error, Mistake, Region};
use crate::lex::Lexer;
use crate::library::Library;
use crate::lines::Lines;
use crate::names::{self, Names};
use crate::parse::Parser;
use crate::pragmas;
use crate::program::{Aggregation, Clause, Field, Need, Program, Setting};
use crate::stability::{Attributes, DEFAULT};
use crate::tables::{self, Tables};
use crate::tag::Tag;
use crate::tree::{Expression, Statement};
use crate::types::Types;
use crate::{Kind, Settings, Text};

/// The state of a compilation.
pub(crate) struct Compiler<'s> {
    settings: &'s Settings,
    types: Types,
    pub names: Names,
    tables: Tables,
    clauses: Vec<Clause>,
    pub options: Vec<Setting>,
    needs: Vec<Need>,
}

impl<'s> Compiler<'s> {
    pub(crate) fn new(settings: &'s Settings) -> Self {
        Self {
            settings,
            types: Types::new(settings.pointer, settings.string_size)
                .with_kernel(settings.kernel.clone()),
            names: Names::new(&settings.constants, settings.minimum),
            tables: Tables::default(),
            clauses: Vec::new(),
            options: Vec::new(),
            needs: Vec::new(),
        }
    }

    /// Compiles these libraries and texts as one program.
    pub(crate) fn program(&mut self, own: &[&Library], texts: &[Text]) -> Result<Program, Error> {
        for (number, library) in (texts.len()..).zip(own) {
            self.names.chooses = true;
            self.text(number, &library.text())?;
        }
        self.names.chooses = false;
        let numbered = || texts.iter().enumerate();
        let libraries = numbered().filter(|(_, text)| text.is_library());
        let programs = numbered().filter(|(_, text)| !text.is_library());
        for (number, text) in libraries.chain(programs) {
            self.text(number, text)?;
        }
        let aggregations = self.names.aggregations.iter();
        let aggregations = aggregations
            .map(|it| aggregation(it, &self.types))
            .collect();
        let tables = std::mem::take(&mut self.tables);
        let is_destructive = tables.is_destructive;
        let block = tables.block(&self.names, &self.types);
        let block = block.ok_or_else(|| {
            let message = "program is too long";
            self.settings.refused(texts, Tag::Limit, message.to_owned())
        })?;
        self.settings.check(&block, texts)?;
        Ok(Program {
            block,
            is_destructive,
            clauses: std::mem::take(&mut self.clauses),
            aggregations,
            options: self.options.clone(),
            needs: std::mem::take(&mut self.needs),
        })
    }

    fn text(&mut self, number: usize, text: &Text) -> Result<(), Error> {
        let is_file = text.kind != Kind::Specifier;
        let lexer = Lexer::new(text, number, self.settings);
        let mut parser = Parser::new(lexer, number, is_file, &mut self.types, &mut self.names);
        let parsed = parser.program().and_then(|clauses| match clauses.first() {
            Some(first) if text.is_library() => {
                let message = "a library has no clauses of its own: they belong to a program";
                Err(Mistake::new(Tag::Syntax, first.line, message))
            }
            _ => Ok(clauses),
        });
        let mut lexer = parser.lexer;
        pragmas::set_attributes(&mut self.names, &lexer);
        let done = parsed.and_then(|clauses| {
            self.check_arguments(&lexer)?;
            clauses
                .iter()
                .try_for_each(|clause| self.clause(number, clause, &lexer.lines))?;
            pragmas::check(&self.names, &self.types, &lexer)
        });
        self.options.append(&mut lexer.options);
        self.needs.append(&mut lexer.needs);
        let tagged = lexer.flags.error_tags;
        done.map_err(|mistake| Error::new(mistake, number, text, &lexer.lines, tagged))
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

    fn clause(
        &mut self,
        number: usize,
        clause: &ast::Clause,
        lines: &Lines,
    ) -> Result<(), Mistake> {
        let described = self.described(clause)?;
        let (predicate, statements, used) = self.checked(number, clause, lines)?;
        let emitter = Emitter::new(
            &self.types,
            &mut self.names,
            &mut self.tables,
            self.settings,
            clause.line,
        );
        let actions = emitter.clause(predicate.as_ref(), &statements)?;
        let place = lines.place(clause.line);
        self.clauses.push(Clause {
            text: number,
            line: place.line,
            file: place.file,
            descriptions: clause.descriptions.clone(),
            actions,
            is_empty: clause.statements.is_empty(),
            attributes: [described, used],
        });
        Ok(())
    }

    /// The least attributes of the descriptions.
    fn described(&self, clause: &ast::Clause) -> Result<Attributes, Mistake> {
        let levels = &self.names.levels;
        let mut descriptions = clause.descriptions.iter();
        let least = descriptions.try_fold(None, |least: Option<Attributes>, (text, it)| {
            let attributes = levels.of(it).0;
            let what = format_args!("probe description {text}");
            check::stability::check(levels, attributes, what, clause.line)?;
            Ok(Some(
                least.map_or(attributes, |least| least.least(attributes)),
            ))
        })?;
        Ok(least.unwrap_or(DEFAULT))
    }

    /// Checks a clause. Its actions are checked before its predicate, unless they need a variable
    /// that only the predicate creates.
    fn checked(
        &mut self,
        number: usize,
        clause: &ast::Clause,
        lines: &Lines,
    ) -> Result<(Option<Expression>, Vec<Statement>, Attributes), Mistake> {
        let mut checker =
            Checker::new(&mut self.types, &mut self.names, lines, number).of(&clause.descriptions);
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
        Ok((predicate, known, checker.attributes))
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
        let mut numbered = texts.iter().enumerate();
        let last = numbered.rfind(|(_, text)| !text.is_library());
        let (number, last) = last
            .map(|(number, text)| (number, text.clone()))
            .unwrap_or_default();
        Error::new(mistake, number, &last, &Lines::default(), self.error_tags)
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
