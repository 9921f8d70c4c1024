//! A file that may have the types: reading it, and whether it is of the kernel.

use std::sync::Arc;

use object::{Object, ObjectSection};

use crate::btf::Btf;
use crate::find::fault::Fault;
use crate::find::kernel::Kernel;
use crate::lookup::Class;

/// What a file has.
#[derive(Debug)]
pub struct Candidate {
    pub bytes: Vec<u8>,
    pub build_id: Option<Vec<u8>>,
    /// Whether the bytes had to be converted.
    pub is_converted: bool,
}

impl Candidate {
    /// The BTF of a file: the file itself, a section of an ELF file, or what its debug information
    /// is converted to. An ELF file of another kernel is not converted.
    pub fn of(bytes: Vec<u8>, kernel: &Kernel) -> Result<Self, Fault> {
        if !bytes.starts_with(b"\x7fELF") {
            return Ok(Self {
                bytes,
                build_id: None,
                is_converted: false,
            });
        }
        let file = object::File::parse(&bytes[..])?;
        let build_id = file.build_id()?.map(<[u8]>::to_vec);
        check_build_id(build_id.as_deref(), kernel)?;
        let section = file.section_by_name(".BTF");
        let is_converted = section.is_none();
        let bytes = match section {
            Some(section) => section.data()?.to_vec(),
            None => convert(&bytes)?,
        };
        Ok(Self {
            bytes,
            build_id,
            is_converted,
        })
    }

    /// Reads it, and checks that it is of the kernel.
    pub fn read(self, kernel: &Kernel) -> Result<Arc<Btf<'static>>, Fault> {
        let btf = Btf::read(self.bytes)?;
        check(&btf, self.build_id, kernel)?;
        Ok(Arc::new(btf))
    }
}

/// Checks the build-id; or, if one of them is not known, the size of `struct module`.
pub fn check(btf: &Btf<'_>, build_id: Option<Vec<u8>>, kernel: &Kernel) -> Result<(), Fault> {
    let build_id = build_id.or_else(|| btf.build_id());
    if build_id.is_some() && kernel.build_id.is_some() {
        return check_build_id(build_id.as_deref(), kernel);
    }
    let found = btf.named(Class::Struct, "module");
    let found = found.and_then(|id| btf.size_of(id, 0).ok());
    match (found, kernel.module_size) {
        (Some(found), Some(expected)) if found != expected => {
            Err(Fault::Module { found, expected })
        }
        _ => Ok(()),
    }
}

fn check_build_id(found: Option<&[u8]>, kernel: &Kernel) -> Result<(), Fault> {
    match (found, &kernel.build_id) {
        (Some(found), Some(expected)) if found != expected => Err(Fault::BuildId {
            found: hexadecimal(found),
            expected: hexadecimal(expected),
        }),
        _ => Ok(()),
    }
}

/// The digits of a build-id.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(feature = "dwarf")]
fn convert(file: &[u8]) -> Result<Vec<u8>, Fault> {
    Ok(crate::dwarf::convert(file)?.0)
}

#[cfg(not(feature = "dwarf"))]
fn convert(_: &[u8]) -> Result<Vec<u8>, Fault> {
    Err(Fault::NoBtf)
}
