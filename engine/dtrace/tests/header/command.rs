//! The command: names of files, errors, and builds that expect what other implementations do.

use std::path::{Path, PathBuf};

use crate::{Folder, is_here};

#[test]
fn the_headers_name_is_the_scripts() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder.write("sub/my-app.d", "provider p { probe x(); };");
    folder.write("other", "provider o { probe x(); };");
    assert_eq!(folder.dtrace("-h -s sub/my-app.d").status.code(), Some(0));
    let header = std::fs::read_to_string(folder.path("my-app.h")).unwrap();
    assert!(header.contains("#ifndef _MY_APP_H\n"));
    assert_eq!(folder.dtrace("-hs other").status.code(), Some(0));
    assert!(folder.path("other.h").exists());
    let both = folder.dtrace("-h -o both.h -s other -s sub/my-app.d");
    assert_eq!(both.status.code(), Some(0));
    let header = std::fs::read_to_string(folder.path("both.h")).unwrap();
    assert!(header.contains("#define O_X()") && header.contains("#define P_X()"));
}

#[test]
fn a_script_is_preprocessed_first() {
    let folder = Folder::new();
    folder.write("types.h", "#define number_t unsigned short\n");
    folder.write(
        "probes.d",
        "#include \"types.h\"\nprovider p { probe x(number_t, COUNT); };",
    );
    let made = folder.dtrace("-C -DCOUNT=long -I . -h -s probes.d");
    assert_eq!(
        made.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let header = std::fs::read_to_string(folder.path("probes.h")).unwrap();
    assert!(
        header.contains("/* p:x(unsigned short, long) */"),
        "{header}"
    );
}

#[test]
fn errors_leave_no_header() {
    let folder = Folder::new();
    let error = |arguments: &str, status: i32| {
        let output = folder.dtrace(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments}");
        let text = String::from_utf8(output.stderr).unwrap();
        text.lines().next().unwrap().to_owned()
    };
    folder.write("bad.d", "provider p {\n\tprobe x(int;\n};");
    folder.write("none.d", "int x;");
    assert_eq!(
        error("-h -s bad.d", 1),
        "dtrace: failed to compile script bad.d: line 2, column 13: syntax error near \";\""
    );
    assert!(!folder.path("bad.h").exists());
    assert_eq!(
        error("-h -s none.d", 1),
        "dtrace: none.d defines no provider"
    );
    assert_eq!(
        error("-h -s nosuch.d", 1),
        "dtrace: failed to open nosuch.d: No such file or directory"
    );
    let scripts = "dtrace: -h takes scripts, those of -s, which define providers";
    assert_eq!(error("-h", 2), scripts);
    assert_eq!(error("-h -n BEGIN", 2), scripts);
    let name = "dtrace: -h requires an output file, that of -o, unless there is one script that has a name";
    assert_eq!(error("-h -s none.d -s bad.d", 2), name);
    assert_eq!(error("-h -s -", 2), name);
    assert!(error("-h -G -s bad.d", 2).contains("only one of the"));
    let message = error("-G -s bad.d -o bad.o", 1);
    assert!(message.contains("line 2, column 13"), "{message}");
    assert!(!folder.path("bad.o").exists());
}

/// As the builds of Python and PostgreSQL do.
#[test]
fn a_build_that_links_an_object_of_probes() {
    let folder = Folder::new();
    folder.write(
        "pydtrace.d",
        "provider python { probe function__entry(const char *, int); };",
    );
    assert_eq!(
        folder
            .dtrace("-o pydtrace.tmp -h -s pydtrace.d")
            .status
            .code(),
        Some(0)
    );
    let header = folder.runs("sed s/PYTHON_/PyDTrace_/ pydtrace.tmp");
    folder.write("pydtrace.h", &header);
    folder.write(
        "main.c",
        "#include \"pydtrace.h\"\nint main(int argc, char **argv) {\n\
         if (PyDTrace_FUNCTION_ENTRY_ENABLED()) return 1;\n\
         PyDTrace_FUNCTION_ENTRY(argv[0], argc); return 0; }\n",
    );
    for (compiler, runs) in [
        ("gcc", true),
        ("aarch64-linux-gnu-gcc-12", false),
        ("arm-linux-gnueabihf-gcc-12", false),
    ] {
        if !is_here(compiler) {
            continue;
        }
        folder.runs(&format!("{compiler} -O2 -c main.c -o main.o"));
        let made = folder.dtrace("-G -o pydtrace.o -s pydtrace.d main.o");
        assert_eq!(made.status.code(), Some(0));
        let text = String::from_utf8(made.stderr).unwrap();
        assert_eq!(
            text,
            "dtrace: -G is not needed: headers of -h place their probes themselves\n"
        );
        folder.runs(&format!(
            "{compiler} -Wl,--fatal-warnings main.o pydtrace.o -o program"
        ));
        assert_eq!(folder.sites("program").list.len(), 1);
        if runs {
            folder.runs("./program");
        }
    }
    let made = folder.dtrace("-G -q -s pydtrace.d");
    assert_eq!((made.status.code(), made.stderr.len()), (Some(0), 0));
}

/// The header in `harness/markers` is what is made of the definitions beside it.
#[test]
fn the_header_of_the_markers_is_current() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../harness/markers/src");
    let folder = Folder::new();
    let made = folder.dtrace(&format!("-h -s {}", source.join("trapline.d").display()));
    assert_eq!(made.status.code(), Some(0));
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    let is_current = read(folder.path("trapline.h")) == read(source.join("trapline.h"));
    assert!(
        is_current,
        "in harness/markers/src: dtrace -h -s trapline.d"
    );
}
