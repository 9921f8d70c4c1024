//! What a text is: an instruction, or an IT and the instruction that it makes conditional.

use engine_isa::arm::Block;

use crate::instruction::Text;

/// A text.
#[derive(Clone, Copy)]
pub struct Reading {
    /// The condition and the mask of the IT before the instruction, if there is one.
    it: Option<u8>,
    /// The instruction, with its first half above the second.
    pub word: u32,
}

impl Reading {
    pub fn of(text: &Text) -> Self {
        let half = |at: usize| {
            let bytes = text.bytes().get(at..at + 2);
            bytes.map_or(0, |bytes| u32::from(bytes[0]) | u32::from(bytes[1]) << 8)
        };
        let first = half(0);
        let has_it = text.bytes().len() > 2 && first >> 8 == 0xbf && first & 0xf != 0;
        let it = has_it.then_some(first as u8);
        let at = if has_it { 2 } else { 0 };
        let word = half(at) << 16 | half(at + 2);
        Self { it, word }
    }

    /// The text of an instruction that an IT with this condition and mask makes conditional.
    pub fn behind_it(condition_and_mask: u8, instruction: &Text) -> Option<Text> {
        let mut bytes = vec![condition_and_mask, 0xbf];
        bytes.extend(instruction.bytes());
        Text::new(&bytes)
    }

    /// Where the instruction is in the text.
    pub fn offset(self) -> usize {
        if self.it.is_some() { 2 } else { 0 }
    }

    /// The instruction's place in the block.
    pub fn block(self) -> Block {
        self.it.map_or(Block::NONE, Block::begun)
    }

    /// Whether the instruction is executed with these flags (A8.3).
    pub fn is_executed(self, cpsr: u32) -> bool {
        let condition = self.it.map_or(0b1110, |it| it >> 4);
        let [v, c, z, n] = [28, 29, 30, 31].map(|flag| cpsr >> flag & 1 == 1);
        let holds = match condition >> 1 {
            0b000 => z,
            0b001 => c,
            0b010 => n,
            0b011 => v,
            0b100 => c && !z,
            0b101 => n == v,
            0b110 => n == v && !z,
            _ => return true,
        };
        holds != (condition & 1 == 1)
    }
}
