//! Probe descriptions: `provider:module:function:name`, with fields omitted from the left.

use engine_abi::{Description, FUNCTION_LEN, MODULE_LEN, NAME_LEN, PROVIDER_LEN};

use super::Parser;
use crate::error::Mistake;
use crate::lex::TokenKind;
use crate::tag::Tag;

impl Parser<'_, '_> {
    /// One description, as written and as parsed.
    pub(super) fn description(&mut self) -> Result<(String, Description), Mistake> {
        let written = match &self.token.kind {
            TokenKind::Description(text) => text.clone(),
            TokenKind::Integer(id) => {
                let message = format!(
                    "invalid probe identifier {}: probes can only be specified by name",
                    id.value
                );
                return Err(self.mistake(Tag::PdescInval, message));
            }
            _ => return Err(self.syntax()),
        };
        let meant = self.meant(&written).map_err(|why| {
            let message = format!("invalid probe description \"{written}\": {why}");
            self.mistake(Tag::PdescInval, message)
        })?;
        self.advance()?;
        Ok((written, meant))
    }

    fn meant(&mut self, written: &str) -> Result<Description, &'static str> {
        let room = [NAME_LEN, FUNCTION_LEN, MODULE_LEN, PROVIDER_LEN];
        let mut fields: [String; 4] = Default::default();
        for (position, field) in written.rsplit(':').enumerate() {
            let field = self.expanded(field)?;
            let (Some(place), Some(room)) = (fields.get_mut(position), room.get(position)) else {
                return Err("Overspecified probe description");
            };
            if field.len() >= *room {
                return Err("File name too long");
            }
            *place = field;
        }
        let [name, function, module, provider] = &fields;
        let bytes = [provider, module, function, name].map(|field| field.as_bytes());
        Description::new(bytes[0], bytes[1], bytes[2], bytes[3]).map_err(|_| "File name too long")
    }

    /// A field, with the macro reference at its end expanded.
    fn expanded(&mut self, field: &str) -> Result<String, &'static str> {
        const UNDEFINED: &str = "Undefined macro variable in probe description";
        let Some((before, reference)) = field.split_once('$') else {
            return Ok(field.to_owned());
        };
        let reference = reference.strip_prefix('$').unwrap_or(reference);
        let value = if reference.starts_with(|sign: char| sign.is_ascii_digit()) {
            let number = reference.parse().map_err(|_| UNDEFINED)?;
            self.lexer.argument_text(number).map(str::to_owned)
        } else {
            self.lexer.macro_value(reference).map(|it| it.to_string())
        };
        Ok(format!("{before}{}", value.ok_or(UNDEFINED)?))
    }
}
