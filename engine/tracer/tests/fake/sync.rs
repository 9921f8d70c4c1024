//! The platform's locks over those of the standard library. `MEMORY` limits how many values can be
//! published.

use std::sync::{Mutex, RwLock};

use engine_tracer::{Lock, OutOfMemory, Rcu, TryLock};

use super::MEMORY;

pub struct FakeLock<T>(Mutex<T>);

impl<T> Lock<T> for FakeLock<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.lock().unwrap())
    }
}

pub struct FakeTryLock<T>(Mutex<T>);

impl<T: Send> TryLock<T> for FakeTryLock<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.try_lock().ok().map(|mut value| work(&mut value))
    }
}

pub struct FakeRcu<T>(RwLock<Option<T>>);

impl<T> Rcu<T> for FakeRcu<T> {
    fn empty() -> Self {
        Self(RwLock::new(None))
    }

    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R {
        work(self.0.read().unwrap().as_ref())
    }

    fn replace(&self, value: Option<T>) -> Result<Option<T>, OutOfMemory> {
        if value.is_some() {
            MEMORY.set(MEMORY.get().checked_sub(1).ok_or(OutOfMemory)?);
        }
        Ok(std::mem::replace(&mut *self.0.write().unwrap(), value))
    }
}
