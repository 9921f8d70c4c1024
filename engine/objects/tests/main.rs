//! Reads real processes and files.

use engine_objects::{Objects, Process, Symbols};

#[test]
fn own() {
    let process = Process::open(std::process::id()).unwrap();
    let objects = Objects::of(&process).unwrap();
    for o in &objects {
        println!(
            "{:?} {:x} {:?} {:?} {:x?}",
            o.path(),
            o.bias(),
            o.role(),
            o.names(),
            o.ranges()
        );
        let f = o.functions(&process.roots());
        println!(
            "   {} {:?} {:?}",
            f.len(),
            f.faults(),
            o.elf().map(|e| (e.class, e.machine.to_string(), &e.faults))
        );
    }
    println!("{:?}", objects.unreadable());
    let symbols = Symbols::of(&process).unwrap();
    let here = own as fn() as usize as u64;
    println!("{:?}", symbols.resolve(here).unwrap().function_name());
}
