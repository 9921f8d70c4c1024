//! Operands of each machine, and what they become.

use engine_objects::{Argument, Extension, Index, Operand, Sites, Unreadable};
use object::elf::{self, STT_OBJECT, STT_TLS};

use super::image::{CODE, DATA, Image};

/// The arguments of a site at [`CODE`].
fn arguments(image: &Image, text: &str) -> Vec<Argument> {
    let mut image = image.clone();
    image.probe(CODE, 0, text);
    let sites = Sites::of_bytes(&image.made()).unwrap().1;
    assert_eq!(sites.faults, [], "{text}");
    sites.list[0].arguments.clone()
}

/// The place of one argument.
fn operand(image: &Image, text: &str) -> Operand {
    let mut all = arguments(image, text);
    assert_eq!(all.len(), 1, "{text}");
    let argument = all.remove(0);
    assert_eq!(argument.text, text);
    argument.at
}

fn check(image: &Image, rows: &[(&str, Operand)]) {
    for (text, expected) in rows {
        assert_eq!(operand(image, text), *expected, "{text}");
    }
}

/// Checks that no operand is accepted.
fn refuse(image: &Image, texts: &[&str]) {
    for text in texts {
        let mut image = image.clone();
        image.probe(CODE, 0, text);
        let sites = Sites::of_bytes(&image.made()).unwrap().1;
        assert_eq!((sites.list.len(), sites.faults.len()), (0, 1), "{text}");
    }
}

fn with_symbols(machine: elf::Machine) -> Image {
    let mut image = Image::new(machine);
    image.symbols = vec![
        ("NBuffers", DATA + 4, STT_OBJECT),
        ("static.1", DATA + 8, STT_OBJECT),
        ("twice", DATA, STT_OBJECT),
        ("twice", DATA + 8, STT_OBJECT),
        ("versioned@@V2", DATA + 12, STT_OBJECT),
        ("own", 8, STT_TLS),
    ];
    image
}

fn register(number: u8) -> Operand {
    Operand::Register { number, shift: 0 }
}

fn memory(base: u8, displacement: i64) -> Operand {
    let base = Some(base);
    Operand::Memory {
        base,
        index: None,
        displacement,
    }
}

fn index(register: u8, scale: u32, extension: Extension) -> Option<Index> {
    Some(Index {
        register,
        scale,
        extension,
    })
}

fn unreadable(why: Unreadable) -> Operand {
    Operand::Unreadable(why)
}

#[test]
fn sizes_and_signs() {
    let image = Image::new(elf::EM_X86_64);
    let sizes = arguments(
        &image,
        "1@%al -2@%ax 4@%eax -8@%rax 8f@%xmm0 -4f@(%rsp) 16@(%rsp) %rax x@GOTPCREL(%rip)",
    );
    let all: Vec<_> = sizes
        .iter()
        .map(|argument| (argument.size, argument.is_signed, argument.is_float))
        .collect();
    let expected = [
        (1, false, false),
        (2, true, false),
        (4, false, false),
        (8, true, false),
        (8, false, true),
        (4, true, true),
        (16, false, false),
        (8, false, false),
        (8, false, false),
    ];
    assert_eq!(all, expected);
    assert_eq!(sizes[6].at, unreadable(Unreadable::Size(16)));
    assert_eq!(sizes[7].at, register(10));
    let text = sizes[7].text.as_str();
    assert_eq!(text, "%rax");
    assert_eq!(arguments(&Image::new(elf::EM_ARM), " r1   r2 ")[1].size, 4);
}

#[test]
fn x86_64() {
    let image = with_symbols(elf::EM_X86_64);
    let high = |number| Operand::Register { number, shift: 8 };
    check(
        &image,
        &[
            ("8@%rax", register(10)),
            ("-4@%edi", register(14)),
            ("1@%dil", register(14)),
            ("1@%spl", register(19)),
            ("2@%r15w", register(0)),
            ("4@%r8d", register(9)),
            ("1@%r10b", register(7)),
            ("8@%r12", register(3)),
            ("-1@%ah", high(10)),
            ("-1@%dh", high(12)),
            ("-4@$-1", Operand::Constant(-1)),
            ("8@$18446744073709551615", Operand::Constant(-1)),
            ("4@$0x10", Operand::Constant(16)),
            ("-4@-8(%rbp)", memory(4, -8)),
            ("8@(%rsp)", memory(19, 0)),
            ("8@4+8(%rsp)", memory(19, 12)),
            (
                "2@-2(%rax,%rcx,4)",
                Operand::Memory {
                    base: Some(10),
                    index: index(11, 4, Extension::Whole),
                    displacement: -2,
                },
            ),
            (
                "2@8(,%r15,8)",
                Operand::Memory {
                    base: None,
                    index: index(0, 8, Extension::Whole),
                    displacement: 8,
                },
            ),
            (
                "2@(%rax, %rcx)",
                Operand::Memory {
                    base: Some(10),
                    index: index(11, 1, Extension::Whole),
                    displacement: 0,
                },
            ),
            (
                "4@4096",
                Operand::Memory {
                    base: None,
                    index: None,
                    displacement: 4096,
                },
            ),
            ("-4@NBuffers(%rip)", Operand::Address(DATA + 4)),
            ("-4@40+NBuffers(%rip)", Operand::Address(DATA + 44)),
            ("-4@static.1-4(%rip)", Operand::Address(DATA + 4)),
            ("-4@versioned(%rip)", Operand::Address(DATA + 12)),
            ("-4@NBuffers", Operand::Address(DATA + 4)),
            ("-4@16(%rip)", Operand::Address(CODE + 16)),
            ("8@%ds:(%rax)", memory(10, 0)),
            ("8@%fs:40", unreadable(Unreadable::ThreadLocal)),
            ("8@%fs:own@tpoff", unreadable(Unreadable::ThreadLocal)),
            ("4@own(%rip)", unreadable(Unreadable::ThreadLocal)),
            ("8f@%xmm15", unreadable(Unreadable::Vector)),
            ("8f@%st(1)", unreadable(Unreadable::Vector)),
            (
                "4@twice(%rip)",
                unreadable(Unreadable::Ambiguous("twice".into())),
            ),
            (
                "4@none(%rip)",
                unreadable(Unreadable::NoSymbol("none".into())),
            ),
            (
                "8@NBuffers@GOTPCREL(%rip)",
                unreadable(Unreadable::Linked("NBuffers@GOTPCREL".into())),
            ),
            ("4@NBuffers(,%rax,4)", unreadable(Unreadable::Relocated)),
            ("8@$NBuffers", unreadable(Unreadable::Relocated)),
        ],
    );
    let refused = [
        "8@%r16",
        "8@%r08",
        "8@%",
        "8@$",
        "8@%rax)",
        "8@(%rax",
        "8@(%rax,%rcx,3)",
        "8@(%rax,%rcx,4,1)",
        "8@()",
        "8@(,)",
        "8@8()",
        "8@(%ah)",
        "8@(%rip,%rax,2)",
        "8@(%rax,%rip,2)",
        "8@-NBuffers(%rip)",
        "8@NBuffers+NBuffers(%rip)",
        "8@%xs:8",
        "8@%xmmx",
        "8@(rax)",
        "8@$1-",
        "8@[x0]",
    ];
    refuse(&image, &refused);
}

#[test]
fn x86_64_at_fixed_addresses() {
    let mut image = with_symbols(elf::EM_X86_64);
    image.kind = elf::ET_EXEC;
    let address = i64::try_from(DATA).unwrap() + 4;
    let indexed = Operand::Memory {
        base: None,
        index: index(10, 4, Extension::Whole),
        displacement: address,
    };
    check(
        &image,
        &[
            ("4@NBuffers(,%rax,4)", indexed),
            ("8@$NBuffers", Operand::Constant(address)),
        ],
    );
}

#[test]
fn arm64() {
    let image = with_symbols(elf::EM_AARCH64);
    let indexed = |number, scale, extension| Operand::Memory {
        base: Some(0),
        index: index(number, scale, extension),
        displacement: 0,
    };
    check(
        &image,
        &[
            ("8@x0", register(0)),
            ("-4@w30", register(30)),
            ("8@sp", register(31)),
            ("8@fp", register(29)),
            ("8@lr", register(30)),
            ("8@xzr", Operand::Constant(0)),
            ("-4@5", Operand::Constant(5)),
            ("-4@#-5", Operand::Constant(-5)),
            ("8@[sp, 152]", memory(31, 152)),
            ("8@[sp, #8]", memory(31, 8)),
            ("8@[x19,-8]", memory(19, -8)),
            ("8@[x19]", memory(19, 0)),
            ("8@[x0, x1]", indexed(1, 1, Extension::Whole)),
            ("8@[x0, x1, lsl #3]", indexed(1, 8, Extension::Whole)),
            ("8@[x0, x1, lsl 3]", indexed(1, 8, Extension::Whole)),
            ("4@[x0, w2, sxtw 2]", indexed(2, 4, Extension::SignedWord)),
            ("4@[x0, w2, uxtw]", indexed(2, 1, Extension::UnsignedWord)),
            ("4@[x1, #:lo12:NBuffers]", memory(1, 4)),
            ("4@[x1, :lo12:NBuffers+4]", memory(1, 8)),
            ("4@NBuffers", Operand::Address(DATA + 4)),
            ("8f@d0", unreadable(Unreadable::Vector)),
            ("4f@s31", unreadable(Unreadable::Vector)),
            ("4@.LC0", unreadable(Unreadable::NoSymbol(".LC0".into()))),
            (
                "4@[x1, #:lo12:twice]",
                unreadable(Unreadable::Ambiguous("twice".into())),
            ),
            (
                "8@[x1, #:tprel_lo12_nc:own]",
                unreadable(Unreadable::Linked(":tprel_lo12_nc:own".into())),
            ),
        ],
    );
    let refused = [
        "8@[w0]",
        "8@[x0",
        "8@x0]",
        "8@[x0, 8]!",
        "8@[x0], 8",
        "8@[x0, x1, lsl #5]",
        "8@[x0, x1, asr #3]",
        "8@[x0, w1, lsl #3]",
        "8@[x0, sp]",
        "8@[]",
        "8@[x0, 8, lsl #3]",
        "8@[x0, x1, lsl #3, 4]",
        "8@%rax",
        "8@#",
        "8@[x0, #:lo12:8]",
        "8@[8]",
        "8@[x0, NBuffers]",
    ];
    refuse(&image, &refused);
}

#[test]
fn arm() {
    let image = with_symbols(elf::EM_ARM);
    let indexed = |base, number, scale| Operand::Memory {
        base: Some(base),
        index: index(number, scale, Extension::Whole),
        displacement: 0,
    };
    check(
        &image,
        &[
            ("4@r6", register(6)),
            ("-4@r15", register(15)),
            ("4@fp", register(11)),
            ("4@sl", register(10)),
            ("4@ip", register(12)),
            ("4@sp", register(13)),
            ("4@lr", register(14)),
            ("8@r4", Operand::Pair { low: 4, high: 5 }),
            ("-4@#-1", Operand::Constant(-1)),
            ("-4@7", Operand::Constant(7)),
            ("4@[r4, #-32]", memory(4, -32)),
            ("8@[sp, #8]", memory(13, 8)),
            ("4@[fp]", memory(11, 0)),
            ("4@[r3, r2]", indexed(3, 2, 1)),
            ("4@[r3, r2, lsl #2]", indexed(3, 2, 4)),
            ("4@NBuffers", Operand::Address(DATA + 4)),
            ("8f@d8", unreadable(Unreadable::Vector)),
            ("4f@s16", unreadable(Unreadable::Vector)),
            ("4@.L4+8", unreadable(Unreadable::NoSymbol(".L4".into()))),
            ("4@[r3, -r2]", unreadable(Unreadable::Index)),
            ("4@[r3, r2, asr #1]", unreadable(Unreadable::Index)),
            ("4@[pc, #8]", unreadable(Unreadable::Relative)),
        ],
    );
    let refused = [
        "4@[r1, 8]",
        "4@[r1, #8]!",
        "4@[r1], #8",
        "4@[r1, r2, lsl 2]",
        "4@[r1, r2, lsl #32]",
        "4@[r1, #8, lsl #2]",
        "4@[r1, #NBuffers]",
        "4@[r1",
        "4@{r1}",
        "4@#",
        "4@[r1, pc]",
        "4@%rax",
    ];
    refuse(&image, &refused);
}

#[test]
fn x86_32() {
    let image = with_symbols(elf::EM_386);
    check(
        &image,
        &[
            ("-4@%eax", register(10)),
            ("-4@12(%ebp)", memory(4, 12)),
            ("-4@NBuffers", Operand::Address(DATA + 4)),
            ("8@%eax", unreadable(Unreadable::Size(8))),
            ("4@NBuffers@GOTOFF(%ebx)", unreadable(Unreadable::Relocated)),
        ],
    );
}
