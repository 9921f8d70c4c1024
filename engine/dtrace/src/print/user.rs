//! Addresses and stacks of processes.

use engine_dlang::program::{Detail, Field, FieldType};

use super::{Style, field, unsigned_of};

/// The process of a recorded stack or address, and the addresses.
pub fn parts(data: &[u8]) -> (u32, impl Iterator<Item = u64>) {
    let mut words = data.chunks_exact(8).map(unsigned_of);
    let pid = words.next().unwrap_or_default();
    (u32::try_from(pid).unwrap_or_default(), words)
}

/// The name of an address: one that was recorded with its process, or of the target process.
pub fn name(style: &Style, kind: FieldType, data: &[u8]) -> String {
    let FieldType::UserAddress(detail) = kind else {
        let users = &style.users;
        return users.name(users.target(), unsigned_of(data), Detail::Offset);
    };
    let (pid, mut addresses) = parts(data);
    let address = addresses.next().unwrap_or_default();
    style.users.name(pid, address, detail)
}

/// Looks up the addresses of a key while their processes exist. Returns the key with each address
/// replaced by the first one that has the same name: as in DTrace, `usym` and `umod` count functions
/// and objects. None if there is nothing to replace.
pub fn settled(style: &Style, fields: &[Field], key: &[u8]) -> Option<Vec<u8>> {
    let mut settled = None;
    for stack in fields.iter().filter(|it| it.kind == FieldType::UserStack) {
        let (pid, counters) = parts(field(stack, key));
        style.users.see(pid, counters.take_while(|it| *it != 0));
    }
    for part in fields {
        let data = field(part, key);
        // Where in the part the address is, and what takes its place.
        let (at, first) = match part.kind {
            FieldType::UserAddress(detail) => {
                let (pid, mut addresses) = parts(data);
                (8, style.users.first(pid, addresses.next()?, detail))
            }
            FieldType::KernelAddress(detail) => (0, style.symbols.first(unsigned_of(data), detail)),
            _ => continue,
        };
        let settled: &mut Vec<u8> = settled.get_or_insert_with(|| key.to_vec());
        let place = settled.get_mut(part.offset as usize + at..)?;
        place.get_mut(..8)?.copy_from_slice(&first.to_ne_bytes());
    }
    settled
}
