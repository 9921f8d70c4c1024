//! Raw events, as [`engine_abi::path`] has them.

use engine_abi::path::{
    CLONE, END, ENTER, EXEC, GENERATION, LEFT, MAP, NOT_TAKEN, SIGNAL, SIGNAL_RETURN, START, TAKEN,
    TARGET, TEXT,
};

use super::file::record::{Kind, Map};

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'a> {
    /// A branch, an indirect one, or a block that is entered: what a walk takes itself.
    Decision,
    Text {
        number: u32,
        generation: u32,
        address: u64,
        text: &'a [u8],
    },
    Map(Map),
    Start(u64),
    Mark(Kind),
}

/// Why there is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoEvent {
    /// It is cut off.
    Cut,
    /// There is no such tag.
    Unknown(u8),
}

/// What is left to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], NoEvent> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(NoEvent::Cut)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], NoEvent> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(NoEvent::Cut)?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn byte(&mut self) -> Result<u8, NoEvent> {
        self.array().map(u8::from_le_bytes)
    }

    fn number(&mut self) -> Result<u32, NoEvent> {
        self.array().map(u32::from_le_bytes)
    }

    fn address(&mut self) -> Result<u64, NoEvent> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Result<&'a [u8], NoEvent> {
        let length = self.array().map(u16::from_le_bytes)?;
        self.bytes(length.into())
    }
}

/// The first event, and its length.
pub fn read(bytes: &[u8]) -> Result<(Event<'_>, usize), NoEvent> {
    let mut rest = Rest(bytes);
    let event = event(&mut rest)?;
    Ok((event, bytes.len() - rest.0.len()))
}

fn event<'a>(rest: &mut Rest<'a>) -> Result<Event<'a>, NoEvent> {
    Ok(match rest.byte()? {
        NOT_TAKEN | TAKEN => Event::Decision,
        TARGET => rest.address().map(|_| Event::Decision)?,
        ENTER => rest.number().map(|_| Event::Decision)?,
        TEXT => Event::Text {
            number: rest.number()?,
            generation: rest.number()?,
            address: rest.address()?,
            text: rest.text()?,
        },
        MAP => Event::Map(Map {
            start: rest.address()?,
            end: rest.address()?,
            offset: rest.address()?,
            changes: rest.byte()? != 0,
            name: rest.text()?.to_vec(),
        }),
        START => Event::Start(rest.address()?),
        tag => Event::Mark(mark(tag, rest)?),
    })
}

fn mark(tag: u8, rest: &mut Rest<'_>) -> Result<Kind, NoEvent> {
    Ok(match tag {
        GENERATION => Kind::Generation {
            at: rest.address()?,
            generation: rest.number()?,
        },
        SIGNAL => Kind::Signal {
            signal: rest.byte()?,
            at: rest.address()?,
            handler: rest.address()?,
        },
        SIGNAL_RETURN => Kind::SignalReturn {
            at: rest.address()?,
            to: rest.address()?,
        },
        END => Kind::End {
            at: rest.address()?,
        },
        LEFT => Kind::Left {
            at: rest.address()?,
            why: rest.byte()?,
        },
        CLONE => Kind::Clone {
            at: rest.address()?,
            child: rest.number()?,
        },
        EXEC => Kind::Exec {
            at: rest.address()?,
        },
        tag => return Err(NoEvent::Unknown(tag)),
    })
}
