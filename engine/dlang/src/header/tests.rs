//! What definitions are accepted, and where others are wrong.

use super::*;
use crate::{Kind, Settings, Text};

fn text(name: &str, source: &str) -> Text {
    Text {
        source: source.to_owned(),
        kind: Kind::File { name: name.into() },
        ..Text::default()
    }
}

fn read(source: &str) -> Result<Vec<Provider>, Failure> {
    definitions(&[text("p.d", source)], &Settings::default())
}

fn failure(source: &str) -> String {
    let message = read(source).unwrap_err().to_string();
    let start = "failed to compile script p.d: ";
    message.strip_prefix(start).unwrap().to_owned()
}

#[test]
fn arguments_have_the_sizes_of_their_types() {
    let source = "typedef unsigned short id_of_mine;\n\
        enum colour { RED };\n\
        provider p { probe one__two(char, unsigned char a, short, id_of_mine, int, enum colour,\n\
        \tunsigned long long, long, size_t, char *, struct none **, string);\n\
        probe none(); probe also__none(void); probe real(float, double x); probe row(int a[3]); };";
    let providers = read(source).unwrap();
    let probes = &providers[0].probes;
    let integer = |size, is_signed| Passed::Integer { size, is_signed };
    let word = |is_signed| Passed::Word { is_signed };
    let expected = [
        integer(1, true),
        integer(1, false),
        integer(2, true),
        integer(2, false),
        integer(4, true),
        integer(4, true),
        integer(8, false),
        word(true),
        word(false),
        Passed::Pointer,
        Passed::Pointer,
        Passed::Pointer,
    ];
    assert_eq!(probes[0].arguments, expected);
    assert_eq!(probes[0].name, "one__two");
    assert_eq!(probes[0].types[10], "struct none **");
    assert_eq!(providers[0].macro_name(&probes[0]), "P_ONE_TWO");
    assert_eq!(
        (&*probes[1].arguments, &*probes[2].arguments),
        (&[][..], &[][..])
    );
    let floats = [4, 8].map(|size| Passed::Float { size });
    assert_eq!(probes[3].arguments, floats);
    assert_eq!(probes[4].arguments, [Passed::Pointer]);
}

#[test]
fn several_providers_and_texts() {
    let one = "provider a { probe x(int); };\nprovider b { probe x(int); };\n\
        #pragma D attributes Evolving/Evolving/Common provider a provider\n\
        #pragma D attributes Private/Private/Unknown provider a module\n";
    let texts = [
        text("one.d", one),
        text("two.d", "provider c { probe y(long); };"),
    ];
    let found = definitions(&texts, &Settings::default()).unwrap();
    let names: Vec<_> = found.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    // A declaration may be repeated, as when a file is included twice.
    let twice = read("provider a { probe x(int); }; provider a { probe x(int); };");
    assert_eq!(twice.unwrap().len(), 1);
    assert_eq!(read("").unwrap(), []);
}

#[test]
fn an_error_has_its_line_and_column() {
    for (source, expected) in [
        (
            "provider p {\n  probe one(int)\n  probe two();\n};",
            "line 3, column 3: syntax error near \"probe\"",
        ),
        (
            "provider p { probe one(nosuch_t); };",
            "line 1, column 24: ",
        ),
        ("provider p { probe one(int#); };", "line 1, column 27: "),
        ("provider p {\n\tprobe ä(); };", "line 2, column 8: "),
        (
            "provider p { probe one(int); probe\n    one(int); };",
            "line 2, column 5: p:one is declared twice",
        ),
        (
            "provider p { probe one(int);",
            "line 1, column 29: syntax error near end of input",
        ),
        (
            "provider p { };\n  x:y:z:w {",
            "line 2, column 12: syntax error near end of input",
        ),
        (
            "struct s { int x; };\nprovider p {\n  probe ok(struct s *);\n  probe whole(int, struct s);\n};",
            "line 4, column 9: argument 2 of probe whole is struct s, which a probe cannot pass: pass \
             its address",
        ),
        (
            "provider p { probe a__b(); probe a_b(); };",
            "line 1, column 34: p:a__b and p:a_b have the same macro, P_A_B",
        ),
        (
            "provider p { probe a__enabled(); probe a(); };",
            "line 1, column 40: p:a__enabled and p:a have the same macro, P_A_ENABLED",
        ),
        (
            "provider p { probe a(int,int,int,int,int,int,int,int,int,int,int,int,int); };",
            "line 1, column 20: probe a has 13 arguments; 12 are the most",
        ),
        (
            "provider p { probe a(); };\n#pragma D attributes Private/Private/Common provider q name\n",
            "line 2, column 1: unused #pragma attributes",
        ),
        (
            "provider p {\n\t# file: x.c\n\tprobe one(); };",
            "line 2, column 2: invalid control directive",
        ),
        (
            "# 7 \"probes.d\"\nprovider p {\n  probe one(int;\n};",
            "\"probes.d\", line 8, column 16: syntax error near \";\"",
        ),
    ] {
        let message = failure(source);
        assert!(message.starts_with(expected), "{source}: {message}");
    }
}

#[test]
fn a_header_has_macros_for_both_uses() {
    let providers =
        read("provider my_app { probe query__start(char *, int, long); probe end(); };");
    let header = c::header(&providers.unwrap(), "my-app.h");
    for line in [
        "#ifndef _MY_APP_H",
        "_TRAPLINE_SEMAPHORE(my_app_query__start_semaphore);",
        "/* my_app:query__start(char *, int, long) */",
        "#define MY_APP_QUERY_START(arg0, arg1, arg2) \\",
        "\t    _TRAPLINE_NOTE(\"my_app\", \"query__start\", \"my_app_query__start_semaphore\", \
         _TRAPLINE_WORD \"@%0\" \" \" \"-4@%1\" \" \" \"-\" _TRAPLINE_WORD \"@%2\") \\",
        "\t    : : _TRAPLINE_POINTER(const volatile void *, arg0), \\",
        "#define MY_APP_QUERY_START_ENABLED() _TRAPLINE_ENABLED(my_app_query__start_semaphore)",
        "#define MY_APP_END() \\",
        "#define MY_APP_END() ((void)0)",
        "#define MY_APP_END_ENABLED() (0)",
    ] {
        assert!(header.lines().any(|it| it == line), "{line}\n{header}");
    }
}
