//! Threads that take tasks in their order, each the next one as soon as it is free.
//!
//! A task is done by one thread from its beginning to its end: a QEMU dies with the thread that
//! started it. One that keeps several processors busy has as many workers' room.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Has `task` done by up to `workers` threads, which are numbered from 1, and tells each result to
/// `told` as it comes. The results are in the order of the tasks; once `goes_on` says no, no task is
/// begun, so there can be fewer of them.
pub fn work<T: Sync, R: Send>(
    tasks: &[T],
    workers: usize,
    weight: impl Fn(&T) -> usize + Sync,
    goes_on: impl Fn() -> bool + Sync,
    task: impl Fn(&T, usize) -> R + Sync,
    mut told: impl FnMut(&mut R),
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let room = Room::of(workers);
    let take = || goes_on().then(|| next.fetch_add(1, Ordering::Relaxed));
    let (sender, results) = mpsc::channel();
    let work = |worker: usize, sender: mpsc::Sender<(usize, R)>| {
        while let Some((row, one)) = take().and_then(|row| Some((row, tasks.get(row)?))) {
            let _place = room.enter(row, weight(one));
            if !goes_on() {
                break;
            }
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

/// Room for so many workers, of which a task can take more than one. They enter in the order of their
/// tasks, or a large one would wait until no small one is left.
struct Room {
    size: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free: usize,
    /// Whose turn it is to enter.
    turn: usize,
}

/// What a task takes up until it is over.
struct Place<'r> {
    room: &'r Room,
    weight: usize,
}

impl Room {
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

    /// Waits until it is the turn of this row, and there is room for it. Nothing is larger than the room.
    fn enter(&self, row: usize, weight: usize) -> Place<'_> {
        let weight = weight.clamp(1, self.size.max(1));
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let must_wait = |state: &mut State| state.turn != row || state.free < weight;
        let state = self.changed.wait_while(state, must_wait);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.free -= weight;
        state.turn += 1;
        self.changed.notify_all();
        Place { room: self, weight }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let state = &self.room.state;
        state.lock().unwrap_or_else(PoisonError::into_inner).free += self.weight;
        self.room.changed.notify_all();
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
    fn tasks_are_taken_in_order_and_the_results_stay_in_it() {
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

    /// The barrier lets nobody on before three are in it, so all three must be at work at once.
    #[test]
    fn workers_work_at_the_same_time_each_on_a_thread_of_its_own() {
        let together = Barrier::new(3);
        let task = |task: &usize, worker| {
            together.wait();
            (*task, worker, thread::current().id())
        };
        let mut told = 0;
        let done = work(&[0, 1, 2, 3, 4, 5], 3, |_| 1, || true, task, |_| told += 1);
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
            |_| 1,
            || goes_on.load(Ordering::Relaxed),
            task,
            |_| {},
        );
        assert_eq!(done, [0, 1, 2]);
    }

    #[test]
    fn who_keeps_several_processors_busy_has_their_room_and_its_turn() {
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
    fn no_task_needs_no_worker() {
        assert!(work(&[] as &[u8], 4, |_| 1, || true, |task, _| *task, |_| {}).is_empty());
    }
}
