use super::*;
use crate::run::plan::Target;

#[test]
fn a_machine_is_found_by_its_very_name() {
    assert_eq!(find("q35").map(|machine| machine.unit), Some(Unit::Byte));
    assert!(find("RASPI0").is_none());
}

#[test]
fn text_lies_where_the_row_says() {
    let physical = |name, address| find(name).and_then(|machine| machine.physical(address));
    assert_eq!(physical("raspi0", 0xc000_8000), Some(0x8000));
    assert_eq!(physical("raspi0", 0x1000), None);
    assert_eq!(physical("virt", 0xffff_8000_0801_0000), Some(0x4021_0000));
    assert_eq!(physical("q35", 0xffff_ffff_8100_0000), Some(0x100_0000));
}

#[test]
fn an_own_change_is_one_only_in_its_function() {
    let machine = find("raspi0").expect("a row");
    let pair = Pair {
        unit: machine.unit,
        before: &0xea00_0033_u32.to_le_bytes(),
        after: &0xe1a0_0000_u32.to_le_bytes(),
    };
    let change = &(0..4);
    assert!(
        machine
            .own_change("__skb_get_hash", &pair, change)
            .is_some()
    );
    assert!(machine.own_change("sys_chdir", &pair, change).is_none());
}

#[test]
fn own_changes_are_written_as_a_change_is_shown() {
    for machine in MACHINES {
        let width = match machine.unit {
            Unit::Word => 8,
            Unit::Byte => 2,
        };
        for own in machine.own_changes {
            let words = own.before.split(' ').chain(own.after.split(' '));
            assert!(words.clone().all(|word| word.len() == width), "{own:?}");
            assert_eq!(own.before.len(), own.after.len(), "{own:?}");
        }
    }
}

fn line(machine: &str, launch: Launch<'_>) -> String {
    let image = serde_json::json!({
        "schema": 4, "content": "ab", "guest": "g", "machine": machine, "memory": "512M", "cpus": 1,
        "kernel": "/k", "initrd": "/i", "dtb": null, "append": "quiet",
        "kernel_release": "6.1.0", "module": "/m", "mutants_module": "/n",
        "ssh": {"user": "root", "private_key": "/p", "public_key": "/q", "host_key": "k"},
        "names": {}, "capabilities": [], "mutants": []
    });
    let image: Image = serde_json::from_value(image).expect("an image");
    let machine = find(machine).expect("a row");
    let words = machine.arguments(&image, launch, Path::new("/c"));
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    format!(" {} ", words.join(" "))
}

#[test]
fn how_a_guest_is_started_is_all_that_differs() {
    let file = Path::new("/a,b/memory");
    for machine in MACHINES {
        let cold = line(machine.name, Launch::Cold);
        assert!(!cold.contains("-netdev") && !cold.contains("memory-backend"));
        let networked = line(machine.name, Launch::Networked);
        assert!(networked.contains("-netdev") && networked.contains(" trapline.network "));
        let saving = line(machine.name, Launch::Saving(file));
        assert!(saving.contains("share=on,mem-path=/a,,b/memory "));
        let restored = line(machine.name, Launch::Restored(file));
        let incoming = restored.replace("share=off", "share=on");
        assert_eq!(incoming.replace(" -incoming defer", ""), saving);
    }
}

fn told(machine: &Machine, clockwork: Clockwork) -> String {
    let mut image = Image::of(&Target::default());
    image.clockwork = clockwork;
    let words = machine.arguments(&image, Launch::Cold, Path::new("c"));
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[test]
fn a_setting_is_told_as_qemu_takes_it_and_nothing_else_is() {
    for machine in MACHINES {
        let usual = told(machine, Clockwork::default());
        let words = ["-icount", "-seed", "-S "];
        assert!(!words.iter().any(|word| usual.contains(word)), "{usual}");
        let clockwork = Clockwork {
            shift: Some(5),
            seed: Some(7),
            tape: None,
        };
        let set = told(machine, clockwork);
        assert!(set.contains("-icount shift=5 -seed 7"), "{set}");
    }
}

#[test]
fn cpus_take_turns_where_the_emulator_is_too_old_or_counts() {
    let x86 = find("q35").expect("a row");
    let accelerator = |version, shift| {
        let mut image = Image::of(&Target::default());
        image.emulator = version;
        image.clockwork.shift = shift;
        (x86.accelerator(&image), x86.is_parallel(&image))
    };
    assert_eq!(accelerator(Version(7, 2), None), (TAKING_TURNS, false));
    assert_eq!(accelerator(Version(8, 1), None), (TCG, true));
    assert_eq!(accelerator(Version(8, 1), Some(0)), (TCG, false));
    let arm = find("virt").expect("a row");
    assert!(arm.is_parallel(&Image::of(&Target::default())));
}

#[test]
fn a_recording_has_the_line_and_nothing_that_would_not_be_in_it() {
    let play = |is_held| Tape::Replay {
        path: "a,b".into(),
        is_held,
    };
    let tapes = [Tape::Record("a,b".into()), play(false), play(true)];
    for machine in MACHINES {
        for tape in &tapes {
            let clockwork = Clockwork {
                tape: Some(tape.clone()),
                ..Clockwork::default()
            };
            let line = told(machine, clockwork);
            let (mode, _) = tape.option();
            let icount = format!("-icount shift=3,rr={mode},rrfile=a,,b");
            assert!(line.contains(&icount), "{line}");
            assert!(line.contains("-serial chardev:line"), "{line}");
            assert!(!line.contains("qtest"), "{line}");
            assert_eq!(line.contains(" -S "), *tape == play(true), "{line}");
        }
    }
}

#[test]
fn names_are_unique() {
    for (row, machine) in MACHINES.iter().enumerate() {
        assert!(
            MACHINES[..row]
                .iter()
                .all(|other| other.name != machine.name)
        );
    }
}
