//! DTrace's types of processes, CPUs and files, which libraries in the compiler define.

mod image;

use std::rc::Rc;

use engine_dlang::program::Program;
use engine_dlang::{Kind, Settings, Text, compile};
use engine_dvm::Builtin;
use image::kernel;

use crate::machine::{KERNEL, Machine, USER};

fn compiled(source: &str) -> Result<Program, String> {
    let text = Text {
        source: source.to_owned(),
        kind: Kind::File { name: "k.d".into() },
        arguments: vec!["k.d".into()],
    };
    let settings = Settings {
        error_tags: true,
        kernel: Some(Rc::new(kernel().0)),
        ..Settings::default()
    };
    compile(&[text], &settings).map_err(|error| error.to_string())
}

/// What a clause records, whose thread is the kernel's, and so are its arguments that are threads.
fn recorded(source: &str) -> Vec<u8> {
    let program = compiled(source).unwrap_or_else(|why| panic!("{source}: {why}"));
    let mut machine = Machine::default();
    machine.kernel = kernel().1;
    machine.builtins = vec![
        (Builtin::Curthread, 0, KERNEL),
        (Builtin::Pid, 0, 7),
        (Builtin::Arg, 0, USER + 4),
        (Builtin::Arg, 1, KERNEL),
        (Builtin::Arg, 4, KERNEL),
    ];
    let ran = machine.run(&program.block, 0);
    assert_eq!(ran, Ok(()), "{source}");
    machine.record.expect("it records")
}

fn number(expression: &str) -> u64 {
    let record = recorded(&format!("BEGIN {{ trace((uint64_t)({expression})); }}"));
    u64::from_ne_bytes(record[..8].try_into().expect("eight bytes"))
}

fn text(clause: &str) -> String {
    let record = recorded(clause);
    let end = record.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&record[..end.unwrap_or_default()]).into_owned()
}

/// The process's memory begins with its arguments and with its stack, too.
const ARGC: u64 = u32::from_le_bytes(*b"the ") as u64;

#[test]
fn members_of_a_process_are_the_kernels() {
    for (member, expected) in [
        ("pr_nlwp", 3),
        ("pr_pid", 7),
        ("pr_ppid", 7),
        ("pr_pgid", 5),
        ("pr_sid", 4),
        ("pr_uid", 1000),
        ("pr_euid", 1001),
        ("pr_gid", 100),
        ("pr_egid", 101),
        ("pr_addr", KERNEL),
        ("pr_arglen", 23),
        ("pr_argc", ARGC),
        ("pr_argv", USER + 8),
        ("pr_envp", USER + (ARGC + 2) * 8),
    ] {
        assert_eq!(
            number(&format!("curpsinfo->{member}")),
            expected,
            "{member}"
        );
    }
    assert_eq!(text("BEGIN { trace(curpsinfo->pr_fname); }"), "init");
    assert_eq!(
        text("BEGIN { trace(curpsinfo->pr_psargs); }"),
        "the user's memory -x y"
    );
    assert_eq!(text("BEGIN { trace(execargs); }"), "the user's memory -x y");
    assert_eq!(number("curproc->tgid"), 7);
    // Another process's arguments cannot be read.
    let other = "BEGIN { this->p = (uintptr_t)curthread; \
        trace(xlate <psinfo_t *> ((struct task_struct *)this->p)->pr_psargs); }";
    let program = compiled(other).expect("it compiles");
    let mut machine = Machine::default();
    machine.kernel = kernel().1;
    machine.builtins = vec![(Builtin::Curthread, 0, KERNEL)];
    assert_eq!(machine.run(&program.block, 0), Ok(()));
    assert!(machine.record.is_some_and(|it| it.starts_with(b"init\0")));
}

#[test]
fn members_of_a_thread_are_the_kernels() {
    for (member, expected) in [
        ("pr_lwpid == 8", 1),
        ("pr_state == SONPROC", 1),
        ("pr_sname", u64::from(b'O')),
        ("pr_flag == (PR_STOPPED | PR_ISSYS)", 1),
        ("pr_pri", 120),
        ("pr_onpro == cpu", 1),
    ] {
        assert_eq!(
            number(&format!("curlwpsinfo->{member}")),
            expected,
            "{member}"
        );
    }
    assert_eq!(text("BEGIN { trace(curlwpsinfo->pr_clname); }"), "FF");
    assert_eq!(number("curcpu->cpu_id == cpu"), 1);
}

#[test]
fn members_of_a_file_are_the_kernels() {
    for (member, expected) in [("fi_offset", 70), ("fi_oflags", 2)] {
        assert_eq!(number(&format!("fds[1].{member}")), expected, "{member}");
        assert_eq!(number(&format!("fds[0].{member}")), 0, "{member}");
        assert_eq!(number(&format!("fds[-1].{member}")), 0, "{member}");
    }
    for (expression, expected) in [
        ("fds[1].fi_name", "notes"),
        ("fds[1].fi_fs", "ext4"),
        ("fds[0].fi_name", "<none>"),
        ("fds[2].fi_fs", "<none>"),
    ] {
        assert_eq!(text(&format!("BEGIN {{ trace({expression}); }}")), expected);
    }
}

#[test]
fn arguments_of_processes_are_translated() {
    for (clause, expected) in [
        ("proc:::create { trace((uint64_t)args[0]->pr_pid); }", 7),
        (
            "proc:::create /args[0]->pr_pid/ { trace((uint64_t)args[0]->pr_ppid); }",
            7,
        ),
        (
            "proc:::signal-send { trace((uint64_t)args[0]->pr_lwpid); }",
            8,
        ),
        (
            "proc:::signal-send { trace((uint64_t)args[1]->pr_uid); }",
            1000,
        ),
        (
            "proc:::exit, proc:::exec-failure { trace((uint64_t)args[0]); }",
            USER + 4,
        ),
        (
            "proc:::signal-handle { trace((uint64_t)(uintptr_t)args[1]); }",
            KERNEL,
        ),
    ] {
        let record = recorded(clause);
        assert_eq!(record[..8], expected.to_ne_bytes(), "{clause}");
    }
    assert_eq!(text("proc:::exec { trace(args[0]); }"), "user's memory");
}

#[test]
fn arguments_of_system_calls_have_their_types() {
    let size = |clause: &str| {
        let source = format!("{clause} {{ trace((uint64_t)sizeof (args[0])); }}");
        u64::from_ne_bytes(recorded(&source)[..8].try_into().expect("eight bytes"))
    };
    assert_eq!(size("syscall::read:entry"), 4);
    assert_eq!(size("syscall::read:return"), 8);
    assert_eq!(size("syscall::nosuch:entry"), 8);
    // They differ, so it is a number.
    assert_eq!(size("syscall:::"), 8);
    for clause in [
        "syscall::read:entry { this->text = copyinstr((uintptr_t)args[1], args[2]); }",
        "syscall::read:entry { this->from = args[1]; this->from = (char *)arg1; }",
        "syscall::pread64:entry { trace(args[3]); }",
        "syscall:x86_64:pread64:entry { trace(args[3] + 1); }",
        "syscall:::entry { trace(args[5]); }",
    ] {
        assert_eq!(compiled(clause).map(drop), Ok(()), "{clause}");
    }
}

#[test]
fn what_is_not_there_is_told() {
    for (source, expected) in [
        (
            "BEGIN { trace(curpsinfo->pr_wstat); }",
            "[D_TYPE_MEMBER] line 1: pr_wstat is not a member of psinfo_t",
        ),
        (
            "proc:::start { trace(args[0]); }",
            "[D_ARGS_IDX] line 1: index 0 is out of range for proc:vmlinux::start args[ ]",
        ),
        (
            "proc:::create, proc:::exit { trace(args[0]); }",
            "[D_ARGS_MULTI] line 1: args[ ] may not be referenced because probe description \
             proc:::exit matches an unstable set of probes",
        ),
        (
            "syscall::read:entry { trace(args[3]); }",
            "[D_ARGS_IDX] line 1: index 3 is out of range for syscall:x86_64:read:entry args[ ]",
        ),
        (
            "syscall:ia32:pread64:entry { trace(args[3]); }",
            "[D_ARGS_TYPE] line 1: args[3] of syscall:ia32:pread64:entry cannot be read: a \
             structure is passed or returned by value, or a number in two registers",
        ),
        (
            "typedef struct p { int a; } psinfo_t; proc:::create { trace(args[0]->a); }",
            "[D_ARGS_XLATOR] line 1: args[0] has no translator from \"struct task_struct *\" to \
             \"psinfo_t\"",
        ),
    ] {
        let found = compiled(source).map(drop).expect_err(source);
        assert!(found.ends_with(expected), "{source}: {found}");
    }
}

#[test]
fn what_a_program_defines_is_preferred() {
    for source in [
        "BEGIN { curpsinfo = 1; trace(curpsinfo); fds[1] = 2; trace(fds[1] + curpsinfo); }",
        "inline int curcpu = cpu; BEGIN { trace(curcpu); }",
        "typedef int psinfo_t; psinfo_t SRUN; BEGIN { SRUN = 1; trace((psinfo_t)SRUN); }",
        "typedef struct psinfo { int n; } psinfo_t;
         translator psinfo_t < struct task_struct *T > { n = T->pid; };
         proc:::create { trace(args[0]->n); }",
    ] {
        assert_eq!(compiled(source).map(drop), Ok(()), "{source}");
    }
}
