//! Compiles the probes, which need a C compiler: each operand is of the form that its constraint asks
//! for.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=src");
    let mut build = cc::Build::new();
    build
        .opt_level(2)
        .debug(false)
        .force_frame_pointer(false)
        .pic(false)
        .flag("-fPIE")
        // Its anchors have no symbols, so variables at them could not be found.
        .flag_if_supported("-fno-section-anchors");
    // ARMv6 has Thumb-1 only, in which a compiler has too few registers.
    match env::var("TARGET").unwrap_or_default() {
        target if target.starts_with("armv7") => build.flag("-mthumb"),
        target if target.starts_with("arm-") => build.flag("-marm"),
        _ => &mut build,
    };
    build
        .file("src/forms.c")
        .file("src/sites.c")
        .file("src/say.c")
        .compile("markers");
}
