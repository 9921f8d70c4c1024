//! The functions of an object, from all tables of symbols that it has, or from its unwind table.
//!
//! Names stay in copies of the string tables, and a function refers to its name there: symbols of a
//! malformed file that all share one long name cost no more memory than the file has.

mod collect;
pub mod demangle;
mod extent;
mod list;
mod row;
pub(crate) mod table;
mod xz;

use object::read::ReadRef;

use crate::elf::Elf;
use crate::error::{Fault, Table};
pub(crate) use collect::Collector;
pub use list::Functions;
pub use row::{Binding, Extent, Function, Mode};

impl Functions {
    /// Reads the functions in the tables of the file itself, with its MiniDebugInfo.
    ///
    /// [`crate::Object::functions`] also reads separate debug files.
    ///
    /// # Errors
    /// A fault that leaves nothing to read. Other faults are in [`Functions::faults`].
    pub fn of_bytes(data: &[u8]) -> Result<(Elf, Self), Fault> {
        let elf = Elf::read(data)?;
        let functions = Self::read(&elf, data, |_| {});
        Ok((elf, functions))
    }

    /// Reads the functions of a file. Where it has no full table, `debug` may add that of its
    /// separate debug file; the MiniDebugInfo is read only if that adds nothing either. A file without
    /// any function in its tables has those that its `.eh_frame` describes.
    pub(crate) fn read<'d, R: ReadRef<'d>>(
        elf: &Elf,
        data: R,
        debug: impl FnOnce(&mut Collector<'_>),
    ) -> Self {
        let mut collector = Collector::new(elf);
        collector.add(elf, data, Table::Symtab);
        if collector.is_empty() {
            debug(&mut collector);
        }
        if collector.is_empty() {
            collector.add_mini(data);
        }
        collector.add(elf, data, Table::Dynsym);
        if collector.is_empty() {
            collector.add_described(data);
        }
        collector.finish()
    }
}
