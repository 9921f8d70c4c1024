//! Sites beside what `readelf -n` prints.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use engine_objects::{Argument, Extension, Operand, Sites, Unreadable};

/// The variable that names files to be compared, separated by colons.
const FILES: &str = "TRAPLINE_USDT_FILES";

/// What `readelf` prints of one note.
#[derive(Debug, PartialEq, Eq, Default)]
struct Row {
    provider: String,
    name: String,
    location: u64,
    base: u64,
    semaphore: u64,
    arguments: String,
}

/// The sites and the arguments that are the same in both.
pub struct Compared {
    pub sites: usize,
    pub arguments: usize,
    /// Arguments whose place was written again from what was read, and was as noted.
    pub places: usize,
    pub unreadable: Vec<String>,
}

fn rows(path: &Path) -> Vec<Row> {
    let output = Command::new("readelf").arg("-nW").arg(path).output();
    let output = String::from_utf8(output.unwrap().stdout).unwrap();
    let mut rows: Vec<Row> = Vec::new();
    let number =
        |text: &str| u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).unwrap();
    for line in output.lines() {
        // The first line of a note goes on with its provider.
        let line = line
            .split_once("descriptors)")
            .map_or(line, |(_, rest)| rest);
        let Some((key, value)) = line.trim().split_once(':') else {
            continue;
        };
        let value = value.trim();
        if key == "Provider" {
            rows.push(Row::default());
        }
        let Some(row) = rows.last_mut() else {
            continue;
        };
        match key {
            "Provider" => row.provider = value.to_owned(),
            "Name" => row.name = value.to_owned(),
            "Arguments" => row.arguments = value.to_owned(),
            "Location" => {
                let values: Vec<_> = value.split(',').collect();
                row.location = number(values[0]);
                row.base = number(values[1].split_once(':').unwrap().1);
                row.semaphore = number(values[2].split_once(':').unwrap().1);
            }
            _ => {}
        }
    }
    rows
}

/// Compares all sites of a file with what `readelf` prints.
pub fn compare(path: &Path) -> Compared {
    let file = std::fs::read(path).unwrap();
    let (elf, sites) = Sites::of_bytes(&file).unwrap();
    assert_eq!(sites.faults, [], "{}", path.display());
    let rows = rows(path);
    assert_eq!(sites.list.len(), rows.len(), "{}", path.display());
    let mut compared = Compared {
        sites: rows.len(),
        arguments: 0,
        places: 0,
        unreadable: Vec::new(),
    };
    let machine = elf.machine.to_string();
    for (site, row) in sites.list.iter().zip(&rows) {
        assert_eq!((&site.provider, &site.name), (&row.provider, &row.name));
        // Nobody prelinks any more: the base is where it was.
        let address = if machine == "arm" {
            row.location & !1
        } else {
            row.location
        };
        assert_eq!(site.address, address);
        assert!(site.mode.is_some(), "its instruction is a nop");
        assert_eq!(site.semaphore.unwrap_or(0), row.semaphore);
        let texts: Vec<_> = site.arguments.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts.join(" "), row.arguments);
        compared.arguments += texts.len();
        for argument in &site.arguments {
            match &argument.at {
                Operand::Unreadable(Unreadable::Size(_)) => {}
                Operand::Unreadable(why) => {
                    compared
                        .unreadable
                        .push(format!("{}: {why}", argument.text));
                }
                // The text has the symbol, for which `nm` is asked.
                Operand::Address(address) => {
                    let symbol = argument.text.split_once('@').unwrap().1;
                    assert_eq!(*address, by_nm(path, symbol), "{symbol}");
                    compared.places += 1;
                }
                Operand::Memory { displacement, .. } if of_symbol(&argument.text) => {
                    let symbol = argument.text.split(['@', '(']).nth(1).unwrap();
                    assert_eq!(displacement.cast_unsigned(), by_nm(path, symbol));
                    compared.places += 1;
                }
                _ if argument.text.contains(":lo12:") => {}
                _ => {
                    assert_eq!(written(&machine, argument), plain(&argument.text));
                    compared.places += 1;
                }
            }
        }
    }
    compared
}

/// Whether x86's displacement is a symbol's.
fn of_symbol(text: &str) -> bool {
    let displacement = text.split(['@', '(']).nth(1).unwrap();
    text.contains("(%") && displacement.contains(|letter: char| letter.is_ascii_alphabetic())
}

/// The value of `40+Symbol(%rip)`.
fn by_nm(path: &Path, text: &str) -> u64 {
    let terms = text.trim_end_matches("(%rip)").split('+');
    let values = terms.map(|term| term.parse().unwrap_or_else(|_| symbol(path, term)));
    values.sum()
}

fn symbol(path: &Path, name: &str) -> u64 {
    let outputs = [&["-D"][..], &[]].map(|flags| {
        let output = Command::new("nm").args(flags).arg(path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    });
    let mut lines = outputs.iter().flat_map(|output| output.lines());
    let found = lines.find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let is_it = words.len() == 3 && words[2].split('@').next() == Some(name);
        is_it.then(|| u64::from_str_radix(words[0], 16).unwrap())
    });
    found.unwrap_or_else(|| panic!("nm has no {name}"))
}

/// A noted argument, with one way of writing of several.
fn plain(text: &str) -> String {
    text.replace([' ', '#'], "").replace("@0(", "@(")
}

/// An argument as its machine's assembler would have it.
fn written(machine: &str, argument: &Argument) -> String {
    let sign = if argument.is_signed { "-" } else { "" };
    let float = if argument.is_float { "f" } else { "" };
    let mut text = format!("{sign}{}{float}@", argument.size);
    // The same register has several names, so it is written as the argument has it.
    let noted = argument.text.as_str();
    let name = |number: u8| name(machine, number, noted);
    match &argument.at {
        Operand::Constant(value) if machine == "x86-64" => write!(text, "${value}").unwrap(),
        Operand::Constant(value) => write!(text, "{value}").unwrap(),
        Operand::Register { number, shift: 0 } => text += &name(*number),
        Operand::Pair { low, high } => {
            assert_eq!(low + 1, *high);
            text += &name(*low);
        }
        Operand::Memory {
            base,
            index,
            displacement,
        } if machine == "x86-64" => {
            if *displacement != 0 {
                write!(text, "{displacement}").unwrap();
            }
            text += "(";
            text += &base.map(name).unwrap_or_default();
            if let Some(index) = index {
                write!(text, ",{}", name(index.register)).unwrap();
                if index.scale > 1 {
                    write!(text, ",{}", index.scale).unwrap();
                }
            }
            text += ")";
        }
        Operand::Memory {
            base,
            index,
            displacement,
        } => {
            write!(text, "[{}", name(base.unwrap())).unwrap();
            if let Some(index) = index {
                let shift = index.scale.trailing_zeros();
                let kind = match index.extension {
                    Extension::Whole => "lsl",
                    Extension::SignedWord => "sxtw",
                    Extension::UnsignedWord => "uxtw",
                };
                write!(text, ",{}", name(index.register)).unwrap();
                if shift > 0 || index.extension != Extension::Whole {
                    write!(text, ",{kind}{shift}").unwrap();
                }
            }
            if *displacement != 0 {
                write!(text, ",{displacement}").unwrap();
            }
            text += "]";
        }
        other => panic!("{noted}: {other:?}"),
    }
    text
}

/// The places in `struct pt_regs` of x86-64, each with the register's names.
const X86: [(u8, &[&str]); 16] = [
    (0, &["%r15", "%r15d", "%r15w", "%r15b"]),
    (1, &["%r14", "%r14d", "%r14w", "%r14b"]),
    (2, &["%r13", "%r13d", "%r13w", "%r13b"]),
    (3, &["%r12", "%r12d", "%r12w", "%r12b"]),
    (4, &["%rbp", "%ebp", "%bp", "%bpl"]),
    (5, &["%rbx", "%ebx", "%bx", "%bl"]),
    (6, &["%r11", "%r11d", "%r11w", "%r11b"]),
    (7, &["%r10", "%r10d", "%r10w", "%r10b"]),
    (8, &["%r9", "%r9d", "%r9w", "%r9b"]),
    (9, &["%r8", "%r8d", "%r8w", "%r8b"]),
    (10, &["%rax", "%eax", "%ax", "%al"]),
    (11, &["%rcx", "%ecx", "%cx", "%cl"]),
    (12, &["%rdx", "%edx", "%dx", "%dl"]),
    (13, &["%rsi", "%esi", "%si", "%sil"]),
    (14, &["%rdi", "%edi", "%di", "%dil"]),
    (19, &["%rsp", "%esp", "%sp", "%spl"]),
];

/// The name of a register that a text has.
fn name(machine: &str, number: u8, text: &str) -> String {
    let own;
    let names: Vec<&str> = match machine {
        "x86-64" => X86.iter().find(|row| row.0 == number).unwrap().1.to_vec(),
        "aarch64" if number == 31 => vec!["sp"],
        "aarch64" => {
            own = [format!("x{number}"), format!("w{number}")];
            own.iter().map(String::as_str).collect()
        }
        _ => match number {
            9 => vec!["r9", "sb"],
            10 => vec!["r10", "sl"],
            11 => vec!["r11", "fp"],
            12 => vec!["r12", "ip"],
            13 => vec!["sp"],
            14 => vec!["lr"],
            _ => {
                own = [format!("r{number}"), String::new()];
                vec![own[0].as_str()]
            }
        },
    };
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '%';
    let mut words = text.split(|letter| !is_letter(letter));
    let found = words.find(|word| names.contains(word));
    found
        .unwrap_or_else(|| panic!("{text}: {names:?}"))
        .to_owned()
}

#[test]
#[ignore = "compares files that are named by a variable"]
fn files_of_a_variable() {
    let files = std::env::var(FILES).unwrap();
    let mut total = [0; 3];
    for path in files.split(':') {
        let found = compare(Path::new(path));
        println!(
            "{path}: {} sites, {} arguments, {} places, {:?}",
            found.sites, found.arguments, found.places, found.unreadable
        );
        for (sum, one) in total
            .iter_mut()
            .zip([found.sites, found.arguments, found.places])
        {
            *sum += one;
        }
    }
    println!(
        "{} sites, {} arguments, {} places",
        total[0], total[1], total[2]
    );
}
