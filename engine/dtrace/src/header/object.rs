//! Object files without contents.

use std::env::consts::ARCH;
use std::path::Path;

use object::write::{Object, SectionKind};
use object::{Architecture, BinaryFormat, Endianness, File, FileFlags, ObjectKind, elf};

use crate::error::Error;

/// What an object is for.
struct Target {
    architecture: Architecture,
    endian: Endianness,
    flags: FileFlags,
}

/// An object that can be linked with these files, of which the first object counts. If there is none,
/// it is for this machine.
pub fn like(files: &[String]) -> Result<Vec<u8>, Error> {
    for name in files {
        let contents = std::fs::read(name).map_err(|why| Error::Script {
            name: name.clone(),
            why,
        })?;
        if let Some(target) = Target::of(&contents) {
            return target.empty(Path::new(name));
        }
    }
    Target::own().empty(Path::new("this machine"))
}

impl Target {
    fn of(contents: &[u8]) -> Option<Self> {
        use object::Object as _;
        let file = File::parse(contents).ok()?;
        let is_object =
            file.format() == BinaryFormat::Elf && file.kind() == ObjectKind::Relocatable;
        is_object.then(|| Self {
            architecture: file.architecture(),
            endian: file.endianness(),
            flags: file.flags(),
        })
    }

    fn own() -> Self {
        let (architecture, flags) = match ARCH {
            "x86_64" => (Architecture::X86_64, elf::FileFlags(0)),
            "aarch64" => (Architecture::Aarch64, elf::FileFlags(0)),
            _ => (Architecture::Arm, elf::EF_ARM_EABI_VER5),
        };
        Self {
            architecture,
            endian: Endianness::Little,
            flags: FileFlags::Elf {
                os_abi: elf::ELFOSABI_NONE,
                abi_version: 0,
                e_flags: flags,
            },
        }
    }

    /// Without the section for the stack, linkers would make the stack executable.
    fn empty(&self, like: &Path) -> Result<Vec<u8>, Error> {
        let mut object = Object::new(BinaryFormat::Elf, self.architecture, self.endian);
        object.flags = self.flags;
        object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
        object.write().map_err(|why| {
            let like = like.display();
            Error::Compile(format!("failed to make an object like {like}: {why}"))
        })
    }
}
