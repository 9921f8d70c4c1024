//! The census of a program's Thumb code: how many of its instructions are emulated, relocated and
//! refused, and how many are in IT blocks. A stripped program is counted by the mapping symbols of
//! the file with its debugging information.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use engine_isa::Exclusive;
use engine_isa::Plan;
use engine_isa::arm::Block;
use engine_isa::arm::t32;
use object::{Object, ObjectSection, ObjectSymbol};

use crate::image::ImageError;

/// How much may be refused, as percentages of all instructions: for what they are, and in all.
const MOST: [f64; 2] = [0.5, 1.0];

/// The census.
#[derive(Debug, Default)]
pub struct Census {
    /// All instructions.
    pub total: u64,
    /// Those of 16 bits.
    pub short: u64,
    /// By plan.
    pub plans: BTreeMap<String, u64>,
    /// Accepted ones between an exclusive load and its store.
    pub in_sequences: u64,
    /// Those in IT blocks.
    pub in_blocks: u64,
    /// Those of them that are not the last.
    pub before_others: u64,
    /// Of these, those that are relocated: their slots end in a breakpoint.
    pub trapping: u64,
}

/// Counts the Thumb code in the section `.text` of `program`, according to `symbols`.
///
/// # Errors
/// [`ImageError`] if one of the two is malformed or lacks something.
pub fn count(program: &[u8], symbols: &[u8]) -> Result<Census, ImageError> {
    let file = object::File::parse(program)?;
    let section = file
        .section_by_name(".text")
        .ok_or(ImageError::NoSection(".text"))?;
    let (start, text) = (section.address(), section.data()?);
    let end = start + text.len() as u64;
    let mut census = Census::default();
    for run in thumb(&object::File::parse(symbols)?, start..end)? {
        let bytes = &text[(run.start - start) as usize..(run.end - start) as usize];
        census.add(bytes);
    }
    Ok(census)
}

/// The ranges of Thumb code in a section.
fn thumb(file: &object::File<'_>, text: Range<u64>) -> Result<Vec<Range<u64>>, ImageError> {
    let mut marks = BTreeMap::new();
    for symbol in file.symbols() {
        let kind = symbol.name()?.split('.').next().unwrap_or_default();
        if matches!(kind, "$a" | "$t" | "$d") && text.contains(&symbol.address()) {
            marks.insert(symbol.address(), kind == "$t");
        }
    }
    if marks.is_empty() {
        return Err(ImageError::Unmapped);
    }
    let ends = marks.keys().skip(1).copied().chain([text.end]);
    let runs = marks.iter().zip(ends);
    let thumb = runs.filter(|((_, is_thumb), _)| **is_thumb);
    Ok(thumb.map(|((start, _), end)| *start..end).collect())
}

impl Census {
    /// Adds a run of instructions.
    fn add(&mut self, bytes: &[u8]) {
        let (mut at, mut block, mut opened) = (0, Block::NONE, None);
        while at + 2 <= bytes.len() {
            let mut text = [0; 4];
            let there = &bytes[at..bytes.len().min(at + 4)];
            text[..there.len()].copy_from_slice(there);
            let word = t32::word(text);
            let is_accepted = self.add_one(word, block);
            match t32::exclusive(word) {
                Some(Exclusive::Load) => opened = Some(0),
                Some(_) => self.in_sequences += opened.take().unwrap_or(0),
                None => opened = opened.map(|count| count + u64::from(is_accepted)),
            }
            block = t32::next(word, block);
            at += t32::length(word);
        }
    }

    /// Whether it is accepted.
    fn add_one(&mut self, word: u32, block: Block) -> bool {
        let plan = t32::plan(word, block);
        let answer = match plan {
            Plan::Emulate(_) => "emulate".to_owned(),
            Plan::Relocate(_) => "relocate".to_owned(),
            Plan::Refuse(why) => format!("refuse {}", why.word()),
        };
        let is_relocated = matches!(plan, Plan::Relocate(_));
        self.total += 1;
        self.short += u64::from(t32::length(word) == 2);
        self.in_blocks += u64::from(block.is_inside());
        self.before_others += u64::from(block.is_before_others());
        self.trapping += u64::from(block.is_before_others() && is_relocated);
        let is_accepted = !answer.starts_with("refuse");
        *self.plans.entry(answer).or_default() += 1;
        is_accepted
    }

    fn percent(&self, count: u64) -> f64 {
        100.0 * count as f64 / self.total.max(1) as f64
    }

    fn refused(&self) -> u64 {
        let refused = self
            .plans
            .iter()
            .filter(|(plan, _)| plan.starts_with("refuse"));
        refused.map(|(_, count)| count).sum()
    }

    /// Whether no more is refused than may be.
    pub fn is_within_bounds(&self) -> bool {
        let own = self.refused();
        let shares = [own, own + self.in_sequences].map(|count| self.percent(count));
        shares.iter().zip(MOST).all(|(share, most)| *share <= most)
    }
}

impl fmt::Display for Census {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.refused();
        let plans = self
            .plans
            .iter()
            .map(|(plan, count)| (plan.as_str(), *count));
        let lines = [("instructions", self.total), ("of 16 bits", self.short)]
            .into_iter()
            .chain(plans)
            .chain([
                ("refuse, for what they are", own),
                ("refuse exclusive, by place", self.in_sequences),
                ("refuse, in all", own + self.in_sequences),
                ("in an IT block", self.in_blocks),
                ("and not the last", self.before_others),
                ("and relocated", self.trapping),
            ]);
        for (name, count) in lines {
            writeln!(out, "{name:34} {count:>9} {:>8.2}%", self.percent(count))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ite eq`, `moveq r0, #1`, `bxne lr`; `ldrex r0, [r1]`, `adds r0, #1`, `strex r2, r0, [r1]`.
    const CODE: [u16; 8] = [
        0xbf0c, 0x2001, 0x4770, 0xe851, 0x0f00, 0x3001, 0xe841, 0x0200,
    ];

    #[test]
    fn each_instruction_is_counted_for_what_and_where_it_is() {
        let mut census = Census::default();
        census.add(&CODE.map(u16::to_le_bytes).concat());
        assert_eq!((census.total, census.short), (6, 4));
        let places = [census.in_blocks, census.before_others, census.trapping];
        assert_eq!(places, [2, 1, 1]);
        assert_eq!(census.in_sequences, 1);
        let plans: Vec<_> = census
            .plans
            .iter()
            .map(|(plan, count)| (plan.as_str(), *count))
            .collect();
        assert_eq!(
            plans,
            [("emulate", 2), ("refuse exclusive", 1), ("relocate", 3)]
        );
        assert!(!census.is_within_bounds());
    }
}
