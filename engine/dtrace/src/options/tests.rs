//! Tests of the command line.

use super::*;

fn parse(words: &[&str]) -> Result<Options, Error> {
    let words = ["dtrace"].iter().chain(words);
    Options::parse(words.map(OsString::from), Settings::default())
}

fn message(words: &[&str]) -> String {
    parse(words).unwrap_err().to_string()
}

#[test]
fn options_are_read_in_order() {
    let options = parse(&[
        "-qFw", "-n", "a{}", "-sb.d", "-o", "out", "-c", "ls -l", "-p7", "one", "-b", "4k", "two",
    ])
    .unwrap();
    assert_eq!(options.mode, Mode::Trace);
    assert_eq!(
        options.programs,
        [
            Program::Specifier("a{}".into()),
            Program::Script("b.d".into())
        ]
    );
    assert_eq!(options.arguments, ["one", "two"]);
    assert_eq!(options.output, Some("out".into()));
    let targets = [Target::Command("ls -l".into()), Target::Process("7".into())];
    assert_eq!(options.targets, targets);
    let Settings {
        quiet,
        flow_indent,
        destructive,
        buffer_size,
        ..
    } = options.settings;
    assert!(quiet && flow_indent && destructive);
    assert_eq!(buffer_size, 4096);
}

#[test]
fn an_interpreter_line_has_options_and_the_script() {
    let options = parse(&["-qs", "/tmp/x.d", "5"]).unwrap();
    assert_eq!(options.programs, [Program::Script("/tmp/x.d".into())]);
    assert_eq!(options.arguments, ["5"]);
}

#[test]
fn partial_specifiers_are_completed() {
    for (words, specifier) in [
        (["-P", "fbt"], "fbt:::"),
        (["-m", "fbt:ext4"], "fbt:ext4::"),
        (
            ["-f", "sys_chdir/arg0/{trace(1)}"],
            "sys_chdir:/arg0/{trace(1)}",
        ),
        (["-f", "a, b {}"], "a:,b:{}"),
    ] {
        let options = parse(&words).unwrap();
        assert_eq!(options.programs, [Program::Specifier(specifier.into())]);
    }
}

#[test]
fn usage_errors_have_getopts_wording() {
    let usage = |words: &[&str]| match parse(words) {
        Err(Error::Usage(Some(why))) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(usage(&["-z"]), "invalid option -- 'z'");
    assert_eq!(usage(&["--nosuch"]), "invalid option -- '-'");
    assert_eq!(usage(&["-33"]), "invalid option -- '33'");
    assert_eq!(usage(&["-n"]), "option requires an argument -- 'n'");
    assert!(matches!(parse(&[]), Err(Error::Usage(None))));
}

#[test]
fn conflicting_or_unsupported_options_are_refused() {
    assert!(message(&["-lV"]).starts_with("only one of the [-GhlV] options"));
    assert!(message(&["-a"]).starts_with("-a: anonymous tracing is not supported: "));
    assert!(message(&["-A"]).starts_with("-A: anonymous tracing is not supported: "));
    assert_eq!(
        message(&["-x", "nonsense=1"]),
        "failed to set -x nonsense: Invalid option name"
    );
    assert_eq!(
        message(&["-b", "4q"]),
        "failed to set -b 4q: Invalid value for specified option"
    );
    assert_eq!(
        message(&["-X", "q"]),
        "failed to set -X q: Invalid value for specified option"
    );
}

#[test]
fn help_and_versions_are_modes() {
    assert_eq!(parse(&["--help"]).unwrap().mode, Mode::Help);
    assert_eq!(parse(&["--help", "-l"]).unwrap().mode, Mode::Help);
    assert_eq!(parse(&["--version"]).unwrap().mode, Mode::Version);
}

#[test]
fn a_data_model_has_two_digits() {
    assert_eq!(parse(&["-32", "-l"]).unwrap().pointer, Some(4));
    assert_eq!(parse(&["-64"]).unwrap().pointer, Some(8));
    assert_eq!(parse(&["-l"]).unwrap().pointer, None);
}

#[test]
fn a_probe_is_named_by_its_id() {
    for (argument, id, rest) in [
        ("7", 7, ""),
        ("12{exit(0)}", 12, "{exit(0)}"),
        ("1 /pid == 1/ { }", 1, " /pid == 1/ { }"),
    ] {
        let options = parse(&["-i", argument]).unwrap();
        assert_eq!(options.programs, [Program::Probe(id, rest.into())]);
    }
    for argument in ["", "x", "7x", "-1", "4294967296"] {
        assert_eq!(
            message(&["-i", argument]),
            format!("invalid probe specifier {argument}: this is no probe ID")
        );
    }
}

#[test]
fn the_preprocessors_options_keep_their_order() {
    let options = parse(&[
        "-CH",
        "-DX=1",
        "-U",
        "Y",
        "-Iinclude",
        "-xcppargs=-P -w",
        "-xdefine=Z",
        "-xcpppath=mycpp",
        "-Llib",
        "-xlibdir=more",
        "-xsyslibdir=sys",
    ])
    .unwrap();
    let Settings {
        preprocessor,
        libraries,
        ..
    } = options.settings;
    assert!(preprocessor.is_on && preprocessor.prints_headers);
    assert_eq!(preprocessor.path, "mycpp");
    assert_eq!(
        preprocessor.arguments,
        ["-DX=1", "-UY", "-Iinclude", "-P", "-w", "-DZ"]
    );
    let folders = libraries.folders().map(|it| it.to_str().unwrap());
    assert_eq!(folders.collect::<Vec<_>>(), ["sys", "lib", "more"]);
    let none = parse(&["-Llib", "-xnolibs"]).unwrap().settings.libraries;
    assert_eq!(none.folders().count(), 0);
}

#[test]
fn types_are_listed_alone() {
    for words in [
        &["--type", "struct bio", "--type=size_t"][..],
        &["-l", "--type", "struct bio", "--type", "size_t"],
    ] {
        let options = parse(words).unwrap();
        assert_eq!(options.mode, Mode::Types);
        assert_eq!(options.types, ["struct bio", "size_t"]);
    }
    assert_eq!(parse(&["--type", "x", "--help"]).unwrap().mode, Mode::Help);
    for more in [["-n", "BEGIN"], ["-p", "1"]] {
        let why = message(&["-l", "--type", "x", more[0], more[1]]);
        assert!(why.starts_with("--type lists types"), "{why}");
    }
    let why = message(&["--type"]);
    assert_eq!(why, "option '--type' requires an argument");
}
