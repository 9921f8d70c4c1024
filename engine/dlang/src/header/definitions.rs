//! The providers of texts, and how their probes' arguments are passed.

use std::collections::HashMap;

use super::failure::{Failure, beginning};
use crate::lex::Lexer;
use crate::names::Names;
use crate::parse::Parser;
use crate::provider;
use crate::types::{Type, TypeId, Types};
use crate::{Settings, Text, pragmas};

/// The most arguments of a probe: as many as `sys/sdt.h` has macros for, and readers expect.
const MOST: usize = 12;
/// The sizes of pointers of both data models.
const MODELS: [u32; 2] = [4, 8];

/// A provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// Its probes, in order.
    pub probes: Vec<Probe>,
}

/// A probe of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Its name in C: `query__start`.
    pub name: String,
    /// Its arguments in D.
    pub types: Vec<String>,
    /// How each is passed.
    pub arguments: Vec<Passed>,
}

/// How an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// As an integer of 1, 2, 4 or 8 bytes.
    Integer {
        /// The number of bytes.
        size: u32,
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// As an integer with the size of a pointer.
    Word {
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// As an address.
    Pointer,
    /// As a floating-point number of 4 or 8 bytes.
    Float {
        /// The number of bytes.
        size: u32,
    },
}

impl Probe {
    /// The last part of its macro's name: `QUERY_START`.
    pub fn macro_name(&self) -> String {
        self.name.replace("__", "_").to_uppercase()
    }
}

impl Provider {
    /// The name of a probe's macro.
    pub fn macro_name(&self, probe: &Probe) -> String {
        format!("{}_{}", self.name.to_uppercase(), probe.macro_name())
    }
}

/// Reads the providers that texts define. Their clauses are parsed only.
///
/// # Errors
/// The first error in a text; or a probe that no header can have.
pub fn definitions(texts: &[Text], settings: &Settings) -> Result<Vec<Provider>, Failure> {
    let [narrow, wide] = MODELS.map(|pointer| Model::read(texts, settings, pointer));
    let (narrow, wide) = (narrow?, wide?);
    let mut known = HashMap::new();
    let mut all = Vec::new();
    for (number, declared) in wide.providers() {
        let mut probes = Vec::new();
        for probe in &declared.probes {
            let place = |message| wide.failure(texts, number, probe.place, message);
            let passed = wide.arguments(probe, &narrow);
            let probe = passed.map_err(place)?;
            let provider = declared.name.to_uppercase();
            let name = format!("{provider}_{}", probe.macro_name());
            let full = format!("{}:{}", declared.name, probe.name);
            for name in [format!("{name}_ENABLED"), name] {
                if let Some(other) = known.insert(name.clone(), full.clone()) {
                    let message = format!("{other} and {full} have the same macro, {name}");
                    return Err(place(message));
                }
            }
            probes.push(probe);
        }
        all.push(Provider {
            name: declared.name.clone(),
            probes,
        });
    }
    Ok(all)
}

/// The declarations for one data model.
struct Model {
    types: Types,
    names: Names,
    /// For each provider, the text that declares it.
    origins: Vec<usize>,
    lines: Vec<crate::lines::Lines>,
}

impl Model {
    fn read(texts: &[Text], settings: &Settings, pointer: u32) -> Result<Self, Failure> {
        let settings = Settings {
            pointer,
            empty_programs: true,
            ..settings.clone()
        };
        let mut model = Self {
            types: Types::new(pointer, settings.string_size),
            names: Names::new(&settings.constants, settings.minimum),
            origins: Vec::new(),
            lines: Vec::new(),
        };
        for (number, text) in texts.iter().enumerate() {
            model.text(number, text, &settings)?;
        }
        Ok(model)
    }

    fn text(&mut self, number: usize, text: &Text, settings: &Settings) -> Result<(), Failure> {
        let lexer = Lexer::new(text, number, settings);
        let mut parser = Parser::new(lexer, number, true, &mut self.types, &mut self.names);
        let parsed = parser.program();
        let stopped = parser.place();
        let lexer = parser.lexer;
        pragmas::set_attributes(&mut self.names, &lexer);
        let done = parsed.and_then(|_| pragmas::check(&self.names, &self.types, &lexer));
        done.map_err(|mistake| {
            let line = mistake.line;
            let start = beginning(&text.source, line);
            let is_control = text
                .source
                .get(start..)
                .is_some_and(|it| it.starts_with('#'));
            let stopped = (stopped.0 == line && !is_control).then_some(stopped.1);
            let at = mistake.at.or(stopped).unwrap_or(start);
            Failure::new(text, &lexer.lines, (line, at), mistake.message)
        })?;
        self.origins.resize(self.names.providers.len(), number);
        self.lines.push(lexer.lines);
        Ok(())
    }

    /// The providers, each with the number of its text.
    fn providers(&self) -> impl Iterator<Item = (usize, &provider::Provider)> {
        self.origins.iter().copied().zip(&self.names.providers)
    }

    fn failure(
        &self,
        texts: &[Text],
        number: usize,
        place: (u32, usize),
        message: String,
    ) -> Failure {
        let text = texts.get(number).cloned().unwrap_or_default();
        let lines = self.lines.get(number).cloned().unwrap_or_default();
        Failure::new(&text, &lines, place, message)
    }

    /// A probe, with the types of its arguments in another model.
    fn arguments(&self, probe: &provider::Probe, narrow: &Self) -> Result<Probe, String> {
        let name = probe.name.replace('-', "__");
        let count = probe.inputs.len();
        if count > MOST {
            return Err(format!(
                "probe {name} has {count} arguments; {MOST} are the most"
            ));
        }
        let mut others = narrow.names.providers.iter().flat_map(|it| &it.probes);
        let other = others.find(|it| it.place == probe.place && it.name == probe.name);
        let mut arguments = Vec::new();
        for (number, (_, type_)) in probe.inputs.iter().enumerate() {
            let other = other.and_then(|it| it.inputs.get(number));
            let other = other.and_then(|(_, type_)| narrow.passed(*type_));
            let passed = self.passed(*type_).zip(other).and_then(Passed::in_both);
            let passed = passed.ok_or_else(|| {
                format!(
                    "argument {} of probe {name} is {}, which a probe cannot pass: pass its address",
                    number + 1,
                    self.types.name(*type_)
                )
            });
            arguments.push(passed?);
        }
        let types = probe
            .inputs
            .iter()
            .map(|(_, type_)| self.types.name(*type_));
        Ok(Probe {
            types: types.collect(),
            name,
            arguments,
        })
    }

    fn passed(&self, type_: TypeId) -> Option<Passed> {
        let base = self.types.base(type_);
        if let Some(integer) = self.types.integer(base) {
            let (size, is_signed) = (integer.size, integer.is_signed);
            return Some(Passed::Integer { size, is_signed });
        }
        match self.types.kind(base) {
            Type::Pointer(_) | Type::Array(..) | Type::Text => Some(Passed::Pointer),
            Type::Float(..) => {
                let size = self.types.size(base);
                [4, 8].contains(&size).then_some(Passed::Float { size })
            }
            _ => None,
        }
    }
}

impl Passed {
    /// What is right in both data models, of the wide and the narrow one.
    fn in_both((wide, narrow): (Self, Self)) -> Option<Self> {
        match (wide, narrow) {
            (
                Self::Integer { size: 8, is_signed },
                Self::Integer {
                    size: 4,
                    is_signed: other,
                },
            ) if is_signed == other => Some(Self::Word { is_signed }),
            (wide, narrow) => (wide == narrow).then_some(wide),
        }
    }
}
