//! Messages about faulting clauses: the engine fires `ERROR`, and a clause that the command enables
//! at it records where and why.

use engine_abi::Fault;

use crate::engine::Enabled;
use crate::output::texts;
use crate::print::unsigned_of;

/// That clause. It records four 8-byte numbers: EPID, instruction, fault and address.
pub const CLAUSE: &str = "dtrace:::ERROR { trace(arg0); trace(arg3); trace(arg4); trace(arg5); }";

/// The EPID of the faulting clause.
pub fn epid(data: &[u8]) -> u32 {
    number(data, 0) as u32
}

/// The message; `enabled` is the faulting clause at its probe.
pub fn sentence(data: &[u8], enabled: &Enabled) -> String {
    let fault = Fault::from_code(number(data, 2) as u32);
    let why = fault.map_or("unknown fault", Fault::sentence);
    let details = match fault {
        Some(Fault::BadAddress | Fault::BadAlignment | Fault::BadSize) => {
            format!(" (0x{:x})", number(data, 3))
        }
        _ => String::new(),
    };
    let instruction = number(data, 1);
    let place = place(enabled);
    format!("error in {place}: {why}{details} at pc {instruction}")
}

/// How messages name a clause at a probe.
pub fn place(enabled: &Enabled) -> String {
    let names = texts(&enabled.probe.description).join(":");
    let (clause, id) = (enabled.clause, enabled.probe.id);
    format!("dt_clause_{clause} for probe ID {id} ({names})")
}

fn number(data: &[u8], place: usize) -> u64 {
    data.chunks_exact(8).nth(place).map_or(0, unsigned_of)
}

#[cfg(test)]
mod tests {
    use engine_abi::Description;

    use super::*;
    use crate::engine::Probe;

    fn message(numbers: [i64; 4]) -> String {
        let data: Vec<u8> = numbers.iter().flat_map(|it| it.to_ne_bytes()).collect();
        let description = Description::new(b"dtrace", b"", b"", b"BEGIN").unwrap();
        let probe = Probe { id: 1, description };
        sentence(&data, &Enabled { probe, clause: 2 })
    }

    #[test]
    fn errors_have_dtraces_wording() {
        assert_eq!(
            message([3, 12, 4, 0]),
            "error in dt_clause_2 for probe ID 1 (dtrace:::BEGIN): divide-by-zero at pc 12"
        );
        assert_eq!(
            message([3, 0, 1, 0x10]),
            "error in dt_clause_2 for probe ID 1 (dtrace:::BEGIN): invalid address (0x10) at pc 0"
        );
        assert_eq!(
            message([3, 0, 10, 0x1000]),
            "error in dt_clause_2 for probe ID 1 (dtrace:::BEGIN): invalid size (0x1000) at pc 0"
        );
        assert!(message([3, 0, 99, 0]).contains("unknown fault at pc 0"));
    }
}
