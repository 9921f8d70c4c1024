//! A Rust program with USDT probes, by the crate `probe`, which needs neither a script nor a header.
//!
//! ```sh
//! cargo build -p engine-dtrace --example probes
//! dtrace -n 'rust_example$target:::step { @ = quantize(arg1); }' -c target/debug/examples/probes
//! ```
//!
//! `probe!` notes its arguments as signed words, whatever their types are. Those of `probe_lazy!` are
//! evaluated only while a tracer has the probe enabled, by a semaphore; it returns whether one has.

use probe::{probe, probe_lazy};

fn main() {
    probe!(rust_example, begin);
    let sum = (1..=100).fold(0, add);
    println!("{sum}");
}

/// One step, with the number that is added and the sum.
fn add(sum: u64, number: u64) -> u64 {
    let sum = sum + number;
    probe!(rust_example, step, number, sum);
    probe_lazy!(rust_example, divided, divisors(sum));
    sum
}

/// A number that takes time to find, so it is found for tracers only.
fn divisors(sum: u64) -> usize {
    (1..=sum).filter(|it| sum.is_multiple_of(*it)).count()
}

#[cfg(test)]
mod tests {
    use engine_objects::{Argument, Operand, Sites};

    #[test]
    fn the_probes_of_this_program_are_found() {
        assert_eq!(super::add(1, 2), 3);
        super::main();
        let file = std::fs::read("/proc/self/exe").unwrap();
        let sites = Sites::of_bytes(&file).unwrap().1;
        assert_eq!(sites.faults, []);
        let of = |name: &str| {
            let mut found = sites.list.iter().filter(|site| site.name == name);
            let site = found.next().unwrap();
            assert!(found.next().is_none(), "{name}");
            assert_eq!(site.provider, "rust_example");
            assert!(site.function.is_some());
            site
        };
        let (begin, step, divided) = (of("begin"), of("step"), of("divided"));
        assert_eq!((begin.arguments.len(), begin.semaphore), (0, None));
        let word = size_of::<usize>() as u8;
        let is_word = |it: &Argument| (it.size, it.is_signed) == (word, true);
        assert_eq!(step.arguments.len(), 2);
        assert!(step.arguments.iter().all(is_word));
        let in_registers = |it: &Argument| matches!(it.at, Operand::Register { .. });
        assert!(step.arguments.iter().all(in_registers));
        assert!(step.function.as_deref().unwrap().contains("add"));
        assert!(divided.semaphore.is_some());
        assert_eq!(divided.arguments.len(), 1);
    }
}
