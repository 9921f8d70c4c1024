//! Messages about faulting clauses: the engine fires `ERROR`, and a clause that the command enables
//! at it records where and why.

use engine_abi::Fault;

use crate::engine::Probe;
use crate::output::texts;
use crate::print::unsigned_of;

/// That clause. It records five 8-byte numbers: EPID, action, offset, fault and address.
pub const CLAUSE: &str =
    "dtrace:::ERROR { trace(arg1); trace(arg2); trace(arg3); trace(arg4); trace(arg5); }";

/// The EPID of the faulting clause.
pub fn epid(data: &[u8]) -> u32 {
    number(data, 0) as u32
}

/// The message; `probe` is the one whose clause faulted.
pub fn sentence(data: &[u8], probe: &Probe) -> String {
    let epid = epid(data);
    let id = probe.id;
    let names = texts(&probe.description).join(":");
    let fault = Fault::from_code(number(data, 3) as u32);
    let why = fault.map_or("unknown fault", Fault::sentence);
    let details = match fault {
        Some(Fault::BadAddress | Fault::BadAlignment) => format!(" (0x{:x})", number(data, 4)),
        _ => String::new(),
    };
    let place = match number(data, 1) {
        0 => "predicate".to_owned(),
        action => format!("action #{action}"),
    };
    let offset = match number(data, 2) as i64 {
        -1 => String::new(),
        offset => format!(" at DIF offset {offset}"),
    };
    format!(
        "error on enabled probe ID {epid} (ID {id}: {names}): {why}{details} in {place}{offset}"
    )
}

fn number(data: &[u8], place: usize) -> u64 {
    data.chunks_exact(8).nth(place).map_or(0, unsigned_of)
}

#[cfg(test)]
mod tests {
    use engine_abi::Description;

    use super::*;

    fn message(numbers: [i64; 5]) -> String {
        let data: Vec<u8> = numbers.iter().flat_map(|it| it.to_ne_bytes()).collect();
        let description = Description::new(b"dtrace", b"", b"", b"BEGIN").unwrap();
        sentence(&data, &Probe { id: 1, description })
    }

    #[test]
    fn errors_have_dtraces_wording() {
        assert_eq!(
            message([3, 1, 12, 4, 0]),
            "error on enabled probe ID 3 (ID 1: dtrace:::BEGIN): divide-by-zero in action #1 at DIF \
             offset 12"
        );
        assert_eq!(
            message([3, 0, -1, 1, 0x10]),
            "error on enabled probe ID 3 (ID 1: dtrace:::BEGIN): invalid address (0x10) in predicate"
        );
        assert!(message([3, 1, 0, 99, 0]).contains("unknown fault in action #1"));
    }
}
