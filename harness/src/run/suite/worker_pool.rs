//! Worker threads that take tasks in order.
//!
//! A task stays on one thread from start to end: a QEMU is killed when the thread that started it
//! exits. A task that keeps several CPUs busy occupies as many workers' slots.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Runs `task` for all of `tasks` on up to `workers` threads, numbered from 1, and calls `on_done`
/// on the caller's thread as each one ends. Results are in the order of the tasks. Once
/// `may_continue` returns false, no further task is started, so there can be fewer results than
/// tasks.
pub fn work<T: Sync, R: Send>(
    tasks: &[T],
    workers: usize,
    weight: impl Fn(&T) -> usize + Sync,
    may_continue: impl Fn() -> bool + Sync,
    task: impl Fn(&T, usize) -> R + Sync,
    mut on_done: impl FnMut(&mut R),
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let slots = Slots::of(workers);
    let take = || may_continue().then(|| next.fetch_add(1, Ordering::Relaxed));
    let (sender, results) = mpsc::channel();
    let work = |worker: usize, sender: mpsc::Sender<(usize, R)>| {
        while let Some((row, one)) = take().and_then(|row| Some((row, tasks.get(row)?))) {
            let _permit = slots.enter(row, weight(one));
            if !may_continue() {
                break;
            }
            // The receiver is gone if `on_done` has panicked; stop.
            if sender.send((row, task(one, worker))).is_err() {
                break;
            }
        }
    };
    let mut all: Vec<(usize, R)> = thread::scope(|scope| {
        for worker in 1..=workers.min(tasks.len()) {
            let (work, sender) = (&work, sender.clone());
            scope.spawn(move || work(worker, sender));
        }
        drop(sender);
        let report = |(row, mut result)| {
            on_done(&mut result);
            (row, result)
        };
        results.into_iter().map(report).collect()
    });
    all.sort_by_key(|(row, _)| *row);
    all.into_iter().map(|(_, result)| result).collect()
}

/// A counting semaphore with `size` slots, from which a task may take several. It is granted in
/// task order, or a large task would starve behind small ones.
struct Slots {
    size: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free: usize,
    /// The task to admit next.
    turn: usize,
}

/// The slots of a running task; released on drop.
struct Permit<'r> {
    slots: &'r Slots,
    weight: usize,
}

impl Slots {
    fn of(size: usize) -> Self {
        let state = State {
            free: size,
            turn: 0,
        };
        Self {
            size,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Blocks until it is this row's turn and `weight` slots are free. The weight is capped at the
    /// size, so every task fits eventually.
    fn enter(&self, row: usize, weight: usize) -> Permit<'_> {
        let weight = weight.clamp(1, self.size.max(1));
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let must_wait = |state: &mut State| state.turn != row || state.free < weight;
        let state = self.changed.wait_while(state, must_wait);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.free -= weight;
        state.turn += 1;
        self.changed.notify_all();
        Permit {
            slots: self,
            weight,
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let state = &self.slots.state;
        state.lock().unwrap_or_else(PoisonError::into_inner).free += self.weight;
        self.slots.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Barrier, Mutex};
    use std::time::Duration;

    use super::*;

    #[test]
    fn tasks_and_results_are_in_order() {
        let tasks: Vec<usize> = (0..20).collect();
        let begun = Mutex::new(Vec::new());
        let done = work(
            &tasks,
            1,
            |_| 1,
            || true,
            |task, _| {
                begun.lock().expect("alone").push(*task);
                task * 2
            },
            |_| {},
        );
        assert_eq!(*begun.lock().expect("alone"), tasks);
        assert_eq!(done, tasks.iter().map(|task| task * 2).collect::<Vec<_>>());
    }

    /// The barrier opens only with three threads in it, so three tasks must run at once.
    #[test]
    fn workers_run_concurrently_on_own_threads() {
        let together = Barrier::new(3);
        let task = |task: &usize, worker| {
            together.wait();
            (*task, worker, thread::current().id())
        };
        let mut on_done = 0;
        let done = work(
            &[0, 1, 2, 3, 4, 5],
            3,
            |_| 1,
            || true,
            task,
            |_| on_done += 1,
        );
        let workers: HashSet<_> = done.iter().map(|(_, worker, _)| *worker).collect();
        let pairs: HashSet<_> = done.iter().map(|(_, worker, id)| (*worker, *id)).collect();
        let tasks: Vec<_> = done.iter().map(|(task, ..)| *task).collect();
        assert_eq!(workers, HashSet::from([1, 2, 3]));
        assert_eq!((pairs.len(), on_done), (3, 6));
        assert_eq!(tasks, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn running_tasks_finish_after_a_stop() {
        let may_continue = AtomicBool::new(true);
        let task = |task: &usize, _| {
            if *task == 2 {
                may_continue.store(false, Ordering::Relaxed);
            }
            *task
        };
        let done = work(
            &[0, 1, 2, 3, 4],
            1,
            |_| 1,
            || may_continue.load(Ordering::Relaxed),
            task,
            |_| {},
        );
        assert_eq!(done, [0, 1, 2]);
    }

    #[test]
    fn weighted_tasks_get_their_slots_in_order() {
        let busy = AtomicUsize::new(0);
        let weights = [1, 1, 3, 1, 9, 2, 1, 1];
        let task = |weight: &usize, _| {
            let weight = *weight.min(&3);
            let all = busy.fetch_add(weight, Ordering::SeqCst) + weight;
            thread::sleep(Duration::from_millis(5));
            busy.fetch_sub(weight, Ordering::SeqCst);
            all
        };
        let done = work(&weights, 3, |weight| *weight, || true, task, |_| {});
        assert_eq!(done.len(), weights.len());
        assert!(done.iter().all(|all| *all <= 3), "{done:?}");
        assert_eq!((done[2], done[4]), (3, 3), "the large ones are alone");
    }

    #[test]
    fn no_tasks_give_no_results() {
        assert!(work(&[] as &[u8], 4, |_| 1, || true, |task, _| *task, |_| {}).is_empty());
    }
}
