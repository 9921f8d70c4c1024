//! What differs by instruction set in the symbols and the unwind tables of an ELF file.

use std::fmt;

use object::elf::{self, SymbolType};

/// The instruction set of a file, its `e_machine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Machine(pub u16);

/// Machines with their names.
const NAMES: [(elf::Machine, &str); 7] = [
    (elf::EM_386, "i386"),
    (elf::EM_AARCH64, "aarch64"),
    (elf::EM_ARM, "arm"),
    (elf::EM_PPC64, "ppc64"),
    (elf::EM_RISCV, "riscv"),
    (elf::EM_S390, "s390"),
    (elf::EM_X86_64, "x86-64"),
];

/// The numbers that DWARF gives to the registers of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DwarfRegisters {
    pub sp: u16,
    pub fp: u16,
    /// The return address: a column of its own, or the link register.
    pub ra: u16,
    /// Whether a call leaves the return address in a register.
    pub has_link: bool,
}

/// Machines whose `.eh_frame` is read.
const DWARF_REGISTERS: [(elf::Machine, DwarfRegisters); 3] = [
    (elf::EM_AARCH64, registers(31, 29, 30, true)),
    (elf::EM_ARM, registers(13, 11, 14, true)),
    (elf::EM_X86_64, registers(7, 6, 16, false)),
];

const fn registers(sp: u16, fp: u16, ra: u16, has_link: bool) -> DwarfRegisters {
    DwarfRegisters {
        sp,
        fp,
        ra,
        has_link,
    }
}

/// `STT_ARM_TFUNC`: a Thumb function, in files from before the EABI.
const STT_ARM_TFUNC: SymbolType = SymbolType(13);

impl Machine {
    /// Whether functions of two instruction sets can be in one file, distinguished by bit 0.
    pub fn has_thumb(self) -> bool {
        self.0 == elf::EM_ARM.0
    }

    /// The encoding of a branch to itself; none if it is not known. `is_thumb` says which of two
    /// instruction sets is meant.
    pub fn branch_to_self(self, is_thumb: bool) -> Option<&'static [u8]> {
        let branches: [(elf::Machine, bool, &[u8]); 5] = [
            (elf::EM_386, false, &[0xeb, 0xfe]),
            (elf::EM_X86_64, false, &[0xeb, 0xfe]),
            (elf::EM_AARCH64, false, &[0, 0, 0, 0x14]),
            (elf::EM_ARM, false, &[0xfe, 0xff, 0xff, 0xea]),
            (elf::EM_ARM, true, &[0xfe, 0xe7]),
        ];
        let mut of_this = branches.iter();
        let found = of_this.find(|(machine, thumb, _)| (machine.0, *thumb) == (self.0, is_thumb));
        found.map(|(_, _, branch)| *branch)
    }

    /// The registers of a frame in `.eh_frame`; none if the machine's is not read.
    pub(crate) fn dwarf_registers(self) -> Option<DwarfRegisters> {
        let mut machines = DWARF_REGISTERS.iter();
        let found = machines.find(|(machine, _)| machine.0 == self.0);
        found.map(|(_, registers)| *registers)
    }

    /// Whether `.ARM.exidx` describes the frames.
    pub(crate) fn has_exidx(self) -> bool {
        self.0 == elf::EM_ARM.0
    }

    /// Whether symbols of this type are Thumb functions whatever bit 0 is.
    pub(crate) fn is_thumb_type(self, kind: SymbolType) -> bool {
        self.has_thumb() && kind == STT_ARM_TFUNC
    }

    /// Whether a name is that of a mapping symbol, which marks code and data and names nothing.
    pub(crate) fn is_mapping_symbol(self, name: &[u8]) -> bool {
        let marks = [elf::EM_ARM.0, elf::EM_AARCH64.0, elf::EM_RISCV.0].contains(&self.0);
        let is_end = |rest: &[u8]| rest.first().is_none_or(|byte| *byte == b'.');
        marks && matches!(name, [b'$', b'a' | b'd' | b't' | b'x', rest @ ..] if is_end(rest))
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(machine, _)| machine.0 == self.0) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "machine {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapping_symbols_are_known_by_machine() {
        let arm = Machine(elf::EM_ARM.0);
        assert!(arm.is_mapping_symbol(b"$a"));
        assert!(arm.is_mapping_symbol(b"$t.12"));
        assert!(!arm.is_mapping_symbol(b"$table"));
        assert!(!Machine(elf::EM_X86_64.0).is_mapping_symbol(b"$a"));
    }

    #[test]
    fn a_branch_to_itself_depends_on_the_machine() {
        assert_eq!(
            Machine(elf::EM_X86_64.0).branch_to_self(false),
            Some(&[0xeb, 0xfe][..])
        );
        assert_eq!(
            Machine(elf::EM_ARM.0).branch_to_self(true),
            Some(&[0xfe, 0xe7][..])
        );
        assert_eq!(
            Machine(elf::EM_ARM.0)
                .branch_to_self(false)
                .map(<[u8]>::len),
            Some(4)
        );
        assert_eq!(Machine(4711).branch_to_self(false), None);
    }

    #[test]
    fn machines_have_names() {
        assert_eq!(Machine(elf::EM_ARM.0).to_string(), "arm");
        assert_eq!(Machine(4711).to_string(), "machine 4711");
    }
}
