use super::*;
use crate::guest::emulator::Version;
use crate::guest::machine::{MACHINES, find};
use crate::run::plan::Target;

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
fn launch_modes_differ_only_in_their_options() {
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

fn arguments_of(machine: &Machine, clockwork: Clockwork) -> String {
    let mut image = Image::of(&Target::default());
    image.clockwork = clockwork;
    let words = machine.arguments(&image, Launch::Cold, Path::new("c"));
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[test]
fn variation_adds_only_its_options() {
    for machine in MACHINES {
        let usual = arguments_of(machine, Clockwork::default());
        let words = ["-icount", "-seed", "-S "];
        assert!(!words.iter().any(|word| usual.contains(word)), "{usual}");
        let clockwork = Clockwork {
            shift: Some(5),
            seed: Some(7),
            recording: None,
        };
        let set = arguments_of(machine, clockwork);
        assert!(set.contains("-icount shift=5 -seed 7"), "{set}");
    }
}

#[test]
fn recording_has_the_line_but_no_qtest() {
    let play = |is_held| Recording::Replay {
        path: "a,b".into(),
        is_held,
    };
    let tapes = [Recording::Record("a,b".into()), play(false), play(true)];
    for machine in MACHINES {
        for recording in &tapes {
            let clockwork = Clockwork {
                recording: Some(recording.clone()),
                ..Clockwork::default()
            };
            let line = arguments_of(machine, clockwork);
            let (mode, _) = recording.option();
            let icount = format!("-icount shift=3,rr={mode},rrfile=a,,b");
            assert!(line.contains(&icount), "{line}");
            assert!(line.contains("-serial chardev:line"), "{line}");
            assert!(!line.contains("qtest"), "{line}");
            assert_eq!(line.contains(" -S "), *recording == play(true), "{line}");
        }
    }
}

#[test]
fn round_robin_for_old_qemu_and_icount() {
    let x86 = find("q35").expect("a row");
    let accelerator = |version, shift| {
        let mut image = Image::of(&Target::default());
        image.emulator = version;
        image.clockwork.shift = shift;
        (x86.accelerator(&image), x86.is_parallel(&image))
    };
    assert_eq!(accelerator(Version(7, 2), None), (ROUND_ROBIN, false));
    assert_eq!(accelerator(Version(8, 1), None), (TCG, true));
    assert_eq!(accelerator(Version(8, 1), Some(0)), (TCG, false));
    let arm = find("virt").expect("a row");
    let mut image = Image::of(&Target::default());
    assert!(arm.is_parallel(&image));
    image.cross_modifying = true;
    image.emulator = Version(7, 2);
    assert_eq!(arm.accelerator(&image), ROUND_ROBIN);
    image.emulator = Version(8, 1);
    assert_eq!(arm.accelerator(&image), TCG);
}
