//! Children that are forked: they run on without probes.

use super::*;

#[test]
fn children_run_without_probes() {
    let folder = folder();
    let program = build(&folder, "children", "-O1");
    let work = "pid$target:a.out:work:entry { @ = count(); } END { printa(\"%@d\", @); }";
    let (output, traced) = trace(&folder, work, program.to_str().unwrap());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "10 10\n");
    assert_eq!(traced.trim(), "10");
}

/// A process without its handlers would die at its first trap.
#[test]
fn children_that_are_to_have_no_handlers_live() {
    let folder = folder();
    let program = build(&folder, "spawned", "-O1");
    for mechanism in ["trap", "inline"] {
        let mechanism = format!("pidmech={mechanism}");
        let output = dtrace("pid$target:a.out:work:entry { @ = count(); }")
            .args(["-x", &mechanism, "-c", program.to_str().unwrap()])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let child = "exit 7 -14 -22\n";
        let expected = format!("{child}{child}thread 8\n");
        assert!(said.starts_with(&expected), "{mechanism}: {said}");
    }
}

/// All the agent's stacks are in use when they are forked.
#[test]
fn children_of_threads_in_firings_end() {
    let folder = folder();
    let program = build(&folder, "forked", "-O1");
    let program = program.to_str().unwrap();
    for mechanism in ["trap", "inline"] {
        let mechanism = format!("pidmech={mechanism}");
        let held = "pid$target:a.out:work:entry { chill(200000000); }";
        let output = dtrace(held)
            .args(["-w", "-x", &mechanism, "-c", program])
            .output()
            .unwrap();
        // What the limit of chill() has to say is as much as there is time for.
        let ended = String::from_utf8_lossy(&output.stdout);
        assert_eq!(ended.trim(), "3 children ended", "{mechanism}");
    }
}

/// The thread that forks can be on one of the agent's stacks itself, or wait for one: that is what a handler of signals
/// interrupts.
#[test]
fn children_of_handlers_in_firings_end() {
    let folder = folder();
    let program = build(&folder, "forking", "-O1");
    for mechanism in ["trap", "inline"] {
        let mechanism = format!("pidmech={mechanism}");
        for (threads, clause) in [
            (0, "@ = sum(arg0);"),
            (0, "@[arg0 % 7] = quantize(timestamp);"),
            (16, "@[arg0 % 7] = quantize(timestamp);"),
        ] {
            let work = format!("pid$target:a.out:work:entry {{ {clause} }}");
            let command = format!("{} {threads}", program.display());
            let output = dtrace(&work)
                .args(["-x", &mechanism, "-c", &command])
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            let is_so = said.starts_with("20 children ended\n");
            assert!(is_so, "{mechanism} {threads} {clause} {said}");
        }
    }
}
