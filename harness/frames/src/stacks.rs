//! Functions that are called on one stack while those on other stacks have yet to return.
#![expect(
    unsafe_code,
    reason = "switches to stacks of its own, and names a function"
)]

use std::cell::Cell;

use crate::Error;
use crate::arch;
use crate::counts::Counts;

const STACKS: usize = 4;
const WORDS: usize = 16 << 10;
/// Calls of `frames_step` within each other on one stack.
const LEVELS: usize = 5;

/// A stack with a task that runs on it forever.
#[derive(Default)]
struct Task {
    /// Its stack pointer while it does not run.
    at: Cell<usize>,
    /// Where it returns to.
    home: Cell<usize>,
    entries: Cell<usize>,
    returns: Cell<usize>,
}

impl Task {
    /// Leaked, with its stack: it never ends.
    fn new() -> &'static Self {
        let task: &'static Self = Box::leak(Box::default());
        let stack = Vec::leak(vec![0; WORDS]);
        let argument = (&raw const *task).expose_provenance();
        task.at.set(arch::prepare(stack, run, argument));
        task
    }

    fn resume(&self) {
        // SAFETY: `at` is the stack pointer that `prepare` made or `pause` saved, on a stack that
        // nobody else runs on. The task saves its own and returns here.
        unsafe { arch::frames_swap(self.home.as_ptr(), self.at.get()) };
    }

    fn pause(&self) {
        // SAFETY: `resume` saved it, and waits for it there.
        unsafe { arch::frames_swap(self.at.as_ptr(), self.home.get()) };
    }
}

extern "C" fn run(task: usize) -> ! {
    let task = std::ptr::with_exposed_provenance::<Task>(task);
    // SAFETY: the argument is the address of a leaked task, which only this thread has.
    let task = unsafe { &*task };
    loop {
        frames_step(task, LEVELS);
    }
}

/// Calls itself so many times, and pauses in each call.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn frames_step(task: &Task, level: usize) {
    task.entries.set(task.entries.get() + 1);
    if level > 0 {
        frames_step(task, level - 1);
    }
    task.pause();
    task.returns.set(task.returns.get() + 1);
}

/// Resumes tasks in turn, so many times in all.
pub fn switch(switches: usize) -> Result<Counts, Error> {
    let tasks: [_; STACKS] = std::array::from_fn(|_| Task::new());
    for task in tasks.iter().cycle().take(switches) {
        task.resume();
    }
    let sum = |of: fn(&Task) -> usize| tasks.iter().map(|task| of(task)).sum();
    let (entries, returns) = (sum(|it| it.entries.get()), sum(|it| it.returns.get()));
    let counts = Counts::default().with("frames_step", entries, returns);
    let counts = counts.with("frames_start", switches.min(STACKS), 0);
    Ok(counts.with("frames_swap", 2 * switches, 2 * switches))
}

extern "C" fn leave(_: usize) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

/// Switches to a stack that is not aligned, and exits there. Whether that faults depends on the
/// processor, and on what its kernel fixes up.
pub fn skew() -> Result<Counts, Error> {
    let at = arch::prepare_skewed(Vec::leak(vec![0; WORDS]), leave, 0);
    let mut saved = 0;
    // SAFETY: the frame is prepared, and its function does not return.
    unsafe { arch::frames_swap(&raw mut saved, at) };
    Err(Error::Wrong("it has returned".to_owned()))
}
