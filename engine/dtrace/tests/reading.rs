//! How programs are read: the C preprocessor, libraries, and probes by their IDs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own for a test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("reading")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// What a run printed: standard output, standard error, and its status.
fn dtrace(folder: &Path, arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_dtrace"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let Output {
        stdout,
        stderr,
        status,
    } = output;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(stdout), text(stderr), status.code())
}

/// Whether this host has a preprocessor; without one there is nothing to test.
fn has_preprocessor() -> bool {
    let has = Command::new("cpp").arg("--version").output().is_ok();
    if !has {
        eprintln!("skipped: this host has no cpp");
    }
    has
}

const SCRIPT: &str = r#"#!/usr/sbin/dtrace -Cs
#include "own.h"
#pragma D option quiet
BEGIN
#ifdef NEVER
/NEVER/
#endif
/NUMBER == 7/
{
	printf("%s %d\n", NAME, NUMBER);
	exit(0);
}
"#;

#[test]
fn scripts_are_preprocessed() {
    if !has_preprocessor() {
        return;
    }
    let files = [("s.d", SCRIPT), ("include/own.h", "#define NAME \"own\"\n")];
    let folder = folder("scripts", &files);
    let options = [
        "-C",
        "-DNUMBER=7",
        "-DNEVER",
        "-UNEVER",
        "-Iinclude",
        "-s",
        "s.d",
    ];
    let expected = ("own 7\n\n".into(), String::new(), Some(0));
    assert_eq!(dtrace(&folder, &options), expected);
    let options = [
        "-xcpp",
        "-xdefine=NUMBER=7",
        "-xincdir=include",
        "-xcppargs=-DNEVER -UNEVER",
        "-s",
        "s.d",
    ];
    assert_eq!(dtrace(&folder, &options), expected);
}

#[test]
fn what_dtrace_defines_is_defined() {
    if !has_preprocessor() {
        return;
    }
    let names = [
        "__linux",
        "__unix",
        "__SVR4",
        "__SUNW_D",
        "_DTRACE_VERSION",
        "__SUNW_D_VERSION",
    ];
    let checks = names.map(|it| format!("#ifndef {it}\n#error {it} is missing\n#endif\n"));
    let script = format!(
        "{}#ifdef __GNUC__\n#error this is no C\n#endif\nBEGIN {{ exit(__SUNW_D + 1); }}\n",
        checks.concat()
    );
    let folder = folder("defined", &[("s.d", &script)]);
    let (_, messages, status) = dtrace(&folder, &["-qCs", "s.d"]);
    assert_eq!((messages.as_str(), status), ("", Some(2)));
}

#[test]
fn errors_name_the_file_that_was_included() {
    if !has_preprocessor() {
        return;
    }
    let files = [
        (
            "s.d",
            "#include \"b.h\"\nBEGIN { trace(A); }\nBEGIN { trace(nosuch); }\n",
        ),
        ("b.h", "\n#define A 1\nBEGIN { trace(b); }\n"),
        (
            "t.d",
            "#define A 1\n\nBEGIN { trace(A); }\nBEGIN { trace(nosuch); }\n",
        ),
    ];
    let folder = folder("errors", &files);
    let unknown = |name: &str| format!("failed to resolve {name}: Unknown variable name\n");
    let (_, message, status) = dtrace(&folder, &["-C", "-I.", "-s", "s.d"]);
    let expected = format!(
        "dtrace: failed to compile script s.d: \"./b.h\", line 3: {}",
        unknown("b")
    );
    assert_eq!(
        (message.replace("\"b.h\"", "\"./b.h\""), status),
        (expected, Some(1))
    );
    let (_, message, _) = dtrace(&folder, &["-Cs", "t.d"]);
    let expected = format!(
        "dtrace: failed to compile script t.d: line 4: {}",
        unknown("nosuch")
    );
    assert_eq!(message, expected);
}

#[test]
fn a_failure_of_the_preprocessor_is_an_error() {
    if !has_preprocessor() {
        return;
    }
    let folder = folder("failure", &[("s.d", "#include \"nosuch.h\"\nBEGIN { }\n")]);
    let (_, messages, status) = dtrace(&folder, &["-Cs", "s.d"]);
    assert!(messages.contains("s.d:1:"), "{messages}");
    assert!(
        messages.ends_with(
            "dtrace: failed to compile script s.d: Preprocessor failed to process input program: \
             cpp: exit status: 1\n"
        ),
        "{messages}"
    );
    assert_eq!(status, Some(1));
    let (_, messages, status) = dtrace(&folder, &["-C", "-xcpppath=/nonexistent/cpp", "-s", "s.d"]);
    assert_eq!(
        messages,
        "dtrace: failed to compile script s.d: Preprocessor not found: /nonexistent/cpp: set its \
         path with -x cpppath\n"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn without_c_the_preprocessors_options_have_no_effect() {
    let folder = &folder("without", &[]);
    let options = [
        "-DX=1",
        "-UY",
        "-I/nonexistent",
        "-H",
        "-xcpppath=/nonexistent",
        "-xcppargs=-z",
        "-xcpphdrs",
        "-xdefine=A",
        "-xincdir=b",
        "-xundef=c",
        "-qn",
        "BEGIN { exit(3); }",
    ];
    let (output, messages, status) = dtrace(folder, &options);
    assert_eq!(
        (output.as_str(), messages.as_str(), status),
        ("\n", "", Some(3))
    );
}

const USER: &str = "#pragma D option quiet\nBEGIN { printf(\"%d\\n\", SEVEN); exit(0); }\n";

#[test]
fn libraries_are_compiled_before_programs() {
    let files = [
        (
            "lib/a.d",
            "#pragma D depends_on library b.d\ninline int SEVEN = SIX + 1;\n",
        ),
        ("lib/b.d", "inline int SIX = 6;\n"),
        (
            "lib/c.d",
            "#pragma D depends_on provider nosuch\ninline int SIX = 1;\n",
        ),
        (
            "lib/d.d",
            "#pragma D depends_on module nosuch\nthis is no D\n",
        ),
        (
            "lib/e.d",
            "#pragma D depends_on provider profile\ninline int EIGHT = SEVEN + 1;\n",
        ),
        ("lib/notes.txt", "this is no D\n"),
        ("s.d", USER),
    ];
    let folder = folder("libraries", &files);
    let expected = ("7\n\n".into(), String::new(), Some(0));
    assert_eq!(dtrace(&folder, &["-Llib", "-s", "s.d"]), expected);
    assert_eq!(dtrace(&folder, &["-xsyslibdir=lib", "-s", "s.d"]), expected);
    assert_eq!(
        dtrace(&folder, &["-L/nonexistent", "-Llib", "-s", "s.d"]),
        expected
    );
    let (_, message, status) = dtrace(&folder, &["-xnolibs", "-Llib", "-s", "s.d"]);
    assert!(
        message.ends_with("SEVEN: Unknown variable name\n"),
        "{message}"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn an_error_in_a_library_names_it() {
    let files = [
        ("lib/a.d", "inline int A = 1;\n\ninline int B = nosuch;\n"),
        ("clauses/a.d", "\nBEGIN { }\n"),
        ("bytes/a.d", "inline int A = 1;\n/* \u{e9} */\n"),
    ];
    let folder = folder("broken", &files);
    fs::write(folder.join("bytes/a.d"), b"\n/* \xe9 */\n").unwrap();
    let run = |library: &str| {
        let (_, message, status) = dtrace(&folder, &[library, "-n", "BEGIN { exit(0); }"]);
        assert_eq!(status, Some(1));
        message
    };
    let message = run("-Llib");
    assert!(
        message.starts_with("dtrace: failed to compile library lib/a.d: line 3: "),
        "{message}"
    );
    assert_eq!(
        run("-Lclauses"),
        "dtrace: failed to compile library clauses/a.d: line 2: a library has no clauses of its \
         own: they belong to a program\n"
    );
    assert_eq!(
        run("-Lbytes"),
        "dtrace: failed to compile library bytes/a.d: line 2: byte 0xe9 does not start a UTF-8 \
         character\n"
    );
}

#[test]
fn a_programs_unmet_need_is_an_error() {
    let files = [
        ("lib/a.d", "inline int A = 1;\n"),
        (
            "met.d",
            "#pragma D depends_on library a.d\n#pragma D depends_on module kernel\nBEGIN { exit(A); }\n",
        ),
        (
            "unmet.d",
            "\n#pragma D depends_on library b.d\nBEGIN { exit(0); }\n",
        ),
    ];
    let folder = folder("needs", &files);
    assert_eq!(dtrace(&folder, &["-qLlib", "-s", "met.d"]).2, Some(1));
    let (_, message, status) = dtrace(&folder, &["-Llib", "-xerrtags", "-s", "unmet.d"]);
    assert_eq!(
        message,
        "dtrace: failed to compile script unmet.d: [D_PRAGMA_DEPEND] line 2: program requires \
         library b.d, which is not there\n"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn a_probe_can_be_named_by_its_id() {
    let folder = &folder("id", &[]);
    let (output, messages, status) = dtrace(folder, &["-qi", "1{printf(\"%d\", id); exit(0)}"]);
    assert_eq!(
        (output.as_str(), messages.as_str(), status),
        ("1\n", "", Some(0))
    );
    let (output, _, status) = dtrace(folder, &["-li", "2"]);
    assert!(output.contains("    2     dtrace"), "{output}");
    assert!(output.ends_with("END\n"), "{output}");
    assert_eq!(status, Some(0));
    let (_, message, status) = dtrace(folder, &["-i", "99999"]);
    assert_eq!(
        message,
        "dtrace: invalid probe specifier 99999: there is no probe of this ID\n"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn the_data_model_is_the_kernels() {
    let folder = &folder("model", &[]);
    let (own, other, bits) = match size_of::<usize>() {
        4 => ("-32", "-64", 32),
        _ => ("-64", "-32", 64),
    };
    let program = "BEGIN { exit(0); }";
    assert_eq!(dtrace(folder, &[own, "-qn", program]).2, Some(0));
    let (_, message, status) = dtrace(folder, &[other, "-qn", program]);
    assert_eq!(
        message,
        format!("dtrace: {other}: programs have the kernel's data model, which has {bits} bits\n")
    );
    assert_eq!(status, Some(1));
}

#[test]
fn help_is_no_error() {
    let folder = &folder("help", &[]);
    let (output, messages, status) = dtrace(folder, &["--help"]);
    assert!(output.starts_with("Usage: dtrace [-32|-64] "), "{output}");
    assert_eq!((messages.as_str(), status), ("", Some(0)));
    let versions = ["--version", "-V"].map(|it| dtrace(folder, &[it]));
    assert_eq!(versions[0], versions[1]);
    assert_eq!(versions[0].2, Some(0));
}
