//! End-to-end tests of the command: options, targets, exit codes and messages, with the engine in
//! process.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

struct Ran {
    stdout: String,
    stderr: String,
    status: Option<i32>,
}

fn command(arguments: &[&str]) -> Command {
    // The test runner may itself ignore SIGINT, as background jobs of shells do.
    let mut command = Command::new("env");
    command
        .args(["--default-signal=INT,TERM", env!("CARGO_BIN_EXE_dtrace")])
        .args(arguments)
        .env_remove("_DTRACE_TESTING")
        .env("TZ", "UTC");
    command
}

fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran {
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        status: output.status.code(),
    }
}

fn dtrace(arguments: &[&str]) -> Ran {
    ran(command(arguments).output().unwrap())
}

#[test]
fn a_program_prints_and_sets_the_exit_status() {
    let ran = dtrace(&["-n", r#"BEGIN { printf("%d\n", 6*7); exit(3); }"#]);
    assert_eq!(
        ran.stdout,
        "CPU     ID                    FUNCTION:NAME\n  0      1                           :BEGIN \
         42\n\n\n"
    );
    assert_eq!(ran.stderr, "dtrace: description 'BEGIN ' matched 1 probe\n");
    assert_eq!(ran.status, Some(3));
}

#[test]
fn quiet_prints_only_explicit_output() {
    let ran = dtrace(&["-q", "-n", r#"BEGIN { printf("%s\n", "hello"); exit(0); }"#]);
    assert_eq!(ran.stdout, "hello\n\n");
    assert_eq!(ran.stderr, "");
    assert_eq!(ran.status, Some(0));
}

#[test]
fn testing_mode_omits_cpus_and_ids() {
    let mut testing = command(&["-n", "BEGIN { trace(1); exit(0); }"]);
    let ran = ran(testing.env("_DTRACE_TESTING", "1").output().unwrap());
    let expected = format!("{:>32}\n{:>32}           1\n\n", "FUNCTION:NAME", ":BEGIN");
    assert_eq!(ran.stdout, expected);
}

#[test]
fn the_environment_sets_options() {
    let stdout = |value: &str| {
        let mut command = command(&["-n", r#"BEGIN { trace("x"); exit(0); }"#]);
        let command = command.env("DTRACE_OPT_QUIET", value);
        ran(command.output().unwrap()).stdout
    };
    assert_eq!(stdout("yes"), "x\n");
    assert!(stdout("").contains(":BEGIN"));
}

#[test]
fn usage_errors_exit_with_2() {
    let none = dtrace(&[]);
    assert!(
        none.stderr.starts_with("Usage: dtrace ["),
        "{}",
        none.stderr
    );
    assert_eq!(none.status, Some(2));
    let unknown = dtrace(&["-z"]);
    assert!(
        unknown
            .stderr
            .starts_with("dtrace: invalid option -- 'z'\nUsage: dtrace [")
    );
    assert_eq!(unknown.status, Some(2));
    let nothing = dtrace(&["-q"]);
    assert_eq!(nothing.stderr, "dtrace: no probes specified\n");
    assert_eq!(nothing.status, Some(1));
}

#[test]
fn a_description_without_match_is_an_error() {
    let ran = dtrace(&["-xerrtags", "-n", "tick-100us {}"]);
    assert_eq!(
        ran.stderr,
        "dtrace: invalid probe specifier tick-100us {}: [D_PDESC_ZERO] probe description \
         :::tick-100us does not match any probes\n"
    );
    assert_eq!(ran.status, Some(1));
}

#[test]
fn a_missing_module_is_reported() {
    let ran = dtrace(&["-xerrtags", "-n", "fbt::sys_chdir:entry"]);
    assert_eq!(
        ran.stderr,
        "dtrace: invalid probe specifier fbt::sys_chdir:entry: [D_PDESC_ZERO] probe description \
         fbt::sys_chdir:entry does not match any probes: the module is not loaded (dtrace \
         --doctor says why)\n"
    );
    assert_eq!(ran.status, Some(1));
    assert_eq!(dtrace(&["-eZn", "fbt::sys_chdir:entry"]).status, Some(0));
}

#[test]
fn a_missing_module_is_reported_for_patterns() {
    let missing = "the module is not loaded (dtrace --doctor says why)";
    let ran = dtrace(&["-n", "entry"]);
    let message = format!(
        "dtrace: invalid probe specifier entry: probe description :::entry does not match any \
         probes: {missing}\n"
    );
    assert_eq!(ran.stderr, message);
    let notice = format!("dtrace: no probe matches fbt:::entry: {missing}\n");
    let arguments = ["-Zn", "fbt:::entry, BEGIN { exit(0); }"];
    let ran = dtrace(&arguments);
    assert!(ran.stderr.contains(&notice), "{}", ran.stderr);
    assert_eq!(ran.status, Some(0));
    let [options, program] = arguments;
    assert_eq!(dtrace(&["-q", options, program]).stderr, "");
    let own = dtrace(&["-Zn", "tick-1ns, dtrace:::NOSUCH, BEGIN { exit(0); }"]);
    assert!(!own.stderr.contains("module"), "{}", own.stderr);
}

#[test]
fn a_command_is_the_target_until_it_exits() {
    let ran = dtrace(&[
        "-qn",
        "END { trace($target); }",
        "-c",
        "sh -c 'echo $$; exit 4'",
    ]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let [shell, target] = lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(shell, target);
    assert_eq!(ran.status, Some(0));
}

/// As if dtrace was killed just before its placeholder could ask to die with it.
#[test]
fn a_placeholder_without_its_parent_exits() {
    let gone = "1";
    let mut child = Command::new(env!("CARGO_BIN_EXE_dtrace"))
        .arg0("dtrace: to be traced")
        .args([gone, "/bin/true", "true"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let seen = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_child(&child)), seen).unwrap();
    // Without effect if it has exited.
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_commands_exit_is_described() {
    for (command, message) in [
        ("true", "has exited"),
        ("sh -c 'exit 3'", "exited with status 3"),
        ("sh -c 'kill -9 $$'", "terminated by SIGKILL"),
    ] {
        let ran = dtrace(&["-n", "BEGIN {}", "-c", command]);
        let last = ran.stderr.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("dtrace: pid ") && last.ends_with(message),
            "{last}"
        );
    }
}

#[test]
fn invalid_targets_are_named() {
    for (arguments, message) in [
        (
            ["-c", "/no/such -x"],
            "failed to execute /no/such: No such file or directory",
        ),
        (["-p", "x"], "invalid pid: x"),
    ] {
        let ran = dtrace(&["-n", "BEGIN {}", arguments[0], arguments[1]]);
        assert_eq!(ran.stderr, format!("dtrace: {message}\n"));
        assert_eq!(ran.status, Some(1));
    }
}

#[test]
fn tracing_ends_with_the_target() {
    let mut sleep = Command::new("sleep").arg("0.2").spawn().unwrap();
    let pid = sleep.id().to_string();
    let traced =
        std::thread::spawn(move || dtrace(&["-qn", "BEGIN { trace($target); }", "-p", &pid]));
    sleep.wait().unwrap();
    let ran = traced.join().unwrap();
    assert_eq!(ran.stdout, format!("{}\n", sleep.id()));
}

#[test]
fn an_interrupt_ends_a_trace_and_prints_the_rest() {
    let mut tracing = command(&["-n", r#"BEGIN { @ = count(); } END { trace("over"); }"#]);
    let piped = tracing.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    wait_until_tracing(&mut child);
    let since = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran = ran(child.wait_with_output().unwrap());
    let lines: Vec<&str> = ran.stdout.lines().map(str::trim_end).collect();
    let aggregation = format!(" {:>16}", 1);
    assert!(lines[1].ends_with("over"), "{lines:?}");
    assert_eq!(lines[2..], ["", &*aggregation]);
    assert!(since.elapsed() < Duration::from_secs(10));
}

/// Bytes printed if `second` arrives while the output at the end of a trace, 100 records of 20,000
/// bytes, is blocked on a full pipe.
fn printed_until(second: Option<Signal>) -> usize {
    let clause = r#"BEGIN { printf("%20000d", 1); }"#;
    let program = vec![clause; 100].join(" ");
    let mut command = command(&["-xbufpolicy=ring", "-n", &program]);
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    wait_until_tracing(&mut child);
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    if let Some(signal) = second {
        kill_process(pid, signal).unwrap();
        // Give it time to take the signal; it has nothing else to do.
        std::thread::sleep(Duration::from_millis(200));
    }
    let mut printed = Vec::new();
    stdout.read_to_end(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    printed.len()
}

#[test]
fn a_second_interrupt_ends_the_output() {
    let all = printed_until(None);
    assert!(all > 2_000_000, "{all}");
    let some = printed_until(Some(Signal::INT));
    assert!(some < all / 4, "{some}");
}

/// Waits until `child` is tracing.
fn wait_until_tracing(child: &mut Child) {
    let mut said = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut said).unwrap();
    assert!(said.contains("matched"), "{said}");
}

#[test]
fn ignored_signals_stay_ignored() {
    let program = "tick-500ms { exit(7); }";
    for signal in [Signal::INT, Signal::TERM] {
        let mut shell = Command::new("sh");
        let run = r#"trap '' INT TERM; exec "$@""#;
        shell.args(["-c", run, "sh", env!("CARGO_BIN_EXE_dtrace"), "-n", program]);
        let piped = shell.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        wait_until_tracing(&mut child);
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(7), "{signal:?}");
    }
}

#[test]
fn timers_fire() {
    let program = r#"int n; tick-10ms { n++; } tick-10ms /n == 5/ { trace("five"); exit(0); }"#;
    let ran = dtrace(&["-q", "-x", "statusrate=10ms", "-n", program]);
    assert!(ran.stdout.starts_with("five"), "{}", ran.stdout);
    assert_eq!(ran.status, Some(0));
}

#[test]
fn faults_are_reported() {
    let ran = dtrace(&[
        "-qn",
        "BEGIN { x = 0; trace(1 / x); } END { trace(7); }",
        "-c",
        "true",
    ]);
    let expected =
        "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): divide-by-zero at ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    assert_eq!(ran.stdout, "7\n");
}

#[test]
fn the_last_setting_of_an_option_counts() {
    let program = r#"BEGIN { trace("x"); exit(0); }"#;
    let ran = dtrace(&["-q", "-xquiet=off", "-n", program]);
    assert!(ran.stdout.contains(":BEGIN"), "{}", ran.stdout);
    let pragma = format!("#pragma D option quiet=off\n{program}");
    let pragma_ran = dtrace(&["-qn", &pragma]);
    assert!(
        pragma_ran.stdout.contains(":BEGIN"),
        "{}",
        pragma_ran.stdout
    );
}

#[test]
fn pragmas_set_options() {
    let ran = dtrace(&["-n", "#pragma D option quiet\nBEGIN { exit(0); }"]);
    assert_eq!(ran.stdout, "\n");
    let wrong = dtrace(&["-n", "#pragma D option nonsense=1\nBEGIN { exit(0); }"]);
    let message = "failed to set option 'nonsense' to '1': Invalid option name\n";
    assert!(wrong.stderr.ends_with(message), "{}", wrong.stderr);
    assert_eq!(wrong.status, Some(1));
}

#[test]
fn stackframes_sets_the_number_of_frames() {
    let stack = |option: &str| {
        let program = format!("{option}\nBEGIN {{ stack(); exit(0); }}");
        dtrace(&["-evn", &program])
    };
    let record = |frames: u32| format!("Record:       {} bytes", 8 * frames);
    let listing = stack("#pragma D option stackframes=3").stdout;
    assert!(listing.contains(&record(3 + 1)), "{listing}");
    let cut = stack("#pragma D option maxframes=2").stdout;
    assert!(cut.contains(&record(2 + 1)), "{cut}");
    let none = stack("#pragma D option stackframes=0");
    let message = "failed to set option 'stackframes' to '0': Invalid value for specified option\n";
    assert!(none.stderr.ends_with(message), "{}", none.stderr);
    assert_eq!(none.status, Some(1));
}

const STABLE: &str = "\t\tIdentifier Names: Stable
\t\tData Semantics:   Stable
\t\tDependency Class: Common
";

#[test]
fn verbose_reports_the_stability_of_each_program() {
    let report = |program: &str| dtrace(&["-evn", program]).stdout;
    let exits = "dtrace:::BEGIN { exit(0); }";
    let expected = format!(
        "\nStability attributes for description 'dtrace:::BEGIN ':\n\n\tMinimum Probe Description \
         Attributes\n{STABLE}\n\tMinimum Statement Attributes\n{STABLE}"
    );
    assert!(report(exits).starts_with(&expected), "{}", report(exits));
    let least = "dtrace:::BEGIN { trace((uint64_t)curthread); } tick-1s { trace(htons(1)); }";
    let expected = "\tMinimum Probe Description Attributes
\t\tIdentifier Names: Unstable
\t\tData Semantics:   Unstable
\t\tDependency Class: Common

\tMinimum Statement Attributes
\t\tIdentifier Names: Evolving
\t\tData Semantics:   Private
\t\tDependency Class: Common
";
    assert!(report(least).contains(expected), "{}", report(least));
}

#[test]
fn amin_refuses_what_is_less_stable() {
    let run = |minimum: &str, program: &str| {
        let ran = dtrace(&["-x", &format!("amin={minimum}"), "-en", program]);
        assert_eq!(ran.status.is_some_and(|it| it != 0), !ran.stderr.is_empty());
        ran.stderr
    };
    let program = "dtrace:::BEGIN { trace((uint64_t)curthread); }";
    assert_eq!(run("Stable/Private/Common", program), "");
    let refused = run("Evolving/Evolving/Common", program);
    let expected = "in action list: scalar curthread is Stable/Private/Common, less stable than the \
                    option amin=Evolving/Evolving/Common allows\n";
    assert!(refused.ends_with(expected), "{refused}");
    // A translation that somebody vouches for is stable, whatever it is made of.
    let cpu = "dtrace:::BEGIN { trace(curcpu->cpu_id); }";
    assert_eq!(run("Stable/Stable/Common", cpu), "");
    for wrong in ["", "Stable", "Stable/Stable/Commons"] {
        let refused = run(wrong, program);
        assert!(refused.contains("Invalid value"), "{refused}");
    }
}

/// As for the first process of a container: the leader of its session is outside, with no PID here.
#[test]
fn leaders_outside_the_namespace_are_zero() {
    let inside = |program: &str, arguments: &[&str]| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "--pid", "--fork", program]);
        ran(unshare.args(arguments).output().unwrap())
    };
    if inside("true", &[]).status != Some(0) {
        println!("skipped: this host does not allow PID namespaces");
        return;
    }
    let program = r#"BEGIN { printf("%d %d %d", $pid, $pgid, $sid); exit(0); }"#;
    let ran = inside(env!("CARGO_BIN_EXE_dtrace"), &["-qn", program]);
    assert_eq!(ran.stdout, "1 0 0\n", "{}", ran.stderr);
}

#[test]
fn code_and_clauses_are_listed() {
    let ran = dtrace(&["-eSvn", "BEGIN { trace(1); }"]);
    assert!(ran.stderr.contains("Clause 1 for "), "{}", ran.stderr);
    assert!(ran.stderr.contains("OFF OPCODE"), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("Clauses of description 'BEGIN ':"),
        "{}",
        ran.stdout
    );
}

#[test]
fn failures_to_write_stderr_are_ignored() {
    for (arguments, status) in [
        (&["-Sen", "BEGIN { trace(1); }"][..], 0),
        (&[], 2),
        (&["-z"], 2),
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let said = command(arguments).stderr(full).status().unwrap();
        assert_eq!(said.code(), Some(status), "{arguments:?}");
    }
}

#[test]
fn a_broken_pipe_ends_a_trace_silently() {
    for arguments in [&["-qn", "tick-10ms { trace(1); }"][..], &["-l"], &["-V"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = command(arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn();
        let ran = ran(child.unwrap().wait_with_output().unwrap());
        let listing =
            "dtrace: the module is not loaded (dtrace --doctor says why): the list is incomplete\n";
        assert_eq!(ran.stderr.replace(listing, ""), "", "{arguments:?}");
        assert_eq!(ran.status, Some(1), "{arguments:?}");
    }
}

#[test]
fn a_script_must_be_utf8() {
    let file = std::env::temp_dir().join(format!("dtrace-script-{}.d", std::process::id()));
    std::fs::write(&file, b"BEGIN\n{\n\ttrace(\"na\xefve\");\n}\n").unwrap();
    let name = file.to_str().unwrap();
    let ran = dtrace(&["-xerrtags", "-es", name]);
    std::fs::remove_file(&file).unwrap();
    let message = format!(
        "dtrace: failed to compile script {name}: [D_SYNTAX] line 3: byte 0xef does not start a \
         UTF-8 character\n"
    );
    assert_eq!(ran.stderr, message);
    assert_eq!(ran.status, Some(1));
}

#[test]
fn probes_are_listed() {
    let ran = dtrace(&["-ln", "dtrace:::"]);
    let mut lines = ran.stdout.lines();
    let columns = |it: &str| it.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        columns(lines.next().unwrap()),
        ["ID", "PROVIDER", "MODULE", "FUNCTION", "NAME"]
    );
    assert_eq!(columns(lines.next().unwrap()), ["1", "dtrace", "BEGIN"]);
    let none = dtrace(&["-ln", "fbt::nosuch:entry"]);
    let message = "dtrace: failed to match fbt::nosuch:entry: No probe matches description\n";
    assert!(none.stderr.contains(message), "{}", none.stderr);
    assert_eq!(none.status, Some(1));
}

#[test]
fn output_is_appended_to_a_file() {
    let file = std::env::temp_dir().join(format!("dtrace-output-{}", std::process::id()));
    let name = file.to_str().unwrap();
    for _ in 0..2 {
        let ran = dtrace(&["-qo", name, "-n", "BEGIN { trace(1); exit(0); }"]);
        assert_eq!(ran.stdout, "");
    }
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(written, "1\n1\n");
}

#[test]
fn a_verbose_listing_has_attributes_and_arguments() {
    let ran = dtrace(&["-lvn", "dtrace:::BEGIN"]);
    let expected = "
\tProbe Description Attributes
\t\tIdentifier Names: Stable
\t\tData Semantics:   Stable
\t\tDependency Class: Common

\tArgument Attributes
\t\tIdentifier Names: Stable
\t\tData Semantics:   Stable
\t\tDependency Class: Common

\tArgument Types
\t\tNone

";
    let (header, rest) = ran.stdout.split_once("BEGIN\n").unwrap();
    assert!(header.starts_with("   ID   PROVIDER"), "{header}");
    assert_eq!(rest, expected);
    assert_eq!(ran.status, Some(0));
}

/// What bash would offer for a line, with the script that the command prints.
fn completed_by_bash(line: &str) -> Vec<String> {
    let script = dtrace(&["--generate", "bash"]).stdout;
    let ask = "compopt() { :; }; COMP_POINT=${#COMP_LINE}; _dtrace \"$1\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args([
        "-c",
        &format!("{script}\n{ask}"),
        "bash",
        env!("CARGO_BIN_EXE_dtrace"),
    ])
    .env("COMP_LINE", line)
    .env("COMP_WORDBREAKS", " \t\n\"'><=;|&(:");
    let ran = ran(bash.output().unwrap());
    assert_eq!(ran.stderr, "", "{line}");
    ran.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_options_values_and_probes() {
    assert_eq!(completed_by_bash("dtrace --ve"), ["--version"]);
    assert_eq!(completed_by_bash("dtrace -X "), ["a", "c", "s", "t"]);
    assert_eq!(completed_by_bash("dtrace -x bufsi"), ["bufsize"]);
    assert_eq!(completed_by_bash("dtrace -n dtr"), ["dtrace:"]);
    // A colon separates words, but in quotes.
    assert_eq!(completed_by_bash("dtrace -n dtrace:::B"), ["BEGIN"]);
    assert_eq!(
        completed_by_bash("dtrace -n 'dtrace:::B"),
        ["dtrace:::BEGIN"]
    );
    assert_eq!(completed_by_bash("dtrace -b "), [""]);
}

/// What fish would offer, without its descriptions.
fn completed_by_fish(line: &str) -> Vec<String> {
    let script = dtrace(&["--generate", "fish"]).stdout;
    let mut fish = Command::new("fish");
    let folder = Path::new(env!("CARGO_BIN_EXE_dtrace")).parent().unwrap();
    fish.args([
        "--no-config",
        "-c",
        &format!("{script}\ncomplete -C \"$LINE\""),
    ])
    .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
    .env("LINE", line);
    let ran = ran(fish
        .output()
        .expect("fish is installed (apt-get install fish)"));
    assert_eq!(ran.stderr, "", "{line}");
    let word = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
    ran.stdout.lines().map(word).collect()
}

#[test]
fn fish_completes_options_values_and_probes() {
    assert_eq!(completed_by_fish("dtrace --vers"), ["--version"]);
    assert_eq!(completed_by_fish("dtrace -X "), ["a", "c", "s", "t"]);
    assert_eq!(completed_by_fish("dtrace -x bufsi"), ["bufsize"]);
    assert_eq!(
        completed_by_fish("dtrace -n dtrace:::B"),
        ["dtrace:::BEGIN"]
    );
    assert_eq!(
        completed_by_fish("dtrace -n 'dtrace:::B"),
        ["dtrace:::BEGIN"]
    );
}
