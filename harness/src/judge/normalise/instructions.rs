//! Disassembles words of text: `+0x8 d503233f` becomes `+0x8 d503233f paciasp`.
//!
//! The target of a far branch is masked, since it depends on the kernel's build.

use std::sync::LazyLock;

use capstone::{Capstone, CsResult};
use regex::{Captures, Regex};

/// Makes a capstone instance for a machine.
pub type Disassembler = fn() -> CsResult<Capstone>;

/// Branch targets below this offset may be in the same function, and are shown.
const NEAR: u64 = 0x1000;

static WORD: LazyLock<Regex> =
    LazyLock::new(|| super::pattern(r"(?m)^( *\+0x([0-9a-f]+)) ([0-9a-f]{8})$"));

/// Appends its disassembly to each word that follows an offset; `text` unchanged without a
/// disassembler.
pub fn disassemble(text: &str, disassembler: Option<Disassembler>) -> String {
    let Some(Ok(capstone)) = disassembler.map(|make| make()) else {
        return text.to_owned();
    };
    let disassembled = WORD.replace_all(text, |found: &Captures<'_>| {
        let number = |digits| u64::from_str_radix(digits, 16).unwrap_or_default();
        let (offset, word) = (number(&found[2]), number(&found[3]));
        let (shown, text) = one(&capstone, offset, word as u32);
        format!("{} {shown} {text}", &found[1])
    });
    disassembled.into_owned()
}

/// The word as shown, and its disassembly.
fn one(capstone: &Capstone, offset: u64, word: u32) -> (String, String) {
    let shown = format!("{word:08x}");
    let bytes = word.to_le_bytes();
    let read = capstone.disasm_count(&bytes, offset, 1);
    let read = read.ok();
    let Some(instruction) = read.as_ref().and_then(|read| read.first()) else {
        return (shown, "no instruction".to_owned());
    };
    let name = instruction.mnemonic().unwrap_or_default();
    let operands = instruction.op_str().unwrap_or_default();
    if matches!(name, "b" | "bl") && is_far(operands) {
        return (format!("{}......", &shown[..2]), format!("{name} far away"));
    }
    let text = format!("{name} {operands}");
    (shown, text.trim_end().to_owned())
}

fn is_far(operand: &str) -> bool {
    let digits = operand.trim_start_matches("#0x").trim_start_matches('#');
    u64::from_str_radix(digits, 16).is_ok_and(|target| target >= NEAR)
}

#[cfg(test)]
mod tests {
    use crate::guest::machine;

    use super::disassemble;

    #[test]
    fn words_after_an_offset_are_disassembled() {
        let virt = machine::find("virt").expect("a row");
        let said = "  +0x0 d503201f\n+0x4 94001234\n+0x8 14000002\n+0xc 00000000\nd503201f\n";
        let disassembled = "  +0x0 d503201f nop\n+0x4 94...... bl far away\n+0x8 14000002 b #0x10\n\
                    +0xc 00000000 udf #0\nd503201f\n";
        assert_eq!(disassemble(said, virt.disassembler), disassembled);
        assert_eq!(disassemble(said, None), said);
    }
}
