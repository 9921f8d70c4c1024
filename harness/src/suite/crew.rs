//! Threads that take tasks in their order, each the next one as soon as it is free.
//!
//! A task is done by one thread from its beginning to its end: a QEMU dies with the thread that
//! started it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Has `task` done by up to `workers` threads, which are numbered from 1, and tells each result to
/// `told` as it comes. The results are in the order of the tasks; once `goes_on` says no, no task is
/// begun, so there can be fewer of them.
pub fn work<T: Sync, R: Send>(
    tasks: &[T],
    workers: usize,
    goes_on: impl Fn() -> bool + Sync,
    task: impl Fn(&T, usize) -> R + Sync,
    mut told: impl FnMut(&mut R),
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || goes_on().then(|| next.fetch_add(1, Ordering::Relaxed));
    let (sender, results) = mpsc::channel();
    let work = |worker: usize, sender: mpsc::Sender<(usize, R)>| {
        while let Some((row, one)) = take().and_then(|row| Some((row, tasks.get(row)?))) {
            // Nobody listens any more where `told` has panicked: then there is nothing left to do.
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
        let tell = |(row, mut result)| {
            told(&mut result);
            (row, result)
        };
        results.into_iter().map(tell).collect()
    });
    all.sort_by_key(|(row, _)| *row);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Barrier, Mutex};

    use super::*;

    #[test]
    fn tasks_are_taken_in_order_and_the_results_stay_in_it() {
        let tasks: Vec<usize> = (0..20).collect();
        let begun = Mutex::new(Vec::new());
        let done = work(
            &tasks,
            1,
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

    /// The barrier lets nobody on before three are in it, so all three must be at work at once.
    #[test]
    fn workers_work_at_the_same_time_each_on_a_thread_of_its_own() {
        let together = Barrier::new(3);
        let task = |task: &usize, worker| {
            together.wait();
            (*task, worker, thread::current().id())
        };
        let mut told = 0;
        let done = work(&[0, 1, 2, 3, 4, 5], 3, || true, task, |_| told += 1);
        let workers: HashSet<_> = done.iter().map(|(_, worker, _)| *worker).collect();
        let pairs: HashSet<_> = done.iter().map(|(_, worker, id)| (*worker, *id)).collect();
        let tasks: Vec<_> = done.iter().map(|(task, ..)| *task).collect();
        assert_eq!(workers, HashSet::from([1, 2, 3]));
        assert_eq!((pairs.len(), told), (3, 6));
        assert_eq!(tasks, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn what_is_under_way_ends_and_nothing_else_begins() {
        let goes_on = AtomicBool::new(true);
        let task = |task: &usize, _| {
            if *task == 2 {
                goes_on.store(false, Ordering::Relaxed);
            }
            *task
        };
        let done = work(
            &[0, 1, 2, 3, 4],
            1,
            || goes_on.load(Ordering::Relaxed),
            task,
            |_| {},
        );
        assert_eq!(done, [0, 1, 2]);
    }

    #[test]
    fn no_task_needs_no_worker() {
        assert!(work(&[] as &[u8], 4, || true, |task, _| *task, |_| {}).is_empty());
    }
}
