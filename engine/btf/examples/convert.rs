//! Converts a file's debug information to BTF: `convert VMLINUX OUTPUT [BASE]`.
//!
//! With a base, a kernel's own BTF, the output is split: it has only what the base has not.

use std::error::Error;
use std::time::Instant;

use engine_btf::{Btf, dwarf};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [input, output, rest @ ..] = &arguments[..] else {
        return Err("usage: convert VMLINUX OUTPUT [BASE]".into());
    };
    let begun = Instant::now();
    let file = std::fs::read(input)?;
    let (bytes, counts) = match rest {
        [] => dwarf::convert(&file)?,
        [base, ..] => dwarf::supplement(&file, &Btf::read(std::fs::read(base)?)?)?,
    };
    std::fs::write(output, &bytes)?;
    println!("{} bytes in {:?}: {counts:?}", bytes.len(), begun.elapsed());
    Ok(())
}
