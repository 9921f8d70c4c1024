//! Files with debug information, made by the host's compiler.

use std::process::Command;

use tempfile::TempDir;

/// Links as a kernel is linked, with `-Wl,-T,kernel.ld`.
const SCRIPT: &str = "SECTIONS {
    . = 0x100000;
    _stext = .;
    .text : { *(.text .text.*) }
    .rodata : { *(.rodata .rodata.*) }
    .data..percpu 0 : { *(.data..percpu) }
    . = 0x200000;
    .data : { *(.data) }
    .bss : { *(.bss) }
    . += 0x1000;
    _end = .;
    /DISCARD/ : { *(.discard) }
    jiffies = jiffies_64;
}";

/// Compiles each source, and links them if there is more than one, or if `link` says how.
pub fn built(sources: &[&str], flags: &[&str], link: Option<&[&str]>) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new("gcc")
            .args(arguments)
            .current_dir(folder.path())
            .output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
    };
    let mut objects = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let (input, output) = (format!("{number}.c"), format!("{number}.o"));
        std::fs::write(folder.path().join(&input), source).unwrap();
        let fixed = [
            "-c",
            "-g",
            "-O1",
            "-fno-common",
            "-w",
            "-o",
            &output,
            &input,
        ];
        run(&[&fixed[..], flags].concat());
        objects.push(output);
    }
    let Some(link) = link else {
        return std::fs::read(folder.path().join("0.o")).unwrap();
    };
    std::fs::write(folder.path().join("kernel.ld"), SCRIPT).unwrap();
    let mut arguments = vec!["-nostdlib", "-static", "-Wl,-e,0", "-o", "linked"];
    arguments.extend(objects.iter().map(String::as_str));
    arguments.extend(link);
    run(&arguments);
    std::fs::read(folder.path().join("linked")).unwrap()
}

/// One source, compiled only.
pub fn object(source: &str) -> Vec<u8> {
    built(&[source], &[], None)
}

/// Several sources, linked.
pub fn linked(sources: &[&str]) -> Vec<u8> {
    built(sources, &[], Some(&[]))
}
