//! The reader over BTF that the writer makes, over damaged BTF, and beside another reader.

mod all;
mod damaged;
mod declare;
mod dwarf;
mod faults;
mod find;
mod judge;
mod kinds;
mod layout;
mod lookup;
mod random;
mod split;
