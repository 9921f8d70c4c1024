//! Programs about a kernel: its types and its variables, from BTF that is made here.

use std::rc::Rc;
use std::sync::Arc;

use engine_abi::Description;
use engine_btf::write::Builder;
use engine_btf::{
    Btf, Endian, Enumerator, Int, Linkage, Member, PER_CPU, Parameter, SectionEntry, TypeId,
};
use engine_dlang::kernel::{Kernel, Symbol};
use engine_dlang::{Kind, Settings, Text, compile};
use engine_dvm::Builtin;

use crate::machine::{KERNEL, Machine, USER};

/// A kernel with a task, in two files.
#[derive(Debug)]
pub struct Small {
    pub types: Result<Arc<Btf<'static>>, String>,
    pub module: Option<Arc<Btf<'static>>>,
}

impl Kernel for Small {
    fn types(&self, module: Option<&str>) -> Result<Arc<Btf<'static>>, String> {
        match module {
            None => self.types.clone(),
            Some("toy") => self.module.clone().ok_or_else(|| "no toy".into()),
            Some(other) => Err(format!("no module {other}")),
        }
    }

    fn modules(&self) -> Vec<String> {
        vec!["toy".into()]
    }

    fn symbol(&self, module: Option<&str>, name: &str) -> Option<Symbol> {
        let (address, module_of) = match name {
            "init_task" => (KERNEL, None),
            "schedule" => (0x5000, None),
            "untyped" => (KERNEL + 8, None),
            "toy_count" => (KERNEL + 4, Some("toy")),
            "counts" => (KERNEL - AHEAD, None),
            "ranged" => (KERNEL + 8 - AHEAD, None),
            "toy_tasks" => (KERNEL - AHEAD, Some("toy")),
            _ => return None,
        };
        let is_wanted = module.is_none_or(|module| module == module_of.unwrap_or("vmlinux"));
        is_wanted.then(|| Symbol {
            address,
            is_code: name == "schedule",
            is_per_cpu: name == "ranged",
            module: module_of.map(str::to_owned),
        })
    }

    fn probes(&self, description: &Description) -> Vec<Description> {
        let all = [
            ("fbt", "vmlinux", "wake_up", "entry"),
            ("fbt", "vmlinux", "wake_up", "return"),
            ("fbt", "vmlinux", "wake_long", "entry"),
            ("fbt", "vmlinux", "wake_up.constprop.0", "entry"),
            ("fbt", "vmlinux", "schedule", "return"),
            ("fbt", "toy", "toy_open", "entry"),
            ("fbt", "toy", "by_value", "entry"),
            ("sdt", "vmlinux", "", "sched_wakeup"),
        ];
        let all = all
            .map(|(provider, module, function, name)| described(provider, module, function, name));
        let is_like = |wanted: &[u8], found: &[u8]| match wanted {
            [start @ .., b'*'] => found.starts_with(start),
            _ => wanted.is_empty() || wanted == found,
        };
        let matching = all.into_iter().filter(|it| {
            is_like(description.provider(), it.provider())
                && is_like(description.function(), it.function())
                && is_like(description.name(), it.name())
        });
        matching.collect()
    }
}

/// How far this CPU's copies of variables are behind their addresses.
const AHEAD: u64 = 0x10_0000;

fn int(builder: &mut Builder<'_>, name: &str, size: u32, is_signed: bool) -> TypeId {
    builder.int(
        name,
        Int {
            size,
            bits: (size * 8) as u8,
            is_signed,
            ..Int::default()
        },
    )
}

fn member(name: &str, target: TypeId, offset: u32) -> Member<'_> {
    Member {
        name,
        target,
        bit_offset: offset * 8,
        bit_size: 0,
    }
}

/// The task that the kernel's memory holds: pid 7, name "init", parent itself, flags 5 and -2.
const TASK: [u8; 40] =
    *b"\x07\0\0\0\x2a\0\0\0init\0\0\0\0\0\0\x10\0\0\0\0\0\xf5\xb0\x5a\x01\0\0\0\0\x03\0\0\0\x04\0\0\0";

pub fn small() -> Small {
    let mut b = Builder::new(Endian::Little);
    let int_ = int(&mut b, "int", 4, true);
    let word = int(&mut b, "unsigned int", 4, false);
    let char_ = int(&mut b, "char", 1, true);
    let long = int(&mut b, "long unsigned int", 8, false);
    let name = b.array(char_, long, 8);
    let pid = b.typedef("kernel_pid_t", int_);
    let fixed = b.constant(pid);
    let union = b.union(
        "",
        4,
        &[member("probe", word, 0), member("first", char_, 0)],
    );
    let values = [
        Enumerator {
            name: "TASK_SMALL",
            value: 3,
        },
        Enumerator {
            name: "TASK_LARGE",
            value: -1,
        },
    ];
    let state = b.enumeration("task_state", 4, true, &values);
    let own = b.next_id();
    let forward = b.forward("task_struct", false);
    assert_eq!(own, forward);
    let parent = b.pointer(forward);
    let bits = |name, target, first: u32, width| Member {
        name,
        target,
        bit_offset: 24 * 8 + first,
        bit_size: width,
    };
    let members = [
        member("pid", fixed, 0),
        member("", union, 4),
        member("comm", name, 8),
        member("parent", parent, 16),
        bits("low", word, 0, 4),
        bits("high", int_, 4, 4),
        bits("across", word, 12, 8),
        bits("above", word, 20, 5),
        member("state", state, 32),
        member("last", word, 36),
    ];
    b.structure("task_struct", 40, &members);
    let none = b.prototype(TypeId::VOID, &[], false);
    b.function("schedule", none, Linkage::Global);
    let task_pointer = b.pointer(forward);
    let wide = int(&mut b, "long long unsigned int", 8, false);
    let named = |name, target| Parameter { name, target };
    let wakes = [
        named("task", task_pointer),
        named("flags", word),
        named("offset", wide),
    ];
    let prototype = b.prototype(int_, &wakes, false);
    b.function("wake_up", prototype, Linkage::Global);
    b.function("wake_long", prototype, Linkage::Global);
    let toys = [named("n", int_), named("task", task_pointer)];
    let prototype = b.prototype(TypeId::VOID, &toys, false);
    b.function("toy_open", prototype, Linkage::Static);
    let by_value = [named("n", int_), named("task", forward), named("m", int_)];
    let prototype = b.prototype(TypeId::VOID, &by_value, false);
    b.function("by_value", prototype, Linkage::Static);
    let data = b.pointer(TypeId::VOID);
    let traced = [named("data", data), named("task", task_pointer)];
    let prototype = b.prototype(TypeId::VOID, &traced, false);
    let pointer = b.pointer(prototype);
    b.typedef("btf_trace_sched_wakeup", pointer);
    b.typedef("task_t", forward);
    let counts = b.array(word, long, 2);
    let variable = b.variable("counts", counts, Linkage::Static);
    per_cpu(&mut b, variable, 8);
    let words = b.array(word, long, 4);
    b.structure("words", 16, &[member("words", words, 0)]);
    let packed = [member("a", word, 0), member("b", wide, 4)];
    b.structure("packed", 16, &packed);
    let bytes = b.finish().expect("it is valid");
    let types = Arc::new(Btf::read(bytes).expect("it is valid"));
    let mut b = Builder::split(&types);
    let task = types
        .named(engine_btf::Class::Struct, "task_struct")
        .expect("it is there");
    b.structure("toy", 48, &[member("task", task, 0), member("n", int_, 40)]);
    b.variable("toy_count", word, Linkage::Static);
    let variable = b.variable("toy_tasks", task, Linkage::Static);
    per_cpu(&mut b, variable, 40);
    let bytes = b.finish().expect("it is valid");
    let module = Btf::read_split(bytes, types.clone()).expect("it is valid");
    Small {
        types: Ok(types),
        module: Some(Arc::new(module)),
    }
}

/// Has each CPU have a copy of a variable.
fn per_cpu(builder: &mut Builder<'_>, variable: TypeId, size: u32) {
    let entry = SectionEntry {
        variable,
        offset: 0,
        size,
    };
    builder.section(PER_CPU, size, &[entry]);
}

fn compiled(source: &str, kernel: Option<Small>) -> Result<engine_dlang::program::Program, String> {
    let text = Text {
        source: source.to_owned(),
        kind: Kind::File { name: "k.d".into() },
        arguments: vec!["k.d".into()],
    };
    let settings = Settings {
        error_tags: true,
        kernel: kernel.map(|it| Rc::new(it) as Rc<dyn Kernel>),
        ..Settings::default()
    };
    compile(&[text], &settings).map_err(|error| error.to_string())
}

/// A description of a probe.
pub fn described(provider: &str, module: &str, function: &str, name: &str) -> Description {
    let [provider, module, function, name] = [provider, module, function, name].map(str::as_bytes);
    Description::new(provider, module, function, name).expect("it fits")
}

/// What `trace(expression)` records: a number.
fn value(expression: &str) -> u64 {
    let source = format!("BEGIN {{ trace((uint64_t)({expression})); }}");
    let program = compiled(&source, Some(small())).expect("it compiles");
    let mut machine = Machine::default();
    machine.builtins = vec![(Builtin::Cpuoffset, 0, AHEAD)];
    machine.kernel = TASK.to_vec();
    machine.kernel.resize(4096, 0);
    machine.run(&program.block, 0).expect("it runs");
    let record = machine.record.expect("it records");
    u64::from_ne_bytes(record[..8].try_into().expect("eight bytes"))
}

fn refusal(source: &str) -> String {
    let refused = compiled(source, Some(small()));
    refused.map(drop).expect_err("it does not compile")
}

#[test]
fn members_are_read_where_they_are() {
    let task = format!("((struct task_struct *){KERNEL:#x})");
    for (member, expected) in [
        ("->pid", 7),
        ("->probe", 42),
        ("->first", 42),
        ("->low", 5),
        ("->high", u64::MAX),
        ("->across", 0xab),
        ("->above", 21),
        ("->state == TASK_SMALL", 1),
        ("->last", 4),
        ("->parent->parent->pid", 7),
        ("->comm == \"init\"", 1),
        ("->comm[1]", u64::from(b'n')),
        ("[0].pid", 7),
    ] {
        assert_eq!(value(&format!("{task}{member}")), expected, "{member}");
    }
}

#[test]
fn types_are_found_by_every_name() {
    for (expression, expected) in [
        ("sizeof (struct task_struct)", 40),
        ("sizeof (task_t)", 40),
        ("sizeof (struct vmlinux`task_struct)", 40),
        ("sizeof (struct toy)", 48),
        ("sizeof (struct toy`toy)", 48),
        ("offsetof(struct toy, task.state)", 32),
        ("sizeof (kernel_pid_t)", 4),
        ("sizeof (enum task_state)", 4),
        ("TASK_LARGE", u64::MAX),
        ("sizeof (((task_t *)0)->comm)", 8),
        ("(kernel_pid_t)0x100000002", 2),
        ("(task_t *)8 + 1", 48),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn variables_are_read_at_their_addresses() {
    for (expression, expected) in [
        ("`toy_count", 42),
        ("toy`toy_count", 42),
        ("&toy`toy_count", KERNEL + 4),
        ("(uintptr_t)&`schedule", 0x5000),
        ("(uintptr_t)&vmlinux`schedule", 0x5000),
        ("`untyped & 0xff", u64::from(b'i')),
        ("((task_t *)&`init_task)->pid", 7),
        ("(`toy_count) + 1", 43),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn of_a_per_cpu_variable_this_cpus_copy_is_read() {
    for (expression, expected) in [
        ("`counts[1]", 42),
        ("vmlinux`counts[0]", 7),
        ("sizeof (`counts)", 8),
        ("*`counts", 7),
        ("(uintptr_t)&`counts", KERNEL),
        ("(uintptr_t)&`counts[1]", KERNEL + 4),
        ("`ranged & 0xff", u64::from(b'i')),
        ("(uintptr_t)&`ranged", KERNEL + 8),
        ("toy`toy_tasks.pid", 7),
        ("`toy_tasks.parent->pid", 7),
        ("(uintptr_t)&`toy_tasks.comm", KERNEL + 8),
        ("cpuoffset", AHEAD),
        ("*(int *)((uintptr_t)&`counts - cpuoffset + cpuoffset)", 7),
        ("`toy_count", 42),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

/// The sum is of 64 bits, so an offset that leads down has to have a sign.
#[test]
fn an_offset_of_a_32_bit_kernel_has_a_sign() {
    let text = Text {
        source: "BEGIN { trace((uint64_t)(cpuoffset)); }".into(),
        kind: Kind::File { name: "k.d".into() },
        arguments: vec!["k.d".into()],
    };
    let settings = Settings {
        pointer: 4,
        ..Settings::default()
    };
    let program = compile(&[text], &settings).expect("it compiles");
    let mut machine = Machine::default();
    machine.builtins = vec![(Builtin::Cpuoffset, 0, (-4096_i64).cast_unsigned())];
    machine.run(&program.block, 0).expect("it runs");
    let record = machine.record.expect("it records");
    assert_eq!(record[..8], (-4096_i64).to_ne_bytes());
}

#[test]
fn what_a_program_declares_is_preferred() {
    let source = "struct task_struct { char c; int pid; };
        int TASK_SMALL;
        BEGIN { trace(offsetof(struct task_struct, pid)); TASK_SMALL = 9; trace(TASK_SMALL); }";
    let program = compiled(source, Some(small())).expect("it compiles");
    let mut machine = Machine::default();
    machine.run(&program.block, 0).expect("it runs");
    let record = machine.record.expect("it records");
    assert_eq!(record[0], 4);
    assert_eq!(record[8], 9);
}

#[test]
fn a_definition_does_not_see_the_kernels() {
    for (member, expected) in [
        (
            "struct task_struct inner;",
            "incomplete struct/union/enum struct task_struct: inner",
        ),
        (
            "struct task_struct { int n; } inner;",
            "type redeclared: struct task_struct",
        ),
    ] {
        let source = format!("struct task_struct {{ {member} }}; BEGIN {{ }}");
        let error = compiled(&source, Some(small())).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let source = "struct task_struct { struct task_struct *parent; char mine; };
        BEGIN { trace(sizeof (((struct task_struct *)0)->parent->mine)); }";
    compiled(source, Some(small())).expect("it compiles");
}

#[test]
fn the_kernels_structures_are_aligned_to_their_members() {
    for (type_, alignment) in [
        ("struct words", 4),
        ("struct packed", 4),
        ("struct task_struct", 8),
        ("struct toy", 8),
        ("task_t", 8),
    ] {
        for suffix in ["", "[2]"] {
            let source = format!(
                "struct own {{ char c; {type_} it{suffix}; }};
                 BEGIN {{ trace(offsetof(struct own, it)); }}"
            );
            let program = compiled(&source, Some(small())).expect("it compiles");
            let mut machine = Machine::default();
            machine.run(&program.block, 0).expect("it runs");
            let record = machine.record.expect("it records");
            assert_eq!(record[0], alignment, "{type_}{suffix}");
        }
    }
}

#[test]
fn pointers_of_one_type_are_compatible_wherever_they_come_from() {
    for source in [
        "BEGIN { this->t = curthread; this->t = curthread->parent; trace(this->t->pid); }",
        "BEGIN { this->t = (struct task_struct *)arg0; this->t = curthread; }",
        "BEGIN { this->t = (task_t *)arg0; this->t = curthread->parent; }",
        "struct task_struct *t; BEGIN { t = curthread; trace(t->parent == t); }",
        "self struct task_struct copy; BEGIN { self->copy = *curthread; trace(self->copy.comm); }",
        "inline task_t *me = curthread; BEGIN { printf(\"%s %d\", me->comm, me->pid); }",
    ] {
        let found = compiled(source, Some(small())).map(drop);
        assert_eq!(found, Ok(()), "{source}");
    }
}

#[test]
fn what_is_not_there_is_told() {
    for (source, expected) in [
        (
            "BEGIN { trace(curthread->nothing); }",
            "[D_TYPE_MEMBER] line 1: nothing is not a member of struct task_struct",
        ),
        (
            "BEGIN { trace(`nothing); }",
            "[D_IDENT_UNDEF] line 1: failed to resolve `nothing: Unknown symbol name",
        ),
        (
            "BEGIN { trace(other`toy_count); }",
            "[D_IDENT_UNDEF] line 1: failed to resolve other`toy_count: Unknown symbol name",
        ),
        (
            "BEGIN { trace(sizeof (struct other`x)); }",
            "[D_TYPE_ERR] line 1: type definition missing: struct other`x",
        ),
        (
            "BEGIN { trace(((struct nowhere *)0)->x); }",
            "[D_OP_INCOMPLETE] line 1: operator -> cannot be applied to a forward declaration: no \
             struct nowhere definition is available",
        ),
        (
            "BEGIN { trace(nothing); }",
            "[D_IDENT_UNDEF] line 1: failed to resolve nothing: Unknown variable name",
        ),
    ] {
        let found = refusal(source);
        assert!(found.ends_with(expected), "{source}: {found}");
    }
}

#[test]
fn why_there_are_no_types_is_told() {
    let kernel = Small {
        types: Err("/sys/kernel/btf/vmlinux: it does not exist".into()),
        module: None,
    };
    let found = compiled("BEGIN { trace(curthread->pid); }", Some(kernel)).map(drop);
    let expected = "no struct task_struct definition is available: /sys/kernel/btf/vmlinux: it does \
                    not exist";
    assert!(
        found.clone().is_err_and(|it| it.ends_with(expected)),
        "{found:?}"
    );
    let found = compiled("BEGIN { trace(`jiffies); }", None).map(drop);
    assert!(found.is_err_and(|it| it.contains("[D_SYM_NOTYPES] line 1: `jiffies")));
}

#[test]
fn arguments_have_the_types_of_parameters() {
    for source in [
        "fbt::wake_up:entry { trace(args[0]->pid); trace(args[1] + args[2]); }",
        "fbt::wake*:entry /args[0]->comm == \"init\"/ { trace(args[0]->comm); }",
        "fbt::wake_up:return { trace(args[1]); trace(args[0]); }",
        "fbt::wake_up:entry, fbt::wake_long:entry { trace(args[0]->pid); }",
        "sdt:::sched_wakeup { trace(args[0]->pid); }",
        "fbt::toy_open:entry { trace(args[0]); trace(args[1]->parent->pid); }",
        "fbt::by_value:entry { trace(args[0]); }",
        "inline int waker = args[0]->pid; fbt::wake_up:entry { trace(waker); }",
        "fbt::wake_up.constprop.0:entry { trace(args[0]); }",
        "pid42:libc:malloc:entry { trace(args[0]); }",
        "fbt::nothing:entry { trace(args[0]); }",
    ] {
        let source = match source.contains("wake*") {
            true => source.replace("wake*", "wake_l*"),
            false => source.to_owned(),
        };
        let found = compiled(&source, Some(small())).map(drop);
        assert_eq!(found, Ok(()), "{source}");
    }
}

#[test]
fn arguments_that_are_not_there_or_differ_are_told() {
    for (source, expected) in [
        (
            "fbt::wake_up:entry { trace(args[3]); }",
            "[D_ARGS_IDX] line 1: index 3 is out of range for fbt:vmlinux:wake_up:entry args[ ]",
        ),
        (
            "fbt::schedule:return { trace(args[1]); }",
            "[D_ARGS_IDX] line 1: index 1 is out of range for fbt:vmlinux:schedule:return args[ ]",
        ),
        (
            "fbt::wake_up:entry, fbt::toy_open:entry { trace(args[0]); }",
            "[D_ARGS_MULTI] line 1: args[ ] may not be referenced because probe description \
             fbt::toy_open:entry matches an unstable set of probes",
        ),
        (
            "fbt::wake*:entry { trace(args[0]); }",
            "[D_ARGS_MULTI] line 1: args[ ] may not be referenced because probe description \
             fbt::wake*:entry matches an unstable set of probes",
        ),
        (
            "fbt::by_value:entry { trace(args[1]); }",
            "[D_ARGS_TYPE] line 1: args[1] of fbt:toy:by_value:entry cannot be read: a structure \
             is passed or returned by value, or a number in two registers",
        ),
        (
            "fbt::wake_up:entry { trace(args[1]->pid); }",
            "[D_OP_PTR] line 1: operator -> must be applied to a pointer",
        ),
    ] {
        let found = refusal(source);
        assert!(found.ends_with(expected), "{source}: {found}");
    }
}

/// What is the kernel's is Private.
#[test]
fn the_kernels_own_is_not_stable() {
    for (used, what) in [
        ("`init_task", "symbol `init_task"),
        (
            "((struct task_struct *)x)->pid",
            "type struct task_struct *",
        ),
        ("TASK_SMALL", "enumerator TASK_SMALL"),
    ] {
        let minimum = "Unstable/Unstable/Common";
        let source =
            format!("#pragma D option amin={minimum}\ndtrace:::BEGIN {{ x = 0; print({used}); }}");
        let expected = format!(
            "{what} is Private/Private/Unknown, less stable than the option amin={minimum} allows"
        );
        let found = refusal(&source);
        assert!(found.ends_with(&expected), "{source}: {found}");
    }
    let source = "#pragma D option amin=Stable/Stable/Common\nstruct own { int a; }; dtrace:::BEGIN \
                  { x = (uintptr_t)0; this->y = (struct own *)x; }";
    assert_eq!(compiled(source, Some(small())).map(drop), Ok(()));
}

/// A declared provider tells types where nothing else does.
#[test]
fn declared_arguments_are_those_that_are_not_known() {
    let declared = "provider fbt { probe entry(long n, struct task_struct *task); };";
    for (clause, expected) in [
        (
            "fbt::wake_up.constprop.0:entry { trace(args[1]->pid); }",
            "",
        ),
        ("fbt::wake_up:entry { trace(args[0]->pid); }", ""),
        (
            "fbt::wake_up.constprop.0:entry { trace(args[0]->pid); }",
            "line 1: operator -> must be applied to a pointer",
        ),
        (
            "fbt::wake_up:entry { trace(args[1]->pid); }",
            "line 1: operator -> must be applied to a pointer",
        ),
        (
            "fbt::wake_up.constprop.0:entry { trace(args[2]); }",
            "line 1: index 2 is out of range for fbt:vmlinux:wake_up.constprop.0:entry args[ ]",
        ),
    ] {
        let source = format!("{declared} {clause}");
        let found = compiled(&source, Some(small())).map(drop).err();
        let found = found.unwrap_or_default();
        assert!(found.ends_with(expected), "{source}: {found}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{source}: {found}");
    }
}

/// A declaration is for the provider's probes in processes too, where a string is an address.
#[test]
fn declared_arguments_of_processes() {
    let declared = "provider app { probe start(string name, int n); probe other(int n); }; \
                    provider app1 { probe start(char *name); };";
    for (clause, expected) in [
        (
            "app7:::start /args[1] > 2/ { trace(copyinstr((uintptr_t)args[0])); }",
            "",
        ),
        ("app*:::start { trace(copyinstr((uintptr_t)args[0])); }", ""),
        (
            "app12:::start { trace(args[1]); }",
            "index 1 is out of range for app12:::start args[ ]",
        ),
        (
            "app7:::start { trace(args[2]); }",
            "index 2 is out of range for app7:::start args[ ]",
        ),
        (
            "app12:::other { trace(args[1]); }",
            "index 1 is out of range for app12:::other args[ ]",
        ),
        ("app7:::stop { trace(args[2]); }", ""),
        ("apple:::start { trace(args[2]); }", ""),
    ] {
        let source = format!("#pragma D option zdefs\n{declared} {clause}");
        let found = compiled(&source, Some(small())).map(drop).err();
        let found = found.unwrap_or_default();
        assert!(found.ends_with(expected), "{source}: {found}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{source}: {found}");
    }
}

/// A narrow argument loses what is above it; on a 32-bit kernel, a wide one is two words.
#[test]
fn arguments_are_cut_to_their_types() {
    let source = "fbt::wake_up:entry { trace(args[1]); trace(args[2]); }";
    let settings = |pointer| Settings {
        pointer,
        kernel: Some(Rc::new(small())),
        ..Settings::default()
    };
    let text = Text {
        source: source.to_owned(),
        kind: Kind::File { name: "k.d".into() },
        arguments: vec!["k.d".into()],
    };
    for (pointer, wide) in [(8, USER + 2), (4, (USER + 2) | ((USER + 3) << 32))] {
        let program =
            compile(std::slice::from_ref(&text), &settings(pointer)).expect("it compiles");
        let mut machine = Machine::default();
        machine.run(&program.block, 0).expect("it runs");
        let record = machine.record.expect("it records");
        let (word, rest) = record.split_at(8);
        assert_eq!(word[..4], (USER as u32 + 1).to_ne_bytes());
        assert_eq!(rest[..8], wide.to_ne_bytes(), "{pointer}");
    }
}

/// A kernel whose types must not be read.
#[derive(Debug)]
struct Untouched;

impl Kernel for Untouched {
    fn types(&self, _: Option<&str>) -> Result<Arc<Btf<'static>>, String> {
        panic!("the types are read")
    }

    fn modules(&self) -> Vec<String> {
        panic!("the modules are read")
    }

    fn symbol(&self, _: Option<&str>, _: &str) -> Option<Symbol> {
        panic!("the symbols are read")
    }

    fn probes(&self, _: &Description) -> Vec<Description> {
        panic!("the probes are read")
    }
}

#[test]
fn programs_without_types_of_the_kernel_read_none() {
    let source = "
        int declared; /* not that of curpsinfo */
        inline int one = 1;
        BEGIN { x = 5; y = (x) * 2; z = (declared) * (one); trace((pid)); }
        BEGIN { fds[1] = 1; trace(\"psinfo_t curpsinfo\"); curcpu = fds[1]; trace(curcpu); }
        BEGIN /(x) > 2/ { trace((timestamp) - y); @[(execname)] = count(); this->t = curthread; }
        tick-1s { printf(\"%d\", (int)x); self->s = (char *)arg0; }";
    let text = Text {
        source: source.to_owned(),
        kind: Kind::File { name: "k.d".into() },
        arguments: vec!["k.d".into()],
    };
    let settings = Settings {
        kernel: Some(Rc::new(Untouched)),
        ..Settings::default()
    };
    compile(&[text], &settings).expect("it compiles");
}
