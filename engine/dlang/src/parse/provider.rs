//! `provider` declarations: the names of a provider's probes, and the types of their arguments.

use std::rc::Rc;

use engine_abi::{NAME_LEN, PROVIDER_LEN};

use super::Parser;
use super::declarator::{List, Parameter};
use crate::check::Checker;
use crate::error::Mistake;
use crate::lex::{Symbol, TokenKind};
use crate::provider::{Probe, Provider, difference};
use crate::tag::Tag;
use crate::types::TypeId;

/// The most arguments of a probe.
const ARGUMENTS_MAX: usize = 255;

impl Parser<'_, '_> {
    /// `provider name { probe name(arguments) [: (translated arguments)]; ... };`
    pub(super) fn provider(&mut self) -> Result<(), Mistake> {
        self.advance()?;
        let name = self.name_of("provider", PROVIDER_LEN)?;
        self.expect(Symbol::OpenBrace)?;
        let mut provider = Provider {
            name,
            probes: Vec::new(),
        };
        while !self.accept(Symbol::CloseBrace)? {
            let probe = self.probe(&provider.name)?;
            self.check_new_probe(&provider, &probe)?;
            provider.probes.push(Rc::new(probe));
        }
        let known = self
            .names
            .providers
            .iter()
            .any(|it| it.name == provider.name);
        if !known {
            self.names.providers.push(provider);
        }
        self.end_declaration()
    }

    /// The name of a provider or a probe, as in descriptions.
    fn name_of(&mut self, what: &str, room: usize) -> Result<String, Mistake> {
        let TokenKind::Word(name) = &self.token.kind else {
            return Err(self.syntax());
        };
        let name = match what {
            "probe" => name.replace("__", "-"),
            _ => (**name).to_owned(),
        };
        if name.contains('`') {
            let message = format!("the name of a {what} has no backquote: {name}");
            return Err(self.mistake(Tag::ProvBadname, message));
        }
        if name.len() >= room {
            let most = room - 1;
            let message = format!("{what} name of more than {most} characters: {name}");
            return Err(self.mistake(Tag::ProvBadname, message));
        }
        self.advance()?;
        Ok(name)
    }

    /// `probe name(arguments) [: (translated arguments)];`
    fn probe(&mut self, provider: &str) -> Result<Probe, Mistake> {
        match &self.token.kind {
            TokenKind::Word(word) if &**word == "probe" => self.advance()?,
            _ => return Err(self.syntax()),
        }
        let place = (self.token.line, self.token.span.start);
        let name = self.name_of("probe", NAME_LEN)?;
        let mut probe = Probe {
            place,
            inputs: self.arguments(&name)?,
            outputs: None,
            name,
        };
        self.check_names(&probe)?;
        if self.accept(Symbol::Colon)? {
            let outputs = self.arguments(&probe.name)?;
            let outputs = outputs.into_iter().enumerate();
            let outputs = outputs
                .map(|(position, output)| self.output(provider, &probe, position + 1, output));
            probe.outputs = Some(outputs.collect::<Result<_, _>>()?);
        }
        self.expect(Symbol::Semicolon)?;
        Ok(probe)
    }

    /// `(type [name], ...)`; `(void)` has none.
    fn arguments(&mut self, probe: &str) -> Result<Vec<Parameter>, Mistake> {
        self.expect(Symbol::Open)?;
        let mut all = self.parameters(Symbol::Close, List::Probe)?;
        if all.len() > ARGUMENTS_MAX {
            let count = all.len();
            let message =
                format!("probe {probe} has {count} arguments; {ARGUMENTS_MAX} are the most");
            return Err(self.mistake(Tag::ProvPrarglen, message));
        }
        all.retain(|(_, type_)| !self.types.is_void(*type_));
        Ok(all)
    }

    fn check_names(&self, probe: &Probe) -> Result<(), Mistake> {
        let names: Vec<_> = probe
            .inputs
            .iter()
            .filter_map(|it| it.0.as_deref())
            .collect();
        let twice = (0..)
            .zip(&names)
            .find(|(at, name)| names[..*at].contains(name));
        match twice {
            None => Ok(()),
            Some((_, name)) => {
                let message = format!("probe {} has two parameters named {name}", probe.name);
                Err(self.mistake(Tag::DeclProtoName, message))
            }
        }
    }

    /// An argument after the colon: the number of the one before it that has its name, and its type.
    fn output(
        &mut self,
        provider: &str,
        probe: &Probe,
        position: usize,
        (name, type_): Parameter,
    ) -> Result<(usize, TypeId), Mistake> {
        let Some(name) = name else {
            let message = format!("argument {position} after the colon has no name");
            return Err(self.mistake(Tag::DeclProtoForm, message));
        };
        let mut inputs = probe.inputs.iter();
        let Some(number) = inputs.position(|it| it.0.as_deref() == Some(&*name)) else {
            let message = format!("{name}, after the colon, is no argument before it");
            return Err(self.mistake(Tag::DeclProtoForm, message));
        };
        let input = probe.inputs.get(number).map_or(type_, |it| it.1);
        let checker = Checker::new(self.types, self.names, &self.lexer.lines, self.number);
        if !checker.translates(input, type_, self.token.line) {
            let message = format!(
                "{provider}:{}, argument {position} after the colon: no translator from {} to {}",
                probe.name,
                self.types.name(input),
                self.types.name(type_)
            );
            return Err(self.mistake(Tag::ProvPrxlator, message));
        }
        Ok((number, type_))
    }

    /// A probe is declared once, and a provider that is declared again has the same probes.
    fn check_new_probe(&self, provider: &Provider, probe: &Probe) -> Result<(), Mistake> {
        let (line, at) = probe.place;
        let name = format!("{}:{}", provider.name, probe.name);
        if provider.probe(&probe.name).is_some() {
            let message = format!("{name} is declared twice");
            return Err(Mistake::new(Tag::ProvPrdup, line, message).at(at));
        }
        let mut providers = self.names.providers.iter();
        let Some(previous) = providers.find(|it| it.name == provider.name) else {
            return Ok(());
        };
        let differs = match previous.probe(&probe.name) {
            Some(before) => difference(self.types, probe, before),
            None => Some(("there".to_owned(), "not there".to_owned())),
        };
        let Some((now, before)) = differs else {
            return Ok(());
        };
        let message = format!(
            "{} was declared otherwise: {name} was {before}, and is {now}",
            provider.name
        );
        Err(Mistake::new(Tag::ProvIncompat, line, message).at(at))
    }
}
