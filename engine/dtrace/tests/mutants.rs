//! Defects of the agent and of the recorder of paths, each of which a test must see.
//!
//! The agent is executed inside of other processes, and much of it is assembly, so that no defect can be
//! selected as it runs: each is a change to the source, in a copy of it that is built anew.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A defect.
struct Mutant {
    name: &'static str,
    /// What is changed: a file below `engine`, what is there once, and what takes its place.
    file: &'static str,
    from: &'static str,
    to: &'static str,
    /// What sees it.
    target: &'static str,
    test: &'static str,
}

const fn mutant(
    name: &'static str,
    file: &'static str,
    [from, to]: [&'static str; 2],
    [target, test]: [&'static str; 2],
) -> Mutant {
    Mutant {
        name,
        file,
        from,
        to,
        target,
        test,
    }
}

const MUTANTS: &[Mutant] = &[
    // The recorder has other flags than it found when it has called the runtime.
    mutant(
        "flags-of-the-runtime",
        "local/agent/src/arch/recorder/x86/entry.rs",
        [
            "        \"push qword ptr gs:[{flags}]\",\n        \"popfq\",\n        \"mov rsp",
            "        \"push qword ptr gs:[{flags}]\",\n        \"pop rsi\",\n        \"mov rsp",
        ],
        ["path", "registers_are_as_they_were_in_the_next_block"],
    ),
    // The overflow flag is lost where an indirect branch is looked up.
    mutant(
        "overflow-lost",
        "local/agent/src/arch/recorder/x86/entry.rs",
        [
            "        \"mov rax, gs:[{arithmetic}]\",\n        \"add al, 0x7f\",\n        \"sahf\",\n        \"mov rax, gs:[{ax}]\"",
            "        \"mov rax, gs:[{arithmetic}]\",\n        \"sahf\",\n        \"mov rax, gs:[{ax}]\"",
        ],
        ["path", "registers_are_as_they_were_in_the_next_block"],
    ),
    // A vector register is not saved for the runtime.
    mutant(
        "vector-not-saved",
        "local/agent/src/arch/recorder/x86/saved.rs",
        ["vectors!(@ $way 0 1 2", "vectors!(@ $way 1 2"],
        ["path", "registers_are_as_they_were_in_the_next_block"],
    ),
    // A return address is that of the next byte.
    mutant(
        "pushed-plus-1",
        "local/agent/src/arch/recorder/x86/translate.rs",
        [
            "                code.load_target(instruction, behind)?;\n                code.push(behind)?;",
            "                code.load_target(instruction, behind)?;\n                code.push(behind.wrapping_add(1))?;",
        ],
        ["path", "the_path_is_that_of_a_single_stepper"],
    ),
    // A return is predicted to go where the call before has come from.
    mutant(
        "shadow-stack-off-by-1",
        "dtrace/src/path/stack.rs",
        [
            "self.below(1).unwrap_or_default()",
            "self.below(2).unwrap_or_default()",
        ],
        ["dtrace", "path::stack::tests::returns_go_back"],
    ),
    // Generated code is taken for what was there before.
    mutant(
        "text-not-compared",
        "local/agent/src/arch/recorder/x86/cache.rs",
        ["text.starts_with(&block.text) && ", ""],
        ["path", "the_path_is_that_of_a_single_stepper"],
    ),
    // Text that has gone away is executed as it was.
    mutant(
        "translation-kept",
        "local/agent/src/arch/recorder/x86/known.rs",
        ["self.0.len() < before", "false"],
        ["path", "text_that_goes_and_comes_is_recorded_as_it_is"],
    ),
    // A signal that comes in the middle of a translated instruction is lost.
    mutant(
        "held-signal-lost",
        "local/agent/src/arch/recorder/x86/signals.rs",
        ["    kernel::queue(&state.pending.get());\n", ""],
        ["path", "each_signal_is_handled"],
    ),
    // A thread goes on being stepped behind a signal.
    mutant(
        "step-kept",
        "local/agent/src/arch/recorder/x86/signals.rs",
        [
            "    regs.flags &= !STEP;\n    context.mask",
            "    context.mask",
        ],
        ["path", "signals_that_come_anywhere_are_handled"],
    ),
    // A handler's mask is not made from that of the call which has let the signal in.
    mutant(
        "mask-of-wait-ignored",
        "local/agent/src/arch/recorder/x86/signals.rs",
        ["waited.unwrap_or(context.mask)", "context.mask"],
        ["path", "calls_that_wait_with_another_mask_let_signals_in"],
    ),
    // A process with the memory of its parent takes that for the command.
    mutant(
        "parent-is-the-command",
        "local/agent/src/arch/recorder/x86/shared.rs",
        [
            "false => sys::kill(command, 0) != Err(Errno::ESRCH)",
            "false => kernel::parent() == command",
        ],
        ["path", "a_process_with_the_same_memory_is_recorded"],
    ),
    // Threads that have ended are counted as if they ran.
    mutant(
        "ended-threads-counted",
        "local/agent/src/arch/recorder/x86/areas.rs",
        ["None => wait(&mut tries)?", "None => return None"],
        ["path", "as_many_threads_as_can_be_recorded"],
    ),
    // A buffer that was full is taken again.
    mutant(
        "taken-twice",
        "dtrace/src/inside/recorder.rs",
        ["share.next.store(FIRST, Ordering::Relaxed);", ""],
        ["path", "full_buffers_are_taken_once"],
    ),
    // A detour writes to what is below the stack pointer.
    mutant(
        "red-zone-written",
        "local/agent/src/arch/windows/x86/mod.rs",
        [
            "pub const RED_ZONE: i32 = 128;",
            "pub const RED_ZONE: i32 = 0;",
        ],
        ["inside", "fuzz::random_programs_run_as_they_do_alone"],
    ),
    // A detour leaves the flags as the agent had them.
    mutant(
        "flags-of-the-agent",
        "local/agent/src/arch/entry/x86.rs",
        [
            "        \"mov al, cl\",\n        \"add al, 127\",\n        \"sahf\",\n",
            "        \"mov al, cl\",\n",
        ],
        [
            "inside",
            "records::a_count_changes_neither_flags_nor_registers",
        ],
    ),
    mutant(
        "flags-of-a-record",
        "local/agent/src/arch/entry/x86.rs",
        [
            "        \"pop r9\",\n        \"add al, 127\",\n        \"sahf\",\n",
            "        \"pop r9\",\n",
        ],
        [
            "inside",
            "records::a_record_changes_neither_flags_nor_registers",
        ],
    ),
    // A jump takes the place of an instruction that a branch leads to.
    mutant(
        "over-a-target",
        "local/agent/src/arch/windows/x86/mod.rs",
        [
            "(!is_outside && flow.is_target(address)) || targets.binary_search(&address).is_ok()",
            "is_outside && targets.binary_search(&address).is_ok()",
        ],
        ["inside", "fuzz::random_programs_run_as_they_do_alone"],
    ),
    // Hits that were counted last are not fired.
    mutant(
        "last-tallies-lost",
        "local/agent/src/serve.rs",
        [
            "        let question = channel::receive(self.requests)?;\n        self.fire_tallies();\n",
            "        let question = channel::receive(self.requests)?;\n",
        ],
        ["inside", "counts_are_those_of_a_single_stepper"],
    ),
    // Calls that block the signal of traps are not looked for where their number is computed.
    mutant(
        "computed-unguarded",
        "local/agent/src/arch/windows/x86/guards.rs",
        [
            "constant.chain(computed).collect()",
            "constant.chain(computed.take(0)).collect()",
        ],
        [
            "inside",
            "signals::signals_are_not_blocked_by_calls_with_a_computed_number",
        ],
    ),
    // Other calls there are not made at all.
    mutant(
        "other-calls-lost",
        "local/agent/src/arch/windows/x86/guards.rs",
        [
            "let back = self.next.wrapping_sub(SYSCALL.len());",
            "let back = self.next;",
        ],
        [
            "inside",
            "signals::signals_are_not_blocked_by_calls_with_a_computed_number",
        ],
    ),
    // A jump of a probe takes the place of a guard.
    mutant(
        "guard-displaced",
        "local/agent/src/jumps/mod.rs",
        [" || mapping.has_guard(&bytes)", ""],
        [
            "inside",
            "signals::signals_are_not_blocked_by_calls_with_a_computed_number",
        ],
    ),
    // A trap is armed where control does not come to, as a guard's detour has a copy.
    mutant(
        "guard-hides",
        "local/agent/src/text.rs",
        ["jumps::is_guarded(patch.address)", "false"],
        [
            "inside",
            "signals::a_probe_that_a_guard_would_hide_is_not_armed",
        ],
    ),
    // A thread that comes late is sent to a slot that was never written.
    mutant(
        "slot-unwritten",
        "local/agent/src/text.rs",
        [
            "jumps::disarm(patches.iter_mut().filter_map(with_slot))",
            "jumps::disarm(patches.iter_mut())",
        ],
        [
            "inside",
            "late::a_thread_survives_that_comes_when_its_instruction_is_there_again",
        ],
    ),
    // A child waits for stacks that threads of its parent were on.
    mutant(
        "stacks-inherited",
        "local/agent/src/slots.rs",
        ["if last.is_there(first) ||", "if last.0 & 1 != 0 ||"],
        ["inside", "children::children_of_threads_in_firings_end"],
    ),
    // A child loses the stack that it is on.
    mutant(
        "stacks-wiped",
        "local/agent/src/slots.rs",
        [
            "    let base = mapped.",
            "    let _ = sys::wipe_in_children(mapped, size);\n    let base = mapped.",
        ],
        ["inside", "children::children_of_handlers_in_firings_end"],
    ),
    // A trap of the program's own that cannot be read is executed again for ever.
    mutant(
        "unread-trap-again",
        "local/agent/src/handler.rs",
        ["code::count_unreadable() > MOST", "MOST == 0"],
        [
            "inside",
            "signals::traps_of_the_programs_own_do_what_they_did",
        ],
    ),
    // A thread is not waited for that a debugger holds.
    mutant(
        "held-at-a-trap",
        "local/agent/src/trapped.rs",
        ["&['R', 't']", "&['R', 'R']"],
        [
            "inside",
            "late::a_thread_survives_that_a_debugger_holds_before_the_handler",
        ],
    ),
    // A child without handlers is made, and comes to a trap.
    mutant(
        "handlers-cleared",
        "local/agent/src/masks.rs",
        ["flags & CLEARS != 0", "flags & CLEARS == 1"],
        [
            "inside",
            "children::children_that_are_to_have_no_handlers_live",
        ],
    ),
    // All system calls that make a process or thread are refused.
    mutant(
        "children-refused",
        "local/agent/src/masks.rs",
        ["flags & CLEARS != 0", "flags & CLEARS != 1"],
        [
            "inside",
            "children::children_that_are_to_have_no_handlers_live",
        ],
    ),
    // Threads come to traps while guards are written.
    mutant(
        "traps-for-guards",
        "local/agent/src/jumps/replace.rs",
        ["!(it.is_one && it.is_put_at_once())", "true"],
        [
            "inside",
            "attached::a_process_that_makes_threads_survives_tracing",
        ],
    ),
    // A process may be traced while a child shares its memory.
    mutant(
        "vfork-unseen",
        "dtrace/src/inside/blocked.rs",
        ["call::vfork() == Some(number)", "number < 0"],
        [
            "inside",
            "attached::a_process_is_refused_while_a_thread_waits_for_what_it_has_vforked",
        ],
    ),
    // A thread is not waited for that a signal has stopped.
    mutant(
        "stopped-at-a-trap",
        "local/agent/src/trapped.rs",
        ["self.since = now;", ""],
        [
            "inside",
            "late::a_process_survives_that_is_stopped_as_tracing_ends",
        ],
    ),
    // A trap of the program's own is executed again for ever.
    mutant(
        "own-trap-again",
        "local/agent/src/arch/frame/x86.rs",
        ["Some(0xcc | 0xf1)", "Some(0xf1)"],
        [
            "inside",
            "signals::traps_of_the_programs_own_do_what_they_did",
        ],
    ),
    // An agent that nobody asks leaves its guards and its handler.
    mutant(
        "unclaimed-leaves",
        "local/agent/src/serve.rs",
        [
            "        agent.answer_all();\n    }",
            "        agent.answer_all();\n    } else {\n        return;\n    }",
        ],
        [
            "inside",
            "attached::a_process_is_as_before_when_dtrace_is_killed_as_its_agent_begins",
        ],
    ),
    // Jumps that guard the signal of traps stay when tracing ends. Those in place of traps are in commands only,
    // which end with it.
    mutant(
        "guards-left",
        "local/agent/src/jumps/mod.rs",
        [
            "        known.remove(&idle);\n        known.functions",
            "        drop(idle);\n        known.functions",
        ],
        [
            "inside",
            "attached::a_running_process_is_as_before_when_tracing_ends_or_is_killed",
        ],
    ),
];

fn engine() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// A file with a defect.
fn changed(mutant: &Mutant, text: &str) -> String {
    let (name, file) = (mutant.name, mutant.file);
    let count = text.matches(mutant.from).count();
    assert_eq!(
        count, 1,
        "{name}: {file} has {count} times: {}",
        mutant.from
    );
    text.replacen(mutant.from, mutant.to, 1)
}

#[test]
fn each_mutant_has_its_place() {
    for mutant in MUTANTS {
        let text = fs::read_to_string(engine().join(mutant.file)).unwrap();
        assert_ne!(changed(mutant, &text), text);
    }
}

/// Copies a folder without what is built there.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (name, kind) = (entry.file_name(), entry.file_type().unwrap());
        if kind.is_file() {
            fs::copy(entry.path(), to.join(name)).unwrap();
        } else if kind.is_dir() && name != "target" && name != ".git" {
            copy(&entry.path(), &to.join(name));
        }
    }
}

/// The copy of the source, and where it is built.
struct Tree {
    root: PathBuf,
    built: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
        let (root, built) = (scratch.join("source"), scratch.join("built"));
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        copy(engine().parent().unwrap(), &root);
        Self { root, built }
    }

    /// Builds the test of a defect.
    fn build(&self, mutant: &Mutant) {
        let built = self.cargo(&[env!("CARGO")], mutant, &["--no-run"]);
        let name = mutant.name;
        assert!(built.status.success(), "{name} does not build: {built:?}");
    }

    /// Whether it passes. A test that hangs does not.
    fn passes(&self, mutant: &Mutant) -> bool {
        const LONGEST: &str = "200";
        let command = ["timeout", "--kill-after=5", LONGEST, env!("CARGO")];
        self.build(mutant);
        let output = self.cargo(&command, mutant, &["--", "--exact", mutant.test]);
        let said = String::from_utf8_lossy(&output.stdout);
        let test = mutant.test;
        assert!(said.contains("running 1 test\n"), "{test}: {output:?}");
        output.status.success()
    }

    fn cargo(&self, command: &[&str], mutant: &Mutant, arguments: &[&str]) -> Output {
        let kind = match mutant.target {
            "dtrace" => "--bin",
            _ => "--test",
        };
        let mut cargo = Command::new(command[0]);
        cargo.args(&command[1..]).args(["test", "--quiet"]);
        cargo.args(["--package", "engine-dtrace", kind, mutant.target]);
        cargo.args(arguments).current_dir(&self.root);
        // A random program that finds a defect need not be a small one.
        cargo.env("PROPTEST_MAX_SHRINK_ITERS", "0");
        cargo.env("CARGO_TARGET_DIR", &self.built).output().unwrap()
    }

    /// The same with the defect.
    fn passes_with(&self, mutant: &Mutant) -> bool {
        let path = self.root.join("engine").join(mutant.file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, changed(mutant, &text)).unwrap();
        let passes = self.passes(mutant);
        fs::write(&path, text).unwrap();
        passes
    }
}

/// Those that `TRAPLINE_MUTANT` names, or all.
#[test]
#[ignore = "builds the command for each"]
fn each_mutant_is_caught_by_its_test() {
    if env::consts::ARCH != "x86_64" {
        return;
    }
    let wanted = env::var("TRAPLINE_MUTANT").ok();
    let is_wanted = |mutant: &&Mutant| {
        wanted
            .as_ref()
            .is_none_or(|it| it.split(' ').any(|it| it == mutant.name))
    };
    let tree = Tree::new();
    let mut missed = Vec::new();
    let mut sound: Vec<&str> = Vec::new();
    for mutant in MUTANTS.iter().filter(is_wanted) {
        let begun = Instant::now();
        if !sound.contains(&mutant.test) {
            assert!(
                tree.passes(mutant),
                "{} fails without a defect",
                mutant.test
            );
            sound.push(mutant.test);
        }
        let is_caught = !tree.passes_with(mutant);
        let seconds = begun.elapsed().max(Duration::from_secs(1)).as_secs();
        let what = if is_caught {
            "caught by"
        } else {
            "NOT caught by"
        };
        println!("{}: {what} {} ({seconds} s)", mutant.name, mutant.test);
        missed.extend(Some(mutant.name).filter(|_| !is_caught));
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
