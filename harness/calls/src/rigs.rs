//! Prerequisites of calls, such as an open descriptor: a row each, in the language of the calls'
//! rows.

/// A prerequisite.
#[derive(Debug, PartialEq)]
pub struct Rig {
    /// The word that stands for it.
    pub name: &'static str,
    /// The calls that make it, each with its arguments.
    pub steps: &'static [(&'static str, &'static str)],
    /// Where its value comes from.
    pub output: Output,
}

/// Where the value of a rig comes from.
#[derive(Debug, PartialEq)]
pub enum Output {
    /// The first call returns it.
    Returned,
    /// The first call writes it through its argument of this index.
    Written(usize),
}

const fn rig(name: &'static str, steps: &'static [(&'static str, &'static str)]) -> Rig {
    let output = Output::Returned;
    Rig {
        name,
        steps,
        output,
    }
}

const fn written(
    name: &'static str,
    steps: &'static [(&'static str, &'static str)],
    index: usize,
) -> Rig {
    let output = Output::Written(index);
    Rig {
        name,
        steps,
        output,
    }
}

static RIGS: [Rig; 25] = [
    written("aio", &[("io_setup", "1 z")], 1),
    // Not used as a value, but makes `dir` a mount point.
    rig("covered", &[("mount", "s:none s:dir s:tmpfs 0 null")]),
    rig("dir-fd", &[("openat", "cwd s:dir 0 0")]),
    rig("epoll", &[("epoll_create1", "0")]),
    rig("event-fd", &[("eventfd2", "0 0")]),
    rig("fanotify", &[("fanotify_init", "0 0")]),
    // Opened for reading and writing it is empty, but never at end of file.
    rig("fifo-fd", &[("openat", "cwd s:fifo 2 0")]),
    rig("file-fd", &[("openat", "cwd s:file 2 0")]),
    rig(
        "inotify",
        &[
            ("inotify_init1", "0"),
            ("inotify_add_watch", "it s:dir 0xfff"),
        ],
    ),
    rig("landlock", &[("landlock_create_ruleset", "q:1 8 0")]),
    rig("listener", &[("socket", "2 1 0"), ("listen", "it 1")]),
    rig("messages", &[("msgget", "0 0o1777")]),
    rig(
        "mounted",
        &[("fsopen", "s:tmpfs 0"), ("fsconfig", "it 6 null null 0")],
    ),
    rig("mounting", &[("fsopen", "s:tmpfs 0")]),
    rig("other-fd", &[("openat", "cwd s:link 2 0")]),
    rig("process", &[("pidfd_open", "self 0")]),
    rig("queue", &[("mq_open", "s:queue 0x42 0o600 null")]),
    rig("semaphore", &[("semget", "0 1 0o1777")]),
    rig("shared", &[("shmget", "0 4096 0o1777")]),
    rig("tcp", &[("socket", "2 1 0")]),
    written("timer", &[("timer_create", "1 null z")], 2),
    rig("timer-fd", &[("timerfd_create", "1 0")]),
    rig("udp", &[("socket", "2 2 0")]),
    rig("unix", &[("socket", "1 2 0")]),
    rig("uring", &[("io_uring_setup", "1 z")]),
];

/// The rig of this name.
pub fn named(name: &str) -> Option<&'static Rig> {
    RIGS.iter().find(|rig| rig.name == name)
}

/// Every rig.
#[cfg(test)]
pub fn all() -> impl Iterator<Item = &'static Rig> {
    RIGS.iter()
}
