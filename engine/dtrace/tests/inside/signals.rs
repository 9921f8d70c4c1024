//! The signal of traps: the program's own, and where it is blocked.

use super::*;

#[test]
fn threads_lose_no_hit_and_survive_blocked_signals() {
    let folder = folder();
    for level in ["-O0", "-O2", "-Os"] {
        let program = build(&folder, "threads", level);
        let own = "pid$target:a.out:work:entry, pid$target:a.out:work:return, pid$target:a.out:tiny:entry,
            pid$target:a.out:tiny:return { @[probefunc, probename] = count(); }
            pid$target:::entry, pid$target:::return { @all = count(); }
            END { printa(\"%s:%s %@d\\n\", @); }";
        let (output, traced) = trace(&folder, own, program.to_str().unwrap());
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            "40000\n",
            "{level}"
        );
        let expected = "work:entry 40000 work:return 40000 tiny:entry 800 tiny:return 800";
        let mut expected: Vec<&str> = expected.split(' ').collect();
        let traced = counts(&traced);
        while let (Some(count), Some(name)) = (expected.pop(), expected.pop()) {
            assert_eq!(traced[name].to_string(), count, "{level} {name}");
        }
    }
}

#[test]
fn the_signal_of_traps_stays_the_programs() {
    let folder = folder();
    for level in ["-O0", "-O2"] {
        let program = build(&folder, "signals", level);
        let plain = Command::new(&program).output().unwrap();
        let all = "pid$target:::entry, pid$target:::return { @ = count(); }";
        let (output, _) = trace(&folder, all, program.to_str().unwrap());
        assert_eq!(output.stdout, plain.stdout, "{level}");
    }
}

/// Nor if a jump of a probe would take the place of the guard.
#[test]
fn signals_are_not_blocked_by_calls_with_a_computed_number() {
    let Some((folder, program, plain)) = numbers() else {
        return;
    };
    let probes = [
        "pid$target:::entry, pid$target:::return",
        "pid$target:a.out::",
    ];
    for probes in probes {
        let all = format!("{probes} {{ @ = count(); }}");
        let (output, _) = trace(&folder, &all, &program);
        let traced = String::from_utf8(output.stdout).unwrap();
        assert_eq!(traced, plain, "{probes}");
    }
}

/// What a guard has copies of is not executed.
#[test]
fn a_probe_that_a_guard_would_hide_is_not_armed() {
    let Some((folder, program, _)) = numbers() else {
        return;
    };
    let every =
        "pid$target:a.out:tiny:entry, pid$target:a.out:constant: { @[probename] = count(); }
        END { printa(\"%s %@d\\n\", @); }";
    for mechanism in ["trap", "inline"] {
        let every = format!("#pragma D option pidmech={mechanism}\n{every}");
        let (output, traced) = trace(&folder, &every, &program);
        let traced = counts(&traced).into_iter().collect();
        let told = [("0", 1), ("b", 1), ("entry", 9), ("return", 1)];
        let told = told.map(|(name, hits)| (name.to_owned(), hits));
        assert_eq!(BTreeMap::from(told), traced, "{mechanism}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("2 probes were not armed"), "{said}");
    }
}

#[test]
fn traps_of_the_programs_own_do_what_they_did() {
    let folder = folder();
    let program = build(&folder, "trap", "-O1");
    let all = "pid$target:::entry { @ = count(); }";
    for mechanism in ["trap", "inline"] {
        let run = |arguments: &str| {
            let mechanism = format!("pidmech={mechanism}");
            let command = format!("{} {arguments}", program.display());
            let output = Command::new(env!("CARGO_BIN_EXE_dtrace"))
                .args(["-x", &mechanism, "-n", all, "-c", &command])
                .output()
                .unwrap();
            let [said, told] =
                [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
            (said, told)
        };
        for trap in ["undefined", "short", "other"] {
            let (_, told) = run(trap);
            let signals = ["SIGTRAP", "SIGILL"].map(|it| format!("terminated by {it}"));
            let is_so = signals.iter().any(|it| told.contains(it));
            assert!(is_so, "{mechanism} {trap}: {told}");
        }
        for handled in ["short short short", "unread short short short"] {
            let (said, _) = run(handled);
            assert!(said.starts_with("3\n"), "{mechanism} {handled}: {said}");
        }
    }
}
