//! Programs of several units, of languages and by linkers of several kinds.

use crate::{Folder, is_here};

#[test]
fn a_program_of_several_units_shares_its_semaphores() {
    let folder = Folder::new();
    folder.header("provider p { probe go__on(int); }; provider q { probe go(); };");
    folder.write(
        "one.c",
        "#include \"probes.h\"\n#include <stdio.h>\nint other(void);\n\
         int main(int argc, char **argv) { P_GO_ON(argc); (void)argv;\n\
         printf(\"%d%d\", P_GO_ON_ENABLED(), other()); p_go__on_semaphore++;\n\
         printf(\" %d%d\", P_GO_ON_ENABLED(), other()); return 0; }\n",
    );
    folder.write(
        "two.c",
        "#include \"probes.h\"\nint other(void);\nint other(void) { Q_GO(); return P_GO_ON_ENABLED(); }\n",
    );
    for flags in [
        "-O0",
        "-O2 -pie -fPIE",
        "-O2 -no-pie -fno-pie",
        "-O2 -static",
        "-O2 -flto",
        "-O2 -fcommon",
    ] {
        folder.runs(&format!("gcc {flags} one.c two.c -o program"));
        assert_eq!(folder.runs("./program"), "00 11", "{flags}");
        let sites = folder.sites("program");
        // Some distributions' C libraries have probes of their own.
        let own = sites.list.iter().filter(|it| it.provider != "libc");
        let mut names: Vec<_> = own
            .map(|it| format!("{}:{}", it.provider, it.name))
            .collect();
        names.sort();
        assert_eq!(names, ["p:go__on", "q:go"], "{flags}");
    }
}

#[test]
fn code_that_is_dropped_takes_its_probes_with_it() {
    let folder = Folder::new();
    folder.header("provider p { probe dead(int); probe live(int); };");
    folder.write(
        "one.c",
        "#include \"probes.h\"\nvoid dead(int x);\nvoid dead(int x) { P_DEAD(x); }\n\
         int main(int argc, char **argv) { P_LIVE(argc); return argv == 0; }\n",
    );
    let linkers = ["bfd", "lld"].map(|it| (it, is_here(&format!("ld.{it}"))));
    for (linker, _) in linkers.iter().filter(|it| it.1) {
        let flags = format!("-O2 -ffunction-sections -Wl,--gc-sections -fuse-ld={linker}");
        folder.runs(&format!("gcc {flags} one.c -o program"));
        let sites = folder.sites("program");
        let names: Vec<_> = sites.list.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["live"], "{linker}");
        assert!(sites.list[0].semaphore.is_some());
    }
}

/// An inline function of C++ is in each unit that calls it, and once in the program.
#[test]
fn an_inline_function_has_its_probe_once() {
    let folder = Folder::new();
    folder.header("provider p { probe in__line(int); };");
    folder.write(
        "both.h",
        "#include \"probes.h\"\n\
         template <class T> inline T twice(T x) { P_IN_LINE(int(x)); return x + x; }\n",
    );
    folder.write("one.cc", "#include \"both.h\"\nint other(int);\nint main(int n, char **) { return twice(n) + other(n); }\n");
    folder.write(
        "two.cc",
        "#include \"both.h\"\nint other(int);\nint other(int n) { return twice(n); }\n",
    );
    for flags in ["-O0", "-O0 -Wl,--gc-sections -ffunction-sections"] {
        folder.runs(&format!("g++ {flags} one.cc two.cc -o program"));
        assert_eq!(folder.sites("program").list.len(), 1, "{flags}");
    }
    folder.runs("g++ -O2 one.cc two.cc -o program");
    assert_eq!(folder.sites("program").list.len(), 2, "two places");
}

/// Objects with notes of `sys/sdt.h`, which are not linked to their code, can be linked with ours.
#[test]
fn notes_of_others_are_linked_beside_ours() {
    let folder = Folder::new();
    folder.header("provider p { probe ours(int); };");
    folder.write("one.c", "#include \"probes.h\"\nvoid theirs(void);\nint main(int n, char **v) { P_OURS(n); theirs(); return v == 0; }\n");
    let note = ".pushsection .note.stapsdt,\\\"?\\\",\\\"note\\\"\\n.balign 4\\n.4byte 992f-991f,994f-993f,3\\n\
        991: .asciz \\\"stapsdt\\\"\\n992: .balign 4\\n993: .8byte 990b,0,0\\n.asciz \\\"o\\\",\\\"theirs\\\",\\\"\\\"\\n\
        994: .balign 4\\n.popsection\\n".replace("\\\"", "\\\\\"").replace("\\\\\"", "\\\"");
    folder.write(
        "two.c",
        &format!(
            "void theirs(void);\nvoid theirs(void) {{ __asm__ volatile(\"990: nop\\n{note}\"); }}\n"
        ),
    );
    folder.runs("gcc -O2 one.c two.c -o program");
    let mut names: Vec<_> = folder
        .sites("program")
        .list
        .into_iter()
        .map(|it| it.name)
        .collect();
    names.sort();
    assert_eq!(names, ["ours", "theirs"]);
}
