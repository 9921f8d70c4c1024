//! Builds the agent, which the command puts into processes, and lays it out as it is to be in memory.
//!
//! The agent is a crate of this workspace, built for the same target, but as a shared object without a
//! C library: so it has a build of its own, in a folder of its own.

use std::env::{self, VarError};
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::elf::{
    ET_DYN, FileHeader32, FileHeader64, PF_R, PF_W, PF_X, PT_LOAD, ProgramFlags,
    R_AARCH64_RELATIVE, R_X86_64_RELATIVE, SHT_DYNSYM, SHT_RELA,
};
use object::read::elf::{FileHeader, ProgramHeader, Rela, SectionHeader, Sym};
use object::{Endianness, FileKind};

/// The crates that the agent is built from, beside this one.
const SOURCES: [&str; 5] = ["abi", "dvm", "isa", "local/agent", "tracer"];

/// The architectures that have an agent.
const ARCHITECTURES: [&str; 2] = ["aarch64", "x86_64"];

const PAGE: u64 = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let engine = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..");
    for source in SOURCES {
        for part in ["src", "Cargo.toml"] {
            println!(
                "cargo::rerun-if-changed={}",
                engine.join(source).join(part).display()
            );
        }
    }
    let architecture = env::var("CARGO_CFG_TARGET_ARCH")?;
    let laid_out = if ARCHITECTURES.contains(&&*architecture) {
        lay_out(&fs::read(build(&engine, &out)?)?)?
    } else {
        Image::default()
    };
    laid_out.write(&out)
}

/// Returns the path of the shared object.
fn build(engine: &Path, out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let target = env::var("TARGET")?;
    // Shared by the profiles of the command: OUT_DIR is PROFILE/build/PACKAGE/out.
    let folder = out.ancestors().nth(4).unwrap_or(out).join("agent");
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo
        .current_dir(engine)
        .args([
            "rustc",
            "--quiet",
            "--package",
            "engine-local-agent",
            "--lib",
        ])
        .args(["--profile", "module", "--crate-type", "cdylib"])
        .args(["--target", &target, "--target-dir"])
        .arg(&folder)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env("RUSTFLAGS", "");
    if !has_core(&target)? {
        cargo
            .env("RUSTC_BOOTSTRAP", "1")
            .arg("-Zbuild-std=core,alloc");
    }
    cargo.args(["--", "--cfg", "trapline_agent"]).args([
        "-Clink-arg=-nostdlib",
        "-Clink-arg=-nostartfiles",
        "-Clink-arg=-Wl,-e,trapline_enter,-z,norelro,-z,defs,-Bsymbolic,--gc-sections,--build-id=none",
    ]);
    if !cargo.status()?.success() {
        return Err("the agent does not build".into());
    }
    Ok(folder.join(target).join("module/libengine_local_agent.so"))
}

/// Whether the toolchain has a built `core` for a target.
fn has_core(target: &str) -> Result<bool, Box<dyn Error>> {
    let rustc = match env::var("RUSTC") {
        Err(VarError::NotPresent) => "rustc".into(),
        rustc => rustc?,
    };
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", target])
        .output()?;
    let folder = String::from_utf8(output.stdout)?;
    let files = fs::read_dir(folder.trim()).into_iter().flatten().flatten();
    let mut names = files.map(|file| file.file_name());
    Ok(names.any(|name| name.to_string_lossy().starts_with("libcore-")))
}

#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    size: u64,
    entry: u64,
    /// Where the recorder of paths begins; 0 without.
    recorder: u64,
    /// First byte, byte behind it, and access.
    segments: Vec<(u64, u64, u32)>,
    /// Place, and the address there for an image at 0.
    relocations: Vec<(u64, i64)>,
}

fn lay_out(file: &[u8]) -> Result<Image, Box<dyn Error>> {
    match FileKind::parse(file)? {
        FileKind::Elf64 => lay_out_of::<FileHeader64<Endianness>>(file),
        FileKind::Elf32 => lay_out_of::<FileHeader32<Endianness>>(file),
        kind => Err(format!("the agent is {kind:?}").into()),
    }
}

fn lay_out_of<H: FileHeader<Endian = Endianness>>(file: &[u8]) -> Result<Image, Box<dyn Error>> {
    let header = H::parse(file)?;
    let endian = header.endian()?;
    if header.e_type(endian) != ET_DYN {
        return Err("the agent is no shared object".into());
    }
    let mut image = Image {
        entry: header.e_entry(endian).into(),
        ..Image::default()
    };
    let headers = header.program_headers(endian, file)?;
    for segment in headers.iter().filter(|it| it.p_type(endian) == PT_LOAD) {
        let start: u64 = segment.p_vaddr(endian).into();
        let size: u64 = segment.p_memsz(endian).into();
        let data = segment
            .data(endian, file)
            .map_err(|()| "a segment outside of the file")?;
        let place = usize::try_from(start)?;
        image.bytes.resize(place.max(image.bytes.len()), 0);
        image.bytes.truncate(place);
        image.bytes.extend_from_slice(data);
        let end = (start + size).next_multiple_of(PAGE);
        let start = start / PAGE * PAGE;
        if start < image.size {
            return Err("two segments of the agent share a page".into());
        }
        image
            .segments
            .push((start, end, access(segment.p_flags(endian))));
        image.size = end;
    }
    let sections = header.sections(endian, file)?;
    let symbols = sections.symbols(endian, file, SHT_DYNSYM)?;
    let mut recorders = symbols
        .iter()
        .filter(|symbol| symbol.name(endian, symbols.strings()) == Ok(b"trapline_record"));
    image.recorder = recorders.next().map_or(0, |it| it.st_value(endian).into());
    for section in sections.iter().filter(|it| it.sh_type(endian) == SHT_RELA) {
        let rows = section.rela(endian, file)?.map(|(rows, _)| rows);
        for row in rows.unwrap_or_default() {
            let kind = row.r_type(endian, false);
            if ![R_AARCH64_RELATIVE, R_X86_64_RELATIVE].contains(&kind) {
                return Err(format!("the agent has a relocation of type {kind}").into());
            }
            image
                .relocations
                .push((row.r_offset(endian).into(), row.r_addend(endian).into()));
        }
    }
    Ok(image)
}

impl Image {
    fn write(&self, out: &Path) -> Result<(), Box<dyn Error>> {
        fs::write(out.join("agent.image"), &self.bytes)?;
        let mut text = String::new();
        let bytes = r#"include_bytes!(concat!(env!("OUT_DIR"), "/agent.image"))"#;
        writeln!(
            text,
            "/// Its first bytes; zeros follow.\nconst IMAGE: &[u8] = {bytes};"
        )?;
        writeln!(
            text,
            "/// Its size in memory; 0 if there is none.\npub const SIZE: usize = {};",
            self.size
        )?;
        writeln!(
            text,
            "/// Where the agent begins.\npub const ENTRY: usize = {};",
            self.entry
        )?;
        writeln!(
            text,
            "/// Where the recorder begins; 0 if there is none.\npub const RECORDER: usize = {};",
            self.recorder
        )?;
        writeln!(
            text,
            "/// The access to its pages.\npub const SEGMENTS: &[Segment] = &["
        )?;
        for (start, end, access) in &self.segments {
            writeln!(
                text,
                "Segment {{ start: {start}, end: {end}, access: {access} }},"
            )?;
        }
        writeln!(
            text,
            "];\n/// Where an address is, and which, for an image at 0."
        )?;
        writeln!(text, "const RELOCATIONS: &[(u32, u32)] = &[")?;
        for (place, address) in &self.relocations {
            writeln!(text, "({place}, {address}),")?;
        }
        writeln!(text, "];")?;
        Ok(fs::write(out.join("agent.rs"), text)?)
    }
}

/// `PROT_*` of mmap(2) for a segment's flags.
fn access(flags: ProgramFlags) -> u32 {
    let of = |flag: ProgramFlags, access| if flags.0 & flag.0 == 0 { 0 } else { access };
    of(PF_R, 1) | of(PF_W, 2) | of(PF_X, 4)
}
